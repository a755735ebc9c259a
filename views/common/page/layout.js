/* SPDX-License-Identifier: BSD-3-Clause */
/* Where boxes lie: order of siblings, start and width; and the two trees around one function. */

/* Children of each node: list[start[i]] .. list[start[i + 1] - 1], in the order of the tree. */
function childrenOf(tree) {
	const start = new Int32Array(tree.count + 1), list = new Int32Array(tree.count);
	for (let i = 1; i < tree.count; i++)
		start[tree.parent[i] + 1]++;
	for (let i = 0; i < tree.count; i++)
		start[i + 1] += start[i];
	const next = start.slice();
	for (let i = 1; i < tree.count; i++)
		list[next[tree.parent[i]]++] = i;
	return {start, list};
}

/*
 * Boxes of a tree: x[i] and width[i] in the unit of `own`, rows[d] the nodes of depth d from left to
 * right. `compare` orders siblings; null keeps the order of the tree. Negative values have no width.
 */
class Layout {
	constructor(tree, own, compare) {
		const positive = own.map(value => value > 0 ? value : 0);
		this.tree = tree;
		this.width = sumUp(tree.parent, positive);
		this.x = new Float64Array(tree.count);
		const walk = this.walk(compare);
		const next = new Float64Array(tree.count), heights = [];
		for (let k = 0; k < walk.length; k++) {
			const i = walk[k], parent = tree.parent[i];
			if (i > 0) {
				this.x[i] = next[parent];
				next[parent] += this.width[i];
			}
			next[i] = this.x[i];
			if (this.width[i] > 0)
				heights[tree.depth[i]] = (heights[tree.depth[i]] || 0) + 1;
		}
		this.rows = heights.map(count => new Int32Array(count));
		const filled = new Int32Array(heights.length);
		for (let k = 0; k < walk.length; k++) {
			const i = walk[k], depth = tree.depth[i];
			if (this.width[i] > 0)
				this.rows[depth][filled[depth]++] = i;
		}
		this.total = this.width[0];
	}
	/* All nodes, each before what is below it, siblings in order. */
	walk(compare) {
		const {start, list} = childrenOf(this.tree), walk = new Int32Array(this.tree.count);
		const stack = new Int32Array(this.tree.count + 1);
		let depth = 1, count = 0;
		this.children = {start, list};
		while (depth > 0) {
			const i = stack[--depth];
			walk[count++] = i;
			const first = start[i], end = start[i + 1];
			if (compare && end - first > 1)
				list.subarray(first, end).sort((a, b) => compare(a, b, this.width));
			for (let k = end - 1; k >= first; k--)
				stack[depth++] = list[k];
		}
		return walk;
	}
	/* The first place in a row whose box ends after x. */
	seek(row, x, from) {
		let low = from, high = row.length;
		while (low < high) {
			const middle = (low + high) >> 1, i = row[middle];
			if (this.x[i] + this.width[i] > x)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}
	/* The box at depth and x, or -1. */
	at(depth, x) {
		const row = this.rows[depth];
		if (!row)
			return -1;
		const k = this.seek(row, x, 0);
		return k < row.length && this.x[row[k]] <= x ? row[k] : -1;
	}
	/* Each sample once: of boxes that match only those with none that matches above them. */
	matched(matches) {
		const tree = this.tree, above = new Uint8Array(tree.count);
		let sum = 0, boxes = 0;
		for (let i = 1; i < tree.count; i++) {
			const frame = tree.frame[i], hit = frame >= 0 && matches[frame];
			above[i] = above[tree.parent[i]];
			if (!hit)
				continue;
			boxes++;
			if (!above[i]) {
				above[i] = 1;
				sum += this.width[i];
			}
		}
		return {sum, boxes};
	}
}

function byWidth(tree) {
	return (a, b, width) => {
		const restA = tree.frame[a] === NO_FRAME, restB = tree.frame[b] === NO_FRAME;
		return restA !== restB ? (restA ? 1 : -1) : width[b] - width[a] || a - b;
	};
}

/* `ranks`: the place of each frame's name in the alphabet. */
function byName(tree, ranks) {
	return (a, b) => {
		const frameA = tree.frame[a], frameB = tree.frame[b];
		return frameA < 0 || frameB < 0 ? (frameA < 0) - (frameB < 0) || a - b
			: ranks[frameA] - ranks[frameB] || a - b;
	};
}

/* ---- one function and what is around it -------------------------------------------------------- */

/* A tree that grows: nodes of the same frame below the same parent are one. */
class Merger {
	constructor(weights, rootFrame) {
		this.parent = [0];
		this.frame = [rootFrame];
		this.own = Array.from({length: weights}, () => [0]);
		this.merged = new Map();
		this.known = new Map();
	}
	child(parent, frame) {
		const key = (frame + 2) * 0x4000000 + parent;
		let node = this.known.get(key);
		if (node === undefined) {
			node = this.parent.length;
			this.known.set(key, node);
			this.parent.push(parent);
			this.frame.push(frame);
			this.own.forEach(own => own.push(0));
		}
		return node;
	}
	tree() {
		const tree = new Tree(this.parent.length, this.own.length);
		tree.parent.set(this.parent);
		tree.frame.set(this.frame);
		this.own.forEach((own, k) => tree.own[k].set(own));
		tree.merged = this.merged;
		return tree.finish();
	}
}

/*
 * The callers and the callees of a function. `exact[k]` is its value in the whole profile: what the
 * boxes of the tree do not hold is in boxes of NO_FRAME.
 */
function sandwich(tree, frame, exact) {
	const weights = tree.own.length, count = tree.count;
	const callees = new Merger(weights, frame), callers = new Merger(weights, frame);
	const nearest = new Int32Array(count).fill(-1); /* the closest box of the function, itself included */
	const below = new Int32Array(count).fill(-1);   /* the node among the callees */
	const inner = tree.own.map(() => new Map());    /* values of boxes of the function inside others */
	const boxes = [];

	for (let i = 1; i < count; i++) {
		const parent = tree.parent[i];
		nearest[i] = nearest[parent];
		if (tree.frame[i] === frame) {
			if (nearest[parent] >= 0)
				inner.forEach((map, k) => map.set(nearest[parent],
					(map.get(nearest[parent]) || 0) + tree.total[k][i]));
			nearest[i] = i;
			boxes.push(i);
		}
		if (below[parent] >= 0) {
			below[i] = callees.child(below[parent], tree.frame[i]);
			if (tree.frame[i] === NO_FRAME)
				callees.merged.set(below[i], (callees.merged.get(below[i]) || 0) +
					(tree.merged.get(i) || 0));
		} else if (tree.frame[i] === frame) {
			below[i] = 0;
		}
		if (below[i] >= 0)
			tree.own.forEach((own, k) => callees.own[k][below[i]] += own[i]);
	}
	for (const box of boxes) {
		let node = 0;
		for (let i = tree.parent[box]; i > 0; i = tree.parent[i])
			node = callers.child(node, tree.frame[i]);
		tree.total.forEach((total, k) =>
			callers.own[k][node] += total[box] - (inner[k].get(box) || 0));
	}
	for (const side of [callees, callers]) {
		exact.forEach((value, k) => {
			const missing = value - side.own[k].reduce((sum, own) => sum + own, 0);
			if (missing > Math.abs(value) * 1e-9)
				side.own[k][side.child(0, NO_FRAME)] += missing;
		});
	}
	return {callers: Object.assign(callers.tree(), {inverted: true}), callees: callees.tree()};
}
