/* SPDX-License-Identifier: BSD-3-Clause */
/* What a merged profile will have: the metrics of all inputs, in the finest units. */
#include <string.h>

#include <perun/lib/units.h>

#include "core/merge/merge.h"

struct perun_merge_plan *perun_merge_plan_new(unsigned flags)
{
	struct perun_merge_plan *plan = perun_alloc_zero(1, sizeof *plan);

	plan->flags = flags;
	return plan;
}

static void free_type(struct perun_planned_type *type)
{
	perun_free(type->column);
	perun_free(type->type);
	perun_free(type->unit);
}

void perun_merge_plan_free(struct perun_merge_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->count; i++)
		free_type(&plan->types[i]);
	perun_free(plan->types);
	perun_free(plan->period_type);
	perun_free(plan->period_unit);
	perun_free(plan);
}

struct perun_merge_plan *perun_merge_plan_copy(const struct perun_merge_plan *plan)
{
	struct perun_merge_plan *copy = perun_memdup(plan, sizeof *plan);

	copy->types = perun_alloc_zero(plan->count + 1, sizeof *copy->types);
	for (size_t i = 0; i < plan->count; i++) {
		copy->types[i].column = perun_strdup(plan->types[i].column);
		copy->types[i].type = perun_strdup(plan->types[i].type);
		copy->types[i].unit = perun_strdup(plan->types[i].unit);
		copy->types[i].real = plan->types[i].real;
	}
	copy->period_type = perun_strdup(plan->period_type);
	copy->period_unit = perun_strdup(plan->period_unit);
	return copy;
}

bool perun_merge_plan_changed(const struct perun_merge_plan *plan)
{
	return plan->changed;
}

static int64_t number_of(const struct perun_json *object, const char *key, int64_t otherwise)
{
	int64_t number = otherwise;

	perun_json_as_int64(perun_json_get(object, key), &number);
	return number;
}

/* How many types there are of each name. */
static struct perun_json *count_types(const struct perun_merge_types *types)
{
	struct perun_json *counts = perun_json_object();

	for (size_t i = 0; i < types->count; i++) {
		const char *type = types->items[i].type;

		perun_json_set(counts, type, perun_json_int64(number_of(counts, type, 0) + 1));
	}
	return counts;
}

const struct perun_merge_type **perun_planned_in(const struct perun_merge_plan *plan,
						 const struct perun_merge_types *types)
{
	const struct perun_merge_type **found = perun_alloc_zero(plan->count + 1, sizeof *found);
	struct perun_json *first = perun_json_object(); /* of those of a name that are left */
	int64_t *next = perun_alloc_zero(types->count + 1, sizeof *next);

	for (size_t k = types->count; k-- > 0;) {
		next[k] = number_of(first, types->items[k].type, -1);
		perun_json_set(first, types->items[k].type, perun_json_int64((int64_t)k));
	}
	for (size_t i = 0; i < plan->count; i++) {
		int64_t k = number_of(first, plan->types[i].type, -1);

		if (k < 0)
			continue;
		found[i] = &types->items[k];
		perun_json_set(first, plan->types[i].type, perun_json_int64(next[k]));
	}
	perun_json_free(first);
	perun_free(next);
	return found;
}

/* ---- the metrics ----------------------------------------------------------------------------- */

static void plan_first(struct perun_merge_plan *plan, const struct perun_merge_types *types)
{
	struct perun_json *counts = count_types(types);

	plan->types = perun_alloc_zero(types->count + 1, sizeof *plan->types);
	for (size_t i = 0; i < types->count; i++) {
		const struct perun_merge_type *type = &types->items[i];

		if ((plan->flags & PERUN_MERGE_AS_PPROF) && number_of(counts, type->type, 0) > 1)
			continue;
		plan->types[plan->count++] =
			(struct perun_planned_type){.column = perun_strdup(type->name),
						    .type = perun_strdup(type->type),
						    .unit = perun_strdup(type->unit),
						    .real = type->real};
	}
	perun_json_free(counts);
}

/* Leave out what the input does not have. */
static void plan_common(struct perun_merge_plan *plan, const struct perun_merge_types *types)
{
	const struct perun_merge_type **there = perun_planned_in(plan, types);
	struct perun_json *counts = count_types(types);
	size_t kept = 0;

	for (size_t i = 0; i < plan->count; i++) {
		bool doubtful = (plan->flags & PERUN_MERGE_AS_PPROF) &&
				number_of(counts, plan->types[i].type, 0) > 1;

		if (there[i] && !doubtful)
			plan->types[kept++] = plan->types[i];
		else
			free_type(&plan->types[i]);
	}
	plan->changed |= kept != plan->count;
	plan->count = kept;
	perun_json_free(counts);
	perun_free(there);
}

