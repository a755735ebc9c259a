/* SPDX-License-Identifier: BSD-3-Clause */
/* The list in a terminal. */
#include <config.h>

#include <string.h>

#include "alloclist.h"
#include "views/common/bars.h"
#include "views/common/data.h"
#include "views/common/text.h"

enum { NUMBER = 4, AMOUNT = 9, BAR = 8, MARGIN = NUMBER + 2 };

struct writing {
	const struct alloclist *list;
	const struct perun_canvas *canvas;
	struct perun_buffer *out;
	size_t width;
	double scale; /* what fills a bar */
};

static void add_padded(struct perun_buffer *out, const char *text, size_t width)
{
	size_t taken = views_width(text);

	if (taken < width)
		views_add_repeated(out, " ", width - taken);
	perun_buffer_add_text(out, text);
}

/* A name of the profile, shortened as names are. */
static void add_colored(const struct writing *writing, enum views_color color, const char *text,
			size_t width)
{
	if (!width)
		return;
	views_add_color(writing->out, writing->canvas, color);
	views_add_fitted(writing->out, text, width, writing->canvas->ascii);
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
}

/* Words, which lose their end. */
static void add_words(const struct writing *writing, enum views_color color, const char *text,
		      size_t width)
{
	views_add_color(writing->out, writing->canvas, color);
	views_add_clipped(writing->out, text, width, writing->canvas->ascii);
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
}

static char *amount_text(const struct writing *writing, double amount)
{
	struct perun_buffer text = {0};

	views_add_amount(&text, amount, &writing->list->allocations.unit, false, true);
	return perun_buffer_take(&text);
}

/* ---- heading of an entry --------------------------------------------------------------------- */

