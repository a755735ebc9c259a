/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a metric: its history as a chart, its changes, its functions. */

const FONT = '12px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
const RANGES = [100, 500, 2000], FAR = 2500;
const ratio = () => window.devicePixelRatio || 1;

/* ---- values ---- */

/* Medians, intervals and repeats of a place, filled block by block. */
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

/* ---- drawing ---- */

function yRange(state, from, to) {
	const { history, facts } = state;
	let low = Infinity, high = -Infinity;
	for (let i = Math.max(0, Math.ceil(from)); i <= Math.min(facts.line - 1, to); i++) {
		if (!history.has(i))
			continue;
		low = Math.min(low, history.low[i]);
		high = Math.max(high, history.high[i]);
	}
	if (low > high)
		return [0, 1];
	if (state.zero) {
		low = Math.min(low, 0);
		high = Math.max(high, 0);
	}
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

function drawChanges(ctx, state, X, Y, box) {
	const r = ratio(), changes = state.history.place.changes;
	changes.forEach((change, k) => {
		const x = X(change.at - .5);
		ctx.strokeStyle = ctx.fillStyle = ink(change.worse ? 'worse' : 'better');
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
		ctx.fillStyle = ink(change.worse ? 'worse' : 'better');
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
				label: u => { const name = shownUnit(axis, u.scales.y.min, u.scales.y.max)[1]; return state.facts.metric + (name ? ` [${name}]` : ''); },
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
		change ? `${change.worse ? 'Degradation' : 'Optimization'}: ${amount(axis, change.before)} → ${amount(axis, change.after)} (${percent(relative(change.before, change.after))})` : '',
	]);
}

/* ---- the page ---- */

function hashFacts() {
	const words = new URLSearchParams(location.hash.slice(1)), number = key => words.has(key) ? Number(words.get(key)) : NaN;
	return { place: words.get('place') || '', from: number('from'), to: number('to') };
}

function writeHash(state) {
	const words = new URLSearchParams(), { history, facts } = state;
	if (history.place !== facts.places[0])
		words.set('place', history.place.place);
	if (state.to !== facts.line - 1 || state.from !== state.standard) {
		words.set('from', state.from);
		words.set('to', state.to);
	}
	const text = words.toString();
	state.hash = text ? '#' + text : '';
	window.history.replaceState(null, '', state.hash || location.pathname + location.search);
}

function pointTable(state) {
	const { facts, history } = state, axis = unitOf(facts.unit), { changes } = history.place;
	if (!changes.length)
		return make('p', { class: 'empty', text: 'No change of the level was found.' });
	return table([
		{ title: 'Change', number: true, value: change => relative(change.before, change.after), cell: changeText },
		{ title: 'Before → after', class: 'narrow', cell: change => `${amount(axis, change.before)} → ${amount(axis, change.after)}` },
		{ title: 'Confidence', number: true, cell: change => confidence(change.p) },
		{ title: 'Commit', cell: change => make('span', {}, versionLink(change.version), ' ', make('a', { href: versionAddress(change.version), text: change.subject })) },
		{ title: 'Author', class: 'soft', cell: change => change.author },
		{ title: 'Date', class: 'narrow soft', value: change => change.date, cell: change => date(change.date) },
		...(changes.some(change => change.known) ? [{ title: 'Known', cell: change => change.known || '' }] : []),
		{ title: '', class: 'narrow', cell: change => make('button', { type: 'button', text: 'Zoom', onclick: () => state.around(change) }) },
	], changes.slice().reverse(), { step: 30, id: 'points' });
}

function placeTable(state) {
	const { facts } = state, axis = unitOf(facts.unit);
	return table([
		{ title: 'Where', value: place => place.place, cell: place => make('a', { href: '#place=' + encodeURIComponent(place.place), text: place.place || 'all together' }) },
		{ title: 'Latest', number: true, value: place => place.last ?? NaN, cell: place => place.last === undefined ? '–' : amount(axis, place.last) },
		{ title: 'Noise', number: true, value: place => place.noise ?? NaN, cell: place => place.noise === null ? '–' : amount(axis, place.noise) },
		{ title: 'Open changes', number: true, value: place => place.changes.filter(change => !change.known).length, cell: place => String(place.changes.filter(change => !change.known).length || '–') },
		{ title: 'Last change', cell: place => place.changes.length ? changeText(place.changes[place.changes.length - 1]) : '' },
	], facts.places, { step: 50, id: 'places' });
}

function describe(state) {
	const { facts, history } = state, axis = unitOf(facts.unit), { place } = history;
	const texts = [facts.higher ? 'higher is better' : 'lower is better'];
	if (place.last !== undefined)
		texts.unshift(`latest ${amount(axis, place.last)}`);
	if (place.noise)
		texts.push(`noise ${amount(axis, place.noise)}`);
	if (place.trend)
		texts.push(`trend ${place.trend.slope < 0 ? '\u2212' : '+'}${amount(axis, Math.abs(place.trend.slope))} a version since ${place.trend.since}`);
	return texts.map(text => make('span', { text }));
}

async function metric() {
	const facts = JSON.parse(byId('facts').textContent), from = hashFacts();
	const state = { facts, hover: -1, zero: remember('zero') === 'yes', standard: 0, hash: location.hash };
	const title = make('h1'), about = make('p', { class: 'facts', id: 'about' }), tools = make('div', { class: 'tools' });
	const box = make('div', { class: 'plot', id: 'plot' }), points = make('div'), note = make('span', { class: 'soft', id: 'range' });
	const histories = new Map();
	content.append(title, make('p', { class: 'facts' }, make('code', { text: '$ ' + commandOf(facts) })), about, tools, box,
		make('p', { class: 'legend' }, make('span', {}, swatch('curve'), 'median'), make('span', {}, swatch('band'), '95 % interval'),
			make('span', {}, swatch('dots'), 'runs, when there is room'), make('span', {}, swatch('worse'), 'degradation'), make('span', {}, swatch('better'), 'optimization')),
		make('h2', { text: 'Changes' }), points);

	/* What is shown first: the latest versions, with the last change if that is not far away. */
	const standard = place => {
		const last = place.changes[place.changes.length - 1], latest = facts.line - RANGES[1];
		return Math.max(0, last && last.at - 60 < latest && last.at > facts.line - FAR ? last.at - 60 : latest);
	};
	state.setPlace = place => {
		state.standard = standard(place);
		if (!histories.has(place))
			histories.set(place, new History(facts, place));
		state.history = histories.get(place);
		state.hover = -1;
		title.textContent = place.place && facts.places.length > 1 ? `${facts.metric}: ${place.place}` : facts.metric;
		about.replaceChildren(...describe(state));
		points.replaceChildren(pointTable(state));
	};
	state.show = async (low, high) => {
		state.from = Math.max(0, Math.min(facts.line - 2, low));
		state.to = Math.min(facts.line - 1, Math.max(state.from + 1, high));
		await state.history.need(state.from, state.to);
		state.hover = -1;
		tip.hidden = true;
		state.plot = state.plot || makeChart(state, box);
		const [bottom, top] = yRange(state, state.from, state.to);
		state.plot.batch(() => {
			state.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
			state.plot.setScale('y', { min: bottom, max: top });
			state.plot.setScale('x', { min: state.from - .7, max: state.to + .7 });
		});
		const shown = state.to - state.from + 1;
		note.textContent = shown >= facts.line ? `all ${plural(facts.line, 'version')}` : `${shown.toLocaleString('en')} of ${plural(facts.line, 'version')}`;
		for (const button of tools.querySelectorAll('button[data-last]'))
			button.setAttribute('aria-pressed', state.to === facts.line - 1 && shown === Math.min(Number(button.dataset.last), facts.line));
		reset.disabled = state.to === facts.line - 1 && state.from === state.standard;
		writeHash(state);
	};
	state.around = change => {
		const room = Math.max(20, Math.min(100, Math.round((change.end - change.first) / 3)));
		state.show(change.at - room, change.at + room);
		box.scrollIntoView({ block: 'center' });
	};
	state.reset = () => state.show(state.standard, facts.line - 1);

	const reset = make('button', { type: 'button', id: 'reset', text: 'Reset zoom', title: 'Escape', onclick: state.reset });
	const zero = make('button', { type: 'button', id: 'zero', text: 'From zero', 'aria-pressed': state.zero, onclick: () => {
		state.zero = !state.zero;
		zero.setAttribute('aria-pressed', state.zero);
		remember('zero', state.zero ? 'yes' : 'no');
		state.show(state.from, state.to);
	} });
	for (const last of [...RANGES.filter(range => range < facts.line), facts.line])
		tools.append(make('button', { type: 'button', 'data-last': last, text: last === facts.line ? 'All' : `Last ${last.toLocaleString('en')}`, onclick: () => state.show(facts.line - last, facts.line - 1) }));
	tools.append(note, make('span', { class: 'space' }), zero, reset);
	document.addEventListener('keydown', event => {
		if (event.key === 'Escape' && event.target.tagName !== 'INPUT')
			state.reset();
	});
	if (facts.places.length > 1 || facts.hidden)
		content.append(make('h2', {}, 'Where', make('small', { text: facts.hidden ? `the ${plural(facts.places.length - 1, 'costliest function')}; ${plural(facts.hidden, 'smaller one')} not shown` : '' })), placeTable(state));
	const open = async ({ place, from: low, to: high }) => {
		state.setPlace(facts.places.find(one => one.place === place) || facts.places[0]);
		if (facts.line < 2)
			return state.show(-1, 1);
		return Number.isFinite(low) && Number.isFinite(high) ? state.show(low, high) : state.reset();
	};
	window.addEventListener('hashchange', () => {
		if (location.hash !== state.hash) {
			open(hashFacts());
			scrollTo(0, 0);
		}
	});
	window.addEventListener('resize', () => state.plot.setSize({ width: Math.max(320, box.clientWidth), height: 380 }));
	repaints.push(() => {
		state.plot.redraw(false);
		for (const mark of document.querySelectorAll('.legend i'))
			mark.style.background = ink(mark.dataset.color);
	});
	window.chartOfPage = state;
	await open(from);
}

function swatch(color) {
	const mark = make('i', { 'data-color': color });
	mark.style.background = ink(color);
	return mark;
}
