/* SPDX-License-Identifier: BSD-3-Clause */
"use strict";
(() => {
const entries = Array.from(document.querySelectorAll("details"));
const search = document.getElementById("search"), fold = document.getElementById("fold");
const found = document.getElementById("found");
const words = new Map();

function textOf(entry) {
	if (!words.has(entry))
		words.set(entry, entry.textContent.toLowerCase());
	return words.get(entry);
}

function filter() {
	const wanted = search.value.trim().toLowerCase();
	let count = 0;

	for (const entry of entries) {
		entry.hidden = wanted !== "" && !textOf(entry).includes(wanted);
		count += entry.hidden ? 0 : 1;
	}
	found.hidden = wanted === "";
	found.textContent = count === 0 ? "Nothing matches." : `${count} of ${entries.length} match.`;
}

function toggleFold() {
	const open = !entries.some(entry => entry.open);

	for (const entry of entries)
		entry.open = open;
	fold.textContent = open ? "Fold all" : "Unfold all";
}

function toggleTheme() {
	const root = document.documentElement;
	const dark = root.dataset.theme ? root.dataset.theme === "dark" :
		matchMedia("(prefers-color-scheme: dark)").matches;

	root.dataset.theme = dark ? "light" : "dark";
}

document.querySelector(".tools").hidden = false;
search.addEventListener("input", filter);
fold.addEventListener("click", toggleFold);
document.getElementById("theme").addEventListener("click", toggleTheme);
document.addEventListener("keydown", event => {
	if (event.key === "/" && document.activeElement !== search) {
		event.preventDefault();
		search.focus();
	} else if (event.key === "Escape" && search.value) {
		search.value = "";
		filter();
	}
});
})();
