/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessor `extrap`: finds models of growth, as Extra-P does, and stores them. */
#include <config.h>

#include <string.h>

#include <perun/postprocess.h>

#include "extrap.h"
#include "views/common/modeler.h"

struct extrap {
	const struct perun_options *options;
};

static const struct perun_option extrap_options[] = {
	{.name = "depending-on",
	 .aliases = "-dp",
	 .metavar = "PARAMETER",
	 .help = "what amounts depend on: a column of the resources (default: the one that is a "
		 "parameter)",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE},
	VIEWS_MODELER_OPTION("-m"),
	VIEWS_MEASURE_OPTION,
	VIEWS_MODELER_SETTING_OPTION("an option of the modeler, see perun-model(1)"),
	{.name = "allow-missing", .help = "model call paths that were not measured at every point"},
	{0}};

static int extrap_open(struct perun_ctx *ctx, const struct perun_options *options,
		       const char *subcommand, void **instance)
{
	struct extrap *extrap = perun_alloc_zero(1, sizeof *extrap);

	(void)ctx;
	(void)subcommand;
	extrap->options = options;
	*instance = extrap;
	return PERUN_OK;
}

/* ---- settings -------------------------------------------------------------------------------- */

/* ---- the experiment -------------------------------------------------------------------------- */

static bool is_experiment(const struct perun_profile *profile)
{
	const struct perun_column *point = perun_table_column(perun_resources(profile), "point");

	return point && perun_column_info(point)->type == PERUN_TYPE_POINT;
}

/* The first column that is marked as a parameter. */
static const char *own_parameter(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column_info *info =
			perun_column_info(perun_table_column_at(table, i));

		if (info->role == PERUN_ROLE_PARAMETER)
			return info->name;
	}
	return NULL;
}

static int gather(struct perun_ctx *ctx, const struct perun_options *options,
		  struct perun_profile *profile, struct perun_profile **result)
{
	size_t given = perun_option_count(options, "depending-on"), count = given ? given : 1;
	const char **parameters = perun_alloc_zero(count, sizeof *parameters);
	struct perun_gathering what = {parameters, parameters, count, PERUN_ROWS_DEFAULT};
	const char *name = "the profile";
	int status = PERUN_OK;

	parameters[0] = own_parameter(profile);
	for (size_t i = 0; i < given; i++)
		parameters[i] = perun_option_string_at(options, "depending-on", i);
	if (parameters[0])
		status = perun_experiment_gather(ctx, &what, &profile, &name, 1, result);
	else
		status = perun_fail(ctx, PERUN_INPUT,
				    "nothing in the profile is marked as a parameter: name a "
				    "column with --depending-on");
	perun_free(parameters);
	return status;
}

/* ---- running --------------------------------------------------------------------------------- */

static int extrap_run(void *instance, struct perun_ctx *ctx, struct perun_profile *profile,
		      struct perun_builder *builder)
{
	const struct perun_options *options = ((struct extrap *)instance)->options;
	struct perun_modeler_options modeler = {0};
	struct perun_profile *gathered = NULL;
	struct perun_experiment *experiment = NULL;
	struct perun_scaling_model *growths = NULL;
	enum perun_repeated repeated;
	int status = views_read_modeler(ctx, options, &modeler, &repeated);

	if (!status && !is_experiment(profile))
		status = gather(ctx, options, profile, &gathered);
	if (!status)
		status = perun_experiment_new(
			ctx, gathered ? gathered : profile,
			gathered || perun_option_flag(options, "allow-missing"), &experiment);
	if (!status)
		status = perun_experiment_fit(ctx, experiment, &modeler, repeated, &growths);
	if (!status) {
		extrap_store(experiment, growths, repeated, builder);
		perun_scaling_models_free(growths, experiment->series_count);
	}
	perun_experiment_free(experiment);
	perun_profile_unref(gathered);
	return status;
}

static const struct perun_postprocess_ops extrap_ops = {
	.open = extrap_open,
	.close = perun_free,
	.run = extrap_run,
};

PERUN_PLUGIN(postprocess, extrap) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_POSTPROCESS, "extrap",
			  "models of growth, as Extra-P finds them"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(extrap_options),
	PERUN_PLUGIN_OPS(extrap_ops),
};
