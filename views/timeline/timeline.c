/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `timeline`: what ran when, in lanes over one axis of time. */
#include <config.h>

#include <string.h>

#include "timeline.h"
#include "views/common/plugin.h"

static const struct perun_option timeline_options[] = {
	{.name = "run",
	 .metavar = "ID",
	 .type = PERUN_OPTION_STRING,
	 .help = "which run to show, where the profile has several (default: the first)"},
	{.name = "from",
	 .metavar = "TIME",
	 .type = PERUN_OPTION_NUMBER,
	 .help = "begin there, in seconds from the first time on"},
	{.name = "to", .metavar = "TIME", .type = PERUN_OPTION_NUMBER, .help = "end there"},
	{.name = "values",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_LIST,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "measurements to draw below (default: the first four that were made at points of "
		 "time)"},
	{.name = "width",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 40,
	 .maximum = 20000,
	 .help = "SVG: pixels (1000); terminal: columns (as wide as it is)"},
	{.name = "bar-limit",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e12,
	 .default_value = "8388608",
	 .help = "how many bars the frames of stacks may have in all, besides 64 for each "
		 "interval"},
	VIEWS_TABLE_OPTIONS,
	{0}};

static int timeline_open(struct perun_ctx *ctx, const struct perun_options *options,
			 const char *subcommand, void **instance)
{
	(void)ctx;
	(void)subcommand;
	*instance = (void *)options;
	return PERUN_OK;
}

static int timeline_show(void *instance, struct perun_ctx *ctx,
			 struct perun_profile *const *profiles, const char *const *names,
			 size_t count, const struct perun_canvas *canvas)
{
	struct timeline timeline = {.ctx = ctx, .options = instance, .profile_name = names[0]};
	int status = views_table_open(ctx, profiles[0], timeline.options, &timeline.table);

	(void)count;
	if (!status)
		status = timeline_gather(&timeline);
	if (status)
		perun_fail(ctx, PERUN_OK, "%s", names[0]);
	else if (canvas->form == PERUN_FORM_SVG)
		status = timeline_write_svg(&timeline, canvas);
	else if (canvas->form == PERUN_FORM_HTML)
		status = timeline_write_html(&timeline, canvas);
	else if (canvas->form == PERUN_FORM_JSON)
		status = timeline_write_json(&timeline, canvas);
	else
		status = timeline_write_text(&timeline, canvas);
	timeline_clear(&timeline);
	views_table_close(&timeline.table);
	return status;
}

VIEW_PLUGIN(timeline, "timeline", "what ran when: intervals in lanes", timeline_options,
	    .open = timeline_open,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	    .minimum = 1, .maximum = 1, .show = timeline_show);
