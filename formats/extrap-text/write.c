/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing Extra-P's text format. */
#include <math.h>
#include <string.h>

#include <perun/lib/experiment.h>
#include <perun/json.h>

#include "formats/common/losses.h"
#include "extrap-text.h"

static void write_number(struct perun_output *output, double number)
{
	char text[PERUN_JSON_NUMBER_SIZE];

	if (isfinite(number))
		perun_output_write(output, text, perun_json_print_double(number, text));
	else
		perun_output_text(output, isnan(number) ? "nan" : number < 0 ? "-inf" : "inf");
}

/* Names are lines: what would break one, or be lost at its ends, becomes '_'. */
static bool write_name(struct perun_output *output, const char *name, bool word)
{
	bool changed = false;
	size_t length = strlen(name);

	for (size_t i = 0; i < length; i++) {
		bool blank = strchr(" \t\n\r\f\v", name[i]) != NULL;
		bool edge = i == 0 || i + 1 == length || strchr(" \t", name[i - 1]) != NULL;
		bool bad = blank && (word || edge || name[i] != ' ');

		changed |= bad;
		perun_output_write(output, bad ? "_" : name + i, 1);
	}
	return changed;
}

static void write_points(struct perun_output *output, const struct perun_experiment *experiment)
{
	size_t n = experiment->parameters;

	perun_output_text(output, "POINTS");
	for (size_t i = 0; i < experiment->points; i++) {
		perun_output_text(output, " (");
		for (size_t p = 0; p < n; p++) {
			perun_output_text(output, p ? " " : "");
			write_number(output, experiment->coordinates[i * n + p]);
		}
		perun_output_text(output, ")");
	}
	perun_output_text(output, "\n");
}

static void write_series(struct perun_output *output, const struct perun_experiment *experiment,
			 const struct perun_experiment_series *series,
			 const struct perun_repetitions *all)
{
	for (size_t point = 0; point < experiment->points; point++) {
		for (size_t i = 0; i < series->count; i++) {
			size_t at = series->first + i;

			if (experiment->measurements[at].point != point)
				continue;
			perun_output_text(output, "DATA");
			for (size_t k = all->starts[at]; k < all->starts[at + 1]; k++) {
				perun_output_text(output, " ");
				write_number(output, all->values[k]);
			}
			perun_output_text(output, "\n");
			break;
		}
	}
}

static void write_experiment(struct perun_ctx *ctx, struct perun_output *output,
			     const struct perun_experiment *experiment,
			     const struct perun_repetitions *values)
{
	uint32_t metric = UINT32_MAX;
	size_t changed = 0;

	perun_output_text(output, "PARAMETER");
	for (size_t p = 0; p < experiment->parameters; p++) {
		perun_output_text(output, " ");
		changed += write_name(output, experiment->parameter_names[p], true);
	}
	perun_output_text(output, "\n");
	write_points(output, experiment);
	for (size_t i = 0; i < experiment->series_count; i++) {
		const struct perun_experiment_series *series = &experiment->series[i];

		if (series->metric != metric) {
			perun_output_text(output, "\nMETRIC ");
			changed += write_name(output, experiment->metrics[series->metric], false);
			perun_output_text(output, "\n");
			metric = series->metric;
		}
		perun_output_text(output, "REGION ");
		changed += write_name(output, experiment->callpath_names[series->callpath], false);
		perun_output_text(output, "\n");
		write_series(output, experiment, series, values);
	}
	if (changed)
		perun_lost(ctx, "blanks in names", changed);
}

int extraptext_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output)
{
	struct perun_experiment *experiment;
	struct perun_repetitions values;
	int status = perun_experiment_new(ctx, profile, false, &experiment);

	(void)instance;
	if (status)
		return status;
	perun_experiment_repetitions(experiment, &values);
	losses_of_experiment(ctx, experiment, values.summaries, 0);
	write_experiment(ctx, output, experiment, &values);
	perun_repetitions_clear(&values);
	perun_experiment_free(experiment);
	return PERUN_OK;
}
