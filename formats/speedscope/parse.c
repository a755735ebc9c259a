/* SPDX-License-Identifier: BSD-3-Clause */
/* The document: frames and profiles, in any order, as a stream. */
#include <math.h>
#include <string.h>

#include "formats/common/json-source.h"
#include "speedscope.h"

static int failed(const struct perun_json_reader *json)
{
	return perun_json_error(json)->status;
}

/* ---- numbers and texts ----------------------------------------------------------------------- */

/* The number of the token; false: it is none, or not finite. */
static bool finite_number(const struct perun_json_token *token, double *number)
{
	if (token->event != PERUN_JSON_NUMBER)
		return false;
	if (token->kind == PERUN_JSON_INT64)
		*number = (double)token->number.int64;
	else if (token->kind == PERUN_JSON_DOUBLE)
		*number = token->number.real;
	else if (!perun_json_parse_double(token->text, token->length, number))
		return false;
	return isfinite(*number);
}

int speedscope_number(struct perun_json_reader *json, const char *what, double *number)
{
	int status = perun_json_expect(json, PERUN_JSON_NUMBER, what);

	if (!status && !finite_number(perun_json_token(json), number))
		return perun_json_fail(json, "expected a number for %s", what);
	return status;
}

int speedscope_index(struct perun_json_reader *json, const char *what, uint32_t *index)
{
	const struct perun_json_token *token = perun_json_token(json);

	if (token->event != PERUN_JSON_NUMBER || token->kind != PERUN_JSON_INT64 ||
	    token->number.int64 < 0 || token->number.int64 >= UINT32_MAX)
		return perun_json_fail(json, "expected the number of a frame for %s", what);
	*index = (uint32_t)token->number.int64;
	return PERUN_OK;
}

/* A text, or nothing when the value is null or of another type. */
static int read_text(struct perun_json_reader *json, char **text)
{
	const struct perun_json_token *token = perun_json_token(json);

	perun_free(*text);
	*text = NULL;
	if (perun_json_next(json) == PERUN_JSON_STRING) {
		*text = perun_strndup(token->text, token->length);
		return PERUN_OK;
	}
	return perun_json_skip(json);
}

static int64_t whole_number(const struct perun_json_token *token)
{
	return token->event == PERUN_JSON_NUMBER && token->kind == PERUN_JSON_INT64 &&
			       token->number.int64 > 0
		       ? token->number.int64
		       : 0;
}

/* ---- frames ---------------------------------------------------------------------------------- */

static int read_frame(struct perun_json_reader *json, struct perun_builder *builder,
		      struct speedscope_frame *frame)
{
	const struct perun_json_token *token = perun_json_token(json);
	bool named = false;
	int status = PERUN_OK;

	if (token->event != PERUN_JSON_OBJECT_START)
		return perun_json_fail(json, "expected an object for a frame, found %s",
				       perun_json_event_name(token->event));
	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		if (perun_json_token_is(token, "name")) {
			status = perun_json_expect(json, PERUN_JSON_STRING, "name");
			if (!status)
				frame->name =
					perun_builder_string(builder, token->text, token->length);
			named = true;
		} else if (perun_json_token_is(token, "file")) {
			if (perun_json_next(json) == PERUN_JSON_STRING)
				frame->file =
					perun_builder_string(builder, token->text, token->length);
			else
				status = perun_json_skip(json);
		} else if (perun_json_token_is(token, "line")) {
			perun_json_next(json);
			frame->line = whole_number(token);
			status = perun_json_skip(json);
		} else if (perun_json_token_is(token, "col")) {
			perun_json_next(json);
			frame->column = whole_number(token);
			status = perun_json_skip(json);
		} else {
			status = perun_json_skip(json);
		}
	}
	if (!status)
		status = failed(json);
	if (!status && !named)
		status = perun_json_fail(json, "a frame without \"name\"");
	return status;
}

static int read_frames(struct perun_json_reader *json, struct perun_builder *builder,
		       struct speedscope_file *file)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "frames");

	while (!status && perun_json_next(json) > 0 && token->event != PERUN_JSON_ARRAY_END) {
		PERUN_GROW(file->frames, file->frame_count, file->frame_room);
		file->frames[file->frame_count] = (struct speedscope_frame){0};
		status = read_frame(json, builder, &file->frames[file->frame_count++]);
	}
	return status ? status : failed(json);
}

static int read_shared(struct perun_json_reader *json, struct perun_builder *builder,
		       struct speedscope_file *file)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = perun_json_expect(json, PERUN_JSON_OBJECT_START, "shared");

	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		if (perun_json_token_is(token, "frames") && file->frame_count == 0)
			status = read_frames(json, builder, file);
		else
			status = perun_json_skip(json);
	}
	return status ? status : failed(json);
}

/* A thread each, or a metric: more than a program has, as each takes a kilobyte. */
enum { MAX_PROFILES = 1 << 14 };

/* ---- profiles -------------------------------------------------------------------------------- */

/* [[0, 1, 2], [0, 1]]: the token is the outer start. */
static int read_samples(struct perun_json_reader *json, struct speedscope_profile *profile)
{
	const struct perun_json_token *token = perun_json_token(json);
	uint32_t frame = 0;
	size_t first;
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "samples");

	while (!status && perun_json_next(json) > 0 && token->event != PERUN_JSON_ARRAY_END) {
		if (token->event != PERUN_JSON_ARRAY_START)
			return perun_json_fail(json,
					       "expected a list of frames for a sample, found %s",
					       perun_json_event_name(token->event));
		first = profile->frames.count;
		while (!status && perun_json_next(json) > 0 &&
		       token->event != PERUN_JSON_ARRAY_END) {
			status = speedscope_index(json, "a sample", &frame);
			if (!status)
				ids_add(&profile->frames, frame);
		}
		ids_add(&profile->counts, (uint32_t)(profile->frames.count - first));
		if (!status)
			status = failed(json);
	}
	profile->sampled = true;
	return status ? status : failed(json);
}

