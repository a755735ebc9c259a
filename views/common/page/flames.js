/* SPDX-License-Identifier: BSD-3-Clause */
/* The picture: boxes of one or two layouts on a canvas; only what can be seen is drawn. */

const ROW = 20;     /* height of a row of boxes */
const GAP = 1;
const FONT = '11.5px ui-monospace, "SF Mono", "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace';
const NARROW = 0.75; /* pixels: what is narrower is drawn together with its neighbours */

/*
 * A pane shows a layout: rows from its top downwards (an icicle) or upwards (a flame). a..b is the part
 * that is seen, in the unit of the layout.
 */
class Pane {
	constructor(layout, upwards) {
		this.layout = layout;
		this.upwards = upwards;
		this.a = 0;
		this.b = layout.total || 1;
		this.first = 0; /* the depth of the first row that is shown */
		this.top = 0;
	}
	get height() {
		return Math.max(0, this.layout.rows.length - this.first) * ROW;
	}
	rowTop(depth) {
		const k = depth - this.first;
		return this.top + (this.upwards ? this.height - (k + 1) * ROW : k * ROW);
	}
	depthAt(y) {
		if (y < this.top || y >= this.top + this.height)
			return -1;
		const k = Math.floor((y - this.top) / ROW);
		return this.first + (this.upwards ? this.layout.rows.length - this.first - 1 - k : k);
	}
}

