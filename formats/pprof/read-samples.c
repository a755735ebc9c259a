/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples: the bulk of a profile. */
#include <inttypes.h>
#include <string.h>

#include "reading.h"

static const struct pprof_field_type label_fields[] = {
	{NULL, PPROF_UNKNOWN}, {"key", PPROF_NUMBER},      {"str", PPROF_NUMBER},
	{"num", PPROF_NUMBER}, {"num_unit", PPROF_NUMBER},
};
const struct pprof_schema pprof_label_schema = {"label", 5, label_fields};

static const struct pprof_field_type sample_fields[] = {
	{NULL, PPROF_UNKNOWN}, {"location_id", PPROF_NUMBERS}, {"value", PPROF_NUMBERS},
	{"label", PPROF_TEXT}, {"path", PPROF_NUMBER}, /* see write-paths.c */
};
const struct pprof_schema pprof_sample_schema = {"sample", 4, sample_fields};
const struct pprof_schema pprof_path_sample_schema = {"sample", 5, sample_fields};

static const struct pprof_field_type path_fields[] = {
	{NULL, PPROF_UNKNOWN},
	{"caller", PPROF_NUMBER},
	{"location_id", PPROF_NUMBER},
};
const struct pprof_schema pprof_path_schema = {"path", 3, path_fields};

/* ---- the stack ------------------------------------------------------------------------------- */

static perun_id provisional(struct pprof_reading *reading, uint64_t id, const unsigned char *at)
{
	const size_t known = reading->location_ids.large.count;
	uint64_t small = id - 1;
	bool is_new = true;
	perun_id number;

	if (pprof_id_is_small(id)) {
		number = (perun_id)small;
		reading->seen[small / 64] |= (uint64_t)1 << small % 64;
	} else {
		number = (perun_id)PPROF_SMALL_IDS + pprof_ids_number(&reading->location_ids, id);
		is_new = reading->location_ids.large.count > known;
	}
	if (is_new)
		pprof_keep_use(&reading->uses, number, reading->sample_count,
			       pprof_offset(&reading->window, at));
	return number;
}

static inline perun_id number_of(struct pprof_reading *reading, uint64_t id,
				 const unsigned char *at)
{
	uint64_t small = id - 1;

	if (small < PPROF_SMALL_IDS && reading->seen[small / 64] >> small % 64 & 1)
		return (perun_id)small;
	return provisional(reading, id, at);
}

/* Room for as many elements as there are bytes, and one: none is still an array. */
#define RESERVE(list, more)                                                           \
	do {                                                                          \
		if ((list).room - (list).count <= (more)) {                           \
			(list).room = ((list).count + (more) + 1) * 2;                \
			(list).items = perun_realloc_array((list).items, (list).room, \
							   sizeof *(list).items);     \
		}                                                                     \
	} while (0)

static int cut(const struct pprof_message *message, const struct pprof_field *field,
	       const unsigned char *at)
{
	return pprof_wrong(message, field->number, at,
			   "a number that does not end within ten bytes and its field");
}

static const struct pprof_kept_stack *find_kept(const struct pprof_reading *reading,
						const struct pprof_field *field)
{
	for (size_t i = 0; i < PPROF_KEPT; i++) {
		const struct pprof_kept_stack *kept = &reading->kept[i];

		if (kept->bytes.count == field->value &&
		    memcmp(kept->bytes.items, field->data, kept->bytes.count) == 0)
			return kept;
	}
	return NULL;
}

/* In the place of the one that was kept first. */
static void keep_stack(struct pprof_reading *reading, const struct pprof_field *field,
		       const perun_id *frames, size_t count)
{
	struct pprof_kept_stack *kept = &reading->kept[reading->next_kept++ % PPROF_KEPT];

	kept->bytes.count = kept->frames.count = 0;
	RESERVE(kept->bytes, field->value);
	RESERVE(kept->frames, count);
	kept->bytes.count = field->value;
	kept->frames.count = count;
	memcpy(kept->bytes.items, field->data, field->value);
	memcpy(kept->frames.items, frames, count * sizeof *frames);
}

static int read_packed(struct pprof_reading *reading, const struct pprof_message *message,
		       const struct pprof_field *field)
{
	const unsigned char *at = field->data, *end = at + field->value;
	perun_id *to;

	RESERVE(reading->batch->frames, field->value);
	to = reading->batch->frames.items + reading->batch->frames.count;
	while (at < end) {
		const unsigned char *start = at, *second;
		uint64_t id, next;

		at = pprof_pair(at, end, &id, &second, &next);
		if (at) {
			*to++ = number_of(reading, id, start);
			*to++ = number_of(reading, next, second);
			continue;
		}
		at = pprof_small(start, end, &id);
		if (!at)
			return cut(message, field, start);
		*to++ = number_of(reading, id, start);
	}
	reading->batch->frames.count = (size_t)(to - reading->batch->frames.items);
	return PERUN_OK;
}

