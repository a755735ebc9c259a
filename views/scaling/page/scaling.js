/* SPDX-License-Identifier: BSD-3-Clause */
/* The view scaling: sliders for the parameters, curves, surfaces and shares where they are; a choice of metrics. */

const MORE = DATA.more;
let shown = MORE?.metrics[0]; /* the metric that is chosen */
const curveChart = () => charts[shown.chart];
const chartsOf = metric => charts.slice(metric.chart, metric.chart + metric.charts);
const rowsOf = metric => [...document.querySelectorAll('#list tbody tr')].slice(metric.row, metric.row + metric.rows);
/* Of several metrics each begins with a line that names it. */
const nodesOf = metric => MORE.metrics.length > 1 && metric.rows ? [null, ...metric.tree] : metric.tree;
const isComparison = MORE?.metrics.some(metric => metric.tree.concat(metric.chosen).some(node => node?.before)) ?? false;
/* The curves of a call path: of two experiments, what is now and what was before. */
const curvesOf = node => isComparison ? [node, node.before && { ...node.before, name: node.name + ' before', dashed: true }] : [node];

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

/* What became of a cost, as the list says it. */
function change(was, is) {
	if (!(was > 0) || !(is > 0))
		return '';
	return is >= 2 * was ? short(is / was, 3) + '×' : `${is < was ? '' : '+'}${(100 * (is / was - 1)).toFixed(1)} %`;
}

