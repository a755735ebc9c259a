/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the inputs and the bases, and merging them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/lib/lookup.h>
#include <perun/lib/merge.h>

#include "rebuild.h"

/* ---- one input ------------------------------------------------------------------------------- */

static bool is_url(const char *text)
{
	return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of all types, sorted; the caller frees them. */
static const char **sorted_types(const struct pprof_type *types, size_t count)
{
	const char **names = perun_alloc_zero(count + 1, sizeof *names);

	for (size_t i = 0; i < count; i++)
		names[i] = types[i].type;
	qsort(names, count, sizeof *names, compare_texts);
	return names;
}

static bool is_repeated(const char *const *names, size_t count, const char *name)
{
	const char *const *found = bsearch(&name, names, count, sizeof *names, compare_texts);

	return found && ((found > names && strcmp(found[-1], name) == 0) ||
			 (found + 1 < names + count && strcmp(found[1], name) == 0));
}

/*
 * The columns of a profile that pprof would keep: types whose name appears twice are in no result, unless
 * it should be `all`. False: nothing is left out.
 */
static bool choose_columns(const struct pprof_type *types, size_t count, bool all,
			   struct pprof_rebuilding *what, const char *default_type)
{
	const char **names = sorted_types(types, count);

	what->columns = perun_alloc_zero(count + 1, sizeof *what->columns);
	what->column_count = 0;
	for (size_t i = 0; i < count; i++) {
		if (!all && is_repeated(names, count, types[i].type))
			continue;
		if (!what->column_count || strcmp(types[i].type, default_type) == 0)
			what->default_type = types[i].type;
		what->columns[what->column_count++] = types[i].values;
	}
	perun_free(names);
	if (what->column_count == count)
		what->default_type = NULL;
	return what->column_count < count;
}

/* Make what pprof makes of a profile when it has read it. */
static int adjust(struct perun_ctx *ctx, const struct pprof_settings *settings,
		  struct perun_profile **profile)
{
	struct pprof_rebuilding what = {.binary = settings->binary, .build_id = settings->build_id};
	struct perun_profile *rebuilt = NULL;
	struct pprof_facts facts;
	struct pprof_type *types;
	bool rebuild, change, converted = false;
	size_t count;
	int status = PERUN_OK;

	if (!pprof_read_types(*profile, &types, &count)) {
		pprof_free_types(types, count);
		status = pprof_convert(ctx, profile);
		converted = true;
		if (status)
			return status;
		pprof_read_types(*profile, &types, &count);
	}
	pprof_read_facts(*profile, &facts);
	what.profile = *profile;
	rebuild = choose_columns(types, count, converted, &what, facts.default_sample_type);
	change = pprof_changes_mappings(*profile, settings);
	if ((rebuild || change) && count && !what.column_count)
		status = perun_fail(ctx, PERUN_INPUT, "no sample type has a name of its own");
	/* Calls without stacks live in another table; their mapping shows nowhere. */
	else if (!perun_profile_table(*profile, "calls") && rebuild)
		status = pprof_rebuild(ctx, &what, &rebuilt);
	else if (!perun_profile_table(*profile, "calls") && change)
		status = pprof_change_mappings(ctx, &what, profile);
	if (rebuilt) {
		perun_profile_unref(*profile);
		*profile = rebuilt;
	}
	perun_free(what.columns);
	pprof_free_facts(&facts);
	pprof_free_types(types, count);
	return status;
}

/* A file, or a profile of the store by its tag or name where there is no such file. */
static int read_named(struct perun_ctx *ctx, const char *name, struct perun_profile **profile)
{
	struct perun_ctx *quiet;
	struct perun_lookup *lookup;
	struct stat info;
	int status;

	if (strcmp(name, "-") == 0 || strchr(name, '/') || stat(name, &info) == 0)
		return perun_read_profile_file(ctx, name, profile);
	quiet = perun_ctx_new(NULL);
	lookup = perun_lookup_new(NULL);
	status =
		perun_lookup_add(quiet, lookup, name, PERUN_PLACE_REGISTERED | PERUN_PLACE_PENDING);
	if (!status && perun_lookup_count(lookup) == 1)
		status = perun_lookup_load(ctx, lookup, perun_lookup_at(lookup, 0), profile);
	else if (!status)
		status = perun_fail(ctx, PERUN_USAGE, "%s: expected one profile, not %zu", name,
				    perun_lookup_count(lookup));
	else if (strchr(name, '@'))
		status = perun_fail(ctx, status, "%s", perun_ctx_error(quiet));
	else
		status = perun_read_profile_file(ctx, name, profile);
	perun_lookup_free(lookup);
	perun_ctx_free(quiet);
	return status;
}

static int read_one(struct perun_ctx *ctx, const struct pprof_settings *settings, const char *path,
		    struct perun_profile **profile)
{
	int status;

	*profile = NULL;
	if (is_url(path))
		return perun_fail(ctx, PERUN_USAGE,
				  "%s: not supported: reading from a URL; fetch the profile first, "
				  "for example with curl",
				  path);
	status = read_named(ctx, path, profile);
	if (status)
		return status;
	status = adjust(ctx, settings, profile);
	if (!status)
		status = pprof_symbolize(ctx, settings, profile);
	if (!status)
		return PERUN_OK;
	perun_profile_unref(*profile);
	*profile = NULL;
	return perun_fail(ctx, PERUN_OK, "%s", path);
}

/* ---- several --------------------------------------------------------------------------------- */

struct fetch {
	struct perun_ctx *ctx;
	const struct pprof_settings *settings;
	const struct pprof_texts *paths;
	bool *failed;                /* by path */
	struct perun_profile *first; /* as long as it is the only one */
	struct perun_merge_plan *plan;
	struct perun_merger *merger; /* NULL: the plan changed, the inputs must be read once more */
	size_t read;
};

static int add(struct fetch *fetch, const struct perun_profile *profile)
{
	struct perun_merge_input input = {.struct_size = sizeof input, .profile = profile};

	return perun_merger_add(fetch->ctx, fetch->merger, &input);
}

/* One more profile: the second makes it a merge. */
static int take(struct fetch *fetch, struct perun_profile *profile)
{
	int status = PERUN_OK;

	if (++fetch->read == 1) {
		fetch->first = perun_profile_ref(profile);
		return PERUN_OK;
	}
	if (fetch->first)
		status = perun_merge_plan_add(fetch->ctx, fetch->plan, fetch->first);
	if (!status)
		status = perun_merge_plan_add(fetch->ctx, fetch->plan, profile);
	if (status)
		return status;
	if (fetch->first) {
		fetch->merger = perun_merger_new(fetch->plan);
		status = add(fetch, fetch->first);
		perun_profile_unref(fetch->first);
		fetch->first = NULL;
	} else if (perun_merge_plan_changed(fetch->plan)) {
		perun_merger_free(fetch->merger);
		fetch->merger = NULL;
	}
	return status || !fetch->merger ? status : add(fetch, profile);
}

/* Small files are read side by side, this many at once; of large ones only one is in memory. */
enum { READ_AT_ONCE = 8, SMALL_FILE = 1 << 20 };

struct one_input {
	const char *path;
	struct perun_profile *profile;
	int status;
	char *problem;
};

struct some_inputs {
	struct one_input items[READ_AT_ONCE];
	size_t first, count; /* of the paths */
};

/* Some are read while those before them are merged. */
struct reading {
	struct fetch *fetch;
	struct some_inputs now, before;
};

static void read_input(struct perun_ctx *ctx, const struct fetch *fetch, struct one_input *input)
{
	input->status = read_one(ctx, fetch->settings, input->path, &input->profile);
	if (input->status)
		input->problem = perun_strdup(perun_ctx_error(ctx));
	perun_ctx_clear(ctx); /* the others are read all the same */
}

static bool is_small(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size < SMALL_FILE;
}

/* How many of the paths from `first` on are read at once. */
static size_t count_at_once(const struct pprof_texts *paths, size_t first)
{
	size_t count = 0;

	while (count < READ_AT_ONCE && first + count < paths->count &&
	       is_small(paths->items[first + count]))
		count++;
	return count ? count : 1;
}

static int take_or_warn(struct fetch *fetch, size_t place, struct one_input *input)
{
	int status = PERUN_OK;

	fetch->failed[place] = input->status != PERUN_OK;
	if (input->status == PERUN_CANCELLED || (input->status && fetch->paths->count == 1))
		return perun_fail(fetch->ctx, input->status, "%s", input->problem);
	if (input->status)
		perun_warn(fetch->ctx, "%s", input->problem);
	else
		status = take(fetch, input->profile);
	if (status)
		perun_fail(fetch->ctx, PERUN_OK, "cannot merge %s", input->path);
	return status;
}

static void drop_some(struct some_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		perun_profile_unref(inputs->items[i].profile);
		perun_free(inputs->items[i].problem);
	}
	inputs->count = 0;
}

