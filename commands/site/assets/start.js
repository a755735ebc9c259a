/* SPDX-License-Identifier: BSD-3-Clause */
/* Which page this is. */

const chosenTheme = remember('theme');
if (chosenTheme === 'dark' || chosenTheme === 'light')
	document.documentElement.dataset.theme = chosenTheme;
byId('theme').addEventListener('click', () => {
	document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
	remember('theme', document.documentElement.dataset.theme);
	repaint();
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', repaint);
startSearch();
({ overview, versions, version, metric })[KIND]().catch(error => {
	content.append(make('p', { class: 'empty', text: `This page is not complete: ${error.message}` }));
}).finally(() => {
	document.documentElement.dataset.ready = Math.round(performance.now());
});
