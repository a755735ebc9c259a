/* SPDX-License-Identifier: BSD-3-Clause */
/* The view scaling: sliders for the parameters, curves and shares where they are. */

const MORE = DATA.more;

/* An exponent; or where the growth changes, and on both sides constant, coefficient and two exponents. */
function factorValue(x, logarithm, exponent) {
	if (!Array.isArray(exponent))
		return (logarithm ? Math.log2(x) : x) ** exponent;
	const [until, ...pieces] = exponent, [constant, coefficient, i, j] = pieces[x > until ? 1 : 0];
	return constant + (coefficient && coefficient * x ** i * Math.log2(x) ** j);
}

function formulaValue(formula, at) {
	return formula.terms.reduce((sum, [coefficient, ...factors]) =>
		sum + factors.reduce((product, [p, logarithm, exponent]) =>
			product * factorValue(at[p], logarithm, exponent), coefficient), formula.constant);
}

/* Between two segments both hold: the mean, as the tables have it. */
function predicted(model, at) {
	if (!model.formulas.length)
		return NaN;
	const values = model.formulas.map(formula => formulaValue(formula, at));
	if (values.length < 2)
		return values[0];
	return at[0] <= model.until ? values[0] : at[0] >= model.from ? values[1] : (values[0] + values[1]) / 2;
}

function sliderRange(p) {
	const { low, high, at } = MORE.parameters[p];
	return low > 0 ? { log: true, low: Math.min(low, at) / 2, high: Math.max(high * 64, at * 4) }
		: { log: false, low: Math.min(low, at), high: Math.max(high, at) + 4 * (Math.max(high, at) - Math.min(low, at) || 1) };
}

function updateTree(at) {
	const rows = document.querySelectorAll('#list tbody tr'), values = MORE.tree.map(node => node ? predicted(node.model, at) : NaN);
	const others = MORE.others.map(model => predicted(model, at));
	const good = values.concat(others).filter(value => value > 0 && Number.isFinite(value));
	const whole = MORE.inclusive ? Math.max(0, ...good) : good.reduce((a, b) => a + b, 0);
	rows.forEach((row, i) => {
		const value = values[i], cells = row.querySelectorAll('td'), square = row.querySelector('rect');
		if (Number.isNaN(value))
			return;
		cells[1].textContent = amount({ ...DATA.charts[0].y, bare: true }, value);
		cells[2].textContent = whole > 0 ? (100 * value / whole).toFixed(1) + ' %' : '–';
		if (square)
			square.setAttribute('fill', shareColor(value / whole));
	});
}

/* The band was computed where the other parameters were: elsewhere there is none. */
function moveBand(band, wide, low, high, at) {
	const there = MORE.parameters.every((parameter, p) => p === MORE.axis || at[p] === parameter.at);
	const end = wide.x.findIndex(x => x > high), count = !there ? 0 : end < 0 ? wide.x.length : Math.min(end + 1, wide.x.length);
	for (const key of ['x', 'y', 'low'])
		band[key] = wide[key].slice(0, count);
	/* Between two points of it: as if it were straight. */
	if (count > 1 && band.x[count - 1] > high) {
		const part = (high - band.x[count - 2]) / (band.x[count - 1] - band.x[count - 2]);
		for (const key of ['x', 'y', 'low'])
			band[key][count - 1] = band[key][count - 2] + part * (band[key][count - 1] - band[key][count - 2]);
	}
}

/* The curves where the other parameters are; the range of the axis follows the slider of its own. */
function updateCurves(at) {
	const entry = charts[0], { chart } = entry, axis = MORE.axis, own = MORE.parameters[axis];
	const low = Math.min(own.low, at[axis]), high = Math.max(own.high, at[axis]);
	let values = [];
	MORE.chosen.forEach((model, k) => {
		const parts = chart.series.filter(s => s.color === k), line = parts.find(s => s.curve);
		line.x = [];
		line.y = [];
		for (let i = 0; i <= 160; i++) {
			const x = chart.x.log ? low * (high / low) ** (i / 160) : low + (high - low) * i / 160;
			const value = predicted(model, at.map((v, p) => p === axis ? x : v));
			line.x.push(x);
			line.y.push(Number.isFinite(value) ? value : null);
		}
		const band = parts.find(s => s.mark === 'band');
		if (band)
			moveBand(band, MORE.bands[k], low, high, at);
		const points = parts.find(s => s.mark === 'points');
		const there = MORE.points[k].filter(point => MORE.parameters.every((_, p) => p === axis || Math.abs(point[p] - at[p]) <= 1e-9 * Math.abs(at[p])));
		points.x = there.map(point => point[axis]);
		points.y = there.map(point => point[at.length]);
		if (MORE.parameters.length > 1)
			for (const s of parts)
				if (s.mark === 'line' && !s.curve)
					s.hiddenPart = true;
		values = values.concat(line.y, points.y);
	});
	values = values.filter(value => Number.isFinite(value) && (!chart.y.log || value > 0));
	fitAxis(chart.x, [low, high], .03);
	fitAxis(chart.y, chart.y.log ? values : values.concat(0), .05);
	if (chart.rules[1])
		chart.rules[1].at = at[axis];
	chart.hover = null;
	entry.note.textContent = MORE.parameters.filter((_, p) => p !== axis)
		.map((parameter, k) => `${k ? '' : 'where '}${parameter.name} = ${short(at[MORE.parameters.indexOf(parameter)], 6)}`).join(', ');
	reset(entry);
	entry.plot.redraw(false, true);
}