static int read_weights(struct perun_json_reader *json, struct speedscope_profile *profile)
{
	const struct perun_json_token *token = perun_json_token(json);
	double number = 0;
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "weights");

	while (!status && perun_json_next(json) > 0 && token->event != PERUN_JSON_ARRAY_END) {
		if (!finite_number(token, &number))
			return perun_json_fail(json, "expected a number for a weight, found %s",
					       perun_json_event_name(token->event));
		numbers_add(&profile->weights, number);
	}
	return status ? status : failed(json);
}

static int check_profile(struct perun_json_reader *json, const struct speedscope_profile *profile)
{
	if (!profile->sampled && !profile->evented)
		return perun_json_fail(json, "a profile with neither \"samples\" nor \"events\"");
	if (profile->sampled && profile->evented)
		return perun_json_fail(json, "a profile with both \"samples\" and \"events\"");
	if (profile->weights.count != profile->counts.count)
		return perun_json_fail(json, "a profile of %zu sample%s and %zu weight%s",
				       profile->counts.count, profile->counts.count == 1 ? "" : "s",
				       profile->weights.count,
				       profile->weights.count == 1 ? "" : "s");
	return PERUN_OK;
}

static int read_profile(struct perun_json_reader *json, struct speedscope_file *file)
{
	const struct perun_json_token *token = perun_json_token(json);
	struct speedscope_profile *profile;
	int status = PERUN_OK;

	if (token->event != PERUN_JSON_OBJECT_START)
		return perun_json_fail(json, "expected an object for a profile, found %s",
				       perun_json_event_name(token->event));
	if (file->profile_count == MAX_PROFILES)
		return perun_json_fail(json, "more than %d profiles", MAX_PROFILES);
	PERUN_GROW(file->profiles, file->profile_count, file->profile_room);
	profile = &file->profiles[file->profile_count++];
	*profile = (struct speedscope_profile){0};
	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		if (perun_json_token_is(token, "name"))
			status = read_text(json, &profile->name);
		else if (perun_json_token_is(token, "unit"))
			status = read_text(json, &profile->unit);
		else if (perun_json_token_is(token, "samples") && !profile->sampled)
			status = read_samples(json, profile);
		else if (perun_json_token_is(token, "weights") && profile->weights.count == 0)
			status = read_weights(json, profile);
		else if (perun_json_token_is(token, "events") && !profile->evented)
			status = speedscope_read_events(json, profile, &file->frame_limit);
		else
			status = perun_json_skip(json);
	}
	if (!status)
		status = failed(json);
	return status ? status : check_profile(json, profile);
}

static int read_profiles(struct perun_json_reader *json, struct speedscope_file *file)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = perun_json_expect(json, PERUN_JSON_ARRAY_START, "profiles");

	while (!status && perun_json_next(json) > 0 && token->event != PERUN_JSON_ARRAY_END)
		status = read_profile(json, file);
	return status ? status : failed(json);
}

static int read_document(struct perun_json_reader *json, struct perun_builder *builder,
			 struct speedscope_file *file)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = perun_json_expect(json, PERUN_JSON_OBJECT_START, "a profile");

	while (!status && perun_json_next(json) == PERUN_JSON_KEY) {
		if (perun_json_token_is(token, "shared"))
			status = read_shared(json, builder, file);
		else if (perun_json_token_is(token, "profiles"))
			status = read_profiles(json, file);
		else if (perun_json_token_is(token, "exporter"))
			status = read_text(json, &file->exporter);
		else if (perun_json_token_is(token, "name"))
			status = read_text(json, &file->name);
		else
			status = perun_json_skip(json);
	}
	if (!status)
		status = failed(json);
	if (!status && perun_json_next(json) != PERUN_JSON_END)
		status = failed(json);
	return status;
}

/* Frames may be after the profiles that name them. */
static int check_frames(struct perun_ctx *ctx, const struct speedscope_file *file)
{
	for (size_t i = 0; i < file->profile_count; i++) {
		const struct speedscope_profile *profile = &file->profiles[i];

		size_t count = profile->evented ? profile->stack_count : profile->frames.count;

		for (size_t k = profile->evented; k < count; k++) {
			uint32_t frame = profile->evented ? profile->stacks[k].frame
							  : ids_at(&profile->frames, k);

			if (frame >= file->frame_count)
				return perun_fail(ctx, PERUN_INPUT,
						  "profiles[%zu]: frame %u is named, but there are "
						  "only %zu frames",
						  i, frame, file->frame_count);
		}
	}
	return PERUN_OK;
}

int speedscope_parse(struct perun_ctx *ctx, struct perun_input *input,
		     struct perun_builder *builder, struct speedscope_file *file)
{
	struct json_source source = {ctx, input};
	struct perun_json_reader *json =
		perun_json_reader_new(ctx, json_source_read, &source, NULL);
	int status = read_document(json, builder, file);

	perun_json_reader_free(json);
	return status ? status : check_frames(ctx, file);
}

void speedscope_free(struct speedscope_file *file)
{
	for (size_t i = 0; i < file->profile_count; i++) {
		struct speedscope_profile *profile = &file->profiles[i];

		perun_free(profile->name);
		perun_free(profile->unit);
		ids_free(&profile->frames);
		ids_free(&profile->counts);
		perun_free(profile->stacks);
		numbers_free(&profile->weights);
		numbers_free(&profile->times);
	}
	perun_free(file->profiles);
	perun_free(file->frames);
	perun_free(file->exporter);
	perun_free(file->name);
}
