/* SPDX-License-Identifier: BSD-3-Clause */
/* A profile made again from another, with its places changed where they are. */
#include <string.h>

#include <perun/json.h>

#include "rebuild.h"

struct rebuild {
	const struct pprof_rebuilding *what;
	const struct perun_profile *from;
	struct perun_builder *to;
	/* New ids by old ones; `strings` is NULL where the builder has those of the profile. */
	perun_id *strings, *functions, *locations, *stacks, *labels;
	perun_id first_mapping;
	struct perun_line *lines; /* room for those of a location */
	size_t line_capacity;
	perun_id *list; /* room for the locations of a stack */
	size_t list_capacity;
};

static perun_id *new_ids(size_t count)
{
	perun_id *ids = perun_alloc((count + 1) * sizeof *ids);

	memset(ids, 0xff, (count + 1) * sizeof *ids);
	return ids;
}

static perun_id move_string(struct rebuild *r, perun_id old)
{
	size_t length;
	const char *text;

	if (old == PERUN_NO_ID || !r->strings)
		return old;
	if (r->strings[old] == PERUN_NO_ID) {
		text = perun_profile_string(r->from, old, &length);
		r->strings[old] = perun_builder_string(r->to, text, length);
	}
	return r->strings[old];
}

/* ---- mappings -------------------------------------------------------------------------------- */

/* Whether Go's url.Parse() sees a scheme: pprof takes such a file for the source of the profile. */
static bool is_url(const char *text)
{
	const char *c = text;

	if (!((*c | 32) >= 'a' && (*c | 32) <= 'z'))
		return false;
	while (((*c | 32) >= 'a' && (*c | 32) <= 'z') || (*c >= '0' && *c <= '9') ||
	       strchr("+-.", *c ? *c : 'a'))
		c++;
	if (*c != ':')
		return false;
	for (; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	}
	return true;
}

static bool is_forgotten(const struct perun_profile *profile, const struct perun_mapping *mapping)
{
	return !*perun_profile_string(profile, mapping->build_id, NULL) &&
	       is_url(perun_profile_string(profile, mapping->file, NULL));
}

bool pprof_changes_mappings(const struct perun_profile *profile,
			    const struct pprof_settings *settings)
{
	size_t count = perun_profile_mappings(profile);

	for (size_t i = 0; i < count; i++) {
		if (is_forgotten(profile, perun_profile_mapping(profile, (perun_id)i)))
			return true;
	}
	return count == 0 || settings->binary || *settings->build_id;
}

/* Mapping i of those that pprof makes of them: at least one. */
static struct perun_mapping mapping_at(struct rebuild *r, size_t i)
{
	const struct pprof_rebuilding *what = r->what;
	struct perun_mapping mapping = {.source_id = 1};

	if (perun_profile_mappings(r->from))
		mapping = *perun_profile_mapping(r->from, (perun_id)i);
	if (perun_profile_mappings(r->from) && is_forgotten(r->from, &mapping))
		mapping.file = 0;
	mapping.file = move_string(r, mapping.file);
	mapping.build_id = move_string(r, mapping.build_id);
	if (i == 0 && what->binary && *what->binary)
		mapping.file = perun_builder_text(r->to, what->binary);
	if (i == 0 && what->build_id && *what->build_id)
		mapping.build_id = perun_builder_text(r->to, what->build_id);
	return mapping;
}

static void move_mappings(struct rebuild *r)
{
	size_t count = perun_profile_mappings(r->from);

	for (size_t i = 0; i < count || i == 0; i++) {
		struct perun_mapping mapping = mapping_at(r, i);
		perun_id id = perun_builder_mapping(r->to, &mapping);

		if (i == 0)
			r->first_mapping = id;
	}
}

int pprof_change_mappings(struct perun_ctx *ctx, const struct pprof_rebuilding *what,
			  struct perun_profile **profile)
{
	struct rebuild r = {.what = what, .from = *profile, .to = perun_builder_from(*profile)};
	size_t count = perun_profile_mappings(r.from);

	for (size_t i = 0; i < count || i == 0; i++) {
		struct perun_mapping mapping = mapping_at(&r, i);

		if (count)
			perun_builder_set_mapping(r.to, (perun_id)i, &mapping);
		else
			perun_builder_map_locations(r.to, perun_builder_mapping(r.to, &mapping));
	}
	perun_profile_unref(*profile);
	return perun_builder_finish(ctx, r.to, profile);
}

