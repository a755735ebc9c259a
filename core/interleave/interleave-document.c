/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparisons that another process runs: what is to be run, and the values that came of it, as documents. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/json.h>

#include "core/context/structs.h"
#include "core/interleave/interleave.h"

#define MAX_PAIRS ((size_t)10000000)

/* ---- what is run ------------------------------------------------------------------------------- */

static struct perun_json *list_texts(const char *const *texts)
{
	struct perun_json *list = perun_json_array();

	for (; texts && *texts; texts++)
		perun_json_append(list, perun_json_text(*texts));
	return list;
}

static void set_text(struct perun_json *document, const char *key, const char *text)
{
	if (text)
		perun_json_set(document, key, perun_json_text(text));
}

struct perun_json *perun_interleave_document(char *const *argv,
					     const struct perun_interleave_options *given)
{
	struct perun_json *document = perun_json_object();
	struct perun_interleave_options options = {0};

	PERUN_STRUCT_TAKE(&options, given);
	perun_json_set(document, "argv", list_texts((const char *const *)argv));
	perun_json_set(document, "environment", list_texts(options.environment));
	perun_json_set(document, "words", list_texts(options.words));
	set_text(document, "metric", options.metric);
	set_text(document, "collector", options.collector);
	set_text(document, "sampler", options.sampler);
	set_text(document, "limit_option", options.limit_option);
	perun_json_set(document, "warmup", perun_json_int64((int64_t)options.warmup));
	perun_json_set(document, "pairs", perun_json_int64((int64_t)options.pairs));
	perun_json_set(document, "max_pairs", perun_json_int64((int64_t)options.max_pairs));
	perun_json_set(document, "budget", perun_json_double(options.budget));
	perun_json_set(document, "threshold", perun_json_double(options.threshold));
	perun_json_set(document, "shell", perun_json_bool(options.shell));
	if (options.seeded)
		perun_json_set(document, "seed", perun_json_int64((int64_t)options.seed));
	return document;
}

/* An array of the texts, which stay the document's; NULL where it is not one of texts. */
static const char **texts_of(const struct perun_json *document, const char *key)
{
	const struct perun_json *list = perun_json_get(document, key);
	size_t count = perun_json_count(list);
	const char **texts = perun_alloc_zero(count + 1, sizeof *texts);

	for (size_t i = 0; i < count; i++) {
		texts[i] = perun_json_as_string(perun_json_at(list, i), NULL);
		if (!texts[i]) {
			perun_free(texts);
			return NULL;
		}
	}
	return texts;
}

static size_t size_of(const struct perun_json *document, const char *key)
{
	int64_t number = 0;

	perun_json_as_int64(perun_json_get(document, key), &number);
	return number > 0 ? (size_t)number : 0;
}

int perun_interleave_of_document(struct perun_ctx *ctx, const struct perun_json *document,
				 struct perun_interleave **interleave)
{
	struct perun_interleave_options options = {
		.struct_size = sizeof options,
		.metric = perun_json_as_string(perun_json_get(document, "metric"), NULL),
		.collector = perun_json_as_string(perun_json_get(document, "collector"), NULL),
		.sampler = perun_json_as_string(perun_json_get(document, "sampler"), NULL),
		.limit_option =
			perun_json_as_string(perun_json_get(document, "limit_option"), NULL),
		.warmup = size_of(document, "warmup"),
		.pairs = size_of(document, "pairs"),
		.max_pairs = size_of(document, "max_pairs")};
	const char **argv = texts_of(document, "argv"), **words = texts_of(document, "words");
	const char **environment = texts_of(document, "environment");
	int64_t seed = 0;
	int status;

	*interleave = NULL;
	perun_json_as_double(perun_json_get(document, "budget"), &options.budget);
	perun_json_as_double(perun_json_get(document, "threshold"), &options.threshold);
	perun_json_as_bool(perun_json_get(document, "shell"), &options.shell);
	options.seeded = perun_json_as_int64(perun_json_get(document, "seed"), &seed);
	options.seed = (uint64_t)seed;
	options.words = words;
	options.environment = environment;
	if (!argv || !argv[0] || !words || !environment)
		status = perun_fail(ctx, PERUN_INPUT, "it does not describe a comparison");
	else
		status = perun_interleave_new(ctx, (char *const *)argv, &options, interleave);
	if (status) {
		perun_free(argv);
		perun_free(words);
		perun_free(environment);
		return status;
	}
	(*interleave)->own_argv = (char **)argv;
	(*interleave)->own_words = words;
	(*interleave)->own_environment = environment;
	return PERUN_OK;
}

