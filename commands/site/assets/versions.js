/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all versions, and the page of one. */

function versionRows(rows) {
	return rows.map(([version, subject, author, seconds, measured]) => make('tr', {},
		make('td', { class: 'narrow' }, measured ? versionLink(version) : make('span', { class: 'checksum', text: checksum(version) })),
		make('td', {}, measured ? make('a', { href: versionAddress(version), text: subject }) : make('span', { class: 'soft', text: subject })),
		make('td', { class: 'narrow soft', text: author }), make('td', { class: 'narrow soft', text: date(seconds) })));
}

async function versions() {
	const catalog = await load('catalog');
	const body = make('tbody'), more = make('button', { type: 'button', class: 'more', text: 'Show earlier versions' });
	let next = Math.ceil(catalog.line / catalog.block) - 1, waiting = [];
	const add = async () => {
		while (waiting.length < 200 && next >= 0)
			waiting.push(...(await load(`versions-${next--}`)).slice().reverse());
		body.append(...versionRows(waiting.splice(0, 200)));
		more.hidden = !waiting.length && next < 0;
	};
	more.addEventListener('click', add);
	const heads = make('tr', {}, ...['Version', 'Subject', 'Author', 'Date'].map(text => make('th', { text })));
	content.append(make('h1', { text: 'Versions' }), make('p', { class: 'facts' }, make('span', { text: `branch ${catalog.branch}` }),
		make('span', { text: plural(catalog.line, 'version') }), make('span', { text: 'those with profiles are links' })));
	content.append(make('div', { class: 'wide' }, make('table', { id: 'versions' }, make('thead', {}, heads), body)), more);
	await add();
	if (!catalog.others)
		return;
	const others = await load('versions-other');
	content.append(make('h2', { text: 'Elsewhere' }), make('p', { class: 'facts' }, make('span', { text: 'measured on other branches, or merged' })),
		make('div', { class: 'wide' }, make('table', {}, make('thead', {}, heads.cloneNode(true)), make('tbody', {}, ...versionRows(others)))));
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
	const [catalog, changes] = await Promise.all([load('catalog'), load('changes')]);
	addViews(loads.get('views') && loads.get('views').data);
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
	const share = row => relative(row.before, row.median);
	const columns = [
		{ title: 'Command', value: row => commandOf(metricOf(metrics, row)), cell: row => commandOf(metricOf(metrics, row)) },
		{ title: 'Metric', value: row => metricOf(metrics, row).metric, class: 'name', cell: row => make('a', { href: metricAddress(row.page, row.place) }, make('b', { text: metricOf(metrics, row).metric })) },
		{ title: 'Where', value: row => row.place, cell: row => row.place && metricOf(metrics, row).places > 1 ? row.place : make('span', { class: 'soft', text: 'all' }) },
		{ title: 'Median', number: true, value: row => row.median, cell: row => amount(unitOf(metricOf(metrics, row).unit), row.median) },
		{ title: '95 % interval', number: true, cell: row => row.runs < 2 ? '' : `${amount(unitOf(metricOf(metrics, row).unit), row.low)} – ${amount(unitOf(metricOf(metrics, row).unit), row.high)}` },
		{ title: 'Runs', number: true, value: row => row.runs, cell: row => String(row.runs) },
	];
	if (rows.some(row => row.before !== null))
		columns.push({ title: 'To the version before', number: true, value: share, cell: row => {
			if (row.before === null)
				return make('span', { class: 'soft', text: 'new' });
			const { higher } = metricOf(metrics, row);
			const worse = higher === null ? null : row.median !== row.before && (row.median > row.before) !== higher;
			/* What may be noise has no colour. */
			const clear = row.runs > 1 ? row.before < row.low || row.before > row.high : Math.abs(share(row)) >= .05;
			return make('span', { class: !clear || Math.abs(share(row)) < .01 ? 'soft' : sideClass(worse), text: percent(share(row)) });
		} });
	if (rows.every(row => !row.place || metricOf(metrics, row).places < 2))
		columns.splice(2, 1);
	content.append(make('h2', {}, 'Values', make('small', { text: plural(rows.length, 'value') })), table(columns, rows, { step: 100, id: 'values', href: row => metricAddress(row.page, row.place) }));
}
