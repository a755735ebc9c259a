/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators of workloads: their settings, numbers, strings, single values. */
#include <config.h>

#include <inttypes.h>
#include <string.h>

#include "core/context/random.h"
#include "core/job/generator.h"
#include "perun/lib/hash.h"

#define LONGEST_STRING 65536 /* an argument of a program; Linux takes twice as much */

/* ---- settings -------------------------------------------------------------------------------- */

static int fail_setting(const struct perun_generator_run *run, const char *key, const char *what)
{
	return perun_fail(run->ctx, PERUN_INPUT, "the generator %s: %s %s", run->id, key, what);
}

int perun_generator_number(const struct perun_generator_run *run, const char *key, int64_t fallback,
			   int64_t minimum, int64_t maximum, int64_t *value)
{
	const struct perun_json *setting = perun_json_get(run->settings, key);

	*value = fallback;
	if (!setting)
		return fallback == INT64_MIN ? fail_setting(run, key, "is missing") : PERUN_OK;
	if (!perun_json_as_int64(setting, value))
		return fail_setting(run, key, "must be a whole number");
	if (*value < minimum || *value > maximum)
		return perun_fail(run->ctx, PERUN_INPUT,
				  "the generator %s: %s is %" PRId64 ", it must be from %" PRId64
				  " to %" PRId64,
				  run->id, key, *value, minimum, maximum);
	return PERUN_OK;
}

int perun_generator_text(const struct perun_generator_run *run, const char *key,
			 const char *fallback, const char **value)
{
	const struct perun_json *setting = perun_json_get(run->settings, key);

	*value = perun_json_as_string(setting, NULL);
	if (!setting)
		*value = fallback;
	if (*value)
		return PERUN_OK;
	return fail_setting(run, key, setting ? "must be a text; put it in quotes" : "is missing");
}

bool perun_generator_flag(const struct perun_generator_run *run, const char *key, bool fallback)
{
	const struct perun_json *setting = perun_json_get(run->settings, key);
	const char *text = perun_json_as_string(setting, NULL);
	int64_t number;
	bool on;

	if (perun_json_as_bool(setting, &on))
		return on;
	if (perun_json_as_int64(setting, &number))
		return number != 0;
	/* YAML 1.2 takes these for texts. */
	if (text)
		return !strcasecmp(text, "yes") || !strcasecmp(text, "y") ||
		       !strcasecmp(text, "on");
	return fallback;
}

uint64_t perun_generator_random(struct perun_generator_run *run, uint64_t limit)
{
	return random_below(&run->random, limit);
}

struct perun_generated *perun_generator_add(struct perun_generator_run *run, char *argument,
					    char *name)
{
	struct perun_workloads *workloads = run->workloads;
	struct perun_generated *item;

	PERUN_GROW(workloads->items, workloads->count, workloads->capacity);
	item = &workloads->items[workloads->count++];
	*item = (struct perun_generated){argument, name, perun_json_object()};
	return item;
}

/* Numbers from `first` to `last`, both among them where the step allows it. */
static int check_steps(const struct perun_generator_run *run, int64_t first, int64_t last,
		       int64_t step)
{
	if (first > last)
		return perun_fail(run->ctx, PERUN_INPUT,
				  "the generator %s: the range from %" PRId64 " to %" PRId64
				  " is empty",
				  run->id, first, last);
	if (((uint64_t)last - (uint64_t)first) / (uint64_t)step >= PERUN_MAX_WORKLOADS)
		return perun_fail(run->ctx, PERUN_INPUT,
				  "the generator %s makes more than %d workloads; take a larger "
				  "step",
				  run->id, PERUN_MAX_WORKLOADS);
	return PERUN_OK;
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static int generate_integers(struct perun_generator_run *run)
{
	const int64_t bound = INT64_C(1) << 62;
	int64_t first, last, step;
	int status = perun_generator_number(run, "min_range", INT64_MIN, -bound, bound, &first);

	if (!status)
		status = perun_generator_number(run, "max_range", INT64_MIN, -bound, bound, &last);
	if (!status)
		status = perun_generator_number(run, "step", 1, 1, bound, &step);
	if (!status)
		status = check_steps(run, first, last, step);
	for (int64_t i = first; !status && i <= last; i += step) {
		char *text = perun_format("%" PRId64, i);
		struct perun_generated *item = perun_generator_add(run, text, perun_strdup(text));

		perun_json_set(item->keys, "workload", perun_json_int64(i));
		perun_json_set(item->keys, "structure-unit-size", perun_json_int64(i));
	}
	return status;
}

static char *random_string(struct perun_generator_run *run, size_t length)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789";
	char *text = perun_alloc(length + 1);

	for (size_t i = 0; i < length; i++)
		text[i] = letters[perun_generator_random(run, sizeof letters - 1)];
	text[length] = '\0';
	return text;
}

