/* SPDX-License-Identifier: BSD-3-Clause */
/* Charts: axes, zoom, legend, what lies below the mouse. */

const DATA = JSON.parse(document.getElementById('data').textContent);
const charts = []; /* {chart, plot, box} */
const byId = id => document.getElementById(id);
const dpr = () => window.devicePixelRatio || 1;

function element(name, className, text) {
	const node = document.createElement(name);
	if (className)
		node.className = className;
	if (text !== undefined)
		node.textContent = text;
	return node;
}

function axisTitle(axis, u, key) {
	const { min, max } = u ? u.scales[key] : { min: axis.low, max: axis.high };
	const unit = axis.categories ? '' : shownUnit(axis, min ?? axis.low, max ?? axis.high)[1];
	return axis.title + (unit ? `${axis.title ? ' ' : ''}[${unit}]` : '');
}

function splits(axis, room) {
	return (u, i, low, high) => {
		const wanted = Math.max(2, Math.floor((i === 0 ? u.bbox.width : u.bbox.height) / dpr() / room));
		if (axis.categories) {
			const ticks = [], first = Math.max(0, Math.ceil(low)), last = Math.min(axis.categories.length - 1, Math.floor(high));
			const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(2, Math.floor(wanted * room / 20))));
			for (let k = first; k <= last; k += every)
				ticks.push(k);
			return ticks;
		}
		return axis.log ? logTicks(axis, low, high, wanted) : linearTicks(low, high, wanted, shownUnit(axis, low, high)[0], axis.whole);
	};
}

const FONT = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const measure = document.createElement('canvas').getContext('2d');
function textWidth(text) {
	measure.font = FONT;
	return measure.measureText(text).width;
}
/* Names lose their parameters first, then the inner of their templates, then their beginning. */
function fitted(text, width) {
	if (textWidth(text) <= width)
		return text;
	let short = text.replace(/\((?!anonymous|…)[^()]+\)(?=[^()]*$)/, '(…)');
	for (let before = ''; before !== short && textWidth(short) > width;) {
		before = short;
		short = short.replace(/<(?!…>)[^<>]*(?:<…>[^<>]*)*>/, '<…>');
	}
	if (textWidth(short) <= width)
		return short;
	const letters = [...short];
	let first = 1;
	while (first < letters.length - 1 && textWidth('…' + letters.slice(first).join('')) > width)
		first++;
	return '…' + letters.slice(first).join('');
}

/* Room on a horizontal axis for this many categories, when there are fewer. */
const FEW = 5;
function makeAxis(chart, key, width) {
	const axis = chart[key], side = key === 'x' ? 2 : 3;
	const slot = (width - 120) / Math.max(axis.categories ? FEW : 1, (axis.categories || []).length);
	return {
		scale: key, side, font: FONT, labelFont: FONT, labelSize: axisTitle(axis) ? 22 : 0, gap: 6,
		label: u => axisTitle(axis, u, key) || null,
		stroke: () => ink('soft'), grid: { stroke: () => ink('grid'), width: 1, show: !axis.categories },
		ticks: { stroke: () => ink('line'), width: 1, size: 5 },
		splits: splits(axis, key === 'x' ? 80 : 50), filter: (u, ticks) => ticks,
		values: (u, ticks) => tickTexts(axis, ticks, u.scales[key].min, u.scales[key].max).map(text => fitted(text, key === 'y' || !axis.categories ? 170 : Math.max(24, slot - 8))),
		size: key === 'x' ? 32
			: (u, values) => values ? 16 + Math.min(180, Math.max(20, ...values.map(textWidth))) : 60,
	};
}

function makeScale(chart, key) {
	const axis = chart[key];
	return { time: false, auto: false, distr: axis.log ? 3 : 1, log: axis.log === 2 ? 2 : 10,
		range: (u, low, high) => low === null || !(high > low) ? [axis.low, axis.high] : [low, high] };
}

