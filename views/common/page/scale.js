/* SPDX-License-Identifier: BSD-3-Clause */
'use strict';
/* Ticks and numbers, as the other forms write them. */

const TIMES = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];
const SIZES = [[1, 'B'], [1024, 'KiB'], [2 ** 20, 'MiB'], [2 ** 30, 'GiB'], [2 ** 40, 'TiB'], [2 ** 50, 'PiB']];
const SUFFIXES = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e4, 'k']];

function short(value, digits = 4) {
	return value === 0 ? '0' : String(Number(value.toPrecision(digits))).replace('-', '\u2212');
}

function suffixOf(most) {
	if (most < 1e18)
		for (const [factor, suffix] of SUFFIXES)
			if (most >= factor)
				return [factor === 1e4 ? 1e3 : factor, suffix];
	return [1, ''];
}

/* A value with its unit: "3.2 ms". `axis.kind`: time, bytes, or other. */
function amount(axis, value) {
	if (!Number.isFinite(value))
		return '–';
	if (axis.kind === 'time' || axis.kind === 'bytes') {
		const steps = axis.kind === 'time' ? TIMES : SIZES, base = value * axis.factor;
		let step = steps[0];
		for (const s of steps)
			if (Math.abs(base) >= s[0])
				step = s;
		return short(base / step[0]) + '\u00a0' + step[1];
	}
	const [divisor, suffix] = suffixOf(Math.abs(value));
	if (axis.unit && axis.unit.includes('/') && !axis.bare)
		return short(value / divisor, 5) + '\u00a0' + suffix + axis.unit;
	return short(value / divisor, 5) + suffix + (axis.unit && !axis.bare ? '\u00a0' + axis.unit : '');
}

function niceStep(range, wanted) {
	const rough = range / Math.max(wanted, 1), power = 10 ** Math.floor(Math.log10(rough));
	for (const factor of [1, 2, 5, 10])
		if (factor * power >= rough * (1 - 1e-9))
			return factor * power;
	return 10 * power;
}

/* The unit that a linear axis is labelled in: [factor in values of the axis, its name]. */
function shownUnit(axis, low, high) {
	if (axis.kind !== 'time' && axis.kind !== 'bytes')
		return [1, axis.unit];
	if (axis.log)
		return [1, ''];
	const most = Math.max(Math.abs(low), Math.abs(high)) * axis.factor;
	let step = (axis.kind === 'time' ? TIMES : SIZES)[0];
	for (const s of axis.kind === 'time' ? TIMES : SIZES)
		if (most >= s[0])
			step = s;
	return [step[0] / axis.factor, step[1]];
}

function linearTicks(low, high, wanted, unit, whole) {
	const step = Math.max(niceStep((high - low) / unit, wanted), whole ? 1 / unit : 0), ticks = [];
	for (let i = Math.ceil(low / unit / step - 1e-9); ticks.length < 100 && i * step * unit <= high + step * unit * 1e-9; i++)
		ticks.push(i * step * unit);
	return ticks;
}

function logTicks(axis, low, high, wanted) {
	const size = Math.log(axis.log), ticks = [];
	const first = Math.ceil(Math.log(low) / size - 1e-9), last = Math.floor(Math.log(high) / size + 1e-9);
	const powers = last - first + 1;
	const wide = axis.log > 2 && high >= 8 * low && wanted >= 3;
	if ((powers < 2 && !wide) || (axis.log > 2 && powers === 2 && wanted < 4))
		return linearTicks(low, high, wanted, 1);
	const every = Math.max(1, Math.ceil(powers / wanted));
	const add = value => { if (value >= low && value <= high) ticks.push(value); };
	for (let k = first - 1; k <= last; k++) {
		if (k >= first && (k - first) % every === 0)
			add(axis.log ** k);
		if (axis.log > 2 && every === 1 && powers * 3 <= wanted)
			for (const i of [2, 5])
				add(i * axis.log ** k);
	}
	return ticks;
}

/* The texts of ticks: all with the digits that their step needs. */
function tickTexts(axis, ticks, low, high) {
	if (axis.categories)
		return ticks.map(i => axis.categories[i] ?? '');
	if (axis.log)
		return ticks.map(value => amount({ ...axis, bare: true }, value));
	const unit = shownUnit(axis, low, high)[0];
	const [divisor, suffix] = axis.kind === 'time' || axis.kind === 'bytes' ? [1, '']
		: suffixOf(Math.max(Math.abs(low), Math.abs(high)));
	const step = ticks.length > 1 ? (ticks[1] - ticks[0]) / unit / divisor : 1;
	const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
	return ticks.map(value => {
		const shown = value / unit / divisor;
		if (Math.abs(shown) < step * 1e-6)
			return digits ? (0).toFixed(digits) : '0';
		return (digits > 5 ? short(shown, 6) : shown.toFixed(digits)).replace('-', '\u2212') + suffix;
	});
}
