/* SPDX-License-Identifier: BSD-3-Clause */
/* The check shift: repeated measurements of two versions, with a verdict that says how sure it is. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/check.h>
#include <perun/json.h>
#include <perun/query.h>
#include <perun/lib/verdict.h>

#include "checks/common/levels.h"

static const struct perun_option options[] = {
	{.name = "threshold",
	 .metavar = "PERCENT",
	 .help = "the least change that counts, in percent of the median before",
	 .default_value = "1",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "noise",
	 .metavar = "PERCENT",
	 .help = "a deviation from session to session that is known, in percent: no smaller change "
		 "counts",
	 .default_value = "0",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = 1e6},
	{.name = "level",
	 .metavar = "P",
	 .help = "the false discovery rate over all metrics and functions of a comparison",
	 .default_value = "0.01",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 1e-12,
	 .maximum = 0.5},
	{.name = "paired",
	 .help = "the i-th runs of both versions were measured side by side, the order of the two "
		 "drawn"},
	{.name = "better",
	 .help = "which values are better, where a profile does not say",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "lower higher",
	 .default_value = "lower"},
	{0}};

/* A finding that waits for the p of all others. */
struct judged {
	struct perun_verdict verdict;
	bool higher; /* is better */
	char *unit;
	size_t place; /* in the report */
};

struct shift {
	struct perun_verdict_options options;
	enum perun_direction told;
	struct judged *judged;
	size_t count, capacity;
};

static int shift_open(struct perun_ctx *ctx, const struct perun_options *given,
		      const char *subcommand, void **instance)
{
	struct shift *shift = perun_alloc_zero(1, sizeof *shift);

	(void)ctx;
	(void)subcommand;
	shift->options = (struct perun_verdict_options){
		.struct_size = sizeof shift->options,
		.threshold = perun_option_number(given, "threshold") / 100,
		.floor = perun_option_number(given, "noise") / 100,
		.level = perun_option_number(given, "level"),
		.paired = perun_option_flag(given, "paired")};
	shift->told = perun_direction_of(
		perun_option_given(given, "better") ? perun_option_string(given, "better") : "");
	*instance = shift;
	return PERUN_OK;
}

static void shift_close(void *instance)
{
	struct shift *shift = instance;

	for (size_t i = 0; i < shift->count; i++)
		perun_free(shift->judged[i].unit);
	perun_free(shift->judged);
	perun_free(shift);
}

/* ---- repeats --------------------------------------------------------------------------------- */

/* How far the medians of sessions, which are profiles of one version, are from their mean. */
struct medians {
	double sum, squares; /* about the first one, so that no digits are lost */
	double first;
	size_t count;
};

/* The repeats of one metric, of every uid, on one side. */
struct side {
	struct perun_groups *groups; /* of the first profile */
	double **values;             /* for each group */
	size_t *counts;
	struct medians *sessions; /* for each group, of each profile */
};

static void side_free(struct side *side)
{
	for (size_t i = 0; side->values && i < side->groups->count; i++)
		perun_free(side->values[i]);
	perun_free(side->values);
	perun_free(side->counts);
	perun_free(side->sessions);
	perun_groups_free(side->groups);
	*side = (struct side){0};
}

/*
 * Where one profile has many workloads (a generator's), each is compared with itself: of repeats that differ
 * by their workloads no change could be told. The groups then are those of uid and workload.
 */
