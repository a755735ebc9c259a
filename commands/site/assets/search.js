/* SPDX-License-Identifier: BSD-3-Clause */
/* Search for metrics, functions, and versions. */

const MOST_HITS = 12;
const words = text => text.toLowerCase().split(/\s+/).filter(word => word);
const matches = (text, wanted) => { const low = text.toLowerCase(); return wanted.every(word => low.includes(word)); };

function hit(address, text, more) {
	return make('a', { href: address, role: 'option' }, text, ' ', make('span', { text: more }));
}

function section(title, hits, count) {
	if (!count)
		return [];
	return [make('h3', { text: count > hits.length ? `${title}: ${count.toLocaleString('en')}, the first ${hits.length}` : title }), ...hits];
}

/* Versions are loaded newest first, until there are enough. */
async function searchVersions(catalog, wanted, still) {
	const hits = [];
	const look = rows => {
		for (const [version, subject, author, seconds, measured] of rows)
			if (hits.length < MOST_HITS && measured && (matches(`${subject} ${author} ${date(seconds)}`, wanted) || (wanted.length === 1 && version.startsWith(wanted[0]))))
				hits.push(hit(versionAddress(version), subject, `${checksum(version)} ${author} ${date(seconds)}`));
	};
	for (let block = Math.ceil(catalog.line / catalog.block) - 1; block >= 0 && hits.length < MOST_HITS && still(); block--)
		look((await load(`versions-${block}`)).slice().reverse());
	if (catalog.others && hits.length < MOST_HITS && still())
		look(await load('versions-other'));
	return hits;
}

function startSearch() {
	const input = byId('search'), box = byId('hits');
	let round = 0, chosen = -1;
	const links = () => [...box.querySelectorAll('a')];
	const choose = i => {
		const all = links();
		chosen = Math.max(-1, Math.min(all.length - 1, i));
		all.forEach((link, k) => link.classList.toggle('chosen', k === chosen));
		if (chosen >= 0)
			all[chosen].scrollIntoView({ block: 'nearest' });
	};
	const search = async () => {
		const mine = ++round, wanted = words(input.value), still = () => mine === round;
		chosen = -1;
		if (!wanted.length) {
			box.hidden = true;
			return;
		}
		const [catalog, all] = await Promise.all([load('catalog'), load('places')]);
		const metrics = catalog.metrics.filter(metric => matches(`${metric.metric} ${commandOf(metric)}`, wanted));
		const places = all.filter(([place]) => matches(place, wanted));
		const versions = await searchVersions(catalog, wanted, still);
		if (!still())
			return;
		const parts = [
			...section('Metrics', metrics.slice(0, MOST_HITS).map(metric => hit(metricAddress(metric.id), metric.metric, `$ ${commandOf(metric)}`)), metrics.length),
			...section('Functions', places.slice(0, MOST_HITS).map(([place, pages]) => {
				const metric = catalog.metrics.find(one => one.id === pages[0]);
				return hit(metricAddress(pages[0], place), place, `${metric.metric} $ ${commandOf(metric)}${pages.length > 1 ? `, and ${plural(pages.length - 1, 'more metric')}` : ''}`);
			}), places.length),
			...section('Versions', versions, versions.length),
		];
		box.replaceChildren(...(parts.length ? parts : [make('p', { text: 'Nothing found.' })]));
		box.hidden = false;
		box.dataset.of = input.value;
	};
	input.disabled = false;
	input.addEventListener('input', search);
	input.addEventListener('focus', search);
	input.addEventListener('keydown', event => {
		if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
			choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
			event.preventDefault();
		} else if (event.key === 'Enter') {
			const link = links()[Math.max(0, chosen)];
			if (link && !box.hidden)
				location.href = link.href;
		} else if (event.key === 'Escape') {
			box.hidden = true;
			input.blur();
		}
	});
	document.addEventListener('click', event => {
		if (!event.target.closest('.search'))
			box.hidden = true;
	});
	document.addEventListener('keydown', event => {
		if (event.key === '/' && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
			input.focus();
			event.preventDefault();
		}
	});
}
