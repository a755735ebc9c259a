/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture and its controls; memory.js goes before. */
const GUTTER = 118, CELL_WIDTH = 7, CELL_HEIGHT = 13, LINE = 14, COLORS = 7;
const element = id => document.getElementById(id);
const state = {
	snapshot: 0, heat: heap.heat, cell: heap.cell, map: null, cells: null, first: 0, seen: 0,
	chosen: -1, timer: 0,
};

/* ---- colours --------------------------------------------------------------------------------- */

function isDark() {
	const theme = document.documentElement.dataset.theme;

	return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function css(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function placeColor(place) {
	return (isDark() ? heap.dark : heap.light)[Math.min(place, COLORS)];
}

function heatColor(heat, hottest) {
	const share = Math.log2(1 + heat) / Math.log2(1 + hottest);

	return heap.ramp[Math.min(heap.ramp.length - 1, Math.floor(share * heap.ramp.length))];
}

/* ---- the map --------------------------------------------------------------------------------- */

function layOutAgain() {
	const frame = element("frame"), room = frame.clientWidth - GUTTER - 8;
	const columns = Math.max(16, 2 ** Math.floor(Math.log2(room / CELL_WIDTH)));
	const width = Math.max(3, room / columns);
	const most = Math.max(8, Math.floor((innerHeight - frame.getBoundingClientRect().top - 130) / LINE));

	state.width = width;
	state.map = state.cell ? layOut(state.cell, columns) : layOutBest(columns, most);
	state.seen = Math.min(state.map.lines, most);
	frame.style.height = `${state.seen * LINE + 10}px`;
	element("space").style.height = `${state.map.lines * LINE + 8}px`;
	element("cell").textContent = `${bytesText(state.map.cell)} a cell`;
	element("in").disabled = state.map.cell <= LEAST_CELL ||
		state.map.lines * 2 > MOST_LINES;
	element("out").disabled = state.map.lines <= 1;
	drawMap();
}

function canvasOf(id, width, height) {
	const canvas = element(id), scale = devicePixelRatio || 1;

	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const context = canvas.getContext("2d");
	context.scale(scale, scale);
	return context;
}

function cellAlpha(place) {
	return state.chosen >= 0 && Math.min(place, COLORS) !== state.chosen ? 0.15 : 1;
}

function drawCells(context, row, y, colors) {
	const {map, cells, width} = state, gap = width >= 6 ? 1 : 0;

	for (let column = 0; column < map.columns; column++) {
		const at = row * map.columns + column, x = GUTTER + column * width, block = cells.block[at];

		context.globalAlpha = 1;
		context.fillStyle = colors.free;
		context.fillRect(x, y, width - gap, CELL_HEIGHT);
		if (state.heat && cells.heat[at]) {
			context.fillStyle = heatColor(cells.heat[at], cells.hottest);
			context.fillRect(x, y, width - gap, CELL_HEIGHT);
		} else if (!state.heat && block >= 0) {
			/* As full as it is, from below. */
			const height = Math.max(2, Math.round(cells.covered[at] * CELL_HEIGHT));

			context.globalAlpha = cellAlpha(heap.place[block]);
			context.fillStyle = placeColor(heap.place[block]);
			context.fillRect(x, y + CELL_HEIGHT - height, width - gap, height);
		}
	}
	context.globalAlpha = 1;
}

function drawMap() {
	const {map} = state, frame = element("frame");
	const context = canvasOf("map", frame.clientWidth, state.seen * LINE + 8);
	const colors = {free: css("--free"), soft: css("--soft")};

	state.first = Math.max(0, Math.min(map.lines - state.seen, Math.round(frame.scrollTop / LINE)));
	state.cells = paint(map, state.snapshot, state.first, state.seen);
	context.font = '11px ui-monospace, "DejaVu Sans Mono", monospace';
	context.textBaseline = "middle";
	for (let row = 0; row < state.seen; row++) {
		const line = lineOf(map, state.first + row), y = 4 + row * LINE;

		context.fillStyle = colors.soft;
		if (line.segment) {
			context.textAlign = "right";
			context.fillText(addressText(line.region, line.offset), GUTTER - 10, y + CELL_HEIGHT / 2);
			drawCells(context, row, y, colors);
		} else {
			context.textAlign = "left";
			context.fillText(`⋯ ${bytesText(line.gap)}`, GUTTER, y + CELL_HEIGHT / 2);
		}
	}
}

/* ---- the run --------------------------------------------------------------------------------- */

function drawHistory() {
	const canvas = element("history"), width = canvas.parentElement.clientWidth, height = 44;
	const context = canvasOf("history", width, height), count = heap.snapshots.length;
	const peak = Math.max(1, ...heap.snapshots.map(one => one[2]));
	/* The knob of a slider does not reach its ends. */
	const x = i => count > 1 ? 8 + (width - 16) * i / (count - 1) : width / 2;
	const y = amount => height - 2 - (height - 8) * amount / peak;

	canvas.style.width = "100%";
	context.beginPath();
	context.moveTo(x(0), height - 2);
	heap.snapshots.forEach((one, i) => {
		if (i)
			context.lineTo(x(i), y(heap.snapshots[i - 1][2]));
		context.lineTo(x(i), y(one[2]));
	});
	context.lineTo(x(count - 1), height - 2);
	context.fillStyle = css("--line");
	context.fill();
	context.fillStyle = css("--accent");
	context.fillRect(x(state.snapshot) - 1, 0, 2, height);
	context.beginPath();
	context.arc(x(state.snapshot), y(heap.snapshots[state.snapshot][2]), 3.5, 0, 7);
	context.fill();
}

function plural(count, word) {
	return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

function showStatus() {
	const [number, time, amount, blocks, allocated, freed] = heap.snapshots[state.snapshot];
	const at = time === null ? "" : ` at ${timeText(time)}`;

	element("status").textContent = `Snapshot ${number} (${state.snapshot + 1} of ${heap.snapshots.length})${at}: ` +
		`${bytesText(amount)} in ${plural(blocks, "block")}; ${allocated} allocated, ${freed} freed`;
}

/* ---- the legend ------------------------------------------------------------------------------ */

function liveByColor() {
	const amounts = new Array(COLORS + 1).fill(0);

	for (let block = 0; block < heap.size.length; block++) {
		if (isAlive(block, state.snapshot))
			amounts[Math.min(heap.place[block], COLORS)] += heap.size[block];
	}
	return amounts;
}

function makeLegend() {
	const legend = element("legend"), places = heap.places.length;

	for (let i = 0; i < Math.min(places, COLORS + 1); i++) {
		const item = document.createElement("li"), button = document.createElement("button");
		const others = i === COLORS && places > COLORS + 1;

		button.type = "button";
		button.append(document.createElement("i"), document.createElement("b"), document.createElement("span"));
		button.children[1].style.fontWeight = "inherit";
		button.children[1].textContent = others ? plural(places - COLORS, "other place") : heap.places[i][0] || "(unknown)";
		if (!others && heap.places[i][1])
			button.title = `${heap.places[i][1]}:${heap.places[i][2]}`;
		button.setAttribute("aria-pressed", "false");
		button.addEventListener("click", () => choose(state.chosen === i ? -1 : i));
		item.append(button);
		legend.append(item);
	}
}

function showLegend() {
	const amounts = liveByColor();

	element("legend").hidden = state.heat;
	[...element("legend").children].forEach((item, i) => {
		const button = item.firstChild;

		button.firstChild.style.background = placeColor(i);
		button.lastChild.textContent = bytesText(amounts[i]);
		button.setAttribute("aria-pressed", String(state.chosen === i));
	});
	element("scale").textContent = state.heat ?
		"Dark: seldom allocated until this snapshot, bright: often. Cells that were never allocated are grey." :
		"A cell is as full as its memory is in use, in the colour of what allocated most of it. Press a name to single it out.";
}

function choose(color) {
	state.chosen = color;
	showLegend();
	drawMap();
}

/* ---- what lies below the mouse --------------------------------------------------------------- */

function addLine(tip, tag, text) {
	const line = document.createElement(tag);

	line.textContent = text;
	tip.append(line);
}

function frameText(number) {
	const [name, file, line] = heap.frames[number];

	return (name || "(unknown)") + (file ? `  ${file}${line ? ":" + line : ""}` : "");
}

function describe(tip, at, line, column) {
	const {map, cells} = state, block = cells.block[at];
	const heat = `allocated ${plural(cells.heat[at], "time")} until now`;

	if (block < 0) {
		addLine(tip, "b", "Not in use");
		addLine(tip, "span", `${addressText(line.region, line.offset + column * map.cell)}, ${heat}`);
		return;
	}
	const died = heap.died[block], number = i => heap.snapshots[i][0], stack = heap.stacks[heap.stack[block]];

	addLine(tip, "b", `${bytesText(heap.size[block])} by ${heap.kinds[heap.kind[block]] || "allocation"}`);
	addLine(tip, "span", `${addressText(heap.region[block], heap.offset[block])}, snapshot ${number(heap.born[block])} ` +
		(died < 0 ? "to the end" : `to ${number(died)}`));
	addLine(tip, "span", heat);
	stack.slice(0, 12).forEach((frame, i) => addLine(tip, "code", (i ? "← " : "") + frameText(frame)));
	if (stack.length > 12)
		addLine(tip, "span", `${stack.length - 12} more calls`);
}

function hover(event) {
	const tip = element("tip"), box = element("map").getBoundingClientRect();
	const column = Math.floor((event.clientX - box.left - GUTTER) / state.width);
	const row = Math.floor((event.clientY - box.top - 4) / LINE);

	tip.hidden = true;
	if (column < 0 || column >= state.map.columns || row < 0 || row >= state.seen)
		return;
	const line = lineOf(state.map, state.first + row);

	if (!line.segment)
		return;
	tip.textContent = "";
	describe(tip, row * state.map.columns + column, line, column);
	tip.hidden = false;
	const left = event.clientX + 16 + tip.offsetWidth > innerWidth ? event.clientX - tip.offsetWidth - 12 : event.clientX + 16;

	tip.style.left = `${Math.max(4, left)}px`;
	tip.style.top = `${Math.max(4, Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8))}px`;
}

/* ---- controls -------------------------------------------------------------------------------- */

function show(snapshot) {
	state.snapshot = Math.max(0, Math.min(heap.snapshots.length - 1, snapshot));
	element("slider").value = state.snapshot;
	element("tip").hidden = true;
	showStatus();
	drawHistory();
	showLegend();
	drawMap();
}

function stop() {
	clearInterval(state.timer);
	state.timer = 0;
	element("play").textContent = "▶";
	element("play").setAttribute("aria-label", "Play");
}

/* Ten seconds at most, half a second for a step at most. */
function play() {
	const count = heap.snapshots.length, pause = Math.max(50, Math.min(500, 10000 / count));
	const change = Math.max(1, Math.round(count / 200));

	if (state.timer) {
		stop();
		return;
	}
	if (state.snapshot === count - 1)
		show(0);
	element("play").textContent = "❚❚";
	element("play").setAttribute("aria-label", "Stop");
	state.timer = setInterval(() => {
		show(state.snapshot + change);
		if (state.snapshot === count - 1)
			stop();
	}, pause);
}

function toggleHeat() {
	state.heat = !state.heat;
	element("heat").setAttribute("aria-pressed", String(state.heat));
	showLegend();
	drawMap();
}

function zoom(factor) {
	const top = lineOf(state.map, state.first), button = element(factor < 1 ? "in" : "out");

	if (button.disabled)
		return;
	state.cell = state.map.cell * factor;
	layOutAgain();
	if (top.segment) {
		const found = state.map.segments.find(one => one.region === top.region &&
			(one.last + 1) * state.map.bytes > top.offset);

		if (found)
			element("frame").scrollTop = (found.at + Math.max(0, Math.floor(top.offset / state.map.bytes) - found.first)) * LINE;
	}
	drawMap();
}

function redraw() {
	layOutAgain();
	drawHistory();
	showLegend();
}

function pressKey(event) {
	const actions = {
		n: () => show(state.snapshot + 1), p: () => show(state.snapshot - 1), h: toggleHeat,
		"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), " ": play,
	};

	if (event.ctrlKey || event.metaKey || event.altKey || (event.key === " " && event.target.tagName === "BUTTON"))
		return;
	if (actions[event.key]) {
		event.preventDefault();
		actions[event.key]();
	}
}

function pick(event) {
	const box = element("history").getBoundingClientRect();

	if (event.buttons & 1)
		show(Math.round((event.clientX - box.left - 8) / (box.width - 16) * (heap.snapshots.length - 1)));
}

function start() {
	const slider = element("slider"), began = performance.now();
	const most = heap.snapshots.reduce((best, one, i) => one[2] > heap.snapshots[best][2] ? i : best, 0);

	document.querySelector("main").hidden = document.querySelector(".tools").hidden = false;
	slider.max = heap.snapshots.length - 1;
	for (const part of document.querySelectorAll(".player > :not(#status)"))
		part.hidden = heap.snapshots.length < 2;
	element("heat").setAttribute("aria-pressed", String(state.heat));
	slider.addEventListener("input", () => show(Number(slider.value)));
	element("play").addEventListener("click", play);
	element("back").addEventListener("click", () => show(state.snapshot - 1));
	element("next").addEventListener("click", () => show(state.snapshot + 1));
	element("heat").addEventListener("click", toggleHeat);
	element("in").addEventListener("click", () => zoom(0.5));
	element("out").addEventListener("click", () => zoom(2));
	element("theme").addEventListener("click", () => {
		document.documentElement.dataset.theme = isDark() ? "light" : "dark";
		redraw();
	});
	element("frame").addEventListener("scroll", drawMap);
	element("map").addEventListener("mousemove", hover);
	element("map").addEventListener("mouseleave", () => { element("tip").hidden = true; });
	element("history").addEventListener("pointerdown", pick);
	element("history").addEventListener("pointermove", pick);
	document.addEventListener("keydown", pressKey);
	addEventListener("resize", redraw);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
	makeLegend();
	state.snapshot = most;
	layOutAgain();
	show(most);
	document.documentElement.dataset.ready = String(Math.max(1, Math.round(performance.now() - began)));
}

start();
