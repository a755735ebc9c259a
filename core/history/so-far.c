/* SPDX-License-Identifier: BSD-3-Clause */
/* What the strands of a history show so far, and the history of the last versions alone, where that is enough. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/changepoint/last-step.h"
#include "core/context/hash.h"
#include "core/history/cache.h"
#include "core/history/history.h"
#include "core/history/so-far.h"
#include "core/history/values.h"
#include "core/history/verdict-key.h"
#include "core/store/store.h"

/* This many of the last versions may be newer than what is kept. */
enum { MAX_NEW = PERUN_LINE_NEWER };
/* Versions that are read at first: those that deviations are taken from, and some that strands are not measured at. */
#define WINDOW 56
/* By how much more is read where that is too few. */
#define WIDER 4

/* A strand as it lies in the cache. */
struct strand_so_far {
	uint64_t name, unit; /* hashes */
	struct changepoint_so_far values;
	struct history_wandering wandering;
	uint16_t noise; /* as the first profile says it */
	bool odd;       /* its values depend on others, so nothing but that is known */
	bool met;       /* while strands are compared with it */
};

struct so_far {
	size_t versions;
	struct strand_so_far *strands; /* by name; those that are new at the end */
	size_t count, capacity;
	size_t known; /* how many were kept */
	char *facts;  /* of the machine that classes are compared with */
};

/* ---- keys ------------------------------------------------------------------------------------- */

/* Those of the whole line, of all versions but the last one, and so on; "" = there is none. */
struct keys {
	char of[MAX_NEW + 1][PERUN_VERDICT_KEY_SIZE];
};

static bool make_keys(struct perun_ctx *ctx, struct perun_store *store,
		      struct perun_version_line *line, struct keys *keys)
{
	struct perun_hash start;
	struct stat info;

	*keys = (struct keys){0};
	if (!perun_verdict_key_start(&start) || fstat(store->directory, &info) != 0)
		return false;
	perun_verdict_key_add_text(&start, "so far");
	perun_hash_add(&start, &info.st_dev, sizeof info.st_dev);
	perun_hash_add(&start, &info.st_ino, sizeof info.st_ino);
	for (size_t newer = 0; newer <= MAX_NEW && newer <= line->count; newer++) {
		struct perun_hash hash = start;
		char digest[PERUN_VERDICT_KEY_SIZE];

		if (!perun_version_line_hash(ctx, store, line, newer, digest)) {
			perun_ctx_clear(ctx);
			return false;
		}
		perun_verdict_key_add_text(&hash, digest);
		perun_verdict_key_end(&hash, keys->of[newer]);
	}
	return true;
}

static uint64_t name_of(const struct perun_strand *strand)
{
	const char *const texts[] = {strand->command, strand->metric, strand->location,
				     strand->machine};
	uint64_t hash = 1;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		hash = perun_hash_bytes(texts[i], strlen(texts[i]), hash);
	return hash;
}

static uint64_t unit_of(const struct perun_strand *strand)
{
	return perun_hash_bytes(strand->unit, strlen(strand->unit), 1);
}

static int by_name(const void *one, const void *other)
{
	const struct strand_so_far *a = one, *b = other;

	return (a->name > b->name) - (a->name < b->name);
}

/* ---- keeping ---------------------------------------------------------------------------------- */

static void free_so_far(struct so_far *so_far)
{
	perun_free(so_far->strands);
	perun_free(so_far->facts);
}

static void keep(struct perun_history_cache *cache, const char *key, struct so_far *so_far)
{
	struct perun_buffer body = {0};

	if (so_far->count)
		qsort(so_far->strands, so_far->count, sizeof *so_far->strands, by_name);
	for (size_t i = 0; i < so_far->count; i++)
		so_far->strands[i].met = false;
	perun_bytes_add_text(&body, so_far->facts);
	perun_buffer_add(&body, so_far->strands, so_far->count * sizeof *so_far->strands);
	perun_history_cache_add(cache, PERUN_RECORD_SO_FAR, key, body.data, body.length);
	perun_buffer_free(&body);
}

static bool read_kept(struct perun_history_cache *cache, const char *key, struct so_far *so_far)
{
	struct perun_buffer body = {0};
	bool found = perun_history_cache_read(cache, PERUN_RECORD_SO_FAR, key, &body);
	struct perun_bytes bytes = perun_bytes_of(&body);
	const char *facts = perun_bytes_text(&bytes);
	size_t left = found && !bytes.bad ? (size_t)(bytes.end - bytes.at) : 0;

	found = found && !bytes.bad && left % sizeof *so_far->strands == 0;
	if (found) {
		so_far->facts = perun_strdup(facts);
		so_far->count = so_far->known = so_far->capacity = left / sizeof *so_far->strands;
		so_far->strands = perun_alloc_zero(so_far->count + 1, sizeof *so_far->strands);
		memcpy(so_far->strands, bytes.at, left);
	}
	perun_buffer_free(&body);
	return found;
}