static int split_by_workload(struct perun_ctx *ctx, const struct perun_table *resources,
			     const uint64_t *selection, struct perun_groups **groups)
{
	const struct perun_column *workload = perun_table_column(resources, "workload");
	const struct perun_column *uid = perun_table_column(resources, "uid"), *keys[2];
	struct perun_groups *fine;
	struct perun_buffer text = {0};
	int status;

	uid = uid ? uid : perun_table_column(resources, "stack");
	if (!workload || !uid)
		return PERUN_OK;
	keys[0] = uid;
	keys[1] = workload;
	status = perun_group_by(ctx, resources, keys, 2, selection, &fine);
	if (status)
		return status;
	fine->texts = perun_alloc_zero(fine->count + 1, sizeof *fine->texts);
	for (size_t i = 0; i < fine->count; i++) {
		size_t row = fine->first_row[i];

		perun_buffer_clear(&text);
		perun_buffer_add_text(&text, (*groups)->texts[(*groups)->group_of_row[row]]);
		if (!perun_column_absent(workload, row)) {
			perun_buffer_add_text(&text, " with workload ");
			perun_column_print(workload, row, &text);
		}
		fine->texts[i] = perun_strdup(text.data);
	}
	perun_buffer_free(&text);
	perun_groups_free(*groups);
	*groups = fine;
	return PERUN_OK;
}

static int group_metric(struct perun_ctx *ctx, const struct perun_profile *profile,
			const struct perun_metric *metric, struct perun_groups **groups)
{
	const struct perun_table *resources = perun_resources(profile);
	uint64_t *selection = perun_selection_of_metric(metric, perun_table_rows(resources));
	int status = perun_group_by_uid(ctx, resources, selection, groups);

	if (!status)
		status = split_by_workload(ctx, resources, selection, groups);
	perun_free(selection);
	return status;
}

static void add_session(struct medians *medians, const double *values, size_t count)
{
	double median = count ? perun_median(values, count) : 0;

	if (count == 0)
		return;
	if (medians->count++ == 0)
		medians->first = median;
	medians->sum += median - medians->first;
	medians->squares += (median - medians->first) * (median - medians->first);
}

/* The deviation from session to session; 0 where no version has more than one. */
static double deviation_of(const struct medians *before, const struct medians *after)
{
	double squares = 0, free = 0;

	for (int i = 0; i < 2; i++) {
		const struct medians *medians = i ? after : before;
		double count = (double)medians->count;

		squares += fmax(medians->squares - medians->sum * medians->sum / count, 0);
		free += count - 1;
	}
	return free > 0 ? sqrt(squares / free) : 0;
}

/* The values of the groups, in the order of the rows; behind those that are there already. */
static void take_values(struct side *side, const struct perun_groups *groups,
			const struct perun_metric *metric, const uint32_t *place)
{
	uint32_t *rows;
	size_t *starts;

	perun_groups_rows(groups, &rows, &starts);
	for (size_t g = 0; g < groups->count; g++) {
		size_t to = place ? place[g] : g, count = starts[g + 1] - starts[g], old;
		double *values;

		if (to == PERUN_NO_ID)
			continue;
		values = perun_realloc_array(side->values[to], side->counts[to] + count + 1,
					     sizeof *values);
		old = side->counts[to];
		for (size_t i = starts[g]; i < starts[g + 1]; i++) {
			double value = perun_column_double(metric->values, rows[i]);

			if (isfinite(value))
				values[side->counts[to]++] = value;
		}
		side->values[to] = values;
		add_session(&side->sessions[to], values + old, side->counts[to] - old);
	}
	perun_free(rows);
	perun_free(starts);
}

/* The medians of the groups in another profile, which is a session. */
static int take_session(struct perun_ctx *ctx, const struct perun_profile *profile,
			const char *name, struct side *side)
{
	struct side session = {.sessions = side->sessions};
	const struct perun_metric *metric = perun_metric(profile, name);
	struct perun_groups *groups = NULL;
	uint32_t *place = NULL;
	int status;

	if (!metric)
		return PERUN_OK;
	status = group_metric(ctx, profile, metric, &groups);
	if (!status)
		status = perun_groups_join(ctx, groups, side->groups, &place);
	if (!status) {
		session.values = perun_alloc_zero(side->groups->count + 1, sizeof(double *));
		session.counts = perun_alloc_zero(side->groups->count + 1, sizeof(size_t));
		take_values(&session, groups, metric, place);
		for (size_t i = 0; i < side->groups->count; i++)
			perun_free(session.values[i]);
	}
	perun_free(session.values);
	perun_free(session.counts);
	perun_free(place);
	perun_groups_free(groups);
	return status;
}

