/* SPDX-License-Identifier: BSD-3-Clause */
/* The strip of time: what samples weigh through the run; a stretch that is drawn over it is a filter. */

const strip = {answer: null, from: 0, to: 0, drag: false};

/* The bounds that are in use: conditions on the columns of times. What lasts counts where part of it is within. */
function timeFilters() {
	const {column, end_column: end} = strip.answer || {column: '', end_column: ''};
	return words.getAll('where').filter(text => {
		const [name, operator, number] = text.split(' ');
		return column && (name === column && operator === '<' || name === (end || column) && (operator === '>=' || operator === '>')) &&
			number !== '' && isFinite(number);
	});
}

async function showTimes() {
	const answer = await ask('times');
	strip.answer = answer;
	$('times').hidden = !answer.column;
	if (answer.column)
		drawTimes();
}

function drawTimes() {
	const canvas = $('strip'), box = canvas.getBoundingClientRect(), dots = devicePixelRatio || 1;
	const {bins, first, last} = strip.answer, most = Math.max(...bins) || 1;
	canvas.width = Math.round(box.width * dots);
	canvas.height = Math.round(box.height * dots);
	const ink = canvas.getContext('2d'), width = canvas.width / bins.length;
	ink.fillStyle = heatColor(0.7, picture.dark);
	bins.forEach((value, i) => {
		const height = value ? Math.max(1, value / most * (canvas.height - 2)) : 0;
		ink.fillRect(Math.floor(i * width), canvas.height - height, Math.ceil(width), height);
	});
	const place = time => (time - first) / (last - first) * canvas.width;
	let [from, to] = [first, last];
	for (const text of timeFilters()) {
		const [, operator, number] = text.split(' ');
		if (operator !== '<')
			from = Math.max(from, Number(number));
		else
			to = Math.min(to, Number(number));
	}
	if (strip.drag)
		[from, to] = [Math.min(strip.from, strip.to), Math.max(strip.from, strip.to)];
	ink.fillStyle = picture.dark ? 'rgba(0,0,0,.55)' : 'rgba(255,255,255,.65)';
	ink.fillRect(0, 0, place(from), canvas.height);
	ink.fillRect(place(to), 0, canvas.width, canvas.height);
	$('span').textContent = amount(from - first, strip.answer.time_unit) + ' – ' + amount(to - first, strip.answer.time_unit) +
		' of ' + amount(last - first, strip.answer.time_unit);
	$('alltime').hidden = !timeFilters().length;
}

function setTimes(from, to) {
	const {column, end_column: end} = strip.answer, old = timeFilters();
	change(next => {
		const left = next.getAll('where').filter(text => !old.includes(text));
		next.delete('where');
		for (const text of left)
			next.append('where', text);
		if (from !== undefined) {
			next.append('where', end ? end + ' > ' + from : column + ' >= ' + from);
			next.append('where', column + ' < ' + to);
		}
	});
}

function timeAt(event) {
	const box = $('strip').getBoundingClientRect(), {first, last} = strip.answer;
	return first + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (last - first);
}

$('strip').addEventListener('pointerdown', event => {
	strip.from = strip.to = timeAt(event);
	strip.drag = true;
	$('strip').setPointerCapture(event.pointerId);
});
$('strip').addEventListener('pointermove', event => {
	if (!strip.drag)
		return;
	strip.to = timeAt(event);
	drawTimes();
});
$('strip').addEventListener('pointerup', () => {
	if (!strip.drag)
		return;
	strip.drag = false;
	const from = Math.min(strip.from, strip.to), to = Math.max(strip.from, strip.to);
	const {first, last} = strip.answer;
	if (to - from < (last - first) / 500)
		setTimes();
	else
		setTimes(from, to >= last ? last + (last - first) / 1e6 : to);
});
$('alltime').addEventListener('click', () => setTimes());
addEventListener('resize', () => strip.answer && strip.answer.column && drawTimes());
