/* SPDX-License-Identifier: BSD-3-Clause */
/* The overview: the latest version, changes that are open, all metrics. */

const metricName = (metric, place) => make('span', {},
	make('b', { text: metric.metric }), place && metric.places > 1 ? ` ${place}` : '', make('span', { class: 'soft', text: ` $ ${commandOf(metric)}` }));

function answerMark(metric) {
	if (!metric.answer)
		return make('span', { class: 'mark', text: 'new level' });
	if (metric.answer === 'same')
		return make('span', { class: 'mark', text: 'same' });
	if (metric.answer === 'undecided')
		return make(
			'span',
			{class : 'mark', title : 'not enough runs to decide', text : 'undecided'});
	const worse = metric.higher === null ? null : (metric.answer === 'more') !== metric.higher;
	return make('span', { class: 'mark ' + sideClass(worse), text: worse === null ? 'changed' : worse ? 'worse' : 'better' });
}
const answerRank = metric => ({ same: 2, undecided: 3 })[metric.answer] ?? (metric.answer && metric.higher !== null ? ((metric.answer === 'more') !== metric.higher ? 0 : 1) : 4);

function changeText(change) {
	const share = relative(change.before, change.after);
	return make('span', { class: sideClass(change.worse), text: percent(share) });
}

/* Changes of one commit are one row: the heaviest of them, which represents the others. */
function byCommit(changes) {
	const groups = new Map();
	for (const change of changes) {
		const group = groups.get(change.commit.version);
		if (group)
			group.others.push(change);
		else
			groups.set(change.commit.version, { ...change, others: [] });
	}
	return [...groups.values()];
}

/* Commits that were not measured cannot be acquitted. */
function candidates(change) {
	const others = change.commits.slice(0, -1);
	if (!others.length)
		return [];
	return [make('span', { class: 'soft', title: others.map(commit => `${commit.version.slice(0, 8)} ${commit.subject}`).join('\n'), text: ` or ${others.length} not measured, since ${others[0].version.slice(0, 8)}` })];
}

function changeTable(catalog, changes, options = {}) {
	const metrics = new Map(catalog.metrics.map(metric => [metric.id, metric]));
	const heaviest = Math.max(1e-9, ...changes.slice(0, 1).map(change => Math.min(1, change.weight)));
	const columns = [
		{ title: 'Change', number: true, value: change => Math.abs(relative(change.before, change.after)), cell: changeText },
		{ title: 'Confidence × effect', value: undefined, class: 'narrow', cell: change => {
			const bar = make('span', { class: 'bar ' + sideClass(change.worse) }, make('i'));
			bar.firstChild.style.width = Math.max(3, 100 * Math.min(1, change.weight / heaviest)) + '%';
			return make('span', { title: change.p === null ? 'confidence not known' : `confidence ${confidence(change.p)}` }, bar, confidence(change.p));
		} },
		{ title: 'Metric', value: change => metrics.get(change.page).metric, cell: change => {
			const link = make('a', { href: metricAddress(change.page, change.place) });
			link.append(metricName(metrics.get(change.page), change.place));
			return change.others && change.others.length ? make('span', {}, link, ' ', otherChanges(metrics, change.others)) : link;
		} },
		{ title: 'Before → after', cell: change => {
			const unit = unitOf(metrics.get(change.page).unit);
			return `${amount(unit, change.before)} → ${amount(unit, change.after)}`;
		}, class: 'narrow' },
		{ title: 'Commit', cell: change => make('span', {}, versionLink(change.commit.version), ' ', make('a', { href: versionAddress(change.commit.version), text: change.commit.subject }), ...candidates(change)) },
		{ title: 'Date', value: change => change.commit.date, class: 'narrow soft', cell: change => date(change.commit.date) },
	];
	if (options.known)
		columns.push({ title: 'Known', cell: change => change.known || '' });
	return table(columns.filter(column => !(options.skip || []).includes(column.title)), changes, { step: options.step || 12, id: 'changes' });
}

/* Shown on request. */
function otherChanges(metrics, others) {
	const button = make('button', { type: 'button', class: 'small', text: `and ${others.length.toLocaleString('en')} more` });
	button.addEventListener('click', () => {
		const list = make('ul', { class: 'others' });
		for (const change of others) {
			const link = make('a', { href: metricAddress(change.page, change.place) });
			link.append(metricName(metrics.get(change.page), change.place));
			list.append(make('li', {}, changeText(change), ' ', link));
		}
		button.replaceWith(list);
	});
	return button;
}

