/* SPDX-License-Identifier: BSD-3-Clause */
/* -weblist: what -list prints, as a page of HTML that needs nothing else; lines open to their machine code. */
#include <inttypes.h>
#include <string.h>

#include <perun/lib/page.h>

#include "commands/common/code/lines.h"
#include "commands/common/symbolize.h"
#include "graph.h"
#include "list.h"

struct page {
	const struct pprof_report *report;
	struct code_lines lines;
	char *file; /* that is listed */
	struct perun_buffer out;
};

static const char style[] = "\n:root { color-scheme: light dark }\n"
			    "body { font: 14px/1.4 sans-serif; margin: 1em 2em }\n"
			    "pre { font: 13px/1.35 monospace; overflow-x: auto }\n"
			    "details { display: inline }\n"
			    "summary { display: inline; list-style: none; cursor: pointer }\n"
			    "summary::after { content: ' \\25b8'; opacity: .55 }\n"
			    "[open] > summary::after { content: ' \\25be' }\n"
			    "code { display: block; opacity: .8; border-left: 2px solid; "
			    "padding-left: 1ex; font: inherit }\n"
			    "h2 { font-size: 1.1em; margin: 1.5em 0 0; overflow-wrap: anywhere }\n"
			    "h2 + p { margin: 0 }\n"
			    "b { font-weight: inherit; background: rgba(255, 140, 0, .25) }\n"
			    "i { font-style: normal; opacity: .55 }\n";

static void add_head(struct perun_buffer *out)
{
	struct perun_page_policy policy = {0};

	perun_page_allow_style(&policy, style, strlen(style));
	perun_buffer_add_text(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
	perun_page_add_policy(&policy, out);
	perun_buffer_printf(out,
			    "\n<meta name=\"viewport\" content=\"width=device-width\">\n"
			    "<title>Source</title>\n<style>%s</style>\n</head>\n<body>\n",
			    style);
}

/* Text between tags: names and sources are data. Browsers replace a NUL. */
static void add_text(struct page *page, const char *text, size_t length)
{
	for (size_t i = 0, end; i < length; i = end + 1) {
		const char *nul = memchr(text + i, '\0', length - i);

		end = nul ? (size_t)(nul - text) : length;
		perun_page_add_text(&page->out, text + i, end - i, "<>&");
	}
}

static void add_string(struct page *page, const char *text)
{
	add_text(page, text, strlen(text));
}

static void page_no_source(void *data, const char *function)
{
	struct page *page = data;

	perun_buffer_add_text(&page->out, "<h2>");
	add_string(page, function);
	perun_buffer_add_text(&page->out, "</h2>\n<p>no source known</p>\n");
}

static void page_start(void *data, const char *function, const char *file, int64_t flat,
		       int64_t cumulative)
{
	struct page *page = data;

	perun_free(page->file);
	page->file = perun_strdup(file);
	perun_buffer_add_text(&page->out, "<h2>");
	add_string(page, function);
	perun_buffer_add_text(&page->out, "</h2>\n<p>");
	add_string(page, file);
	perun_buffer_add_text(&page->out, "<br>flat ");
	pprof_add_value(page->report, flat, &page->out);
	perun_buffer_add_text(&page->out, ", cumulative ");
	pprof_add_value(page->report, cumulative, &page->out);
	perun_buffer_add_text(&page->out, " (");
	pprof_add_percentage(cumulative, page->report->total, &page->out);
	perun_buffer_add_text(&page->out, ")</p>\n<pre>");
}

static void page_error(void *data, const char *error)
{
	struct page *page = data;

	add_string(page, error);
}

/* "  500us   500us   1c5b  addq %rcx, %rdx" */
static void add_instruction(struct page *page, const struct code_cost *cost)
{
	bool costs = cost->flat || cost->cumulative;

	perun_buffer_add_text(&page->out, costs ? "<b>" : "");
	pprof_add_value_or_dot(page->report, cost->flat, &page->out);
	perun_buffer_add_char(&page->out, ' ');
	pprof_add_value_or_dot(page->report, cost->cumulative, &page->out);
	perun_buffer_printf(&page->out, " <i>%8" PRIx64 "</i>  ", cost->code.address);
	add_string(page, cost->code.text);
	perun_buffer_add_text(&page->out, costs ? "</b>\n" : "\n");
}

/* Of each function that the line was compiled into; instructions that are elsewhere have a gap before them. */
static void add_code(struct page *page, const struct code_line *items, size_t count)
{
	perun_buffer_add_text(&page->out, "<code>");
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || items[i].routine != items[i - 1].routine) {
			add_string(page, items[i].routine->names[0]);
			perun_buffer_add_char(&page->out, '\n');
		} else if (items[i].cost != items[i - 1].cost + 1) {
			perun_buffer_add_text(&page->out, "                         …\n");
		}
		add_instruction(page, items[i].cost);
	}
	perun_buffer_add_text(&page->out, "</code>");
}