function fitAxis(axis, values, room) {
	let low = Math.min(...values), high = Math.max(...values);
	if (!(low < high))
		[low, high] = axis.log ? [low / 2, high * 2] : [low - 1, high + 1];
	if (axis.log) {
		const ratio = (high / low) ** room;
		[axis.low, axis.high] = [low / ratio, high * ratio];
	} else {
		const space = (high - low) * room;
		[axis.low, axis.high] = [low === 0 ? 0 : low - space, high === 0 ? 0 : high + space];
	}
}

/* One more curve, with its points; a band is computed for those only that the chart begins with. */
function addCurve(node) {
	const entry = charts[0], { chart } = entry, color = MORE.chosen.length, parts = { name: node.name, color };
	MORE.chosen.push(node.model);
	MORE.points.push(node.points);
	for (const part of [{ mark: 'line', curve: true }, { mark: 'points' }])
		chart.series.push({ ...parts, x: [], y: [], ...part });
	entry.section.querySelector('.legend').replaceWith(makeLegend(entry));
	for (const button of entry.section.querySelectorAll('.legend button'))
		button.setAttribute('aria-pressed', String(!chart.hidden.has(button.dataset.name)));
}

/* A click on a call path of the tree plots it, a second one hides it. */
function makeTree(update) {
	const rows = document.querySelectorAll('#list tbody tr'), { chart } = charts[0];
	const isPlotted = name => chart.series.some(s => s.name === name) && !chart.hidden.has(name);
	const mark = () => rows.forEach((row, i) => MORE.tree[i] &&
		row.setAttribute('aria-pressed', String(isPlotted(MORE.tree[i].name))));
	const toggle = node => {
		if (!chart.series.some(s => s.name === node.name)) {
			addCurve(node);
			update();
		} else {
			const button = [...charts[0].section.querySelectorAll('.legend button')].find(b => b.dataset.name === node.name);
			if (button)
				button.click();
		}
		mark();
	};
	rows.forEach((row, i) => {
		const node = MORE.tree[i];
		if (!node || !node.model.formulas.length)
			return;
		row.tabIndex = 0;
		row.setAttribute('role', 'button');
		row.title = 'Plot ' + node.name + ', or hide it';
		row.style.cursor = 'pointer';
		row.addEventListener('click', () => toggle(node));
		row.addEventListener('keydown', event => {
			if (event.key !== 'Enter' && event.key !== ' ')
				return;
			event.preventDefault();
			toggle(node);
		});
	});
	mark();
}

function makeSliders() {
	const box = byId('sliders'), at = MORE.parameters.map(parameter => parameter.at);
	const update = () => {
		updateCurves(at);
		updateTree(at);
		byId('summary').textContent = DATA.subtitle.replace(/predicted at .*$/, 'predicted at ' +
			MORE.parameters.map((parameter, p) => `${parameter.name} = ${short(at[p], 6)}`).join(', '));
	};
	box.hidden = false;
	byId('before').append(box);
	MORE.parameters.forEach((parameter, p) => {
		const range = sliderRange(p), label = element('label', 'slider'), slider = element('input'), number = element('input');
		const toPlace = value => range.log ? Math.log(value / range.low) / Math.log(range.high / range.low)
			: (value - range.low) / (range.high - range.low);
		slider.type = 'range';
		slider.min = 0;
		slider.max = 1;
		slider.step = 'any';
		slider.value = toPlace(parameter.at);
		slider.setAttribute('aria-label', parameter.name);
		number.type = 'number';
		number.step = 'any';
		number.value = parameter.at;
		number.setAttribute('aria-label', parameter.name);
		slider.addEventListener('input', () => {
			const place = Number(slider.value);
			let value = range.log ? range.low * (range.high / range.low) ** place : range.low + place * (range.high - range.low);
			if (Number.isInteger(parameter.low) && Number.isInteger(parameter.high) && value >= 1)
				value = Math.round(value);
			at[p] = Number(value.toPrecision(5));
			number.value = at[p];
			update();
		});
		number.addEventListener('change', () => {
			const value = Number(number.value);
			if (!Number.isFinite(value) || (range.log && value <= 0))
				return;
			at[p] = value;
			slider.value = toPlace(value);
			update();
		});
		label.append(element('span', '', parameter.name), slider, number);
		box.append(label);
	});
	makeTree(update);
}

if (MORE) {
	/* Of each color the first line is the curve; others show what repetitions range over. */
	const seen = new Set();
	for (const s of DATA.charts[0].series)
		if (s.mark === 'line' && !seen.has(s.color)) {
			seen.add(s.color);
			s.curve = true;
		}
	makeSliders();
}