function confidence(p) {
	if (p === null)
		return '–';
	return p < 1e-3 ? '> 99.9 %' : (100 - 100 * p).toFixed(1) + ' %';
}

function tile(number, text, kind) {
	return make('div', { class: 'tile' }, make('b', { class: number ? kind || '' : '', text: number.toLocaleString('en') }), make('span', { text }));
}

function verdictTiles(catalog, changes) {
	const latest = catalog.metrics.filter(metric => metric.at === catalog.at);
	const count = rank => latest.filter(metric => answerRank(metric) === rank).length;
	const open = changes.filter(change => !change.known);
	return make('div', { class: 'tiles', id: 'verdicts' },
		tile(count(0), 'worse', 'worse'), tile(count(1), 'better', 'better'), tile(count(2), 'same'),
		tile(count(3), 'undecided'), count(4) ? tile(count(4), 'new') : null,
		tile(open.filter(change => change.worse).length, 'open regressions', 'worse'),
		tile(open.filter(change => change.worse === false).length, 'open improvements', 'better'));
}

function metricTable(catalog, metrics, options = {}) {
	return table([
		{ title: 'Command', value: commandOf, cell: metric => make('span', { text: commandOf(metric) }) },
		{ title: 'Metric', value: metric => metric.metric, class: 'name', cell: metric => make('a', { href: metricAddress(metric.id) }, make('b', { text: metric.metric })) },
		{ title: 'History', cell: metric => spark(metric.sparks) },
		{ title: 'Latest', number: true, value: metric => metric.last ?? NaN, cell: metric => metric.last === undefined ? '–' : amount(unitOf(metric.unit), metric.last) },
		{ title: 'vs. level', number: true, value: metric => relative(metric.before, metric.last), cell: metric => metric.before === undefined ? '' : percent(relative(metric.before, metric.last)) },
		{ title: 'Verdict', value: metric => answerRank(metric), cell: answerMark },
		{ title: 'Open changes', number: true, value: metric => metric.open, cell: metric => metric.open ? String(metric.open) : make('span', { class: 'soft', text: '–' }) },
	], metrics, { href: metric => metricAddress(metric.id), id: 'metrics', ...options });
}

/* ---- the grid ---- */

/* The colour of a level, percent away from the first one shown: full from twice (or half) on. */
function levelColor(metric, level) {
	if (!level || metric.higher === null)
		return level ? 'color-mix(in srgb, var(--curve) 40%, transparent)' : '';
	const worse = (level > 0) !== metric.higher, share = Math.min(1, Math.abs(Math.log2(Math.max(.02, 1 + level / 100))));
	return `color-mix(in srgb, var(--${worse ? 'worse' : 'better'}) ${Math.round(25 + 60 * share)}%, transparent)`;
}

function gridCell(metric, columns, c) {
	const level = metric.levels[c];
	let before = c - 1;
	while (before >= 0 && metric.levels[before] === null)
		before--;
	if (level === null)
		return make('td', { class: 'gap' });
	const was = before < 0 ? level : metric.levels[before], text = !level ? 'no change' : Math.abs(level) >= 1e11 ? 'from 0' : percent(level / 100);
	const title = `${checksum(columns[c].version)} ${columns[c].subject}\n${metric.metric}: ${text}${level ? ' since the first one shown' : ''}`;
	const cell = make('td', { title, 'data-level': level }, level === was ? '' : make('a', { href: versionAddress(columns[c].version),
		'aria-label': `${metric.metric} ${level > was ? 'rises' : 'falls'} at ${checksum(columns[c].version)}: ${text}`, text: level > was ? '▲' : '▼' }));
	cell.style.background = levelColor(metric, level);
	return cell;
}

const GRID_ROWS = 20;

