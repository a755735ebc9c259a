/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `raw`: profiles as the JSON text that they are. */
#include <config.h>

#include <perun/view.h>

#include "json-text.h"

struct raw {
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
	{0}};

static int raw_open(struct perun_ctx *ctx, const struct perun_options *options,
		    const char *subcommand, void **instance)
{
	struct raw *raw = perun_alloc_zero(1, sizeof *raw);

	(void)ctx;
	(void)subcommand;
	raw->one_line = perun_option_flag(options, "one-line");
	raw->indent = (unsigned)perun_option_integer(options, "indent");
	*instance = raw;
	return PERUN_OK;
}

/* One profile after the other, each a JSON document that ends its line. */
static int raw_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		    const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	const struct raw *raw = instance;
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++) {
		struct json_text text = {
			.output = canvas->output,
			.indent = raw->indent,
			.one_line = raw->one_line,
			.color = canvas->color && canvas->form == PERUN_FORM_TERMINAL,
		};
		struct perun_output *sink = perun_output_to_sink(json_text_add, &text);

		status = perun_write_profile(ctx, profiles[i], "perun", NULL, sink);
		if (!status)
			status = perun_output_commit(ctx, sink);
		perun_output_close(sink);
		if (json_text_finish(&text) && !status)
			status = PERUN_INPUT;
		if (status)
			perun_fail(ctx, PERUN_OK, "%s", names[i]);
	}
	return status;
}

static const struct perun_view_ops raw_ops = {
	.open = raw_open,
	.close = perun_free,
	.forms = PERUN_FORM_TERMINAL | PERUN_FORM_JSON,
	.minimum = 1,
	.show = raw_show,
};

PERUN_PLUGIN(view, raw) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "raw", "the profile as it is, as JSON"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(raw_options),
	PERUN_PLUGIN_OPS(raw_ops),
};
