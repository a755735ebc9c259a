/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of pictures: names that may hold anything, values with units, shares and changes. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "views/common/quantity.h"

#include "look.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* The code point at the beginning of a text and its length; length 0: no valid UTF-8. */
static uint32_t decode(const unsigned char *text, size_t length, size_t *used)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t code = text[0];
	size_t count = code < 0x80 ? 1 : code >= 0xf0 && code < 0xf8 ? 4 : code >= 0xe0 ? 3 : 2;

	*used = 0;
	if (count == 1) {
		*used = 1;
		return code;
	}
	if (code < 0xc0 || code >= 0xf8 || length < count)
		return 0;
	code &= 0xff >> (count + 1);
	for (size_t i = 1; i < count; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[count] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 0;
	*used = count;
	return code;
}

/* Characters that are not seen, or that turn the text around them. */
static bool is_hidden(uint32_t code)
{
	return (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c || code == 0x180e ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff9 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe;
}

void flame_add_visible(struct perun_buffer *out, const char *text, size_t length)
{
	const unsigned char *bytes = (const unsigned char *)text;

	for (size_t i = 0; i < length;) {
		size_t used;
		uint32_t code = decode(bytes + i, length - i, &used);

		if (used == 0)
			perun_buffer_printf(out, "\\x%02x", bytes[i]);
		else if (code < 0x20) /* U+2400 and on are pictures of control characters */
			perun_buffer_printf(out, "\xe2\x90%c", (int)(0x80 + code));
		else if (is_hidden(code))
			perun_buffer_printf(out, "\\u%04x", code);
		else
			perun_buffer_add(out, text + i, used);
		i += used ? used : 1;
	}
}

void flame_add_markup(struct perun_buffer *out, const char *text, size_t length)
{
	struct perun_buffer plain = {0};

	flame_add_visible(&plain, text, length);
	for (size_t i = 0; i < plain.length; i++) {
		char c = plain.data[i];

		if (c && strchr("&<>\"'", c))
			perun_buffer_printf(out, "&#%d;", c);
		else
			perun_buffer_add_char(out, c);
	}
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

void flame_add_amount(struct perun_buffer *out, double value, const char *unit)
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