static int read_deep(struct pprof_reading *reading, const struct pprof_message *message,
		     const struct pprof_field *field)
{
	const struct pprof_kept_stack *kept = find_kept(reading, field);
	size_t first = reading->batch->frames.count;
	int status;

	if (kept) {
		RESERVE(reading->batch->frames, kept->frames.count);
		memcpy(reading->batch->frames.items + first, kept->frames.items,
		       kept->frames.count * sizeof *kept->frames.items);
		reading->batch->frames.count += kept->frames.count;
		return PERUN_OK;
	}
	status = read_packed(reading, message, field);
	if (!status)
		keep_stack(reading, field, reading->batch->frames.items + first,
			   reading->batch->frames.count - first);
	return status;
}

static int read_frames(struct pprof_reading *reading, const struct pprof_message *message,
		       const struct pprof_field *field)
{
	if (!field->bytes) {
		PPROF_ADD(reading->batch->frames, number_of(reading, field->value, field->start));
		return PERUN_OK;
	}
	return field->value < PPROF_DEEP || field->value > PPROF_DEEPEST
		       ? read_packed(reading, message, field)
		       : read_deep(reading, message, field);
}

/* The path with a number of the file; 0 is none. */
static int find_path(struct pprof_reading *reading, const struct pprof_message *message,
		     const struct pprof_field *field, perun_id *path)
{
	*path = PERUN_NO_ID;
	if (field->value > reading->paths.count)
		return pprof_wrong(message, field->number, field->start,
				   "%" PRIu64 " names no path before", field->value);
	if (field->value)
		*path = reading->paths.items[field->value - 1];
	return PERUN_OK;
}

int pprof_read_path(struct pprof_reading *reading, struct pprof_message *message)
{
	const unsigned char *start = message->at;
	perun_id caller = PERUN_NO_ID, location = PERUN_NO_ID;
	struct pprof_field field;
	int status = PERUN_OK;

	while (!status && pprof_next_field(message, &field, &status)) {
		if (field.number == 1)
			status = find_path(reading, message, &field, &caller);
		else
			location = number_of(reading, field.value, field.start);
	}
	if (!status && location == PERUN_NO_ID)
		status = pprof_wrong(message, 2, start, "expected a location, found none");
	if (!status)
		PPROF_ADD(reading->paths, perun_builder_path(reading->builder, caller, location));
	return status;
}