/* All marks in one hook, in the order that keeps points on top. */
function draw(chart) {
	return u => {
		const { ctx, bbox: box } = u, ratio = dpr();
		const X = placer(u, 'x', chart.x, box.left, box.width), Y = placer(u, 'y', chart.y, box.top, box.height);
		ctx.save();
		ctx.beginPath();
		ctx.rect(box.left, box.top, box.width, box.height);
		ctx.clip();
		if (chart.heat)
			drawHeat(ctx, chart, X, Y);
		if (chart.heat?.contours)
			drawContours(ctx, chart, X, Y, ratio);
		for (const mark of ['band', 'bars', 'line', 'faces', 'points'])
			for (const s of chart.series) {
				if (s.mark !== mark || chart.hidden.has(s.name))
					continue;
				ctx.save();
				ctx.fillStyle = ctx.strokeStyle = colorOf(s);
				if (mark === 'points')
					drawPoints(ctx, s, X, Y, box, ratio);
				else if (mark === 'line')
					drawLine(ctx, s, X, Y, ratio);
				else if (mark === 'faces')
					drawFaces(ctx, s, X, Y, ratio);
				else if (mark === 'band')
					drawBand(ctx, s, X, Y, box);
				else
					drawBars(ctx, s, X, Y, box, ratio);
				ctx.restore();
			}
		if (chart.heat?.contours)
			drawLevels(ctx, chart, X, Y, ratio);
		let free = -Infinity; /* from here there is room for the word of a rule */
		for (const rule of chart.rules)
			free = drawRule(ctx, rule, X, Y, box, ratio, free);
		for (const word of chart.words ?? [])
			drawWord(ctx, word, X, Y, ratio);
		if (chart.hover)
			drawHover(ctx, chart.hover, X, Y, ratio);
		ctx.restore();
		if (chart.heat)
			drawColorBar(ctx, chart, box, ratio);
	};
}

function drawWord(ctx, word, X, Y, ratio) {
	ctx.font = FONT.replace('12px', 12 * ratio + 'px');
	ctx.fillStyle = ink('ink');
	ctx.textAlign = word.end ? 'right' : 'center';
	ctx.textBaseline = 'middle';
	ctx.fillText(word.text, X(word.x), Y(word.y));
}

/* As in SVG: changes are drawn through, and a word that would cover the one before it is left out. */
function drawRule(ctx, rule, X, Y, box, ratio, free) {
	const at = rule.horizontal ? Y(rule.at) : X(rule.at);
	if (!(at >= -1e6 && at <= 1e6))
		return free;
	ctx.strokeStyle = ctx.fillStyle = ink(rule.tone === 'worse' || rule.tone === 'better' ? rule.tone : 'soft');
	ctx.lineWidth = (rule.tone ? 2 : 1) * ratio;
	ctx.setLineDash(rule.tone ? [] : [5 * ratio, 4 * ratio]);
	ctx.beginPath();
	ctx.moveTo(rule.horizontal ? box.left : at, rule.horizontal ? at : box.top);
	ctx.lineTo(rule.horizontal ? box.left + box.width : at, rule.horizontal ? at : box.top + box.height);
	ctx.stroke();
	ctx.setLineDash([]);
	ctx.font = FONT.replace('12px', 12 * ratio + 'px');
	const width = ctx.measureText(rule.text).width, room = 5 * ratio + width;
	const right = !rule.horizontal && at - room >= box.left && (at > box.left + box.width * .7 || at + room > box.left + box.width);
	const left = rule.horizontal ? box.left + 6 * ratio : at + (right ? -room : 5 * ratio);
	if (!rule.horizontal && left < free)
		return free;
	ctx.textAlign = 'left';
	ctx.textBaseline = 'alphabetic';
	drawText(ctx, rule.text, left, rule.horizontal ? at - 5 * ratio : box.top + 14 * ratio, ratio, ink('paper'));
	return rule.horizontal ? free : left + width + 5 * ratio;
}

function drawHover(ctx, hover, X, Y, ratio) {
	ctx.strokeStyle = ink('ink');
	ctx.lineWidth = 1.5 * ratio;
	ctx.beginPath();
	ctx.arc(X(hover.x), Y(hover.y), 6 * ratio, 0, 7);
	ctx.stroke();
}

