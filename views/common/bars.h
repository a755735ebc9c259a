/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars and colours for a terminal. */
#ifndef PERUN_VIEWS_COMMON_BARS_H
#define PERUN_VIEWS_COMMON_BARS_H

#include <perun/view.h>

enum views_color {
	VIEWS_PLAIN,
	VIEWS_BOLD,
	VIEWS_DIM,
	VIEWS_RED,
	VIEWS_GREEN,
	VIEWS_YELLOW,
	VIEWS_BLUE,
	VIEWS_CYAN,
	VIEWS_HOT /* red and bold */
};
/* Begin a colour, or end it with VIEWS_PLAIN; nothing when the canvas has none. */
void views_add_color(struct perun_buffer *out, const struct perun_canvas *canvas,
		     enum views_color color);
/* How hot something with this share of the whole is. */
enum views_color views_heat(long double share);

/*
 * Append a bar of `width` columns: `dark` of it full, from there to `light` shaded (both 0 to 1, light
 * is ignored when it is less). In eighths of a column; in whole ones where only ASCII can be shown.
 * With blanks up to `width`.
 */
void views_add_bar(struct perun_buffer *out, long double dark, long double light, size_t width,
		   const struct perun_canvas *canvas);
/* A bar that begins in the middle: to the right when `share` (-1 to 1) is positive, else to the left. */
void views_add_balance(struct perun_buffer *out, long double share, size_t width,
		       const struct perun_canvas *canvas);
/* A block of 1 to 8 eighths of a line's height, for columns of bars: blank for 0; a letter where only ASCII can be shown. */
const char *views_height(size_t eighths, bool ascii);

#endif
