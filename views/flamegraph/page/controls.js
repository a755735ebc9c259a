/* SPDX-License-Identifier: BSD-3-Clause */
/* Buttons, lists, mouse and keys; and the start of the page. */

function fill(select, choices, value, change) {
	for (const [name, text] of Object.entries(choices)) {
		const option = document.createElement('option');
		option.value = name;
		option.textContent = text;
		select.append(option);
	}
	select.value = value;
	select.addEventListener('change', () => change(select.value));
}

function updateControls() {
	for (const tab of $('views').children) {
		tab.setAttribute('aria-selected', String(tab.dataset.view === state.view));
		tab.tabIndex = tab.dataset.view === state.view ? 0 : -1;
	}
	$('flip').hidden = state.view === 'sandwich';
	$('flip').textContent = state.flame ? 'Flame ▲' : 'Icicle ▼';
	$('order').disabled = state.view === 'time';
	$('canvas').setAttribute('aria-label', 'Flame graph of ' + data.title + ', ' + VIEWS[state.view] +
		', ' + data.metrics[model.metric].name + '. Arrows choose a box, Enter zooms, Escape shows all.');
	updateLegend();
}

function legendItem(style, text, ramp) {
	const item = document.createElement('span'), box = document.createElement('i');
	if (ramp)
		box.className = 'ramp';
	box.style.background = style;
	item.append(box, text);
	return item;
}

function updateLegend() {
	const theme = look.theme(), legend = $('legend'), items = [];
	const ramp = make => 'linear-gradient(90deg,' + [0, .25, .5, .75, 1].map(make).join(',') + ')';
	if (model.diff) {
		items.push(legendItem(ramp(t => changeColor(2 * t - 1, state.dark)), 'less … more ' +
			CHANGES[state.color], true), legendItem(onlyColor(true, state.dark), 'new'), legendItem(onlyColor(false, state.dark), 'gone'));
	} else if (state.color === 'own') {
		items.push(legendItem(ramp(t => heatColor(t, state.dark)), 'own value', true));
	} else if (state.color === 'time') {
		items.push(legendItem(ramp(t => momentColor(t, state.dark)), 'early … late', true));
	} else if (state.color !== 'name') {
		items.push(...groupLegend());
	}
	legend.replaceChildren(...items);
}

/* The heaviest groups with their colours. */
function groupLegend() {
	const sums = new Map(), own = functionTable().own;
	own.forEach((value, frame) => {
		const group = model.groupOf(frame, state.color);
		sums.set(group, (sums.get(group) || 0) + value);
	});
	return [...sums].filter(([group, sum]) => group && sum > 0).sort((a, b) => b[1] - a[1]).slice(0, 5)
		.map(([group]) => legendItem(nameColor(group, group, state.dark),
			group.length > 26 ? '…' + group.slice(-25) : group));
}

function setTheme(dark, byHand) {
	state.dark = dark;
	if (byHand)
		document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	model.forgetShades();
	if (chart.panes.length) {
		chart.redraw();
		updateLegend();
	}
}

function setUp() {
	for (const view of Object.keys(VIEWS)) {
		if (view !== 'sandwich' && !data.trees[view])
			continue;
		const tab = document.createElement('button');
		tab.type = 'button';
		tab.dataset.view = view;
		tab.setAttribute('role', 'tab');
		tab.textContent = VIEWS[view];
		tab.addEventListener('click', () => setView(view));
		$('views').append(tab);
	}
	const metrics = Object.fromEntries(data.metrics.map((m, i) =>
		[i, visible(m.name) + (m.unit && m.unit !== 'count' ? ' (' + visible(m.unit) + ')' : '')]));
	fill($('metric'), metrics, String(model.metric), value => {
		model.metric = Number(value);
		refresh();
	});
	$('metric-field').hidden = data.metrics.length < 2;
	const colors = Object.assign({}, COLORS);
	if (!data.frames.moment)
		delete colors.time;
	if (!model.frames.some(frame => frame.file))
		delete colors.file;
	if (!model.frames.some(frame => frame.module))
		delete colors.module;
	if (!model.diff && !colors[state.color])
		state.color = standardState.color = 'package';
	fill($('color'), model.diff ? CHANGES : colors, state.color, value => {
		state.color = value;
		chart.redraw();
		updateLegend();
		writeFragment();
	});
	fill($('order'), ORDERS, state.order, value => {
		state.order = value;
		refresh();
	});
	fill($('width'), WIDTHS, model.widthOf, value => {
		model.widthOf = value;
		refresh();
	});
	$('normalize').checked = model.normalize;
	$('normalize').addEventListener('change', event => {
		model.normalize = event.target.checked;
		refresh();
	});
	for (const field of document.querySelectorAll('.diff'))
		field.hidden = !model.diff;
	$('functions').classList.toggle('changes', model.diff);
	for (const part of document.querySelectorAll('.tools, .bar, .path, main, footer'))
		part.hidden = false;
}

