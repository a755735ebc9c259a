/* SPDX-License-Identifier: BSD-3-Clause */
/* The view `alloclist`: allocations of memory, each with the calls that led to it. */
#include <config.h>

#include <string.h>

#include "alloclist.h"
#include "views/common/plugin.h"
#include "views/common/text-svg.h"

static const struct perun_option alloclist_options[] = {
	{.name = "mode",
	 .metavar = "MODE",
	 .type = PERUN_OPTION_CHOICE,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .choices = "all top most sum func",
	 .default_value = "top",
	 .help = "all as they were made, the largest, the places of the most or of the largest "
		 "sums, those of a function"},
	{.name = "name",
	 .metavar = "FUNCTION",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "with func: whose allocations, by name or else by a regular expression"},
	{.name = "limit",
	 .aliases = "-n -l --limit-to",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 4e9,
	 .default_value = "20",
	 .help = "at most N entries, 0 for all"},
	{.name = "from-time",
	 .aliases = "-ft",
	 .metavar = "SECONDS",
	 .type = PERUN_OPTION_NUMBER,
	 .help = "only what was allocated then or later"},
	{.name = "to-time",
	 .aliases = "-tt",
	 .metavar = "SECONDS",
	 .type = PERUN_OPTION_NUMBER,
	 .help = "only what was allocated then or earlier"},
	{.name = "partial",
	 .aliases = "-a --all --partially",
	 .help = "with func: also allocations that functions make which it calls"},
	{.name = "depth",
	 .aliases = "-d",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1000,
	 .default_value = "16",
	 .help = "at most N calls below each other"},
	{.name = "metric",
	 .aliases = "-m",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .help = "what is measured: a metric in bytes (default: the first of those)"},
	VIEWS_TABLE_OPTIONS,
	{0}};

static enum alloclist_mode mode_of(const struct perun_options *options)
{
	static const char *const names[] = {"all", "top", "most", "sum", "func"};
	const char *name = perun_option_string(options, "mode");
	unsigned mode = 0;

	while (strcmp(names[mode], name) != 0)
		mode++;
	return mode;
}

static int alloclist_open(struct perun_ctx *ctx, const struct perun_options *options,
			  const char *subcommand, void **instance)
{
	const bool func = mode_of(options) == ALLOCLIST_FUNC;

	(void)subcommand;
	if (func && !perun_option_given(options, "name"))
		return perun_fail(ctx, PERUN_USAGE, "alloclist func needs a FUNCTION argument");
	if (!func && perun_option_given(options, "name"))
		return perun_fail(ctx, PERUN_USAGE,
				  "only alloclist func takes the name of a function: %s",
				  perun_option_string(options, "name"));
	if (!func && perun_option_flag(options, "partial"))
		return perun_fail(ctx, PERUN_USAGE, "--partial goes with alloclist func only");
	*instance = (void *)options;
	return PERUN_OK;
}

static int alloclist_show(void *instance, struct perun_ctx *ctx,
			  struct perun_profile *const *profiles, const char *const *names,
			  size_t count, const struct perun_canvas *canvas)
{
	struct alloclist list = {.options = instance, .name = names[0]};
	int status;

	if (canvas->form == PERUN_FORM_SVG)
		return views_show_svg(alloclist_show, instance, ctx, profiles, names, count,
				      canvas);
	(void)count;
	list.mode = mode_of(list.options);
	list.grouped = list.mode == ALLOCLIST_MAX || list.mode == ALLOCLIST_SUM;
	status = views_allocations_open(ctx, profiles[0], names[0], list.options,
					perun_option_string(list.options, "metric"), false,
					&list.allocations);
	if (!status)
		status = alloclist_choose(ctx, &list);
	if (!status && canvas->form == PERUN_FORM_JSON)
		status = alloclist_write_json(&list, canvas);
	else if (!status && canvas->form == PERUN_FORM_HTML)
		status = alloclist_write_html(&list, canvas);
	else if (!status)
		status = alloclist_write_text(&list, canvas);
	alloclist_clear(&list);
	return status;
}

VIEW_PLUGIN(alloclist, "alloclist", "allocations of memory and who made them", alloclist_options,
	    .open = alloclist_open,
	    .forms = PERUN_FORM_TERMINAL | PERUN_FORM_SVG | PERUN_FORM_HTML | PERUN_FORM_JSON,
	    .minimum = 1, .maximum = 1, .show = alloclist_show);
