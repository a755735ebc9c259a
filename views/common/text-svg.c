/* SPDX-License-Identifier: BSD-3-Clause */
/* What a view writes to a terminal, as SVG: its text, colours and bars. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "views/common/markup.h"
#include "views/common/text.h"
#include "views/common/text-svg.h"

#define LETTER 7.8 /* the width of a letter of 13 pixels, DejaVu Sans Mono's */
enum { LINE = 18, MARGIN = 14, RESTS_AT = 13 };

struct page {
	struct perun_buffer out;
	char color[12];  /* a class, "" = that of texts */
	char ground[12]; /* of numbered colours, "" = none */
	bool bold;
	size_t column, widest;
	double y; /* the upper end of the line */
};

/* ---- colours --------------------------------------------------------------------------------- */

static const char style[] =
	"<style>\n"
	"text{font:13px ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace;white-space:pre;"
	"fill:#24292f}\n"
	".b{font-weight:700}.paper{fill:#fff}.d{fill:#6e7781}.c1{fill:#b3261e}.c2{fill:#00734d}"
	".c3{fill:#8a5a00}.c4{fill:#0550ae}.c5{fill:#8250df}.c6{fill:#0f6d78}.c7{fill:#57606a}\n"
	"rect.t{fill:#57606a}.half{fill-opacity:.3}\n"
	"@media screen and (prefers-color-scheme:dark){\n"
	"text{fill:#e6e6e4}.paper{fill:#17181a}.d{fill:#9a9ca0}.c1{fill:#ff8a80}.c2{fill:#4cc29a}"
	".c3{fill:#e8b44a}.c4{fill:#79b8ff}.c5{fill:#c9a6ff}.c6{fill:#6fd3dd}.c7{fill:#b0b3b8}\n"
	"rect.t{fill:#b0b3b8}}\n"
	"</style>\n";

/* One of a terminal's 256 colours; those below 16 are not used by number. */
static void name_color(unsigned number, char name[static 12])
{
	static const unsigned levels[] = {0, 95, 135, 175, 215, 255};
	unsigned red, green, blue;

	if (number < 16 || number > 255) {
		name[0] = '\0';
		return;
	}
	if (number >= 232) {
		red = green = blue = 8 + 10 * (number - 232);
	} else {
		red = levels[(number - 16) / 36];
		green = levels[(number - 16) / 6 % 6];
		blue = levels[(number - 16) % 6];
	}
	snprintf(name, 12, "#%02x%02x%02x", red & 255, green & 255, blue & 255);
}

/* The parameters of "\033[...m", ended by 'm'. */
static void change_color(struct page *page, const char *parameters)
{
	unsigned long codes[16], count = 0;
	char *next;

	for (; *parameters != 'm' && count < 16; parameters = *next == ';' ? next + 1 : next) {
		codes[count++] = strtoul(parameters, &next, 10);
		if (*next != ';' && *next != 'm')
			break;
	}
	for (unsigned long i = 0; i < count || i == 0; i++) {
		unsigned long code = count ? codes[i] : 0;

		if (code == 0) {
			page->bold = false;
			page->color[0] = page->ground[0] = '\0';
		} else if (code == 1) {
			page->bold = true;
		}
		if (code == 2)
			strcpy(page->color, "d");
		else if (code >= 31 && code <= 37)
			snprintf(page->color, sizeof page->color, "c%u", (unsigned)(code - 30) % 8);
		else if ((code == 38 || code == 48) && i + 2 < count && codes[i + 1] == 5) {
			name_color((unsigned)codes[i + 2], code == 38 ? page->color : page->ground);
			i += 2;
		}
	}
}

/* ---- a line ---------------------------------------------------------------------------------- */

static double place(size_t column)
{
	return MARGIN + LETTER * (double)column;
}

static void add_fill(struct page *page, const char *name, bool rectangle)
{
	struct perun_buffer *out = &page->out;

	if (*name == '#')
		perun_buffer_printf(out, " fill=\"%s\"", name);
	else if (*name || rectangle || page->bold)
		perun_buffer_printf(out, " class=\"%s%s%s\"",
				    *name       ? name
				    : rectangle ? "t"
						: "",
				    page->bold && *name && !rectangle ? " " : "",
				    page->bold && !rectangle ? "b" : "");
	if (*name == '#' && page->bold && !rectangle)
		perun_buffer_add_text(out, " class=\"b\"");
}

static void add_block(struct page *page, double left, double width, double top, double height,
		      const char *color, bool half)
{
	perun_buffer_printf(&page->out,
			    "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", left,
			    page->y + top * LINE, width, height * LINE);
	if (half)
		perun_buffer_add_text(&page->out, " fill-opacity=\".3\"");
	add_fill(page, color, true);
	perun_buffer_add_text(&page->out, "/>");
}

/* The number of a block of U+2580 to U+2593, or 0. All are three bytes. */
static unsigned block_at(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	unsigned code;

	if (bytes[0] != 0xe2 || (bytes[1] & 0xfe) != 0x96 || (bytes[2] & 0xc0) != 0x80)
		return 0;
	code = 0x2000u | (bytes[1] & 0x3fu) << 6 | (bytes[2] & 0x3fu);
	return code >= 0x2580 && code <= 0x2593 ? code : 0;
}