/* Values of functions depend on those of others, and so do counts of samples. */
static bool is_odd(const struct perun_strand *strand)
{
	return strand->stacks || strand->noise == PERUN_NOISE_SAMPLED;
}

/* A strand without its values; all bytes of it are set. */
static void start_strand(struct strand_so_far *so_far, const struct perun_strand *strand)
{
	memset(so_far, 0, sizeof *so_far);
	so_far->name = name_of(strand);
	so_far->unit = unit_of(strand);
	so_far->noise = (uint16_t)strand->noise;
	so_far->odd = is_odd(strand);
	changepoint_so_far_start(&so_far->values, NULL);
}

static void fill_strand(struct strand_so_far *so_far, const struct perun_strand *strand)
{
	const struct perun_value_series series = perun_strand_series(strand);
	double last = NAN;

	start_strand(so_far, strand);
	if (!so_far->odd)
		changepoint_so_far_start(&so_far->values, &series);
	for (size_t i = 0; !so_far->odd && i < strand->count; i++) {
		if (isnan(strand->values[i]))
			continue;
		history_wandering_add(&so_far->wandering, last, strand->values[i]);
		last = strand->values[i];
	}
}

void history_keep_so_far(struct perun_ctx *ctx, struct perun_store *store,
			 struct perun_history *history)
{
	struct so_far so_far = {.versions = history->line->count};
	struct perun_history_cache *cache;
	struct keys keys;

	if (history->names || history->line->count < HISTORY_FEW ||
	    !make_keys(ctx, store, history->line, &keys))
		return;
	so_far.strands = perun_alloc_zero(history->count + 1, sizeof *so_far.strands);
	for (size_t s = 0; s < history->count; s++)
		fill_strand(&so_far.strands[so_far.count++], &history->strands[s].strand);
	so_far.facts = perun_strdup(history->facts ? history->facts : "");
	cache = perun_verdict_cache_open();
	keep(cache, keys.of[0], &so_far);
	perun_history_cache_close(cache);
	free_so_far(&so_far);
}

/* ---- one more version --------------------------------------------------------------------------- */

static struct strand_so_far *find_strand(const struct so_far *so_far,
					 const struct perun_strand *strand)
{
	const struct strand_so_far key = {.name = name_of(strand)};

	return so_far->known ? bsearch(&key, so_far->strands, so_far->known,
				       sizeof *so_far->strands, by_name)
			     : NULL;
}

static bool is_measured(const struct perun_strand *strand, size_t version)
{
	return version < strand->count && !isnan(strand->values[version]);
}

/* Add the values of a strand that are newer; false: it is another one than what is kept. */
static bool add_values(struct so_far *so_far, struct perun_strand *strand,
		       struct strand_so_far **result)
{
	struct strand_so_far *found = find_strand(so_far, strand);
	bool fresh = !found;

	if (fresh) {
		PERUN_GROW(so_far->strands, so_far->count, so_far->capacity);
		found = &so_far->strands[so_far->count++];
		start_strand(found, strand);
	} else if (found->met || found->unit != unit_of(strand) ||
		   found->noise != (uint16_t)strand->noise || found->odd != is_odd(strand)) {
		return false;
	}
	found->met = true;
	for (size_t i = 0; fresh && i < so_far->versions; i++) {
		if (is_measured(strand, i))
			return false;
	}
	for (size_t i = so_far->versions; i < strand->count; i++) {
		const double value = strand->values[i];

		if (isnan(value))
			continue;
		history_wandering_add(&found->wandering, found->values.last[0], value);
		changepoint_so_far_add(&found->values, value, strand->repeats + strand->starts[i],
				       strand->starts[i + 1] - strand->starts[i]);
	}
	*result = found;
	return true;
}

/* What the last versions say of the last one. */
enum outcome { SERVES, WANTS_MORE, WANTS_ALL };

/* Whether all values of a strand, which are these, end in a change. */
static bool ends_in_change(struct perun_ctx *ctx, const struct perun_strand *strand, size_t last)
{
	const struct perun_change_options options = {.struct_size = sizeof options};
	struct perun_value_series series = perun_strand_series(strand);
	struct perun_segmentation changes;
	bool ends = perun_find_changes(ctx, &series, &options, &changes) != PERUN_OK;

	for (size_t i = 0; i < changes.count; i++)
		ends |= changes.points[i].index == last;
	perun_segmentation_free(&changes);
	return ends;
}

/* Whether a strand may change at the last version, which it is measured at. */
static bool may_change(struct perun_ctx *ctx, const struct perun_strand *strand,
		       struct strand_so_far *so_far, bool complete)
{
	const struct perun_value_series series = perun_strand_series(strand);
	size_t last = strand->count - 1, before = perun_last_measured_before(strand, last);
	bool exact = strand->noise == PERUN_NOISE_EXACT;