/* Where a version has more profiles than are compared, they are its sessions. */
static int take_sessions(struct perun_ctx *ctx, struct perun_profile *const *profiles, size_t count,
			 const char *name, struct side *side)
{
	int status = PERUN_OK;

	if (count < 2)
		return PERUN_OK;
	memset(side->sessions, 0, side->groups->count * sizeof *side->sessions);
	for (size_t i = 0; !status && i < count; i++)
		status = take_session(ctx, profiles[i], name, side);
	return status;
}

/* All profiles of a side: what later ones repeat of the first one's uids is appended. */
static int side_make(struct perun_ctx *ctx, struct perun_profile *const *profiles, size_t count,
		     const char *name, struct side *side)
{
	const struct perun_metric *metric = perun_metric(profiles[0], name);
	int status = group_metric(ctx, profiles[0], metric, &side->groups);

	if (status)
		return status;
	side->values = perun_alloc_zero(side->groups->count + 1, sizeof *side->values);
	side->counts = perun_alloc_zero(side->groups->count + 1, sizeof *side->counts);
	side->sessions = perun_alloc_zero(side->groups->count + 1, sizeof *side->sessions);
	take_values(side, side->groups, metric, NULL);
	for (size_t i = 1; !status && i < count; i++) {
		struct perun_groups *groups = NULL;
		uint32_t *place = NULL;

		metric = perun_metric(profiles[i], name);
		if (!metric)
			continue;
		status = group_metric(ctx, profiles[i], metric, &groups);
		if (!status)
			status = perun_groups_join(ctx, groups, side->groups, &place);
		if (!status)
			take_values(side, groups, metric, place);
		perun_free(place);
		perun_groups_free(groups);
	}
	return status;
}

/* ---- findings -------------------------------------------------------------------------------- */

static enum perun_result result_of(const struct judged *judged)
{
	switch (judged->verdict.answer) {
	case PERUN_VERDICT_SAME:
		return PERUN_RESULT_NO_CHANGE;
	case PERUN_VERDICT_INCREASE:
		return judged->higher ? PERUN_RESULT_OPTIMIZATION : PERUN_RESULT_DEGRADATION;
	case PERUN_VERDICT_DECREASE:
		return judged->higher ? PERUN_RESULT_DEGRADATION : PERUN_RESULT_OPTIMIZATION;
	default:
		return PERUN_RESULT_INCONCLUSIVE;
	}
}

/* The two samples behind a finding; borrowed. */
struct samples {
	const struct perun_metric *metric;
	const char *uid;
	const double *before, *after;
	size_t before_count, after_count;
	double deviation; /* from session to session */
};

/* A metric of both versions, whose values are borrowed until all are judged. */
struct matched {
	const struct perun_metric *metric;
	struct side before, after; /* empty where a version does not have the metric */
	uint32_t *before_of_after; /* groups; NULL where one of the sides is empty */
};

struct judging {
	struct shift *shift;
	struct samples *samples; /* of the findings from the `first` on */
	size_t first, count, capacity;
};

static int judge_one(struct perun_ctx *ctx, size_t i, void *data)
{
	struct judging *judging = data;
	const struct samples *samples = &judging->samples[i];
	struct perun_verdict_options options = judging->shift->options;
	double level = fabs(perun_median(samples->before, samples->before_count));

	(void)ctx;
	if (level > 0)
		options.floor = fmax(options.floor, samples->deviation / level);
	perun_judge(samples->before, samples->before_count, samples->after, samples->after_count,
		    &options, &judging->shift->judged[judging->first + i].verdict);
	return PERUN_OK;
}