static int read_values(struct pprof_reading *reading, const struct pprof_message *message,
		       const struct pprof_field *field)
{
	const unsigned char *at = field->data, *end;

	if (!field->bytes) {
		PPROF_ADD(reading->batch->values, (int64_t)field->value);
		return PERUN_OK;
	}
	end = at + field->value;
	while (at < end) {
		const unsigned char *start = at;
		uint64_t value;

		at = pprof_small(at, end, &value);
		if (!at)
			return cut(message, field, start);
		PPROF_ADD(reading->batch->values, (int64_t)value);
	}
	return PERUN_OK;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Labels of a sample one after the other, as they are in the file. */
static int keep_label(struct pprof_reading *reading, const struct pprof_message *message,
		      const struct pprof_field *field, uint64_t index)
{
	const size_t size = (size_t)(field->data + field->value - field->start);

	if (index >= PPROF_MAX_LABELS)
		return pprof_wrong(message, field->number, field->start, "more than %d labels",
				   PPROF_MAX_LABELS);
	RESERVE(reading->label_bytes, size);
	memcpy(reading->label_bytes.items + reading->label_bytes.count, field->start, size);
	reading->label_bytes.count += size;
	return PERUN_OK;
}

static int check_label(const struct pprof_message *message, const struct pprof_field *field,
		       uint64_t index)
{
	struct pprof_message label = pprof_inside(message, field, &pprof_label_schema, index);
	struct pprof_field inner;
	int status = PERUN_OK;

	while (pprof_next_field(&label, &inner, &status))
		;
	return status;
}

/* Of a sample that was read. */
static int check_labels(struct pprof_message message, const unsigned char *start)
{
	struct pprof_field field;
	uint64_t index = 0;
	int status = PERUN_OK;

	message.at = start;
	while (!status && pprof_next_field(&message, &field, &status)) {
		if (field.number == 3)
			status = check_label(&message, &field, index++);
	}
	return status;
}

/* What is wrong in labels is reported when they are met for the first time. */
static int end_labels(struct pprof_reading *reading, const struct pprof_message *message,
		      const unsigned char *start)
{
	perun_id set = 0;
	int status = PERUN_OK;

	if (!reading->label_bytes.count && !reading->label_texts)
		return PERUN_OK;
	if (!reading->label_texts) {
		reading->label_texts = perun_builder_new();
		reading->first_labelled = (size_t)reading->sample_count;
	}
	if (reading->label_bytes.count)
		set = perun_builder_string(reading->label_texts,
					   (const char *)reading->label_bytes.items,
					   reading->label_bytes.count);
	if (set > reading->label_uses.count) {
		pprof_keep_use(&reading->label_uses, 0, reading->sample_count,
			       pprof_offset(&reading->window, start));
		status = check_labels(*message, start);
	}
	ids_add(&reading->row_labels, set);
	return status;
}

/* ---- the sample ------------------------------------------------------------------------------ */

static void make_columns(struct pprof_reading *reading)
{
	reading->value_count = reading->batch->values.count;
	reading->values = perun_alloc_zero(reading->value_count, sizeof(void *));
	for (size_t i = 0; i < reading->value_count; i++) {
		char *name = perun_format("value %zu", i);
		struct perun_column_info info = {
			.name = name, .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};

		reading->values[i] = perun_table_add_column(reading->table, &info);
		perun_column_save_memory(reading->values[i]);
		perun_free(name);
	}
}

static int check_values(struct pprof_reading *reading, const struct pprof_message *message,
			const unsigned char *start)
{
	size_t count = reading->batch->values.count - reading->batch->count * reading->value_count;

	if (reading->sample_count == 0) {
		reading->first_sample = pprof_offset(&reading->window, start);
		make_columns(reading);
	}
	if (count == reading->value_count)
		return PERUN_OK;
	return pprof_wrong(message, 2, start,
			   "expected as many values in each sample, found %zu in this and %zu in "
			   "the first",
			   count, reading->value_count);
}

static void take_paths(struct pprof_reading *reading, const struct pprof_batch *batch,
		       perun_id *stacks)
{
	size_t first = 0;

	for (size_t i = 0; i < batch->count; i++) {
		size_t count = batch->frame_counts[i];

		if (batch->paths[i] != PERUN_NO_ID)
			stacks[i] = perun_builder_path_stack(reading->builder, batch->paths[i]);
		else
			stacks[i] = perun_builder_stack(reading->builder,
							count ? &batch->frames.items[first] : NULL,
							count);
		first += count;
	}
}

static void put_away(void *job, void *data)
{
	struct pprof_batch *batch = job;
	struct pprof_reading *reading = data;
	perun_id stacks[PPROF_BATCH];
	int64_t cells[PPROF_BATCH];
	size_t count = batch->count;

	if (reading->paths.count)
		take_paths(reading, batch, stacks);
	else
		perun_builder_stacks(reading->builder, batch->frames.items, batch->frame_counts,
				     count, stacks);
	perun_column_append_ids(reading->stacks, PERUN_TYPE_STACK, stacks, count);
	for (size_t i = 0; i < reading->value_count; i++) {
		for (size_t row = 0; row < count; row++)
			cells[row] = batch->values.items[row * reading->value_count + i];
		perun_column_append_int64(reading->values[i], cells, count);
	}
	perun_table_end_rows(reading->table, count);
	batch->frames.count = 0;
	batch->values.count = 0;
	batch->count = 0;
}

static void give_batch(struct pprof_reading *reading)
{
	if (!reading->worker)
		reading->worker = perun_worker_new(PPROF_BATCHES - 1, put_away, reading);
	perun_worker_give(reading->worker, reading->batch);
	reading->batches_given++;
	reading->batch = &reading->batches[reading->batches_given % PPROF_BATCHES];
}

void pprof_wait_for_batches(struct pprof_reading *reading)
{
	if (reading->batches_given == reading->batches_done)
		return;
	perun_worker_wait(reading->worker);
	reading->batches_done = reading->batches_given;
}

void pprof_end_batches(struct pprof_reading *reading)
{
	perun_worker_free(reading->worker);
	reading->worker = NULL;
	if (reading->batch->count)
		put_away(reading->batch, reading);
}

static void end_sample(struct pprof_reading *reading, size_t first_frame)
{
	struct pprof_batch *batch = reading->batch;

	batch->frame_counts[batch->count++] = batch->frames.count - first_frame;
	reading->sample_count++;
	if (batch->count == PPROF_BATCH || batch->frames.count > PPROF_BATCH * 128 ||
	    batch->values.count > PPROF_BATCH * 32)
		give_batch(reading);
}

int pprof_read_sample(struct pprof_reading *reading, struct pprof_message *message)
{
	const unsigned char *start = message->at;
	struct pprof_field field;
	size_t first_frame = reading->batch->frames.count;
	uint64_t labels = 0;
	int status = PERUN_OK;

	reading->label_bytes.count = 0;
	reading->batch->paths[reading->batch->count] = PERUN_NO_ID;
	message->index = reading->sample_count;
	while (!status && pprof_next_field(message, &field, &status)) {
		if (field.number == 1)
			status = read_frames(reading, message, &field);
		else if (field.number == 2)
			status = read_values(reading, message, &field);
		else if (field.number == 4)
			status = find_path(reading, message, &field,
					   &reading->batch->paths[reading->batch->count]);
		else
			status = keep_label(reading, message, &field, labels++);
	}
	if (!status && reading->batch->frames.count - first_frame > PPROF_MAX_FRAMES)
		return pprof_wrong(message, 1, start, "a stack of more than %d frames",
				   PPROF_MAX_FRAMES);
	if (!status)
		status = end_labels(reading, message, start);
	if (!status)
		status = check_values(reading, message, start);
	if (!status && reading->sample_count >= UINT32_MAX - 1)
		return pprof_wrong(message, 0, start, "more than 2^32 samples");
	if (!status)
		end_sample(reading, first_frame);
	return status;
}

void pprof_free_samples(struct pprof_reading *reading)
{
	perun_free(reading->values);
	for (size_t i = 0; i < PPROF_BATCHES; i++) {
		perun_free(reading->batches[i].frames.items);
		perun_free(reading->batches[i].values.items);
	}
	for (size_t i = 0; i < PPROF_KEPT; i++) {
		perun_free(reading->kept[i].bytes.items);
		perun_free(reading->kept[i].frames.items);
	}
	perun_free(reading->seen);
	pprof_kept_free(&reading->uses);
	perun_free(reading->paths.items);
	perun_builder_free(reading->label_texts);
	pprof_kept_free(&reading->label_uses);
	ids_free(&reading->row_labels);
	perun_free(reading->label_bytes.items);
}

/* ---- at the end ------------------------------------------------------------------------------ */

/* Turns the provisional number of a location into that of the pool. */
static perun_id renumber(void *data, perun_id number)
{
	const struct pprof_ids *ids = data;

	return number < PPROF_SMALL_IDS ? ids->small[number + 1]
					: ids->places[number - PPROF_SMALL_IDS];
}

/* Nobody asks for places in the file any more: they become the numbers of the pool, which all provisional ones become then. */
static void renumber_stacks(struct pprof_reading *reading)
{
	struct pprof_ids *ids = &reading->location_ids;

	for (size_t i = 0; i < ids->small_count; i++)
		if (ids->small[i])
			ids->small[i] = reading->location_of[ids->small[i] - 1];
	for (size_t i = 0; i < ids->large.count; i++)
		if (ids->places[i] != PERUN_NO_ID)
			ids->places[i] = reading->location_of[ids->places[i]];
	perun_builder_renumber_stacks(reading->builder, renumber, ids);
}

static int resolve_stacks(struct pprof_reading *reading)
{
	const struct pprof_ids *ids = &reading->location_ids;
	struct pprof_kept_place use = {0};
	uint64_t number;
	bool same = !ids->large.count;

	while (pprof_kept_next_use(&reading->uses, &use, &number)) {
		bool small = number < PPROF_SMALL_IDS;
		uint64_t id = small ? number + 1
				    : stacks_numbers_key(&ids->large, number - PPROF_SMALL_IDS);
		uint32_t place =
			small ? pprof_ids_get(ids, id) : ids->places[number - PPROF_SMALL_IDS];

		if (place == PERUN_NO_ID)
			return perun_fail(reading->ctx, PERUN_INPUT,
					  "byte %" PRIu64 ": Profile.sample[%" PRIu64
					  "].location_id: %" PRIu64 " names no location",
					  use.offset, use.sample, id);
		same &= reading->location_of[place] == number;
	}
	if (!same)
		renumber_stacks(reading);
	return PERUN_OK;
}

/* A string of a label; `uses` says where its set is. */
static int label_string(struct pprof_reading *reading, const struct pprof_first_use *use,
			int64_t number, const char *path, perun_id *id)
{
	return pprof_string(reading, number, use->offset, path, use->sample, id);
}

/*
 * A label as the format has it: the string, if there is one, goes before the number; one that is all
 * zero does not exist, but its key must.
 */
static int resolve_label(struct pprof_reading *reading, const struct pprof_first_use *use,
			 struct pprof_message *message, struct perun_label *label, bool *exists)
{
	int64_t numbers[5] = {0};
	struct pprof_field field;
	int status = PERUN_OK;

	while (pprof_next_field(message, &field, &status))
		numbers[field.number] = (int64_t)field.value;
	*label = (struct perun_label){.text = PERUN_NO_ID};
	*exists = numbers[2] || numbers[3] || numbers[4];
	if (!status)
		status = label_string(reading, use, numbers[1], "sample[].label.key", &label->key);
	if (!status && numbers[2])
		return label_string(reading, use, numbers[2], "sample[].label.str", &label->text);
	label->number = numbers[3];
	if (!status && numbers[4])
		status = label_string(reading, use, numbers[4], "sample[].label.num_unit",
				      &label->unit);
	return status;
}

/* The set of labels with a number of `label_texts`; PERUN_NO_ID when nothing is left of it. */
static int resolve_label_set(struct pprof_reading *reading, const struct pprof_first_use *use,
			     perun_id number, perun_id *set)
{
	size_t length;
	const char *bytes = perun_builder_string_at(reading->label_texts, number, &length);
	unsigned char *copy = perun_alloc(length + PPROF_SLACK);
	struct pprof_message message = {.window = &reading->window,
					.schema = &pprof_sample_schema,
					.at = copy,
					.end = copy + length};
	PPROF_LIST(struct perun_label) labels = {0};
	struct pprof_field field;
	int status = PERUN_OK;

	memcpy(copy, bytes, length);
	memset(copy + length, 0, PPROF_SLACK);
	while (!status && pprof_next_field(&message, &field, &status)) {
		struct pprof_message inside =
			pprof_inside(&message, &field, &pprof_label_schema, 0);
		struct perun_label label;
		bool exists;

		status = resolve_label(reading, use, &inside, &label, &exists);
		if (!status && exists)
			PPROF_ADD(labels, label);
	}
	*set = PERUN_NO_ID;
	if (!status && labels.count)
		*set = perun_builder_labels(reading->builder, labels.items, labels.count);
	perun_free(labels.items);
	perun_free(copy);
	return status;
}

/* Part by part, so that the column is packed meanwhile. */
static void add_labels(struct pprof_reading *reading, const perun_id *sets)
{
	struct perun_column_info info = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};
	struct perun_column_builder *column = perun_table_add_column(reading->table, &info);
	perun_id part[PPROF_BATCH];
	size_t count;

	perun_column_save_memory(column);
	perun_table_rewind(reading->table, reading->first_labelled);
	for (size_t row = 0; row < reading->row_labels.count; row += count) {
		for (count = 0; count < PPROF_BATCH && row + count < reading->row_labels.count;
		     count++)
			part[count] = sets[ids_at(&reading->row_labels, row + count)];
		perun_column_append_ids(column, PERUN_TYPE_LABELS, part, count);
	}
	perun_table_end_rows(reading->table, reading->row_labels.count);
}

