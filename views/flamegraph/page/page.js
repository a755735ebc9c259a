/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: controls, zooming and its history, search, status line, keys. */

const $ = id => document.getElementById(id);
const data = JSON.parse($('data').textContent);
const model = new Model(data);
const state = Object.assign({view: 'tree', order: 'heavy', color: data.diff ? 'own' : 'package',
	flame: false, frame: -1, dark: false}, data.options);
const search = {text: '', matches: null};
const history = [];
let historyAt = -1;

const look = {
	theme: () => THEMES[state.dark ? 'dark' : 'light'],
	color: (pane, i) => model.colorOf(pane.layout.tree, i, state.color, state.dark),
	label: (pane, i) => model.labelOf(pane.layout.tree, i),
	isRest: (pane, i) => pane.layout.tree.frame[i] === NO_FRAME,
	mark: (pane, i) => model.markOf(pane.layout.tree, i),
	state: (pane, i) => {
		if (!search.matches)
			return 0;
		const frame = pane.layout.tree.frame[i];
		return frame >= 0 && search.matches[frame] ? 1 : 2;
	},
	describe: (pane, i) => describe(pane, i).map(part => part.text).join(' · ')
};
const chart = new Chart($('scroller'), $('canvas'), $('spacer'), look);

/* ---- what is shown ------------------------------------------------------------------------------ */

function panesOf() {
	const layouts = model.layoutsOf(state.view, state.order, state.frame);
	if (layouts.length === 1)
		return [new Pane(layouts[0], state.flame)];
	const panes = [new Pane(layouts[0], true), new Pane(layouts[1], false)];
	panes[0].first = 1; /* the function itself is among the callees */
	return panes;
}

function show() {
	if (state.view === 'sandwich' && state.frame < 0)
		state.frame = heaviest();
	chart.show(panesOf());
	for (const pane of chart.panes)
		pane.focus = 0;
	const empty = chart.panes.every(pane => pane.layout.total <= 0);
	$('nothing').hidden = !empty;
	$('nothing').textContent = empty ? 'Nothing here: all values of “' +
		data.metrics[model.metric].name + '” are zero.' : '';
	updateSearch();
	updateControls();
	updateFilters();
	updateFunctions();
	updateStatus();
	updateSummary();
}

/* The total, and what is not shown box by box. */
function updateSummary() {
	const all = model.values(model.tree('tree'), 0), change = relative(all.totalBase, all.total);
	$('sum').textContent = visible(data.metrics[model.metric].name) + ': ' + (model.diff ?
		amount(all.totalBase, model.unit) + ' → ' + amount(all.total, model.unit) + ' (' + change + ')'
		: amount(all.total, model.unit));
	const tree = model.tree(state.view === 'sandwich' ? 'tree' : state.view);
	let merged = 0;
	for (const count of tree.merged.values())
		merged += count;
	const negative = tree.own[model.weight].reduce((sum, own) => own < 0 ? sum + own : sum, 0);
	$('loss').textContent = (merged === 0 ? '' : digits(merged, 9) + (merged === 1 ? ' box' : ' boxes') +
		' of less than ' + digits(100 * tree.share, 3) + ' % of the total (1/' +
		digits(1 / tree.share, 6) + ') are put together in hatched ones, ' +
		digits(tree.count - 1, 9) + ' are drawn one by one.' + (state.view === 'sandwich' ?
			' Values of the function are exact.' : '')) + (negative === 0 ? '' :
		' Negative values (' + amount(negative, model.unit) + ' in all) count, but have no width.');
}

function heaviest() {
	const own = functionTable().own;
	let best = 0;
	for (let i = 1; i < own.length; i++)
		if (own[i] > own[best])
			best = i;
	return best;
}

/* Zoom to a box; the rows above it fill the width. */
function zoom(place, quick) {
	const {pane, node} = place, layout = pane.layout;
	pane.focus = node;
	pane.free = null;
	chart.chosen = node ? place : null;
	chart.glide(pane, layout.x[node], layout.x[node] + layout.width[node], quick);
	updatePath();
	updateStatus();
}