static int take_some(struct fetch *fetch, struct some_inputs *inputs)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < inputs->count && !status; i++)
		status = take_or_warn(fetch, inputs->first + i, &inputs->items[i]);
	drop_some(inputs);
	return status;
}

/* The first of the work is to merge what was read before. */
static int read_or_merge(struct perun_ctx *ctx, size_t i, void *data)
{
	struct reading *reading = data;

	if (i > 0) {
		read_input(ctx, reading->fetch, &reading->now.items[i - 1]);
		return PERUN_OK;
	}
	reading->fetch->ctx = ctx;
	return take_some(reading->fetch, &reading->before);
}

static int read_all(struct fetch *fetch)
{
	const struct pprof_texts *paths = fetch->paths;
	struct perun_ctx *ctx = fetch->ctx;
	struct reading reading = {.fetch = fetch};
	int status = PERUN_OK;

	for (size_t first = 0; first < paths->count && !status; first += reading.now.count) {
		reading.now =
			(struct some_inputs){.first = first, .count = count_at_once(paths, first)};
		for (size_t i = 0; i < reading.now.count; i++)
			reading.now.items[i].path = paths->items[first + i];
		status = perun_parallel_for(ctx, reading.now.count + 1, read_or_merge, &reading);
		reading.before = reading.now;
		fetch->ctx = ctx;
	}
	/* After a failure only to let go of them. */
	if (status)
		drop_some(&reading.before);
	return status ? status : take_some(fetch, &reading.before);
}