/* ---- functions and locations ----------------------------------------------------------------- */

static void move_functions(struct rebuild *r)
{
	size_t count = perun_profile_functions(r->from);

	r->functions = new_ids(count);
	for (size_t i = 0; i < count; i++) {
		struct perun_function function = *perun_profile_function(r->from, (perun_id)i);

		function.name = move_string(r, function.name);
		function.system_name = move_string(r, function.system_name);
		function.file = move_string(r, function.file);
		r->functions[i] = perun_builder_function(r->to, &function);
	}
}

static void move_location(struct rebuild *r, perun_id id)
{
	struct perun_location location = *perun_profile_location(r->from, id);
	const struct perun_line *lines = location.lines;
	size_t count = location.line_count;

	if (count && r->what->stacks)
		lines = perun_stacks_lines(r->what->stacks, id, &count);
	if (count > r->line_capacity) {
		r->line_capacity = count * 2;
		r->lines = perun_realloc_array(r->lines, r->line_capacity, sizeof *r->lines);
	}
	for (size_t i = 0; i < count; i++) {
		r->lines[i] = lines[i];
		if (lines[i].function != PERUN_NO_ID)
			r->lines[i].function = r->functions[lines[i].function];
	}
	location.lines = r->lines;
	location.line_count = (uint32_t)count;
	if (!perun_profile_mappings(r->from))
		location.mapping = r->first_mapping;
	r->locations[id] = perun_builder_location(r->to, &location);
}

static void move_locations(struct rebuild *r)
{
	size_t count = perun_profile_locations(r->from);

	r->locations = new_ids(count);
	for (size_t i = 0; i < count; i++)
		move_location(r, (perun_id)i);
}

/* ---- samples --------------------------------------------------------------------------------- */

static perun_id move_stack(struct rebuild *r, perun_id old, size_t first, size_t end)
{
	const perun_id *locations;
	size_t count, kept = 0;

	if (r->stacks[old] != PERUN_NO_ID)
		return r->stacks[old];
	locations = perun_profile_stack(r->from, old, &count);
	if (end - first > r->list_capacity) {
		r->list_capacity = (end - first) * 2;
		r->list = perun_realloc_array(r->list, r->list_capacity, sizeof *r->list);
	}
	for (size_t i = first; i < end; i++) {
		if (r->what->stacks)
			perun_stacks_lines(r->what->stacks, locations[i], &count);
		if (!r->what->stacks || count)
			r->list[kept++] = r->locations[locations[i]];
	}
	return r->stacks[old] = perun_builder_stack(r->to, r->list, kept);
}

static perun_id move_labels(struct rebuild *r, perun_id old)
{
	size_t count, kept = 0;
	const struct perun_label *labels;
	struct perun_label *moved;

	if (old == PERUN_NO_ID || r->labels[old] != PERUN_NO_ID)
		return old == PERUN_NO_ID ? old : r->labels[old];
	labels = perun_profile_labels(r->from, old, &count);
	moved = perun_alloc(count * sizeof *moved + 1);
	for (size_t i = 0; i < count; i++) {
		if (r->what->hidden_keys && r->what->hidden_keys[labels[i].key])
			continue;
		moved[kept] = labels[i];
		moved[kept].key = move_string(r, labels[i].key);
		moved[kept].text = move_string(r, labels[i].text);
		moved[kept].unit = move_string(r, labels[i].unit);
		kept++;
	}
	if (kept)
		r->labels[old] = perun_builder_labels(r->to, moved, kept);
	perun_free(moved);
	return r->labels[old];
}

/* The rows that are left, and the ids of their stacks and labels. */
struct rows {
	uint64_t *kept;
	size_t count;
	perun_id *stacks, *labels;
	bool labelled;
};

static bool row_is_left(const struct rebuild *r, const struct perun_column *stacks, size_t row,
			perun_id *id, size_t *first, size_t *end)
{
	if (r->what->stacks)
		return perun_stacks_row(r->what->stacks, row, id, first, end);
	*id = perun_column_id(stacks, row);
	*first = 0;
	*end = *id == PERUN_NO_ID ? 0 : perun_profile_stack_length(r->from, *id);
	return true;
}