/* Zoom to any part; the deepest box that holds it counts as the zoomed one. */
function zoomRange(pane, a, b) {
	const total = pane.layout.total, least = total * 1e-9;
	const width = Math.min(total, Math.max(least, b - a));
	pane.a = Math.min(Math.max(0, a), total - width);
	pane.b = pane.a + width;
	pane.free = [pane.a / total, pane.b / total];
	let node = 0;
	for (let depth = 1; depth < pane.layout.rows.length; depth++) {
		const i = pane.layout.at(depth, (pane.a + pane.b) / 2);
		if (i < 0 || pane.layout.x[i] > pane.a + least ||
		    pane.layout.x[i] + pane.layout.width[i] < pane.b - least)
			break;
		node = i;
	}
	pane.focus = node;
	chart.redraw();
	updatePath();
}

/* ---- history ------------------------------------------------------------------------------------ */

function snapshot() {
	return {view: state.view, frame: state.frame, filters: model.filters, panes: chart.panes.map(pane =>
		({focus: pane.focus, free: pane.free})), scroll: chart.scroller.scrollTop};
}

function remember() {
	history.length = historyAt + 1;
	history.push(snapshot());
	historyAt++;
	updatePath();
}

function restorePanes(saved, quick) {
	saved.panes.forEach((old, k) => {
		const pane = chart.panes[k], layout = pane.layout;
		if (old.free) {
			zoomRange(pane, old.free[0] * layout.total, old.free[1] * layout.total);
		} else if (layout.width[old.focus] > 0) {
			pane.focus = old.focus;
			pane.free = null;
			chart.glide(pane, layout.x[old.focus], layout.x[old.focus] + layout.width[old.focus], quick);
		}
	});
}

function go(step) {
	if (historyAt + step < 0 || historyAt + step >= history.length)
		return;
	historyAt += step;
	const saved = history[historyAt];
	if (saved.view !== state.view || saved.frame !== state.frame || saved.filters !== model.filters) {
		model.setFilters(saved.filters);
		state.view = saved.view;
		state.frame = saved.frame;
		show();
	}
	restorePanes(saved, false);
	chart.scroller.scrollTop = saved.scroll;
	updatePath();
	updateStatus();
}

/* Something else than the zoom changed: draw again, zoomed to the same boxes. */
function refresh() {
	const saved = snapshot();
	show();
	restorePanes(saved, true);
	chart.scroller.scrollTop = saved.scroll;
	updatePath();
}

function setView(view, frame) {
	if (view === state.view && (frame === undefined || frame === state.frame))
		return;
	history[historyAt] = snapshot();
	state.view = view;
	if (frame !== undefined)
		state.frame = frame;
	show();
	remember();
}

/* Add a filter on the function of a box; of focus and show from there is one each. */
function addFilter(kind, place) {
	const frame = place ? place.pane.layout.tree.frame[place.node] : -1;
	if (frame < 0)
		return;
	const {name} = model.frames[frame], one = kind === 'focus' || kind === 'from';
	setFilters([...model.filters.filter(filter => !(filter.kind === kind && (one || filter.name === name))), {kind, name}]);
}

function setFilters(filters) {
	history[historyAt] = snapshot();
	model.setFilters(filters);
	show();
	remember();
}

/* What is left out, each with a button that takes it back. */
function updateFilters() {
	$('filters').replaceChildren(...model.filters.map(filter => {
		const item = document.createElement('li'), button = document.createElement('button');
		button.type = 'button';
		button.textContent = FILTERS[filter.kind].toLowerCase() + ' ' + filter.name + ' ×';
		button.title = 'Remove this filter';
		button.addEventListener('click', () => setFilters(model.filters.filter(other => other !== filter)));
		item.append(button);
		return item;
	}));
	$('filters').hidden = !model.filters.length;
}

