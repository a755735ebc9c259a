/* SPDX-License-Identifier: BSD-3-Clause */
/* The page: its controls and keys; everything again whenever the address changes. */

const SHOW = {flame: showFlame, callers: showFlame, graph: showGraph, top: showTop, peek: showPeek, source: showSource};
let asking = 0;

function showProblem(text) {
	$('problem').hidden = !text;
	$('problem').textContent = text;
}

function showControls() {
	for (const one of $('tabs').children)
		one.setAttribute('aria-selected', String(one.dataset.tab === tab()));
	$('by').value = get('by') || 'function';
	$('metric').value = get('metric') || (shown.about ? shown.about.metric : '');
	$('no-inlines').checked = Boolean(get('no-inlines'));
	$('relative').checked = Boolean(get('relative'));
	$('normalize').checked = Boolean(get('normalize'));
	if (document.activeElement !== $('search'))
		$('search').value = get('search');
	$('flame').hidden = tab() !== 'flame' && tab() !== 'callers';
	$('graph').hidden = tab() !== 'graph';
	$('text').hidden = !$('flame').hidden || !$('graph').hidden;
	showChips();
}

function showSummary(answer) {
	if (answer.base_total !== undefined) {
		$('summary').textContent = visible(answer.metric) + ': ' + changed(answer.base_total, answer.total, answer.unit);
		return;
	}
	const left = answer.total < answer.all ? ' of ' + amount(answer.all, answer.unit) + ' (' +
		percent(answer.total, answer.all) + ')' : '';
	$('summary').textContent = visible(answer.metric) + ': ' + amount(answer.total, answer.unit) + left;
}

/* What is for one selection alone, and for two. */
function showComparison(answer) {
	const compared = Boolean(answer && answer.base_total !== undefined);
	$('normalize').parentNode.hidden = !compared;
	$('relative').parentNode.hidden = compared;
	$('legend').hidden = !compared || !$('text').hidden;
	for (const [id, color] of [['more', changeColor(1, picture.dark)], ['less', changeColor(-1, picture.dark)],
		['new', onlyColor(true, picture.dark)], ['gone', onlyColor(false, picture.dark)]])
		$('legend').querySelector('.' + id).style.background = color;
}

async function update() {
	const turn = ++asking;
	showControls();
	$('stage').classList.add('old');
	try {
		const answer = await SHOW[tab()]();
		if (answer && turn === asking)
			showSummary(answer);
		showComparison(answer);
		showProblem('');
	} catch (error) {
		if (error.name !== 'AbortError' && turn === asking)
			showProblem(error.message);
	}
	if (turn !== asking)
		return;
	$('stage').classList.remove('old');
	document.body.dataset.turn = turn; /* what is shown is what the address says */
	showFacets().catch(() => {});
	showTimes().catch(() => {});
}

/* ---- controls ----------------------------------------------------------------------------------- */

