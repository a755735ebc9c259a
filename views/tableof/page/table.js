/* SPDX-License-Identifier: BSD-3-Clause */
"use strict";
(() => {
const table = document.querySelector("table"), body = table.tBodies[0];
const headers = [...table.tHead.rows[0].cells], rows = [...body.rows];
const search = document.getElementById("search"), summary = document.getElementById("summary");
const whole = summary.textContent;
let keys = [];

const textOf = (row, column) => row.cells[column].textContent;

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

function compareRows(a, b) {
	for (const key of keys) {
		const order = compareCells(a.row, b.row, key.column, headers[key.column].classList.contains("n"));

		if (order)
			return Math.abs(order) === Infinity ? order : key.descending ? -order : order;
	}
	return a.number - b.number;
}

function sort() {
	const order = rows.map((row, number) => ({row, number})).sort(compareRows);

	body.append(...order.map(one => one.row));
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

function filter() {
	const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
	let count = 0;

	for (const row of rows) {
		const text = row.textContent.toLowerCase();

		row.hidden = !words.every(word => text.includes(word));
		count += row.hidden ? 0 : 1;
	}
	summary.textContent = words.length ? `${count} of ${whole}` : whole;
}

headers.forEach((header, column) => {
	header.classList.add("sortable");
	header.tabIndex = 0;
	header.title = "Sort; with Shift after other columns";
	header.addEventListener("click", event => press(column, event.shiftKey));
	header.addEventListener("keydown", event => {
		if (event.key === "Enter")
			press(column, event.shiftKey);
	});
});
document.querySelector(".tools").hidden = false;
search.addEventListener("input", filter);
document.getElementById("theme").addEventListener("click", () => {
	const root = document.documentElement;
	const dark = root.dataset.theme ? root.dataset.theme === "dark" :
		matchMedia("(prefers-color-scheme: dark)").matches;

	root.dataset.theme = dark ? "light" : "dark";
});
})();
