/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions behind a change of what a command costs. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>
#include <perun/lib/statistics.h>

#include "cli/suspects.h"

/* Exponents of powers that may well be the same. */
#define EXPONENT 0.1
/* Versions that may well be the same change. */
#define NEAR 2

double cli_suspect_share(const struct cli_suspect *suspect, const struct perun_change_point *point)
{
	double whole = point->after - point->before;

	return whole != 0 ? (suspect->after - suspect->before) / whole : 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A function with its values at the measured versions around a change. */
struct function {
	struct cli_suspect suspect;
	double *values;
	size_t first, end; /* of the values that tell of this change */
	double strongest;  /* what the stack of the path changed by */
};

/* The versions around a change at which the total was measured. */
struct around {
	size_t *versions, before, count;
};

static struct around find_around(const struct cli_series *total,
				 const struct perun_change_point *point)
{
	struct around around = {.versions = perun_alloc_zero(point->end - point->first + 1,
							     sizeof *around.versions)};

	for (size_t i = point->first; i < point->end; i++) {
		if (isnan(total->values[i]))
			continue;
		around.versions[around.count++] = i;
		around.before += i < point->index;
	}
	return around;
}

static void set_levels(const struct around *around, struct function *function)
{
	size_t at = around->before;

	function->suspect.before =
		perun_median(function->values + function->first, at - function->first);
	function->suspect.after = perun_median(function->values + at, function->end - at);
}

/* What a function did at other versions, where the whole did not change, is no part of this change. */
static int narrow(struct cli *cli, const struct around *around, struct function *function)
{
	const struct perun_series series = {sizeof series, function->values, around->count, NULL,
					    NULL};
	const struct perun_change_options options = {.struct_size = sizeof options};
	struct perun_changes changes;
	int status = perun_find_changes(cli->ctx, &series, &options, &changes);

	for (size_t i = 0; !status && i < changes.count; i++) {
		size_t index = changes.points[i].index;

		if (index + NEAR < around->before)
			function->first = index;
		else if (index > around->before + NEAR && index < function->end)
			function->end = index;
	}
	perun_changes_free(&changes);
	set_levels(around, function);
	return status;
}

/* A function that is not there costs nothing. */
static struct function read_function(const struct around *around, const struct cli_strand *strand)
{
	struct function function = {
		.suspect = {.location = cli_leaf_of(strand->location), .path = strand->location},
		.values = perun_alloc_zero(around->count + 1, sizeof *function.values),
		.end = around->count};
	const struct cli_series *series = &strand->series;

	for (size_t i = 0; i < around->count; i++) {
		size_t version = around->versions[i];

		if (version < series->count && !isnan(series->values[version]))
			function.values[i] = series->values[version];
	}
	set_levels(around, &function);
	function.strongest = fabs(function.suspect.after - function.suspect.before);
	return function;
}

static int by_location(const void *one, const void *other)
{
	const struct function *a = one, *b = other;
	int order = strcmp(a->suspect.location, b->suspect.location);

	return order ? order : strcmp(a->suspect.path, b->suspect.path);
}

/* Stacks that end in one function are one; its path is that of the stack that changed most. */
static size_t unite(const struct around *around, struct function *functions, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(functions, count, sizeof *functions, by_location);
	for (size_t i = 0; i < count; i++) {
		struct function *last = kept ? &functions[kept - 1] : NULL;

		if (!last || strcmp(last->suspect.location, functions[i].suspect.location) != 0) {
			functions[kept++] = functions[i];
			continue;
		}
		for (size_t k = 0; k < around->count; k++)
			last->values[k] += functions[i].values[k];
		if (functions[i].strongest > last->strongest) {
			last->strongest = functions[i].strongest;
			last->suspect.path = functions[i].suspect.path;
		}
		perun_free(functions[i].values);
	}
	for (size_t i = 0; i < kept; i++)
		set_levels(around, &functions[i]);
	return kept;
}

/* ---- which of them changed ------------------------------------------------------------------- */

/* Whether each function changed, with so many of them looked at. */
static void test(const struct around *around, struct function *functions, size_t count)
{
	double *p = perun_alloc_zero(count + 1, sizeof *p);

	for (size_t i = 0; i < count; i++) {
		const struct function *function = &functions[i];
		struct perun_mann_whitney result;

		perun_mann_whitney_below(function->values + function->first,
					 around->before - function->first,
					 function->values + around->before,
					 function->end - around->before, CLI_DISCOVERIES, &result);
		p[i] = result.p;
	}
	perun_benjamini_hochberg(p, count, p);
	for (size_t i = 0; i < count; i++)
		functions[i].suspect.p = p[i];
	perun_free(p);
}

static int by_share(const void *one, const void *other)
{
	const struct cli_suspect *a = one, *b = other;
	double first = fabs(a->after - a->before), second = fabs(b->after - b->before);

	if (first != second)
		return first < second ? 1 : -1;
	return strcmp(a->location, b->location);
}

/* Those worth a line; of these, where any are certain, the certain ones alone. */
static void choose(const struct perun_change_point *point, struct cli_suspects *suspects)
{
	size_t kept = 0;
	bool certain = false;

	for (size_t i = 0; i < suspects->count; i++) {
		struct cli_suspect suspect = suspects->items[i];

		if (fabs(cli_suspect_share(&suspect, point)) < CLI_LEAST_SHARE)
			continue;
		certain |= suspect.p <= CLI_DISCOVERIES;
		suspects->items[kept++] = suspect;
	}
	suspects->count = kept;
	kept = 0;
	for (size_t i = 0; i < suspects->count; i++) {
		if (!certain || suspects->items[i].p <= CLI_DISCOVERIES)
			suspects->items[kept++] = suspects->items[i];
	}
	suspects->count = kept;
	if (kept)
		qsort(suspects->items, kept, sizeof *suspects->items, by_share);
}

int cli_suspects_find(struct cli *cli, const struct cli_history *history,
		      const struct cli_strand *total, const struct perun_change_point *point,
		      size_t most, struct cli_suspects *suspects)
{
	struct around around = find_around(&total->series, point);
	struct function *functions = perun_alloc_zero(history->strand_count + 1, sizeof *functions);
	size_t count = 0;
	int status = PERUN_OK;

	for (size_t s = 0; s < history->strand_count; s++) {
		const struct cli_strand *strand = &history->strands[s];

		if (cli_strand_in_total(strand, total) &&
		    (total->whole || strcmp(cli_leaf_of(strand->location), total->location) == 0))
			functions[count++] = read_function(&around, strand);
	}
	count = unite(&around, functions, count);
	for (size_t i = 0; !status && i < count; i++) {
		if (fabs(cli_suspect_share(&functions[i].suspect, point)) >= CLI_LEAST_SHARE)
			status = narrow(cli, &around, &functions[i]);
	}
	test(&around, functions, count);
	*suspects = (struct cli_suspects){
		.items = perun_alloc_zero(count + 1, sizeof *suspects->items), .count = count};
	for (size_t i = 0; i < count; i++) {
		suspects->items[i] = functions[i].suspect;
		perun_free(functions[i].values);
	}
	choose(point, suspects);
	suspects->count = suspects->count < most ? suspects->count : most;
	perun_free(functions);
	perun_free(around.versions);
	return status;
}

void cli_suspects_free(struct cli_suspects *suspects)
{
	for (size_t i = 0; i < suspects->count; i++) {
		perun_free(suspects->items[i].own_path);
		perun_free(suspects->items[i].model_before);
		perun_free(suspects->items[i].model_after);
	}
	cli_suspects_free_stacks(suspects);
	perun_free(suspects->items);
	*suspects = (struct cli_suspects){0};
}

/* ---- models ---------------------------------------------------------------------------------- */

/* The best model of a function, and how well a line does. */
struct growth {
	char *kind;
	double r_square, exponent, line;
};

/*
 * What grows in proportion is linear, whichever kind fits a little better: a power of about 1 is a line, one of
 * about 2 a square, and a square that explains no more than a line is a line.
 */
static const char *kind_of(const struct growth *growth)
{
	if (strcmp(growth->kind, "power") == 0) {
		if (fabs(growth->exponent - 1) < EXPONENT)
			return "linear";
		if (fabs(growth->exponent - 2) < EXPONENT)
			return "quadratic";
	}
	if (strcmp(growth->kind, "quadratic") == 0 &&
	    1 - growth->line <= 1.5 * (1 - growth->r_square) + 0.001)
		return "linear";
	return growth->kind;
}

static void take_model(const struct perun_model *model, struct growth *growth)
{
	if (strcmp(model->kind, "linear") == 0)
		growth->line = fmax(growth->line, model->r_square);
	if (!(model->r_square > growth->r_square))
		return;
	perun_free(growth->kind);
	growth->kind = perun_strdup(model->kind);
	growth->r_square = model->r_square;
	growth->exponent = model->coefficient_count > 1 ? model->coefficients[1] : NAN;
}

static void take_models(const struct perun_profile *profile, struct cli_suspects *suspects,
			bool after)
{
	struct growth *growths = perun_alloc_zero(suspects->count + 1, sizeof *growths);
	size_t count, *rows;

	perun_all_filtered_models(profile, PERUN_ALL_PARAM, &rows, &count);
	for (size_t i = 0; i < count; i++) {
		struct perun_model model;

		perun_model_read(profile, rows[i], &model);
		for (size_t j = 0; j < suspects->count; j++) {
			if (strcmp(suspects->items[j].location, model.uid) == 0)
				take_model(&model, &growths[j]);
		}
		perun_model_clear(&model);
	}
	for (size_t j = 0; j < suspects->count; j++) {
		struct cli_suspect *suspect = &suspects->items[j];
		char **kind = after ? &suspect->model_after : &suspect->model_before;

		if (!*kind && growths[j].kind)
			*kind = perun_strdup(kind_of(&growths[j]));
		perun_free(growths[j].kind);
	}
	perun_free(growths);
	perun_free(rows);
}

int cli_suspects_profiles(struct cli *cli, const struct cli_strand *total, const char *minor,
			  bool after, struct cli_suspects *suspects)
{
	struct perun_entries entries = {0};
	int status = perun_store_entries(cli->ctx, cli->store, minor, &entries);

	for (size_t i = 0; !status && i < entries.count; i++) {
		const struct perun_entry *entry = &entries.items[i];
		char *command = perun_format("%s%s%s", entry->cmd, *entry->workload ? " " : "",
					     entry->workload);
		struct perun_profile *profile = NULL;

		if (strcmp(command, total->command) == 0)
			status = perun_store_load(cli->ctx, cli->store, entry->checksum, &profile);
		if (!status && profile) {
			take_models(profile, suspects, after);
			status = cli_suspects_take_stacks(cli, profile, total->series.metric, after,
							  suspects);
		}
		perun_profile_unref(profile);
		perun_free(command);
	}
	perun_entries_free(&entries);
	return status;
}
