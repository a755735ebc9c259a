/* SPDX-License-Identifier: BSD-3-Clause */
/* The chart of a history. */

const FONT = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const ratio = () => window.devicePixelRatio || 1;

function yRange(state, from, to) {
	const { history, facts } = state;
	let low = Infinity, high = -Infinity;
	for (const one of [history, ...history.overlays.map(overlay => overlay.history)])
		for (let i = Math.max(0, Math.ceil(from)); i <= Math.min(facts.line - 1, to); i++) {
			if (!one.has(i))
				continue;
			low = Math.min(low, one.low[i]);
			high = Math.max(high, one.high[i]);
		}
	if (low > high)
		return [0, 1];
	if (state.zero) {
		low = Math.min(low, 0);
		high = Math.max(high, 0);
	}
	/* What lies beyond is off the axis: the difference of its ends must be a number. */
	low = Math.min(Math.max(low, -5e307), 5e307);
	high = Math.min(Math.max(high, -5e307), 5e307);
	const margin = (high - low) * .07 || Math.abs(high) * .05 || 1;
	return [state.zero && low === 0 ? 0 : low - margin, high + margin];
}

function line(ctx, x1, y1, x2, y2) {
	ctx.beginPath();
	ctx.moveTo(x1, y1);
	ctx.lineTo(x2, y2);
	ctx.stroke();
}

/* Many versions: what a column of pixels holds is one bar from the lowest to the highest. */
function drawDense(ctx, state, X, Y, first, last) {
	const columns = new Map(), { history } = state;
	for (let i = first; i <= last; i++) {
		if (!history.has(i))
			continue;
		const x = Math.round(X(i)), column = columns.get(x);
		if (!column) {
			columns.set(x, [history.low[i], history.high[i], history.median[i], history.median[i]]);
		} else {
			column[0] = Math.min(column[0], history.low[i]);
			column[1] = Math.max(column[1], history.high[i]);
			column[2] = Math.min(column[2], history.median[i]);
			column[3] = Math.max(column[3], history.median[i]);
		}
	}
	for (const [color, low, high] of [['band', 0, 1], ['curve', 2, 3]]) {
		ctx.fillStyle = ink(color);
		for (const [x, column] of columns) {
			const top = Y(column[high]), bottom = Y(column[low]);
			ctx.fillRect(x, top - ratio() / 2, 1, Math.max(ratio(), bottom - top));
		}
	}
}

function drawSparse(ctx, state, X, Y, first, last, width) {
	const { history } = state, r = ratio();
	let measured = 0;
	for (let i = first; i <= last; i++)
		measured += history.has(i);
	const step = Math.min(40 * r, width / Math.max(1, measured));
	const dots = step > 3.5 * r, size = Math.min(3.4, Math.max(1.4, step / r / 4)) * r;
	for (let i = first; i <= last; i++) {
		if (!history.has(i))
			continue;
		const x = X(i);
		if (dots && history.repeats[i].length > 1) {
			ctx.strokeStyle = ink('band');
			ctx.lineWidth = Math.min(7 * r, Math.max(2 * r, step * .45));
			line(ctx, x, Y(history.low[i]), x, Y(history.high[i]) - .01);
			ctx.fillStyle = ink('dots');
			for (const value of history.repeats[i]) {
				ctx.beginPath();
				ctx.arc(x, Y(value), size * .55, 0, 7);
				ctx.fill();
			}
		} else if (history.high[i] > history.low[i]) {
			ctx.strokeStyle = ink('band');
			ctx.lineWidth = Math.max(r, step * .7);
			line(ctx, x, Y(history.low[i]), x, Y(history.high[i]));
		}
	}
	ctx.fillStyle = ink('curve');
	for (let i = first; i <= last; i++) {
		if (!history.has(i))
			continue;
		ctx.beginPath();
		ctx.arc(X(i), Y(history.median[i]), size, 0, 7);
		ctx.fill();
	}
}