function drawColorBar(ctx, chart, box, ratio) {
	const heat = chart.heat, left = box.left + box.width + 14 * ratio, count = DATA.ramp.length;
	for (let i = 0; i < count; i++) {
		ctx.fillStyle = DATA.ramp[i];
		ctx.fillRect(left, box.top + box.height * (1 - (i + 1) / count), 14 * ratio, box.height / count + 1);
	}
	ctx.fillStyle = ink('soft');
	ctx.font = FONT.replace('12px', 12 * ratio + 'px');
	ctx.textAlign = 'left';
	ctx.textBaseline = 'middle';
	const wanted = Math.floor(box.height / ratio / 50);
	for (const value of heat.low === heat.high ? [heat.low] : heat.log ? logTicks(heat, heat.low, heat.high, wanted) : linearTicks(heat.low, heat.high, wanted, 1)) {
		const place = heatPlace(heat, value);
		ctx.fillText(amount({ ...heat, bare: true }, value), left + 19 * ratio, box.top + box.height * (1 - place));
	}
}

/* ---- legend ---------------------------------------------------------------------------------- */

function swatch(canvas, chart, name) {
	const ctx = canvas.getContext('2d'), ratio = dpr();
	canvas.setAttribute('aria-hidden', 'true');
	canvas.width = 22 * ratio;
	canvas.height = 14 * ratio;
	canvas.style.width = '22px';
	canvas.style.height = '14px';
	for (const s of chart.series) {
		if (s.name !== name)
			continue;
		ctx.fillStyle = ctx.strokeStyle = colorOf(s);
		ctx.globalAlpha = s.mark === 'band' && !s.solid ? .25 : 1;
		ctx.beginPath();
		if (s.mark === 'line') {
			ctx.lineWidth = 2 * ratio;
			ctx.setLineDash(s.dashed ? [6 * ratio, 3 * ratio] : []);
			ctx.moveTo(0, 7 * ratio);
			ctx.lineTo(22 * ratio, 7 * ratio);
			ctx.stroke();
		} else if (s.mark === 'points') {
			shape(ctx, s.x.length > 400 ? 0 : s.color % 4, 11 * ratio, 7 * ratio, 3.5 * ratio);
			ctx.fill();
		} else {
			ctx.fillRect(4 * ratio, ratio, 14 * ratio, 12 * ratio);
		}
	}
}

function makeLegend(entry) {
	const { chart } = entry, names = [...new Set(chart.series.map(s => s.name))].filter(name => name);
	const list = element('ul', 'legend');
	if (names.length < 2)
		return list;
	for (const name of names) {
		const item = element('li'), button = element('button'), canvas = element('canvas');
		button.type = 'button';
		button.title = (textWidth(name) > 420 ? name + '\n' : '') + 'Show or hide; with Shift: this one alone';
		button.dataset.name = name;
		button.setAttribute('aria-pressed', 'true');
		button.append(canvas, fitted(name, 420));
		button.addEventListener('click', event => {
			if (event.shiftKey) {
				const alone = !chart.hidden.has(name) && chart.hidden.size === names.length - 1;
				chart.hidden = new Set(alone ? [] : names.filter(other => other !== name));
			} else if (!chart.hidden.delete(name)) {
				chart.hidden.add(name);
			}
			for (const other of list.querySelectorAll('button'))
				other.setAttribute('aria-pressed', String(!chart.hidden.has(other.dataset.name)));
			chart.hover = null;
			if (entry.plot)
				entry.plot.redraw(false);
			else
				fillRows(entry);
		});
		item.append(button);
		list.append(item);
		swatch(canvas, chart, name);
	}
	return list;
}

/* ---- what lies below the mouse ----------------------------------------------------------------- */

/* The point of an area that the mouse is next to, or -1 when it is not over the area. */
function inArea(s, X, Y, left, top) {
	let best = 0;
	for (let i = 1; i < s.x.length; i++)
		if (Math.abs(X(s.x[i]) - left) < Math.abs(X(s.x[best]) - left))
			best = i;
	return top >= Y(s.y[best]) && top <= Y(s.low[best]) ? best : -1;
}

