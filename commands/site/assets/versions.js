/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all versions, and the page of one. */

/* "2 slower": the changes of a version, by what they are. */
function changeMarks(changes) {
	const count = worse => changes.filter(change => change.worse === worse).length;
	return [[true, 'worse'], [false, 'better'], [null, 'changed']].filter(([worse]) => count(worse)).map(([worse, word]) =>
		make('span', { class: 'mark ' + sideClass(worse), title: changes.filter(change => change.worse === worse).map(change => change.place || change.page).join('\n'), text: `${count(worse)} ${word}` }));
}

function versionRows(rows, changes) {
	return rows.map(([version, subject, author, seconds, measured]) => make('tr', { class: measured ? 'measured' : '' },
		make('td', { class: 'narrow' }, measured ? make('span', { class: 'dot', title: 'measured', role: 'img', 'aria-label': 'measured', text: '●' }) : ''),
		make('td', { class: 'narrow' }, measured ? versionLink(version) : make('span', { class: 'checksum', text: checksum(version) })),
		make('td', {}, measured ? make('a', { href: versionAddress(version), text: subject }) : make('span', { class: 'soft', text: subject })),
		make('td', { class: 'narrow' }, ...changeMarks(changes.get(version) || [])),
		make('td', { class: 'narrow soft', text: author }), make('td', { class: 'narrow soft', text: date(seconds) })));
}

function changesByVersion(changes) {
	const found = new Map();
	for (const change of changes)
		found.set(change.commit.version, [...(found.get(change.commit.version) || []), change]);
	return found;
}

async function versions() {
	const [catalog, list] = await Promise.all([load('catalog'), load('changes')]), changes = changesByVersion(list);
	const body = make('tbody'), more = make('button', { type: 'button', class: 'more', text: 'Show earlier versions' });
	let next = 0, waiting = [], only = false;
	const add = async () => {
		while (waiting.length < 200 && next >= 0)
			waiting.push(...(await load(`versions-${next--}`)).filter(row => !only || row[4]).reverse());
		body.append(...versionRows(waiting.splice(0, 200), changes));
		more.hidden = !waiting.length && next < 0;
	};
	const tools = make('div', { class: 'tools' });
	const choose = async measured => {
		only = measured;
		for (const button of tools.children)
			button.setAttribute('aria-pressed', (button.dataset.kind === 'measured') === measured);
		next = Math.ceil(catalog.line / catalog.block) - 1;
		waiting = [];
		body.replaceChildren();
		await add();
	};
	tools.append(make('button', { type: 'button', 'data-kind': 'all', text: `All ${catalog.line.toLocaleString('en')}`, onclick: () => choose(false) }),
		make('button', { type: 'button', 'data-kind': 'measured', text: 'Measured', onclick: () => choose(true) }));
	more.addEventListener('click', add);
	const heads = make('tr', {}, make('td', { class: 'narrow' }), ...['Version', 'Subject', 'Changes', 'Author', 'Date'].map(text => make('th', { text, scope: 'col' })));
	content.append(make('h1', { text: 'Versions' }), make('p', { class: 'facts' }, make('span', { text: `branch ${catalog.branch}` }),
		make('span', { text: plural(catalog.line, 'version') }), make('span', { text: `${catalog.measured.toLocaleString('en')} measured, marked with ●` })));
	content.append(tools, make('div', { class: 'wide' }, make('table', { id: 'versions' }, make('thead', {}, heads), body)), more);
	await choose(false);
	if (!catalog.others)
		return;
	const others = await load('versions-other');
	content.append(make('h2', { text: 'Elsewhere' }), make('p', { class: 'facts' }, make('span', { text: 'measured on other branches, or merged' })),
		make('div', { class: 'wide' }, make('table', {}, make('thead', {}, heads.cloneNode(true)), make('tbody', {}, ...versionRows(others, changes)))));
}

/* ---- a version ---- */

/* Links to the views of each profile: those that were written, or, served by perun, all that draw pages. */
function addViews(served) {
	const rows = [...document.querySelectorAll('#profiles tbody tr')];
	if (!served && !rows.some(row => row.dataset.views))
		return;
	document.querySelector('#profiles thead tr').append(make('th', { text: 'Views' }));
	for (const row of rows) {
		const names = row.dataset.views ? row.dataset.views.split(' ') : served || [];
		row.append(make('td', { class: 'views' }, ...names.map(name => make('a', { href: `../view/${row.dataset.profile}-${name}.html`, text: name }))));
	}
}