/* The finer of two units, which must fit. */
static int finer(struct perun_ctx *ctx, char **unit, const char *other, const char *what,
		 bool *changed)
{
	if (!perun_units_fit(*unit, other))
		return perun_fail(ctx, PERUN_INPUT,
				  "the inputs have %s in the units '%s' and '%s', which cannot be "
				  "turned into each other",
				  what, *unit, other);
	if (perun_unit_ratio(other, *unit) < 1) {
		perun_free(*unit);
		*unit = perun_strdup(other);
		*changed = true;
	}
	return PERUN_OK;
}

/* Two names of one unit: folded stacks say nothing where pprof says "count". */
static bool same_unit(const struct perun_merge_plan *plan, const char *one, const char *other)
{
	return !(plan->flags & PERUN_MERGE_AS_PPROF) && perun_unit_factor(one, other) == 1;
}

static int plan_types(struct perun_ctx *ctx, struct perun_merge_plan *plan,
		      const struct perun_merge_types *types)
{
	const struct perun_merge_type **there;
	int status = PERUN_OK;

	if (plan->inputs == 0)
		plan_first(plan, types);
	else
		plan_common(plan, types);
	if (!plan->count)
		return perun_fail(ctx, PERUN_INPUT,
				  plan->inputs ? "the inputs have no metric in common"
					       : "the profile has no metric");
	there = perun_planned_in(plan, types);
	for (size_t i = 0; i < plan->count && !status; i++) {
		const struct perun_merge_type *type = there[i];
		struct perun_planned_type *planned = &plan->types[i];

		if (!same_unit(plan, planned->unit, type->unit))
			status = finer(ctx, &planned->unit, type->unit, planned->type,
				       &plan->changed);
		plan->changed |= type->real && !planned->real;
		planned->real |= type->real;
	}
	perun_free(there);
	return status;
}

/* ---- the period ------------------------------------------------------------------------------ */

static int plan_period(struct perun_ctx *ctx, struct perun_merge_plan *plan,
		       const struct perun_profile *profile)
{
	const char *type = perun_profile_text(profile, "/header/period_type/type");
	const char *unit = perun_profile_text(profile, "/header/period_type/unit");
	bool as_pprof = plan->flags & PERUN_MERGE_AS_PPROF;

	if (plan->inputs == 0 || (!as_pprof && !*plan->period_type && !*plan->period_unit)) {
		perun_free(plan->period_type);
		perun_free(plan->period_unit);
		plan->period_type = perun_strdup(type);
		plan->period_unit = perun_strdup(unit);
		return PERUN_OK;
	}
	if (!as_pprof && !*type && !*unit)
		return PERUN_OK;
	if (strcmp(plan->period_type, type) == 0 && perun_units_fit(plan->period_unit, unit))
		return finer(ctx, &plan->period_unit, unit, "the period", &plan->changed);
	if (!as_pprof) {
		plan->no_period = true; /* the header is combined at the end */
		return PERUN_OK;
	}
	return perun_fail(ctx, PERUN_INPUT,
			  "the inputs have incompatible period types: '%s' in '%s' and '%s' in "
			  "'%s'",
			  plan->period_type, plan->period_unit, type, unit);
}

/* Calls without stacks, as callgrind has them, are in a table of their own. */
static void note_calls(struct perun_ctx *ctx, struct perun_merge_plan *plan,
		       const struct perun_profile *profile)
{
	const struct perun_table *calls = perun_profile_table(profile, "calls");

	if (plan->no_calls || !calls || perun_table_rows(calls) == 0)
		return;
	perun_note(ctx, "calls without stacks are not merged: the total of a function is what it "
			"costs itself");
	plan->no_calls = true;
}

int perun_merge_plan_add(struct perun_ctx *ctx, struct perun_merge_plan *plan,
			 const struct perun_profile *profile)
{
	struct perun_merge_types types;
	int status;

	plan->changed = false;
	perun_merge_types_of(profile, &types);
	status = plan_types(ctx, plan, &types);
	if (!status)
		status = plan_period(ctx, plan, profile);
	if (!status)
		note_calls(ctx, plan, profile);
	if (plan->inputs++ == 0)
		plan->changed = false;
	perun_merge_types_free(&types);
	return status;
}