/* Commits × metrics: the level of each, with the changes. */
function grid(catalog, metrics) {
	const { columns } = catalog, body = make('tbody'), ranked = metrics.slice();
	const moved = metric => Math.max(0, ...metric.levels.map(level => Math.abs(level || 0)));
	ranked.sort((a, b) => moved(b) - moved(a));
	const add = list => body.append(...list.map(metric => make('tr', {},
		make('th', { scope: 'row' }, make('a', { href: metricAddress(metric.id), title: `${metric.metric} $ ${commandOf(metric)}` }, metricName(metric))),
		...columns.map((column, c) => gridCell(metric, columns, c)))));
	add(ranked.slice(0, GRID_ROWS));
	const more = make('button', { type: 'button', class: 'more', text: `Show all ${plural(ranked.length, 'metric')}`, onclick: () => {
		add(ranked.slice(GRID_ROWS));
		more.remove();
	} });
	const heads = columns.map(column => make('th', { scope: 'col', class: 'commit' }, make('a', { href: versionAddress(column.version), title: `${column.subject}\n${date(column.date)}`, text: checksum(column.version) })));
	return make('div', {}, make('div', { class: 'wide', tabindex: 0, role: 'region', 'aria-label': 'Levels by commit' },
		make('table', { id: 'grid', class: 'grid' }, make('thead', {}, make('tr', {}, make('td'), ...heads)), body)),
	make('p', { class: 'legend' }, make('span', {}, swatch('worse'), 'worse than the first one shown'), make('span', {}, swatch('better'), 'better'), make('span', { text: '▲ ▼ a change' })),
	ranked.length > GRID_ROWS ? more : null);
}

function filtered(build, kinds, list) {
	const box = make('div'), tools = make('div', { class: 'tools' });
	const choose = kind => {
		for (const button of tools.children)
			button.setAttribute('aria-pressed', button.dataset.kind === kind);
		const part = list.filter(kinds[kind]);
		box.replaceChildren(part.length ? build(part, kind) : make('p', { class: 'empty', text: 'None.' }));
	};
	for (const kind of Object.keys(kinds))
		tools.append(make('button', { type: 'button', 'data-kind': kind, text: `${kind} ${list.filter(kinds[kind]).length.toLocaleString('en')}`, onclick: () => choose(kind) }));
	choose(Object.keys(kinds)[0]);
	return make('div', {}, tools, box);
}

async function overview() {
	const [catalog, changes] = await Promise.all([load('catalog'), load('changes')]);
	const title = make('div', {}, make('h1', { text: catalog.name }), make('p', { class: 'facts' },
		make('span', { text: `branch ${catalog.branch}` }), make('span', { text: plural(catalog.line, 'version') }),
		make('span', { text: `${catalog.measured.toLocaleString('en')} measured` }), make('span', { text: plural(catalog.metrics.length, 'metric') })));
	content.append(title);
	if (!catalog.latest) {
		content.append(make('p', { class: 'empty', text: 'No version on this branch has a profile yet: perun collect and perun add make some.' }));
		return;
	}
	const latest = catalog.latest;
	content.append(make('h2', { text: 'Latest version' }), make('p', { class: 'facts' },
		make('span', {}, versionLink(latest.version), ' ', make('a', { href: versionAddress(latest.version), text: latest.subject })),
		make('span', { text: latest.author }), make('span', { text: date(latest.date, true) }),
		make('span', { text: `measures ${catalog.metrics.filter(metric => metric.at === catalog.at).length.toLocaleString('en')} of ${plural(catalog.metrics.length, 'metric')}` })),
	verdictTiles(catalog, changes));
	if (catalog.columns.length > 1)
		content.append(make('h2', {}, 'Commits', make('small', { text: `the latest ${plural(catalog.columns.length, 'measured version')}` })), grid(catalog, catalog.metrics));
	const grids = content.querySelector('#grid');
	if (grids)
		grids.parentNode.scrollLeft = 1e6; /* the latest ones */
	content.append(make('h2', {}, 'Changes', make('small', { text: 'by confidence × effect' })),
		filtered((part, kind) => changeTable(catalog, byCommit(part), { known: kind === 'Known' || kind === 'All' }), {
			'Open regressions': change => change.worse && !change.known,
			'Open improvements': change => change.worse === false && !change.known,
			'Known': change => change.known,
			'All': () => true,
		}, changes));
	const metrics = catalog.metrics.slice().sort((a, b) => answerRank(a) - answerRank(b));
	content.append(make('h2', { text: 'Metrics' }), metricTable(catalog, metrics, { step: 50 }));
}