/* Once more, with the plan that all inputs made. */
static int read_again(struct fetch *fetch)
{
	struct perun_profile *profile;
	int status = PERUN_OK;

	fetch->merger = perun_merger_new(fetch->plan);
	for (size_t i = 0; i < fetch->paths->count && !status; i++) {
		if (fetch->failed[i])
			continue;
		status = read_one(fetch->ctx, fetch->settings, fetch->paths->items[i], &profile);
		if (!status)
			status = add(fetch, profile);
		perun_profile_unref(profile);
	}
	return status;
}

static int fetch_paths(struct perun_ctx *ctx, const struct pprof_settings *settings,
		       const struct pprof_texts *paths, struct perun_profile **profile)
{
	struct fetch fetch = {.ctx = ctx, .settings = settings, .paths = paths};
	int status;

	*profile = NULL;
	fetch.failed = perun_alloc_zero(paths->count + 1, sizeof *fetch.failed);
	fetch.plan = perun_merge_plan_new(PERUN_MERGE_AS_PPROF);
	status = read_all(&fetch);
	if (!status && !fetch.read)
		status = perun_fail(ctx, PERUN_INPUT, "none of the %zu profiles can be read",
				    paths->count);
	if (!status && fetch.read < paths->count)
		perun_warn(ctx, "only %zu of %zu profiles can be read", fetch.read, paths->count);
	if (!status && !fetch.first && !fetch.merger)
		status = read_again(&fetch);
	if (!status && fetch.first) {
		*profile = fetch.first;
		fetch.first = NULL;
	} else if (!status) {
		status = perun_merger_finish(ctx, fetch.merger, profile);
		fetch.merger = NULL;
	}
	perun_profile_unref(fetch.first);
	perun_merger_free(fetch.merger);
	perun_merge_plan_free(fetch.plan);
	perun_free(fetch.failed);
	return status;
}

/* As paths are read, with the profiles that a word names in its place, by their checksums. */
static int fetch_group(struct perun_ctx *ctx, const struct pprof_settings *settings,
		       const struct pprof_texts *words, struct perun_profile **profile)
{
	struct perun_lookup *lookup = perun_lookup_new(NULL);
	struct pprof_texts paths = {0};
	int status = PERUN_OK;

	*profile = NULL;
	for (size_t i = 0; i < words->count && !status; i++) {
		size_t before = perun_lookup_count(lookup);

		if (!perun_lookup_is_range(words->items[i])) {
			pprof_add_text(&paths, words->items[i]);
			continue;
		}
		status = perun_lookup_add(ctx, lookup, words->items[i],
					  PERUN_PLACE_REGISTERED | PERUN_PLACE_PENDING);
		for (size_t j = before; j < perun_lookup_count(lookup); j++) {
			const struct perun_place *place = perun_lookup_at(lookup, j);

			pprof_add_text(&paths, place->path ? place->path : place->entry->checksum);
		}
	}
	if (!status)
		status = fetch_paths(ctx, settings, &paths, profile);
	perun_free(paths.items);
	perun_lookup_free(lookup);
	return status;
}

/* ---- the difference -------------------------------------------------------------------------- */

