/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts: names from profiles made visible, their packages, values with units. */

/*
 * Names are data. What cannot be seen or would turn the text around is written out: a control character
 * as its picture, a byte that was no UTF-8 (it came as U+DC80 to U+DCFF) as \x80, others as \u202e.
 */
const HIDDEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f' +
	'\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]|[\\ud800-\\udbff](?![\\udc00-\\udfff])|' +
	'(?<![\\ud800-\\udbff])[\\udc00-\\udfff]', 'g');

function visible(text) {
	return text.replace(HIDDEN, c => {
		const code = c.charCodeAt(0);
		if (code === 0x1f) /* between units of a text, such as names in Nsight's call paths */
			return '';
		if (code < 0x20)
			return String.fromCharCode(0x2400 + code);
		if (code >= 0xdc80 && code <= 0xdcff)
			return '\\x' + (code - 0xdc00).toString(16);
		return '\\u' + code.toString(16).padStart(4, '0');
	});
}

/* Where parameters, template arguments or the like begin: no separator is looked for after it. */
function nameEnd(name) {
	const end = name.search(/[(<\[{]/);
	return end > 0 ? end : name.length;
}

/* Where the type ends that a name of Rust begins with: "<alloc::string::String as core::fmt::Debug>::fmt"; 0: with none. */
function selfEnd(name) {
	let depth = 0;
	for (let i = 0; name[0] === '<' && i < name.length; i++) {
		if (name[i] === '<')
			depth++;
		else if (name[i] === '>' && name[i - 1] !== '-' && --depth === 0)
			return name.startsWith('::', i + 1) ? i : 0;
	}
	return 0;
}

/*
 * What compilers append to the name of a function: Go's closures (.func1, .gowrap2, .1), and clones of GCC and LLVM
 * (.constprop.0, .isra.0, .llvm.123).
 */
const CLONES = /(?<=.)(\.((func|gowrap|deferwrap)\d+|(constprop|isra|part|cold|llvm|lto_priv|clone)\d*|\d+))+$/;

/*
 * The package of a function, as its language writes it: "net/http" of net/http.(*conn).serve,
 * "java.util" of java.util.HashMap.get, "std" of std::vector<int>::push_back, "core::fmt" of
 * core::fmt::write and <core::fmt::Error as core::fmt::Debug>::fmt; "" when the name says nothing.
 */
function packageOf(name, inner) {
	const self = inner ? 0 : selfEnd(name);
	if (self) /* that of the type */
		return packageOf(name.slice(1, self).replace(/ as .*$/, '').replace(/^[&*[(]*((mut|dyn|const) )?/, ''), true);
	let end = nameEnd(name);
	if (end > 2 && name.startsWith('::', end - 2)) /* arguments of Rust's: core::mem::swap::<u64> */
		end -= 2;
	const slash = name.lastIndexOf('/', end - 1) + 1;
	const colons = name.lastIndexOf('::', end - 2);
	if (colons > 0) {
		const first = name.slice(0, colons).replace(/^.*[ *&]/, ''); /* after a type */
		return first.split('::').slice(0, 2).join('::');
	}
	const dot = name.indexOf('.', slash);
	if (slash > 1 && dot > 0 && !/^[./]/.test(name)) {
		/* java/util/HashMap.get, not example.org/user/package.f */
		if (!name.slice(0, slash).includes('.') && /[A-Z]/.test(name[slash]))
			return name.slice(0, slash - 1);
		return name.slice(0, dot);
	}
	if (end > 1 && name[end] === '(' && name[end - 1] === '.' && name[0] !== '.')
		return name.slice(0, end - 1); /* Go's methods: main.(*T).m */
	const parts = name.slice(0, end).replace(CLONES, '').replace(/\.+$/, '').split('.');
	if (parts.length > 1 && parts[0]) {
		let count = parts.length - 1;
		/* Java's and Python's classes begin with a capital letter. */
		while (count > 1 && /^[A-Z]/.test(parts[count - 1]))
			count--;
		return parts.slice(0, count).join('.');
	}
	return '';
}

/* The name without its package: what is shown when the whole does not fit. */
function shortOf(name, packageName) {
	const self = selfEnd(name);
	if (self)
		return name.slice(0, self).replace(/([A-Za-z_]\w*::)+(?=[A-Za-z_])/g, '') + name.slice(self);
	if (packageName && name.startsWith(packageName))
		return name.slice(packageName.length).replace(/^(::|[./])/, '') || name;
	const slash = name.lastIndexOf('/', nameEnd(name));
	return slash > 0 && slash + 1 < name.length && name[0] !== '<' ? name.slice(slash + 1) : name;
}

function folderOf(file) {
	const slash = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'));
	return slash > 0 ? file.slice(0, slash) : file;
}

/* ---- numbers ---------------------------------------------------------------------------------- */

function digits(value, count) {
	return value.toLocaleString('en', {maximumSignificantDigits: count, useGrouping: true})
		.replace(/,/g, '\u202f');
}

const TIME_UNITS = {nanoseconds: 1e-9, ns: 1e-9, nanosecond: 1e-9, microseconds: 1e-6, us: 1e-6,
	microsecond: 1e-6, milliseconds: 1e-3, ms: 1e-3, millisecond: 1e-3, seconds: 1, s: 1, second: 1};
const BYTE_UNITS = {bytes: 1, byte: 1, b: 1, kilobytes: 1024, kb: 1024, kib: 1024, megabytes: 1048576,
	mb: 1048576, mib: 1048576};

function scaled(value, steps) {
	const size = Math.abs(value);
	const step = steps.find(s => size >= s[0] * 0.9995) || steps[steps.length - 1];
	return digits(value / step[0], 4) + '\u00a0' + step[1];
}

/* A value with its unit, in the multiple that people read. */
function amount(value, unit) {
	const seconds = TIME_UNITS[unit.toLowerCase()], bytes = BYTE_UNITS[unit.toLowerCase()];
	if (value === 0 && (seconds || bytes))
		return '0';
	if (seconds)
		return scaled(value * seconds, [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's'],
			[1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']]);
	if (bytes)
		return scaled(value * bytes, [[2 ** 40, 'TiB'], [2 ** 30, 'GiB'], [2 ** 20, 'MiB'],
			[1024, 'KiB'], [1, 'B']]);
	const text = Number.isInteger(value) && Math.abs(value) < 1e15 ? digits(value, 16)
		: digits(value, 5);
	return text + (unit && unit !== 'count' ? '\u00a0' + unit : '');
}

function signed(value, text) {
	return value > 0 ? '+' + text : text.replace(/^-/, '\u2212');
}

function percent(part, whole) {
	if (!whole)
		return '–';
	const share = 100 * part / whole;
	if (share !== 0 && Math.abs(share) < 0.01)
		return (share < 0 ? '\u2212' : '') + '<\u202f0.01\u00a0%';
	const text = share.toFixed(Math.abs(share) >= 99.95 || share === 0 ? 0 :
		Math.abs(share) < 1 ? 2 : 1);
	return text.replace(/^-/, '\u2212') + '\u00a0%';
}

/* The change of a value relative to itself. */
function relative(base, value) {
	if (!base)
		return value ? 'new' : 'unchanged';
	if (!value)
		return 'gone';
	const change = 100 * (value - base) / Math.abs(base);
	if (Math.abs(change) < 0.05)
		return change === 0 ? 'unchanged' : 'about the same';
	if (Math.abs(value / base) >= 10)
		return '×\u00a0' + digits(value / base, 3);
	return signed(change, change.toFixed(Math.abs(change) < 10 ? 1 : 0)) + '\u00a0%';
}
