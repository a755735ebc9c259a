/* SPDX-License-Identifier: BSD-3-Clause */
/* Bars and colours for a terminal. */
#include <config.h>

#include <math.h>

#include "views/common/bars.h"
#include "views/common/text.h"

void views_add_color(struct perun_buffer *out, const struct perun_canvas *canvas,
		     enum views_color color)
{
	static const char *const sequences[] = {"0",  "1",  "2",  "31",  "32",
						"33", "34", "36", "1;31"};

	if (canvas->color)
		perun_buffer_printf(out, "\033[%sm", sequences[color]);
}

enum views_color views_heat(long double share)
{
	share = fabsl(share);
	return share >= 0.2L    ? VIEWS_HOT
	       : share >= 0.05L ? VIEWS_YELLOW
	       : share >= 0.01L ? VIEWS_GREEN
				: VIEWS_DIM;
}

/* Eighths of a column that a share takes: at least one unless it is nothing. */
static size_t eighths_of(long double share, size_t width)
{
	size_t all = width * 8, eighths;

	if (!(share > 0))
		return 0;
	eighths = (size_t)roundl((share < 1 ? share : 1) * (long double)all);
	return eighths == 0 ? 1 : eighths < all ? eighths : all;
}

static const char *const blocks[] = {"",       "\u258f", "\u258e", "\u258d",
				     "\u258c", "\u258b", "\u258a", "\u2589"};

void views_add_bar(struct perun_buffer *out, long double dark, long double light, size_t width,
		   const struct perun_canvas *canvas)
{
	size_t full = eighths_of(dark, width), shaded = (eighths_of(light, width) + 4) / 8, used;

	if (canvas->ascii) {
		used = (full + 4) / 8;
		views_add_repeated(out, "#", used);
	} else {
		used = full / 8;
		views_add_repeated(out, "\u2588", used);
		if (full % 8) {
			perun_buffer_add_text(out, blocks[full % 8]);
			used++;
		}
	}
	if (shaded > used) {
		views_add_repeated(out, canvas->ascii ? "-" : "\u2591", shaded - used);
		used = shaded;
	}
	views_add_repeated(out, " ", width - used);
}

void views_add_balance(struct perun_buffer *out, long double share, size_t width,
		       const struct perun_canvas *canvas)
{
	size_t half = width / 2, full = (eighths_of(fabsl(share), half) + 4) / 8;

	if (full == 0 && share != 0)
		full = half > 0;
	if (share < 0) {
		views_add_repeated(out, " ", half - full);
		views_add_repeated(out, canvas->ascii ? "-" : "\u2588", full);
		views_add_repeated(out, " ", width - half);
	} else {
		views_add_repeated(out, " ", half);
		views_add_repeated(out, canvas->ascii ? "+" : "\u2588", full);
		views_add_repeated(out, " ", width - half - full);
	}
}

const char *views_height(size_t eighths, bool ascii)
{
	static const char *const heights[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588"};
	static const char *const letters[] = {" ", "_", ".", "-", "=", "o", "O", "0", "@"};

	return (ascii ? letters : heights)[eighths < 8 ? eighths : 8];
}
