/* SPDX-License-Identifier: BSD-3-Clause */
"use strict";
(() => {
const PART = 200, NUMBER = "\u0001";
const tree = document.getElementById("tree"), search = document.getElementById("search");
const found = document.getElementById("found");
let wanted = "", walk = null;

/*
 * Numbers that a script would round, and those that JSON has not, become texts with a mark: they are
 * shown as they are written.
 */
function read(text) {
	return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)|-?\d[\d.eE+-]{15,}/g,
		token => token[0] === '"' ? token : `"\\u0001${token}"`));
}

function span(kind, text) {
	const element = document.createElement("span");

	element.className = kind;
	element.textContent = text;
	return element;
}

function leafText(value) {
	if (typeof value !== "string")
		return String(value);
	return value.startsWith(NUMBER) ? value.slice(1) : JSON.stringify(value);
}

function makeLeaf(key, value) {
	const line = document.createElement("div");
	const number = typeof value !== "string" || value.startsWith(NUMBER);

	line.className = "leaf";
	if (key !== null)
		line.append(span("key", key), ": ");
	line.append(span(number ? "number" : "string", leafText(value)));
	return line;
}

function entriesOf(value) {
	return Array.isArray(value) ? value.map((one, i) => [i, one]) : Object.entries(value);
}

function sizeText(value) {
	const count = Array.isArray(value) ? value.length : Object.keys(value).length;

	return Array.isArray(value) ? `[${count}]` : `{${count}}`;
}

/* Children are made when they are first seen, and not all at once. */
function fill(box, entries, from) {
	const end = Math.min(from + PART, entries.length);

	for (let i = from; i < end; i++)
		box.append(makeNode(String(entries[i][0]), entries[i][1]));
	if (end < entries.length) {
		const more = document.createElement("button");

		more.type = "button";
		more.className = "more";
		more.textContent = `${entries.length - end} more`;
		more.addEventListener("click", () => {
			more.remove();
			fill(box, entries, end);
		});
		box.append(more);
	}
}

function makeNode(key, value) {
	if (value === null || typeof value !== "object")
		return makeLeaf(key, value);
	const node = document.createElement("details"), head = document.createElement("summary");

	if (key !== null)
		head.append(span("key", key), ": ");
	head.append(span("size", sizeText(value)));
	node.append(head);
	node.addEventListener("toggle", () => unfold(node, value));
	node.unfold = () => unfold(node, value);
	return node;
}

function unfold(node, value) {
	if (node.children.length > 1)
		return;
	const box = document.createElement("div");

	node.append(box);
	fill(box, entriesOf(value), 0);
}

/* Open what is short, so that the page shows what the profile is; up to N lines of one node. */
function openSmall(node, value, lines) {
	node.open = true;
	node.unfold();
	[...node.children[1].children].forEach((child, i) => {
		const one = (entriesOf(value)[i] || [])[1];
		const size = one !== null && typeof one === "object" ? entriesOf(one).length : 0;

		if (child.unfold && size > 0 && size <= lines / 4)
			openSmall(child, one, lines / 2);
	});
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Paths of keys and values that have the text, in the order of the document. */
function* matches(value, path) {
	for (const [key, one] of entriesOf(value)) {
		const here = [...path, String(key)];
		const leaf = one === null || typeof one !== "object";

		if (String(key).toLowerCase().includes(wanted) || (leaf && leafText(one).toLowerCase().includes(wanted)))
			yield here;
		if (!leaf)
			yield* matches(one, here);
	}
}

/* Unfold all that is above, and what is needed of long lists. */
function show(root, path) {
	let node = root;

	for (const key of path) {
		if (!node.unfold)
			return null;
		node.open = true;
		node.unfold();
		const box = node.children[1];
		const named = () => [...box.children].find(one => {
			const label = one.matches("details") ? one.firstChild.firstChild : one.firstChild;

			return label && label.className === "key" && label.textContent === key;
		});

		while (!named() && box.lastChild.className === "more")
			box.lastChild.click();
		node = named();
	}
	return node;
}

function* allMatches() {
	for (const [i, one] of documents.entries()) {
		for (const path of matches(one.profile, []))
			yield [roots[i], path];
	}
}

function findNext() {
	document.querySelectorAll(".hit").forEach(hit => hit.classList.remove("hit"));
	if (search.value.toLowerCase() !== wanted || !walk) {
		wanted = search.value.toLowerCase();
		walk = wanted ? allMatches() : null;
	}
	const next = walk && walk.next();

	if (!next || next.done) {
		found.textContent = wanted ? "Nothing more." : "";
		walk = null;
		return;
	}
	const node = show(...next.value), line = node && (node.matches("details") ? node.firstChild : node);

	found.textContent = next.value[1].join(" › ");
	if (line) {
		line.classList.add("hit");
		line.scrollIntoView({block: "center"});
	}
}

/* ---- the page -------------------------------------------------------------------------------- */

const documents = read(document.getElementById("data").textContent);
const roots = documents.map(one => {
	const root = makeNode(null, one.profile), title = document.createElement("h2");

	title.textContent = one.name;
	if (documents.length > 1)
		tree.append(title);
	tree.append(root);
	openSmall(root, one.profile, 40);
	return root;
});

document.getElementById("name").textContent = documents.length === 1 ? documents[0].name : `${documents.length} profiles`;
document.querySelector(".tools").hidden = false;
document.getElementById("next").addEventListener("click", findNext);
search.addEventListener("keydown", event => {
	if (event.key === "Enter")
		findNext();
});
document.getElementById("theme").addEventListener("click", () => {
	const page = document.documentElement;
	const dark = page.dataset.theme ? page.dataset.theme === "dark" :
		matchMedia("(prefers-color-scheme: dark)").matches;

	page.dataset.theme = dark ? "light" : "dark";
});
document.documentElement.dataset.ready = "1";
})();
