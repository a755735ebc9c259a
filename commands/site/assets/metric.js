/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a metric: its history as a chart, its changes, its functions. */

const RANGES = [100, 500, 2000], FAR = 2500;

function hashFacts() {
	const words = new URLSearchParams(location.hash.slice(1)), number = key => words.has(key) ? Number(words.get(key)) : NaN;
	return { place: words.get('place') || '', overlays: (words.get('with') || '').split(' ').filter(word => word), from: number('from'), to: number('to') };
}

function writeHash(state) {
	const words = new URLSearchParams(), { history, facts } = state;
	if (history.place !== facts.places[0])
		words.set('place', history.place.place);
	if (history.overlays.length)
		words.set('with', history.overlays.map(one => one.id).join(' '));
	if (state.to !== state.end || state.from !== state.standard) {
		words.set('from', state.from);
		words.set('to', state.to);
	}
	const text = words.toString();
	state.hash = text ? '#' + text : '';
	window.history.replaceState(null, '', state.hash || location.pathname + location.search);
}

/* A sum over functions or benchmarks has no changes of its own: it changed when one of them did. */
function changesOf(facts, place) {
	if (place.place || place.changes.length)
		return place.changes;
	return facts.places.flatMap(part => part.changes.map(change => ({ ...change, part })))
		.sort((a, b) => a.at - b.at || Math.abs(a.after - a.before) - Math.abs(b.after - b.before));
}

function pointTable(state) {
	const { facts, history } = state, axis = unitOf(facts.unit), changes = changesOf(facts, history.place);
	if (!changes.length)
		return make('p', { class: 'empty', text: 'No change of the level was found.' });
	return table([
		...(changes[0].part ? [{ title: 'Where', value: change => change.part.place, cell: change => make('a', { href: '#place=' + encodeURIComponent(change.part.place), text: change.part.place }) }] : []),
		{ title: 'Change', number: true, value: change => relative(change.before, change.after), cell: changeText },
		{ title: 'Before → after', class: 'narrow', cell: change => `${amount(axis, change.before)} → ${amount(axis, change.after)}` },
		{ title: 'Confidence', number: true, cell: change => make('span', { title: change.explanation || '' }, confidence(change.p)) },
		{ title: 'Commit', cell: change => make('span', {}, versionLink(change.version), ' ', make('a', { href: versionAddress(change.version), text: change.subject })) },
		{ title: 'Author', class: 'soft', cell: change => change.author },
		{ title: 'Date', class: 'narrow soft', value: change => change.date, cell: change => date(change.date) },
		...(changes.some(change => change.known) ? [{ title: 'Known', cell: change => change.known || '' }] : []),
		{ title: '', label: 'Zoom', class: 'narrow', cell: change => make('button', { type: 'button', text: 'Zoom', onclick: () => state.around(change) }) },
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
	const texts = [facts.higher === null ? 'no direction is known' : facts.higher ? 'higher is better' : 'lower is better'];
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
	const box = make('div', { class: 'plot', id: 'plot' }), points = make('div'), note = make('span', { class: 'soft', id: 'range' }), others = make('span', { id: 'overlays' });
	const histories = new Map();
	content.append(title, make('p', { class: 'facts' }, make('code', { text: '$ ' + commandOf(facts) })), about, tools, box,
		make('p', { class: 'legend' }, make('span', {}, swatch('curve'), 'median'), make('span', {}, swatch('band'), '95 % interval'),
			make('span', {}, swatch('dots'), 'runs, when there is room'), make('span', {}, swatch('worse'), 'regression'), make('span', {}, swatch('better'), 'improvement'), others),
		make('h2', { text: 'Changes' }), points);

	/* What is shown first: the latest versions that were measured, with the last change if that is not far away. */
	const standard = place => {
		const last = place.changes[place.changes.length - 1], end = (place.at ?? facts.line - 1) + 1, latest = end - RANGES[1];
		return Math.max(place.begin || 0, last && last.at - 60 < latest && last.at > end - FAR ? last.at - 60 : latest);
	};
	state.setPlace = place => {
		state.begin = place.begin || 0;
		state.end = place.at ?? facts.line - 1;
		state.standard = standard(place);
		addRanges();
		if (!histories.has(place))
			histories.set(place, new History(facts, place));
		state.history = histories.get(place);
		state.hover = -1;
		title.textContent = place.place && facts.places.length > 1 ? `${facts.metric}: ${place.place}` : facts.metric;
		about.replaceChildren(...describe(state));
		points.replaceChildren(pointTable(state));
	};
	state.show = async (low, high) => {
		state.from = Math.max(state.begin === state.end ? -1 : 0, Math.min(facts.line - 2, low));
		state.to = Math.min(facts.line, Math.max(state.from + 1, high));
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
		const { measured } = state.history.count(state.from, state.to);
		note.textContent = `${measured.toLocaleString('en')} measured of ${plural(shown, 'version')}`;
		for (const button of tools.querySelectorAll('button[data-last]'))
			button.setAttribute('aria-pressed', state.to === state.end && shown === Number(button.dataset.last));
		reset.disabled = state.to === state.end && state.from === state.standard;
		others.replaceChildren(...overlayLegend(state));
		writeHash(state);
	};
	state.around = change => {
		const room = Math.max(20, Math.min(100, Math.round((change.end - change.first) / 3)));
		state.show(change.at - room, change.at + room);
		box.scrollIntoView({ block: 'center' });
	};
	state.reset = () => state.show(state.standard, state.end);

	const reset = make('button', { type: 'button', id: 'reset', text: 'Reset zoom', title: 'Escape', onclick: state.reset });
	const zero = make('button', { type: 'button', id: 'zero', text: 'From zero', 'aria-pressed': state.zero, onclick: () => {
		state.zero = !state.zero;
		zero.setAttribute('aria-pressed', state.zero);
		remember('zero', state.zero ? 'yes' : 'no');
		state.show(state.from, state.to);
	} });
	const ranges = make('span', { class: 'ranges' });
	const addRanges = () => {
		const all = state.end - state.begin + 1;
		ranges.replaceChildren(...[...RANGES.filter(range => range < all), all].map(last =>
			make('button', { type: 'button', 'data-last': last, text: last === all ? 'All' : `Last ${last.toLocaleString('en')}`, onclick: () => state.show(state.end + 1 - last, state.end) })));
	};
	const choice = await overlayChoice(state);
	tools.append(ranges, note, choice || '', make('span', { class: 'space' }), zero, reset);
	document.addEventListener('keydown', event => {
		if (event.key === 'Escape' && event.target.tagName !== 'INPUT')
			state.reset();
	});
	if (facts.places.length > 1 || facts.hidden)
		content.append(make('h2', {}, 'Where', make('small', { text: facts.hidden ? `the ${plural(facts.places.length - 1, 'costliest function')}; ${plural(facts.hidden, 'smaller one')} not shown` : '' })), placeTable(state));
	const open = async ({ place, overlays, from: low, to: high }) => {
		state.setPlace(facts.places.find(one => one.place === place) || facts.places[0]);
		for (const id of overlays)
			await state.overlay(id);
		if (state.begin === state.end)
			return state.show(state.begin - 1, state.end + 1);
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
	});
	window.chartOfPage = state;
	await open(from);
}
