/* SPDX-License-Identifier: BSD-3-Clause */
/* What all pages do: load files of data, make elements, tables, dark and light. */

const KIND = document.body.dataset.page;
const UP = KIND === 'metric' || KIND === 'version' ? '../' : '';
const byId = id => document.getElementById(id);
const content = byId('content');

/* ---- data ---- */

/* Files of data are scripts that call perun(): pages on a disk may not read files in another way. */
const loads = new Map();
window.perun = (name, data) => {
	const load = loads.get(name) || { };
	loads.set(name, { ...load, data });
};
function load(name) {
	let entry = loads.get(name);
	if (entry && entry.promise)
		return entry.promise;
	const promise = new Promise((resolve, reject) => {
		const script = document.createElement('script');
		script.src = `${UP}data/${name}.js`;
		script.onload = () => {
			script.remove();
			const loaded = loads.get(name);
			if ('data' in loaded)
				resolve(loaded.data);
			else
				reject(new Error(`${name} has no data`));
		};
		script.onerror = () => reject(new Error(`data/${name}.js cannot be loaded`));
		document.head.append(script);
	});
	loads.set(name, { promise });
	return promise;
}

/* ---- elements ---- */

function make(name, properties = {}, ...children) {
	const node = document.createElement(name);
	for (const [key, value] of Object.entries(properties))
		if (key === 'class')
			node.className = value;
		else if (key === 'text')
			node.textContent = value;
		else if (key.startsWith('on'))
			node.addEventListener(key.slice(2), value);
		else if (value !== undefined && value !== null && value !== false)
			node.setAttribute(key, value === true ? '' : value);
	node.append(...children.filter(child => child !== null && child !== undefined));
	return node;
}