static bool same_types(const struct perun_profile *a, const struct perun_profile *b)
{
	struct pprof_type *left, *right;
	size_t left_count, right_count;
	bool same;

	pprof_read_types(a, &left, &left_count);
	pprof_read_types(b, &right, &right_count);
	same = left_count == right_count;
	for (size_t i = 0; i < left_count && same; i++)
		same = strcmp(left[i].type, right[i].type) == 0 &&
		       strcmp(left[i].unit, right[i].unit) == 0;
	pprof_free_types(left, left_count);
	pprof_free_types(right, right_count);
	return same;
}

static bool same_period_type(const struct perun_profile *a, const struct perun_profile *b)
{
	struct pprof_facts left, right;
	bool same;

	pprof_read_facts(a, &left);
	pprof_read_facts(b, &right);
	same = strcmp(left.period_type, right.period_type) == 0 &&
	       strcmp(left.period_unit, right.period_unit) == 0;
	pprof_free_facts(&left);
	pprof_free_facts(&right);
	return same;
}

/* What each value is multiplied by to reach the total of the base. */
static int normalize(struct perun_ctx *ctx, const struct perun_profile *profile,
		     const struct perun_profile *base, double **factors)
{
	size_t count = perun_merge_totals(profile, NULL, 0);
	int64_t *totals;

	*factors = NULL;
	if (!same_period_type(profile, base))
		return perun_fail(ctx, PERUN_INPUT,
				  "-normalize: the period types of profile and base differ");
	if (!same_types(profile, base) || perun_merge_totals(base, NULL, 0) != count)
		return perun_fail(ctx, PERUN_INPUT,
				  "-normalize: the sample types of profile and base differ");
	totals = perun_alloc_zero(2 * count + 1, sizeof *totals);
	*factors = perun_alloc_zero(count + 1, sizeof **factors);
	perun_merge_totals(profile, totals, count);
	perun_merge_totals(base, totals + count, count);
	for (size_t i = 0; i < count; i++) {
		if (totals[i])
			(*factors)[i] = (double)totals[count + i] / (double)totals[i];
	}
	perun_free(totals);
	return PERUN_OK;
}

/* Whether a report only adds samples up: nothing in it says which of them are the same. */
static bool adds_up(const struct pprof_settings *settings)
{
	int (*run)(struct pprof_report * report) = settings->command->run;

	return (run == pprof_report_top || run == pprof_report_tree) &&
	       settings->granularity != PPROF_ADDRESSES && !*settings->tag_root &&
	       !*settings->tag_leaf;
}

static int subtract(struct perun_ctx *ctx, const struct pprof_settings *settings,
		    const struct perun_profile *base, struct perun_profile **profile)
{
	struct perun_merge_input inputs[2] = {{.struct_size = sizeof *inputs, .profile = *profile},
					      {.struct_size = sizeof *inputs, .profile = base}};
	struct perun_profile *result = NULL;
	size_t count = perun_merge_totals(base, NULL, 0);
	double *negative = perun_alloc_zero(count + 1, sizeof *negative), *factors = NULL;
	unsigned flags = PERUN_MERGE_AS_PPROF | (adds_up(settings) ? PERUN_MERGE_NO_DEDUP : 0);
	int status = PERUN_OK;

	for (size_t i = 0; i < count; i++)
		negative[i] = -1;
	inputs[1].factors = negative;
	if (settings->difference) {
		inputs[1].label_key = "pprof::base";
		inputs[1].label_text = "true";
	}
	if (settings->normalize)
		status = normalize(ctx, *profile, base, &factors);
	inputs[0].factors = factors;
	if (!status)
		status = perun_merge(ctx, inputs, 2, flags, &result);
	perun_free(negative);
	perun_free(factors);
	if (!status) {
		perun_profile_unref(*profile);
		*profile = result;
	}
	return status;
}

/* The inputs and the bases, side by side. */
struct groups {
	const struct pprof_settings *settings;
	struct perun_profile *profiles[2];
};

static int fetch_one_group(struct perun_ctx *ctx, size_t i, void *data)
{
	struct groups *groups = data;

	return fetch_group(ctx, groups->settings,
			   i ? &groups->settings->bases : &groups->settings->inputs,
			   &groups->profiles[i]);
}

int pprof_fetch(struct perun_ctx *ctx, const struct pprof_settings *settings,
		struct perun_profile **profile)
{
	struct groups groups = {.settings = settings};
	size_t count = settings->bases.count ? 2 : 1;
	int status = perun_parallel_for(ctx, count, fetch_one_group, &groups);

	if (!status && groups.profiles[1])
		status = subtract(ctx, settings, groups.profiles[1], &groups.profiles[0]);
	perun_profile_unref(groups.profiles[1]);
	*profile = groups.profiles[0];
	if (status) {
		perun_profile_unref(*profile);
		*profile = NULL;
	}
	return status;
}
