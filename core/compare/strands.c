/* SPDX-License-Identifier: BSD-3-Clause */
/* The strands of two versions from their profiles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/statistics.h>
#include <perun/lib/units.h>

#include "core/compare/compare.h"
#include "core/history/history.h"
#include "core/history/values.h"
#include "core/profile/pool.h"

struct gathering {
	struct perun_comparisons *all;
	const struct perun_compare_options *options;
	struct perun_pool *keys, *metrics; /* the numbers of strands and of metrics */
	struct perun_buffer key;
	int side;
	size_t profile, profiles; /* of the side */
};

/* A metric of the profile at hand. */
struct place {
	const struct perun_metric_head *head;
	const struct perun_metric *metric;
	bool stacks, recorded;
};

static struct compare_strand *find_strand(struct gathering *gathering, const struct place *place,
					  const struct perun_value_group *group)
{
	struct perun_comparisons *all = gathering->all;
	struct compare_strand *strand;
	bool inclusive = group->flags & PERUN_GROUP_INCLUSIVE;
	perun_id id;

	perun_buffer_clear(&gathering->key);
	perun_bytes_add_text(&gathering->key, place->head->name);
	perun_bytes_add_text(&gathering->key, group->location);
	perun_bytes_add_text(&gathering->key, group->text);
	perun_bytes_add_number(&gathering->key,
			       group->flags & (PERUN_GROUP_INCLUSIVE | PERUN_GROUP_TOTAL));
	id = perun_pool_add(&gathering->keys, gathering->key.data, gathering->key.length);
	if (id < all->count)
		return &all->strands[id];
	PERUN_GROW(all->strands, all->count, all->capacity);
	strand = &all->strands[all->count++];
	*strand = (struct compare_strand){
		.found = {.struct_size = sizeof strand->found,
			  .result = PERUN_RESULT_NO_CHANGE,
			  .noise = place->head->noise,
			  .metric = compare_keep(all, perun_strdup(place->head->name)),
			  .unit = compare_keep(all, perun_strdup(place->head->unit)),
			  .location = compare_keep(all, perun_strdup(group->location)),
			  .workload = compare_keep(all, perun_strdup(group->text)),
			  .inclusive = inclusive,
			  .low = NAN,
			  .high = NAN,
			  .p = NAN,
			  .explanation = ""},
		.metric = perun_pool_add(&gathering->metrics, place->head->name,
					 strlen(place->head->name) + 1),
		.number = id,
		.sample = place->head->sample,
		.stacks = place->stacks,
		.whole = group->flags & PERUN_GROUP_TOTAL};
	return strand;
}

/* What is better: what profiles say, what the user says, what the store or the name says; costs of stacks are. */
static void set_direction(struct compare_strand *strand, const struct place *place,
			  const struct perun_compare_options *options)
{
	const struct perun_metric *metric = place->metric;
	enum perun_direction direction = place->head->better;

	if (strand->says)
		return;
	if (direction == PERUN_BETTER_UNKNOWN)
		direction = options->better;
	if (direction == PERUN_BETTER_UNKNOWN && metric)
		direction = metric->kept;
	if (direction == PERUN_BETTER_UNKNOWN && place->stacks)
		direction = PERUN_BETTER_LOWER;
	strand->says = direction != PERUN_BETTER_UNKNOWN;
	strand->higher = direction == PERUN_BETTER_HIGHER;
}

static void note_units(struct perun_comparisons *all, const struct compare_strand *strand,
		       const char *unit)
{
	compare_note(all, perun_format("not compared: %s is in '%s' on one side and in '%s' on the "
				       "other: these do not convert",
				       strand->found.metric, strand->found.unit, unit));
}

static void add_values(struct gathering *gathering, struct compare_strand *strand,
		       const struct perun_value_group *group, double factor)
{
	struct compare_side *side = &strand->sides[gathering->side];
	double *to;

	/* Mostly of one profile, whose values are all there are. */
	if (side->count + group->count > side->capacity) {
		side->capacity = side->count ? 2 * (side->count + group->count) : group->count;
		side->values =
			perun_realloc_array(side->values, side->capacity, sizeof *side->values);
	}
	to = side->values + side->count;
	memcpy(to, group->repeats, group->count * sizeof *to);
	for (uint32_t i = 0; factor != 1 && i < group->count; i++)
		to[i] *= factor;
	side->count += group->count;
	if (!side->profiles) {
		side->profiles = perun_alloc(gathering->profiles * sizeof *side->profiles);
		for (size_t i = 0; i < gathering->profiles; i++)
			side->profiles[i] = NAN;
	}
	if (group->count)
		side->profiles[gathering->profile] =
			factor == 1 ? group->median : perun_median(to, group->count);
}

/* Benchmarks that failed in the second version. */
static void note_failed(struct gathering *gathering, const struct perun_profile *profile)
{
	struct perun_comparisons *all = gathering->all;
	const struct perun_json *failed = perun_json_get(perun_profile_document(profile), "failed");
	struct perun_json *patterns = perun_failure_patterns(failed);

	for (size_t i = 0; failed && i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		const char *why = perun_failure_of(failed, patterns, strand->found.location);

		if (why)
			strand->failed = compare_keep(all, perun_strdup(why));
	}
	perun_json_free(patterns);
}

