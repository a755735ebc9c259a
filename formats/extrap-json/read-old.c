/* SPDX-License-Identifier: BSD-3-Clause */
/* The older JSON format: lists of things with ids, and measurements that name these. */
#include <stdlib.h>
#include <string.h>

#include "extrap-json.h"

/* A thing of a list. */
struct entry {
	int64_t id;
	perun_id made; /* stack, string or point; the number of a parameter */
	const struct perun_json *value;
};

struct list {
	struct perun_ctx *ctx;
	const char *name;
	struct entry *entries;
	size_t count;
};

static int compare_entries(const void *a, const void *b)
{
	int64_t x = ((const struct entry *)a)->id, y = ((const struct entry *)b)->id;

	return x < y ? -1 : x > y;
}

/* The entries sorted by their ids, each id once. */
static int read_list(struct list *list, const struct perun_json *parts)
{
	const struct perun_json *array = perun_json_get(parts, list->name);

	if (!array)
		return perun_fail(list->ctx, PERUN_INPUT, "there are no \"%s\" in it", list->name);
	list->count = perun_json_count(array);
	list->entries = perun_alloc_zero(list->count, sizeof *list->entries);
	for (size_t i = 0; i < list->count; i++) {
		list->entries[i].value = perun_json_at(array, i);
		if (!perun_json_as_int64(perun_json_get(list->entries[i].value, "id"),
					 &list->entries[i].id))
			return perun_fail(list->ctx, PERUN_INPUT,
					  "%s[%zu]: expected an object with a whole \"id\"",
					  list->name, i);
	}
	qsort(list->entries, list->count, sizeof *list->entries, compare_entries);
	for (size_t i = 1; i < list->count; i++)
		if (list->entries[i].id == list->entries[i - 1].id)
			return perun_fail(list->ctx, PERUN_INPUT, "%s: duplicate id %lld",
					  list->name, (long long)list->entries[i].id);
	return PERUN_OK;
}

static const struct entry *find_entry(const struct list *list, int64_t id)
{
	struct entry key = {.id = id};

	return list->count ? bsearch(&key, list->entries, list->count, sizeof key, compare_entries)
			   : NULL;
}

static const char *name_of(const struct list *list, size_t i, size_t *length)
{
	const char *name =
		perun_json_as_string(perun_json_get(list->entries[i].value, "name"), length);

	if (!name)
		perun_fail(list->ctx, PERUN_INPUT, "%s: id %lld has no \"name\"", list->name,
			   (long long)list->entries[i].id);
	return name;
}

struct old {
	struct perun_ctx *ctx;
	struct perun_builder *builder;
	struct list parameters, callpaths, metrics, coordinates;
};

static int name_things(struct old *old)
{
	size_t length;
	const char *name;

	for (size_t i = 0; i < old->parameters.count; i++) {
		name = name_of(&old->parameters, i, &length);
		if (!name)
			return PERUN_INPUT;
		old->parameters.entries[i].made = perun_builder_parameter(old->builder, name, NULL);
		if (old->parameters.entries[i].made != i)
			return perun_fail(old->ctx, PERUN_INPUT, "duplicate parameter %s", name);
	}
	for (size_t i = 0; i < old->callpaths.count; i++) {
		name = name_of(&old->callpaths, i, &length);
		if (!name)
			return PERUN_INPUT;
		old->callpaths.entries[i].made = perun_builder_callpath(old->builder, name, length);
	}
	for (size_t i = 0; i < old->metrics.count; i++) {
		name = name_of(&old->metrics, i, &length);
		if (!name)
			return PERUN_INPUT;
		old->metrics.entries[i].made = perun_builder_metric(old->builder, name, length);
	}
	return PERUN_OK;
}