/* ---- mouse -------------------------------------------------------------------------------------- */

function setUpMouse() {
	const canvas = $('canvas');
	let drag = null;
	const place = event => {
		const box = canvas.getBoundingClientRect();
		return chart.at(event.clientX - box.left, event.clientY - box.top);
	};
	const setHover = spot => {
		const old = chart.hover;
		if ((old && old.node) === (spot && spot.node) && (old && old.pane) === (spot && spot.pane))
			return;
		chart.hover = spot;
		chart.redraw();
		updateStatus();
	};
	canvas.addEventListener('pointermove', event => {
		if (drag && Math.abs(event.clientX - drag.x) > 4)
			drag.moved = true;
		if (drag && drag.moved && drag.pane) {
			const units = (drag.b - drag.a) / chart.viewWidth, by = (drag.x - event.clientX) * units;
			if (drag.b - drag.a < drag.pane.layout.total)
				zoomRange(drag.pane, drag.a + by, drag.b + by);
			chart.scroller.scrollTop = drag.scroll - (event.clientY - drag.y);
			return;
		}
		const spot = place(event);
		canvas.style.cursor = spot ? 'pointer' : 'default';
		setHover(spot);
	});
	canvas.addEventListener('pointerleave', () => setHover(null));
	canvas.addEventListener('pointerdown', event => {
		const spot = place(event);
		if (event.button !== 0)
			return;
		const pane = spot ? spot.pane : chart.panes[chart.panes.length - 1];
		drag = {x: event.clientX, y: event.clientY, pane, a: pane.a, b: pane.b,
			scroll: chart.scroller.scrollTop, moved: false};
		if (event.pointerType === 'mouse')
			canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener('pointercancel', () => drag = null);
	canvas.addEventListener('pointerup', event => {
		const moved = drag && drag.moved, spot = place(event);
		drag = null;
		if (moved || event.button !== 0 || !spot)
			return;
		if (event.shiftKey && spot.pane.layout.tree.frame[spot.node] >= 0)
			setView('sandwich', spot.pane.layout.tree.frame[spot.node]);
		else
			act(spot);
	});
	canvas.addEventListener('wheel', event => {
		const spot = place(event), pane = spot ? spot.pane : chart.panes[chart.panes.length - 1];
		const wide = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
		const span = pane.b - pane.a;
		if (event.ctrlKey || event.metaKey) {
			const x = pane.a + (event.clientX - canvas.getBoundingClientRect().left) / chart.viewWidth * span;
			const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 200);
			zoomRange(pane, x - (x - pane.a) * factor, x + (pane.b - x) * factor);
		} else if (wide && span < pane.layout.total) {
			const by = (event.deltaX || event.deltaY) / chart.viewWidth * span;
			zoomRange(pane, pane.a + by, pane.b + by);
		} else {
			return; /* the browser scrolls */
		}
		event.preventDefault();
	}, {passive: false});
}

/* What can be done with a box, by its right button. */
function setUpMenu() {
	const menu = $('menu'), canvas = $('canvas');
	const close = () => { menu.hidden = true; };
	canvas.addEventListener('contextmenu', event => {
		const box = canvas.getBoundingClientRect(), place = chart.at(event.clientX - box.left, event.clientY - box.top);
		if (!place || place.pane.layout.tree.frame[place.node] < 0)
			return;
		const frame = place.pane.layout.tree.frame[place.node];
		const choices = [['Zoom', () => act(place)], ['Callers and callees', () => setView('sandwich', frame)],
			...Object.entries(FILTERS).map(([kind, text]) => [text, () => addFilter(kind, place)])];
		event.preventDefault();
		choose(place);
		menu.replaceChildren(...choices.map(([text, run]) => {
			const item = document.createElement('button');
			item.type = 'button';
			item.setAttribute('role', 'menuitem');
			item.textContent = text;
			item.addEventListener('click', () => { close(); run(); });
			return item;
		}));
		menu.hidden = false;
		menu.style.left = Math.max(0, Math.min(event.clientX, innerWidth - menu.offsetWidth - 4)) + 'px';
		menu.style.top = Math.max(0, Math.min(event.clientY, innerHeight - menu.offsetHeight - 4)) + 'px';
		menu.firstChild.focus();
	});
	menu.addEventListener('keydown', event => {
		const items = [...menu.children], step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
		if (event.key === 'Escape') {
			close();
			canvas.focus();
		} else if (step) {
			items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	});
	document.addEventListener('pointerdown', event => {
		if (!menu.contains(event.target))
			close();
	});
}

/* ---- keys --------------------------------------------------------------------------------------- */

/* The box next to the chosen one: towards the leaf, the root, the left or the right. */
function neighbour(key) {
	const place = chart.chosen || chart.hover;
	if (!place) {
		const pane = chart.panes[chart.panes.length - 1];
		return {pane, node: pane.focus};
	}
	const {pane, node} = place, layout = pane.layout, tree = layout.tree;
	const deeper = pane.upwards ? 'ArrowUp' : 'ArrowDown';
	if (key === 'ArrowLeft' || key === 'ArrowRight') {
		const row = layout.rows[tree.depth[node]];
		const next = row[row.indexOf(node) + (key === 'ArrowLeft' ? -1 : 1)];
		return next === undefined ? null : {pane, node: next};
	}
	if (key !== deeper) {
		if (tree.depth[node] > pane.first)
			return {pane, node: tree.parent[node]};
		const other = chart.panes.find(p => p !== pane);
		return other ? {pane: other, node: firstChild(other, 0)} : null;
	}
	const child = firstChild(pane, node);
	return child ? {pane, node: child} : null;
}

/* The widest child, preferring one that is in sight. */
function firstChild(pane, node) {
	const {start, list} = pane.layout.children, layout = pane.layout;
	let best = 0, bestWidth = 0;
	for (let k = start[node]; k < start[node + 1]; k++) {
		const i = list[k];
		const seen = Math.min(layout.x[i] + layout.width[i], pane.b) - Math.max(layout.x[i], pane.a);
		if (seen > bestWidth) {
			best = i;
			bestWidth = seen;
		}
	}
	return best;
}

function zoomBy(factor) {
	const pane = (chart.chosen || {pane: chart.panes[chart.panes.length - 1]}).pane;
	const middle = (pane.a + pane.b) / 2, half = (pane.b - pane.a) / 2 * factor;
	zoomRange(pane, middle - half, middle + half);
}

const KEYS = {
	'/': () => { $('search').focus(); $('search').select(); },
	'Escape': () => resetZoom(),
	'Backspace': () => go(-1),
	'+': () => zoomBy(0.6), '=': () => zoomBy(0.6), '-': () => zoomBy(1 / 0.6), '0': () => resetZoom(),
	'n': () => nextMatch(1), 'N': () => nextMatch(-1),
	'i': () => $('flip').click(),
	's': () => around(),
	't': () => setView('tree'), 'c': () => setView('callers'),
	'o': () => data.trees.time && setView('time'),
	'f': () => addFilter('focus', chart.chosen || chart.hover), 'x': () => addFilter('ignore', chart.chosen || chart.hover),
	'h': () => addFilter('hide', chart.chosen || chart.hover), 'r': () => addFilter('from', chart.chosen || chart.hover),
	'u': () => model.filters.length && setFilters([]),
	'd': () => $('theme').click(),
	'?': () => $('help').click()
};

function around() {
	const place = chart.chosen || chart.hover;
	const frame = place ? place.pane.layout.tree.frame[place.node]
		: chart.panes[0].layout.tree.frame[chart.panes[0].focus];
	if (frame >= 0)
		setView('sandwich', frame);
}

function onKey(event) {
	if (event.defaultPrevented || $('about').open)
		return;
	if (event.altKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
		go(event.key === 'ArrowLeft' ? -1 : 1);
		event.preventDefault();
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
		return;
	if (/^Arrow/.test(event.key) && !event.target.closest('[role="tablist"], [role="listbox"]')) {
		const next = neighbour(event.key);
		if (next)
			choose(next);
	} else if (event.key === 'Enter' && !/^(BUTTON|LI|UL)$/.test(event.target.tagName)) {
		const place = chart.chosen || chart.hover;
		if (place)
			act(place);
	} else if (Object.hasOwn(KEYS, event.key)) {
		KEYS[event.key]();
	} else {
		return;
	}
	event.preventDefault();
}

function onTabKey(event) {
	const tabs = [...$('views').children], at = tabs.indexOf(event.target);
	const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
	if (at < 0 || !step)
		return;
	const next = tabs[(at + step + tabs.length) % tabs.length];
	next.click();
	next.focus();
	event.preventDefault();
}

function onListKey(event) {
	const items = [...$('function-list').querySelectorAll('[data-frame]')];
	const at = items.findIndex(item => Number(item.dataset.frame) === state.frame);
	const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
	if (!step)
		return;
	event.preventDefault();
	const next = items[Math.min(items.length - 1, Math.max(0, at + step))];
	if (next) {
		setView('sandwich', Number(next.dataset.frame));
		const chosen = $('function-list').querySelector('[aria-selected="true"]');
		if (chosen)
			chosen.scrollIntoView({block: 'nearest'});
	}
}

function setUpSearch() {
	const input = $('search');
	let timer = 0;
	input.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => {
			search.text = input.value;
			updateSearch();
			updateFunctions();
			writeFragment();
		}, 60);
	});
	input.addEventListener('keydown', event => {
		if (event.key === 'Enter') {
			nextMatch(event.shiftKey ? -1 : 1);
		} else if (event.key === 'Escape') {
			input.value = search.text = '';
			updateSearch();
			updateFunctions();
			$('canvas').focus();
		} else {
			return;
		}
		event.preventDefault();
	});
}

