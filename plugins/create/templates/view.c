/* SPDX-License-Identifier: BSD-3-Clause */
/* @NAME@: what this view shows. Here: the first rows, one line each. */
#include <perun/query.h>
#include <perun/view.h>

static const struct perun_option options[] = {{.name = "count",
					       .aliases = "-n",
					       .metavar = "N",
					       .help = "show at most that many rows",
					       .default_value = "10",
					       .type = PERUN_OPTION_INTEGER,
					       .ranged = true,
					       .minimum = 1,
					       .maximum = 1000},
					      {.name = NULL}};

/* The options live until close(): an instance may point to them. */
static int open_view(struct perun_ctx *ctx, const struct perun_options *values,
		     const char *subcommand, void **instance)
{
	int64_t *count = (int64_t *)perun_alloc(sizeof *count);

	(void)ctx, (void)subcommand;
	*count = perun_option_integer(values, "count");
	*instance = count;
	return PERUN_OK;
}

/* Everything goes to canvas->output; what cannot be shown fails with PERUN_INPUT and says why. */
static int show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	const struct perun_table *table = perun_resources(profiles[0]);
	const struct perun_column *amount = perun_table_column(table, "amount");
	const struct perun_column *uid = perun_table_column(table, "uid");
	size_t most = (size_t) * (int64_t *)instance, rows = perun_table_rows(table);
	struct perun_buffer text = {0};
	char *safe;

	(void)count;
	if (!amount || !uid)
		return perun_fail(ctx, PERUN_INPUT, "%s has no amounts by uid", names[0]);
	for (size_t row = 0; row < rows && row < most; row++) {
		perun_buffer_clear(&text);
		perun_column_flat(uid, row, &text);
		safe = perun_printable(text.data ? text.data : "");
		perun_output_printf(canvas->output, "%12g %s\n", perun_column_double(amount, row),
				    safe);
		perun_free(safe);
	}
	perun_buffer_free(&text);
	return PERUN_OK;
}

static const struct perun_view_ops operations = {
	.open = open_view,
	.close = perun_free,
	.forms = PERUN_FORM_TERMINAL, /* or-ed: PERUN_FORM_SVG, _HTML, _JSON, _CSV, _MARKDOWN */
	.minimum = 1,
	.maximum = 1,
	.show = show,
	/* Optional: .interactive, for a view that takes over the terminal. */
};

PERUN_PLUGIN(view, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VIEW, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(operations),
};