/* ---- compared with another version ---- */

/*
 * Links to what changed in each profile since another version: to all that perun serves, or to what was written of the
 * version before. Returns what shows those of a version.
 */
function addComparisons(served) {
	const rows = [...document.querySelectorAll('#profiles tbody tr')];
	if (!served && !rows.some(row => row.dataset.comparisons))
		return () => {};
	document.querySelector('#profiles thead tr').append(make('th', { text: 'What changed' }));
	const cells = rows.map(row => row.appendChild(make('td', { class: 'views' })));
	return (other, previous) => rows.forEach((row, i) => {
		const written = previous && row.dataset.comparisons ? row.dataset.comparisons.split(' ') : [];
		cells[i].replaceChildren(...(other ? written.length ? written : served || [] : []).map(name =>
			make('a', { href: `../view/${row.dataset.profile}-${other.version}-${name}.html`, text: name })));
	});
}

/* All measured versions of the line but one, newest first. */
async function measuredVersions(catalog, but) {
	const all = [];
	for (let block = Math.ceil(catalog.line / catalog.block) - 1; block >= 0; block--)
		(await load(`versions-${block}`)).slice().reverse().forEach((row, k, rows) => {
			const at = block * catalog.block + rows.length - 1 - k;
			if (row[4] && at !== but)
				all.push({ at, version: row[0], subject: row[1] });
		});
	return all;
}

/* Medians that a version has, by metric and place; the main one of each metric is in its history. */
async function mediansAt(catalog, at) {
	const found = new Map(), block = Math.floor(at / catalog.block);
	await Promise.all(catalog.metrics.map(async metric => {
		if (!metric.blocks.includes(block))
			return;
		const { m } = await load(`${metric.strand}/${block}`), value = m[at % catalog.block];
		if (value !== null)
			found.set(`${metric.id} ${metric.place}`, value);
	}));
	return found;
}

/* The choice of a version, and how its stacks are compared. `choose(version, medians)` is called with null for the one before. */
async function compareTools(catalog, facts, here, links, choose) {
	const rest = await measuredVersions(catalog, facts.at), before = rest.find(one => one.at < facts.at);
	if (!rest.length)
		return null;
	const select = make('select', { id: 'compare', 'aria-label': 'Compare with version' },
		make('option', { value: '', text: before ? `previous: ${checksum(before.version)} ${before.subject}` : 'previous' }),
		...rest.filter(one => one !== before).map(one => make('option', { value: one.at, text: `${checksum(one.version)} ${one.subject}` })));
	const command = make('code', { id: 'compare-command' });
	const show = async () => {
		const other = select.value === '' ? before : rest.find(one => one.at === Number(select.value));
		command.textContent = other ? `perun showdiff ${checksum(other.version)} ${checksum(here)}` : '';
		links(other, select.value === '');
		await choose(select.value === '' ? null : other, select.value === '' ? null : await mediansAt(catalog, other.at));
	};
	select.addEventListener('change', show);
	await show();
	return make('div', { class: 'tools' }, make('label', {}, 'Compare with ', select), make('span', { class: 'soft' }, 'what changed inside: ', command));
}

/* Where the changes of each value were found, by metric and place. */
function changesByValue(changes) {
	const found = new Map();
	for (const { page, place, at } of changes)
		found.set(`${page} ${place}`, [...(found.get(`${page} ${place}`) || []), at]);
	return found;
}

const metricOf = (metrics, row) => metrics.get(row.page);

/* The measured versions before and after one, for its page. */
async function neighbours(catalog, at) {
	const find = async step => {
		for (let i = at + step; i >= 0 && i < catalog.line; i += step) {
			const rows = await load(`versions-${Math.floor(i / catalog.block)}`), row = rows[i % catalog.block];
			if (row[4])
				return row;
		}
		return null;
	};
	const link = (row, before, after) => row ? make('a', { href: versionAddress(row[0]), title: row[1] }, before, make('span', { class: 'checksum', text: checksum(row[0]) }), after) : '';
	return make('p', { class: 'neighbours' }, link(await find(-1), '← ', ''), link(await find(1), '', ' →'));
}