/* The functions that both sides have. */
static void take_samples(const struct matched *matched, struct judging *judging)
{
	const struct side *before = &matched->before, *after = &matched->after;

	for (size_t i = 0; i < after->groups->count; i++) {
		uint32_t j = matched->before_of_after[i];

		if (j == PERUN_NO_ID || !before->counts[j] || !after->counts[i])
			continue;
		PERUN_GROW(judging->samples, judging->count, judging->capacity);
		judging->samples[judging->count++] = (struct samples){
			.metric = matched->metric,
			.uid = after->groups->texts[i],
			.before = before->values[j],
			.before_count = before->counts[j],
			.after = after->values[i],
			.after_count = after->counts[i],
			.deviation = deviation_of(&before->sessions[j], &after->sessions[i])};
	}
}

static int match_metric(struct perun_ctx *ctx, const struct perun_comparison *comparison,
			const struct perun_metric *metric, struct matched *matched)
{
	int status = PERUN_OK;

	matched->metric = metric;
	if (perun_metric(comparison->baselines[0], metric->name))
		status = side_make(ctx, comparison->baselines, comparison->baseline_count,
				   metric->name, &matched->before);
	if (!status && perun_metric(comparison->targets[0], metric->name))
		status = side_make(ctx, comparison->targets, comparison->target_count, metric->name,
				   &matched->after);
	if (status || !matched->before.groups || !matched->after.groups)
		return status;
	status = take_sessions(ctx, comparison->baseline_sessions,
			       comparison->baseline_session_count, metric->name, &matched->before);
	if (!status)
		status = take_sessions(ctx, comparison->target_sessions,
				       comparison->target_session_count, metric->name,
				       &matched->after);
	if (!status)
		status = perun_groups_join(ctx, matched->after.groups, matched->before.groups,
					   &matched->before_of_after);
	return status;
}

/* All metrics' functions at once: they share the processors. */
static int judge_all(struct perun_ctx *ctx, struct judging *judging, struct perun_report *report)
{
	struct shift *shift = judging->shift;
	int status;

	judging->first = shift->count;
	for (size_t i = 0; i < judging->count; i++) {
		const struct perun_metric *metric = judging->samples[i].metric;

		PERUN_GROW(shift->judged, shift->count, shift->capacity);
		shift->judged[shift->count++] =
			(struct judged){.higher = perun_metric_higher(metric, shift->told),
					.unit = perun_strdup(checks_unit(metric->unit)),
					.place = perun_report_count(report) + i};
	}
	status = perun_parallel_for(ctx, judging->count, judge_one, judging);
	for (size_t i = 0; !status && i < judging->count; i++) {
		const struct judged *judged = &shift->judged[judging->first + i];
		struct checks_levels levels = {.result = result_of(judged),
					       .location = judging->samples[i].uid,
					       .metric = judging->samples[i].metric,
					       .before = judged->verdict.before,
					       .after = judged->verdict.after,
					       .p = judged->verdict.p};

		checks_report_levels(report, &levels);
	}
	return status;
}

static void report_alone(const struct matched *matched, enum perun_result result, const char *uid,
			 const double *values, size_t count, struct perun_report *report)
{
	const struct perun_metric *metric = matched->metric;
	bool fresh = result == PERUN_RESULT_NOT_IN_BASELINE;
	char *level =
		perun_format("%.4g%s", perun_median(values, count), checks_unit(metric->unit));
	struct perun_change change = {.struct_size = sizeof change,
				      .result = result,
				      .location = uid,
				      .type = metric->name,
				      .metric = metric->name,
				      .from_baseline = fresh ? "-" : level,
				      .to_target = fresh ? level : "-",
				      .rate = 1};

	perun_report_add(report, &change);
	perun_free(level);
}

