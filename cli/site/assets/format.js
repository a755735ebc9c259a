/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of values, dates and shares. */

const UNITS = {
	ns: ['time', 1], us: ['time', 1e3], 'µs': ['time', 1e3], ms: ['time', 1e6], s: ['time', 1e9], sec: ['time', 1e9],
	seconds: ['time', 1e9], nanoseconds: ['time', 1], microseconds: ['time', 1e3], milliseconds: ['time', 1e6],
	b: ['bytes', 1], bytes: ['bytes', 1], byte: ['bytes', 1], kib: ['bytes', 1024], kb: ['bytes', 1024],
	mib: ['bytes', 2 ** 20], mb: ['bytes', 2 ** 20], gib: ['bytes', 2 ** 30], gb: ['bytes', 2 ** 30],
};

/* How values of a unit are written, as scale.js wants it. */
function unitOf(unit) {
	const known = UNITS[unit] || (UNITS.hasOwnProperty(unit.toLowerCase()) ? UNITS[unit.toLowerCase()] : null);
	return known ? { kind: known[0], factor: known[1], unit } : { kind: 'other', factor: 1, unit };
}

function percent(share, sign = true) {
	if (!Number.isFinite(share))
		return share > 0 ? '+∞' : '–';
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
