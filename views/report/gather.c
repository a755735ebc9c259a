/* SPDX-License-Identifier: BSD-3-Clause */
/* Which functions changed, and what they are together. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/history.h>

#include "views/report/report.h"

/* What one sample adds, as checks see it. 0 = the metric is not sampled, or it is not known. */
static long double sample_of(const struct views_data *data, bool *exact)
{
	double sample;

	*exact = perun_noise_of(data->profile, data->metric, &sample) == PERUN_NOISE_EXACT;
	return sample * perun_unit_factor(data->metric->unit, data->unit.name);
}

static bool is_noise(const struct report *report, const struct views_row *row,
		     const long double samples[2])
{
	const long double *factors = report->pair.factor;

	return perun_is_sampling_noise(
		(const double[2]){(double)row->self[0], (double)row->self[1]},
		(const double[2]){(double)(samples[0] * factors[0]),
				  (double)(samples[1] * factors[1])});
}

/* Some converters write periods that are none: then there are values smaller than that. */
static bool is_plausible(const struct report *report, size_t side, long double sample)
{
	long double least = sample * report->pair.factor[side] / 2;

	for (size_t i = 0; i < report->rows.count && sample > 0; i++) {
		long double value = fabsl(report->rows.items[i].self[side]);

		if (value > 0 && value < least)
			return false;
	}
	return sample > 0;
}

static void choose_functions(struct report *report)
{
	size_t limit = (size_t)perun_option_integer(report->options, "limit");
	bool exact[2];
	long double samples[2] = {sample_of(report->base, &exact[0]),
				  sample_of(report->new, &exact[1])};

	report->exact = exact[0] && exact[1];
	report->sampled =
		is_plausible(report, 0, samples[0]) && is_plausible(report, 1, samples[1]);
	views_rows_sort(&report->rows, VIEWS_BY_DELTA);
	report->functions = perun_alloc_zero(report->rows.count + 1, sizeof *report->functions);
	for (size_t i = 0; i < report->rows.count; i++) {
		struct views_row *row = &report->rows.items[i];
		long double delta = row->self[1] - row->self[0];
		struct report_function *function;

		if (delta > 0)
			report->grown += delta;
		else
			report->shrunk -= delta;
		if (delta == 0)
			continue;
		if (limit && report->function_count >= limit) {
			report->others++;
			continue;
		}
		function = &report->functions[report->function_count++];
		function->row = row;
		function->noise = report->sampled && is_noise(report, row, samples);
	}
}

int report_gather(struct report *report, struct perun_profile *const *profiles,
		  const char *const *names)
{
	int status = views_open_pair(report->ctx, report->options, profiles, names, &report->pair);

	report->base = &report->pair.data[0];
	report->new = &report->pair.data[1];
	if (!status)
		status = views_rows_of_pair(report->ctx, &report->pair, &report->rows);
	if (status)
		return status;
	choose_functions(report);
	if (report->base->repeats.least > 1 && report->new->repeats.least > 1 && !report->exact &&
	    !report->sampled && !report->pair.normalized)
		status = report_judge_runs(report, profiles);
	if (!status)
		status = report_find_paths(report);
	if (!status)
		status = report_sum_metrics(report);
	if (!status)
		report_add_remarks(report);
	return status;
}

static void free_function(struct report_function *function)
{
	for (size_t i = 0; i < function->caller_count; i++)
		perun_free(function->callers[i].name);
	for (size_t i = 0; i < function->path_count; i++)
		perun_free(function->path[i]);
	perun_free(function->callers);
	perun_free(function->path);
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->function_count; i++)
		free_function(&report->functions[i]);
	for (size_t i = 0; i < report->remark_count; i++)
		perun_free(report->remarks[i]);
	perun_free(report->functions);
	perun_free(report->metrics);
	perun_free(report->remarks);
	views_rows_free(&report->rows);
	views_close_pair(&report->pair);
}
