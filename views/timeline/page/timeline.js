/* SPDX-License-Identifier: BSD-3-Clause */
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const LANE = 20, AXIS = 26, VALUES = 84, RIGHT = 34, OTHERS = 7;
const canvas = element("map"), frame = element("frame"), context = canvas.getContext("2d");
const state = { from: 0, to: data.span, left: 90, width: 100, found: null, hover: null, drag: null };

/* ---- words ----------------------------------------------------------------------------------- */

function significant(number) {
	if (number === 0)
		return "0";
	return Math.abs(number) >= 1000 ? String(Math.round(number)) : String(+number.toPrecision(4));
}

/* In the largest of units [name, factor] that leaves at least one of it. */
function inUnits(amount, units) {
	const size = Math.abs(amount), [unit, factor] = units.find(one => size >= one[1]) || units[units.length - 1];

	return significant(amount / factor) + " " + unit;
}

/* `scale` has the unit, and what makes seconds or bytes of an amount, 0 where nothing does. */
function amountText(scale, amount) {
	const seconds = amount * scale.seconds;

	if (amount === 0 || (scale.seconds && Math.abs(seconds) < 1e-15))
		return "0";
	if (scale.seconds)
		return Math.abs(seconds) >= 7200 ? significant(seconds / 3600) + " h"
			: inUnits(seconds, [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]]);
	if (scale.bytes)
		return inUnits(amount * scale.bytes, [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 1024], ["B", 1]]);
	return significant(amount) + (scale.unit && scale.unit !== "count" ? " " + scale.unit : "");
}

function timeText(time) {
	return amountText(data, time);
}

function valueText(values, value) {
	return amountText(values, value);
}

/* ---- colours --------------------------------------------------------------------------------- */

