/* SPDX-License-Identifier: BSD-3-Clause */
/* The call graph: boxes and arrows as the server placed them, which the wheel, the mouse and keys move and zoom. */

const sheet = {answer: null, boxes: [], arrows: [], chosen: -1, x: 0, y: 0, width: 1, drag: null};

function svg(name, attributes, ...children) {
	const made = document.createElementNS('http://www.w3.org/2000/svg', name);
	for (const [key, value] of Object.entries(attributes))
		made.setAttribute(key, value);
	made.append(...children);
	return made;
}

/* By the total, as pprof has it; of two selections by the change of it. */
function fillOf(node, answer) {
	if (answer.base_total === undefined)
		return changeColor(Math.sqrt(Math.min(1, Math.abs(node.total) / (whole(answer) || 1))), picture.dark);
	if (!node.total !== !node.base_total)
		return onlyColor(!node.base_total, picture.dark);
	const change = node.total - node.base_total, most = Math.max(answer.total, answer.base_total) || 1;
	return changeColor(Math.sign(change) * Math.sqrt(Math.min(1, Math.abs(change) / most)), picture.dark);
}

function amountLines(node, answer) {
	if (answer.base_total !== undefined && !node.self && !node.base_self)
		return [changed(node.base_total, node.total, answer.unit)];
	if (answer.base_total !== undefined)
		return [changed(node.base_self, node.self, answer.unit), 'of ' + changed(node.base_total, node.total, answer.unit)];
	const share = value => amount(value, answer.unit) + ' (' + percent(value, whole(answer)) + ')';
	return node.self === node.total ? [share(node.self)]
		: node.self ? [share(node.self), 'of ' + share(node.total)] : ['0 of ' + share(node.total)];
}

function boxOf(node, i, answer) {
	const lines = [...node.lines.map(visible), ...amountLines(node, answer)], step = 1.25 * node.letter;
	const longest = Math.max(...lines.map(line => line.length));
	/* Amounts of a comparison are longer than the server knows: smaller letters hold them. */
	const letter = Math.min(node.letter, (node.width - 6) / (0.62 * longest));
	const top = node.y - step * (lines.length - 1) / 2 + 0.35 * letter;
	const text = svg('text', {'font-size': letter.toFixed(2), 'text-anchor': 'middle'},
		...lines.map((line, k) => {
			const span = svg('tspan', {x: node.x.toFixed(1), y: (top + k * step).toFixed(1)});
			span.textContent = line;
			return span;
		}));
	const title = svg('title', {});
	title.textContent = visible(node.name) + (node.file ? '\n' + visible(node.file) : '');
	const box = svg('g', {class: 'box', tabindex: '-1'}, title, svg('rect', {x: (node.x - node.width / 2).toFixed(1),
		y: (node.y - node.height / 2).toFixed(1), width: node.width.toFixed(1), height: node.height.toFixed(1), rx: 4,
		fill: fillOf(node, answer)}), text);
	box.addEventListener('click', () => chooseBox(i));
	box.addEventListener('dblclick', () => addFilter('focus', exactly(node.name)));
	return box;
}

function arrowOf(edge, answer) {
	const p = edge.points.map(value => value.toFixed(1));
	const heavy = Math.max(Math.abs(edge.value), Math.abs(edge.base || 0)) / (Math.max(whole(answer), answer.base_total || 0) || 1);
	let path = 'M' + p[0] + ' ' + p[1];
	for (let i = 2; i + 5 < p.length; i += 6)
		path += 'C' + p.slice(i, i + 6).join(' ');
	/* dot's curves end where the head of the arrow begins. */
	const end = edge.points.slice(-4), angle = Math.atan2(end[3] - end[1], end[2] - end[0]);
	const head = [[10, 0], [0, 3.6], [0, -3.6]].map(([along, beside]) =>
		(end[2] + along * Math.cos(angle) - beside * Math.sin(angle)).toFixed(1) + ',' +
		(end[3] + along * Math.sin(angle) + beside * Math.cos(angle)).toFixed(1)).join(' ');
	const label = svg('text', {x: edge.x.toFixed(1), y: edge.y.toFixed(1), 'font-size': 9, 'text-anchor': 'middle'});
	label.textContent = edge.base === undefined ? amount(edge.value, answer.unit)
		: signed(edge.value - edge.base, amount(edge.value - edge.base, answer.unit));
	const title = svg('title', {});
	title.textContent = visible(answer.nodes[edge.from].name) + ' → ' + visible(answer.nodes[edge.to].name) +
		(edge.residual ? '\nthrough functions that are not shown' : '');
	return svg('g', {class: edge.residual ? 'arrow residual' : 'arrow'}, title,
		svg('path', {d: path, 'stroke-width': (1 + 5 * heavy).toFixed(2)}), svg('polygon', {points: head}), label);
}

