/* SPDX-License-Identifier: BSD-3-Clause */
/* perun blame: which commits changed a metric, and which functions explain it. */
#include <config.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>
#include <perun/statistics.h>

#include "cli/facts.h"
#include "cli/history.h"

const struct perun_option cli_blame_options[] = {
	CLI_RANGE_OPTIONS,
	{.name = "functions",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "5",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e6,
	 .help = "name so many functions at most for each change"},
	CLI_BETTER_OPTION,
	CLI_METHOD_OPTION,
	CLI_THRESHOLD_OPTION,
	{.name = "json", .help = "print JSON"},
	CLI_MACHINES_OPTION,
	{0}};

/* ---- totals ---------------------------------------------------------------------------------- */

/* All functions of one command, added up. */
struct total {
	const char *command, *metric;
	struct cli_strand strand;
};

static bool belongs(const struct total *total, const struct cli_strand *strand)
{
	return strcmp(strand->command, total->command) == 0 &&
	       strcmp(strand->series.metric, total->metric) == 0;
}

static void make_total(const struct cli_history *history, size_t first, struct total *total)
{
	const struct cli_strand *model = &history->strands[first];

	*total = (struct total){.command = model->command, .metric = model->series.metric};
	total->strand.command = perun_strdup(model->command);
	total->strand.location = perun_strdup("");
	total->strand.higher = model->higher;
	total->strand.series.metric = perun_strdup(model->series.metric);
	total->strand.series.unit = perun_strdup(model->series.unit);
	for (size_t i = 0; i < history->count; i++) {
		double sum = 0;
		bool any = false;

		for (size_t s = first; s < history->strand_count; s++) {
			const struct cli_series *series = &history->strands[s].series;

			if (!belongs(total, &history->strands[s]) || i >= series->count ||
			    isnan(series->values[i]))
				continue;
			sum += series->values[i];
			any = true;
		}
		cli_series_add(&total->strand.series, &sum, any,
			       history->versions[i]->version.checksum);
	}
}

static void total_free(struct total *total)
{
	perun_free(total->strand.command);
	perun_free(total->strand.location);
	cli_series_free(&total->strand.series);
	perun_changes_free(&total->strand.changes);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* What a function did at a change. */
struct suspect {
	const char *location; /* the leaf of a stack; of the strand */
	double before, after;
	char *model_before, *model_after; /* NULL = none */
};

struct suspects {
	struct suspect *items;
	size_t count, capacity;
};

/* The median of what was measured; a function that is not there costs nothing. */
static double level(const struct total *total, const struct cli_series *series, size_t first,
		    size_t end)
{
	double *values = perun_alloc_zero(end - first + 1, sizeof *values), median;
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		if (isnan(total->strand.series.values[i]))
			continue;
		values[count++] =
			i < series->count && !isnan(series->values[i]) ? series->values[i] : 0;
	}
	median = perun_median_in_place(values, count);
	perun_free(values);
	return count ? median : 0;
}

static const char *leaf_of(const char *location)
{
	const char *last = strrchr(location, ';');

	return last && last[1] ? last + 1 : location;
}

static int by_share(const void *one, const void *other)
{
	const struct suspect *a = one, *b = other;
	double first = fabs(a->after - a->before), second = fabs(b->after - b->before);

	if (first != second)
		return first < second ? 1 : -1;
	return strcmp(a->location, b->location);
}

static int by_location(const void *one, const void *other)
{
	return strcmp(((const struct suspect *)one)->location,
		      ((const struct suspect *)other)->location);
}

static void find_suspects(const struct cli_history *history, const struct total *total,
			  const struct perun_change_point *point, struct suspects *suspects)
{
	size_t kept = 0;

	for (size_t s = 0; s < history->strand_count; s++) {
		const struct cli_strand *strand = &history->strands[s];
		struct suspect suspect;

		if (!belongs(total, strand))
			continue;
		suspect = (struct suspect){
			.location = leaf_of(strand->location),
			.before = level(total, &strand->series, point->first, point->index),
			.after = level(total, &strand->series, point->index, point->end)};
		PERUN_GROW(suspects->items, suspects->count, suspects->capacity);
		suspects->items[suspects->count++] = suspect;
	}
	/* Stacks that end in one function are one. */
	if (suspects->count)
		qsort(suspects->items, suspects->count, sizeof *suspects->items, by_location);
	for (size_t i = 0; i < suspects->count; i++) {
		struct suspect *last = kept ? &suspects->items[kept - 1] : NULL;

		if (last && strcmp(last->location, suspects->items[i].location) == 0) {
			last->before += suspects->items[i].before;
			last->after += suspects->items[i].after;
		} else {
			suspects->items[kept++] = suspects->items[i];
		}
	}
	suspects->count = kept;
	if (kept)
		qsort(suspects->items, kept, sizeof *suspects->items, by_share);
}

