/* SPDX-License-Identifier: BSD-3-Clause */
"use strict";
/*
 * The blocks, and memory laid out as lines of cells: as the terminal's map does it. A block is a number,
 * its members are in arrays. Addresses are [region, offset]; BigInt only where they are shown.
 */
const heap = JSON.parse(document.getElementById("data").textContent);
const LEAST_CELL = 8, MOST_LINES = 400000, SMALL_GAP = 1;

function isAlive(block, snapshot) {
	return heap.born[block] <= snapshot && (heap.died[block] < 0 || heap.died[block] > snapshot);
}

function addressText(region, offset) {
	return "0x" + (BigInt(heap.regions[region]) + BigInt(offset)).toString(16);
}

function bytesText(bytes) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
	let unit = 0;

	while (bytes >= 1000 && unit + 1 < units.length) {
		bytes /= 1024;
		unit++;
	}
	return (unit && bytes < 100 ? bytes.toPrecision(3) : String(Math.round(bytes))) + "\u202f" + units[unit];
}

function timeText(seconds) {
	if (seconds === 0 || seconds >= 1)
		return seconds.toPrecision(3) + "\u202fs";
	return seconds >= 1e-3 ? (seconds * 1e3).toPrecision(3) + "\u202fms" : (seconds * 1e6).toPrecision(3) + "\u202fµs";
}

/* Numbers of all blocks by region and offset. */
const byAddress = heap.size.map((_, i) => i)
	.sort((a, b) => heap.region[a] - heap.region[b] || heap.offset[a] - heap.offset[b] || a - b);

/* Segments of lines that any snapshot uses: {region, first, last, at}; a line between two is a gap. */
function layOut(cell, columns) {
	const bytes = cell * columns, segments = [];
	let lines = 0;

	for (const block of byAddress) {
		const region = heap.region[block], start = heap.offset[block];
		const first = Math.floor(start / bytes);
		const last = Math.floor((start + heap.size[block] - 1) / bytes);
		const before = segments[segments.length - 1];

		if (before && before.region === region && first <= before.last + 1 + SMALL_GAP)
			before.last = Math.max(before.last, last);
		else
			segments.push({region, first, last, at: 0});
	}
	for (const segment of segments) {
		segment.at = lines + (lines ? 1 : 0);
		lines = segment.at + segment.last - segment.first + 1;
	}
	return {cell, columns, bytes, segments, lines};
}

/* With the smallest cells that fit into that many lines. */
function layOutBest(columns, most) {
	let map = layOut(LEAST_CELL, columns);

	while (map.lines > most && map.cell < 2 ** 50)
		map = layOut(map.cell * 2, columns);
	return map;
}

function segmentOf(map, line) {
	let low = 0, high = map.segments.length;

	while (high - low > 1) {
		const middle = (low + high) >> 1;

		if (map.segments[middle].at <= line)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* {segment, offset} of a line, or {gap} in bytes; NaN between regions. */
function lineOf(map, line) {
	const number = segmentOf(map, line), segment = map.segments[number];
	const behind = segment.first + line - segment.at, next = map.segments[number + 1];

	if (behind <= segment.last)
		return {segment, region: segment.region, offset: behind * map.bytes};
	if (next.region === segment.region)
		return {gap: (next.first - segment.last - 1) * map.bytes};
	return {gap: Number(BigInt(heap.regions[next.region]) - BigInt(heap.regions[segment.region])) +
		next.first * map.bytes - (segment.last + 1) * map.bytes};
}

/* Cells of lines [first, first + count): how full, which block covers most, how often allocated. */
function paint(map, snapshot, first, count) {
	const size = count * map.columns, end = Math.min(first + count, map.lines);
	const cells = {
		covered: new Float32Array(size), largest: new Float32Array(size),
		block: new Int32Array(size).fill(-1), heat: new Uint32Array(size), hottest: 1,
	};

	for (let line = first; line < end;) {
		const {segment, offset} = lineOf(map, line);

		if (!segment) {
			line++;
			continue;
		}
		const stop = Math.min(segment.at + segment.last - segment.first + 1, end);

		paintWindow(map, cells, snapshot, segment.region, offset, offset + (stop - line) * map.bytes,
			(line - first) * map.columns);
		line = stop;
	}
	for (let i = 0; i < size; i++)
		cells.hottest = Math.max(cells.hottest, cells.heat[i]);
	return cells;
}

function paintWindow(map, cells, snapshot, region, low, high, at) {
	for (let block = 0; block < heap.size.length; block++) {
		const start = heap.offset[block], end = start + heap.size[block];

		if (heap.region[block] !== region || heap.born[block] > snapshot || start >= high || end <= low)
			continue;
		paintBlock(map, cells, block, isAlive(block, snapshot), Math.max(start, low) - low,
			Math.min(end, high) - low, at);
	}
}

function paintBlock(map, cells, block, alive, from, to, at) {
	for (let here = from; here < to;) {
		const index = Math.floor(here / map.cell), next = Math.min((index + 1) * map.cell, to);
		const part = (next - here) / map.cell, cell = at + index;

		cells.heat[cell]++;
		if (alive) {
			cells.covered[cell] = Math.min(1, cells.covered[cell] + part);
			if (part >= cells.largest[cell]) {
				cells.largest[cell] = part;
				cells.block[cell] = block;
			}
		}
		here = next;
	}
}