function nearest(entry, left, top) {
	const { chart, plot } = entry, width = plot.over.clientWidth, height = plot.over.clientHeight;
	const X = placer(plot, 'x', chart.x, 0, width), Y = placer(plot, 'y', chart.y, 0, height);
	let best = null, distance = 24 * 24;
	for (const s of chart.series) {
		if (chart.hidden.has(s.name) || s.mark === 'faces' || s.frame || (s.mark === 'band' && !s.solid))
			continue;
		if (s.solid) {
			const i = inArea(s, X, Y, left, top);
			if (i >= 0)
				return { series: s, i, x: s.x[i], y: s.y[i], bar: true };
			continue;
		}
		for (let i = 0; i < s.x.length; i++) {
			if (s.y[i] === null)
				continue;
			if (s.mark === 'bars') {
				const a = Y(s.y[i]), b = Y(s.low[i]), low = Number.isNaN(b) ? height : b;
				if (left >= X(s.x[i] + s.left) && left <= X(s.x[i] + s.right) &&
				    top >= Math.min(a, low) - 3 && top <= Math.max(a, low) + 3)
					return { series: s, i, x: s.x[i], y: s.y[i], bar: true };
				continue;
			}
			const dx = X(s.x[i]) - left, dy = Y(s.y[i]) - top, far = dx * dx + dy * dy - (s.mark === 'points' ? 30 : 0);
			if (far < distance) {
				distance = far;
				best = { series: s, i, x: s.x[i], y: s.y[i] };
			}
		}
	}
	const rule = chart.rules.find(r => r.hint && Math.abs(r.horizontal ? Y(r.at) - top : X(r.at) - left) < 5);
	return best ?? (rule ? { rule } : chart.heat ? heatCell(chart, plot, left, top) : null);
}

function heatCell(chart, plot, left, top) {
	const heat = chart.heat, x = plot.posToVal(left, 'x'), y = plot.posToVal(top, 'y');
	const column = heat.x.findLastIndex(edge => edge <= x), row = heat.y.findLastIndex(edge => edge <= y);
	if (column < 0 || row < 0 || column >= heat.columns || row >= heat.rows)
		return null;
	return { heat: heat.values[row * heat.columns + column], x, y };
}

function describe(chart, found) {
	const at = axis => axis.title || (axis === chart.x ? 'x' : 'y'), lines = [];
	const value = (axis, v) => axis.categories ? axis.categories[Math.round(v)] ?? '' : amount(axis, v);
	if (found.rule)
		return found.rule.hint.split('\n');
	if (found.heat !== undefined) {
		lines.push(`${at(chart.x)}: ${value(chart.x, found.x)}`, `${at(chart.y)}: ${value(chart.y, found.y)}`,
			`${chart.heat.title || 'value'}: ${amount(chart.heat, found.heat)}`);
		return lines;
	}
	const s = found.series, about = s.packed ? '≈\u202f' : '';
	if (found.bar && !s.solid && !chart.x.categories)
		lines.push(`${at(chart.x)}: ${value(chart.x, s.x[found.i] + s.left)} to ${value(chart.x, s.x[found.i] + s.right)}`);
	else
		lines.push(`${at(chart.x)}: ${about}${value(chart.x, found.x)}`);
	lines.push(`${at(chart.y)}: ${about}${value(chart.y, found.bar && s.low[found.i] !== 0 ? s.y[found.i] - s.low[found.i] : found.y)}`);
	return lines;
}

function placeTip(event) {
	const tip = byId('tip');
	const left = event.clientX + 16 + tip.offsetWidth > innerWidth ? event.clientX - 12 - tip.offsetWidth : event.clientX + 16;
	tip.style.left = Math.max(4, left) + 'px';
	tip.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 6)) + 'px';
}

function showTip(entry, event) {
	const tip = byId('tip'), { chart, plot } = entry, box = plot.over.getBoundingClientRect();
	const found = event && nearest(entry, event.clientX - box.left, event.clientY - box.top);
	const before = chart.hover;
	chart.hover = found && !found.bar && found.series ? found : null;
	if (before !== chart.hover && (before || chart.hover) && (!before || !chart.hover || before.i !== chart.hover.i || before.series !== chart.hover.series))
		plot.redraw(false);
	tip.hidden = !found;
	if (!found)
		return;
	tip.replaceChildren();
	if (found.series && found.series.name)
		tip.append(element('b', '', found.series.name));
	for (const line of describe(chart, found))
		tip.append(element('span', '', line));
	placeTip(event);
}

/* ---- zoom ------------------------------------------------------------------------------------ */

function isZoomed(entry) {
	if (!entry.plot)
		return false;
	const { x, y } = entry.plot.scales, { chart } = entry;
	const off = (scale, axis) => Math.abs(scale.min - axis.low) > 1e-9 * Math.abs(axis.high - axis.low) ||
		Math.abs(scale.max - axis.high) > 1e-9 * Math.abs(axis.high - axis.low);
	return off(x, chart.x) || off(y, chart.y);
}