static void take_group(struct gathering *gathering, const struct place *place,
		       const struct perun_value_group *group)
{
	struct compare_strand *strand;
	struct compare_side *side;
	double factor;

	/* Sums over benchmarks are nobody's; the whole of a profile of stacks, or of a run, is the program's. */
	if ((group->flags & PERUN_GROUP_TOTAL && !place->stacks && !place->recorded) ||
	    group->flags & PERUN_GROUP_AGAIN || !group->count)
		return;
	strand = find_strand(gathering, place, group);
	factor = (double)perun_unit_factor(place->head->unit, strand->found.unit);
	if (factor == 0) {
		strand->apart = true;
		note_units(gathering->all, strand, place->head->unit);
		return;
	}
	set_direction(strand, place, gathering->options);
	add_values(gathering, strand, group, factor);
	side = &strand->sides[gathering->side];
	side->deviation = fmax(side->deviation, group->deviation);
}

static bool is_of_run(const struct perun_profile *profile)
{
	return strcmp(perun_profile_text(profile, "/header/recorded"), "run") == 0;
}

static int gather_profile(struct perun_ctx *ctx, struct gathering *gathering,
			  struct perun_profile *profile)
{
	struct perun_buffer body = {0};
	struct perun_profile_head head;
	struct perun_bytes bytes;
	int status = perun_values_of_compared(
		ctx, profile, PERUN_VALUES_FUNCTIONS | PERUN_VALUES_INCLUSIVE, &body, &bytes);

	gathering->all->recorded &= is_of_run(profile);
	gathering->all->loads[gathering->side] =
		fmax(gathering->all->loads[gathering->side], perun_load_of(profile));
	if (!status && gathering->side == AFTER)
		note_failed(gathering, profile);
	if (!status)
		perun_profile_head_read(&bytes, &head);
	for (uint32_t m = 0; !status && m < head.metrics && !bytes.bad; m++) {
		struct perun_metric_head metric;
		struct place place = {.head = &metric,
				      .stacks = perun_has_stacks(perun_resources(profile)),
				      .recorded = is_of_run(profile)};

		perun_metric_head_read(&bytes, &metric);
		place.metric = perun_metric(profile, metric.name);
		for (uint32_t g = 0; !status && g < metric.groups && !bytes.bad; g++) {
			struct perun_value_group group;

			if (g % 4096 == 0 && perun_cancelled(ctx))
				status = PERUN_CANCELLED;
			perun_value_group_read(&bytes, &group);
			if (!bytes.bad)
				take_group(gathering, &place, &group);
		}
	}
	perun_buffer_free(&body);
	return status;
}

/* What the first version lacks, from the last one before it that has it. */
static void take_earlier(const struct perun_comparison *comparison, struct perun_comparisons *all,
			 struct compare_strand *strand)
{
	const struct perun_compared *found = &strand->found;
	struct compare_side *side = &strand->sides[BEFORE];
	struct perun_earlier_values values;
	double factor;

	if (strand->stacks || strand->whole || compare_has(strand, BEFORE) ||
	    !comparison->earlier(comparison->deviation_data, found->metric, found->location,
				 found->workload, &values))
		return;
	factor = (double)perun_unit_factor(values.unit, found->unit);
	if (factor == 0)
		return;
	for (size_t i = 0; i < values.count; i++) {
		PERUN_GROW(side->values, side->count, side->capacity);
		side->values[side->count++] = values.repeats[i] * factor;
	}
	side->deviation = values.deviation;
	strand->found.baseline = compare_keep(all, perun_strdup(values.version));
}

/* Where a version has several profiles they all count, but for pairs, whose values lie side by side. */
static void choose_profiles(const struct perun_comparison *comparison, bool paired, int side,
			    struct perun_profile *const **profiles, size_t *count)
{
	*profiles = side == BEFORE ? comparison->baseline_sessions : comparison->target_sessions;
	*count = side == BEFORE ? comparison->baseline_session_count
				: comparison->target_session_count;
	if (*count >= 2 && !paired)
		return;
	*profiles = side == BEFORE ? comparison->baselines : comparison->targets;
	*count = side == BEFORE ? comparison->baseline_count : comparison->target_count;
}

/* Strands of a metric follow each other, in the order in which the profiles have them. */
static int compare_strands(const void *one, const void *other)
{
	const struct compare_strand *a = one, *b = other;

	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

int compare_gather(struct perun_ctx *ctx, const struct perun_comparison *comparison,
		   const struct perun_compare_options *options, struct perun_comparisons *all)
{
	struct gathering gathering = {.all = all,
				      .options = options,
				      .keys = perun_pool_new(false),
				      .metrics = perun_pool_new(false)};
	int status = PERUN_OK;

	all->recorded = true;
	for (int side = 0; !status && side < SIDES; side++) {
		struct perun_profile *const *profiles;
		size_t count;

		choose_profiles(comparison, options->verdict->paired, side, &profiles, &count);
		gathering.side = side;
		gathering.profiles = all->profiles[side] = count;
		for (size_t i = 0; !status && i < count; i++) {
			gathering.profile = i;
			status = gather_profile(ctx, &gathering, profiles[i]);
		}
	}
	perun_pool_unref(gathering.keys);
	perun_pool_unref(gathering.metrics);
	perun_buffer_free(&gathering.key);
	for (size_t i = 0; !status && comparison->earlier && i < all->count; i++)
		take_earlier(comparison, all, &all->strands[i]);
	if (all->count)
		qsort(all->strands, all->count, sizeof *all->strands, compare_strands);
	return status;
}
