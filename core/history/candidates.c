/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that may explain a change of what a command costs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/query.h>
#include <perun/lib/statistics.h>

#include "core/history/cache.h"
#include "core/history/history.h"
#include "core/store/measured.h"

/* Of the whole change, to be worth a line. */
#define MIN_SHARE 0.01
/* The false discovery rate over the changes of all functions. */
#define FALSE_DISCOVERIES 0.05

/* Exponents of powers that may well be the same. */
#define EXPONENT 0.1
/* Versions that may well be the same change. */
#define NEAR 2

double perun_candidate_share(const struct perun_candidate *candidate,
			     const struct perun_change_point *point)
{
	double whole = point->after - point->before;

	return whole != 0 ? (candidate->after - candidate->before) / whole : 0;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A function with its values at the measured versions around a change. */
struct function {
	struct perun_candidate candidate;
	double *values;
	size_t first, end; /* of the values that show this change */
	double strongest;  /* what the stack of the path changed by */
};

/* The versions around a change at which the total was measured. */
struct around {
	size_t *versions, before, count;
};

static struct around find_around(const struct perun_strand *total,
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

	function->candidate.before =
		perun_median(function->values + function->first, at - function->first);
	function->candidate.after = perun_median(function->values + at, function->end - at);
}

/* What a function did at other versions, where the whole did not change, is not part of this change. */
static int narrow(struct perun_ctx *ctx, const struct around *around, struct function *function)
{
	const struct perun_value_series series = {
		.struct_size = sizeof series, .values = function->values, .count = around->count};
	const struct perun_change_options options = {.struct_size = sizeof options};
	struct perun_segmentation changes;
	int status = perun_find_changes(ctx, &series, &options, &changes);

	for (size_t i = 0; !status && i < changes.count; i++) {
		size_t index = changes.points[i].index;

		if (index + NEAR < around->before)
			function->first = index;
		else if (index > around->before + NEAR && index < function->end)
			function->end = index;
	}
	perun_segmentation_free(&changes);
	set_levels(around, function);
	return status;
}

/* A function that is not there costs nothing. */
static struct function read_function(const struct around *around, const struct perun_strand *strand)
{
	struct function function = {
		.candidate = {.location = perun_leaf_of(strand->location),
			      .path = strand->location},
		.values = perun_alloc_zero(around->count + 1, sizeof *function.values),
		.end = around->count};

	for (size_t i = 0; i < around->count; i++) {
		size_t version = around->versions[i];

		if (version < strand->count && !isnan(strand->values[version]))
			function.values[i] = strand->values[version];
	}
	set_levels(around, &function);
	function.strongest = fabs(function.candidate.after - function.candidate.before);
	return function;
}

static int by_location(const void *one, const void *other)
{
	const struct function *a = one, *b = other;
	int order = strcmp(a->candidate.location, b->candidate.location);

	return order ? order : strcmp(a->candidate.path, b->candidate.path);
}

/* Stacks that end in one function are one; its path is that of the stack that changed most. */
static size_t unite(const struct around *around, struct function *functions, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(functions, count, sizeof *functions, by_location);
	for (size_t i = 0; i < count; i++) {
		struct function *last = kept ? &functions[kept - 1] : NULL;

		if (!last ||
		    strcmp(last->candidate.location, functions[i].candidate.location) != 0) {
			functions[kept++] = functions[i];
			continue;
		}
		for (size_t k = 0; k < around->count; k++)
			last->values[k] += functions[i].values[k];
		if (functions[i].strongest > last->strongest) {
			last->strongest = functions[i].strongest;
			last->candidate.path = functions[i].candidate.path;
		}
		perun_free(functions[i].values);
	}
	for (size_t i = 0; i < kept; i++)
		set_levels(around, &functions[i]);
	return kept;
}

/* ---- which of them changed ------------------------------------------------------------------- */

/* Whether each function changed, with this many of them looked at. */
static void test(const struct around *around, struct function *functions, size_t count)
{
	double *p = perun_alloc_zero(count + 1, sizeof *p);

	for (size_t i = 0; i < count; i++) {
		const struct function *function = &functions[i];
		struct perun_mann_whitney result;

		perun_mann_whitney_below(
			function->values + function->first, around->before - function->first,
			function->values + around->before, function->end - around->before,
			FALSE_DISCOVERIES, &result);
		p[i] = result.p;
	}
	perun_benjamini_hochberg(p, count, p);
	for (size_t i = 0; i < count; i++)
		functions[i].candidate.p = p[i];
	perun_free(p);
}

static int by_share(const void *one, const void *other)
{
	const struct perun_candidate *a = one, *b = other;
	double first = fabs(a->after - a->before), second = fabs(b->after - b->before);

	if (first != second)
		return first < second ? 1 : -1;
	return strcmp(a->location, b->location);
}

/* Those worth a line; of these, where any are certain, the certain ones alone. */
static void choose(const struct perun_change_point *point, struct perun_candidates *candidates)
{
	size_t kept = 0;
	bool certain = false;

	for (size_t i = 0; i < candidates->count; i++) {
		struct perun_candidate candidate = candidates->items[i];

		if (fabs(perun_candidate_share(&candidate, point)) < MIN_SHARE)
			continue;
		certain |= candidate.p <= FALSE_DISCOVERIES;
		candidates->items[kept++] = candidate;
	}
	candidates->count = kept;
	kept = 0;
	for (size_t i = 0; i < candidates->count; i++) {
		if (!certain || candidates->items[i].p <= FALSE_DISCOVERIES)
			candidates->items[kept++] = candidates->items[i];
	}
	candidates->count = kept;
	if (kept)
		qsort(candidates->items, kept, sizeof *candidates->items, by_share);
}

/* ---- which of them are part of a total ------------------------------------------------------- */

static int compare_families(const struct perun_strand *a, const struct perun_strand *b)
{
	int order = strcmp(a->command, b->command);

	return order ? order : strcmp(a->metric, b->metric);
}

static int by_function(const void *one, const void *other)
{
	const struct perun_strand *const *a = one, *const *b = other;
	int order = compare_families(*a, *b);

	if (!order)
		order = strcmp(perun_leaf_of((*a)->location), perun_leaf_of((*b)->location));
	return order ? order : (*a > *b) - (*a < *b);
}

/* Sorted once, so that many changes do not look through all functions each. */
static void sort_parts(const struct perun_history *history)
{
	struct perun_recent *recent = history->recent;

	if (recent->parts)
		return;
	recent->parts = perun_alloc_zero(history->count + 1, sizeof *recent->parts);
	for (size_t s = 0; s < history->count; s++) {
		const struct perun_strand *strand = &history->strands[s].strand;

		if (!strand->inclusive && !(strand->stacks && strand->whole))
			recent->parts[recent->part_count++] = strand;
	}
	if (recent->part_count)
		qsort(recent->parts, recent->part_count, sizeof *recent->parts, by_function);
}

/* Whether a part comes before those of a total (less than 0), is one of them (0), or comes after. */
static int compare_part(const struct perun_strand *part, const struct perun_strand *total)
{
	int order = compare_families(part, total);

	return order || total->whole
		       ? order
		       : strcmp(perun_leaf_of(part->location), perun_leaf_of(total->location));
}

static size_t first_part(const struct perun_recent *recent, const struct perun_strand *total)
{
	size_t low = 0, high = recent->part_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_part(recent->parts[middle], total) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those of the history that explain the change, by their values alone. */
static int find_functions(struct perun_ctx *ctx, const struct perun_history *history,
			  const struct perun_strand *total, const struct perun_change_point *point,
			  size_t most, struct perun_candidates *candidates)
{
	struct around around = find_around(total, point);
	const struct perun_recent *recent = history->recent;
	struct function *functions;
	size_t first, end, count;
	int status = PERUN_OK;

	sort_parts(history);
	end = first = first_part(recent, total);
	while (end < recent->part_count && compare_part(recent->parts[end], total) == 0)
		end++;
	count = end - first;
	functions = perun_alloc_zero(count + 1, sizeof *functions);
	for (size_t i = 0; i < count; i++)
		functions[i] = read_function(&around, recent->parts[first + i]);
	count = unite(&around, functions, count);
	for (size_t i = 0; !status && i < count; i++) {
		if (fabs(perun_candidate_share(&functions[i].candidate, point)) >= MIN_SHARE)
			status = narrow(ctx, &around, &functions[i]);
	}
	test(&around, functions, count);
	candidates->items = perun_alloc_zero(count + 1, sizeof *candidates->items);
	candidates->count = count;
	for (size_t i = 0; i < count; i++) {
		candidates->items[i] = functions[i].candidate;
		candidates->items[i].struct_size = sizeof *candidates->items;
		perun_free(functions[i].values);
	}
	choose(point, candidates);
	candidates->count = candidates->count < most ? candidates->count : most;
	candidates->paths = perun_alloc_zero(candidates->count + 1, sizeof *candidates->paths);
	perun_free(functions);
	perun_free(around.versions);
	return status;
}

void perun_candidates_free(struct perun_candidates *candidates)
{
	if (!candidates)
		return;
	for (size_t i = 0; i < candidates->count; i++) {
		perun_free(candidates->paths[i]);
		perun_free((char *)candidates->items[i].model_before);
		perun_free((char *)candidates->items[i].model_after);
	}
	perun_candidates_free_stacks(candidates);
	perun_free(candidates->paths);
	perun_free(candidates->items);
	perun_free(candidates);
}

size_t perun_candidates_count(const struct perun_candidates *candidates)
{
	return candidates->count;
}

const struct perun_candidate *perun_candidates_at(const struct perun_candidates *candidates,
						  size_t i)
{
	return i < candidates->count ? &candidates->items[i] : NULL;
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

static void take_models(const struct perun_profile *profile, struct perun_candidates *candidates,
			bool after)
{
	struct growth *growths = perun_alloc_zero(candidates->count + 1, sizeof *growths);
	size_t count, *rows;

	perun_all_filtered_models(profile, PERUN_MODELS_ALL_PARAM, &rows, &count);
	for (size_t i = 0; i < count; i++) {
		struct perun_model model;

		perun_model_read(profile, rows[i], &model);
		for (size_t j = 0; j < candidates->count; j++) {
			if (strcmp(candidates->items[j].location, model.uid) == 0)
				take_model(&model, &growths[j]);
		}
		perun_model_clear(&model);
	}
	for (size_t j = 0; j < candidates->count; j++) {
		struct perun_candidate *candidate = &candidates->items[j];
		const char **kind = after ? &candidate->model_after : &candidate->model_before;

		if (!*kind && growths[j].kind)
			*kind = perun_strdup(kind_of(&growths[j]));
		perun_free(growths[j].kind);
	}
	perun_free(growths);
	perun_free(rows);
}

/* Whether the profile is of the command that the total is of, in any case of a sweep. */
static bool is_of(struct perun_import_names *names, const struct perun_profile *profile,
		  const struct perun_entry *entry, const struct perun_strand *total)
{
	const char *arguments = perun_profile_text(profile, "/header/args"), *workload;
	char *command = perun_format("%s%s%s", entry->cmd, *arguments ? " " : "", arguments);
	char *joined;
	size_t length;
	bool is;

	workload = perun_import_names_of(names, entry->type, entry->collector, command,
					 entry->workload);
	joined = perun_format("%s%s%s", command, *command && *workload ? " " : "", workload);
	length = strlen(joined);
	is = strncmp(joined, total->command, length) == 0 &&
	     (!total->command[length] || strncmp(total->command + length, " (", 2) == 0);
	perun_free(joined);
	perun_free(command);
	return is;
}

static int load_profile(struct perun_ctx *ctx, struct perun_store *store,
			struct perun_recent *recent, const char *checksum,
			struct perun_profile **profile)
{
	int status;

	for (size_t i = 0; i < PERUN_RECENT; i++) {
		if (recent->profiles[i].profile &&
		    strcmp(recent->profiles[i].checksum, checksum) == 0) {
			*profile = perun_profile_ref(recent->profiles[i].profile);
			return PERUN_OK;
		}
	}
	status = perun_store_load_measured(ctx, store, checksum, profile);
	if (status || perun_table_rows(perun_resources(*profile)) > PERUN_RECENT_ROWS)
		return status;
	perun_profile_unref(recent->profiles[PERUN_RECENT - 1].profile);
	memmove(recent->profiles + 1, recent->profiles,
		(PERUN_RECENT - 1) * sizeof *recent->profiles);
	(void)perun_snprintf(recent->profiles->checksum, sizeof recent->profiles->checksum, "%s",
			     checksum);
	recent->profiles->profile = perun_profile_ref(*profile);
	return PERUN_OK;
}

/* Whether a profile has nothing that explains a change but its values: that is remembered, for profiles take long to load. */
static bool is_plain(struct perun_recent *recent, const char *checksum)
{
	return perun_history_cache_has(recent->cache, PERUN_RECORD_PLAIN, checksum);
}

static void note_plain(struct perun_recent *recent, const char *checksum,
		       const struct perun_profile *profile)
{
	const struct perun_table *models = perun_profile_table(profile, "models");

	if (!(models && perun_table_rows(models)) &&
	    !perun_table_column(perun_resources(profile), "stack"))
		perun_history_cache_add(recent->cache, PERUN_RECORD_PLAIN, checksum, "", 0);
}

/* The profiles of a version, which are valid until the next call. */
static int load_entries(struct perun_ctx *ctx, struct perun_store *store,
			struct perun_recent *recent, const char *version,
			const struct perun_entries **entries)
{
	const size_t last = PERUN_RECENT - 1;
	int status;

	for (size_t i = 0; i < PERUN_RECENT && recent->versions[i].version; i++) {
		*entries = &recent->versions[i].entries;
		if (strcmp(recent->versions[i].version, version) == 0)
			return PERUN_OK;
	}
	perun_free(recent->versions[last].version);
	perun_entries_free(&recent->versions[last].entries);
	memmove(recent->versions + 1, recent->versions, last * sizeof *recent->versions);
	memset(recent->versions, 0, sizeof *recent->versions);
	*entries = &recent->versions->entries;
	status = perun_store_entries(ctx, store, version, &recent->versions->entries);
	recent->versions->version = perun_strdup(status ? "" : version);
	return status;
}

void perun_recent_free(struct perun_recent *recent)
{
	for (size_t i = 0; recent && i < PERUN_RECENT; i++) {
		perun_profile_unref(recent->profiles[i].profile);
		perun_free(recent->versions[i].version);
		perun_entries_free(&recent->versions[i].entries);
	}
	perun_history_cache_close(recent ? recent->cache : NULL);
	perun_free(recent ? recent->parts : NULL);
	perun_free(recent);
}

/* Note the best models in the profiles of a version, and what their stacks cost. */
static int take_profiles(struct perun_ctx *ctx, struct perun_store *store,
			 const struct perun_history *history, const struct perun_strand *total,
			 const char *version, bool after, struct perun_candidates *candidates)
{
	const struct perun_entries *entries = NULL;
	int status = load_entries(ctx, store, history->recent, version, &entries);

	if (!history->recent->cache)
		history->recent->cache = perun_history_cache_open(store);

	for (size_t i = 0; !status && i < entries->count; i++) {
		const struct perun_entry *entry = &entries->items[i];
		struct perun_profile *profile = NULL;

		if (strncmp(total->command, entry->cmd, strlen(entry->cmd)) == 0 &&
		    !is_plain(history->recent, entry->checksum))
			status = load_profile(ctx, store, history->recent, entry->checksum,
					      &profile);
		if (!status && profile)
			note_plain(history->recent, entry->checksum, profile);
		if (!status && profile && is_of(history->names, profile, entry, total)) {
			take_models(profile, candidates, after);
			status = perun_candidates_take_stacks(ctx, profile, total->metric, after,
							      candidates);
		}
		perun_profile_unref(profile);
	}
	return status;
}

int perun_candidates_find(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_history *history, const struct perun_strand *total,
			  const struct perun_change_point *point, size_t most,
			  struct perun_candidates **result)
{
	struct perun_candidates *candidates = perun_alloc_zero(1, sizeof *candidates);
	const char *const *versions = history->line->checksums;
	int status = find_functions(ctx, history, total, point, most, candidates);

	if (!status)
		status = take_profiles(ctx, store, history, total,
				       versions[perun_last_measured_before(total, point->index)],
				       false, candidates);
	if (!status)
		status = take_profiles(ctx, store, history, total, versions[point->index], true,
				       candidates);
	perun_candidates_choose_paths(candidates);
	*result = candidates;
	if (status) {
		perun_candidates_free(candidates);
		*result = NULL;
	}
	return status;
}