static int resolve_labels(struct pprof_reading *reading)
{
	size_t count = reading->label_uses.count;
	perun_id *sets = perun_alloc_zero(count + 1, sizeof *sets);
	struct pprof_kept_place place = {0};
	bool any = false;
	int status = PERUN_OK;

	sets[0] = PERUN_NO_ID;
	for (size_t i = 1; i <= count && !status; i++) {
		struct pprof_first_use use;
		uint64_t none;

		pprof_kept_next_use(&reading->label_uses, &place, &none);
		use = (struct pprof_first_use){place.offset, place.sample};
		status = resolve_label_set(reading, &use, (perun_id)i, &sets[i]);
		any |= sets[i] != PERUN_NO_ID;
	}
	perun_builder_free(reading->label_texts);
	reading->label_texts = NULL;
	pprof_kept_free(&reading->label_uses);
	if (!status && any)
		add_labels(reading, sets);
	perun_free(sets);
	return status;
}

int pprof_resolve_samples(struct pprof_reading *reading)
{
	int status;

	if (reading->sample_count && reading->sample_types.count != reading->value_count)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "byte %" PRIu64
				  ": Profile.sample[0].value: expected a value for each of the %zu "
				  "sample types, found %zu",
				  reading->first_sample, reading->sample_types.count,
				  reading->value_count);
	if (reading->sample_count && !reading->sample_types.count)
		return perun_fail(reading->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": Profile.sample[0]: expected a sample_type, as "
				  "there are samples",
				  reading->first_sample);
	status = resolve_stacks(reading);
	return status ? status : resolve_labels(reading);
}