static int generate_strings(struct perun_generator_run *run)
{
	/* The Python program reads step_len, and writes step into new configurations. */
	const char *step_key = perun_json_get(run->settings, "step_len") ? "step_len" : "step";
	int64_t first, last, step;
	int status = perun_generator_number(run, "min_len", INT64_MIN, 0, LONGEST_STRING, &first);

	if (!status)
		status =
			perun_generator_number(run, "max_len", INT64_MIN, 0, LONGEST_STRING, &last);
	if (!status)
		status = perun_generator_number(run, step_key, 1, 1, LONGEST_STRING, &step);
	if (!status)
		status = check_steps(run, first, last, step);
	for (int64_t i = first; !status && i <= last; i += step) {
		char *text = random_string(run, (size_t)i);
		struct perun_generated *item = perun_generator_add(run, text, perun_strdup(text));

		perun_json_set(item->keys, "workload", perun_json_text(text));
		perun_json_set(item->keys, "string_len", perun_json_int64(i));
		perun_json_set(item->keys, "structure-unit-size", perun_json_int64(i));
	}
	return status;
}

/* A value as it is configured, or the generator's own name. */
static int generate_single(struct perun_generator_run *run)
{
	const struct perun_json *value = perun_json_get(run->settings, "workload");
	const char *text = perun_json_as_string(value, NULL);
	struct perun_buffer buffer = {0};
	struct perun_generated *item;

	if (!value)
		text = run->id;
	if (!text)
		perun_json_print(value, &buffer, PERUN_JSON_PYTHON, 0);
	item = perun_generator_add(run, perun_strdup(text ? text : buffer.data),
				   perun_strdup(text ? text : buffer.data));
	perun_json_set(item->keys, "workload",
		       value ? perun_json_clone(value) : perun_json_text(text));
	perun_buffer_free(&buffer);
	return PERUN_OK;
}

static const struct {
	const char *name;
	int (*generate)(struct perun_generator_run *run);
} kinds[] = {{"integer", generate_integers},
	     {"string", generate_strings},
	     {"textfile", perun_generate_files},
	     {"external", perun_generate_externally},
	     {"singleton", generate_single}};

/* ---- running --------------------------------------------------------------------------------- */

const struct perun_json *perun_generator_find(const struct perun_json *generators, const char *id)
{
	for (size_t i = 0; i < perun_json_count(generators); i++) {
		const struct perun_json *item = perun_json_at(generators, i);
		const char *name = perun_json_as_string(perun_json_get(item, "id"), NULL);

		if (name && strcmp(name, id) == 0)
			return item;
	}
	return NULL;
}

int perun_generator_run(struct perun_ctx *ctx, const struct perun_json *generator,
			const struct perun_generating *place, struct perun_workloads *workloads)
{
	struct perun_generator_run run = {
		ctx, generator, place, perun_json_as_string(perun_json_get(generator, "id"), NULL),
		0,   workloads};
	const char *kind = perun_json_as_string(perun_json_get(generator, "type"), NULL);
	int64_t seed;
	size_t i = 0;
	int status;

	*workloads = (struct perun_workloads){0};
	status = perun_generator_number(
		&run, "seed", (int64_t)(perun_fnv1a(run.id, strlen(run.id), PERUN_FNV1A) >> 1),
		INT64_MIN, INT64_MAX, &seed);
	if (status)
		return status;
	run.random = (uint64_t)seed;
	workloads->apart = perun_generator_flag(&run, "profile_for_each_workload", false);
	while (kind && i < sizeof kinds / sizeof *kinds && strcmp(kinds[i].name, kind) != 0)
		i++;
	if (!kind || i == sizeof kinds / sizeof *kinds)
		return perun_fail(ctx, PERUN_INPUT,
				  "the generator %s: its type is %s; it must be integer, string, "
				  "textfile, external or singleton",
				  run.id, kind ? kind : "missing");
	status = kinds[i].generate(&run);
	if (!status && workloads->count == 0)
		status = perun_fail(ctx, PERUN_INPUT, "the generator %s made no workloads", run.id);
	if (status)
		perun_workloads_free(workloads);
	return status;
}

void perun_workloads_free(struct perun_workloads *workloads)
{
	for (size_t i = 0; i < workloads->count; i++) {
		perun_free(workloads->items[i].argument);
		perun_free(workloads->items[i].name);
		perun_json_free(workloads->items[i].keys);
	}
	perun_free(workloads->items);
	*workloads = (struct perun_workloads){0};
}
