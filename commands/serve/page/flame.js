/* SPDX-License-Identifier: BSD-3-Clause */
/* The flame graph: boxes of the tree that the server counted. */

const picture = {panes: [], frames: [], matches: null, dark: false, colors: []};

const look = {
	theme: () => THEMES[picture.dark ? 'dark' : 'light'],
	color: (pane, i) => boxColor(pane.layout.tree, i),
	label: (pane, i) => boxLabel(pane.layout.tree, i),
	isRest: (pane, i) => pane.layout.tree.frame[i] === NO_FRAME,
	mark: () => '',
	state: (pane, i) => {
		if (!picture.matches)
			return 0;
		const frame = pane.layout.tree.frame[i];
		return frame >= 0 && pane.layout.matches[frame] ? 1 : 2;
	},
	describe: (pane, i) => boxName(pane.layout.tree, i)
};
const chart = new Chart($('scroller'), $('canvas'), $('spacer'), look);

function boxName(tree, i) {
	const frame = tree.frame[i];
	if (frame === ROOT_FRAME)
		return 'all';
	return frame === NO_FRAME ? '(' + digits(tree.merged.get(i), 9) + ' small boxes)' : tree.frames[frame].name;
}

function boxLabel(tree, i) {
	const name = boxName(tree, i), frame = tree.frame[i];
	return [name, frame < 0 ? name : tree.frames[frame].short];
}

function boxColor(tree, i) {
	const frame = tree.frame[i];
	if (frame < 0)
		return picture.dark ? 'rgb(58,60,64)' : 'rgb(222,222,217)';
	if (tree.compared)
		return colorOfChange(tree, i);
	const known = tree.colors[picture.dark ? 1 : 0];
	if (!known[frame]) {
		const f = tree.frames[frame];
		known[frame] = nameColor(systemGroup(f.module) || f.package || f.module || folderOf(f.file) || f.name, f.name,
			picture.dark);
	}
	return known[frame];
}

/* What is in one selection alone has a colour of its own; else the change of the own value counts, by the largest. */
function colorOfChange(tree, i) {
	const total = tree.total[0][i], base = tree.total[1][i];
	if (!total !== !base)
		return onlyColor(!base, picture.dark);
	const change = tree.own[0][i] - tree.own[1][i];
	return changeColor(Math.sign(change) * Math.round(32 * Math.sqrt(Math.abs(change) / tree.most)) / 32, picture.dark);
}

function treeOf(answer) {
	const tree = new Tree(answer.parent.length, answer.base ? 2 : 1);
	tree.parent.set(answer.parent);
	tree.frame.set(answer.frame);
	tree.own[0].set(answer.own);
	answer.merged.forEach((count, i) => count && tree.merged.set(i, count));
	tree.frames = answer.frames.map(([name, file, module]) => {
		const text = visible(name), group = packageOf(text);
		return {raw: name, name: text, file: visible(file), module: visible(module), package: group,
			short: shortOf(text, group)};
	});
	tree.colors = [[], []];
	tree.compared = Boolean(answer.base);
	if (tree.compared) {
		tree.own[1].set(answer.base);
		tree.most = tree.own[0].reduce((most, own, i) =>
			tree.frame[i] < 0 ? most : Math.max(most, Math.abs(own - answer.base[i])), 0) || 1;
	}
	return tree.finish();
}

function paneOf(tree, upwards) {
	/* What is gone has room, too. */
	const widths = tree.compared ? tree.own[0].map((own, i) => Math.max(own, tree.own[1][i])) : tree.own[0];
	const layout = new Layout(tree, widths, byWidth(tree));
	const pane = new Pane(layout, upwards);
	pane.focus = 0;
	return pane;
}

async function showFlame() {
	const name = tab() === 'callers' ? get('function') : '';
	const answers = name ? [await ask('tree', {function: name, inverted: '1'}), await ask('tree', {function: name})]
		: [await ask('tree', {inverted: tab() === 'callers' ? '1' : ''})];
	const panes = answers.map((answer, k) => paneOf(treeOf(answer), name && k === 0));
	panes.forEach((pane, k) => pane.first = name ? 2 - k : 0); /* the function itself is in the lower half */
	shown.tree = answers[answers.length - 1];
	$('flame').hidden = false;
	chart.show(panes);
	chart.resize();
	showMatches();
	showStatus({pane: panes[panes.length - 1], node: 0});
	return shown.tree;
}

/* ---- search ------------------------------------------------------------------------------------- */

function showMatches() {
	const text = get('search'), output = $('found');
	picture.matches = null;
	$('search').setAttribute('aria-invalid', 'false');
	output.className = output.textContent = '';
	if (text && ['flame', 'callers', 'graph'].includes(tab())) {
		try {
			picture.matches = new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu');
		} catch (error) {
			$('search').setAttribute('aria-invalid', 'true');
			output.className = 'bad';
			output.textContent = error.message.replace(/^Invalid regular expression: /, '');
		}
	}
	if (tab() === 'graph') {
		const found = markGraph(picture.matches);
		if (picture.matches)
			output.textContent = 'matched ' + found + (found === 1 ? ' function' : ' functions');
		return;
	}
	if (picture.matches) {
		let sum = 0, boxes = 0;
		for (const pane of chart.panes) {
			pane.layout.matches = pane.layout.tree.frames.map(frame => picture.matches.test(frame.name));
			const found = pane.layout.matched(pane.layout.matches);
			sum = Math.max(sum, found.sum);
			boxes += found.boxes;
		}
		output.textContent = shown.tree.base ? 'matched ' + digits(boxes, 9) + (boxes === 1 ? ' box' : ' boxes')
			: 'matched ' + percent(sum, whole(shown.tree)) + ' · ' + amount(sum, shown.tree.unit);
	}
	chart.redraw();
}

