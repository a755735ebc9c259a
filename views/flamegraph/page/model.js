/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile, or the base and the new one: values of boxes, how boxes look and what they are called. */

const VIEWS = {tree: 'Call tree', time: 'Time order', callers: 'Callers', sandwich: 'Sandwich'};
const COLORS = {package: 'package', file: 'file', module: 'module', name: 'function',
	own: 'own value', time: 'time'};
const CHANGES = {own: 'own change', total: 'total change', relative: 'relative change'};
const ORDERS = {heavy: 'heaviest first', name: 'by name'};
const WIDTHS = {new: 'new', base: 'base', both: 'the larger one'};

class Model {
	constructor(data) {
		this.data = data;
		this.diff = data.diff;
		const scales = data.scales;
		Object.assign(this, unpackFrames(data.frames, data.strings, scales));
		this.trees = {};
		this.scales = scales;
		this.metric = 0;
		this.normalize = false;
		this.widthOf = 'new';
		this.shades = {};
		this.layouts = new Map();
		this.totals = {flat: this.flat, cumulative: this.cumulative};
		this.filters = [];
		this.filtered = {};
	}
	/* The tree of a view as the profile has it, unpacked when it is needed first. */
	whole(view) {
		if (!this.trees[view] && this.data.trees[view])
			this.trees[view] = Object.assign(unpackTree(this.data.trees[view], this.scales), {inverted: view === 'callers'});
		return this.trees[view];
	}
	/* What filters leave of it. */
	tree(view) {
		if (!this.filters.length || !this.data.trees[view])
			return this.whole(view);
		this.filtered[view] = this.filtered[view] || (view === 'callers' ? invertTree(this.tree('tree'))
			: filterTree(this.whole(view), this.filters, this.frames));
		return this.filtered[view];
	}
	/* filters: a list of {kind, name}, see filter.js. */
	setFilters(filters) {
		this.filters = filters;
		this.filtered = {};
		this.layouts.clear();
		this.around = null;
		this.forgetShades();
		Object.assign(this, filters.length ? frameTotals(this.tree('tree'), this.frames.length) : this.totals);
	}
	get unit() { return this.data.metrics[this.metric].unit; }
	get weight() { return this.diff ? 2 * this.metric + 1 : this.metric; }
	/* What base values are multiplied with, so that both profiles have the same total. */
	get factor() {
		if (!this.normalize)
			return 1;
		const total = this.tree('tree').total;
		return total[this.weight - 1][0] ? total[this.weight][0] / total[this.weight - 1][0] : 1;
	}
	ownWidths(tree) {
		const own = tree.own[this.weight];
		if (!this.diff || this.widthOf === 'new')
			return own;
		const base = tree.own[this.weight - 1], factor = this.factor;
		return own.map((value, i) => this.widthOf === 'base' ? base[i] * factor
			: Math.max(base[i] * factor, value));
	}
	/* {own, total} of a box, and with two profiles {ownBase, totalBase}. */
	values(tree, i) {
		/* Callers have what the function that they lead to has; what they cost themselves is elsewhere. */
		const k = this.weight, own = tree.inverted ? tree.total : tree.own, values = {own: own[k][i], total: tree.total[k][i]};
		if (this.diff) {
			values.ownBase = own[k - 1][i] * this.factor;
			values.totalBase = tree.total[k - 1][i] * this.factor;
		}
		return values;
	}
	/* The layouts of a view, one or (sandwich: callers, callees) two. */
	layoutsOf(view, order, frame) {
		const key = [view, order, frame, this.metric, this.widthOf, this.normalize].join(' ');
		if (!this.layouts.has(key)) {
			if (this.layouts.size > 12)
				this.layouts.clear();
			this.layouts.set(key, this.treesOf(view, frame).map(tree => this.lay(tree, view, order)));
		}
		return this.layouts.get(key);
	}
	treesOf(view, frame) {
		if (view !== 'sandwich')
			return [this.tree(view)];
		if (!this.around || this.around.frame !== frame) {
			const both = sandwich(this.tree('tree'), frame, this.cumulative.map(c => c[frame]));
			this.around = {frame, trees: [both.callers, both.callees]};
		}
		return this.around.trees;
	}
	lay(tree, view, order) {
		const asGiven = view === 'time' ||
			(view !== 'sandwich' && order === 'heavy' && this.metric === 0 && !this.diff);
		return new Layout(tree, this.ownWidths(tree), asGiven ? null
			: order === 'name' ? byName(tree, this.ranks()) : byWidth(tree));
	}
	ranks() {
		if (!this.nameRanks) {
			const collator = new Intl.Collator('en', {numeric: true});
			const order = this.frames.map((_, i) => i);
			order.sort((a, b) => collator.compare(this.frames[a].name, this.frames[b].name));
			this.nameRanks = new Int32Array(order.length);
			order.forEach((frame, k) => this.nameRanks[frame] = k);
		}
		return this.nameRanks;
	}

