/* SPDX-License-Identifier: BSD-3-Clause */
/* The history of a place: medians, intervals and repeats, filled block by block. */

class History {
	constructor(facts, place) {
		this.facts = facts;
		this.place = place;
		this.median = new Float64Array(facts.line).fill(NaN);
		this.low = new Float64Array(facts.line).fill(NaN);
		this.high = new Float64Array(facts.line).fill(NaN);
		this.repeats = new Array(facts.line);
		this.loaded = new Set();
		this.overlays = []; /* histories of other workloads: {id, metric, color, history} */
	}
	/* How many versions of a range were measured. */
	count(from, to) {
		let measured = 0;
		for (let i = Math.max(0, from); i <= Math.min(this.facts.line - 1, to); i++)
			measured += this.has(i);
		return { measured };
	}
	async loadBlock(block) {
		if (this.loaded.has(block) || !this.place.blocks.includes(block))
			return;
		const { m, l, h, r } = await load(`${this.place.id}/${block}`), from = block * this.facts.block;
		m.forEach((value, i) => {
			if (value === null)
				return;
			this.median[from + i] = value;
			this.low[from + i] = l ? l[i] : value;
			this.high[from + i] = h ? h[i] : value;
			this.repeats[from + i] = r ? r[i] : [value];
		});
		this.loaded.add(block);
	}
	async need(from, to) {
		const first = Math.floor(Math.max(0, from) / this.facts.block);
		const last = Math.floor(Math.min(this.facts.line - 1, to) / this.facts.block), all = [];
		for (let block = first; block <= last; block++)
			all.push(this.loadBlock(block), versionsOf(block), ...this.overlays.map(one => one.history.loadBlock(block)));
		await Promise.all(all);
	}
	has(i) {
		return !Number.isNaN(this.median[i]);
	}
	/* The measured version next to a place on the axis. */
	nearest(x) {
		const at = Math.round(x);
		for (let d = 0; d < this.facts.line; d++) {
			if (this.has(at - d))
				return at - d;
			if (this.has(at + d))
				return at + d;
			if (at - d < 0 && at + d >= this.facts.line)
				break;
		}
		return -1;
	}
}

const versionBlocks = [];
async function versionsOf(block) {
	versionBlocks[block] = versionBlocks[block] || await load(`versions-${block}`);
}
const versionAt = (facts, i) => (versionBlocks[Math.floor(i / facts.block)] || [])[i % facts.block];

/* ---- other workloads in the same chart ---- */

const OVERLAY_INKS = ['#c4731a', '#8a4fb0', '#2a8c7d', '#b03a6b', '#6b7a1f'];

/* What is the name of another curve: its workload, and its metric where that differs. */
const overlayName = (facts, metric) => (metric.metric === facts.metric ? '' : `${metric.metric} $ `) + commandOf(metric);

/* Metrics of the same unit, to be drawn beside this one, those of the same name first; null = there is none. */
async function overlayChoice(state) {
	const catalog = await load('catalog'), { facts } = state;
	const like = catalog.metrics.filter(metric => metric.id !== facts.id && metric.unit === facts.unit);
	like.sort((a, b) => (b.metric === facts.metric) - (a.metric === facts.metric));
	state.overlay = async id => {
		const metric = like.find(one => one.id === id), { overlays } = state.history;
		if (!metric || overlays.some(one => one.id === id) || overlays.length >= OVERLAY_INKS.length)
			return;
		const history = new History(facts, { id: metric.strand, blocks: metric.blocks, changes: [] });
		overlays.push({ id, metric, history, color: OVERLAY_INKS.find(color => !overlays.some(one => one.color === color)) });
	};
	if (!like.length)
		return null;
	const select = make('select', { id: 'overlay', 'aria-label': 'Draw another workload in the same chart' },
		make('option', { value: '', text: 'Add another metric …' }), ...like.map(metric => make('option', { value: metric.id, text: overlayName(facts, metric) })));
	select.addEventListener('change', async () => {
		await state.overlay(select.value);
		select.value = '';
		await state.show(state.from, state.to);
	});
	return select;
}

/* What is drawn in which colour; a click takes it out. */
function overlayLegend(state) {
	return state.history.overlays.map(one => {
		const mark = make('i'), button = make('button', { type: 'button', class: 'small', 'aria-label': `Remove ${overlayName(state.facts, one.metric)}`, text: '×', onclick: () => {
			state.history.overlays = state.history.overlays.filter(other => other !== one);
			state.show(state.from, state.to);
		} });
		mark.style.background = one.color;
		return make('span', {}, mark, overlayName(state.facts, one.metric), ' ', button);
	});
}