/* ---- what came of it --------------------------------------------------------------------------- */

static struct perun_json *list_values(const struct perun_interleave_series *series, size_t count)
{
	struct perun_json *sides = perun_json_array();

	for (int side = 0; side < 2; side++) {
		struct perun_json *list = perun_json_array();

		for (size_t i = 0; i < count; i++)
			perun_json_append(list, perun_json_double(series->values[side][i]));
		perun_json_append(sides, list);
	}
	return sides;
}

/* As they were measured: the first metric first, also where the two have changed places since. */
struct perun_json *perun_interleave_values(const struct perun_interleave *interleave,
					   const struct perun_interleave_result *result)
{
	struct perun_json *document = perun_json_object(), *sessions = perun_json_array();

	for (size_t i = 0; i < result->count; i++) {
		const struct perun_interleave_session *session = &result->sessions[i];
		const struct perun_interleave_series *first = &session->first,
						     *second = &session->second;
		struct perun_json *item = perun_json_object();

		perun_json_set(item, "level", perun_json_double(session->level));
		perun_json_set(item, "first",
			       list_values(result->turned ? second : first, session->count));
		if (interleave->facts.second)
			perun_json_set(
				item, "second",
				list_values(result->turned ? first : second, session->count));
		perun_json_append(sessions, item);
	}
	perun_json_set(document, "seed", perun_json_int64((int64_t)interleave->facts.seed));
	perun_json_set(document, "sessions", sessions);
	return document;
}

static bool read_values(const struct perun_json *sides, struct perun_interleave_series *series,
			size_t count)
{
	for (size_t side = 0; side < 2; side++) {
		const struct perun_json *list = perun_json_at(sides, side);

		series->values[side] = perun_alloc_zero(count, sizeof *series->values[side]);
		if (perun_json_count(list) != count)
			return false;
		for (size_t i = 0; i < count; i++)
			if (!perun_json_as_double(perun_json_at(list, i),
						  &series->values[side][i]) ||
			    !isfinite(series->values[side][i]))
				return false;
	}
	return true;
}

static bool read_session(const struct perun_interleave *interleave, const struct perun_json *item,
			 struct perun_interleave_session *session)
{
	const struct perun_json *first = perun_json_get(item, "first"),
				*second = perun_json_get(item, "second");

	session->count = session->capacity = perun_json_count(perun_json_at(first, 0));
	return perun_json_count(first) == 2 && session->count && session->count <= MAX_PAIRS &&
	       perun_json_as_double(perun_json_get(item, "level"), &session->level) &&
	       read_values(first, &session->first, session->count) &&
	       (!interleave->facts.second ||
		(perun_json_count(second) == 2 &&
		 read_values(second, &session->second, session->count)));
}

int perun_interleave_conclude(struct perun_ctx *ctx, struct perun_interleave *interleave,
			      const struct perun_json *values,
			      struct perun_interleave_result *result)
{
	const struct perun_json *sessions = perun_json_get(values, "sessions");
	int64_t seed = 0;
	bool good = perun_json_as_int64(perun_json_get(values, "seed"), &seed);

	*result = (struct perun_interleave_result){.count = perun_json_count(sessions)};
	good = good && result->count >= 1 && result->count <= 2;
	for (size_t i = 0; good && i < result->count; i++) {
		good = read_session(interleave, perun_json_at(sessions, i), &result->sessions[i]);
		if (good)
			interleave_judge(interleave, &result->sessions[i]);
	}
	if (!good)
		return perun_fail(ctx, PERUN_INPUT, "it does not have the values of a comparison");
	interleave->facts.seed = (uint64_t)seed;
	interleave_conclude(interleave, result,
			    interleave_is_turned(interleave, &result->sessions[0]));
	return PERUN_OK;
}
