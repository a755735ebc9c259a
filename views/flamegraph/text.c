/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of pictures: names that may hold anything, values with units, shares and changes. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/page.h>

#include "views/common/markup.h"
#include "views/common/quantity.h"

#include "look.h"

/* ---- names ----------------------------------------------------------------------------------- */

void flame_add_visible(struct perun_buffer *out, const char *text, size_t length)
{
	views_add_visible(out, text, length, true);
}

void flame_add_markup(struct perun_buffer *out, const char *text, size_t length)
{
	struct perun_buffer plain = {0};

	flame_add_visible(&plain, text, length);
	perun_page_add_text(out, plain.data, plain.length, PERUN_PAGE_MARKS);
	perun_buffer_free(&plain);
}

size_t flame_letters(const char *text, size_t length)
{
	size_t letters = 0;

	for (size_t i = 0; i < length; i++)
		letters += (text[i] & 0xc0) != 0x80;
	return letters;
}

size_t flame_prefix(const char *text, size_t length, size_t letters)
{
	size_t i = 0;

	for (; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80 && letters-- == 0)
			break;
	}
	return i;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* "1.234 s", "12.3 MiB", "1234 samples"; appended. */
static void flame_add_amount(struct perun_buffer *out, double value, const char *unit)
{
	const struct perun_unit known = perun_unit_of(unit);

	views_add_amount(out, value, &known, false, false);
}

void flame_add_percent(struct perun_buffer *out, double part, double whole)
{
	double share = whole != 0 ? 100 * part / whole : 0;

	if (share != 0 && fabs(share) < 0.01)
		perun_buffer_printf(out, "%s<0.01 %%", share < 0 ? "-" : "");
	else
		perun_buffer_printf(out, "%.*f %%",
				    fabs(share) >= 99.95 || share == 0 ? 0
				    : fabs(share) < 1                  ? 2
								       : 1,
				    share);
}

void flame_add_relative(struct perun_buffer *out, double base, double value)
{
	double change = base != 0 ? 100 * (value - base) / fabs(base) : 0;

	if (base == value)
		perun_buffer_add_text(out, "unchanged");
	else if (base == 0)
		perun_buffer_add_text(out, "new");
	else if (value == 0)
		perun_buffer_add_text(out, "gone");
	else if (fabs(change) < 0.05)
		perun_buffer_add_text(out, "about the same");
	else
		perun_buffer_printf(out, "%+.*f %%", fabs(change) < 10 ? 1 : 0, change);
}

static void add_change(struct perun_buffer *out, double base, double value, const char *unit)
{
	flame_add_amount(out, base, unit);
	perun_buffer_add_text(out, " → ");
	flame_add_amount(out, value, unit);
	perun_buffer_add_text(out, value > base ? ", +" : ", ");
	flame_add_amount(out, value - base, unit);
	perun_buffer_add_text(out, ", ");
	flame_add_relative(out, base, value);
}

void flame_describe_values(const struct flame *flame, const struct flame_tree *tree, uint32_t node,
			   struct perun_buffer *out)
{
	struct flame_values v = flame_values_of(flame, tree, 0, node);
	struct flame_values all = flame_total(flame, 0);
	const char *unit = flame_unit(flame, 0);

	if (flame->diff) {
		add_change(out, v.total_base, v.total, unit);
		perun_buffer_add_text(out, " · own ");
		add_change(out, v.own_base, v.own, unit);
		return;
	}
	flame_add_amount(out, v.total, unit);
	perun_buffer_add_text(out, " · ");
	flame_add_percent(out, v.total, all.total);
	perun_buffer_add_text(out, " · own ");
	flame_add_amount(out, v.own, unit);
	perun_buffer_add_text(out, " (");
	flame_add_percent(out, v.own, all.total);
	perun_buffer_add_char(out, ')');
}

void flame_add_sum(const struct flame *flame, struct perun_buffer *out)
{
	const struct flame_values all = flame_total(flame, 0);
	const char *name = flame->metrics[0]->name;

	flame_add_visible(out, name, strlen(name));
	perun_buffer_add_text(out, ": ");
	if (flame->diff) {
		flame_add_amount(out, all.total_base, flame_unit(flame, 0));
		perun_buffer_add_text(out, " → ");
	}
	flame_add_amount(out, all.total, flame_unit(flame, 0));
	if (flame->diff) {
		perun_buffer_add_text(out, " (");
		flame_add_relative(out, all.total_base, all.total);
		perun_buffer_add_char(out, ')');
	}
}

void flame_add_heading(const struct flame *flame, struct perun_buffer *out)
{
	static const char *const kinds[] = {[FLAME_TREE] = "",
					    [FLAME_CALLERS] = ", by callers",
					    [FLAME_TIME] = ", in time order",
					    [FLAME_SANDWICH] = ", callers and callees of "};
	const struct flame_settings *settings = flame->settings;

	flame_add_sum(flame, out);
	perun_buffer_add_text(out, kinds[settings->kind]);
	if (settings->kind == FLAME_SANDWICH)
		flame_add_visible(out, settings->function, strlen(settings->function));
}
