/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables: functions, one of them with its callers and callees, and its source. */

function cell(text, className) { return element('td', {textContent: text, className}); }

function amountCells(value, answer) {
	return [cell(amount(value, answer.unit), 'n'), cell(percent(value, whole(answer)), 'n')];
}

function changeCells(base, value, answer) {
	const change = value - base;
	return [cell(change ? signed(change, amount(change, answer.unit)) : '0', 'n ' + (change > 0 ? 'more' : change < 0 ? 'less' : '')),
		cell(amount(base, answer.unit), 'n'), cell(amount(value, answer.unit), 'n')];
}

function nameCell(name) {
	return element('td', {className: 'name'}, button(visible(name), 'Its callers and callees', () => open('peek', name)));
}

function showText(...children) {
	$('text').hidden = false;
	$('text').replaceChildren(...children);
	$('text').scrollTop = 0;
	$('status').replaceChildren();
}

/* ---- functions ---------------------------------------------------------------------------------- */

function heading(text, key, className) {
	const made = element('th', {className: className || '', scope: 'col'});
	if (!key) {
		made.textContent = text;
		return made;
	}
	if ((get('sort') || 'self') === key)
		made.setAttribute('aria-sort', key === 'name' ? 'ascending' : 'descending');
	made.append(button(text, 'Sort', () => set('sort', key === 'self' ? '' : key)));
	return made;
}

async function showTop() {
	const answer = await ask('top', {sort: get('sort')});
	const text = get('search');
	let expression = null;
	try {
		expression = text ? new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu') : null;
	} catch (error) {
		$('search').setAttribute('aria-invalid', 'true');
	}
	const compared = answer.base_total !== undefined;
	const rows = answer.rows.filter(row => !expression || expression.test(row.name)).map(row => {
		const line = element('tr', {}, ...(compared ? [...changeCells(row.base_self, row.self, answer),
			...changeCells(row.base_total, row.total, answer)] : [...amountCells(row.self, answer), ...amountCells(row.total, answer)]),
		nameCell(row.name), cell(visible(row.file), 'file'));
		line.addEventListener('mouseenter', () => showActions(row.name));
		line.addEventListener('focusin', () => showActions(row.name));
		return line;
	});
	const columns = (name, key) => compared ? [heading('Change of ' + name, key, 'n'), heading('From', '', 'n'), heading('To', '', 'n')]
		: [heading(name === 'self' ? 'Self' : 'Total', key, 'n'), heading('%', '', 'n')];
	const head = element('tr', {}, ...columns('self', 'self'), ...columns('total', 'total'), heading('Function', 'name'),
		heading('File', '', 'file'));
	showText(element('table', {id: 'rows'}, element('thead', {}, head), element('tbody', {}, ...rows)),
		element('p', {className: 'note', textContent: answer.more ? digits(answer.more, 9) +
			' more with less: a filter brings them here.' : ''}));
	return answer;
}

/* ---- one function ------------------------------------------------------------------------------- */

function need(what) {
	showText(element('p', {className: 'note', textContent: 'Choose a function, in the flame graph or in the table: ' + what +
		' is shown here.'}));
	showActions('');
	return shown.about;
}

async function showPeek() {
	const name = get('function');
	if (!name)
		return need('who calls it and what it calls');
	const answer = await ask('peek', {function: name});
	const cells = one => one.base === undefined ? amountCells(one.value, answer) : changeCells(one.base, one.value, answer);
	const line = other => element('tr', {}, ...cells(other), nameCell(other.name));
	const me = element('tr', {className: 'me'}, ...cells(answer),
		element('td', {className: 'name', textContent: visible(name) + ' (own ' + amount(answer.self, answer.unit) + ')'}));
	const group = (title, list) => element('tbody', {}, element('tr', {}, element('td', {colSpan: 4, className: 'note',
		textContent: title + (list.length ? '' : ': none')})), ...list.map(line));
	showText(element('table', {id: 'peek', className: 'around'}, group('Callers', answer.callers),
		element('tbody', {}, me), group('Callees', answer.callees)));
	showActions(name);
	return answer;
}

/* The instructions of a line, below it. */
function codeRow(instructions, answer) {
	let symbol = '';
	const lines = instructions.map(([, name, address, self, total, text, next]) => {
		const gap = name === symbol && !next;
		const head = name === symbol ? [] : [element('tr', {}, element('td', {colSpan: 4, className: 'symbol', textContent: visible(name)}))];
		symbol = name;
		return [...head, ...(gap ? [element('tr', {}, cell('', 'n'), cell('', 'n'), cell('', 'n'), cell('…', 'code'))] : []),
			element('tr', {className: self || total ? 'hot' : ''}, cell(self ? amount(self, answer.unit) : '', 'n'),
				cell(total ? amount(total, answer.unit) : '', 'n'), cell(address, 'n line'), cell(visible(text.replace(/\t/g, ' ')), 'code'))];
	});
	return element('tr', {className: 'instructions', hidden: true}, element('td', {colSpan: 5},
		element('table', {className: 'source'}, element('tbody', {}, ...lines.flat()))));
}

/* Lines of a file; those with instructions open to them. */
function sourceRows(file, answer) {
	const code = new Map();
	for (const one of file.code || [])
		code.set(one[0], [...(code.get(one[0]) || []), one]);
	return file.lines.flatMap(([number, self, total, text]) => {
		const line = element('tr', {className: self || total ? 'hot' : ''},
			cell(self ? amount(self, answer.unit) : '', 'n'), cell(total ? amount(total, answer.unit) : '', 'n'),
			cell(total ? percent(total, whole(answer)) : '', 'n'), cell(number || '', 'n line'), cell(visible(text.replace(/\t/g, '        ')), 'code'));
		if (!code.has(number))
			return [line];
		const below = codeRow(code.get(number), answer);
		const toggle = button('▸', 'Machine code of the line', () => {
			below.hidden = !below.hidden;
			toggle.setAttribute('aria-expanded', String(!below.hidden));
			toggle.textContent = below.hidden ? '▸' : '▾';
		});
		toggle.setAttribute('aria-expanded', 'false');
		line.children[3].prepend(toggle);
		line.classList.add('opens');
		line.addEventListener('click', event => event.target !== toggle && !getSelection().toString() && toggle.click());
		if (self)
			toggle.click();
		return [line, below];
	});
}

async function showSource() {
	const name = get('function');
	if (!name)
		return need('its source with the cost of each line');
	const answer = await ask('source', {function: name, code: get('code')});
	const compared = answer.base_total !== undefined;
	const toggle = button('Machine code', 'What each line was compiled to, with the cost of each instruction (m)', () =>
		set('code', get('code') ? '' : '1'));
	toggle.id = 'code';
	toggle.hidden = compared;
	toggle.setAttribute('aria-pressed', String(Boolean(get('code'))));
	showText(toggle, element('p', {className: 'note', hidden: !answer.problem, textContent: answer.problem || ''}), ...answer.files.flatMap(file => [
		element('h2', {className: 'file', textContent: visible(file.path) || '(no file)'}),
		element('p', {className: 'note', hidden: !file.version, textContent: 'As of ' + visible((file.version || '').slice(0, 8))}),
		element('p', {className: 'note', hidden: file.found, textContent: 'The file is not below the project: only the lines that cost something are known.'}),
		element('table', {className: 'source'}, element('tbody', {}, ...sourceRows(file, answer)))]));
	const hot = $('text').querySelector('.hot');
	if (hot)
		hot.scrollIntoView({block: 'center'});
	$('text').scrollLeft = 0;
	showActions(name);
	return answer;
}