/* ---- other buttons ------------------------------------------------------------------------------ */

function setUpButtons() {
	$('back').addEventListener('click', () => go(-1));
	$('forward').addEventListener('click', () => go(1));
	$('reset').addEventListener('click', resetZoom);
	$('around').addEventListener('click', around);
	$('flip').addEventListener('click', () => {
		if (state.view === 'sandwich')
			return;
		state.flame = !state.flame;
		refresh();
		chart.scroller.scrollTop = state.flame ? chart.contentHeight : 0;
	});
	$('theme').addEventListener('click', () => setTheme(!state.dark, true));
	$('help').addEventListener('click', () => $('about').showModal());
	$('about').addEventListener('click', event => {
		if (event.target === $('about') || event.target.id === 'close')
			$('about').close();
	});
	$('save').addEventListener('click', () => {
		const text = pictureOf(chart, look, data.title, 1200), link = document.createElement('a');
		link.href = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
		link.download = 'flamegraph.svg';
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10000);
	});
	$('function-list').addEventListener('click', event => {
		const item = event.target.closest('[data-frame]');
		if (item)
			setView('sandwich', Number(item.dataset.frame));
	});
	for (const button of document.querySelectorAll('[data-by]'))
		button.addEventListener('click', () => {
			listBy = button.dataset.by;
			updateFunctions();
		});
	window.addEventListener('beforeprint', () => {
		const dark = state.dark;
		setTheme(false, false);
		$('print').innerHTML = pictureOf(chart, look, data.metrics[model.metric].name + ', ' +
			VIEWS[state.view].toLowerCase(), 1200); /* every text in it was escaped */
		setTheme(dark, false);
	});
	window.addEventListener('afterprint', () => $('print').replaceChildren());
}

