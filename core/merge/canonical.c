/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A merged profile in the one form that depends on what was merged, and not on its order: everything is sorted by what it is, and what
 * only one of several equal inputs says is the smallest of them. So merging merged profiles gives the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "core/merge/merge.h"

/* ---- mappings as the inputs have them ----------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_builder_texts(const struct perun_merger *merger, perun_id a, perun_id b)
{
	size_t one, other;
	const char *left = perun_builder_string_at(merger->builder, a, &one);
	char *copy = a == b ? NULL : perun_memdup(left, one + 1);
	const char *right = perun_builder_string_at(merger->builder, b, &other);
	int order = copy ? memcmp(copy, right, one < other ? one : other) : 0;

	perun_free(copy);
	return order ? order : compare_numbers(one, other);
}

static unsigned flags_of(const struct perun_mapping *mapping)
{
	return mapping->has_functions * 8u + mapping->has_filenames * 4u +
	       mapping->has_line_numbers * 2u + mapping->has_inline_frames;
}

static int compare_mappings(const struct perun_merger *merger, const struct perun_mapping *a,
			    const struct perun_mapping *b)
{
	int order = compare_builder_texts(merger, a->file, b->file);

	order = order ? order : compare_builder_texts(merger, a->build_id, b->build_id);
	order = order ? order : compare_numbers(a->start, b->start);
	order = order ? order : compare_numbers(a->limit, b->limit);
	order = order ? order : compare_numbers(a->offset, b->offset);
	return order ? order : compare_numbers(flags_of(a), flags_of(b));
}

void perun_merge_note_mapping(struct perun_merger *merger, const struct perun_mapping *from,
			      perun_id number)
{
	struct perun_mapping own = *from, *smallest;
	bool fresh = number == merger->smallest_count;

	if (!(merger->plan->flags & PERUN_MERGE_CANONICAL))
		return;
	own.file = perun_merged_string(merger, from->file);
	own.build_id = perun_merged_string(merger, from->build_id);
	if (fresh) {
		PERUN_GROW(merger->smallest, merger->smallest_count, merger->smallest_room);
		merger->smallest_count++;
	}
	smallest = &merger->smallest[number];
	if (fresh || compare_mappings(merger, &own, smallest) < 0)
		*smallest = own;
}

/* The program is the first mapping of an input; of several programs, the smallest. */
void perun_merge_note_program(struct perun_merger *merger, perun_id number)
{
	if (merger->plan->flags & PERUN_MERGE_CANONICAL)
		merger->programs = perun_realloc_array(merger->programs, merger->program_count + 1,
						       sizeof *merger->programs);
	else
		return;
	for (size_t i = 0; i < merger->program_count; i++)
		if (merger->programs[i] == number)
			return;
	merger->programs[merger->program_count++] = number;
}

/* ---- sorting ----------------------------------------------------------------------------------- */

struct canonical {
	const struct perun_profile *from;
	const struct perun_mapping *mappings; /* as they are to be */
	size_t mapping_count;
	perun_id program; /* PERUN_NO_ID = no mapping */
	struct perun_builder *builder;
	/* Of each thing, whether it is used, then its place in the order. */
	perun_id *functions, *places, *locations, *stacks, *labels;
};

typedef int compare_ids(const struct canonical *canonical, perun_id a, perun_id b);

struct sorting {
	const struct canonical *canonical;
	compare_ids *compare;
};

static int compare_items(const void *one, const void *other, void *data)
{
	const struct sorting *sorting = data;

	return sorting->compare(sorting->canonical, *(const perun_id *)one,
				*(const perun_id *)other);
}

/* The ids below `count` that are marked, sorted; their places take the place of the marks. */
static perun_id *sort(const struct canonical *canonical, perun_id *marks, size_t count,
		      compare_ids *compare, size_t *sorted_count)
{
	struct sorting sorting = {canonical, compare};
	perun_id *sorted = perun_alloc_zero(count + 1, sizeof *sorted);
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (marks[i])
			sorted[used++] = (perun_id)i;
	if (used)
		qsort_r(sorted, used, sizeof *sorted, compare_items, &sorting);
	for (size_t i = 0; i < used; i++)
		marks[sorted[i]] = (perun_id)i;
	*sorted_count = used;
	return sorted;
}