static void suspects_free(struct suspects *suspects)
{
	for (size_t i = 0; i < suspects->count; i++) {
		perun_free(suspects->items[i].model_before);
		perun_free(suspects->items[i].model_after);
	}
	perun_free(suspects->items);
	*suspects = (struct suspects){0};
}

/* ---- models ---------------------------------------------------------------------------------- */

static void take_models(const struct perun_profile *profile, struct suspects *suspects, bool after)
{
	size_t count, *rows;

	perun_all_filtered_models(profile, PERUN_BEST_PARAM, &rows, &count);
	for (size_t i = 0; i < count; i++) {
		struct perun_model model;

		perun_model_read(profile, rows[i], &model);
		for (size_t j = 0; j < suspects->count; j++) {
			struct suspect *suspect = &suspects->items[j];
			char **kind = after ? &suspect->model_after : &suspect->model_before;

			if (!*kind && strcmp(suspect->location, model.uid) == 0)
				*kind = perun_strdup(model.kind);
		}
		perun_model_clear(&model);
	}
	perun_free(rows);
}

/* The models in the profiles of one version. */
static int models_of(struct cli *cli, const struct total *total, const char *minor, bool after,
		     struct suspects *suspects)
{
	struct perun_entries entries = {0};
	int status = perun_store_entries(cli->ctx, cli->store, minor, &entries);

	for (size_t i = 0; !status && i < entries.count; i++) {
		const struct perun_entry *entry = &entries.items[i];
		char *command = perun_format("%s%s%s", entry->cmd, *entry->workload ? " " : "",
					     entry->workload);
		struct perun_profile *profile = NULL;

		if (strcmp(command, total->command) == 0 && *entry->postprocessors)
			status = perun_store_load(cli->ctx, cli->store, entry->checksum, &profile);
		if (!status && profile)
			take_models(profile, suspects, after);
		perun_profile_unref(profile);
		perun_free(command);
	}
	perun_entries_free(&entries);
	return status;
}

/* The last measured version before a change. */
static size_t last_before(const struct total *total, const struct perun_change_point *point)
{
	size_t i = point->index;

	while (i > 0 && isnan(total->strand.series.values[--i]))
		;
	return i;
}

/* ---- telling --------------------------------------------------------------------------------- */

static double share_of(const struct suspect *suspect, const struct perun_change_point *point)
{
	double whole = point->after - point->before;

	return whole != 0 ? (suspect->after - suspect->before) / whole : 0;
}

/* Functions that are worth a line: at least a hundredth of what changed. */
static size_t shown(const struct suspects *suspects, const struct perun_change_point *point,
		    size_t most)
{
	size_t count = 0;

	while (count < most && count < suspects->count &&
	       fabs(share_of(&suspects->items[count], point)) >= 0.01)
		count++;
	return count;
}

static json_t *fact_change(const struct cli_history *history, const struct total *total,
			   const struct perun_change_point *point, const struct suspects *suspects,
			   size_t count)
{
	json_t *fact = cli_fact_change_point(&total->strand.series, point, total->strand.higher);
	json_t *commits = json_array(), *functions = json_array();

	for (size_t i = last_before(total, point) + 1; i <= point->index; i++) {
		char *subject = cli_history_subject(history, i);
		json_t *commit = json_object();

		json_object_set_new(commit, "version",
				    cli_fact_text(history->versions[i]->version.checksum));
		json_object_set_new(commit, "subject", cli_fact_text(subject));
		json_array_append_new(commits, commit);
		perun_free(subject);
	}
	for (size_t i = 0; i < count; i++) {
		const struct suspect *suspect = &suspects->items[i];
		json_t *function = json_object();

		json_object_set_new(function, "location", cli_fact_text(suspect->location));
		json_object_set_new(function, "before", cli_fact_number(suspect->before));
		json_object_set_new(function, "after", cli_fact_number(suspect->after));
		json_object_set_new(function, "share", cli_fact_number(share_of(suspect, point)));
		json_object_set_new(function, "model_before", cli_fact_text(suspect->model_before));
		json_object_set_new(function, "model_after", cli_fact_text(suspect->model_after));
		json_array_append_new(functions, function);
	}
	json_object_set_new(fact, "metric", cli_fact_text(total->metric));
	json_object_set_new(fact, "command", cli_fact_text(total->command));
	json_object_set_new(fact, "commits", commits);
	json_object_set_new(fact, "functions", functions);
	return fact;
}

