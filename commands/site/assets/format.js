/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of values, dates and shares. */

/* The same names that the views know; with an "s" at the end, too. */
const UNITS = new Map();
for (const [kind, factor, names] of [
	['count', 1, 'count sample object unit'],
	['time', 1, 'ns nanosecond nanosec nsec'], ['time', 1e3, 'us \u00b5s \u03bcs microsecond microsec usec'],
	['time', 1e6, 'ms millisecond millisec msec'], ['time', 1e9, 's sec second'], ['time', 60e9, 'min minute'], ['time', 3600e9, 'h hr hour'],
	['bytes', 1, 'b byte'], ['bytes', 1024, 'kb kib kilobyte kbyte'], ['bytes', 2 ** 20, 'mb mib megabyte mbyte'],
	['bytes', 2 ** 30, 'gb gib gigabyte gbyte'], ['bytes', 2 ** 40, 'tb tib terabyte tbyte'], ['bytes', 2 ** 50, 'pb pib petabyte pbyte'],
])
	for (const name of names.split(' '))
		UNITS.set(name, [kind, factor]);

/* How values of a unit are written, as scale.js wants it. */
function unitOf(unit) {
	const low = unit.toLowerCase(), known = UNITS.get(low) || UNITS.get(low.replace(/s$/, ''));
	if (!known)
		return { kind: 'other', factor: 1, unit };
	return known[0] === 'count' ? { kind: 'other', factor: 1, unit: '' } : { kind: known[0], factor: known[1], unit };
}

/* The class, which has the colour: what nobody calls better or worse (null) has none. */
function sideClass(worse) {
	return worse === null ? 'soft' : worse ? 'worse' : 'better';
}

function percent(share, sign = true) {
	if (!Number.isFinite(share))
		return share > 0 ? 'from 0' : '–';
	if (share === 0)
		return '0\u00a0%';
	const value = share * 100, digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
	const text = Math.abs(value).toFixed(digits) + '\u00a0%';
	return (value < 0 ? '\u2212' : sign ? '+' : '') + text;
}

const relative = (before, after) => before === null || after === null || before === undefined ? NaN
	: before === after ? 0 : (after - before) / Math.abs(before);

function date(seconds, long = false) {
	const text = new Date(seconds * 1000).toISOString();
	return long ? text.slice(0, 16).replace('T', ' ') : text.slice(0, 10);
}

const commandOf = metric => [metric.cmd, metric.workload].filter(word => word).join(' ') || '(no command)';
const checksum = text => text.slice(0, 8);
const plural = (count, one, many = one + 's') => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
