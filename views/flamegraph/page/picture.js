/* SPDX-License-Identifier: BSD-3-Clause */
/* What is seen as an SVG picture: to save it, and for paper. */

function escapeXml(text) {
	return text.replace(/[&<>"']/g, c => '&#' + c.charCodeAt(0) + ';')
		.replace(/[\ufffe\uffff]/g, '\ufffd');
}

/* All rows of the panes as they are zoomed, `width` pixels wide; narrow boxes are left out. */
function pictureOf(chart, look, title, width) {
	const theme = look.theme(), letter = 6.6, parts = [];
	let top = 30;
	for (const pane of chart.panes) {
		const layout = pane.layout, scale = width / (pane.b - pane.a), rows = layout.rows.length;
		for (let depth = pane.first; depth < rows; depth++) {
			const row = layout.rows[depth];
			const y = top + pane.rowTop(depth) - pane.top;
			for (let k = layout.seek(row, pane.a, 0); k < row.length; k++) {
				const i = row[k], left = Math.max(0, (layout.x[i] - pane.a) * scale);
				const right = Math.min(width, (layout.x[i] + layout.width[i] - pane.a) * scale);
				if (left >= width)
					break;
				if (right - left < 0.5)
					continue;
				const [long, short] = look.label(pane, i), room = Math.floor((right - left - 8) / letter);
				const text = long.length <= room ? long : short;
				const state = look.state(pane, i);
				const color = state === 1 ? theme.found : state === 2 ? theme.faded : look.color(pane, i);
				parts.push('<g><title>' + escapeXml(look.describe(pane, i)) + '</title><rect x="' +
					left.toFixed(2) + '" y="' + y + '" width="' +
					Math.max(right - left - (right - left > 3 ? 1 : 0), 0.3).toFixed(2) +
					'" height="19" rx="2" fill="' + color + '"/>' + (room < 3 ? '' :
					'<text x="' + (left + 4).toFixed(1) + '" y="' + (y + 13.5) + '" fill="' +
					(state === 1 ? theme.foundText : theme.text) + '">' +
					escapeXml(text.length > room ? text.slice(0, room - 1) + '…' : text) + '</text>') +
					'</g>');
			}
		}
		top += pane.height;
	}
	return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ' + width + ' ' + (top + 6) + '" width="' +
		width + '" height="' + (top + 6) + '" font-family="monospace" font-size="11">' +
		'<rect width="100%" height="100%" fill="' + theme.paper + '"/>' +
		'<text x="4" y="18" font-family="sans-serif" font-size="14" fill="' + theme.ink + '">' +
		escapeXml(title) + '</text>' + parts.join('\n') + '</svg>';
}