/* The same blocks one after the other as one rectangle. Returns the bytes they take. */
static size_t add_blocks(struct page *page, const char *text, const char *end)
{
	const unsigned code = block_at(text);
	double left = place(page->column), width = LETTER;
	size_t count = 0;

	while (text + 3 * (count + 1) <= end && block_at(text + 3 * count) == code)
		count++;
	width *= (double)count;
	if (code >= 0x2589 && code <= 0x258f) /* left eighths */
		for (size_t i = 0; i < count; i++)
			add_block(page, left + LETTER * (double)i, LETTER * (0x2590 - code) / 8,
				  0.12, 0.76, page->color, false);
	else if (code >= 0x2581 && code < 0x2588) /* lower eighths */
		add_block(page, left, width, 1 - (code - 0x2580) / 8.0, (code - 0x2580) / 8.0,
			  page->color, false);
	else if (code == 0x2580)
		add_block(page, left, width, 0, 0.5, page->color, false);
	else
		add_block(page, left, width, 0.12, 0.76, page->color, code > 0x2590);
	page->column += count;
	return 3 * count;
}

/* Letters without two blanks between them: what is in columns stays in them. */
static size_t add_words(struct page *page, const char *text, const char *end)
{
	const char *stop = text;
	size_t columns;
	char *words;

	while (stop < end && *stop != '\033' && !block_at(stop) &&
	       !(stop[0] == ' ' && (stop + 1 >= end || stop[1] == ' ')))
		stop++;
	words = perun_strndup(text, (size_t)(stop - text));
	columns = views_width(words);
	perun_buffer_printf(&page->out, "<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\"",
			    place(page->column), page->y + RESTS_AT, LETTER * (double)columns);
	add_fill(page, page->color, false);
	perun_buffer_add_char(&page->out, '>');
	views_add_markup(&page->out, words);
	perun_buffer_add_text(&page->out, "</text>");
	perun_free(words);
	page->column += columns;
	return (size_t)(stop - text);
}

/* What is after the next `columns`. */
static void add_ground(struct page *page, size_t columns)
{
	if (page->ground[0] && columns)
		add_block(page, place(page->column), LETTER * (double)columns, 0, 1, page->ground,
			  false);
}

/* The columns up to the next change of colour. */
static size_t columns_of(const char *text, const char *end)
{
	const char *escape = memchr(text, '\033', (size_t)(end - text));
	char *part = perun_strndup(text, (size_t)((escape ? escape : end) - text));
	size_t columns = views_width(part);

	perun_free(part);
	return columns;
}

static void add_line(struct page *page, const char *text, const char *end)
{
	page->column = 0;
	while (text < end) {
		if (text[0] == '\033') {
			const char *close = memchr(text, 'm', (size_t)(end - text));

			if (!close)
				break;
			change_color(page, text + 2);
			text = close + 1;
			add_ground(page, columns_of(text, end));
		} else if (*text == ' ') {
			page->column++;
			text++;
		} else if (block_at(text)) {
			text += add_blocks(page, text, end);
		} else {
			text += add_words(page, text, end);
		}
	}
	if (page->column > page->widest)
		page->widest = page->column;
	perun_buffer_add_char(&page->out, '\n');
}

/* ---- everything ------------------------------------------------------------------------------ */

static size_t add_lines(struct page *page, const char *text)
{
	size_t lines = 0;

	for (const char *end; *text; text = *end ? end + 1 : end, lines++) {
		end = text + strcspn(text, "\n");
		if (lines >= VIEWS_TEXT_LINES)
			continue;
		page->y = MARGIN + LINE * (double)lines;
		add_line(page, text, end);
	}
	if (lines > VIEWS_TEXT_LINES) {
		char *more = perun_format("… %zu more lines", lines - VIEWS_TEXT_LINES);

		change_color(page, "2m");
		page->y = MARGIN + LINE * (double)VIEWS_TEXT_LINES;
		add_line(page, more, more + strlen(more));
		perun_free(more);
		lines = VIEWS_TEXT_LINES + 1;
	}
	return lines;
}

/* The first line, without colours. */
static void add_title(const char *text, struct perun_buffer *out)
{
	struct perun_buffer title = {0};

	for (text += strspn(text, "\n"); *text && *text != '\n'; text++) {
		if (*text != '\033') {
			perun_buffer_add_char(&title, *text);
			continue;
		}
		text += strcspn(text, "m");
		if (!*text)
			break;
	}
	perun_buffer_add_text(out, "<title>");
	views_add_markup(out, title.length ? title.data : "");
	perun_buffer_add_text(out, "</title>\n");
	perun_buffer_free(&title);
}

static int write_page(struct page *page, const char *text, struct perun_output *output)
{
	struct perun_buffer head = {0};
	const size_t lines = add_lines(page, text);
	const double width = 2 * MARGIN + LETTER * (double)page->widest;
	const double height = 2 * MARGIN + LINE * (double)lines;

	perun_buffer_printf(&head,
			    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
			    "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n",
			    width, height, width, height);
	add_title(text, &head);
	perun_buffer_add_text(&head, style);
	perun_buffer_add_text(&head, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n");
	perun_output_write(output, head.data, head.length);
	perun_output_write(output, page->out.data, page->out.length);
	perun_buffer_free(&head);
	return perun_output_text(output, "</svg>\n");
}

int views_show_svg(views_show *show, void *instance, struct perun_ctx *ctx,
		   struct perun_profile *const *profiles, const char *const *names, size_t count,
		   const struct perun_canvas *canvas)
{
	struct perun_buffer text = {0};
	struct perun_canvas terminal = *canvas;
	struct page page = {0};
	int status;

	terminal.form = PERUN_FORM_TERMINAL;
	terminal.color = true;
	terminal.ascii = false;
	terminal.interactive = false;
	terminal.width = VIEWS_TEXT_COLUMNS;
	terminal.output = perun_output_to_buffer(&text);
	status = show(instance, ctx, profiles, names, count, &terminal);
	perun_output_close(terminal.output);
	if (!status)
		status = write_page(&page, text.length ? text.data : "", canvas->output);
	perun_buffer_free(&page.out);
	perun_buffer_free(&text);
	return status;
}
