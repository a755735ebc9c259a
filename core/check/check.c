/* SPDX-License-Identifier: BSD-3-Clause */
/* Running a check method on a comparison. */
#include <config.h>

#include <perun/check.h>
#include <perun/lib/options.h>
#include <perun/lib/registry.h>

#include "core/check/report.h"
#include "core/registry/guard.h"

const char *perun_check_method(struct perun_ctx *ctx, const char *name)
{
	const struct perun_plugin_info *info = perun_registry_find(ctx, PERUN_KIND_CHECK, name);
	const struct perun_plugin *plugin;

	if (info)
		return info->name;
	perun_registry_load(ctx, PERUN_KIND_CHECK, name, &plugin); /* says what there is */
	return NULL;
}

/* What a method is run on: two versions, or a history. */
struct subject {
	const struct perun_comparison *comparison;
	struct perun_profile *history;
};

/* A check may say by its status alone that something is worse: then its report has to, too. */
static int degraded(struct perun_report *report, int status)
{
	static const struct perun_change change = {.struct_size = sizeof change,
						   .result = PERUN_RESULT_DEGRADATION,
						   .explanation = "without any detail"};

	if (status != PERUN_DEGRADED)
		return status;
	for (size_t i = 0; i < perun_report_count(report); i++) {
		if (perun_report_at(report, i)->result == PERUN_RESULT_DEGRADATION)
			return PERUN_OK;
	}
	perun_report_add(report, &change);
	return PERUN_OK;
}

static int run_check(struct perun_ctx *ctx, const struct perun_plugin *plugin,
		     const struct perun_check_ops *ops, const struct perun_options *options,
		     const struct subject *subject, struct perun_report *report)
{
	void *instance = NULL;
	int status = PERUN_OK;

	if (ops->open)
		status = PERUN_PLUGIN_CALL(ctx, plugin, ops->open(ctx, options, NULL, &instance));
	if (status)
		return status == PERUN_DEGRADED ? perun_fail(ctx, PERUN_INPUT, "no check was made")
						: status;
	if (subject->comparison)
		status = PERUN_PLUGIN_CALL(
			ctx, plugin, ops->compare(instance, ctx, subject->comparison, report));
	else
		status = PERUN_PLUGIN_CALL(ctx, plugin,
					   ops->series(instance, ctx, subject->history, report));
	status = degraded(report, status);
	if (!status && ops->finish)
		status = degraded(
			report, PERUN_PLUGIN_CALL(ctx, plugin, ops->finish(instance, ctx, report)));
	if (ops->close)
		PERUN_PLUGIN_CALL_VOID(plugin, ops->close(instance));
	return status;
}

static int check(struct perun_ctx *ctx, const char *method, const char *const *arguments,
		 const struct subject *subject, struct perun_report *report)
{
	static const char *const no_words[] = {NULL};
	const struct perun_plugin *plugin;
	struct perun_check_ops ops;
	struct perun_options *options;
	struct perun_option_table table;
	int status = perun_registry_load(ctx, PERUN_KIND_CHECK, method, &plugin);

	if (status)
		return status;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	if (subject->comparison && !ops.compare)
		return perun_fail(ctx, PERUN_USAGE,
				  "the check %s looks at whole histories, not at two versions",
				  plugin->name);
	if (!subject->comparison && !ops.series)
		return perun_fail(ctx, PERUN_USAGE,
				  "the check %s looks at two versions, not at whole histories",
				  plugin->name);
	table = (struct perun_option_table){plugin->options, plugin->option_size};
	status = perun_options_parse(ctx, &table, 1, arguments ? arguments : no_words, 0, &options,
				     NULL);
	if (!status) {
		perun_report_set_method(report, plugin->name);
		status = run_check(ctx, plugin, &ops, options, subject, report);
		perun_report_set_method(report, NULL);
		perun_options_free(options);
	}
	if (status)
		perun_fail(ctx, PERUN_OK, "%s", plugin->name);
	return status;
}

int perun_check(struct perun_ctx *ctx, const char *method, const char *const *arguments,
		const struct perun_comparison *comparison, struct perun_report *report)
{
	const struct subject subject = {.comparison = comparison};

	return check(ctx, method, arguments, &subject, report);
}

int perun_check_series(struct perun_ctx *ctx, const char *method, const char *const *arguments,
		       struct perun_profile *history, struct perun_report *report)
{
	const struct subject subject = {.history = history};

	return check(ctx, method, arguments, &subject, report);
}

/* What a method declares; nothing where it cannot be loaded. */
static struct perun_check_ops declared(struct perun_ctx *ctx, const char *method)
{
	const struct perun_plugin *plugin;
	struct perun_check_ops ops = {0};

	if (perun_registry_load(ctx, PERUN_KIND_CHECK, method, &plugin))
		perun_ctx_clear(ctx);
	else
		perun_plugin_ops(plugin, &ops, sizeof ops);
	return ops;
}

bool perun_check_wants_sessions(struct perun_ctx *ctx, const char *method)
{
	return declared(ctx, method).wants_sessions;
}

bool perun_check_has_quotients(struct perun_ctx *ctx, const char *method)
{
	return declared(ctx, method).quotients;
}