static int compare_texts(const struct canonical *canonical, perun_id a, perun_id b)
{
	size_t one, other;
	const char *left, *right;
	int order;

	if (a == b)
		return 0;
	if (a == PERUN_NO_ID || b == PERUN_NO_ID)
		return a == PERUN_NO_ID ? -1 : 1;
	left = perun_profile_string(canonical->from, a, &one);
	right = perun_profile_string(canonical->from, b, &other);
	order = memcmp(left, right, one < other ? one : other);
	return order ? order : compare_numbers(one, other);
}

static int compare_signed(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_function(const struct canonical *canonical, perun_id a, perun_id b)
{
	const struct perun_function *one = perun_profile_function(canonical->from, a),
				    *other = perun_profile_function(canonical->from, b);
	int order = compare_texts(canonical, one->name, other->name);

	order = order ? order : compare_texts(canonical, one->system_name, other->system_name);
	order = order ? order : compare_texts(canonical, one->file, other->file);
	return order ? order : compare_signed(one->start_line, other->start_line);
}

static int by_mapping(const struct canonical *canonical, perun_id a, perun_id b)
{
	const struct perun_mapping *one = &canonical->mappings[a], *other = &canonical->mappings[b];
	int order;

	if (a == canonical->program || b == canonical->program)
		return (b == canonical->program) - (a == canonical->program);
	order = compare_texts(canonical, one->file, other->file);
	order = order ? order : compare_texts(canonical, one->build_id, other->build_id);
	order = order ? order : compare_numbers(one->offset, other->offset);
	order = order ? order : compare_numbers(one->start, other->start);
	return order ? order : compare_numbers(one->limit, other->limit);
}

/* The place of a location's mapping, counted from 1; 0 = it has none. */
static perun_id mapping_place(const struct canonical *canonical,
			      const struct perun_location *location)
{
	return location->mapping == PERUN_NO_ID ? 0 : canonical->places[location->mapping] + 1;
}

/* Within its mapping, wherever that was loaded. */
static uint64_t address_of(const struct canonical *canonical, const struct perun_location *location)
{
	if (location->mapping == PERUN_NO_ID)
		return location->address;
	return location->address -
	       perun_profile_mapping(canonical->from, location->mapping)->start +
	       canonical->mappings[location->mapping].start;
}

static int compare_lines(const struct canonical *canonical, const struct perun_line *a,
			 const struct perun_line *b)
{
	perun_id one = a->function == PERUN_NO_ID ? 0 : canonical->functions[a->function] + 1;
	perun_id other = b->function == PERUN_NO_ID ? 0 : canonical->functions[b->function] + 1;
	int order = compare_numbers(one, other);

	order = order ? order : compare_signed(a->line, b->line);
	return order ? order : compare_signed(a->column, b->column);
}

static int by_location(const struct canonical *canonical, perun_id a, perun_id b)
{
	const struct perun_location *one = perun_profile_location(canonical->from, a),
				    *other = perun_profile_location(canonical->from, b);
	int order = compare_numbers(mapping_place(canonical, one), mapping_place(canonical, other));

	order = order ? order
		      : compare_numbers(address_of(canonical, one), address_of(canonical, other));
	order = order ? order : compare_numbers(one->folded, other->folded);
	order = order ? order : compare_numbers(one->line_count, other->line_count);
	for (uint32_t i = 0; !order && i < one->line_count; i++)
		order = compare_lines(canonical, &one->lines[i], &other->lines[i]);
	return order;
}

static int by_stack(const struct canonical *canonical, perun_id a, perun_id b)
{
	size_t one, other;
	const perun_id *left = perun_profile_stack(canonical->from, a, &one),
		       *right = perun_profile_stack(canonical->from, b, &other);

	for (size_t i = 0; i < one && i < other; i++)
		if (left[i] != right[i])
			return compare_numbers(canonical->locations[left[i]],
					       canonical->locations[right[i]]);
	return compare_numbers(one, other);
}

static int compare_label(const struct canonical *canonical, const struct perun_label *a,
			 const struct perun_label *b)
{
	int order = compare_numbers(a->text == PERUN_NO_ID, b->text == PERUN_NO_ID);

	order = order ? order : compare_texts(canonical, a->key, b->key);
	order = order ? order : compare_texts(canonical, a->text, b->text);
	order = order ? order : compare_signed(a->number, b->number);
	return order ? order : compare_texts(canonical, a->unit, b->unit);
}

static int by_labels(const struct canonical *canonical, perun_id a, perun_id b)
{
	size_t one, other;
	const struct perun_label *left = perun_profile_labels(canonical->from, a, &one),
				 *right = perun_profile_labels(canonical->from, b, &other);
	int order = 0;

	for (size_t i = 0; !order && i < one && i < other; i++)
		order = compare_label(canonical, &left[i], &right[i]);
	return order ? order : compare_numbers(one, other);
}

/* ---- samples ----------------------------------------------------------------------------------- */

struct sample {
	perun_id stack, labels;
	size_t row;
};

static int by_sample(const void *one, const void *other, void *data)
{
	const struct sample *a = one, *b = other;
	const struct canonical *canonical = data;
	bool left = a->labels != PERUN_NO_ID, right = b->labels != PERUN_NO_ID;
	int order = compare_numbers(canonical->stacks[a->stack], canonical->stacks[b->stack]);

	order = order ? order : compare_numbers(left, right);
	return order || !left ? order
			      : compare_numbers(canonical->labels[a->labels],
						canonical->labels[b->labels]);
}

static bool is_metric(const struct perun_column *column)
{
	return perun_column_info(column)->role == PERUN_ROLE_METRIC;
}

static bool is_zero(const struct perun_table *table, size_t row)
{
	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column *column = perun_table_column_at(table, i);

		if (is_metric(column) && perun_column_double(column, row) != 0)
			return false;
	}
	return true;
}