/* ---- one box ------------------------------------------------------------------------------------ */

/* Zoom to a box, so that it fills the width. */
function zoom(place) {
	const {pane, node} = place, layout = pane.layout;
	pane.focus = node;
	chart.chosen = node ? place : null;
	chart.glide(pane, layout.x[node], layout.x[node] + layout.width[node], false);
	showStatus(place);
}

function showStatus(place) {
	const status = $('status');
	status.replaceChildren();
	const kept = chart.chosen || place;
	showActions(kept && kept.pane.layout.tree.frame[kept.node] >= 0
		? kept.pane.layout.tree.frames[kept.pane.layout.tree.frame[kept.node]].raw : '');
	if (!place || !shown.tree)
		return;
	const tree = place.pane.layout.tree, frame = tree.frame[place.node];
	const total = tree.total[0][place.node], own = tree.own[0][place.node];
	status.append(boxName(tree, place.node), ' ');
	if (tree.compared)
		status.append(element('b', {textContent: changed(tree.total[1][place.node], total, shown.tree.unit)}));
	else
		status.append(element('b', {textContent: amount(total, shown.tree.unit)}), ' · ',
			element('b', {textContent: percent(total, whole(shown.tree))}), ' of all');
	if (tab() === 'flame' && frame >= 0)
		status.append(' · own ' + (tree.compared ? changed(tree.own[1][place.node], own, shown.tree.unit)
			: amount(own, shown.tree.unit)));
	if (frame >= 0 && (tree.frames[frame].file || tree.frames[frame].module))
		status.append(' · ' + (tree.frames[frame].file || tree.frames[frame].module));
}

/* What can be done with a function. */
function showActions(name) {
	const text = visible(name);
	$('actions').hidden = !name;
	$('actions').replaceChildren(...(!name ? [] : [
		button('Focus', 'Only stacks with ' + text + ' (f)', () => addFilter('focus', exactly(name))),
		button('Ignore', 'No stacks with ' + text, () => addFilter('ignore', exactly(name))),
		button('Hide', 'Leave ' + text + ' out of stacks (h)', () => addFilter('hide', exactly(name))),
		button('From here', 'Begin stacks at ' + text, () => addFilter('show-from', exactly(name))),
		button('Callers and callees', 'Around ' + text + ' (c)', () => open('callers', name)),
		button('Peek', 'Its callers and callees as a table (p)', () => open('peek', name)),
		button('Source', 'Its source with the cost of each line (s)', () => open('source', name))
	]));
}

function open(where, name) {
	change(next => {
		next.set('tab', where);
		next.set('function', name);
	});
}

function boxAt(event) {
	const box = $('canvas').getBoundingClientRect();
	return chart.at(event.clientX - box.left, event.clientY - box.top);
}

$('canvas').addEventListener('mousemove', event => {
	chart.hover = boxAt(event);
	chart.redraw();
	showStatus(chart.hover || chart.chosen);
});
$('canvas').addEventListener('mouseleave', () => {
	chart.hover = null;
	chart.redraw();
	showStatus(chart.chosen || {pane: chart.panes[chart.panes.length - 1], node: 0});
});
$('canvas').addEventListener('click', event => {
	const place = boxAt(event);
	if (place)
		zoom(place);
});

/* The next box in a direction, by the keys of arrows. */
function move(key) {
	const place = chart.chosen || (chart.panes.length ? {pane: chart.panes[chart.panes.length - 1], node: 0} : null);
	if (!place)
		return;
	const {pane, node} = place, layout = pane.layout, depth = layout.tree.depth[node];
	const deeper = key === (pane.upwards ? 'ArrowUp' : 'ArrowDown');
	let next = -1;
	if (key === 'ArrowUp' || key === 'ArrowDown') {
		next = deeper ? layout.at(depth + 1, layout.x[node]) : node ? layout.tree.parent[node] : -1;
		if (deeper && next >= 0 && layout.tree.parent[next] !== node)
			next = -1;
	} else {
		const row = layout.rows[depth], at = row.indexOf(node) + (key === 'ArrowRight' ? 1 : -1);
		next = at >= 0 && at < row.length ? row[at] : -1;
	}
	if (next < 0)
		return;
	chart.chosen = {pane, node: next};
	if (layout.x[next] + layout.width[next] <= pane.a || layout.x[next] >= pane.b)
		zoom({pane, node: layout.tree.parent[next]});
	chart.chosen = {pane, node: next};
	chart.reveal(chart.chosen);
	chart.redraw();
	showStatus(chart.chosen);
}
