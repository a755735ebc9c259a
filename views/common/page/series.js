/* SPDX-License-Identifier: BSD-3-Clause */
/* Series: unpacking them, and drawing them on a canvas. */

function bytesOf(text) {
	const raw = atob(text), bytes = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		bytes[i] = raw.charCodeAt(i);
	return bytes;
}

function fromPlace(axis, place) {
	return axis.log ? axis.low * (axis.high / axis.low) ** place : axis.low + place * (axis.high - axis.low);
}

/* Many points: for each column of a grid that has some the rows, all as differences. */
function unpack(series, chart) {
	const bytes = bytesOf(series.packed), count = series.count, grid = series.grid - 1;
	const x = new Float64Array(count), y = new Float64Array(count);
	let at = 0, column = 0, n = 0;
	const next = () => {
		let value = 0, shift = 0, byte;
		do {
			byte = bytes[at++];
			value |= (byte & 127) << shift;
			shift += 7;
		} while (byte > 127);
		return value;
	};
	while (at < bytes.length) {
		column += next();
		let rows = next(), row = 0;
		const value = fromPlace(chart.x, column / grid);
		for (; rows > 0; rows--) {
			row += next();
			x[n] = value;
			y[n++] = fromPlace(chart.y, row / grid);
		}
	}
	series.x = x;
	series.y = y;
}

const dark = () => document.documentElement.dataset.theme ? document.documentElement.dataset.theme === 'dark'
	: matchMedia('(prefers-color-scheme: dark)').matches;
const ink = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
const colorOf = series => DATA.palette[dark() ? 1 : 0][series.color % DATA.palette[0].length];

/* Shapes distinguish series, too. */
function shape(ctx, kind, x, y, r) {
	if (kind === 1) {
		ctx.rect(x - r * .9, y - r * .9, r * 1.8, r * 1.8);
	} else if (kind === 2) {
		ctx.moveTo(x, y - r * 1.25); ctx.lineTo(x + r * 1.2, y + r * .9); ctx.lineTo(x - r * 1.2, y + r * .9); ctx.closePath();
	} else if (kind === 3) {
		ctx.moveTo(x, y - r * 1.3); ctx.lineTo(x + r * 1.3, y); ctx.lineTo(x, y + r * 1.3); ctx.lineTo(x - r * 1.3, y); ctx.closePath();
	} else {
		ctx.moveTo(x + r, y); ctx.arc(x, y, r, 0, 7);
	}
}

/* Where values lie on the canvas: functions for both axes that need no look-up for each point. */
function placer(u, key, axis, from, size) {
	const { min, max } = u.scales[key];
	if (axis.log) {
		const a = Math.log(min), scale = size / (Math.log(max) - a);
		return key === 'x' ? v => v > 0 ? from + (Math.log(v) - a) * scale : NaN
			: v => v > 0 ? from + size - (Math.log(v) - a) * scale : NaN;
	}
	const scale = size / (max - min);
	return key === 'x' ? v => from + (v - min) * scale : v => from + size - (v - min) * scale;
}

const clamp = value => Math.max(-1e6, Math.min(1e6, value));

function drawPoints(ctx, s, X, Y, box, ratio) {
	const many = s.x.length > 400, count = s.x.length;
	if (!many) {
		ctx.beginPath();
		for (let i = 0; i < count; i++)
			if (s.y[i] !== null)
				shape(ctx, s.color % 4, X(s.x[i]), Y(s.y[i]), 3.5 * ratio);
		ctx.fill();
		return;
	}
	if (count > 20000) {
		drawPixels(ctx, s, X, Y, box);
		return;
	}
	const side = 2.6 * ratio, right = box.left + box.width, bottom = box.top + box.height;
	ctx.globalAlpha = .8;
	for (let i = 0; i < count; i++) {
		const x = X(s.x[i]), y = Y(s.y[i]);
		if (x >= box.left && x <= right && y >= box.top && y <= bottom)
			ctx.fillRect(x - side / 2, y - side / 2, side, side);
	}
}

/* For very many points pixels are set by hand: the more points in one, the darker. */
function drawPixels(ctx, s, X, Y, box) {
	const width = Math.ceil(box.width), height = Math.ceil(box.height), count = s.x.length;
	const canvas = document.createElement('canvas'), [red, green, blue] = colorOf(s).match(/\w\w/g).map(part => parseInt(part, 16));
	canvas.width = width;
	canvas.height = height;
	const inner = canvas.getContext('2d'), image = inner.createImageData(width, height), data = image.data;
	for (let i = 0; i < count; i++) {
		const x = Math.floor(X(s.x[i]) - box.left), y = Math.floor(Y(s.y[i]) - box.top);
		if (!(x >= 0 && x < width && y >= 0 && y < height))
			continue;
		const at = 4 * (y * width + x);
		data[at] = red;
		data[at + 1] = green;
		data[at + 2] = blue;
		data[at + 3] = data[at + 3] ? Math.min(255, data[at + 3] + 30) : 190;
	}
	inner.putImageData(image, 0, 0);
	ctx.drawImage(canvas, box.left, box.top);
}