function isDark() {
	const chosen = document.documentElement.dataset.theme;
	return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function setTheme(dark) {
	document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	picture.dark = dark;
	chart.redraw();
	if (strip.answer && strip.answer.column)
		drawTimes();
	if (tab() === 'graph')
		update();
}

function makeControls(about) {
	$('title').textContent = visible(about.title);
	document.title = visible(about.title) + ' · perun';
	$('metric').replaceChildren(...about.metrics.map(metric => element('option', {value: metric.name,
		textContent: visible(metric.name)})));
	$('profiles').replaceChildren(...about.profiles.map(name => element('option', {value: name})));
	$('download').append(...about.formats.map(format => element('option', {value: format, textContent: format})));
}

for (const [name, title] of Object.entries(TABS)) {
	const one = button(title, '', () => set('tab', name === 'flame' ? '' : name));
	one.setAttribute('role', 'tab');
	one.dataset.tab = name;
	$('tabs').append(one);
}
$('by').append(...GRANULARITIES.map(name => element('option', {value: name, textContent: name})));
$('kind').append(...Object.keys(FILTERS).map(name => element('option', {value: name, textContent: name, title: FILTERS[name]})));
$('metric').addEventListener('change', () => set('metric', $('metric').value));
$('by').addEventListener('change', () => set('by', $('by').value === 'function' ? '' : $('by').value));
for (const name of ['no-inlines', 'relative', 'normalize'])
	$(name).addEventListener('change', () => set(name, $(name).checked ? '1' : ''));
$('search').addEventListener('input', () => {
	if ($('search').value)
		words.set('search', $('search').value);
	else
		words.delete('search');
	history.replaceState(null, '', words.toString() ? '?' + words : location.pathname);
	if (tab() === 'top')
		update();
	else
		showMatches();
});
$('download').addEventListener('change', () => {
	if ($('download').value)
		element('a', {href: 'api/profile?' + query({format: $('download').value}), download: ''}).click();
	$('download').value = '';
});
$('theme').addEventListener('click', () => setTheme(!picture.dark));
$('help').addEventListener('click', () => $('about').showModal());
$('about').append(element('h2', {textContent: 'Keys'}), element('dl', {}, ...[
	['1 … 6', 'flame graph, callers, top, peek, source, graph'], ['/', 'search'], ['n', 'a new filter'],
	['Alt+click on a label', 'compare with the samples that have it'],
	['arrows, Enter', 'move through the boxes, zoom to one; move the graph'], ['+, -', 'zoom the graph'], ['Escape', 'zoom out'],
	['f, h', 'focus on the chosen function, hide it'], ['c, p, s', 'callers and callees of it, peek, source'], ['m', 'machine code below the lines of the source'],
	['Backspace', 'what was shown before'], ['Shift+Backspace', 'remove all filters'], ['d', 'dark or light']
].flatMap(([key, text]) => [element('dt', {textContent: key}), element('dd', {textContent: text})])),
element('p', {textContent: 'Filters have the names and the meaning that they have in perun show. The address has all that is chosen.'}),
element('form', {method: 'dialog'}, element('button', {textContent: 'Close'})));

/* ---- keys --------------------------------------------------------------------------------------- */

function press(title) {
	const found = [...$('actions').children].find(one => one.textContent === title);
	if (found)
		found.click();
}

const KEYS = {
	'/': () => $('search').focus(), 'n': () => $('value').focus(), 'd': () => $('theme').click(),
	'?': () => $('about').showModal(), 'f': () => press('Focus'), 'h': () => press('Hide'),
	'c': () => press('Callers and callees'), 'p': () => press('Peek'), 's': () => press('Source'),
	'm': () => $('code') && $('code').click(),
	'+': () => tab() === 'graph' && zoomGraph(0.8), '-': () => tab() === 'graph' && zoomGraph(1.25),
	'Escape': () => tab() === 'graph' ? chooseNone() : chart.panes.forEach(pane => zoom({pane, node: 0})),
	'Enter': () => chart.chosen && document.activeElement === $('canvas') && zoom(chart.chosen),
	'Backspace': event => event.shiftKey ? clearFilters() : history.back()
};
Object.keys(TABS).forEach((name, i) => KEYS[i + 1] = () => set('tab', name === 'flame' ? '' : name));

addEventListener('keydown', event => {
	const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== 'checkbox';
	if (event.ctrlKey || event.metaKey || event.altKey || $('about').open)
		return;
	if (typing) {
		if (event.key === 'Escape')
			event.target.blur();
		return;
	}
	if (event.key.startsWith('Arrow') && $('text').hidden) {
		event.preventDefault();
		if (tab() === 'graph')
			moveGraph(event.key);
		else
			move(event.key);
	} else if (Object.hasOwn(KEYS, event.key)) {
		if (event.key !== 'Enter')
			event.preventDefault();
		KEYS[event.key](event);
	}
});

addEventListener('popstate', () => {
	words = new URLSearchParams(location.search);
	update();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
	picture.dark = isDark();
	chart.redraw();
});

picture.dark = isDark();
update();
ask('about').then(about => {
	shown.about = about;
	makeControls(about);
	showControls();
}).catch(error => showProblem(error.message));