async function version() {
	const facts = JSON.parse(byId('facts').textContent);
	const [catalog, changes, said] = await Promise.all([load('catalog'), load('changes'), load('said')]);
	addViews(loads.get('views') && loads.get('views').data);
	const links = addComparisons(loads.get('comparisons') && loads.get('comparisons').data);
	if (facts.at !== undefined)
		document.querySelector('h1').before(await neighbours(catalog, facts.at));
	const here = byId('checksum').textContent, link = commitLink(catalog, here);
	if (link)
		byId('checksum').parentNode.append(make('span', {}, link));
	const metrics = new Map(catalog.metrics.map(metric => [metric.id, metric]));
	const found = changes.filter(change => change.commit.version === here);
	if (found.length)
		content.append(make('h2', { text: 'Changes found here' }), changeTable(catalog, found, { known: found.some(change => change.known), skip: ['Commit', 'Date'] }));
	const rows = facts.values.map(([page, place, median, before, runs, low, high]) => ({ page, place, median, before, runs: runs || 1, low, high }))
		.filter(row => metrics.has(row.page));
	const order = new Map(catalog.metrics.map((metric, i) => [metric.id, i]));
	rows.sort((a, b) => order.get(a.page) - order.get(b.page) || !!a.place - !!b.place || Math.abs(b.median) - Math.abs(a.median));
	if (!rows.length) {
		content.append(make('p', { class: 'empty', text: 'Its profiles have no metrics.' }));
		return;
	}
	const share = row => relative(row.before, row.median), changed = changesByValue([...changes, ...said]);
	const columns = [
		{ title: 'Command', value: row => commandOf(metricOf(metrics, row)), cell: row => commandOf(metricOf(metrics, row)) },
		{ title: 'Metric', value: row => metricOf(metrics, row).metric, class: 'name', cell: row => make('a', { href: metricAddress(row.page, row.place) }, make('b', { text: metricOf(metrics, row).metric })) },
		{ title: 'Where', value: row => row.place, cell: row => row.place && metricOf(metrics, row).places > 1 ? row.place : make('span', { class: 'soft', text: 'all' }) },
		{ title: 'Median', number: true, value: row => row.median, cell: row => amount(unitOf(metricOf(metrics, row).unit), row.median) },
		{ title: '95 % interval', number: true, cell: row => row.runs < 2 ? '' : `${amount(unitOf(metricOf(metrics, row).unit), row.low)} – ${amount(unitOf(metricOf(metrics, row).unit), row.high)}` },
		{ title: 'Runs', number: true, value: row => row.runs, cell: row => String(row.runs) },
	];
	for (const row of rows)
		row.previous = row.before;
	if (facts.at !== undefined || rows.some(row => row.before !== null))
		columns.push({ title: 'Change', number: true, value: share, cell: row => {
			if (row.before === null)
				return make('span', { class: 'soft', text: '–' });
			const { higher } = metricOf(metrics, row);
			const worse = higher === null ? null : row.median !== row.before && (row.median > row.before) !== higher;
			/* Where no change was found, it may be noise and has no colour. */
			return make('span', { class: row.changed ? sideClass(worse) : 'soft', text: percent(share(row)) });
		} });
	if (rows.every(row => !row.place || metricOf(metrics, row).places < 2))
		columns.splice(2, 1);
	const values = make('div'), draw = (other, medians) => {
		for (const row of rows) {
			const name = `${row.page} ${row.place}`, from = other ? other.at : facts.at - 1;
			row.before = medians ? medians.get(name) ?? null : row.previous;
			row.changed = (changed.get(name) || []).some(at => at > Math.min(from, facts.at) && at <= Math.max(from, facts.at));
		}
		values.replaceChildren(table(columns, rows, { step: 100, id: 'values', href: row => metricAddress(row.page, row.place) }));
	};
	content.append(make('h2', {}, 'Values', make('small', { text: plural(rows.length, 'value') })));
	const tools = facts.at === undefined ? null : await compareTools(catalog, facts, here, links, draw);
	if (!tools)
		draw(null, null);
	content.append(tools || '', values);
}