function setUpHelp() {
	const keys = [['click, Enter', 'zoom to the box'], ['shift-click, s', 'callers and callees of its function'],
		['arrows', 'choose a box'], ['ctrl-wheel, + −', 'zoom'], ['drag, shift-wheel', 'move sideways'],
		['Escape, 0', 'show all'], ['Backspace', 'back (also Alt and the left arrow)'], ['/', 'search'],
		['n, N', 'the next box found, the one before'], ['t, c, o', 'call tree, callers, time order'],
		['f, x', 'focus on its function, ignore it (also by the right button)'], ['h, r', 'hide its function, show from it'],
		['u', 'without filters'], ['i', 'icicle or flame'], ['d', 'dark or light']];
	const about = $('about'), list = document.createElement('dl');
	const add = (kind, text) => {
		const element = document.createElement(kind);
		element.textContent = text;
		about.append(element);
		return element;
	};
	add('h2', 'Keys');
	for (const [key, text] of keys) {
		const term = document.createElement('dt'), what = document.createElement('dd');
		term.textContent = key;
		what.textContent = text;
		list.append(term, what);
	}
	about.append(list);
	add('h2', 'What is shown');
	add('p',
	    'Each box is a function; its width is what it and all it called took. Below it (above it, in ' +
		    'a flame) is what it called; among callers it is the other way round.');
	add('p',
	    'Hatched boxes represent many that are too small to be kept: how many, and how small, is ' +
		    'said below the title.');
	const close = add('button', 'Close');
	close.type = 'button';
	close.id = 'close';
}

/* ---- start -------------------------------------------------------------------------------------- */

model.metric = data.options.metric || 0;
model.widthOf = data.options.width || 'new';
model.normalize = Boolean(data.options.normalize);
setUp();
setUpHelp();
setUpMouse();
setUpSearch();
setUpButtons();
$('views').addEventListener('keydown', onTabKey);
$('function-list').addEventListener('keydown', onListKey);
document.addEventListener('keydown', onKey);
const preference = matchMedia('(prefers-color-scheme: dark)');
setTheme(preference.matches, false);
preference.addEventListener('change', event => {
	if (!document.documentElement.dataset.theme)
		setTheme(event.matches, false);
});
window.modelOfPage = model; /* for tests */
chart.resize();
setUpMenu();
readFragment();
remember();
window.addEventListener('hashchange', () => {
	if (location.hash.slice(1) !== fragment) {
		history[historyAt] = snapshot();
		readFragment();
		remember();
	}
});
updateStatus();
requestAnimationFrame(() => document.documentElement.dataset.ready = performance.now().toFixed(0));