class Chart {
	/*
	 * look: what boxes look like: color(pane, node), label(pane, node) as [long, short], isRest(pane,
	 * node), mark(pane, node) as '', 'new' or 'gone', state(pane, node) as 0 plain, 1 found, 2 faded,
	 * theme() with its colours.
	 */
	constructor(scroller, canvas, spacer, look) {
		Object.assign(this, {scroller, canvas, spacer, look});
		this.panes = [];
		this.hover = this.chosen = null; /* {pane, node} */
		this.pending = 0;
		this.context = canvas.getContext('2d');
		this.context.font = FONT;
		this.letter = this.context.measureText('m').width;
		scroller.addEventListener('scroll', () => this.redraw(), {passive: true});
		new ResizeObserver(() => this.resize()).observe(scroller);
	}
	resize() {
		const width = this.scroller.clientWidth, height = this.scroller.clientHeight;
		const density = window.devicePixelRatio || 1;
		this.viewWidth = width;
		this.viewHeight = height;
		this.density = density;
		if (this.canvas.width !== Math.round(width * density) ||
		    this.canvas.height !== Math.round(height * density)) {
			this.canvas.width = Math.round(width * density);
			this.canvas.height = Math.round(height * density);
			this.canvas.style.width = width + 'px';
			this.canvas.style.height = height + 'px';
		}
		this.place();
		this.draw();
	}
	show(panes) {
		this.panes = panes;
		this.hover = this.chosen = null;
		this.place();
		if (panes.length === 1)
			this.scroller.scrollTop = panes[0].upwards ? this.contentHeight : 0;
		else
			this.scroller.scrollTop = Math.max(0, panes[1].top - this.viewHeight / 2);
		this.redraw();
	}
	/* Panes one below another; a single one that grows upwards begins at the bottom. */
	place() {
		let top = 6;
		for (const pane of this.panes) {
			pane.top = top;
			top += pane.height;
		}
		this.contentHeight = top + 8;
		const spare = this.viewHeight - this.contentHeight;
		if (spare > 0 && this.panes.length === 1 && this.panes[0].upwards)
			this.panes[0].top += spare;
		this.spacer.style.height = Math.max(0, this.contentHeight - this.viewHeight) + 'px';
	}
	redraw() {
		if (!this.pending)
			this.pending = requestAnimationFrame(() => this.draw());
	}
	draw() {
		const c = this.context, theme = this.look.theme();
		this.pending = 0;
		if (!this.viewWidth)
			return;
		c.setTransform(this.density, 0, 0, this.density, 0, 0);
		c.fillStyle = theme.paper;
		c.fillRect(0, 0, this.viewWidth, this.viewHeight);
		c.font = FONT;
		c.textBaseline = 'middle';
		const scroll = this.scroller.scrollTop;
		for (const pane of this.panes) {
			for (let depth = pane.first; depth < pane.layout.rows.length; depth++) {
				const y = pane.rowTop(depth) - scroll;
				if (y > -ROW && y < this.viewHeight)
					this.drawRow(pane, depth, y, theme);
			}
		}
		this.outline(this.hover, theme.hover, 1.5);
		this.outline(this.chosen, theme.chosen, 2);
	}
	drawRow(pane, depth, y, theme) {
		const layout = pane.layout, row = layout.rows[depth], scale = this.viewWidth / (pane.b - pane.a);
		for (let k = layout.seek(row, pane.a, 0); k < row.length; k++) {
			const i = row[k], left = (layout.x[i] - pane.a) * scale, width = layout.width[i] * scale;
			if (left >= this.viewWidth)
				break;
			if (width >= NARROW) {
				this.drawBox(pane, i, Math.max(left, -2), Math.min(left + width, this.viewWidth + 2),
					y, theme);
				continue;
			}
			/* A pixel full of narrow boxes. */
			const next = layout.seek(row, pane.a + (Math.floor(left) + 1) / scale, k);
			let found = this.look.state(pane, i);
			for (let j = k + 1; found === 2 && j < next && j < k + 64; j++)
				found = this.look.state(pane, row[j]);
			this.context.fillStyle = found === 1 ? theme.found : found === 2 ? theme.faded
				: this.look.color(pane, i);
			this.context.fillRect(Math.floor(left), y, 1, ROW - GAP);
			k = Math.max(k, next - 1);
		}
	}
	drawBox(pane, i, left, right, y, theme) {
		const c = this.context, state = this.look.state(pane, i), rest = this.look.isRest(pane, i);
		const width = Math.max(right - left - (right - left > 3 ? GAP : 0), 0.75);
		const mark = this.look.mark(pane, i);
		c.fillStyle = state === 1 ? theme.found : state === 2 ? theme.faded : this.look.color(pane, i);
		if (width > 6) {
			c.beginPath();
			c.roundRect(left, y, width, ROW - GAP, 2.5);
			c.fill();
			if (rest) {
				c.fillStyle = theme.hatch(c);
				c.fill();
			}
		} else {
			c.fillRect(left, y, width, ROW - GAP);
		}
		if (pane.focus && state === 0 && pane.layout.tree.depth[i] < pane.layout.tree.depth[pane.focus]) {
			c.fillStyle = theme.veil; /* callers of the zoomed box */
			c.fillRect(left, y, width, ROW - GAP);
		}
		if (this.hover && this.hover.node !== i && pane.layout.tree.frame[i] >= 0 &&
		    pane.layout.tree.frame[i] === this.hover.pane.layout.tree.frame[this.hover.node]) {
			c.fillStyle = theme.same;
			c.fillRect(left, y + ROW - GAP - 3, width, 3);
		}
		if (mark && width > 4) {
			c.fillStyle = theme.text;
			c.fillRect(left, y, 3, ROW - GAP);
		}
		if (width > 26)
			this.drawText(pane, i, Math.max(left, 0) + (mark ? 8 : 5), right - 5, y,
				state === 1 ? theme.foundText : state === 2 ? theme.fadedText : theme.text);
	}
	drawText(pane, i, left, right, y, color) {
		const c = this.context, [long, short] = this.look.label(pane, i);
		const room = Math.floor((right - left) / this.letter);
		let text = long.length <= room ? long : short;
		if (room < 2)
			return;
		if (text.length > room)
			text = text.slice(0, room - 1).replace(/[\ud800-\udbff]$/, '') + '…';
		c.fillStyle = color;
		if (/[^\x20-\x7e…]/.test(text)) {
			c.save(); /* letters of other widths */
			c.beginPath();
			c.rect(left, y, right - left, ROW);
			c.clip();
			c.fillText(text, left, y + ROW / 2);
			c.restore();
		} else {
			c.fillText(text, left, y + ROW / 2);
		}
	}
	outline(place, color, thickness) {
		if (!place || !this.panes.includes(place.pane))
			return;
		const {pane, node} = place, layout = pane.layout, scale = this.viewWidth / (pane.b - pane.a);
		const left = (layout.x[node] - pane.a) * scale;
		const right = Math.min(left + layout.width[node] * scale, this.viewWidth + 4);
		const c = this.context, start = Math.max(left, -4);
		c.strokeStyle = color;
		c.lineWidth = thickness;
		c.beginPath();
		c.roundRect(start + thickness / 2, pane.rowTop(layout.tree.depth[node]) - this.scroller.scrollTop +
			thickness / 2 - 0.5, Math.max(right - start - GAP - thickness, 1), ROW - thickness, 2.5);
		c.stroke();
	}
	/* The box at a point of the canvas, or null. */
	at(x, y) {
		for (const pane of this.panes) {
			const depth = pane.depthAt(y + this.scroller.scrollTop);
			if (depth < 0)
				continue;
			const scale = this.viewWidth / (pane.b - pane.a);
			let node = pane.layout.at(depth, pane.a + x / scale);
			if (node < 0 || pane.layout.width[node] * scale < NARROW)
				node = this.widest(pane, depth, x, scale, node);
			return node >= 0 ? {pane, node} : null;
		}
		return null;
	}
	/* Of the narrow boxes in a pixel the widest: it can be looked at, too. */
	widest(pane, depth, x, scale, node) {
		const layout = pane.layout, row = layout.rows[depth];
		const from = pane.a + (Math.floor(x) - 1) / scale, to = pane.a + (Math.floor(x) + 2) / scale;
		for (let k = layout.seek(row, from, 0); k < row.length && layout.x[row[k]] < to; k++)
			if (node < 0 || layout.width[row[k]] > layout.width[node])
				node = row[k];
		return node;
	}
	/* Scroll so that a box can be seen. */
	reveal(place) {
		const y = place.pane.rowTop(place.pane.layout.tree.depth[place.node]);
		const top = this.scroller.scrollTop;
		if (y < top + ROW)
			this.scroller.scrollTop = y - ROW;
		else if (y > top + this.viewHeight - 3 * ROW)
			this.scroller.scrollTop = y - this.viewHeight + 3 * ROW;
	}
	/* Show a..b of a pane, gliding there unless the reader wants no motion. */
	glide(pane, a, b, quick) {
		const fromA = pane.a, fromB = pane.b, start = performance.now();
		const still = quick || matchMedia('(prefers-reduced-motion: reduce)').matches;
		const step = now => {
			const t = still ? 1 : Math.min(1, (now - start) / 160), eased = 1 - (1 - t) ** 3;
			pane.a = fromA + (a - fromA) * eased;
			pane.b = fromB + (b - fromB) * eased;
			this.draw();
			if (t < 1)
				pane.gliding = requestAnimationFrame(step);
		};
		cancelAnimationFrame(pane.gliding || 0);
		step(start);
	}
}