static void move_rows(struct rebuild *r, struct rows *rows)
{
	const struct perun_table *table = perun_resources(r->from);
	const struct perun_column *stacks = perun_table_column(table, "stack");
	const struct perun_column *labels = perun_table_column(table, "labels");
	size_t count = perun_table_rows(table), first, end;
	perun_id id;

	rows->kept = perun_alloc_zero(count / 64 + 1, sizeof *rows->kept);
	rows->stacks = perun_alloc((count + 1) * sizeof *rows->stacks);
	rows->labels = perun_alloc((count + 1) * sizeof *rows->labels);
	r->stacks = new_ids(perun_profile_stacks(r->from));
	r->labels = new_ids(perun_profile_label_sets(r->from));
	for (size_t row = 0; row < count; row++) {
		if (!row_is_left(r, stacks, row, &id, &first, &end))
			continue;
		rows->kept[row / 64] |= UINT64_C(1) << row % 64;
		rows->stacks[rows->count] = id == PERUN_NO_ID ? id : move_stack(r, id, first, end);
		id = labels ? move_labels(r, perun_column_id(labels, row)) : PERUN_NO_ID;
		rows->labels[rows->count++] = id;
		rows->labelled |= id != PERUN_NO_ID;
	}
}

static void move_values(struct rebuild *r, const struct rows *rows, const struct perun_column *from)
{
	struct perun_table_builder *table = perun_builder_table(r->to, "resources");
	struct perun_column_builder *to = perun_table_add_column(table, perun_column_info(from));
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	double ratio = r->what->ratio;
	struct perun_span span;

	perun_column_save_memory(to);
	for (size_t row = 0; perun_column_span_copy(from, row, &span, block);
	     row = span.first + span.count) {
		size_t count = 0;

		for (size_t i = 0; i < span.count; i++) {
			if (!perun_bit(rows->kept, span.first + i))
				continue;
			block[count] = span.int64s[i];
			if (ratio > 0 && ratio != 1)
				block[count] = pprof_to_integer((double)block[count] * ratio);
			count++;
		}
		perun_column_append_int64(to, block, count);
	}
	perun_free(block);
}

static void move_samples(struct rebuild *r)
{
	const struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	const struct perun_column_info label = {
		.name = "labels", .type = PERUN_TYPE_LABELS, .role = PERUN_ROLE_KEY};
	struct perun_table_builder *table = perun_builder_table(r->to, "resources");
	struct perun_column_builder *column = perun_table_add_column(table, &stack);
	struct rows rows = {0};

	move_rows(r, &rows);
	perun_column_append_ids(column, PERUN_TYPE_STACK, rows.stacks, rows.count);
	if (rows.labelled) {
		column = perun_table_add_column(table, &label);
		perun_column_append_ids(column, PERUN_TYPE_LABELS, rows.labels, rows.count);
	}
	for (size_t i = 0; i < r->what->column_count; i++)
		move_values(r, &rows, r->what->columns[i]);
	perun_table_end_rows(table, rows.count);
	perun_free(rows.kept);
	perun_free(rows.stacks);
	perun_free(rows.labels);
}

static void move_document(struct rebuild *r)
{
	const struct perun_json *from = perun_profile_document(r->from);
	struct perun_json *to = perun_builder_document(r->to), *own;

	for (size_t i = 0; i < perun_json_count(from); i++) {
		size_t length;
		const char *key = perun_json_key_at(from, i, &length);

		perun_json_set_n(to, key, length, perun_json_clone(perun_json_at(from, i)));
	}
	if (!r->what->default_type)
		return;
	if (!perun_json_get(to, "extra"))
		perun_json_set(to, "extra", perun_json_object());
	own = perun_json_get(to, "extra");
	if (!perun_json_get(own, "pprof"))
		perun_json_set(own, "pprof", perun_json_object());
	perun_json_set(perun_json_get(own, "pprof"), "default_sample_type",
		       perun_json_text(r->what->default_type));
}

int pprof_rebuild(struct perun_ctx *ctx, const struct pprof_rebuilding *what,
		  struct perun_profile **profile)
{
	struct rebuild r = {.what = what,
			    .from = what->profile,
			    .to = perun_builder_new(),
			    .first_mapping = PERUN_NO_ID};

	r.strings = new_ids(perun_profile_strings(r.from));
	move_mappings(&r);
	move_functions(&r);
	move_locations(&r);
	move_samples(&r);
	move_document(&r);
	perun_free(r.strings);
	perun_free(r.functions);
	perun_free(r.locations);
	perun_free(r.stacks);
	perun_free(r.labels);
	perun_free(r.lines);
	perun_free(r.list);
	return perun_builder_finish(ctx, r.to, profile);
}
