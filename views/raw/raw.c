/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `raw`: profiles as the JSON text that they are. */
#include <config.h>

#include <perun/query.h>
#include <perun/view.h>

#include "json-text.h"
#include "page.h"
#include "views/common/plugin.h"
#include "views/common/text-svg.h"

struct raw {
	const struct perun_options *options;
	bool one_line;
	unsigned indent;
};

static const struct perun_option raw_options[] = {
	{.name = "one-line", .aliases = "-o", .help = "the whole profile in one line"},
	{.name = "indent",
	 .aliases = "-i",
	 .metavar = "N",
	 .help = "blanks by which each level is moved to the right",
	 .default_value = "4",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 64},
	{.name = "where",
	 .aliases = "-w",
	 .metavar = "CONDITION",
	 .help = "only resources that fulfil it, such as 'amount > 3'",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	{0}};

static int raw_open(struct perun_ctx *ctx, const struct perun_options *options,
		    const char *subcommand, void **instance)
{
	struct raw *raw = perun_alloc_zero(1, sizeof *raw);

	(void)ctx;
	(void)subcommand;
	raw->options = options;
	raw->one_line = perun_option_flag(options, "one-line");
	raw->indent = (unsigned)perun_option_integer(options, "indent");
	*instance = raw;
	return PERUN_OK;
}

/* The resources that fulfil all conditions; a new reference. */
static int select_resources(const struct raw *raw, struct perun_ctx *ctx,
			    struct perun_profile *profile, struct perun_profile **chosen)
{
	const size_t conditions = perun_option_count(raw->options, "where");
	const size_t rows = perun_table_rows(perun_resources(profile));
	struct perun_profile *flat = NULL;
	struct perun_builder *builder;
	uint64_t *all, *one;
	int status = PERUN_OK;

	if (!conditions || !rows) {
		*chosen = perun_profile_ref(profile);
		return PERUN_OK;
	}
	all = perun_selection_new(rows, true);
	status = perun_resources_as_columns(ctx, profile, &flat);
	for (size_t i = 0; i < conditions && !status; i++) {
		status = perun_select_where(ctx, perun_resources(flat),
					    perun_option_string_at(raw->options, "where", i), &one);
		if (!status) {
			perun_selection_and(all, one, rows);
			perun_free(one);
		}
	}
	if (!status) {
		builder = perun_builder_from(profile);
		perun_table_keep_rows(perun_builder_table(builder, "resources"), all);
		status = perun_builder_finish(ctx, builder, chosen);
	}
	perun_profile_unref(flat);
	perun_free(all);
	return status;
}

static int write_profile(const struct raw *raw, struct perun_ctx *ctx,
			 struct perun_profile *profile, const struct perun_canvas *canvas,
			 struct perun_output *output)
{
	struct json_text text = {
		.output = output,
		.indent = raw->indent,
		.one_line = raw->one_line || canvas->form == PERUN_FORM_HTML,
		.color = canvas->color && canvas->form == PERUN_FORM_TERMINAL,
	};
	struct perun_output *sink = perun_output_to_sink(json_text_add, &text);
	struct perun_profile *chosen = NULL;
	int status = select_resources(raw, ctx, profile, &chosen);

	if (!status)
		status = perun_write_profile(ctx, chosen, "perun", NULL, sink);
	if (!status)
		status = perun_output_commit(ctx, sink);
	perun_output_close(sink);
	if (json_text_finish(&text) && !status)
		status = PERUN_INPUT;
	perun_profile_unref(chosen);
	return status;
}

static int write_page(const struct raw *raw, struct perun_ctx *ctx,
		      struct perun_profile *const *profiles, const char *const *names, size_t count,
		      const struct perun_canvas *canvas)
{
	struct perun_buffer *texts = perun_alloc_zero(count + 1, sizeof *texts);
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++) {
		struct perun_output *buffer = perun_output_to_buffer(&texts[i]);

		status = write_profile(raw, ctx, profiles[i], canvas, buffer);
		perun_output_close(buffer);
		if (status)
			perun_fail(ctx, PERUN_OK, "%s", names[i]);
	}
	if (!status)
		status = raw_write_page(texts, names, count, canvas->output);
	for (size_t i = 0; i < count; i++)
		perun_buffer_free(&texts[i]);
	perun_free(texts);
	return status;
}

/* One profile after the other, each a JSON document that ends its line. */
static int raw_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		    const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	const struct raw *raw = instance;
	const bool markdown = canvas->form == PERUN_FORM_MARKDOWN;
	int status = PERUN_OK;

	if (canvas->form == PERUN_FORM_SVG)
		return views_show_svg(raw_show, instance, ctx, profiles, names, count, canvas);
	if (canvas->form == PERUN_FORM_HTML)
		return write_page(raw, ctx, profiles, names, count, canvas);
	for (size_t i = 0; i < count && !status; i++) {
		if (markdown)
			perun_output_text(canvas->output, i ? "\n```json\n" : "```json\n");
		status = write_profile(raw, ctx, profiles[i], canvas, canvas->output);
		if (markdown && !status)
			status = perun_output_text(canvas->output, "```\n");
		if (status)
			perun_fail(ctx, PERUN_OK, "%s", names[i]);
	}
	return status;
}

VIEW_PLUGIN(raw, "raw", "the profile as it is, as JSON", raw_options, .open = raw_open,
	    .close = perun_free,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_JSON | PERUN_FORM_MARKDOWN |
		     PERUN_FORM_HTML,
	    .minimum = 1, .show = raw_show);