/* The functions that one of the versions alone has: of these no more can be said. */
static void report_unmatched(const struct matched *matched, struct perun_report *report)
{
	const struct side *before = &matched->before, *after = &matched->after;
	size_t before_count = before->groups ? before->groups->count : 0;
	size_t after_count = after->groups ? after->groups->count : 0;
	bool *met = perun_alloc_zero(before_count + 1, sizeof *met);

	for (size_t i = 0; i < after_count; i++) {
		uint32_t j = matched->before_of_after ? matched->before_of_after[i] : PERUN_NO_ID;

		if (j != PERUN_NO_ID)
			met[j] |= after->counts[i] > 0;
		if (after->counts[i] && (j == PERUN_NO_ID || !before->counts[j]))
			report_alone(matched, PERUN_RESULT_NOT_IN_BASELINE, after->groups->texts[i],
				     after->values[i], after->counts[i], report);
	}
	for (size_t j = 0; j < before_count; j++) {
		if (before->counts[j] && !met[j])
			report_alone(matched, PERUN_RESULT_NOT_IN_TARGET, before->groups->texts[j],
				     before->values[j], before->counts[j], report);
	}
	perun_free(met);
}

/* Those of the version under test, then those that it does not have any more. */
static int match_all(struct perun_ctx *ctx, const struct perun_comparison *comparison,
		     struct matched **matched, size_t *count)
{
	size_t before_count, after_count, capacity = 0;
	const struct perun_metric *before = perun_metrics(comparison->baselines[0], &before_count);
	const struct perun_metric *after = perun_metrics(comparison->targets[0], &after_count);
	int status = PERUN_OK;

	*count = 0;
	for (size_t i = 0; !status && i < after_count + before_count; i++) {
		const struct perun_metric *metric =
			i < after_count ? &after[i] : &before[i - after_count];

		if (i >= after_count && perun_metric(comparison->targets[0], metric->name))
			continue;
		PERUN_GROW(*matched, *count, capacity);
		(*matched)[*count] = (struct matched){0};
		status = match_metric(ctx, comparison, metric, &(*matched)[(*count)++]);
	}
	return status;
}

static int shift_compare(void *instance, struct perun_ctx *ctx,
			 const struct perun_comparison *comparison, struct perun_report *report)
{
	struct matched *matched = NULL;
	struct judging judging = {.shift = instance};
	size_t count;
	int status = match_all(ctx, comparison, &matched, &count);

	for (size_t i = 0; !status && i < count; i++) {
		if (matched[i].before_of_after)
			take_samples(&matched[i], &judging);
	}
	if (!status)
		status = judge_all(ctx, &judging, report);
	for (size_t i = 0; i < count; i++) {
		if (!status)
			report_unmatched(&matched[i], report);
		perun_free(matched[i].before_of_after);
		side_free(&matched[i].before);
		side_free(&matched[i].after);
	}
	perun_free(judging.samples);
	perun_free(matched);
	return status;
}

/* With the p of all tests of the comparison: Benjamini and Hochberg. */
static int shift_finish(void *instance, struct perun_ctx *ctx, struct perun_report *report)
{
	struct shift *shift = instance;
	double *p = perun_alloc_zero(shift->count + 1, sizeof *p);

	(void)ctx;
	for (size_t i = 0; i < shift->count; i++)
		p[i] = shift->judged[i].verdict.p;
	perun_benjamini_hochberg(p, shift->count, p);
	for (size_t i = 0; i < shift->count; i++) {
		struct judged *judged = &shift->judged[i];
		struct perun_buffer words = {0};

		perun_verdict_readjust(&judged->verdict, &shift->options, p[i]);
		perun_verdict_explain(&judged->verdict, &shift->options, judged->unit, &words);
		if (shift->count > 1)
			perun_buffer_printf(&words, " (p for %zu tests together)", shift->count);
		perun_report_revise(report, judged->place, result_of(judged), words.data);
		perun_buffer_free(&words);
	}
	perun_free(p);
	return PERUN_OK;
}

static const struct perun_check_ops shift_ops = {
	.open = shift_open,
	.close = shift_close,
	.aliases = "shift",
	.compare = shift_compare,
	.finish = shift_finish,
	.wants_sessions = true,
};

PERUN_PLUGIN(check, shift) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_CHECK, "shift",
			  "repeated measurements of two versions, by rank statistics"),
	.version = PACKAGE_VERSION,
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(shift_ops),
};
