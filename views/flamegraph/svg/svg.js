/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture that can be zoomed and searched. The first line of a box's title is its name. */
'use strict';
const svg = document.documentElement;
const $ = id => document.getElementById(id);
const WHOLE = Number(svg.dataset.width), LETTER = 6.65;

/* The boxes of each pane as they were drawn. */
const panes = [...svg.querySelectorAll('.pane')].map(pane => ({
	zoomed: null,
	boxes: [...pane.querySelectorAll('.b')].map(element => {
		const rect = element.querySelector('rect'), title = element.querySelector('title').textContent;
		return {element, rect, text: element.querySelector('text'), name: title.split('\n')[0],
			about: title.replace('\n', ' · '), left: Number(rect.getAttribute('x')),
			width: Number(rect.getAttribute('width')), row: Number(rect.getAttribute('y'))};
	})
}));
panes.forEach(pane => pane.boxes.forEach(box => box.pane = pane));
const byElement = new Map(panes.flatMap(pane => pane.boxes.map(box => [box.element, box])));

function label(box, left, width) {
	const room = Math.floor((width - 6) / LETTER);
	if (!box.text) {
		box.text = document.createElementNS(svg.namespaceURI, 'text');
		box.text.setAttribute('y', String(box.row + Number(svg.dataset.baseline)));
		box.element.append(box.text);
	}
	box.text.setAttribute('x', (left + 3).toFixed(1));
	let letters = [...box.name];
	if (letters.length > room)
		letters = letters.slice(Number(box.element.dataset.short || 0));
	box.text.textContent = room < 3 ? '' :
		letters.length > room ? letters.slice(0, room - 1).join('') + '…' : letters.join('');
}

/* Draw a pane so that `box` (null: all) fills the width. */
function zoom(pane, box) {
	const a = box ? box.left : 0, width = box ? box.width : WHOLE, scale = WHOLE / width;
	pane.zoomed = box;
	for (const other of pane.boxes) {
		const left = Math.max(0, (other.left - a) * scale);
		const right = Math.min(WHOLE, (other.left + other.width - a) * scale);
		const seen = right - left > 0.1;
		other.element.style.display = seen ? '' : 'none';
		if (!seen)
			continue;
		other.rect.setAttribute('x', left.toFixed(2));
		other.rect.setAttribute('width', Math.max(right - left - (box ? 0.5 : 0), 0.1).toFixed(2));
		label(other, left, right - left);
	}
	$('reset').style.visibility = panes.some(p => p.zoomed) ? 'visible' : 'hidden';
}

/* Boxes that match; of those that lie below others each sample counts once. */
function search(text) {
	let expression = null;
	try {
		expression = text ? new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu') : null;
	} catch (error) {
		$('matched').textContent = error.message;
		return;
	}
	let most = 0, boxes = 0;
	for (const pane of panes) {
		const found = [];
		for (const box of pane.boxes) {
			const hit = expression !== null && box.element.dataset.rest === undefined &&
				expression.test(box.name);
			box.element.classList.toggle('found', hit);
			box.element.classList.toggle('faded', expression !== null && !hit);
			if (hit)
				found.push(box);
		}
		found.sort((a, b) => a.left - b.left || b.width - a.width);
		let end = -1, sum = 0;
		for (const box of found) {
			if (box.left + 1e-3 < end)
				continue;
			sum += box.width;
			end = box.left + box.width;
		}
		most = Math.max(most, sum);
		boxes += found.length;
	}
	$('matched').textContent = expression === null ? '' : 'matched ' +
		(100 * most / WHOLE).toFixed(1) + ' % · ' + boxes + (boxes === 1 ? ' box' : ' boxes');
}

function boxOf(event) {
	const element = event.target.closest ? event.target.closest('.b') : null;
	return element ? byElement.get(element) : null;
}

function ask() {
	const text = prompt('Search (regular expression):', svg.dataset.search || '');
	if (text !== null) {
		svg.dataset.search = text;
		search(text);
	}
}

function reset() {
	panes.forEach(pane => zoom(pane, null));
}

svg.addEventListener('mouseover', event => {
	const box = boxOf(event);
	$('status').textContent = box ? box.about : '';
});
svg.addEventListener('focusin', event => {
	const box = boxOf(event);
	if (box)
		$('status').textContent = box.about;
});
svg.addEventListener('click', event => {
	const box = boxOf(event);
	if (event.target.id === 'reset')
		reset();
	else if (event.target.id === 'search')
		ask();
	else if (box)
		zoom(box.pane, box.pane.zoomed === box ? null : box);
});
document.addEventListener('keydown', event => {
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	const box = boxOf(event);
	if (event.key === '/')
		ask();
	else if (event.key === 'Escape')
		reset();
	else if (event.key === 'Enter' && box)
		zoom(box.pane, box);
	else
		return;
	event.preventDefault();
});
svg.classList.add('alive');
$('reset').style.visibility = 'hidden';