const metricAddress = (id, place) => `${UP}metric/${id}.html${place ? '#place=' + encodeURIComponent(place) : ''}`;
const versionAddress = version => `${UP}version/${version}.html`;
function versionLink(version, text) {
	return make('a', { class: 'checksum', href: versionAddress(version), title: version, text: text || checksum(version) });
}
function commitLink(catalog, version) {
	if (!catalog.link || !/^https?:\/\//.test(catalog.link))
		return null;
	return make('a', { href: catalog.link.replace('%s', version), rel: 'noreferrer', text: 'commit' });
}

/* A curve of numbers from 0 to 99. */
function spark(values, width = 160, height = 28) {
	const canvas = make('canvas', { class: 'spark', width: width * 2, height: height * 2, 'aria-hidden': 'true' });
	canvas.style.width = width + 'px';
	canvas.style.height = height + 'px';
	canvas.paint = () => {
		const ctx = canvas.getContext('2d');
		ctx.clearRect(0, 0, canvas.width, canvas.height);
		ctx.strokeStyle = ctx.fillStyle = ink('curve');
		ctx.lineWidth = 2.5;
		ctx.lineJoin = 'round';
		ctx.beginPath();
		let last = null;
		values.forEach((value, i) => {
			if (value < 0)
				return;
			const x = 4 + i / Math.max(1, values.length - 1) * (canvas.width - 10);
			const y = 5 + (1 - value / 99) * (canvas.height - 10);
			if (last)
				ctx.lineTo(x, y);
			else
				ctx.moveTo(x, y);
			last = [x, y];
		});
		ctx.stroke();
		if (last) {
			ctx.beginPath();
			ctx.arc(...last, 4, 0, 7);
			ctx.fill();
		}
	};
	canvas.paint();
	return canvas;
}

/* The colour of a thing in a legend. */
function swatch(color) {
	const mark = make('i', { 'data-color': color });
	mark.style.background = ink(color);
	return mark;
}

/*
 * A table of many rows: the first ones, more on request, sorted by a click on a title.
 * columns: {title, number, value(row) for sorting, cell(row) = text or element}
 */
function table(columns, rows, { step = 100, href, sort = null, id } = {}) {
	const body = make('tbody'), more = make('button', { type: 'button', class: 'more' }), head = make('tr');
	let order = rows, shown = 0;
	const addRows = () => {
		const end = Math.min(order.length, shown + step), part = document.createDocumentFragment();
		for (; shown < end; shown++) {
			const row = order[shown], line = make('tr');
			for (const column of columns) {
				const cell = column.cell(row);
				line.append(make('td', { class: column.number ? 'number' : column.class || '' }, cell === null ? '' : cell));
			}
			if (href && href(row)) {
				line.className = 'link';
				line.addEventListener('click', event => {
					if (!event.target.closest('a') && !getSelection().toString())
						location.href = href(row);
				});
			}
			part.append(line);
		}
		body.append(part);
		more.hidden = shown >= order.length;
		more.textContent = `Show more (${(order.length - shown).toLocaleString('en')} left)`;
	};
	const arrange = (column, down) => {
		order = rows.slice();
		if (column) {
			const key = column.value;
			order.sort((a, b) => {
				const x = key(a), y = key(b);
				if (typeof x === 'string')
					return (down ? -1 : 1) * x.localeCompare(y);
				return Number.isNaN(x) ? 1 : Number.isNaN(y) ? -1 : (down ? y - x : x - y);
			});
		}
		for (const title of head.children)
			title.removeAttribute('aria-sort');
		if (column)
			head.children[columns.indexOf(column)].setAttribute('aria-sort', down ? 'descending' : 'ascending');
		body.replaceChildren();
		shown = 0;
		addRows();
	};
	for (const column of columns) {
		const title = make('th', { class: (column.number ? 'number ' : '') + (column.value ? 'sortable' : ''), scope: 'col' }, column.title || make('span', { class: 'unseen', text: column.label }));
		if (column.value) {
			title.tabIndex = 0;
			const click = () => arrange(column, title.getAttribute('aria-sort') !== (column.number ? 'descending' : 'ascending') ? !!column.number : !column.number);
			title.addEventListener('click', click);
			title.addEventListener('keydown', event => { if (event.key === 'Enter') click(); });
		}
		head.append(title);
	}
	more.addEventListener('click', addRows);
	arrange(sort && columns.find(column => column.title === sort[0]), sort && sort[1]);
	const box = make('div', { id }, make('div', { class: 'wide' }, make('table', {}, make('thead', {}, head), body)), more);
	box.setRows = next => { rows = next; arrange(null); };
	return box;
}

/* ---- dark and light ---- */

const dark = () => document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark'
	: matchMedia('(prefers-color-scheme: dark)').matches;
let styles = null;
function ink(name) {
	styles = styles || getComputedStyle(document.documentElement);
	return styles.getPropertyValue('--' + name).trim();
}
const repaints = [];
function repaint() {
	styles = null;
	for (const canvas of document.querySelectorAll('canvas.spark'))
		canvas.paint();
	for (const mark of document.querySelectorAll('.legend i'))
		mark.style.background = ink(mark.dataset.color);
	for (const paint of repaints)
		paint();
}
function remember(key, value) {
	try {
		if (value === undefined)
			return localStorage.getItem('perun-' + key);
		localStorage.setItem('perun-' + key, value);
	} catch (error) { /* a page on a disk may have no storage */ }
	return null;
}

/* ---- what lies below the mouse ---- */

const tip = byId('tip');
function showTip(event, lines) {
	tip.replaceChildren(...lines.filter(line => line).map((line, i) => make(i ? 'span' : 'b', { text: line })));
	tip.hidden = false;
	const box = tip.getBoundingClientRect(), x = event.clientX + 16, y = event.clientY + 16;
	tip.style.left = (x + box.width > innerWidth - 8 ? Math.max(8, event.clientX - box.width - 12) : x) + 'px';
	tip.style.top = (y + box.height > innerHeight - 8 ? Math.max(8, event.clientY - box.height - 12) : y) + 'px';
}