function act(place) {
	history[historyAt] = snapshot();
	zoom(place, false);
	remember();
}

function resetZoom() {
	if (chart.panes.every(pane => pane.focus === 0 && !pane.free))
		return;
	history[historyAt] = snapshot();
	for (const pane of chart.panes)
		zoom({pane, node: 0}, false);
	remember();
}

/* ---- search ------------------------------------------------------------------------------------- */

function updateSearch() {
	const output = $('found'), input = $('search');
	search.matches = null;
	input.setAttribute('aria-invalid', 'false');
	output.className = '';
	output.textContent = '';
	if (!search.text)
		return chart.redraw();
	let expression;
	try {
		expression = new RegExp(search.text, /[A-Z]/.test(search.text) ? 'u' : 'iu');
	} catch (error) {
		input.setAttribute('aria-invalid', 'true');
		output.className = 'bad';
		output.textContent = error.message.replace(/^Invalid regular expression: /, '');
		return chart.redraw();
	}
	let functions = 0;
	const matches = new Uint8Array(model.frames.length);
	model.frames.forEach((frame, i) => {
		matches[i] = expression.test(frame.name) ? 1 : 0;
		functions += matches[i];
	});
	search.matches = matches;
	let sum = 0, boxes = 0;
	for (const pane of chart.panes) {
		const result = pane.layout.matched(matches);
		sum = Math.max(sum, result.sum);
		boxes += result.boxes;
	}
	const whole = chart.panes[0].layout.total;
	output.textContent = 'matched ' + percent(sum, whole) + ' · ' + amount(sum, model.unit) + ' · ' +
		digits(functions, 9) + (functions === 1 ? ' function, ' : ' functions, ') + digits(boxes, 9) +
		(boxes === 1 ? ' box' : ' boxes');
	chart.redraw();
}

/* The next box that matches, in the order of a reader. */
function nextMatch(step) {
	if (!search.matches || !chart.panes.length)
		return;
	const pane = (chart.chosen || {pane: chart.panes[chart.panes.length - 1]}).pane;
	const layout = pane.layout, places = [];
	layout.rows.forEach((row, depth) => {
		if (depth >= Math.max(1, pane.first))
			row.forEach(i => {
				if (look.state(pane, i) === 1)
					places.push(i);
			});
	});
	if (!places.length)
		return;
	const at = chart.chosen ? places.indexOf(chart.chosen.node) : -1;
	choose({pane, node: places[(at + step + places.length + (at < 0 && step < 0 ? 1 : 0)) % places.length]});
}

/* ---- status line -------------------------------------------------------------------------------- */

function changeParts(base, value, unit, whole, what) {
	const delta = value - base;
	return {text: what + amount(base, unit) + ' → ' + amount(value, unit) + ', ' +
		signed(delta, amount(delta, unit)) + ' (' + percent(delta, whole) + ' of all), ' +
		relative(base, value), strong: what === '' ? relative(base, value) : '',
		tone: delta > 0 ? 'more' : delta < 0 ? 'less' : ''};
}

/* What is known of a box, in parts. */
function describe(pane, node) {
	const tree = pane.layout.tree, frame = tree.frame[node], unit = model.unit;
	const v = model.values(tree, node), root = model.values(model.tree('tree'), 0);
	const parts = [{text: model.nameOf(tree, node), kind: 'name'}];
	if (frame >= 0 && (model.frames[frame].file || model.frames[frame].module))
		parts.push({text: [model.frames[frame].file, model.frames[frame].module].filter(t => t)
			.join(' — '), kind: 'file'});
	if (model.diff) {
		parts.push(changeParts(v.totalBase, v.total, unit, root.totalBase, ''));
		if (!tree.inverted)
			parts.push(changeParts(v.ownBase, v.own, unit, root.totalBase, 'own '));
	} else {
		parts.push({text: amount(v.total, unit), strong: true}, {text: percent(v.total, root.total) +
			' of all', strong: true});
		if (pane.focus)
			parts.push({text: percent(v.total, model.values(tree, pane.focus).total) + ' of the zoomed'});
		if (state.view === 'sandwich')
			parts.push({text: percent(v.total, model.values(tree, 0).total) + ' of the function'});
		if (!tree.inverted)
			parts.push({text: 'own ' + amount(v.own, unit) + ' (' + percent(v.own, root.total) + ')'});
	}
	return parts;
}

