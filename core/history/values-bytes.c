/* SPDX-License-Identifier: BSD-3-Clause */
/* The values of profiles as bytes. */
#include <math.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/statistics.h>
#include <perun/machine.h>

#include "core/history/values.h"
#include "core/profile/model.h"

/* Medians of more repeats are kept. */
#define FEW 5

void perun_bytes_add_number(struct perun_buffer *out, uint32_t number)
{
	perun_buffer_add(out, &number, sizeof number);
}

void perun_bytes_add_text(struct perun_buffer *out, const char *text)
{
	const uint32_t size = text ? (uint32_t)strlen(text) : 0;
	char *to = perun_buffer_reserve(out, sizeof size + size + 1);

	memcpy(to, &size, sizeof size);
	memcpy(to + sizeof size, size ? text : "", (size_t)size + 1);
	out->length += sizeof size + size + 1;
}

const void *perun_bytes_take(struct perun_bytes *bytes, size_t size)
{
	const char *at = bytes->at;

	if (bytes->bad || size > (size_t)(bytes->end - at)) {
		bytes->bad = true;
		return NULL;
	}
	bytes->at += size;
	return at;
}

uint32_t perun_bytes_number(struct perun_bytes *bytes)
{
	const void *at = perun_bytes_take(bytes, sizeof(uint32_t));
	uint32_t number = 0;

	if (at)
		memcpy(&number, at, sizeof number);
	return number;
}

struct perun_bytes perun_bytes_of(const struct perun_buffer *buffer)
{
	if (!buffer->data)
		return (struct perun_bytes){0};
	return (struct perun_bytes){.at = buffer->data, .end = buffer->data + buffer->length};
}

const char *perun_bytes_text(struct perun_bytes *bytes)
{
	uint32_t size = perun_bytes_number(bytes);
	const char *text = perun_bytes_take(bytes, (size_t)size + 1);

	if (text && text[size] == '\0')
		return text;
	bytes->bad = true;
	return "";
}

/* ---- a profile ------------------------------------------------------------------------------- */

void perun_profile_head_add(struct perun_buffer *out, const struct perun_profile *profile,
			    bool stacks, size_t metrics)
{
	const struct perun_json *machine =
		perun_json_get(perun_profile_document(profile), "machine");
	char *class = perun_machine_name(profile);
	const struct perun_json *failed = perun_json_get(perun_profile_document(profile), "failed");
	struct perun_buffer text = {0};

	if (machine)
		perun_json_print(machine, &text, PERUN_JSON_COMPACT, 0);
	perun_bytes_add_number(out, perun_has_only_stacks(perun_resources(profile)));
	perun_bytes_add_number(out, stacks);
	perun_bytes_add_number(out,
			       strcmp(perun_profile_text(profile, "/header/recorded"), "run") == 0);
	perun_bytes_add_text(out, text.data);
	perun_bytes_add_text(out, class);
	perun_bytes_add_text(out, perun_profile_text(profile, "/header/args"));
	perun_bytes_add_text(out, perun_profile_text(profile, "/header/file"));
	perun_buffer_clear(&text);
	if (perun_json_count(failed))
		perun_json_print(failed, &text, PERUN_JSON_COMPACT, 0);
	perun_bytes_add_text(out, text.length ? text.data : "");
	perun_bytes_add_number(out, (uint32_t)metrics);
	perun_buffer_free(&text);
	perun_free(class);
}

void perun_profile_head_read(struct perun_bytes *bytes, struct perun_profile_head *head)
{
	head->by_path = perun_bytes_number(bytes) != 0;
	head->stacks = perun_bytes_number(bytes) != 0;
	head->recorded = perun_bytes_number(bytes) != 0;
	head->machine = perun_bytes_text(bytes);
	head->machine_class = perun_bytes_text(bytes);
	head->arguments = perun_bytes_text(bytes);
	head->file = perun_bytes_text(bytes);
	head->failed = perun_bytes_text(bytes);
	head->metrics = perun_bytes_number(bytes);
}