	/* ---- names -------------------------------------------------------------------------------- */

	packageOf(frame) {
		const f = this.frames[frame];
		if (f.package === null)
			f.package = packageOf(f.name);
		return f.package;
	}
	shortName(frame) {
		const f = this.frames[frame];
		if (f.short === null)
			f.short = shortOf(f.name, this.packageOf(frame));
		return f.short;
	}
	nameOf(tree, i) {
		const frame = tree.frame[i];
		if (frame === ROOT_FRAME)
			return 'all';
		if (frame === NO_FRAME) {
			const count = tree.merged.get(i);
			return count ? '(' + digits(count, 9) + ' small boxes)' : '(in small boxes)';
		}
		return this.frames[frame].name;
	}
	labelOf(tree, i) {
		const frame = tree.frame[i];
		if (frame < 0) {
			const name = this.nameOf(tree, i);
			return [name, name];
		}
		return [this.frames[frame].name, this.shortName(frame)];
	}

	/* ---- colours ------------------------------------------------------------------------------ */

	/* The name of the group that gives a frame its hue. */
	groupOf(frame, by) {
		const f = this.frames[frame], system = systemGroup(f.module);
		return by === 'file' ? f.file || f.module || f.name
			: system || (by === 'package' && this.packageOf(frame)) || f.module || folderOf(f.file) || f.name;
	}
	colorOf(tree, i, by, dark) {
		const frame = tree.frame[i];
		if (frame < 0)
			return dark ? 'rgb(58,60,64)' : 'rgb(222,222,217)';
		if (this.diff)
			return this.changeColorOf(tree, i, by, dark);
		if (by === 'own') {
			const t = Math.sqrt(Math.max(0, this.values(tree, i).own) / this.mostOwn(tree));
			return this.shade('own', Math.round(32 * Math.min(1, t)), k => heatColor(k / 32, dark));
		}
		if (by === 'time') {
			const t = this.frames[frame].moment;
			return this.shade('time', Math.round(32 * Math.min(1, t)), k => momentColor(k / 32, dark));
		}
		return this.shade(by, frame, () => nameColor(by === 'name' ? null : this.groupOf(frame, by),
			this.frames[frame].name, dark));
	}
	/* -1..1: of all there is, or (relative) of the box itself. */
	changeOf(tree, i, by) {
		const v = this.values(tree, i);
		if (by === 'relative') {
			const most = Math.max(Math.abs(v.totalBase), Math.abs(v.total));
			return most ? (v.total - v.totalBase) / most : 0;
		}
		const change = by === 'total' ? v.total - v.totalBase : v.own - v.ownBase;
		return change ? Math.sign(change) * Math.min(1, Math.sqrt(Math.abs(change) /
			this.mostChange(tree, by))) : 0;
	}
	changeColorOf(tree, i, by, dark) {
		const mark = this.markOf(tree, i);
		if (mark)
			return this.shade('only', mark === 'new' ? 1 : 0, isNew => onlyColor(isNew === 1, dark));
		const t = this.changeOf(tree, i, by);
		return this.shade('change', Math.round(32 * t), k => changeColor(k / 32, dark));
	}
	/* Colours that were asked for before; keys are whole numbers. */
	shade(kind, key, make) {
		const known = this.shades[kind] || (this.shades[kind] = []);
		return known[key + 32] || (known[key + 32] = make(key));
	}
	forgetShades() { this.shades = {}; }
	/* The largest own value of a box; the largest change: both are where colours are strongest. */
	mostOwn(tree) {
		return this.most(tree, 'own', i => this.values(tree, i).own);
	}
	mostChange(tree, by) {
		return this.most(tree, by, i => {
			const v = this.values(tree, i);
			return Math.abs(by === 'total' ? v.total - v.totalBase : v.own - v.ownBase);
		});
	}
	most(tree, kind, value) {
		const key = kind + ' ' + this.weight + ' ' + this.normalize;
		tree.most = tree.most || new Map();
		if (!tree.most.has(key)) {
			let most = 0;
			for (let i = 1; i < tree.count; i++)
				if (tree.frame[i] !== NO_FRAME)
					most = Math.max(most, value(i));
			tree.most.set(key, most || 1);
		}
		return tree.most.get(key);
	}
	markOf(tree, i) {
		if (!this.diff || tree.frame[i] < 0)
			return '';
		const v = this.values(tree, i);
		return v.totalBase === 0 && v.total !== 0 ? 'new' : v.total === 0 && v.totalBase !== 0 ? 'gone' : '';
	}
}
