/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours: of equal lightness for the eye (OKLCH), fixed for each name, for a light and a dark page. */

/* FNV-1a of the UTF-8 bytes: the same as in color.c, so that all forms show a name alike. */
const ENCODER = new TextEncoder();
function hashOf(text) {
	let hash = 0x811c9dc5;
	for (const byte of ENCODER.encode(text))
		hash = Math.imul(hash ^ byte, 0x01000193);
	hash ^= hash >>> 15;
	hash = Math.imul(hash, 0x2c1b3c6d);
	return (hash ^ (hash >>> 12)) >>> 0;
}

/* B. Ottosson, "A perceptual color space for image processing" (2020). */
function oklch(lightness, chroma, hue) {
	const a = chroma * Math.cos(hue * Math.PI / 180), b = chroma * Math.sin(hue * Math.PI / 180);
	const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
	const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
	const s = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3;
	const channel = x => {
		const linear = Math.min(1, Math.max(0, x));
		const gamma = linear <= 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055;
		return Math.round(255 * gamma);
	};
	return 'rgb(' + channel(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s) + ',' +
		channel(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s) + ',' +
		channel(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s) + ')';
}

/* The hues that groups of names take. */
const HUES = [30, 48, 66, 84, 102, 124, 148, 176, 204, 232, 256, 282, 310, 338, 56, 40];

/* The colour of a name within the hue of its group. */
function nameColor(group, name, dark) {
	const hash = hashOf(name);
	const hue = group === null ? 30 + (hash >>> 8) % 60
		: HUES[hashOf(group) % HUES.length] + (hash >>> 16) % 9 - 4;
	const shade = (hash % 64) / 63;
	return dark ? oklch(0.43 + 0.08 * shade, 0.085 + 0.02 * shade, hue)
		: oklch(0.80 + 0.08 * shade, 0.10 - 0.02 * shade, hue);
}

/* From cold to hot, t in 0..1. */
function heatColor(t, dark) {
	return dark ? oklch(0.34 + 0.22 * t, 0.02 + 0.13 * t, 75 - 45 * t)
		: oklch(0.95 - 0.27 * t, 0.02 + 0.15 * t, 95 - 60 * t);
}

/* Early to late, t in 0..1. */
function momentColor(t, dark) {
	return dark ? oklch(0.38 + 0.17 * t, 0.10, 280 - 180 * t) : oklch(0.72 + 0.17 * t, 0.11, 280 - 180 * t);
}

/* Less (blue) to more (red), t in -1..1; no change is grey. */
function changeColor(t, dark) {
	const size = Math.abs(t), hue = t > 0 ? 27 : 255;
	return dark ? oklch(0.36 + 0.18 * size, 0.005 + 0.155 * size, hue)
		: oklch(0.93 - 0.27 * size, 0.004 + 0.156 * size, hue);
}

/* What is in one of the profiles only. */
function onlyColor(isNew, dark) {
	return dark ? oklch(0.52, 0.13, isNew ? 65 : 195) : oklch(0.76, 0.14, isNew ? 65 : 195);
}

/* The kernel and the C library are one group each, however their files are called. */
function systemGroup(module) {
	if (/\[kernel|vmlinux|.\.ko$/.test(module))
		return 'kernel';
	return /^(libc[.-]|ld-linux|ld-musl-)./.test(module.slice(module.lastIndexOf('/') + 1)) ? 'libc' : '';
}
