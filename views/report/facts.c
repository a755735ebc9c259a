/* SPDX-License-Identifier: BSD-3-Clause */
/* The other metrics of both profiles, and what makes the comparison weaker than it looks. */
#include <config.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "views/common/facts.h"
#include "views/report/report.h"

/* ---- metrics --------------------------------------------------------------------------------- */

static struct report_metric *add_metric(struct report *report, const struct perun_metric *metric)
{
	struct report_metric *made;

	PERUN_GROW(report->metrics, report->metric_count, report->metric_capacity);
	made = &report->metrics[report->metric_count++];
	*made = (struct report_metric){.name = metric->name,
				       .unit = metric->unit,
				       .base = (long double)NAN,
				       .new = (long double)NAN,
				       .comparable = true};
	return made;
}

/* The metrics of the profile that is new, then those that only the base has. */
static void add_levels(struct report *report, struct views_levels *base_levels,
		       struct views_levels *new_levels)
{
	const struct perun_profile *base = report->base->profile, *new = report->new->profile;
	size_t count;
	const struct perun_metric *const *metrics = perun_metrics(new, &count);

	for (size_t i = 0; i < count; i++) {
		struct report_metric *made = add_metric(report, metrics[i]);
		const struct perun_metric *other = perun_metric(base, metrics[i]->name);
		long double factor;

		made->new = views_level(new_levels, metrics[i]);
		if (!other)
			continue;
		factor = perun_unit_factor(other->unit, metrics[i]->unit);
		made->comparable = factor != 0;
		made->base = views_level(base_levels, other) * (factor != 0 ? factor : 1);
	}
	metrics = perun_metrics(base, &count);
	for (size_t i = 0; i < count; i++) {
		if (!perun_metric(new, metrics[i]->name))
			add_metric(report, metrics[i])->base = views_level(base_levels, metrics[i]);
	}
}

int report_sum_metrics(struct report *report)
{
	const struct perun_profile *base = report->base->profile, *new = report->new->profile;
	struct views_levels levels[2] = {0};
	struct views_combined combined[2];
	int status;

	if (views_combined_metric(base, &combined[0]) && views_combined_metric(new, &combined[1])) {
		struct report_metric *made = add_metric(report, &combined[1].metric);

		made->new = views_combined_sum(&combined[1]);
		made->base = views_combined_sum(&combined[0]) *
			     perun_unit_factor(combined[0].metric.unit, combined[1].metric.unit);
	}
	status = views_levels_of(report->ctx, base, &levels[0]);
	if (!status)
		status = views_levels_of(report->ctx, new, &levels[1]);
	if (!status)
		add_levels(report, &levels[0], &levels[1]);
	views_levels_clear(&levels[0]);
	views_levels_clear(&levels[1]);
	return status;
}

/* ---- remarks --------------------------------------------------------------------------------- */

static void add_remark(struct report *report, const char *format, ...) PERUN_PRINTF(2, 3);

static void add_remark(struct report *report, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	(void)perun_vsnprintf(text, sizeof text, format, args);
	va_end(args);
	PERUN_GROW(report->remarks, report->remark_count, report->remark_capacity);
	report->remarks[report->remark_count++] = perun_printable(text);
}

static int64_t number_of(const struct views_data *data, const char *pointer)
{
	const struct perun_json *document = perun_profile_document(data->profile);
	int64_t number = 0;

	return perun_json_as_int64(perun_json_path(document, pointer), &number) ? number : 0;
}

static void remark_duration(struct report *report)
{
	int64_t base = number_of(report->base, "/header/duration");
	int64_t new = number_of(report->new, "/header/duration");
	struct perun_unit unit = perun_unit_of("ns");
	struct perun_buffer texts[2] = {{0}, {0}};

	if (base <= 0 || new <= 0 || report->pair.normalized ||
	    fabs((double)new - (double)base) < 0.05 * (double)base)
		return;
	views_add_amount(&texts[0], base, &unit, false, false);
	views_add_amount(&texts[1], new, &unit, false, false);
	add_remark(report,
		   "The base was measured for %s, the new profile for %s; --normalize compares "
		   "shares instead of amounts.",
		   texts[0].data, texts[1].data);
	perun_buffer_free(&texts[0]);
	perun_buffer_free(&texts[1]);
}

static void remark_overhead(struct report *report)
{
	const struct views_data *sides[] = {report->base, report->new};

	for (size_t i = 0; i < 2; i++) {
		double share = views_overhead(sides[i]->profile);

		if (share > 0)
			add_remark(report,
				   "%s: overhead %.0f %% of this run: measuring took that much.",
				   sides[i]->name, 100 * share);
	}
}

static void remark_origin(struct report *report)
{
	static const struct {
		const char *path, *what;
	} facts[] = {{"/header/cmd", "command"},
		     {"/header/args", "arguments"},
		     {"/header/workload", "workload"},
		     {"/collector_info/name", "collector"},
		     {"/machine/host", "machine"}};

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		const char *base = perun_profile_text(report->base->profile, facts[i].path);
		const char *new = perun_profile_text(report->new->profile, facts[i].path);

		if (strcmp(base, new) != 0)
			add_remark(report, "The profiles differ in their %s: '%s' and '%s'.",
				   facts[i].what, base, new);
	}
}