function reset(entry) {
	const { plot, chart } = entry;
	if (!plot)
		return;
	plot.batch(() => {
		plot.setScale('x', { min: chart.x.low, max: chart.x.high });
		plot.setScale('y', { min: chart.y.low, max: chart.y.high });
	});
}

/* About the mouse; not further out than everything. */
function zoomBy(entry, key, at, factor) {
	const { plot, chart } = entry, axis = chart[key], scale = plot.scales[key];
	const to = axis.log ? Math.log : v => v, from = axis.log ? Math.exp : v => v;
	const low = to(scale.min), high = to(scale.max), middle = to(at);
	const a = Math.max(to(axis.low), middle - (middle - low) * factor), b = Math.min(to(axis.high), middle + (high - middle) * factor);
	if (b - a > 1e-9 * (to(axis.high) - to(axis.low)))
		plot.setScale(key, { min: from(a), max: from(b) });
}

function listen(entry) {
	const { plot } = entry, over = plot.over;
	let waiting = null;
	over.addEventListener('mousemove', event => {
		if (!waiting)
			requestAnimationFrame(() => { showTip(entry, waiting); waiting = null; });
		waiting = event;
	});
	over.addEventListener('mouseleave', () => requestAnimationFrame(() => showTip(entry, null)));
	over.addEventListener('wheel', event => {
		if (!event.ctrlKey && !isZoomed(entry))
			return; /* the page scrolls */
		const box = over.getBoundingClientRect(), factor = event.deltaY < 0 ? .8 : 1.25;
		event.preventDefault();
		plot.batch(() => {
			zoomBy(entry, 'x', plot.posToVal(event.clientX - box.left, 'x'), factor);
			zoomBy(entry, 'y', plot.posToVal(event.clientY - box.top, 'y'), factor);
		});
	}, { passive: false });
}

/* ---- making them ------------------------------------------------------------------------------- */

/* Each name beside a chart has a line. */
function heightOf(width, chart) {
	return Math.round(Math.max(26 * (chart.y.categories || []).length + 60, Math.max(260, Math.min(DATA.charts.length > 1 ? 380 : 560, width * .52, innerHeight - 190))));
}

/* How many points one that is drawn represents, in the series where these are most. */
function thinned(chart) {
	const ratio = Math.max(1, ...chart.series.map(s => s.among && s.x.length ? s.among / s.x.length : 1));

	return ratio < 1.05 ? '' : 'thinned 1:' + (ratio < 9.5 ? ratio.toFixed(1) : Math.round(ratio));
}

/* Bars whose names do not fit side by side: a row for each. */
function wantsRows(chart, width) {
	const names = chart.x.categories, slot = (width - 120) / Math.max(FEW, (names || []).length);

	return names && chart.series.every(s => s.mark === 'bars' && s.y.every(y => !(y < 0))) && !chart.rules.length &&
		Math.max(...names.map(textWidth)) + 8 > slot;
}

/* The bars of a category in front of each other, or where they are grouped below each other. */
function rowBars(chart, category, grouped) {
	const shown = chart.series.filter(s => !chart.hidden.has(s.name));
	const bars = shown.flatMap(s => Array.from(s.x, (x, i) => ({ s, i, x, value: s.y[i] - s.low[i] }))
		.filter(bar => bar.x === category && s.y[bar.i] !== null));

	bars.sort((a, b) => grouped ? 0 : a.s.low[a.i] - b.s.low[b.i]);
	return grouped ? bars.map(bar => [bar]) : bars.length ? [bars] : [];
}

function fillRows(entry) {
	const { chart } = entry, grouped = chart.series.some(s => s.left !== chart.series[0].left);

	entry.rows.forEach((cell, category) => {
		cell.replaceChildren(...rowBars(chart, category, grouped).map(bars => {
			const line = element('div', 'bars');
			for (const { s, value } of bars) {
				const bar = element('i');
				bar.style.background = colorOf(s);
				bar.style.width = `calc((100% - 92px) * ${Math.max(0, value / (chart.y.high || 1))})`;
				bar.addEventListener('mousemove', event => {
					const tip = byId('tip');
					tip.replaceChildren(element('b', '', s.name || chart.x.categories[category]));
					if (s.name)
						tip.append(element('span', '', `${chart.x.title}: ${chart.x.categories[category]}`));
					tip.append(element('span', '', `${chart.y.title}: ${amount(chart.y, value)}`));
					tip.hidden = false;
					placeTip(event);
				});
				bar.addEventListener('mouseleave', () => { byId('tip').hidden = true; });
				line.append(bar);
			}
			line.append(element('span', 'note', amount(chart.y, bars.reduce((sum, bar) => sum + bar.value, 0))));
			return line;
		}));
	});
}