function updateStatus() {
	const status = $('status'), place = chart.hover || chart.chosen ||
		(chart.panes.length ? {pane: chart.panes[chart.panes.length - 1], node:
			chart.panes[chart.panes.length - 1].focus || 0} : null);
	status.replaceChildren();
	$('around').hidden = true;
	if (!place)
		return;
	const numbers = document.createElement('div');
	numbers.className = 'numbers';
	for (const part of describe(place.pane, place.node)) {
		const span = document.createElement('span');
		span.className = part.kind || part.tone || '';
		if (part.strong === true) {
			const bold = document.createElement('b');
			bold.textContent = part.text;
			span.append(bold);
		} else {
			span.textContent = part.text;
		}
		(part.kind ? status : numbers).append(span);
	}
	status.append(numbers);
	const kept = chart.chosen || {pane: place.pane, node: place.pane.focus || 0};
	const frame = kept.pane.layout.tree.frame[kept.node];
	$('around').hidden = frame < 0 || (state.view === 'sandwich' && frame === state.frame);
}

/* ---- path --------------------------------------------------------------------------------------- */

function updatePath() {
	$('back').disabled = historyAt <= 0;
	$('forward').disabled = historyAt >= history.length - 1;
	$('reset').disabled = chart.panes.every(pane => pane.focus === 0 && !pane.free);
	const pane = chart.panes.find(p => p.focus > 0) || chart.panes[chart.panes.length - 1];
	const items = [];
	for (let i = pane.focus; ; i = pane.layout.tree.parent[i]) {
		const item = document.createElement('li'), button = document.createElement('button');
		const node = i;
		button.type = 'button';
		button.textContent = model.labelOf(pane.layout.tree, i)[1];
		button.title = model.nameOf(pane.layout.tree, i);
		button.addEventListener('click', () => act({pane, node}));
		item.append(button);
		items.unshift(item);
		if (i === 0)
			break;
	}
	$('crumbs').replaceChildren(...(items.length > 40 ? [items[0], ...items.slice(-39)] : items));
	$('crumbs').scrollLeft = $('crumbs').scrollWidth;
	writeFragment();
}

/* ---- the list of functions ---------------------------------------------------------------------- */

const LISTED = 300;
let listBy = data.diff ? 'change' : 'own';

/* Own and total value of each function, exact. */
function functionTable() {
	const own = model.flat[model.weight], all = model.cumulative[model.weight];
	return {own, all, change: model.diff ? own.map((value, i) => value - model.flat[model.weight - 1][i] * model.factor) : null};
}

function changeText(table, frame) {
	const change = table.change[frame];
	return table.own[frame] === change && change ? 'new' : change ? signed(change, amount(change, model.unit)) : '0';
}