/* ---- a metric -------------------------------------------------------------------------------- */

size_t perun_metric_head_add(struct perun_buffer *out, const struct perun_profile *profile,
			     const struct perun_metric *metric, enum perun_value_kind kind)
{
	double sample;
	enum perun_noise noise = perun_noise_of(profile, metric, &sample);
	const uint32_t facts[] = {(uint32_t)metric->better, (uint32_t)kind, (uint32_t)noise};
	const uint32_t ends[2] = {0, 0}; /* perun_metric_end() has them */

	perun_bytes_add_text(out, metric->name);
	perun_bytes_add_text(out, metric->unit);
	perun_buffer_add(out, facts, sizeof facts);
	perun_buffer_add(out, &sample, sizeof sample);
	perun_buffer_add(out, ends, sizeof ends);
	return out->length;
}

void perun_metric_end(struct perun_buffer *out, size_t start, uint32_t groups)
{
	const uint32_t numbers[] = {groups, (uint32_t)(out->length - start)};

	memcpy(out->data + start - sizeof numbers, numbers, sizeof numbers);
}

void perun_metric_head_read(struct perun_bytes *bytes, struct perun_metric_head *head)
{
	const void *sample;

	head->name = perun_bytes_text(bytes);
	head->unit = perun_bytes_text(bytes);
	head->better = (enum perun_direction)perun_bytes_number(bytes);
	head->kind = (enum perun_value_kind)perun_bytes_number(bytes);
	head->noise = (enum perun_noise)perun_bytes_number(bytes);
	head->sample = 0;
	sample = perun_bytes_take(bytes, sizeof head->sample);
	if (sample)
		memcpy(&head->sample, sample, sizeof head->sample);
	head->groups = perun_bytes_number(bytes);
	head->bytes = perun_bytes_number(bytes);
}

enum perun_direction perun_metric_head_likely(const struct perun_metric_head *head, bool stacks)
{
	enum perun_direction direction = perun_direction_by_name(head->name, head->unit);

	return direction == PERUN_BETTER_UNKNOWN && stacks ? PERUN_BETTER_LOWER : direction;
}

/* ---- a group --------------------------------------------------------------------------------- */

void perun_value_group_add(struct perun_buffer *out, const char *location, const char *text,
			   uint32_t flags, double deviation, const double *repeats, size_t count)
{
	const uint32_t facts[] = {flags, (uint32_t)count};

	perun_bytes_add_text(out, location);
	perun_bytes_add_text(out, text);
	perun_buffer_add(out, facts, sizeof facts);
	perun_buffer_add(out, &deviation, sizeof deviation);
	if (count)
		perun_buffer_add(out, repeats, count * sizeof *repeats);
	if (count > FEW) {
		double median = perun_median(repeats, count);

		perun_buffer_add(out, &median, sizeof median);
	}
}

/* The median of few is found sooner than kept. */
static double median_of(struct perun_bytes *bytes, const struct perun_value_group *group)
{
	const void *kept = group->count > FEW ? perun_bytes_take(bytes, sizeof(double)) : NULL;
	double few[FEW], median = NAN;

	if (kept)
		memcpy(&median, kept, sizeof median);
	if (kept || !group->repeats || group->count > FEW)
		return median;
	memcpy(few, group->repeats, group->count * sizeof *few);
	return perun_median(few, group->count);
}

void perun_value_group_read(struct perun_bytes *bytes, struct perun_value_group *group)
{
	const void *deviation;

	group->location = perun_bytes_text(bytes);
	group->text = perun_bytes_text(bytes);
	group->flags = perun_bytes_number(bytes);
	group->count = perun_bytes_number(bytes);
	group->deviation = 0;
	deviation = perun_bytes_take(bytes, sizeof group->deviation);
	if (deviation)
		memcpy(&group->deviation, deviation, sizeof group->deviation);
	group->repeats = perun_bytes_take(bytes, (size_t)group->count * sizeof(double));
	group->median = median_of(bytes, group);
}
