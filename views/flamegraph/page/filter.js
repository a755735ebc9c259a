/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters that the reader sets: focus, ignore, hide, show from; each by the name of a function. */

const FILTERS = {focus: 'Focus on', ignore: 'Ignore', hide: 'Hide', from: 'Show from'};

/*
 * A tree of the stacks that filters leave: those with the function (focus), without it (ignore), without its
 * boxes (hide), from its first box on (from).
 */
function filterTree(tree, filters, frames) {
	const merger = new Merger(tree.own.length, ROOT_FRAME), count = tree.count;
	const named = kind => {
		const names = new Set(filters.filter(filter => filter.kind === kind).map(filter => filter.name));
		return names.size ? frames.map(frame => names.has(frame.name)) : null;
	};
	const focus = named('focus'), ignore = named('ignore'), hide = named('hide'), from = named('from');
	const place = new Int32Array(count), dropped = new Uint8Array(count);
	const inFocus = new Uint8Array(count).fill(focus ? 0 : 1), started = new Uint8Array(count).fill(from ? 0 : 1);
	for (let i = 0; i < count; i++) {
		const parent = tree.parent[i], frame = tree.frame[i];
		if (i) {
			dropped[i] = dropped[parent] || (frame >= 0 && ignore && ignore[frame]) ? 1 : 0;
			inFocus[i] = inFocus[parent] || (frame >= 0 && focus && focus[frame]) ? 1 : 0;
			started[i] = started[parent] || (frame >= 0 && from && from[frame]) ? 1 : 0;
		}
		place[i] = place[parent];
		if (dropped[i])
			continue;
		if (i && started[i] && !(frame >= 0 && hide && hide[frame]))
			place[i] = merger.child(place[parent], frame);
		if (frame === NO_FRAME)
			merger.merged.set(place[i], (merger.merged.get(place[i]) || 0) + (tree.merged.get(i) || 0));
		if (inFocus[i] && started[i])
			tree.own.forEach((own, k) => merger.own[k][place[i]] += own[i]);
	}
	return Object.assign(merger.tree(), {share: tree.share});
}

/* The same stacks, by their callers. */
function invertTree(tree) {
	const merger = new Merger(tree.own.length, ROOT_FRAME);
	for (let i = 0; i < tree.count; i++) {
		if (tree.own.every(own => own[i] === 0))
			continue;
		let node = 0;
		for (let k = i; k > 0; k = tree.parent[k])
			node = merger.child(node, tree.frame[k]);
		tree.own.forEach((own, k) => merger.own[k][node] += own[i]);
	}
	return Object.assign(merger.tree(), {share: tree.share, inverted: true});
}

/* Own and cumulative values of each frame in a tree; in recursion each stack counts once. */
function frameTotals(tree, count) {
	const flat = tree.own.map(() => new Float64Array(count)), cumulative = tree.own.map(() => new Float64Array(count));
	for (let i = 1; i < tree.count; i++) {
		const frame = tree.frame[i];
		let above = tree.parent[i];
		if (frame < 0)
			continue;
		while (above > 0 && tree.frame[above] !== frame)
			above = tree.parent[above];
		tree.own.forEach((own, k) => {
			flat[k][frame] += own[i];
			if (!above)
				cumulative[k][frame] += tree.total[k][i];
		});
	}
	return {flat, cumulative};
}
