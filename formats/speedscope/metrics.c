/* SPDX-License-Identifier: BSD-3-Clause */
/* Which profiles of a file are metrics of their own, and how many have a name or a unit in common. */
#include <string.h>

#include <perun/lib/units.h>

#include "speedscope.h"

/* Units that convert into each other have the same text here, and no other ones have it. */
static void add_family(struct perun_buffer *out, const char *unit, size_t length)
{
	static const char *const kinds[] = {
		[PERUN_UNIT_COUNT] = "\1count",
		[PERUN_UNIT_TIME] = "\1time",
		[PERUN_UNIT_BYTES] = "\1bytes",
	};
	char *name = perun_strndup(unit, length);
	enum perun_unit_kind kind = perun_unit_of(name).kind;

	perun_buffer_add_text(out, kind == PERUN_UNIT_OTHER ? name : kinds[kind]);
	perun_free(name);
}

static void print_family(struct perun_buffer *out, const char *unit)
{
	const char *slash = strrchr(unit, '/');

	perun_buffer_clear(out);
	add_family(out, unit, slash ? (size_t)(slash - unit) : strlen(unit));
	if (slash) {
		perun_buffer_add_text(out, "/");
		add_family(out, slash + 1, strlen(slash + 1));
	}
}

const char *speedscope_unit(const struct speedscope_profile *profile)
{
	return profile->unit && strcmp(profile->unit, "none") != 0 ? profile->unit : "";
}

static void count(struct perun_json *counts, const char *key)
{
	int64_t number = 0;

	perun_json_as_int64(perun_json_get(counts, key), &number);
	perun_json_set(counts, key, perun_json_int64(number + 1));
}

static bool is_only(const struct perun_json *counts, const char *key)
{
	int64_t number = 0;

	return perun_json_as_int64(perun_json_get(counts, key), &number) && number == 1;
}

void speedscope_metrics_begin(struct speedscope_metrics *metrics,
			      const struct speedscope_file *file)
{
	*metrics = (struct speedscope_metrics){.file = file,
					       .names = perun_json_object(),
					       .families = perun_json_object(),
					       .columns = perun_json_object(),
					       .numbers = perun_json_object()};
	for (size_t i = 0; i < file->profile_count; i++) {
		const struct speedscope_profile *profile = &file->profiles[i];

		print_family(&metrics->text, speedscope_unit(profile));
		count(metrics->families, metrics->text.data);
		if (profile->name)
			count(metrics->names, profile->name);
	}
}

void speedscope_metrics_free(struct speedscope_metrics *metrics)
{
	perun_json_free(metrics->names);
	perun_json_free(metrics->families);
	perun_json_free(metrics->columns);
	perun_json_free(metrics->numbers);
	perun_buffer_free(&metrics->text);
}

static bool is_name_taken(const char *name)
{
	static const char *const taken[] = {"",     "stack", "labels",  "amount", "metric",
					    "type", "start", "subtype", "end"};

	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		if (strcmp(name, taken[i]) == 0)
			return true;
	return false;
}

bool speedscope_has_own_name(const struct speedscope_metrics *metrics,
			     const struct speedscope_profile *profile)
{
	return profile->name && !is_name_taken(profile->name) &&
	       is_only(metrics->names, profile->name);
}

/*
 * Whether the name of a profile is that of a metric, not of a thread: a usual one, whatever else is in the file; else
 * that of one of several with a unit of its own.
 */
static bool is_metric(struct speedscope_metrics *metrics, const struct speedscope_profile *profile)
{
	static const char *const usual[] = {"cpu",    "wall",  "alloc",       "allocs", "heap",
					    "memory", "lock",  "allocations", "locks",  "block",
					    "mutex",  "inuse", "objects"};

	for (size_t i = 0; profile->name && i < sizeof usual / sizeof *usual; i++) {
		if (strcmp(profile->name, usual[i]) == 0)
			return true;
	}
	if (metrics->file->profile_count < 2 || !speedscope_has_own_name(metrics, profile) ||
	    strcmp(profile->name, "profile") == 0)
		return false;
	print_family(&metrics->text, speedscope_unit(profile));
	return is_only(metrics->families, metrics->text.data);
}

static const char *metric_of(struct speedscope_metrics *metrics,
			     const struct speedscope_profile *profile)
{
	const char *unit = speedscope_unit(profile);

	if (is_metric(metrics, profile))
		return profile->name;
	if (strcmp(unit, "bytes") == 0)
		return "space";
	return strstr(unit, "seconds") ? "time" : "samples";
}

char *speedscope_column_name(struct speedscope_metrics *metrics,
			     const struct speedscope_profile *profile,
			     struct perun_table_builder *table)
{
	const char *name = metric_of(metrics, profile), *known;
	char *chosen = perun_strdup(name);
	int64_t number = 1;

	/* Names have no line breaks of their own in a key: families have none. */
	print_family(&metrics->text, speedscope_unit(profile));
	perun_buffer_add_text(&metrics->text, "\n");
	perun_buffer_add_text(&metrics->text, name);
	known = perun_json_as_string(perun_json_get(metrics->columns, metrics->text.data), NULL);
	if (known) {
		perun_free(chosen);
		return perun_strdup(known);
	}
	perun_json_as_int64(perun_json_get(metrics->numbers, name), &number);
	while (perun_table_find_column(table, chosen)) {
		perun_free(chosen);
		chosen = perun_format("%s#%lld", name, (long long)++number);
	}
	perun_json_set(metrics->numbers, name, perun_json_int64(number));
	perun_json_set(metrics->columns, metrics->text.data, perun_json_text(chosen));
	return chosen;
}