	if (so_far->values.count < 2)
		return false;
	if (!exact && history_may_be_certain(strand, before, last))
		return true;
	if (!changepoint_may_end_in_step(&so_far->values, exact))
		return false;
	if (!complete)
		return true;
	changepoint_so_far_start(&so_far->values, &series);
	return changepoint_may_end_in_step(&so_far->values, exact) &&
	       ends_in_change(ctx, strand, last);
}

static enum outcome judge_strand(struct perun_ctx *ctx, struct so_far *so_far,
				 struct perun_strand_builder *builder)
{
	struct perun_strand *strand = &builder->strand;
	struct strand_so_far *found;
	size_t last = strand->count - 1, before = 0;
	bool complete;

	strand->changes = &builder->changes;
	if (!add_values(so_far, strand, &found))
		return WANTS_ALL;
	if (!is_measured(strand, last))
		return SERVES;
	if (found->odd || found->values.count != found->wandering.measured)
		return WANTS_ALL;
	for (size_t i = 0; i < last; i++)
		before += is_measured(strand, i);
	complete = before + 1 == found->values.count;
	if (!complete && before < VERSIONS_BEFORE)
		return WANTS_MORE;
	/* As perun_history_find_changes() does. */
	if (strand->noise == PERUN_NOISE_EXACT && history_wanders(&found->wandering))
		strand->noise = PERUN_NOISE_TIMED;
	return may_change(ctx, strand, found, complete) ? WANTS_ALL : SERVES;
}

static enum outcome judge(struct perun_ctx *ctx, struct so_far *so_far,
			  struct perun_history *history)
{
	enum outcome outcome = SERVES;

	if (history->unclear || strcmp(history->facts ? history->facts : "", so_far->facts) != 0)
		return WANTS_ALL;
	for (size_t s = 0; s < history->count && outcome != WANTS_ALL; s++) {
		enum outcome one = judge_strand(ctx, so_far, &history->strands[s]);

		outcome = one > outcome ? one : outcome;
	}
	return outcome;
}

/* What is kept of the most versions. */
static bool find_kept(struct perun_history_cache *cache, const struct keys *keys, size_t versions,
		      struct so_far *so_far)
{
	for (size_t newer = 0; newer <= MAX_NEW && newer < versions; newer++) {
		so_far->versions = versions - newer;
		if (perun_history_cache_has(cache, PERUN_RECORD_SO_FAR, keys->of[newer]))
			return read_kept(cache, keys->of[newer], so_far);
	}
	return false;
}

/* Read the last `window` versions; the line comes back where these do not serve. */
static int try_last(struct perun_ctx *ctx, struct perun_store *store,
		    const struct perun_history_options *options, size_t window,
		    const struct so_far *kept, struct perun_version_line **line,
		    struct so_far *so_far, struct perun_history **history, enum outcome *outcome)
{
	size_t first = (*line)->count > window ? (*line)->count - window : 0;
	int status;

	*so_far = *kept;
	so_far->strands = perun_alloc_zero(kept->count + 1, sizeof *so_far->strands);
	memcpy(so_far->strands, kept->strands, kept->count * sizeof *so_far->strands);
	so_far->facts = perun_strdup(kept->facts);
	status =
		perun_history_load_last(ctx, store, options, *line, first, kept->versions, history);
	*line = NULL;
	if (status)
		return status;
	*outcome = judge(ctx, so_far, *history);
	if (*outcome == SERVES)
		return PERUN_OK;
	*line = (*history)->line;
	(*history)->line = NULL;
	perun_history_free(*history);
	*history = NULL;
	return PERUN_OK;
}

int history_load_last(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_history_options *options, struct perun_version_line **line,
		      struct perun_history **history)
{
	struct perun_history_cache *cache;
	enum outcome outcome = WANTS_MORE;
	struct so_far kept = {0};
	struct keys keys;
	size_t versions;
	int status = PERUN_OK;

	*history = NULL;
	perun_version_line_keep_measured(ctx, store, *line);
	versions = (*line)->count;
	if (versions < HISTORY_FEW || !make_keys(ctx, store, *line, &keys))
		return PERUN_OK;
	cache = perun_verdict_cache_open();
	if (!find_kept(cache, &keys, versions, &kept))
		outcome = WANTS_ALL;
	for (size_t window = WINDOW; !status && outcome == WANTS_MORE; window *= WIDER) {
		struct so_far so_far;

		/* More than half are hardly read sooner than all. */
		if (window > WINDOW && 2 * window > versions)
			break;
		status = try_last(ctx, store, options, window, &kept, line, &so_far, history,
				  &outcome);
		if (!status && outcome == SERVES && kept.versions < versions)
			keep(cache, keys.of[0], &so_far);
		free_so_far(&so_far);
	}
	perun_history_cache_close(cache);
	free_so_far(&kept);
	return status;
}
