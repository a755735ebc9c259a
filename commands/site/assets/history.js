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
			all.push(this.loadBlock(block), versionsOf(block));
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