static void print_change(struct cli *cli, const struct cli_history *history,
			 const struct total *total, const struct perun_change_point *point,
			 const struct suspects *suspects, size_t count)
{
	cli_print_point(cli, &total->strand.series, point, total->strand.higher);
	for (size_t i = last_before(total, point) + 1; i <= point->index; i++) {
		char *subject = cli_history_subject(history, i);

		printf("  %s%.8s%s ", cli_color(cli, CLI_YELLOW),
		       history->versions[i]->version.checksum, cli_color_end(cli));
		cli_print_safe(subject);
		putchar('\n');
		perun_free(subject);
	}
	for (size_t i = 0; i < count; i++) {
		const struct suspect *suspect = &suspects->items[i];

		printf("  %6.1f %%  ", 100 * share_of(suspect, point));
		cli_print_safe(suspect->location);
		printf(": %.4g -> %.4g", suspect->before, suspect->after);
		if (suspect->model_before && suspect->model_after &&
		    strcmp(suspect->model_before, suspect->model_after) != 0)
			printf(", %s -> %s", suspect->model_before, suspect->model_after);
		putchar('\n');
	}
}

static int blame_total(struct cli *cli, const struct cli_call *call,
		       const struct cli_history *history, struct total *total, json_t *changes,
		       size_t *found)
{
	size_t most = (size_t)perun_option_integer(call->options, "functions");
	int status = cli_series_changes(cli, call, &total->strand.series, &total->strand.changes);

	for (size_t i = 0; !status && i < total->strand.changes.count; i++) {
		const struct perun_change_point *point = &total->strand.changes.points[i];
		struct suspects suspects = {0};
		size_t before = last_before(total, point), count;

		find_suspects(history, total, point, &suspects);
		status = models_of(cli, total, history->versions[before]->version.checksum, false,
				   &suspects);
		if (!status)
			status = models_of(cli, total,
					   history->versions[point->index]->version.checksum, true,
					   &suspects);
		count = shown(&suspects, point, most);
		if (!status && changes)
			json_array_append_new(changes,
					      fact_change(history, total, point, &suspects, count));
		else if (!status)
			print_change(cli, history, total, point, &suspects, count);
		suspects_free(&suspects);
		++*found;
	}
	return status;
}

/* Whether a strand is the first of its command and metric. */
static bool is_first(const struct cli_history *history, size_t s)
{
	struct total total = {.command = history->strands[s].command,
			      .metric = history->strands[s].series.metric};

	for (size_t i = 0; i < s; i++) {
		if (belongs(&total, &history->strands[i]))
			return false;
	}
	return true;
}

int cli_blame(struct cli *cli, const struct cli_call *call)
{
	struct cli_history_query query = {
		.range = perun_option_string(call->options, "range"),
		.metric = perun_option_string(call->options, "metric"),
		.across = perun_option_flag(call->options, "across-machines"),
		.told = cli_told_direction(call)};
	json_t *changes = perun_option_flag(call->options, "json") ? json_array() : NULL;
	struct cli_history history;
	size_t found = 0;
	int status = cli_history_load(cli, &query, &history);

	for (size_t s = 0; !status && s < history.strand_count; s++) {
		struct total total;

		if (!is_first(&history, s))
			continue;
		make_total(&history, s, &total);
		status = blame_total(cli, call, &history, &total, changes, &found);
		total_free(&total);
	}
	if (!status && changes) {
		json_t *document = json_object();

		json_object_set(document, "changes", changes);
		cli_print_facts(document);
	} else if (!status && found == 0) {
		puts("no changes found");
	}
	json_decref(changes);
	cli_history_free(&history);
	return status;
}