/* Medians of other workloads, joined by lines. */
function drawOverlays(ctx, state, X, Y, first, last) {
	const r = ratio();
	for (const { history, color } of state.history.overlays) {
		ctx.strokeStyle = ctx.fillStyle = color;
		ctx.lineWidth = 1.5 * r;
		ctx.beginPath();
		for (let i = first; i <= last; i++)
			if (history.has(i))
				ctx.lineTo(X(i), Y(history.median[i]));
		ctx.stroke();
		for (let i = first; i <= last; i++) {
			if (!history.has(i))
				continue;
			ctx.beginPath();
			ctx.arc(X(i), Y(history.median[i]), 2.2 * r, 0, 7);
			ctx.fill();
		}
	}
}

function drawChanges(ctx, state, X, Y, box) {
	const r = ratio(), changes = state.history.place.changes;
	changes.forEach((change, k) => {
		const x = X(change.at - .5);
		ctx.strokeStyle = ctx.fillStyle = ink(sideClass(change.worse));
		ctx.globalAlpha = change.known ? .45 : 1;
		ctx.lineWidth = 1.5 * r;
		ctx.setLineDash([5 * r, 4 * r]);
		line(ctx, x, box.top, x, box.top + box.height);
		ctx.setLineDash([]);
		ctx.lineWidth = 2 * r;
		ctx.strokeStyle = ink('ink');
		ctx.globalAlpha = .65;
		line(ctx, X(k ? changes[k - 1].at - .5 : change.first), Y(change.before), x, Y(change.before));
		if (k === changes.length - 1)
			line(ctx, x, Y(change.after), X(change.end - 1), Y(change.after));
		ctx.globalAlpha = 1;
		ctx.fillStyle = ink(sideClass(change.worse));
		const up = change.after > change.before ? 1 : -1, y = box.top + 8 * r;
		ctx.beginPath();
		ctx.moveTo(x - 6 * r, y + 5 * r * up);
		ctx.lineTo(x + 6 * r, y + 5 * r * up);
		ctx.lineTo(x, y - 6 * r * up);
		ctx.fill();
	});
}

function paint(state) {
	return u => {
		const { ctx, bbox: box } = u, { min, max } = u.scales.x, { min: low, max: high } = u.scales.y;
		const X = i => box.left + (i - min) / (max - min) * box.width;
		const Y = value => box.top + box.height - (value - low) / (high - low) * box.height;
		const first = Math.max(0, Math.floor(min)), last = Math.min(state.facts.line - 1, Math.ceil(max));
		const step = box.width / (max - min);
		ctx.save();
		ctx.beginPath();
		ctx.rect(box.left, box.top, box.width, box.height);
		ctx.clip();
		if (step < 1.5)
			drawDense(ctx, state, X, Y, first, last);
		else
			drawSparse(ctx, state, X, Y, first, last, box.width);
		drawOverlays(ctx, state, X, Y, first, last);
		drawChanges(ctx, state, X, Y, box);
		if (state.hover >= 0) {
			ctx.strokeStyle = ink('ink');
			ctx.lineWidth = 1.5 * ratio();
			ctx.beginPath();
			ctx.arc(X(state.hover), Y(state.history.median[state.hover]), 6 * ratio(), 0, 7);
			ctx.stroke();
		}
		ctx.restore();
	};
}

/* Dates below the axis, times where the date is that of the one before. */
function axisDates(state, u, ticks) {
	let before = '';
	return ticks.map(i => {
		const version = versionAt(state.facts, i), text = version ? date(version[3]) : '';
		const shown = text === before ? date(version ? version[3] : 0, true).slice(11) : text;
		before = text;
		return text && shown;
	});
}

/* Metrics of go test are named as their units: "B/op". */
function axisLabel(metric, unit) {
	return unit && unit !== metric ? `${metric} [${unit}]` : metric;
}