function updateTree(at) {
	const rows = rowsOf(shown), nodes = nodesOf(shown), values = nodes.map(node => node ? predicted(node.model, at) : NaN);
	const others = shown.others.map(({ model }) => predicted(model, at));
	const good = values.filter((_, i) => !nodes[i]?.overlaps).concat(others).filter(value => value > 0 && Number.isFinite(value));
	const whole = shown.inclusive ? Math.max(0, ...good) : good.reduce((a, b) => a + b, 0);
	rows.forEach((row, i) => {
		const value = values[i], cells = row.querySelectorAll('td'), square = row.querySelector('rect');
		if (!nodes[i] || Number.isNaN(value))
			return;
		const text = value => amount({ ...curveChart().chart.y, bare: true }, value), { before } = nodes[i];
		if (isComparison) {
			if (before) {
				cells[1].textContent = text(predicted(before.model, at));
				cells[3].textContent = change(predicted(before.model, at), value);
			}
			cells[2].textContent = text(value);
		} else {
			cells[1].textContent = text(value);
		}
		if (nodes[i].overlaps)
			return;
		if (!isComparison)
			cells[2].textContent = whole > 0 ? (100 * value / whole).toFixed(1) + ' %' : '–';
		if (square && whole > 0)
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
	const entry = curveChart(), { chart } = entry, axis = MORE.axis, own = MORE.parameters[axis];
	const low = Math.min(own.low, at[axis]), high = Math.max(own.high, at[axis]);
	let values = [];
	shown.curves.forEach((node, k) => {
		if (!node)
			return;
		const parts = chart.series.filter(s => s.name === node.name), line = parts.find(s => s.curve);
		line.x = [];
		line.y = [];
		for (let i = 0; i <= 160; i++) {
			const x = chart.x.log ? low * (high / low) ** (i / 160) : low + (high - low) * i / 160;
			const value = predicted(node.model, at.map((v, p) => p === axis ? x : v));
			line.x.push(x);
			line.y.push(Number.isFinite(value) ? value : null);
		}
		const band = parts.find(s => s.mark === 'band');
		if (band)
			moveBand(band, shown.bands[k], low, high, at);
		const points = parts.find(s => s.mark === 'points');
		const there = node.points.filter(point => MORE.parameters.every((_, p) => p === axis || Math.abs(point[p] - at[p]) <= 1e-9 * Math.abs(at[p])));
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
	const entry = curveChart(), { chart } = entry;
	for (const curve of curvesOf(node)) {
		const number = shown.curves.push(curve) - 1, color = isComparison ? number >> 1 : number;
		for (const part of curve ? [{ mark: 'line', curve: true, dashed: curve.dashed }, { mark: 'points' }] : [])
			chart.series.push({ name: curve.name, color, x: [], y: [], ...part });
	}
	entry.section.querySelector('.legend').replaceWith(makeLegend(entry));
	for (const button of entry.section.querySelectorAll('.legend button'))
		button.setAttribute('aria-pressed', String(!chart.hidden.has(button.dataset.name)));
}

/* A click on a call path of the tree plots it, a second one hides it. */
function makeTree(metric, update) {
	const rows = rowsOf(metric), nodes = nodesOf(metric), entry = charts[metric.chart], { chart } = entry;
	const isPlotted = name => chart.series.some(s => s.name === name) && !chart.hidden.has(name);
	const mark = () => rows.forEach((row, i) => nodes[i] &&
		row.setAttribute('aria-pressed', String(isPlotted(nodes[i].name))));
	const toggle = node => {
		if (!chart.series.some(s => s.name === node.name)) {
			addCurve(node);
		} else {
			const names = curvesOf(node).map(curve => curve?.name), was = isPlotted(node.name);
			for (const button of entry.section.querySelectorAll('.legend button'))
				if (names.includes(button.dataset.name) && was === isPlotted(button.dataset.name))
					button.click();
		}
		update();
		mark();
	};
	rows.forEach((row, i) => {
		const node = nodes[i];
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

/* ---- surfaces -------------------------------------------------------------------------------- */

const CELLS = 18, HEIGHT = .75, turn = { azimuth: .61, elevation: .44 };

/* Where on the picture a place in the cube from 0 to 1 is, and how far away: as surface.c. */
function project([across, along, up]) {
	const u = across - .5, v = along - .5, w = HEIGHT * (up - .5), { azimuth, elevation } = turn;
	const back = u * Math.sin(azimuth) + v * Math.cos(azimuth);
	return { x: u * Math.cos(azimuth) - v * Math.sin(azimuth),
		y: back * Math.sin(elevation) + w * Math.cos(elevation),
		depth: back * Math.cos(elevation) - w * Math.sin(elevation) };
}

const between = (scale, place) => scale.log ? scale.low * (scale.high / scale.low) ** place : scale.low + place * (scale.high - scale.low);
const placeOf = (scale, value) => scale.log ? Math.log(value / scale.low) / Math.log(scale.high / scale.low)
	: (value - scale.low) / (scale.high - scale.low);

/* The box, seen from where it is: ticks at the edges in front, lines on the floor and the walls behind. */
function surfaceAxes(chart, scales, titles) {
	const lines = { name: '', mark: 'line', color: 0, frame: true, x: [], y: [] }, words = [];
	const stroke = (...places) => {
		for (const spot of places.map(project)) {
			lines.x.push(spot.x);
			lines.y.push(spot.y);
		}
		lines.x.push(null);
		lines.y.push(null);
	};
	const front = [project([0, .5, 0]).depth < project([1, .5, 0]).depth ? 0 : 1, project([.5, 0, 0]).depth < project([.5, 1, 0]).depth ? 0 : 1];
	const out = by => front.map(end => end ? 1 + by : -by);
	const corner = [[0, 0], [0, 1], [1, 0], [1, 1]].reduce((a, b) => project([...b, 0]).x < project([...a, 0]).x ? b : a);
	const word = (place, text, end = false) => {
		const spot = project(place);
		words.push({ x: spot.x - (end ? .02 : 0), y: spot.y, end, text });
	};
	scales.forEach((scale, axis) => {
		const ticks = scale.log ? logTicks(scale, scale.low, scale.high, 5) : linearTicks(scale.low, scale.high, 5, shownUnit(scale, scale.low, scale.high)[0], scale.whole);
		for (const tick of ticks.filter(tick => axis === 2 || tickTexts(scale, [tick], scale.low, scale.high)[0])) {
			const at = placeOf(scale, tick), [u, v] = [1 - front[0], 1 - front[1]];
			if (!(at >= -1e-9 && at <= 1 + 1e-9))
				continue;
			if (axis === 0) {
				stroke([at, 0, 0], [at, 1, 0]);
				stroke([at, v, 0], [at, v, 1]);
				word([at, out(.09)[1], 0], short(tick, 4));
			} else if (axis === 1) {
				stroke([0, at, 0], [1, at, 0]);
				stroke([u, at, 0], [u, at, 1]);
				word([out(.09)[0], at, 0], short(tick, 4));
			} else {
				stroke([0, v, at], [1, v, at]);
				stroke([u, 0, at], [u, 1, at]);
				word([...corner, at], amount({ ...scale, bare: true }, tick), true);
			}
		}
	});
	word([.5, out(.26)[1], 0], titles[0]);
	word([out(.26)[0], .5, 0], titles[1]);
	word([...corner, 1.13], titles[2]);
	chart.words = words;
	return lines;
}

/* Of the call paths that are plotted, over the parameter of the axis and another one. */
function updateSurface(entry, at) {
	const { chart } = entry, curves = curveChart().chart, across = MORE.axis, along = across === 0 ? 1 : 0;
	const scales = [across, along].map(p => {
		const { low, high, base } = MORE.parameters[p];
		const from = Math.min(low, at[p]), to = Math.max(high, at[p]);
		return { title: '', unit: '', kind: 'other', factor: 1, log: base, low: from, high: to > from ? to : from + 1 };
	});
	const plotted = shown.curves.map(({ model, name }, color) => ({ model, color, name }))
		.filter(({ name }) => !curves.hidden.has(name)).slice(0, 4);
	const grids = plotted.map(({ model }) => Array.from({ length: (CELLS + 1) ** 2 }, (_, i) => {
		const place = at.slice();
		place[across] = between(scales[0], i % (CELLS + 1) / CELLS);
		place[along] = between(scales[1], Math.floor(i / (CELLS + 1)) / CELLS);
		return predicted(model, place);
	}));
	const values = grids.flat().filter(Number.isFinite), low = Math.min(...values), high = Math.max(...values);
	if (!values.length)
		return;
	const log = curves.y.log && low > 0 && high > 10 * low ? 10 : 0;
	const bottom = log ? low : Math.min(low, 0);
	scales.push({ ...curves.y, log, low: bottom, high: high > bottom ? high : bottom + 1 });
	const faces = [];
	grids.forEach((grid, n) => {
		for (let cell = 0; cell < CELLS * CELLS; cell++) {
			const column = cell % CELLS, row = Math.floor(cell / CELLS);
			const spots = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([dx, dy]) => {
				const up = placeOf(scales[2], grid[(row + dy) * (CELLS + 1) + column + dx]);
				return project([(column + dx) / CELLS, (row + dy) / CELLS, Math.max(0, Math.min(1, up))]);
			});
			if (spots.every(spot => Number.isFinite(spot.y)))
				faces.push({ spots, depth: spots.reduce((sum, spot) => sum + spot.depth, 0), ...plotted[n] });
		}
	});
	faces.sort((a, b) => b.depth - a.depth);
	const titles = [MORE.parameters[across].name, MORE.parameters[along].name, shown.name];
	chart.series = [surfaceAxes(chart, scales, titles), ...plotted.map(({ name, color }) => ({ name, mark: 'faces', color, x: [], y: [] }))];
	for (const { spots, color, name } of faces) {
		let last = chart.series.at(-1);
		if (last.mark !== 'faces' || last.color !== color) {
			last = { name, mark: 'faces', color, x: [], y: [] };
			chart.series.push(last);
		}
		last.x.push(...spots.map(spot => spot.x));
		last.y.push(...spots.map(spot => spot.y));
	}
	const legend = makeLegend(entry);
	entry.section.querySelector('.legend').replaceWith(legend);
	/* As long in both directions. */
	const { clientWidth, clientHeight } = entry.plot.over, half = Math.max(1, (chart.y.high - chart.y.low) / 2 * clientWidth / (clientHeight || 1));
	[chart.x.low, chart.x.high] = [-half, half];
	reset(entry);
	entry.plot.redraw(false);
}

/* Dragging or the arrow keys turn it. */
function makeTurning(entry, update) {
	const { over } = entry.plot;
	const by = (across, up) => {
		turn.azimuth += across;
		turn.elevation = Math.max(.05, Math.min(1.5, turn.elevation + up));
		update();
	};
	over.style.cursor = 'grab';
	over.style.touchAction = 'none';
	over.tabIndex = 0;
	over.setAttribute('role', 'application');
	over.setAttribute('aria-label', 'Surface: arrow keys turn it');
	over.addEventListener('pointerdown', event => over.setPointerCapture(event.pointerId));
	over.addEventListener('pointermove', event => {
		if (event.buttons)
			by(-event.movementX * .008, event.movementY * .008);
	});
	over.addEventListener('keydown', event => {
		const step = { ArrowLeft: [.1, 0], ArrowRight: [-.1, 0], ArrowUp: [0, -.1], ArrowDown: [0, .1] }[event.key];
		if (!step)
			return;
		event.preventDefault();
		by(...step);
	});
	entry.note.textContent += '; drag to turn it';
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* Pieces of the line of one level through the middles of the cells, as contours.c: marching squares. */
function contourOf(heat, chart, value) {
	const { columns, rows } = heat, scale = heat.log ? Math.log : x => x, level = scale(value), pieces = [];
	const cell = (column, row) => scale(heat.values[row * columns + column]);
	const middle = (edges, at, log) => {
		const i = Math.floor(at + .5), part = at + .5 - i;
		return part === 0 ? edges[i] : log ? edges[i] * (edges[i + 1] / edges[i]) ** part : edges[i] + (edges[i + 1] - edges[i]) * part;
	};
	const starts = [[0, 0], [1, 0], [1, 1], [0, 1]], steps = [[1, 0], [0, 1], [-1, 0], [0, -1]];
	for (let row = 0; row + 1 < rows; row++)
		for (let column = 0; column + 1 < columns; column++) {
			const corners = starts.map(([dx, dy]) => cell(column + dx, row + dy));
			const crossed = [0, 1, 2, 3].filter(side => (corners[side] > level) !== (corners[(side + 1) % 4] > level));
			if (!corners.every(Number.isFinite) || !crossed.length)
				continue;
			/* A saddle is resolved by the mean of its corners. */
			const joined = crossed.length === 4 && (corners.reduce((a, b) => a + b) / 4 > level) === (corners[0] > level);
			const order = crossed.length === 4 && !joined ? [3, 0, 1, 2] : crossed;
			for (const side of order) {
				const part = (level - corners[side]) / (corners[(side + 1) % 4] - corners[side]);
				pieces.push(middle(heat.x, column + starts[side][0] + part * steps[side][0], chart.x.log),
					middle(heat.y, row + starts[side][1] + part * steps[side][1], chart.y.log));
			}
		}
	const half = 4 * Math.floor(pieces.length / 8);
	const between = (i, log) => log ? Math.sqrt(pieces[i] * pieces[i + 2]) : (pieces[i] + pieces[i + 2]) / 2;
	return pieces.length ? { value, pieces, x: between(half, chart.x.log), y: between(half + 1, chart.y.log) } : null;
}

/* The call path that was plotted last, else the costliest, over two parameters; of several maps the others stay with theirs. */
function updateMap(entry, at, number) {
	const { chart } = entry, { heat } = chart, curves = curveChart().chart, across = MORE.axis, along = across === 0 ? 1 : 0;
	const isShown = node => node && !node.dashed && (node.before || !isComparison) && !curves.hidden.has(node.name);
	const node = number ? shown.chosen[number] : shown.curves.slice(shown.drawn).findLast(isShown) ?? shown.curves.find(isShown);
	if (!node)
		return;
	const valueAt = place => {
		const value = predicted(node.model, place), was = isComparison && predicted(node.before.model, place);
		return !isComparison ? value : value > 0 && was > 0 ? value / was : NaN;
	};
	const place = at.slice(), center = (edges, i, log) => log ? Math.sqrt(edges[i] * edges[i + 1]) : (edges[i] + edges[i + 1]) / 2;
	heat.values = heat.values.map((_, i) => {
		place[across] = center(heat.x, i % heat.columns, chart.x.log);
		place[along] = center(heat.y, Math.floor(i / heat.columns), chart.y.log);
		const value = valueAt(place);
		return Number.isFinite(value) ? value : null;
	});
	const known = heat.values.filter(value => value !== null);
	if (!known.length)
		return;
	[heat.low, heat.high] = [Math.min(...known), Math.max(...known)];
	if (heat.high - heat.low < 1e-9 * Math.abs(heat.high))
		heat.low = heat.high; /* what rounding makes of one value has no lines */
	heat.log = heat.low > 0 && heat.high > 10 * heat.low ? 10 : 0;
	const ticks = heat.log ? logTicks(heat, heat.low, heat.high, 8) : linearTicks(heat.low, heat.high, 8, 1);
	heat.contours = heat.low === heat.high ? [] : ticks.map(value => contourOf(heat, chart, value)).filter(contour => contour);
	const [points] = chart.series, there = node.points.filter(point =>
		MORE.parameters.every((_, p) => p === across || p === along || point[p] === at[p]));
	if (points) {
		points.x = there.map(point => point[across]);
		points.y = there.map(point => point[along]);
	}
	entry.section.querySelector('h2').textContent = node.name;
	entry.plot.redraw(false);
}

/* What costs most in each cell, where the parameters are that the map is not over. */
function updateDominant(entry, at) {
	const { chart } = entry, across = MORE.axis, along = across === 0 ? 1 : 0, place = at.slice();
	entry.grid ??= ['x', 'y'].map(axis => [...new Set(chart.series.flatMap(s => s[axis]))]);
	const nodes = shown.tree.concat(shown.others).filter(node => node?.model.formulas.length && !node.overlaps), cells = new Map();
	for (const y of entry.grid[1])
		for (const x of entry.grid[0]) {
			[place[across], place[along]] = [x, y];
			let most = 0, winner;
			for (const node of nodes) {
				const value = predicted(node.model, place);
				if (value > most)
					[most, winner] = [value, node];
			}
			if (winner)
				cells.set(winner, [...(cells.get(winner) ?? []), [x, y]]);
		}
	let next = shown.curves.length;
	chart.series = [...cells].map(([{ name }, spots]) => {
		const plotted = shown.curves.findIndex(node => node?.name === name);
		return { name, mark: 'points', color: plotted < 0 ? next++ : plotted, x: spots.map(([x]) => x), y: spots.map(([, y]) => y) };
	});
	entry.section.querySelector('.legend').replaceWith(makeLegend(entry));
	reset(entry);
	entry.plot.redraw(false);
}

/* ---- controls -------------------------------------------------------------------------------- */

/* Only the charts and rows of the metric that is chosen. */
function showMetric(metric, update) {
	const before = document.querySelector('h1');
	if (before.textContent === titleOf(shown))
		before.textContent = titleOf(metric);
	shown = metric;
	for (const other of MORE.metrics) {
		for (const { section } of chartsOf(other))
			section.hidden = other !== metric;
	}
	filterRows();
	dispatchEvent(new Event('resize'));
	update();
}

const titleOf = metric => `${metric.name || 'cost'} by ${MORE.parameters[MORE.axis].name}`;

/* Of the metric that is chosen the call paths that contain the text, and all lines without one. */
function filterRows() {
	const text = (byId('filter')?.value ?? '').toLowerCase();
	for (const metric of MORE.metrics) {
		const nodes = nodesOf(metric);
		rowsOf(metric).forEach((row, i) => {
			row.hidden = metric !== shown || (nodes.length > metric.tree.length && i === 0) ||
				(text && !nodes[i]?.name.toLowerCase().includes(text));
		});
	}
}

function makeChoices(box, update) {
	if (MORE.metrics.length > 1) {
		const label = element('label', 'slider'), select = element('select');
		select.id = 'metric';
		MORE.metrics.forEach((metric, i) => select.append(new Option(metric.name || 'cost', i)));
		if (MORE.left) {
			const rest = new Option(`${MORE.left} more: --metric`);
			rest.disabled = true;
			select.append(rest);
		}
		select.addEventListener('change', () => showMetric(MORE.metrics[select.value], update));
		label.append(element('span', '', 'metric'), select);
		box.append(label);
	}
	const list = byId('list');
	if (!list)
		return;
	const label = element('label', 'slider'), input = element('input');
	input.id = 'filter';
	input.type = 'search';
	input.placeholder = 'part of a call path';
	input.addEventListener('input', filterRows);
	label.append(element('span', '', 'filter'), input);
	list.before(label);
}

function makeSliders() {
	const box = byId('sliders'), at = MORE.parameters.map(parameter => parameter.at);
	const update = () => {
		updateCurves(at);
		updateTree(at);
		for (const entry of chartsOf(shown).filter(({ chart }) => chart.projected))
			updateSurface(entry, at);
		for (const [number, entry] of chartsOf(shown).filter(({ chart }) => chart.heat?.contours).entries())
			updateMap(entry, at, number);
		if (shown.dominant !== undefined && MORE.parameters.length > 2)
			updateDominant(chartsOf(shown)[shown.dominant], at);
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
	makeChoices(box, update);
	for (const metric of MORE.metrics) {
		makeTree(metric, update);
		for (const entry of chartsOf(metric).filter(({ chart }) => chart.projected))
			makeTurning(entry, () => updateSurface(entry, at));
		charts[metric.chart].section.addEventListener('click', event => {
			if (event.target.closest('.legend button'))
				chartsOf(metric).filter(({ chart }) => chart.projected).forEach(entry => updateSurface(entry, at));
		});
	}
	if (MORE.metrics.length > 1)
		showMetric(shown, update);
}

if (MORE) {
	/* Of each name the first line is the curve; others show what repetitions range over. */
	for (const metric of MORE.metrics) {
		metric.curves = metric.chosen.flatMap(curvesOf);
		metric.drawn = metric.curves.length;
		const seen = new Set();
		for (const s of DATA.charts[metric.chart].series)
			if (s.mark === 'line' && !seen.has(s.name)) {
				seen.add(s.name);
				s.curve = true;
			}
	}
	makeSliders();
}