function makeRows(entry) {
	const { chart } = entry, table = element('table', 'rows'), head = table.createTHead().insertRow(), body = table.createTBody();

	head.append(element('th', '', chart.x.title), element('th', '', chart.y.title));
	entry.rows = chart.x.categories.map(name => {
		const row = body.insertRow();
		row.append(element('th', '', name));
		return row.insertCell();
	});
	entry.box.append(table);
	fillRows(entry);
}

function makeChart(chart) {
	const section = element('section'), box = element('div', 'plot'), entry = { chart, section, box };
	chart.hidden = new Set();
	chart.hover = null;
	for (const s of chart.series)
		if (s.packed)
			unpack(s, chart);
	if (chart.title)
		section.append(element('h2', '', chart.title));
	entry.note = element('p', 'note', chart.note);
	section.append(entry.note, makeLegend(entry), box);
	if (thinned(chart))
		section.append(element('p', 'note thinned', thinned(chart)));
	byId('charts').append(section);
	const width = box.clientWidth || 800;
	if (wantsRows(chart, width)) {
		charts.push(entry);
		makeRows(entry);
		return entry;
	}
	entry.plot = new uPlot({
		mode: 2, width, height: heightOf(width, chart), legend: { show: false },
		padding: [12, chart.heat ? 86 : 14, 0, 0],
		series: [{}, { facets: [{ scale: 'x', auto: false }, { scale: 'y', auto: false }], paths: () => null, points: { show: false } }],
		scales: { x: makeScale(chart, 'x'), y: makeScale(chart, 'y') },
		axes: chart.projected ? [{ show: false }, { show: false }] : [makeAxis(chart, 'x', width), makeAxis(chart, 'y', width)],
		cursor: {
			show: !chart.projected, drag: { x: !chart.projected, y: !chart.projected, uni: 24, dist: 6 }, points: { show: false }, dataIdx: () => null,
			bind: { dblclick: () => () => { reset(entry); return null; } },
		},
		hooks: { draw: [draw(chart)], setScale: [() => { byId('reset').disabled = !charts.some(isZoomed); }] },
	}, [null, [[chart.x.low, chart.x.high], [chart.y.low, chart.y.high]]], box);
	entry.plot.ctx.canvas.setAttribute('role', 'img');
	entry.plot.ctx.canvas.setAttribute('aria-label', chart.projected ? chart.title : `${chart.y.title || 'values'} by ${chart.x.title || 'number'}`);
	charts.push(entry);
	reset(entry);
	listen(entry);
	return entry;
}

function redrawAll() {
	for (const entry of charts) {
		for (const button of entry.section.querySelectorAll('.legend button'))
			swatch(button.querySelector('canvas'), entry.chart, button.dataset.name);
		if (entry.plot)
			entry.plot.redraw(false, true);
		else
			fillRows(entry);
	}
}

function start() {
	document.querySelector('.tools').hidden = false;
	for (const chart of DATA.charts)
		makeChart(chart);
	byId('reset').addEventListener('click', () => charts.forEach(reset));
	byId('theme').addEventListener('click', () => {
		document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
		redrawAll();
	});
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
	addEventListener('keydown', event => {
		if (event.key === 'Escape')
			charts.forEach(reset);
	});
	let resizing = 0;
	addEventListener('resize', () => {
		cancelAnimationFrame(resizing);
		resizing = requestAnimationFrame(() => {
			for (const { plot, box, chart } of charts.filter(({ box }) => box.clientWidth))
				plot?.setSize({ width: box.clientWidth, height: heightOf(box.clientWidth, chart) });
		});
	});
	requestAnimationFrame(() => { document.documentElement.dataset.ready = String(Math.round(performance.now()) || 1); });
}
start();