/* The samples that are not 0, and marks of what they use. */
static struct sample *find_samples(struct canonical *canonical, size_t *count)
{
	const struct perun_table *table = perun_resources(canonical->from);
	const struct perun_column *stacks = perun_table_column(table, "stack"),
				  *labels = perun_table_column(table, "labels");
	size_t rows = perun_table_rows(table);
	struct sample *samples = perun_alloc_zero(rows + 1, sizeof *samples);

	*count = 0;
	for (size_t row = 0; row < rows; row++) {
		struct sample *sample = &samples[*count];

		if (is_zero(table, row))
			continue;
		*sample = (struct sample){perun_column_id(stacks, row),
					  labels ? perun_column_id(labels, row) : PERUN_NO_ID, row};
		canonical->stacks[sample->stack] = 1;
		if (sample->labels != PERUN_NO_ID)
			canonical->labels[sample->labels] = 1;
		++*count;
	}
	return samples;
}

static void mark_frames(struct canonical *canonical)
{
	const struct perun_profile *from = canonical->from;

	for (size_t stack = 0; stack < perun_profile_stacks(from); stack++) {
		size_t frames;
		const perun_id *frame = perun_profile_stack(from, (perun_id)stack, &frames);

		for (size_t i = 0; canonical->stacks[stack] && i < frames; i++)
			canonical->locations[frame[i]] = 1;
	}
	for (size_t i = 0; i < perun_profile_locations(from); i++) {
		const struct perun_location *location = perun_profile_location(from, (perun_id)i);

		if (!canonical->locations[i])
			continue;
		if (location->mapping != PERUN_NO_ID)
			canonical->places[location->mapping] = 1;
		for (uint32_t line = 0; line < location->line_count; line++)
			if (location->lines[line].function != PERUN_NO_ID)
				canonical->functions[location->lines[line].function] = 1;
	}
	if (canonical->program != PERUN_NO_ID)
		canonical->places[canonical->program] = 1;
}