function isDark() {
	const theme = document.documentElement.dataset.theme;

	return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function css(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function barColor(name) {
	return (isDark() ? data.dark : data.light)[name < 0 ? OTHERS : data.colors[name]];
}

/* ---- places ---------------------------------------------------------------------------------- */

function xOf(time) {
	return state.left + (time - state.from) / (state.to - state.from) * state.width;
}

function timeAt(x) {
	return state.from + (x - state.left) / state.width * (state.to - state.from);
}

function firstBar(bars, time) {
	let low = 0, high = bars.length / 3;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (bars[3 * middle + 1] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* 1, 2 or 5 times a power of ten, so that steps are at least `least`. */
function niceStep(least) {
	const power = 10 ** Math.floor(Math.log10(least));

	return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * 0.999);
}

/* ---- drawing --------------------------------------------------------------------------------- */

function fitted(text, room) {
	if (room < 16)
		return "";
	if (context.measureText(text).width <= room)
		return text;
	let low = 0, high = text.length;

	while (low < high) {
		const middle = (low + high + 1) >> 1;

		if (context.measureText(text.slice(0, middle) + "…").width <= room)
			low = middle;
		else
			high = middle - 1;
	}
	return low > 1 ? text.slice(0, low) + "…" : "";
}

function drawBar(x, width, y, name, matches) {
	context.globalAlpha = state.found && !matches ? 0.22 : 0.85;
	context.fillStyle = barColor(name);
	context.fillRect(x, y + 1, Math.max(width - 0.5, 0.7), LANE - 2);
	context.globalAlpha = 1;
	if (name >= 0 && width > 22) {
		context.fillStyle = isDark() ? "#101010" : "#111";
		context.fillText(fitted(data.names[name], width - 8), x + 4, y + LANE / 2 + 0.5);
	}
}

function drawLane(lane, y) {
	const bars = lane.bars;
	let i = firstBar(bars, state.from);

	while (3 * i < bars.length && bars[3 * i] <= state.to) {
		const x = Math.max(xOf(bars[3 * i]), state.left);
		let end = Math.min(xOf(bars[3 * i + 1]), state.left + state.width), name = bars[3 * i + 2];
		let matches = state.found && state.found.has(name);

		i++;
		/* What is too narrow to be distinguished is one bar. */
		while (end - x < 1 && 3 * i < bars.length && xOf(bars[3 * i + 1]) - x < 1) {
			end = Math.max(end, xOf(bars[3 * i + 1]));
			matches = matches || (state.found && state.found.has(bars[3 * i + 2]));
			name = -1;
			i++;
		}
		drawBar(x, end - x, y, name, matches);
	}
}

function drawAxis(y, bottom) {
	const step = niceStep((state.to - state.from) / Math.max(2, state.width / 110));

	context.textAlign = "center";
	for (let time = Math.ceil(state.from / step) * step; time <= state.to; time += step) {
		const x = xOf(time);

		context.fillStyle = css("--line");
		context.fillRect(Math.round(x), 0, 1, bottom);
		context.fillStyle = css("--soft");
		context.fillText(timeText(time), x, y + AXIS / 2);
	}
	context.textAlign = "left";
}

function drawPauses(bottom) {
	context.fillStyle = isDark() ? "rgba(200, 200, 200, .22)" : "rgba(90, 90, 90, .25)";
	for (let i = 0; i < data.pauses.length; i += 2) {
		const from = Math.max(xOf(data.pauses[i]), state.left);
		const to = Math.min(xOf(data.pauses[i + 1]), state.left + state.width);

		if (to >= from)
			context.fillRect(from, 0, Math.max(to - from, 1), bottom);
	}
}

function drawValues(values, y) {
	const height = VALUES - 26, low = Math.min(...values.range), high = Math.max(...values.range);
	const range = high > low ? high - low : 1, base = high > low ? low : low - 0.5;
	const yOf = value => y + height - (value - base) / range * height;

	context.fillStyle = css("--line");
	context.fillRect(state.left, y, state.width, 1);
	context.fillRect(state.left, y + height, state.width, 1);
	context.save();
	context.beginPath();
	context.rect(state.left, y - 4, state.width, height + 8);
	context.clip();
	context.strokeStyle = (isDark() ? data.dark : data.light)[0];
	context.lineWidth = 1.6;
	context.beginPath();
	let column = NaN, least = 0, most = 0;
	for (let i = 0; i < values.times.length; i++) {
		const x = xOf(values.times[i]);

		if (x < state.left - 2000 || x > state.left + state.width + 2000)
			continue;
		/* Of each column of pixels the lowest and the highest value. */
		if (Math.round(x) === column) {
			if (values.values[i] >= least && values.values[i] <= most)
				continue;
		} else {
			column = Math.round(x);
			least = most = values.values[i];
		}
		least = Math.min(least, values.values[i]);
		most = Math.max(most, values.values[i]);
		context.lineTo(x, yOf(values.values[i]));
	}
	context.stroke();
	if (values.times.length < 200) {
		context.fillStyle = (isDark() ? data.dark : data.light)[0];
		for (let i = 0; i < values.times.length; i++) {
			context.beginPath();
			context.arc(xOf(values.times[i]), yOf(values.values[i]), 2.5, 0, 7);
			context.fill();
		}
	}
	context.restore();
	context.textAlign = "right";
	context.fillStyle = css("--ink");
	context.fillText(fitted(values.name, state.left - 12), state.left - 8, y + height / 2);
	context.fillStyle = css("--soft");
	context.fillText(fitted(valueText(values, high), state.left - 12), state.left - 8, y + 4);
	if (high > low)
		context.fillText(fitted(valueText(values, low), state.left - 12), state.left - 8, y + height - 2);
	context.textAlign = "left";
}

function draw() {
	const lanes = data.lanes.length * LANE, height = lanes + AXIS + data.values.length * VALUES + 6;
	const width = frame.clientWidth, ratio = devicePixelRatio || 1;

	state.width = Math.max(50, width - state.left - RIGHT);
	if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		canvas.style.width = width + "px";
		canvas.style.height = height + "px";
	}
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.fillStyle = css("--paper");
	context.fillRect(0, 0, width, height);
	context.font = "12px system-ui, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif";
	context.textBaseline = "middle";
	drawAxis(lanes, lanes + 4);
	data.lanes.forEach((lane, i) => {
		drawLane(lane, i * LANE);
		if (lane.name >= 0 && !lane.depth) {
			context.textAlign = "right";
			context.fillStyle = css("--ink");
			context.fillText(fitted(data.names[lane.name], state.left - 12), state.left - 8, i * LANE + LANE / 2);
			context.textAlign = "left";
		}
	});
	data.values.forEach((values, i) => drawValues(values, lanes + AXIS + 8 + i * VALUES));
	drawPauses(lanes);
	canvas.dataset.from = state.from;
	canvas.dataset.to = state.to;
}

/* ---- moving ---------------------------------------------------------------------------------- */

function show(from, to) {
	const span = Math.min(Math.max(to - from, data.span * 1e-9), data.span);

	state.from = Math.min(Math.max(from, 0), data.span - span);
	state.to = state.from + span;
	draw();
}

function zoom(factor, around) {
	show(around - (around - state.from) * factor, around + (state.to - around) * factor);
}

function barAt(event) {
	const box = canvas.getBoundingClientRect();
	const x = event.clientX - box.left, y = event.clientY - box.top, lane = data.lanes[Math.floor(y / LANE)];

	if (!lane || x < state.left)
		return null;
	const time = timeAt(x), slack = (state.to - state.from) / state.width;
	for (let i = firstBar(lane.bars, time - slack); 3 * i < lane.bars.length; i++) {
		if (lane.bars[3 * i] > time + slack)
			break;
		if (lane.bars[3 * i + 1] >= time - slack)
			return { start: lane.bars[3 * i], end: lane.bars[3 * i + 1], name: lane.bars[3 * i + 2] };
	}
	return null;
}

function report(event)
{
	const bar = state.drag ? null : barAt(event), tip = element("tip");

	tip.hidden = !bar;
	if (!bar)
		return;
	const name = document.createElement("b"), line = document.createElement("div");
	name.textContent = data.names[bar.name];
	line.textContent = `${timeText(bar.end - bar.start)}, from ${timeText(bar.start)} to ${timeText(bar.end)}`;
	tip.replaceChildren(name, line);
	tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
	tip.style.top = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8) + "px";
}

canvas.addEventListener("pointerdown", event => {
	state.drag = { x: event.clientX, from: state.from, to: state.to };
	canvas.setPointerCapture(event.pointerId);
	canvas.classList.add("moving");
});
canvas.addEventListener("pointermove", event => {
	if (state.drag) {
		const by = (event.clientX - state.drag.x) / state.width * (state.to - state.from);

		show(state.drag.from - by, state.drag.to - by);
	}
	report(event);
});
function endDrag() {
	state.drag = null;
	canvas.classList.remove("moving");
}
canvas.addEventListener("pointerup", endDrag);
canvas.addEventListener("pointercancel", endDrag);
canvas.addEventListener("pointerleave", () => { element("tip").hidden = true; });
canvas.addEventListener("dblclick", event => {
	const bar = barAt(event);

	if (bar)
		show(bar.start - (bar.end - bar.start) * 0.05, bar.end + (bar.end - bar.start) * 0.05);
});
canvas.addEventListener("wheel", event => {
	event.preventDefault();
	zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(event.clientX - canvas.getBoundingClientRect().left));
}, { passive: false });

