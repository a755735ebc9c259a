/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels as facets: their values with shares; and the filters in use. */

function expressionOf(value) {
	return exactly(String(value.value));
}

async function showFacets() {
	const answer = await ask('labels');
	const list = answer.labels.flatMap(label => {
		const key = visible(label.key), grouped = words.getAll('root-label').includes(label.key);
		const group = button(grouped ? 'ungroup' : 'group', 'A box for each value of ' + key, () =>
			grouped ? removeFilter('root-label', label.key) : addFilter('root-label', label.key));
		group.setAttribute('aria-pressed', String(grouped));
		const items = label.values.map(value => {
			const item = button('', 'Only samples with it; with Shift those without; with Alt compare with them', event =>
				addFilter(event.altKey ? 'base-label' : event.shiftKey ? 'no-label' : 'label', label.key + '=' + expressionOf(value)));
			const text = visible(String(value.value)) + (value.unit ? ' ' + visible(value.unit) : '');
			item.append(element('span', {textContent: text || '(empty)', title: text}),
				element('span', {textContent: percent(value.sum, whole(answer))}));
			return element('li', {}, item);
		});
		return [element('h2', {}, element('span', {textContent: key}), group), element('ul', {}, ...items),
			...(label.more ? [element('p', {className: 'note', textContent: digits(label.more, 9) + ' more values'})] : [])];
	});
	$('facets').replaceChildren(...list);
	$('facets').hidden = !list.length;
}

function showChips() {
	const chips = [];
	for (const [kind, value] of words) {
		if (!Object.hasOwn(FILTERS, kind) || !value)
			continue;
		const chip = button(FILTERS[kind] + ' ' + visible(value) + ' ×', 'Remove this filter', () => removeFilter(kind, value));
		chip.dataset.kind = kind;
		chips.push(element('li', {}, chip));
	}
	if (chips.length > 1)
		chips.push(element('li', {}, button('Clear all', 'Remove all filters (Shift+Backspace)', clearFilters)));
	$('chips').replaceChildren(...chips);
}

function clearFilters() {
	change(next => Object.keys(FILTERS).forEach(kind => next.delete(kind)));
}

$('add').addEventListener('submit', event => {
	event.preventDefault();
	addFilter($('kind').value, $('value').value.trim());
	$('value').value = '';
});
$('kind').addEventListener('change', () => {
	$('value').placeholder = HINTS[$('kind').value] || 'regular expression';
	if (/profile$/.test($('kind').value))
		$('value').setAttribute('list', 'profiles');
	else
		$('value').removeAttribute('list');
});