static int read_coordinate(struct old *old, struct entry *entry, double *point, bool *given)
{
	const struct perun_json *pairs = perun_json_get(entry->value, "parameter_value_pairs");
	size_t n = old->parameters.count;

	memset(given, 0, n * sizeof *given);
	for (size_t i = 0; i < perun_json_count(pairs); i++) {
		const struct perun_json *pair = perun_json_pass(pairs, i, NULL);
		const struct entry *parameter = NULL;
		int64_t id;

		if (perun_json_as_int64(perun_json_get(pair, "parameter_id"), &id))
			parameter = find_entry(&old->parameters, id);
		if (!parameter || !perun_json_as_double(perun_json_get(pair, "parameter_value"),
							&point[parameter->made]))
			return perun_fail(
				old->ctx, PERUN_INPUT,
				"coordinates: id %lld: expected a \"parameter_id\" that is "
				"there and a \"parameter_value\"",
				(long long)entry->id);
		given[parameter->made] = true;
	}
	for (size_t i = 0; i < n; i++)
		if (!given[i])
			return perun_fail(old->ctx, PERUN_INPUT,
					  "coordinates: id %lld has no value of parameter id %lld",
					  (long long)entry->id,
					  (long long)old->parameters.entries[i].id);
	entry->made = perun_builder_point(old->builder, point, n);
	return PERUN_OK;
}

static int read_coordinates(struct old *old)
{
	double *point = perun_alloc_zero(old->parameters.count, sizeof *point);
	bool *given = perun_alloc_zero(old->parameters.count, sizeof *given);
	int status = PERUN_OK;

	for (size_t i = 0; i < old->coordinates.count && !status; i++)
		status = read_coordinate(old, &old->coordinates.entries[i], point, given);
	perun_free(point);
	perun_free(given);
	return status;
}

/* The thing that a measurement names; NULL after a failure. */
static const struct entry *named(const struct list *list, const struct perun_json *measurement,
				 const char *key, size_t at)
{
	const struct entry *entry = NULL;
	int64_t id;

	if (!perun_json_as_int64(perun_json_get(measurement, key), &id)) {
		perun_fail(list->ctx, PERUN_INPUT, "measurements[%zu]: expected a whole \"%s\"", at,
			   key);
		return NULL;
	}
	entry = find_entry(list, id);
	if (!entry)
		perun_fail(list->ctx, PERUN_INPUT,
			   "measurements[%zu]: \"%s\" is %lld, which none of the %s has", at, key,
			   (long long)id, list->name);
	return entry;
}

static int read_measurements(struct old *old, const struct perun_json *list,
			     const struct perun_experiment_rows *rows)
{
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *measurement = perun_json_pass(list, i, NULL);
		const struct entry *callpath =
			named(&old->callpaths, measurement, "callpath_id", i);
		const struct entry *metric =
			callpath ? named(&old->metrics, measurement, "metric_id", i) : NULL;
		const struct entry *point =
			metric ? named(&old->coordinates, measurement, "coordinate_id", i) : NULL;
		double value;

		if (!point)
			return PERUN_INPUT;
		if (!perun_json_as_double(perun_json_get(measurement, "value"), &value))
			return perun_fail(old->ctx, PERUN_INPUT,
					  "measurements[%zu]: expected a number for \"value\"", i);
		perun_experiment_add(rows, callpath->made, metric->made, point->made, &value, 1);
	}
	return PERUN_OK;
}

int extrapjson_read_old(struct perun_ctx *ctx, const struct perun_json *parts,
			struct perun_builder *builder, const struct perun_experiment_rows *rows)
{
	struct old old = {ctx,
			  builder,
			  {.ctx = ctx, .name = "parameters"},
			  {.ctx = ctx, .name = "callpaths"},
			  {.ctx = ctx, .name = "metrics"},
			  {.ctx = ctx, .name = "coordinates"}};
	struct list *lists[] = {&old.parameters, &old.callpaths, &old.metrics, &old.coordinates};
	const struct perun_json *measurements = perun_json_get(parts, "measurements");
	int status = PERUN_OK;

	for (size_t i = 0; i < 4 && !status; i++)
		status = read_list(lists[i], parts);
	if (!status && (!measurements || perun_json_count(measurements) == 0))
		status = perun_fail(ctx, PERUN_INPUT, "there are no \"measurements\" in it");
	if (!status)
		status = name_things(&old);
	if (!status)
		status = read_coordinates(&old);
	if (!status)
		status = read_measurements(&old, measurements, rows);
	for (size_t i = 0; i < 4; i++)
		perun_free(lists[i]->entries);
	return status;
}
