/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours of charts that also colour-blind people tell apart, and texts for markup and scripts. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "views/common/chart-draw.h"

struct views_rgb views_palette(unsigned number, bool dark)
{
	/* Blue, vermilion, green, purple, orange, sky, yellow (darker on white), grey. */
	static const struct views_rgb light[VIEWS_PALETTE] = {
		{0, 114, 178}, {213, 94, 0},   {0, 158, 115}, {204, 121, 167},
		{230, 159, 0}, {86, 180, 233}, {184, 165, 0}, {110, 110, 110}};
	static const struct views_rgb night[VIEWS_PALETTE] = {
		{77, 168, 226}, {245, 133, 51},  {38, 190, 148}, {222, 149, 190},
		{240, 178, 41}, {130, 205, 248}, {240, 228, 66}, {170, 170, 170}};

	return (dark ? night : light)[number % VIEWS_PALETTE];
}

static struct views_rgb between(const struct views_rgb *stops, size_t count, double share)
{
	double place = (share > 0 ? share < 1 ? share : 1 : 0) * (double)(count - 1);
	size_t i = (size_t)place < count - 1 ? (size_t)place : count - 2;
	double part = place - (double)i;
	const struct views_rgb *a = &stops[i], *b = &stops[i + 1];

	return (struct views_rgb){(uint8_t)lround(a->red + part * (b->red - a->red)),
				  (uint8_t)lround(a->green + part * (b->green - a->green)),
				  (uint8_t)lround(a->blue + part * (b->blue - a->blue))};
}

struct views_rgb views_ramp(double share)
{
	static const struct views_rgb stops[] = {{0, 34, 78},     {43, 68, 110},   {87, 93, 109},
						 {124, 123, 120}, {165, 156, 116}, {210, 193, 94},
						 {254, 232, 56}};

	return between(stops, sizeof stops / sizeof *stops, share);
}

struct views_rgb views_share_color(double share)
{
	static const struct views_rgb stops[] = {
		{38, 102, 171}, {92, 165, 200}, {240, 214, 120}, {238, 138, 53}, {197, 48, 30}};

	return between(stops, sizeof stops / sizeof *stops, sqrt(share > 0 ? share : 0));
}

unsigned views_terminal_color(struct views_rgb rgb)
{
	unsigned red = (rgb.red * 5u + 127) / 255, green = (rgb.green * 5u + 127) / 255;

	return 16 + 36 * red + 6 * green + (rgb.blue * 5u + 127) / 255;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* The length of a valid UTF-8 character at `text`, and its code; 0 when it is none. */
static size_t character(const unsigned char *text, uint32_t *code)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = *text < 0x80   ? 1
			: *text < 0xc2 ? 0
			: *text < 0xe0 ? 2
			: *text < 0xf0 ? 3
				       : 4;

	if (!length || *text > 0xf4)
		return 0;
	*code = length == 1 ? *text : *text & (0x7f >> length);
	for (size_t i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3f);
	}
	if (*code < least[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

/* What cannot be seen, or would turn the text around it. */
static bool is_hidden(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
	       (code >= 0xfff9 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe;
}

static void add_visible(struct perun_buffer *out, const char *text)
{
	const unsigned char *next = (const unsigned char *)text;

	while (*next) {
		uint32_t code;
		size_t length = character(next, &code);

		if (!length)
			perun_buffer_printf(out, "\\x%02x", *next);
		else if (is_hidden(code))
			perun_buffer_printf(out, "\\u%04x", code);
		else
			perun_buffer_add(out, next, length);
		next += length ? length : 1;
	}
}

void views_add_markup(struct perun_buffer *out, const char *text)
{
	struct perun_buffer plain = {0};

	add_visible(&plain, text);
	for (size_t i = 0; i < plain.length; i++) {
		char c = plain.data[i];

		if (strchr("&<>\"'", c))
			perun_buffer_printf(out, "&#%d;", c);
		else
			perun_buffer_add_char(out, c);
	}
	perun_buffer_free(&plain);
}

void views_add_script_text(struct perun_buffer *out, const char *text)
{
	struct perun_buffer plain = {0}, quoted = {0};

	add_visible(&plain, text);
	perun_json_quote(&quoted, plain.length ? plain.data : "", plain.length);
	for (size_t i = 0; i < quoted.length; i++) {
		if (quoted.data[i] == '<')
			perun_buffer_add_text(out, "\\u003c");
		else
			perun_buffer_add_char(out, quoted.data[i]);
	}
	perun_buffer_free(&plain);
	perun_buffer_free(&quoted);
}

void views_add_script_number(struct perun_buffer *out, double number)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	if (!isfinite(number)) {
		perun_buffer_add_text(out, "null");
		return;
	}
	perun_json_print_double(number, text);
	perun_buffer_add_text(out, text);
}