function updateFunctions() {
	$('functions').hidden = state.view !== 'sandwich';
	if (state.view !== 'sandwich')
		return;
	const table = functionTable(), total = model.tree('tree').total[model.weight][0];
	const list = [];
	for (let i = 0; i < model.frames.length; i++)
		if (!search.matches || search.matches[i] || i === state.frame)
			list.push(i);
	const weigh = listBy === 'change' ? i => Math.abs(table.change[i]) : i => table[listBy][i];
	list.sort((a, b) => weigh(b) - weigh(a) || a - b);
	const items = list.slice(0, LISTED).map(frame => {
		const item = document.createElement('li');
		item.setAttribute('role', 'option');
		item.setAttribute('aria-selected', String(frame === state.frame));
		item.dataset.frame = frame;
		for (const text of [model.frames[frame].name, ...(model.diff ? [changeText(table, frame)] : []),
			percent(table.own[frame], total), percent(table.all[frame], total)]) {
			const span = document.createElement('span');
			span.textContent = text.length > 22 && text === model.frames[frame].name ? model.shortName(frame) : text;
			item.append(span);
		}
		item.title = model.frames[frame].name;
		return item;
	});
	if (list.length > LISTED) {
		const more = document.createElement('li');
		more.className = 'more';
		more.textContent = digits(list.length - LISTED, 9) + ' more: search to see them';
		items.push(more);
	}
	$('function-list').replaceChildren(...items);
	const chosen = $('function-list').querySelector('[aria-selected="true"]');
	if (chosen)
		chosen.scrollIntoView({block: 'nearest'});
	for (const button of document.querySelectorAll('[data-by]'))
		button.setAttribute('aria-pressed', String(button.dataset.by === listBy));
}

/* Move a box into sight and mark it. */
function choose(place) {
	const {pane, node} = place, layout = pane.layout;
	if (layout.x[node] + layout.width[node] <= pane.a || layout.x[node] >= pane.b)
		zoom({pane, node: layout.tree.parent[node]}, true);
	chart.chosen = place;
	chart.hover = null;
	chart.reveal(place);
	chart.redraw();
	updateStatus();
}

/* ---- the address -------------------------------------------------------------------------------- */

const standardState = Object.assign({}, state);
let fragment = '';

/* What is shown, so that a link shows it again: what is as it was at first is left out. */
function writeFragment() {
	const words = new URLSearchParams(), pane = chart.panes.find(one => one.focus > 0);
	for (const key of ['view', 'order', 'color', 'flame'])
		if (state[key] !== standardState[key])
			words.set(key, state[key]);
	if (state.view === 'sandwich' && state.frame >= 0)
		words.set('function', model.frames[state.frame].name);
	if (model.metric !== (data.options.metric || 0))
		words.set('metric', model.metric);
	for (const filter of model.filters)
		words.append(filter.kind, filter.name);
	if (search.text)
		words.set('search', search.text);
	if (pane)
		words.set('zoom', (chart.panes.length > 1 ? chart.panes.indexOf(pane) + '.' : '') + pane.focus);
	if (words.toString() === fragment)
		return;
	fragment = words.toString();
	window.history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);
}

/* Show what the address says. */
function readFragment() {
	const text = location.hash.slice(1), words = new URLSearchParams(text), known = (key, choices) => choices[words.get(key)] ? words.get(key) : standardState[key];
	fragment = text;
	state.view = words.get('view') === 'sandwich' || data.trees[words.get('view')] ? words.get('view') : standardState.view;
	state.order = known('order', ORDERS);
	state.color = known('color', model.diff ? CHANGES : COLORS);
	state.flame = words.has('flame') ? words.get('flame') === 'true' : standardState.flame;
	state.frame = words.has('function') ? model.frames.findIndex(frame => frame.name === words.get('function')) : standardState.frame;
	model.metric = data.metrics[words.get('metric')] ? Number(words.get('metric')) : data.options.metric || 0;
	search.text = $('search').value = words.get('search') || '';
	for (const key of ['order', 'color'])
		$(key).value = state[key];
	$('metric').value = String(model.metric);
	model.setFilters([...words].filter(([kind]) => Object.hasOwn(FILTERS, kind)).map(([kind, name]) => ({kind, name})));
	show();
	const [which, node] = (words.get('zoom') || '').includes('.') ? words.get('zoom').split('.').map(Number) : [0, Number(words.get('zoom'))];
	const pane = chart.panes[which];
	if (pane && Number.isInteger(node) && node > 0 && node < pane.layout.tree.count && pane.layout.width[node] > 0)
		zoom({pane, node}, true);
}