function drawLine(ctx, s, X, Y, ratio) {
	let down = false;
	ctx.lineWidth = (s.frame ? 1 : 2) * ratio;
	ctx.lineJoin = 'round';
	if (s.frame)
		ctx.strokeStyle = ink('line');
	ctx.setLineDash(s.dashed ? [7 * ratio, 4 * ratio] : []);
	ctx.beginPath();
	for (let i = 0; i < s.x.length; i++) {
		const x = s.x[i] === null ? NaN : X(s.x[i]), y = s.y[i] === null ? NaN : Y(s.y[i]);
		if (Number.isNaN(x) || Number.isNaN(y)) {
			down = false;
		} else if (down) {
			ctx.lineTo(clamp(x), clamp(y));
		} else {
			ctx.moveTo(clamp(x), clamp(y));
			down = true;
		}
	}
	ctx.stroke();
	ctx.setLineDash([]);
}

/* Quadrangles, four points each. */
function drawFaces(ctx, s, X, Y, ratio) {
	ctx.strokeStyle = ink('paper');
	ctx.lineWidth = .6 * ratio;
	ctx.globalAlpha = .85;
	for (let i = 0; i < s.x.length; i += 4) {
		ctx.beginPath();
		for (let k = i; k < i + 4; k++)
			ctx.lineTo(clamp(X(s.x[k])), clamp(Y(s.y[k])));
		ctx.closePath();
		ctx.fill();
		ctx.stroke();
	}
}

function drawBand(ctx, s, X, Y, box) {
	const floor = value => { const y = Y(value); return Number.isNaN(y) ? box.top + box.height : clamp(y); };
	const part = (first, end) => {
		if (first >= end)
			return;
		ctx.moveTo(clamp(X(s.x[first])), floor(s.y[first]));
		for (let i = first; i < end; i++)
			ctx.lineTo(clamp(X(s.x[i])), floor(s.y[i]));
		for (let i = end; i-- > first;)
			ctx.lineTo(clamp(X(s.x[i])), floor(s.low[i]));
		ctx.closePath();
	};
	let first = 0;
	ctx.globalAlpha = s.solid ? .75 : .2;
	ctx.beginPath();
	for (let i = 0; i < s.x.length; i++)
		if (s.y[i] === null || s.low[i] === null || Number.isNaN(X(s.x[i]))) {
			part(first, i);
			first = i + 1;
		}
	part(first, s.x.length);
	ctx.fill();
}

function drawBars(ctx, s, X, Y, box, ratio) {
	for (let i = 0; i < s.x.length; i++) {
		if (s.y[i] === null)
			continue;
		const left = clamp(X(s.x[i] + s.left)), right = clamp(X(s.x[i] + s.right));
		const low = Y(s.low[i]), bottom = Number.isNaN(low) ? box.top + box.height : clamp(low), top = clamp(Y(s.y[i]));
		const gap = right - left > 6 * ratio ? ratio / 2 : 0;
		ctx.fillRect(left + gap, Math.min(top, bottom), right - left - 2 * gap, Math.abs(bottom - top));
	}
}

function drawHeat(ctx, chart, X, Y) {
	const heat = chart.heat;
	for (let i = 0; i < heat.values.length; i++) {
		const column = i % heat.columns, row = Math.floor(i / heat.columns);
		const left = X(heat.x[column]), right = X(heat.x[column + 1]);
		const bottom = Y(heat.y[row]), top = Y(heat.y[row + 1]);
		const color = rampColor(heat, heat.values[i]);
		if (!color)
			continue;
		ctx.fillStyle = color;
		ctx.fillRect(left, top, right - left + 1, bottom - top + 1);
	}
}

/* Lines of equal value, each with its label on a ground of its own. */
function drawContours(ctx, chart, X, Y, ratio) {
	const heat = chart.heat;
	ctx.strokeStyle = 'rgba(255, 255, 255, .75)';
	ctx.lineWidth = ratio;
	for (const { pieces } of heat.contours) {
		ctx.beginPath();
		for (let i = 0; i < pieces.length; i += 4) {
			ctx.moveTo(X(pieces[i]), Y(pieces[i + 1]));
			ctx.lineTo(X(pieces[i + 2]), Y(pieces[i + 3]));
		}
		ctx.stroke();
	}
}

/* Letters on a line of the colour of the ground, whatever is below them. */
function drawText(ctx, text, x, y, ratio, ground) {
	ctx.lineJoin = 'round';
	ctx.lineWidth = 3 * ratio;
	ctx.strokeStyle = ground;
	ctx.strokeText(text, x, y);
	ctx.fillText(text, x, y);
}

function drawLevels(ctx, { heat }, X, Y, ratio) {
	ctx.font = FONT.replace('12px', 12 * ratio + 'px');
	ctx.textAlign = 'center';
	ctx.textBaseline = 'middle';
	ctx.fillStyle = '#000';
	for (const { value, x, y } of heat.contours)
		drawText(ctx, amount({ ...heat, bare: true }, value), X(x), Y(y), ratio, '#fff');
}

/* Where between the lowest and the highest; where all are the same, in the middle. */
function heatPlace(heat, value) {
	if (heat.low === heat.high)
		return .5;
	return heat.log ? Math.log(value / heat.low) / Math.log(heat.high / heat.low) : (value - heat.low) / (heat.high - heat.low);
}

function rampColor(heat, value) {
	if (value === null || (heat.log && value <= 0))
		return null;
	const place = heatPlace(heat, value);
	return DATA.ramp[Math.max(0, Math.min(DATA.ramp.length - 1, Math.round(place * (DATA.ramp.length - 1))))];
}

/* Shares of a whole: blue for little, red for much. */
function shareColor(share) {
	const place = Math.sqrt(Math.max(0, Math.min(1, share)));
	return DATA.shares[Math.round(place * (DATA.shares.length - 1))];
}