/* ---- the result -------------------------------------------------------------------------------- */

static perun_id text_of(struct canonical *canonical, perun_id id)
{
	size_t length;
	const char *text;

	if (id == PERUN_NO_ID)
		return id;
	text = perun_profile_string(canonical->from, id, &length);
	return perun_builder_string(canonical->builder, text, length);
}

static void add_mappings(struct canonical *canonical)
{
	size_t count;
	perun_id *sorted =
		sort(canonical, canonical->places, canonical->mapping_count, by_mapping, &count);

	for (size_t i = 0; i < count; i++) {
		struct perun_mapping mapping = canonical->mappings[sorted[i]];

		mapping.file = text_of(canonical, mapping.file);
		mapping.build_id = text_of(canonical, mapping.build_id);
		mapping.source_id = i + 1;
		perun_builder_mapping(canonical->builder, &mapping);
	}
	perun_free(sorted);
}

static void add_functions(struct canonical *canonical)
{
	size_t count;
	perun_id *sorted = sort(canonical, canonical->functions,
				perun_profile_functions(canonical->from), by_function, &count);

	for (size_t i = 0; i < count; i++) {
		struct perun_function function =
			*perun_profile_function(canonical->from, sorted[i]);

		function.name = text_of(canonical, function.name);
		function.system_name = text_of(canonical, function.system_name);
		function.file = text_of(canonical, function.file);
		function.source_id = i + 1;
		perun_builder_function(canonical->builder, &function);
	}
	perun_free(sorted);
}

static void add_locations(struct canonical *canonical)
{
	size_t count;
	perun_id *sorted = sort(canonical, canonical->locations,
				perun_profile_locations(canonical->from), by_location, &count);

	for (size_t i = 0; i < count; i++) {
		const struct perun_location *from =
			perun_profile_location(canonical->from, sorted[i]);
		struct perun_line *lines = perun_alloc_zero(from->line_count + 1, sizeof *lines);
		struct perun_location location = *from;

		for (uint32_t line = 0; line < from->line_count; line++) {
			lines[line] = from->lines[line];
			if (lines[line].function != PERUN_NO_ID)
				lines[line].function = canonical->functions[lines[line].function];
		}
		location.address = address_of(canonical, from);
		if (from->mapping != PERUN_NO_ID)
			location.mapping = canonical->places[from->mapping];
		location.lines = lines;
		location.source_id = i + 1;
		perun_builder_location(canonical->builder, &location);
		perun_free(lines);
	}
	perun_free(sorted);
}

static void add_stacks(struct canonical *canonical)
{
	size_t count;
	perun_id *sorted = sort(canonical, canonical->stacks, perun_profile_stacks(canonical->from),
				by_stack, &count);

	for (size_t i = 0; i < count; i++) {
		size_t frames;
		const perun_id *from = perun_profile_stack(canonical->from, sorted[i], &frames);
		perun_id *to = perun_alloc_zero(frames + 1, sizeof *to);

		for (size_t frame = 0; frame < frames; frame++)
			to[frame] = canonical->locations[from[frame]];
		canonical->stacks[sorted[i]] = perun_builder_stack(canonical->builder, to, frames);
		perun_free(to);
	}
	perun_free(sorted);
}

static void add_labels(struct canonical *canonical)
{
	size_t count;
	perun_id *sorted = sort(canonical, canonical->labels,
				perun_profile_label_sets(canonical->from), by_labels, &count);

	for (size_t i = 0; i < count; i++) {
		size_t labels;
		const struct perun_label *from =
			perun_profile_labels(canonical->from, sorted[i], &labels);
		struct perun_label *to = perun_memdup(from, (labels + 1) * sizeof *to - sizeof *to);

		for (size_t label = 0; label < labels; label++) {
			to[label].key = text_of(canonical, from[label].key);
			to[label].text = text_of(canonical, from[label].text);
			to[label].unit = text_of(canonical, from[label].unit);
		}
		canonical->labels[sorted[i]] = perun_builder_labels(canonical->builder, to, labels);
		perun_free(to);
	}
	perun_free(sorted);
}

