/* SPDX-License-Identifier: BSD-3-Clause */
/* What boxes are drawn in, on a light and on a dark page. */

const THEMES = {
	light: {paper: '#ffffff', ink: '#1c1c1a', text: '#161614', hover: '#1c1c1a', chosen: '#b3470c', same: '#1c1c1acc', found: '#b02a8c', foundText: '#ffffff', faded: '#ebebe8',
		fadedText: '#83837d', more: '#c62f26', less: '#2766c4', stripe: '#0000001c', veil: '#ffffff99'},
	dark: {paper: '#17181a', ink: '#ececea', text: '#f4f4f2', hover: '#ffffff', chosen: '#ff9a57', same: '#ffffffcc', found: '#e86cc6', foundText: '#17181a', faded: '#2a2b2e',
		fadedText: '#85878b', more: '#ff7b6b', less: '#74aaff', stripe: '#ffffff24', veil: '#17181a80'}
};

/* Slanted lines: boxes that represent many. */
function hatchOf(theme) {
	let pattern = null;
	return context => {
		if (pattern)
			return pattern;
		const tile = document.createElement('canvas'), c = tile.getContext('2d');
		tile.width = tile.height = 8;
		c.strokeStyle = theme.stripe;
		c.lineWidth = 2;
		c.beginPath();
		for (const x of [-8, 0, 8]) {
			c.moveTo(x, 8);
			c.lineTo(x + 8, 0);
		}
		c.stroke();
		return pattern = context.createPattern(tile, 'repeat');
	};
}
for (const theme of Object.values(THEMES))
	theme.hatch = hatchOf(theme);
