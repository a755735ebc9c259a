/* SPDX-License-Identifier: BSD-3-Clause */
/* What the page was given: columns of numbers, packed as views/flamegraph/pack.c packs them. */

/* Numbers of 7 bits a byte, the lowest first, as base64. */
class Packed {
	constructor(text) {
		const raw = atob(text);
		this.bytes = new Uint8Array(raw.length);
		for (let i = 0; i < raw.length; i++)
			this.bytes[i] = raw.charCodeAt(i);
		this.at = 0;
	}
	next() {
		let value = 0, factor = 1, byte;
		do {
			byte = this.bytes[this.at++];
			value += (byte & 127) * factor;
			factor *= 128;
		} while (byte & 128);
		return value;
	}
	/* Values that may be negative have their sign in the lowest bit. */
	nextSigned() {
		const value = this.next();
		return value % 2 ? -(value + 1) / 2 : value / 2;
	}
}

const NO_FRAME = -1;  /* small boxes put together */
const ROOT_FRAME = -2;

/*
 * Nodes come after their parents; the root is node 0. own[k][i] is what node i has itself of
 * weight k, total[k][i] that with all below it. merged[i]: how many boxes a box of NO_FRAME represents.
 */
class Tree {
	constructor(count, weights) {
		this.count = count;
		this.parent = new Int32Array(count);
		this.frame = new Int32Array(count);
		this.own = [];
		for (let k = 0; k < weights; k++)
			this.own.push(new Float64Array(count));
		this.merged = new Map();
		this.frame[0] = ROOT_FRAME;
	}
	/* Sums from the leaves to the root; depth from the root to the leaves. */
	finish() {
		this.total = this.own.map(own => sumUp(this.parent, own));
		this.depth = new Uint16Array(this.count);
		for (let i = 1; i < this.count; i++)
			this.depth[i] = Math.min(this.depth[this.parent[i]] + 1, 65535);
		return this;
	}
}

function sumUp(parent, own) {
	const total = Float64Array.from(own);
	for (let i = parent.length - 1; i > 0; i--)
		total[parent[i]] += total[i];
	return total;
}

/*
 * Packed trees are in the order of a walk, a node followed by what is below it. `up` says from how
 * far above the node before it its parent is reached: 0 = that node itself.
 */
function unpackTree(packed, scales) {
	const tree = new Tree(packed.count, packed.own.length);
	const up = new Packed(packed.up), frame = new Packed(packed.frame);
	const merged = new Packed(packed.merged);
	for (let i = 1; i < tree.count; i++) {
		let parent = i - 1;
		for (let steps = up.next(); steps > 0; steps--)
			parent = tree.parent[parent];
		tree.parent[i] = parent;
		tree.frame[i] = frame.next() - 1;
		if (tree.frame[i] === NO_FRAME)
			tree.merged.set(i, merged.next());
	}
	packed.own.forEach((text, k) => {
		const values = new Packed(text), own = tree.own[k], scale = scales[k];
		for (let i = 0; i < tree.count; i++)
			own[i] = values.nextSigned() * scale;
	});
	tree.share = packed.share;
	return tree.finish();
}

function unpackColumn(text, count) {
	const packed = new Packed(text), column = new Int32Array(count);
	for (let i = 0; i < count; i++)
		column[i] = packed.next() - 1; /* -1: there is none */
	return column;
}

/* Frames: name, file and module of each as they are shown; the exact values, own and with callees. */
function unpackFrames(packed, strings, scales) {
	const count = packed.count;
	const columns = {
		name: unpackColumn(packed.name, count),
		file: unpackColumn(packed.file, count),
		module: unpackColumn(packed.module, count),
		moment: packed.moment ? unpackColumn(packed.moment, count) : null
	};
	const text = (column, i) => columns[column][i] < 0 ? '' : strings[columns[column][i]];
	const frames = [];
	for (let i = 0; i < count; i++)
		frames.push({
			name: visible(text('name', i)), file: visible(text('file', i)),
			module: visible(text('module', i)), package: null, short: null,
			moment: columns.moment ? columns.moment[i] / 1000 : 0
		});
	const unpack = (values, k) => {
		const numbers = new Packed(values), column = new Float64Array(count);
		for (let i = 0; i < count; i++)
			column[i] = numbers.nextSigned() * scales[k];
		return column;
	};
	return {frames, flat: packed.flat.map(unpack), cumulative: packed.cumulative.map(unpack)};
}
