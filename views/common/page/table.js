/* SPDX-License-Identifier: BSD-3-Clause */
"use strict";
(() => {
const tables = [...document.querySelectorAll("table")];
const search = document.getElementById("search"), summary = document.getElementById("summary");
const whole = summary.textContent, fold = document.getElementById("fold");
const rowsOf = new Map(tables.map(table => [table, [...table.tBodies[0].rows]]));

/* ---- sorting --------------------------------------------------------------------------------- */

const textOf = (row, column) => row.cells[column].dataset.value ?? row.cells[column].textContent;

/* Numbers by value, texts by their characters, blanks last. */
function compareCells(a, b, column, numeric) {
	const x = textOf(a, column), y = textOf(b, column);

	if (x === y)
		return 0;
	if (x === "" || y === "")
		return x === "" ? Infinity : -Infinity;
	if (numeric)
		return Number(x) - Number(y) || 0;
	return x < y ? -1 : 1;
}

function sortable(table) {
	const headers = [...table.tHead.rows[0].cells], rows = rowsOf.get(table);
	let keys = [];

	function compareRows(a, b) {
		for (const key of keys) {
			const numeric = headers[key.column].classList.contains("n");
			const order = compareCells(a.row, b.row, key.column, numeric);

			if (order)
				return Math.abs(order) === Infinity ? order : key.descending ? -order : order;
		}
		return a.number - b.number;
	}

	function sort() {
		const order = rows.map((row, number) => ({row, number})).sort(compareRows);

		table.tBodies[0].append(...order.map(one => one.row));
		headers.forEach((header, column) => {
			const rank = keys.findIndex(key => key.column === column);

			if (rank < 0) {
				header.removeAttribute("aria-sort");
				return;
			}
			header.setAttribute("aria-sort", keys[rank].descending ? "descending" : "ascending");
			header.dataset.rank = keys.length > 1 ? rank + 1 : "";
		});
	}

	/* A header sorts by its column, again the other way round, a third time not; with Shift after others. */
	function press(column, more) {
		const known = keys.find(key => key.column === column), numeric = headers[column].classList.contains("n");
		const next = !known ? {column, descending: numeric} :
			known.descending === numeric ? {column, descending: !numeric} : null;

		if (!more)
			keys = next ? [next] : [];
		else if (!known)
			keys.push(next);
		else
			keys = keys.map(key => key.column === column ? next : key).filter(Boolean);
		sort();
	}

	headers.forEach((header, column) => {
		if (header.classList.contains("bar"))
			return;
		header.classList.add("sortable");
		header.tabIndex = 0;
		header.title = "Sort; with Shift after other columns";
		header.addEventListener("click", event => press(column, event.shiftKey));
		header.addEventListener("keydown", event => {
			if (event.key === "Enter")
				press(column, event.shiftKey);
		});
	});
}

/* ---- trees ----------------------------------------------------------------------------------- */

const depthOf = row => Number(row.dataset.depth);
const isTree = rows => rows.length > 0 && "depth" in rows[0].dataset;

/* What lies below a row: all that follow it and are deeper. */
function below(rows, i) {
	let end = i + 1;

	while (end < rows.length && depthOf(rows[end]) > depthOf(rows[i]))
		end++;
	return end;
}

/* Hide what lies below folded rows, unless a search shows it. */
function showTree(rows, words) {
	const found = rows.map(row => words.every(word => row.textContent.toLowerCase().includes(word)));

	rows.forEach((row, i) => { row.hidden = words.length > 0 && !found.slice(i, below(rows, i)).some(Boolean); });
	for (let i = 0; !words.length && i < rows.length; i++) {
		if (rows[i].hidden || !("folded" in rows[i].dataset))
			continue;
		for (let k = i + 1; k < below(rows, i); k++)
			rows[k].hidden = true;
	}
	return words.length ? found.filter(Boolean).length : rows.length;
}

function setFolded(row, folded) {
	const button = row.querySelector("button.fold");

	if (!button)
		return;
	if (folded)
		row.dataset.folded = "";
	else
		delete row.dataset.folded;
	button.textContent = folded ? "▸" : "▾";
	button.setAttribute("aria-expanded", String(!folded));
}

function foldable(rows) {
	rows.forEach((row, i) => {
		const button = document.createElement("button");

		/* Deeper than the rules of depth.css. */
		if (depthOf(row) > 63)
			row.style.setProperty("--in", depthOf(row));
		if (below(rows, i) === i + 1)
			return;
		button.className = "fold";
		button.type = "button";
		button.setAttribute("aria-label", "What it calls");
		button.addEventListener("click", () => {
			setFolded(row, !("folded" in row.dataset));
			showTree(rows, []);
		});
		row.querySelector("td.name").prepend(button);
		setFolded(row, false);
	});
}

/* ---- all ------------------------------------------------------------------------------------- */

function filter() {
	const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
	let count = 0, all = 0;

	for (const rows of rowsOf.values()) {
		all += rows.length;
		if (isTree(rows)) {
			count += showTree(rows, words);
			continue;
		}
		for (const row of rows) {
			const text = row.textContent.toLowerCase();

			row.hidden = !words.every(word => text.includes(word));
			count += row.hidden ? 0 : 1;
		}
	}
	summary.textContent = !words.length ? whole : /^\d+ rows?$/.test(whole) ? `${count} of ${whole}` :
		`${count} of ${all} rows · ${whole}`;
}

for (const [table, rows] of rowsOf) {
	if (!isTree(rows)) {
		sortable(table);
		continue;
	}
	foldable(rows);
	fold.hidden = fold.hidden && !rows.some(row => row.querySelector("button.fold"));
}
fold.addEventListener("click", () => {
	const folding = fold.textContent === "Fold all";

	for (const rows of rowsOf.values()) {
		rows.forEach(row => setFolded(row, folding));
		if (isTree(rows))
			showTree(rows, []);
	}
	fold.textContent = folding ? "Unfold all" : "Fold all";
});
document.querySelector(".tools").hidden = false;
search.addEventListener("input", filter);
document.getElementById("theme").addEventListener("click", () => {
	const root = document.documentElement;
	const dark = root.dataset.theme ? root.dataset.theme === "dark" :
		matchMedia("(prefers-color-scheme: dark)").matches;

	root.dataset.theme = dark ? "light" : "dark";
});
document.documentElement.dataset.ready = String(Math.max(1, Math.round(performance.now())));
})();