/* "1" or "0, 1, 1"; whether any says that the program failed. A code is a number or, as imported, a text. */
static bool list_codes(const struct perun_json *codes, struct perun_buffer *text)
{
	size_t count =
		perun_json_type(codes) == PERUN_JSON_TYPE_ARRAY ? perun_json_count(codes) : 1;
	bool failed = false;

	for (size_t i = 0; i < count; i++) {
		const struct perun_json *code = perun_json_type(codes) == PERUN_JSON_TYPE_ARRAY
							? perun_json_at(codes, i)
							: codes;
		const char *word = perun_json_as_string(code, NULL);
		int64_t number = 0;

		if (!word && !perun_json_as_int64(code, &number))
			continue;
		perun_buffer_add_text(text, text->length ? ", " : "");
		if (word)
			perun_buffer_add_text(text, word);
		else
			perun_buffer_printf(text, "%" PRId64, number);
		failed |= word ? strcmp(word, "0") != 0 : number != 0;
	}
	return failed;
}

static void remark_exit_codes(struct report *report)
{
	const struct views_data *sides[] = {report->base, report->new};

	for (size_t i = 0; i < 2; i++) {
		const struct perun_json *codes = perun_json_path(
			perun_profile_document(sides[i]->profile), "/header/exitcode");
		struct perun_buffer text = {0};

		if (codes && list_codes(codes, &text))
			add_remark(report, "%s: the program failed, with exit code%s %s.",
				   sides[i]->name, strchr(text.data, ',') ? "s" : "", text.data);
		perun_buffer_free(&text);
	}
}

/* Whether both hold several values of the same: how they scatter can be seen. */
static bool is_repeated(const struct report *report)
{
	if (report->new->repeats.least > 1 && report->base->repeats.least > 1)
		return true;
	return !report->new->stacks && report->new->samples >= 3 * report->rows.count &&
	       report->base->samples >= 3 * report->rows.count;
}

static void remark_noise(struct report *report)
{
	const char *chance = report->repeated
				     ? "than runs differ by (the 95 % interval includes 0)"
				     : "than sampling makes by chance (two standard deviations)";
	size_t noise = 0;

	for (size_t i = 0; i < report->function_count; i++)
		noise += report->functions[i].noise;
	if (noise && noise == report->function_count)
		add_remark(report, "No change here is larger %s; %s marked with ~.", chance,
			   noise == 1 ? "it is" : "they are");
	else if (noise)
		add_remark(report, "%zu of these %zu changes %s no larger %s; %s marked with ~.",
			   noise, report->function_count, noise == 1 ? "is" : "are", chance,
			   noise == 1 ? "it is" : "they are");
	else if (!report->sampled && !report->exact && report->function_count &&
		 !is_repeated(report))
		add_remark(report, "How much the values scatter from run to run is not known%s.",
			   report->new->stacks
				   ? ": the profiles do not say how often samples were taken"
				   : "");
}

void report_add_remarks(struct report *report)
{
	long double net = fabsl(report->grown - report->shrunk);

	if (report->pair.normalized)
		add_remark(report,
			   "The base was scaled by %.4Lg, so that both sums are equal: changes are "
			   "changes of shares.",
			   report->pair.factor[0]);
	else if (report->pair.converted)
		add_remark(report,
			   "The base is measured in %s, the new profile in %s; it was "
			   "converted.",
			   report->base->unit.name, report->new->unit.name);
	else if (report->grown > 0 && report->shrunk > 0 &&
		 net < 0.1L * (report->grown + report->shrunk))
		add_remark(report, "What grew and what shrank nearly cancel each other out.");
	/* Nobody calls benchmarks. */
	if (!report_knows_callers(report) && !report->new->medians)
		add_remark(report, "Without stacks nothing is known of callers.");
	if (!report->new->stacks && !report->new->medians &&
	    report->base->samples != report->new->samples)
		add_remark(
			report,
			"The base has %zu resources with this metric, the new profile %zu: where "
			"they repeat a measurement, sums do not compare.",
			report->base->samples, report->new->samples);
	if (report->new->metric->measure != PERUN_MEASURE_ADDITIVE)
		add_remark(report, "The metric %s does not add up; sums of it mean little.",
			   report->new->metric->name);
	remark_duration(report);
	remark_overhead(report);
	remark_origin(report);
	remark_exit_codes(report);
	remark_noise(report);
	for (size_t i = 0; i < report->metric_count; i++) {
		const struct report_metric *metric = &report->metrics[i];

		if (isnan(metric->base))
			add_remark(report, "The base has no metric %s.", metric->name);
		else if (isnan(metric->new))
			add_remark(report, "The new profile has no metric %s.", metric->name);
		else if (!metric->comparable)
			add_remark(report, "The units of the metric %s do not convert.",
				   metric->name);
	}
}
