/* SPDX-License-Identifier: BSD-3-Clause */
/* The list as a page: entries that fold, and a search. */
#include <config.h>

#include <string.h>

#include "alloclist.h"
#include "views/common/chart-draw.h"
#include "views/common/template.h"

static void add_plural(struct perun_buffer *out, size_t count, const char *thing)
{
	perun_buffer_printf(out, "<span class=\"aside\">%zu %s%s</span>", count, thing,
			    count == 1 ? "" : "s");
}

static void add_place(struct perun_buffer *out, const struct views_frame *frame)
{
	struct perun_buffer place = {0};

	perun_buffer_add_text(out, "<span class=\"name\"><code>");
	views_add_markup(out, *frame->function ? frame->function : "(unknown)");
	perun_buffer_add_text(out, "</code>");
	alloclist_add_place(&place, frame);
	if (place.length) {
		perun_buffer_add_text(out, "<small>");
		views_add_markup(out, place.data);
		perun_buffer_add_text(out, "</small>");
	}
	perun_buffer_add_text(out, "</span>");
	perun_buffer_free(&place);
}

static void add_frame(struct perun_buffer *out, const struct alloclist_call *call)
{
	if (call->merged)
		add_plural(out, call->merged, "other caller");
	else if (call->deeper)
		add_plural(out, call->deeper, "more call");
	else
		add_place(out, &call->frame);
}

/*
 * A caller that is the only one is below what it calls, not further to the right. The place itself
 * is in the summary.
 */
static void add_calls(struct perun_buffer *out, const struct alloclist *list,
		      const struct alloclist_entry *entry)
{
	/* Depths grow by one at most, so that there are as many as calls. */
	unsigned *indents = perun_alloc_zero(entry->call_count + 1, sizeof *indents);
	bool *branches = perun_alloc_zero(entry->call_count + 1, sizeof *branches);

	perun_buffer_add_text(out, "<ul>");
	for (size_t i = 1; i < entry->call_count; i++) {
		const struct alloclist_call *call = &entry->calls[i];
		const unsigned above = call->depth ? call->depth - 1 : 0;
		unsigned indent = indents[above] + (branches[above] ? 1 : 0);

		branches[call->depth] = call->branches;
		indents[call->depth] = indent;
		perun_buffer_printf(out, "<li data-depth=\"%u\"%s>", indent < 40 ? indent : 40,
				    call->branches ? " class=\"branch\"" : "");
		if (call->branches) {
			perun_buffer_add_text(out, "<b>");
			views_add_amount(out, call->amount, &list->allocations.unit, false, false);
			perun_buffer_add_text(out, "</b>");
		}
		add_frame(out, call);
		perun_buffer_add_text(out, "</li>");
	}
	perun_buffer_add_text(out, "</ul>");
	perun_free(indents);
	perun_free(branches);
}

static void add_entry(struct perun_buffer *out, const struct alloclist *list, size_t number,
		      double most)
{
	const struct alloclist_entry *entry = &list->entries[number];
	const bool by_count = list->mode == ALLOCLIST_MAX;
	struct perun_buffer facts = {0};

	alloclist_add_facts(list, entry, &facts);
	perun_buffer_printf(out, "<details%s><summary><span class=\"rank\">%zu</span><b>",
			    number < 100 ? " open" : "", number + 1);
	views_add_amount(out, entry->amount, &list->allocations.unit, false, false);
	perun_buffer_printf(out, "</b><svg><rect width=\"%.1f%%\"/></svg><span class=\"share\">",
			    100 * (by_count ? entry->count : entry->amount) / most);
	views_add_share(out, by_count ? entry->count / list->count : entry->amount / list->whole,
			false);
	perun_buffer_add_text(out, "</span>");
	add_place(out, &entry->first->place);
	perun_buffer_add_text(out, "<span class=\"facts\">");
	views_add_markup(out, facts.data);
	perun_buffer_add_text(out, "</span></summary>");
	add_calls(out, list, entry);
	perun_buffer_add_text(out, "</details>\n");
	perun_buffer_free(&facts);
}

static void add_entries(struct perun_buffer *out, const struct alloclist *list)
{
	double most = 0;

	for (size_t i = 0; i < list->entry_count; i++) {
		const struct alloclist_entry *entry = &list->entries[i];
		double value = list->mode == ALLOCLIST_MAX ? entry->count : entry->amount;

		most = value > most ? value : most;
	}
	for (size_t i = 0; i < list->entry_count; i++)
		add_entry(out, list, i, most > 0 ? most : 1);
	if (list->entry_count < list->chosen)
		perun_buffer_printf(out, "<p class=\"note\">%zu more are not on this page.</p>\n",
				    list->chosen - list->entry_count);
}

/* What is at a mark of the template. */
static void add_part(struct perun_buffer *out, const struct alloclist *list,
		     const struct views_template *template)
{
	struct perun_buffer text = {0};

	if (views_template_at(template, "POLICY")) {
		views_add_policy(out, alloclist_page_css, alloclist_page_css_size,
				 alloclist_page_js, alloclist_page_js_size);
	} else if (views_template_at(template, "TITLE")) {
		perun_buffer_printf(&text, "%s of %s", list->allocations.metric, list->name);
		views_add_markup(out, text.data);
	} else if (views_template_at(template, "SUMMARY")) {
		alloclist_add_summary(list, &text, false);
		views_add_markup(out, text.data);
	} else if (views_template_at(template, "STYLE")) {
		perun_buffer_add(out, alloclist_page_css, alloclist_page_css_size);
	} else if (views_template_at(template, "SCRIPT")) {
		perun_buffer_add(out, alloclist_page_js, alloclist_page_js_size);
	} else if (views_template_at(template, "ENTRIES")) {
		add_entries(out, list);
	}
	perun_buffer_free(&text);
}

int alloclist_write_html(const struct alloclist *list, const struct perun_canvas *canvas)
{
	struct views_template template =
		views_template(alloclist_page_html, alloclist_page_html_size);
	struct perun_buffer out = {0};
	int status;

	while (views_template_next(&template)) {
		perun_buffer_add(&out, template.piece, template.length);
		add_part(&out, list, &template);
	}
	status = perun_output_write(canvas->output, out.data, out.length);
	perun_buffer_free(&out);
	return status;
}