static void page_line(void *data, int64_t number, const char *line, size_t length, int64_t flat,
		      int64_t cumulative)
{
	struct page *page = data;
	bool costs = flat || cumulative;
	size_t count;
	const struct code_line *items = code_lines_of(&page->lines, page->file, number, &count);

	perun_buffer_add_text(&page->out, count ? "<details><summary>" : "");
	perun_buffer_add_text(&page->out, costs ? "<b>" : "");
	pprof_add_value_or_dot(page->report, flat, &page->out);
	perun_buffer_add_char(&page->out, ' ');
	pprof_add_value_or_dot(page->report, cumulative, &page->out);
	perun_buffer_printf(&page->out, " <i>%6" PRId64 "</i> ", number);
	add_text(page, line, length);
	perun_buffer_add_text(&page->out, costs ? "</b>" : "");
	if (count) {
		perun_buffer_add_text(&page->out, "</summary>");
		add_code(page, items, count);
		perun_buffer_add_text(&page->out, "</details>");
	}
	perun_buffer_add_char(&page->out, '\n');
}

static void page_end(void *data)
{
	struct page *page = data;

	perun_buffer_add_text(&page->out, "</pre>\n");
}

/* The code of what matches; where it cannot be read the page has none. */
static int read_code(struct pprof_report *report, struct code_lines *lines)
{
	const struct pprof_settings *settings = &report->settings;
	struct pprof_paths paths = {.trim = settings->trim_path, .source = settings->source_path};
	struct perun_weight weight = {.values = report->values};
	struct code_choice choice = {.stacks = report->stacks,
				     .tools = settings->tools,
				     .intel = settings->intel_syntax};
	int status = pprof_compile(report->ctx, "weblist", settings->pattern, &choice.functions);

	if (!status && commands_can_symbolize()) {
		status = perun_stacks_weigh(report->ctx, report->stacks, &weight, 1,
					    PERUN_WEIGH_WRAP);
		if (!status)
			status = code_lines_read(report->ctx, &choice, pprof_clean_path, &paths,
						 lines);
		if (status == PERUN_MISSING || status == PERUN_INPUT) {
			perun_ctx_clear(report->ctx);
			status = PERUN_OK;
		}
	}
	perun_buffer_free(&paths.text);
	perun_regex_free(choice.functions);
	return status;
}

int pprof_report_weblist(struct pprof_report *report)
{
	static const struct pprof_lister lister = {page_no_source, page_start, page_error,
						   page_line, page_end};
	struct page page = {.report = report};
	struct perun_buffer labels = {0};
	int status;

	add_head(&page.out);
	perun_buffer_add_text(&page.out, "<pre>");
	pprof_add_profile_labels(report, &labels);
	add_text(&page, labels.data ? labels.data : "", labels.length);
	perun_buffer_add_text(&page.out, "\nTotal: ");
	pprof_add_value(report, report->total, &page.out);
	perun_buffer_add_text(&page.out, "</pre>\n");
	status = read_code(report, &page.lines);
	if (!status)
		status = pprof_list(report, &lister, &page);
	perun_buffer_add_text(&page.out, "</body>\n</html>\n");
	if (!status)
		perun_output_write(report->output, page.out.data, page.out.length);
	perun_buffer_free(&labels);
	perun_buffer_free(&page.out);
	code_lines_free(&page.lines);
	perun_free(page.file);
	return status;
}