function makeChart(state, box) {
	const axis = unitOf(state.facts.unit), scale = { time: false, auto: false };
	const width = Math.max(320, box.clientWidth), textWidth = text => text.length * 6.6;
	const common = { font: FONT, stroke: () => ink('soft'), gap: 6 };
	const plot = new uPlot({
		width, height: 380, padding: [12, 40, 0, 0], legend: { show: false },
		cursor: { drag: { x: true, y: false, setScale: true }, points: { show: false } },
		scales: { x: { ...scale, range: (u, low, high) => [low, high] }, y: { ...scale, range: (u, low, high) => [low, high] } },
		series: [{}, { show: true, paths: () => null, points: { show: false } }],
		axes: [
			{ ...common, grid: { show: false }, ticks: { stroke: () => ink('line'), width: 1, size: 5 }, size: 30,
				splits: (u, i, low, high) => linearTicks(Math.max(0, low), Math.min(state.facts.line - 1, high), Math.max(2, u.bbox.width / ratio() / 110), 1, true),
				filter: (u, ticks) => ticks, values: (u, ticks) => axisDates(state, u, ticks) },
			{ ...common, grid: { stroke: () => ink('grid'), width: 1 }, ticks: { show: false },
				splits: (u, i, low, high) => linearTicks(low, high, Math.max(2, u.bbox.height / ratio() / 50), shownUnit(axis, low, high)[0]),
				filter: (u, ticks) => ticks, values: (u, ticks) => tickTexts(axis, ticks, u.scales.y.min, u.scales.y.max),
				label: u => axisLabel(state.facts.metric, shownUnit(axis, u.scales.y.min, u.scales.y.max)[1]),
				labelFont: FONT, labelSize: 22, size: (u, values) => 14 + Math.max(24, ...(values || []).map(textWidth)) },
		],
		hooks: {
			draw: [paint(state)],
			setSelect: [u => {
				if (u.select.width < 4)
					return;
				const from = u.posToVal(u.select.left, 'x'), to = u.posToVal(u.select.left + u.select.width, 'x');
				state.show(Math.ceil(from - .5), Math.floor(to + .5));
			}],
		},
	}, [[0, 1], [0, 1]], box);
	plot.ctx.canvas.setAttribute('role', 'img');
	plot.ctx.canvas.setAttribute('aria-label', `${state.facts.metric} through the versions`);
	plot.over.addEventListener('mousemove', event => hover(state, event));
	plot.over.addEventListener('mouseleave', () => {
		tip.hidden = true;
		state.hover = -1;
		plot.redraw(false);
	});
	let down = 0;
	plot.over.addEventListener('mousedown', event => { down = event.clientX; });
	plot.over.addEventListener('click', event => {
		if (Math.abs(event.clientX - down) < 4 && state.hover >= 0)
			location.href = versionAddress(versionAt(state.facts, state.hover)[0]);
	});
	return plot;
}

function hover(state, event) {
	const { plot, history, facts } = state, left = event.clientX - plot.over.getBoundingClientRect().left;
	const i = history.nearest(plot.posToVal(left, 'x'));
	if (i < 0 || i < plot.scales.x.min || i > plot.scales.x.max)
		return;
	const axis = unitOf(facts.unit), version = versionAt(facts, i) || ['', '', '', 0];
	const change = history.place.changes.find(point => point.at === i), runs = history.repeats[i].length;
	if (state.hover !== i) {
		state.hover = i;
		plot.redraw(false);
	}
	showTip(event, [
		`${amount(axis, history.median[i])}`,
		runs > 1 ? `95 %: ${amount(axis, history.low[i])} – ${amount(axis, history.high[i])}, ${plural(runs, 'run')}` : '',
		version[1], `${checksum(version[0])} · ${version[2]} · ${date(version[3])}`,
		...history.overlays.filter(one => one.history.has(i)).map(one => `${amount(axis, one.history.median[i])} ${overlayName(facts, one.metric)}`),
		change ? `${change.worse === null ? 'Change' : change.worse ? 'Regression' : 'Improvement'}: ${amount(axis, change.before)} → ${amount(axis, change.after)} (${percent(relative(change.before, change.after))})` : '',
	]);
}