async function showGraph() {
	const answer = await ask('graph');
	sheet.answer = answer;
	sheet.boxes = answer.nodes.map((node, i) => boxOf(node, i, answer));
	sheet.arrows = answer.edges.map(edge => edge.points.length > 3 ? arrowOf(edge, answer) : svg('g', {}));
	sheet.chosen = -1;
	$('drawing').replaceChildren(...sheet.arrows, ...sheet.boxes);
	$('drawing').setAttribute('aria-label', 'Call graph: ' + answer.nodes.length + ' functions, ' + answer.edges.length + ' calls');
	fitGraph();
	showMatches();
	showActions('');
	$('status').textContent = answer.nodes.length + ' functions, ' + answer.edges.length + ' calls: the heaviest. A double click focuses.';
	return answer;
}

/* ---- what is in view ---------------------------------------------------------------------------- */

/* All of it, but never so small that nothing can be read, nor larger than life. */
function fitGraph() {
	const box = $('graph').getBoundingClientRect(), {width, height} = sheet.answer;
	const all = Math.max(width + 20, (height + 20) * box.width / Math.max(box.height, 1));
	sheet.width = Math.min(Math.max(all, box.width), 1.8 * box.width);
	sheet.x = (width - sheet.width) / 2;
	sheet.y = Math.min(-10, (height - sheet.width * box.height / Math.max(box.width, 1)) / 2);
	const root = sheet.answer.nodes.reduce((best, node) => !best || node.y < best.y ? node : best, null);
	if (root && all > sheet.width) {
		sheet.x = root.x - sheet.width / 2;
		sheet.y = -10;
	}
	placeGraph();
}

function placeGraph() {
	const box = $('graph').getBoundingClientRect();
	$('drawing').setAttribute('viewBox', [sheet.x, sheet.y, sheet.width, sheet.width * box.height / Math.max(box.width, 1)].join(' '));
}

/* Zoom so that the place under the pointer stays: in pixels from the corner, or the middle. */
function zoomGraph(factor, x, y) {
	const box = $('graph').getBoundingClientRect(), scale = sheet.width / box.width;
	const width = Math.min(Math.max(sheet.width * factor, 120), 20 * Math.max(sheet.answer.width, box.width));
	const px = x === undefined ? box.width / 2 : x, py = y === undefined ? box.height / 2 : y;
	sheet.x += px * (scale - width / box.width);
	sheet.y += py * (scale - width / box.width);
	sheet.width = width;
	placeGraph();
}

function moveGraph(key) {
	const step = sheet.width / 8;
	sheet.x += key === 'ArrowLeft' ? -step : key === 'ArrowRight' ? step : 0;
	sheet.y += key === 'ArrowUp' ? -step : key === 'ArrowDown' ? step : 0;
	placeGraph();
}

$('drawing').addEventListener('wheel', event => {
	const box = $('graph').getBoundingClientRect();
	event.preventDefault();
	zoomGraph(Math.exp(Math.sign(event.deltaY) * 0.15), event.clientX - box.left, event.clientY - box.top);
}, {passive: false});
$('drawing').addEventListener('pointerdown', event => {
	sheet.drag = {x: event.clientX, y: event.clientY, left: sheet.x, top: sheet.y, moved: false};
});
addEventListener('pointermove', event => {
	const drag = sheet.drag, scale = sheet.width / $('graph').getBoundingClientRect().width;
	if (!drag)
		return;
	drag.moved = drag.moved || Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 3;
	sheet.x = drag.left - (event.clientX - drag.x) * scale;
	sheet.y = drag.top - (event.clientY - drag.y) * scale;
	placeGraph();
});
addEventListener('pointerup', () => {
	sheet.drag = null;
});
addEventListener('resize', () => sheet.answer && tab() === 'graph' && placeGraph());

/* ---- one function ------------------------------------------------------------------------------- */

/* A box with its arrows; what has nothing to do with it steps back. */
function chooseBox(i) {
	const answer = sheet.answer, node = answer.nodes[i], near = new Set([i]);
	sheet.chosen = i;
	answer.edges.forEach((edge, k) => {
		const mine = edge.from === i || edge.to === i;
		sheet.arrows[k].classList.toggle('away', !mine);
		if (mine)
			near.add(edge.from).add(edge.to);
	});
	sheet.boxes.forEach((box, k) => {
		box.classList.toggle('away', !near.has(k));
		box.classList.toggle('chosen', k === i);
	});
	$('status').textContent = visible(node.name) + ' · ' + amountLines(node, answer).join(' ');
	showActions(node.name);
}

function chooseNone() {
	sheet.chosen = -1;
	for (const one of [...sheet.boxes, ...sheet.arrows])
		one.classList.remove('away', 'chosen');
	showActions('');
	if (sheet.answer)
		fitGraph();
}

/* Returns how many boxes match. */
function markGraph(expression) {
	let found = 0;
	sheet.boxes.forEach((box, i) => {
		const matches = Boolean(expression) && expression.test(visible(sheet.answer.nodes[i].name));
		box.classList.toggle('match', matches);
		found += matches;
	});
	return found;
}