static void add_samples(struct canonical *canonical, const struct sample *samples, size_t count)
{
	static const struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	static const struct perun_column_info label = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};
	const struct perun_table *from = perun_resources(canonical->from);
	struct perun_table_builder *table = perun_builder_table(canonical->builder, "resources");
	struct perun_column_builder *stacks = perun_table_add_column(table, &stack), *labels = NULL;

	for (size_t i = 0; i < count; i++)
		perun_column_append_ids(stacks, PERUN_TYPE_STACK,
					&canonical->stacks[samples[i].stack], 1);
	for (size_t i = 0; i < count && !labels; i++)
		if (samples[i].labels != PERUN_NO_ID)
			labels = perun_table_add_column(table, &label);
	for (size_t i = 0; labels && i < count; i++) {
		perun_id set = samples[i].labels;

		set = set == PERUN_NO_ID ? set : canonical->labels[set];
		perun_column_append_ids(labels, PERUN_TYPE_LABELS, &set, 1);
	}
	for (size_t c = 0; c < perun_table_columns(from); c++) {
		const struct perun_column *column = perun_table_column_at(from, c);
		struct perun_column_builder *to;

		if (!is_metric(column))
			continue;
		to = perun_table_add_column(table, perun_column_info(column));
		for (size_t i = 0; i < count; i++) {
			double real = perun_column_double(column, samples[i].row);
			int64_t number = perun_column_int64(column, samples[i].row);

			if (perun_column_info(column)->type == PERUN_TYPE_DOUBLE)
				perun_column_append_double(to, &real, NULL, 1);
			else
				perun_column_append_int64(to, &number, 1);
		}
	}
	perun_table_end_rows(table, count);
}

static void copy_document(struct canonical *canonical)
{
	const struct perun_json *from = perun_profile_document(canonical->from);
	struct perun_json *to = perun_builder_document(canonical->builder);

	for (size_t i = 0; i < perun_json_count(from); i++)
		perun_json_set(to, perun_json_key_at(from, i, NULL),
			       perun_json_clone(perun_json_at(from, i)));
}

static perun_id *no_marks(size_t count)
{
	return perun_alloc_zero(count + 1, sizeof(perun_id));
}

static perun_id find_program(const struct canonical *canonical, const perun_id *programs,
			     size_t count)
{
	perun_id found = count ? programs[0] : PERUN_NO_ID;

	for (size_t i = 1; i < count; i++)
		if (by_mapping(canonical, programs[i], found) < 0)
			found = programs[i];
	return found;
}

int perun_merge_canonical(struct perun_ctx *ctx, struct perun_profile *from,
			  const struct perun_merged_mappings *known, struct perun_profile **profile)
{
	struct canonical canonical = {.from = from,
				      .mappings = known->smallest,
				      .mapping_count = known->count,
				      .program = PERUN_NO_ID,
				      .builder = perun_builder_new(),
				      .functions = no_marks(perun_profile_functions(from)),
				      .places = no_marks(known->count),
				      .locations = no_marks(perun_profile_locations(from)),
				      .stacks = no_marks(perun_profile_stacks(from)),
				      .labels = no_marks(perun_profile_label_sets(from))};
	struct sample *samples;
	size_t count;

	canonical.program = find_program(&canonical, known->programs, known->program_count);
	samples = find_samples(&canonical, &count);
	mark_frames(&canonical);
	add_mappings(&canonical);
	add_functions(&canonical);
	add_locations(&canonical);
	add_stacks(&canonical);
	add_labels(&canonical);
	if (count)
		qsort_r(samples, count, sizeof *samples, by_sample, &canonical);
	add_samples(&canonical, samples, count);
	copy_document(&canonical);
	perun_free(samples);
	perun_free(canonical.functions);
	perun_free(canonical.places);
	perun_free(canonical.locations);
	perun_free(canonical.stacks);
	perun_free(canonical.labels);
	return perun_builder_finish(ctx, canonical.builder, profile);
}
