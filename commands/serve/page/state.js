/* SPDX-License-Identifier: BSD-3-Clause */
/* What is shown is what the address says; each answer of the server is of one address. */

const $ = id => document.getElementById(id);

const TABS = {flame: 'Flame graph', callers: 'Callers', top: 'Top', peek: 'Peek', source: 'Source', graph: 'Graph'};
/* Filters by the names that perun show and pprof have for them. */
const FILTERS = {focus: 'only stacks with', ignore: 'no stacks with', hide: 'hide frames', show: 'show frames',
	'show-from': 'from the frame', 'prune-from': 'up to the frame', label: 'label', 'no-label': 'not the label',
	'root-label': 'group by label', 'leaf-label': 'label at the leaf', where: 'where',
	profile: 'profile', 'base-profile': 'compared with', 'base-label': 'compared with label',
	'base-no-label': 'compared with samples without the label', 'base-where': 'compared with where'};
const REPEATED = ['label', 'no-label', 'root-label', 'leaf-label', 'where', 'profile', 'base-profile', 'base-label', 'base-no-label',
	'base-where'];
const HINTS = {label: 'KEY=REGEX, KEY<N, KEY>=N', 'no-label': 'KEY=REGEX, KEY<N', 'root-label': 'KEY', 'leaf-label': 'KEY',
	where: 'condition, such as amount > 3', profile: 'HEAD, 0@i, or a file named at the start',
	'base-profile': 'HEAD~1, 0@i, or a file named at the start', 'base-label': 'KEY=REGEX, KEY<N, KEY>=N',
	'base-no-label': 'KEY=REGEX, KEY<N', 'base-where': 'condition, such as amount > 3'};
const GRANULARITIES = ['function', 'file-function', 'file', 'line', 'address', 'module'];

let words = new URLSearchParams(location.search);
const shown = {about: null, tree: null, answer: null};

function get(name) { return words.get(name) || ''; }
function tab() { return Object.hasOwn(TABS, get('tab')) ? get('tab') : 'flame'; }

/* Change the address, and show what it says then. */
function change(edit) {
	const next = new URLSearchParams(words);
	edit(next);
	if (next.toString() === words.toString())
		return;
	words = next;
	history.pushState(null, '', words.toString() ? '?' + words : location.pathname);
	update();
}

function set(name, value) {
	change(next => value ? next.set(name, value) : next.delete(name));
}

function addFilter(kind, value) {
	if (!value)
		return;
	change(next => {
		if (!REPEATED.includes(kind))
			next.set(kind, value);
		else if (!next.getAll(kind).includes(value))
			next.append(kind, value);
	});
}

function removeFilter(kind, value) {
	change(next => {
		const left = next.getAll(kind).filter(other => other !== value);
		next.delete(kind);
		left.forEach(other => next.append(kind, other));
	});
}

/* A function's name, and nothing else, as a regular expression. */
function exactly(name) {
	return '^' + name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '$';
}

/* ---- asking ------------------------------------------------------------------------------------- */

const asked = {};

/* The arguments that change an answer, so that what does not is not asked for again. */
function query(more) {
	const next = new URLSearchParams();
	for (const [name, value] of words)
		if (!['tab', 'search', 'sort', 'function', 'zoom', 'code'].includes(name))
			next.append(name, value);
	Object.entries(more || {}).forEach(([name, value]) => value && next.set(name, value));
	return next.toString();
}

/* An answer of the server; one that is no longer wanted is given up. */
async function ask(kind, more) {
	if (asked[kind])
		asked[kind].abort();
	const control = asked[kind] = new AbortController();
	const response = await fetch('api/' + kind + '?' + query(more), {signal: control.signal});
	const answer = await response.json();
	if (!response.ok)
		throw new Error(answer.error || response.statusText);
	return answer;
}

function element(name, properties, ...children) {
	const made = Object.assign(document.createElement(name), properties || {});
	made.append(...children);
	return made;
}

function button(text, title, run) {
	const made = element('button', {type: 'button', textContent: text, title});
	made.addEventListener('click', run);
	return made;
}

/* A value, and what it was where two selections are compared: "1.2 s → 1.5 s +25 %". */
function changed(base, value, unit) {
	return amount(base, unit) + ' → ' + amount(value, unit) + ' ' + relative(base, value);
}

/* What shares are shares of. */
function whole(answer) { return get('relative') ? answer.total : answer.all; }
