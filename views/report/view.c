/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `report`: which functions explain what changed between two profiles. */
#include <config.h>

#include "views/common/plugin.h"
#include "views/report/page.h"

static const struct perun_option report_options[] = {
	VIEWS_DATA_OPTIONS,
	{.name = "limit",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 4e9,
	 .default_value = "10",
	 .help = "at most N functions, 0 for all"},
	{.name = "normalize",
	 .help = "scale the first profile to the sum of the second: compare shares"},
	{.name = "sections",
	 .metavar = "NAME,...",
	 .type = PERUN_OPTION_STRING,
	 .default_value = "",
	 .help = "of a page: only these of metrics, changes, totals, map, flames, boxes, models, "
		 "curves, facts and remarks, in this order"},
	{0}};

static int report_open(struct perun_ctx *ctx, const struct perun_options *options,
		       const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static int report_show(void *instance, struct perun_ctx *ctx, struct perun_profile *const *profiles,
		       const char *const *names, size_t count, const struct perun_canvas *canvas)
{
	struct report report = {.ctx = ctx, .options = instance};
	struct report_layout layout;
	struct perun_buffer out = {0};
	int status = report_read_layout(ctx, perun_option_string(instance, "sections"), &layout);

	(void)count;
	if (!status)
		status = report_gather(&report, profiles, names);
	if (!status && canvas->form == PERUN_FORM_HTML) {
		status = report_write_page(&report, &layout, profiles, names, canvas);
	} else if (!status) {
		if (canvas->form == PERUN_FORM_JSON)
			report_add_json(&report, &out);
		else
			report_add_text(&report, canvas, &out);
		status = perun_output_write(canvas->output, out.data, out.length);
	}
	perun_buffer_free(&out);
	report_free(&report);
	return status;
}

VIEW_PLUGIN(report, "report", "which functions explain what changed", report_options,
	    .open = report_open,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_JSON | PERUN_FORM_MARKDOWN | PERUN_FORM_HTML,
	    .minimum = 2, .maximum = 2, .show = report_show);