const middle = () => (state.from + state.to) / 2, step = () => (state.to - state.from) / 5;
const keys = {
	"+": () => zoom(0.5, middle()), "-": () => zoom(2, middle()), "0": () => show(0, data.span),
	ArrowLeft: () => show(state.from - step(), state.to - step()),
	ArrowRight: () => show(state.from + step(), state.to + step()),
};
addEventListener("keydown", event => {
	if (event.target.tagName !== "INPUT" && !event.ctrlKey && !event.metaKey && keys[event.key]) {
		keys[event.key]();
		event.preventDefault();
	}
});
element("in").addEventListener("click", keys["+"]);
element("out").addEventListener("click", keys["-"]);
element("reset").addEventListener("click", keys["0"]);
element("theme").addEventListener("click", () => {
	document.documentElement.dataset.theme = isDark() ? "light" : "dark";
	draw();
});
element("search").addEventListener("input", event => {
	const text = event.target.value.toLowerCase();
	let count = 0;

	state.found = text ? new Set(data.names.keys()) : null;
	if (state.found) {
		for (const name of [...state.found]) {
			if (!data.names[name].toLowerCase().includes(text))
				state.found.delete(name);
		}
		for (const lane of data.lanes) {
			for (let i = 2; i < lane.bars.length; i += 3)
				count += state.found.has(lane.bars[i]);
		}
	}
	element("found").textContent = text ? `${count} found` : "";
	draw();
});

for (const values of data.values) {
	let low = Infinity, high = -Infinity;

	for (const value of values.values) {
		low = Math.min(low, value);
		high = Math.max(high, value);
	}
	values.range = [low, high];
}
context.font = "12px system-ui, sans-serif";
state.left = Math.min(220, Math.max(70, ...data.lanes.map(lane => lane.name < 0 ? 0 : context.measureText(data.names[lane.name]).width + 20),
	...data.values.map(values => context.measureText(values.name).width + 20)));
document.querySelector(".tools").hidden = false;
document.querySelector("main").hidden = false;
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
draw();
