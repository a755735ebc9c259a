/* SPDX-License-Identifier: BSD-3-Clause */
"use strict";
(() => {
const root = document.documentElement, frames = [...document.querySelectorAll("iframe")];

function isDark() {
	return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/* Pages within the page have a button of their own, which is pressed for them, and hidden. */
function adopt(frame) {
	const inner = frame.contentDocument, button = inner && inner.getElementById("theme");

	if (!button)
		return;
	const paper = inner.defaultView.getComputedStyle(inner.body).backgroundColor;
	const dark = (paper.match(/\d+/g) || [255]).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) < 380;

	button.hidden = true;
	if (dark !== isDark())
		button.click();
}

/* As high as what they hold, within reason. */
function fit(frame) {
	const inner = frame.contentDocument;

	if (inner && inner.body)
		frame.height = Math.max(240, Math.min(3200, Math.ceil(inner.body.getBoundingClientRect().height) + 4));
}

function settle(frame) {
	adopt(frame);
	if (frame.closest("#flames") || !frame.contentDocument || !frame.contentDocument.body)
		return;
	fit(frame);
	new ResizeObserver(() => fit(frame)).observe(frame.contentDocument.body);
}

/* Names of the map end where their boxes do. */
function shortenNames() {
	for (const text of document.querySelectorAll(".map text")) {
		const room = text.previousElementSibling.getBoundingClientRect().width - 8;
		const name = text.dataset.name ||= text.textContent;
		let length = name.length;

		text.textContent = name;
		while (length > 0 && text.getComputedTextLength() > room)
			text.textContent = --length > 1 ? name.slice(0, length) + "…" : "";
	}
}

for (const section of document.querySelectorAll("section")) {
	const link = document.createElement("a");

	link.href = `#${section.id}`;
	link.textContent = section.querySelector("h2").textContent;
	document.getElementById("contents").append(link);
}
for (const frame of frames) {
	frame.addEventListener("load", () => settle(frame));
	if (frame.contentDocument && frame.contentDocument.readyState === "complete")
		settle(frame);
}
document.querySelector(".tools").hidden = false;
document.getElementById("theme").addEventListener("click", () => {
	root.dataset.theme = isDark() ? "light" : "dark";
	frames.forEach(adopt);
});
addEventListener("resize", shortenNames);
addEventListener("load", () => {
	shortenNames();
	frames.forEach(settle);
	root.dataset.ready = "1";
});
})();