/* "  1  31.6 KiB ██████     12.3 %  malloc at 0x5581c3b8a2f0, snapshot 4 at 5.00 ms" */
static void add_entry_heading(const struct writing *writing, size_t number)
{
	const struct alloclist *list = writing->list;
	const struct alloclist_entry *entry = &list->entries[number];
	const bool most = list->mode == ALLOCLIST_MAX;
	char *amount = amount_text(writing, entry->amount);
	struct perun_buffer text = {0};
	size_t taken = NUMBER + 2 + AMOUNT + 2;

	perun_buffer_printf(writing->out, "%*zu  ", NUMBER, number + 1);
	views_add_color(writing->out, writing->canvas, VIEWS_BOLD);
	add_padded(writing->out, amount, AMOUNT);
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
	perun_buffer_add_text(writing->out, "  ");
	if (writing->width >= 70 && list->mode != ALLOCLIST_ALL) {
		const double value = most ? entry->count : entry->amount;
		const size_t bar = writing->width >= 96 ? BAR : 0;

		if (bar)
			views_add_bar(writing->out, value / writing->scale, 0, bar,
				      writing->canvas);
		views_add_share(&text, most ? value / list->count : value / list->whole, false);
		add_padded(writing->out, text.data, bar ? 8 : 6);
		perun_buffer_add_text(writing->out, "  ");
		taken += bar ? bar + 10 : 8;
	}
	perun_buffer_clear(&text);
	alloclist_add_facts(list, entry, &text);
	add_words(writing, VIEWS_PLAIN, text.data,
		  writing->width > taken ? writing->width - taken : 8);
	perun_buffer_add_char(writing->out, '\n');
	perun_buffer_free(&text);
	perun_free(amount);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Lines before a call; `open` says of each depth whether more callers of its function follow. */
static void add_prefix(const struct writing *writing, const struct alloclist_call *call,
		       const char *open, struct perun_buffer *out)
{
	const bool ascii = writing->canvas->ascii;

	for (unsigned depth = 1; depth < call->depth; depth++) {
		if (open[depth])
			perun_buffer_add_text(out,
					      open[depth] == 'o' ? (ascii ? "|  " : "│  ") : "   ");
	}
	if (call->branches)
		perun_buffer_add_text(out, call->last ? (ascii ? "`- " : "└─ ")
						      : (ascii ? "|- " : "├─ "));
	else if (call->depth)
		perun_buffer_add_text(out, ascii ? "< " : "← ");
}

static void add_name(const struct writing *writing, const struct alloclist_call *call, size_t room)
{
	struct perun_buffer text = {0}, place = {0};
	size_t wide;

	if (call->merged || call->deeper) {
		perun_buffer_printf(&text, call->merged ? "%zu other callers" : "%zu more calls",
				    call->merged ? call->merged : call->deeper);
		add_words(writing, VIEWS_DIM, text.data, room);
		perun_buffer_free(&text);
		return;
	}
	alloclist_add_place(&place, &call->frame);
	wide = views_width(place.length ? place.data : "");
	if (wide > room / 2)
		wide = room / 2;
	perun_buffer_add_text(&text, *call->frame.function ? call->frame.function : "(unknown)");
	if (views_width(text.data) + 2 + wide <= room) {
		wide = views_width(place.length ? place.data : "");
		wide = wide < room - 2 - views_width(text.data) ? wide
								: room - 2 - views_width(text.data);
	}
	add_colored(writing, call->depth ? VIEWS_PLAIN : VIEWS_CYAN, text.data,
		    wide ? room - wide - 2 : room);
	if (wide) {
		perun_buffer_add_text(writing->out, "  ");
		add_colored(writing, VIEWS_DIM, place.data, wide);
	}
	perun_buffer_free(&text);
	perun_buffer_free(&place);
}

static void add_call(const struct writing *writing, const struct alloclist_call *call,
		     const char *open)
{
	const size_t margin = MARGIN + (writing->list->grouped ? AMOUNT + 2 : 0);
	struct perun_buffer prefix = {0};
	size_t taken;

	add_prefix(writing, call, open, &prefix);
	taken = margin + views_width(prefix.length ? prefix.data : "");
	views_add_repeated(writing->out, " ", MARGIN);
	if (writing->list->grouped) {
		char *amount = call->branches ? amount_text(writing, call->amount) : NULL;

		views_add_color(writing->out, writing->canvas, VIEWS_DIM);
		add_padded(writing->out, amount ? amount : "", AMOUNT);
		views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
		perun_buffer_add_text(writing->out, "  ");
		perun_free(amount);
	}
	/* Where branches go deeper than the window is wide, lines give way to names. */
	if (prefix.length && taken + 16 < writing->width)
		add_words(writing, VIEWS_DIM, prefix.data, writing->width);
	else if (prefix.length)
		taken = margin;
	add_name(writing, call, writing->width > taken + 12 ? writing->width - taken : 12);
	perun_buffer_add_char(writing->out, '\n');
	perun_buffer_free(&prefix);
}

static void add_calls(const struct writing *writing, const struct alloclist_entry *entry)
{
	unsigned deepest = 0;
	char *open;

	for (size_t i = 0; i < entry->call_count; i++)
		deepest = entry->calls[i].depth > deepest ? entry->calls[i].depth : deepest;
	open = perun_alloc_zero(deepest + 2, 1);
	for (size_t i = 0; i < entry->call_count; i++) {
		const struct alloclist_call *call = &entry->calls[i];

		open[call->depth] = (char)(!call->branches ? 0 : call->last ? 'c' : 'o');
		add_call(writing, call, open);
	}
	perun_free(open);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void add_heading(const struct writing *writing)
{
	const struct alloclist *list = writing->list;
	struct perun_buffer text = {0};

	perun_buffer_printf(&text, "%s of %s: ", list->allocations.metric, list->name);
	alloclist_add_summary(list, &text, writing->canvas->ascii);
	views_add_color(writing->out, writing->canvas, VIEWS_BOLD);
	for (const char *at = text.data, *end; *at; at = end) {
		/* Broken where it would be too wide. */
		char *line;

		end = at + strlen(at);
		while ((size_t)(end - at) > writing->width) {
			const char *blank = end - 1;

			while (blank > at && *blank != ' ')
				blank--;
			if (blank == at)
				break;
			end = blank;
		}
		line = perun_strndup(at, (size_t)(end - at));
		views_add_clipped(writing->out, line, writing->width, writing->canvas->ascii);
		perun_buffer_add_char(writing->out, '\n');
		perun_free(line);
		while (*end == ' ')
			end++;
	}
	views_add_color(writing->out, writing->canvas, VIEWS_PLAIN);
	perun_buffer_free(&text);
}

int alloclist_write_text(const struct alloclist *list, const struct perun_canvas *canvas)
{
	struct perun_buffer out = {0};
	struct writing writing = {.list = list,
				  .canvas = canvas,
				  .out = &out,
				  .width = canvas->width ? canvas->width : 80};
	int status = PERUN_OK;

	for (size_t i = 0; i < list->entry_count; i++) {
		const struct alloclist_entry *entry = &list->entries[i];
		double value = list->mode == ALLOCLIST_MAX ? entry->count : entry->amount;

		writing.scale = value > writing.scale ? value : writing.scale;
	}
	if (writing.scale <= 0)
		writing.scale = 1;
	add_heading(&writing);
	for (size_t i = 0; i < list->entry_count && !status; i++) {
		perun_buffer_add_char(&out, '\n');
		add_entry_heading(&writing, i);
		add_calls(&writing, &list->entries[i]);
		status = perun_output_write(canvas->output, out.data, out.length);
		perun_buffer_clear(&out);
	}
	if (!status && list->entry_count < list->chosen)
		status = perun_output_printf(canvas->output, "\n%zu more; --limit 0 shows all\n",
					     list->chosen - list->entry_count);
	perun_buffer_free(&out);
	return status;
}
