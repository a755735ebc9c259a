/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile model: pools, tables, types, editing, merging, metrics, damage. */
#include "tests/unit/check.h"

#include <pthread.h>

#include "perun/json.h"
#include "perun/profile.h"

static const struct perun_column_info amount_info = {
	.name = "amount", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC, .growing = true};
static const struct perun_column_info type_info = {
	.name = "type", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY};
static const struct perun_column_info subtype_info = {
	.name = "subtype", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY};

static struct perun_profile *finish(struct perun_builder *builder)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;

	if (perun_builder_finish(ctx, builder, &profile) != PERUN_OK)
		CHECK_FAIL("finish: %s", perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return profile;
}

/* The message that finishing fails with; borrowed until the next call. */
static const char *refused(struct perun_builder *builder)
{
	static char message[512];
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;
	int status = perun_builder_finish(ctx, builder, &profile);

	CHECK_INT(status, PERUN_INPUT);
	CHECK(profile == NULL);
	snprintf(message, sizeof message, "%s",
		 status ? perun_ctx_error(ctx) : "(it was accepted)");
	perun_profile_unref(profile);
	perun_ctx_free(ctx);
	return message;
}

static const char *cell(const struct perun_column *column, size_t row, bool json)
{
	static struct perun_buffer buffer[4];
	static int turn;
	struct perun_buffer *text = &buffer[turn++ % 4];

	if (!column) { /* at the end: free */
		for (int i = 0; i < 4; i++)
			perun_buffer_free(&buffer[i]);
		return NULL;
	}
	perun_buffer_clear(text);
	perun_buffer_add_text(text, "");
	if (json)
		perun_column_print_json(column, row, text);
	else
		perun_column_print(column, row, text);
	return text->data;
}

static const char *text_of(const struct perun_profile *profile, perun_id id)
{
	return perun_profile_string(profile, id, NULL);
}

TEST(test_empty)
{
	struct perun_profile *profile = finish(perun_builder_new());
	size_t count = 7;

	REQUIRE(profile);
	CHECK_INT(perun_profile_tables(profile), 0);
	CHECK_INT(perun_profile_strings(profile), 1);
	CHECK_STR(text_of(profile, 0), "");
	CHECK(text_of(profile, PERUN_NO_ID) == NULL);
	CHECK_INT(perun_table_rows(perun_resources(profile)), 0);
	CHECK_STR(perun_table_name(perun_resources(profile)), "resources");
	CHECK(perun_table_profile(perun_resources(profile)) == profile);
	CHECK(perun_profile_table(profile, "resources") == NULL);
	perun_metrics(profile, &count);
	CHECK_INT(count, 0);
	CHECK_STR(perun_profile_text(profile, "/header/cmd"), "");
	CHECK_STR(perun_profile_postprocessors(profile), "");
	CHECK_STR(perun_profile_unit(profile, "time", NULL), "");
	perun_profile_unref(perun_profile_ref(profile));
	perun_profile_unref(profile);
	perun_profile_unref(NULL);
	perun_builder_free(NULL);
}

TEST(test_strings)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile;
	perun_id first, nul;
	size_t length;
	char name[32];

	first = perun_builder_text(builder, "first");
	nul = perun_builder_string(builder, "a\0b", 3);
	CHECK_INT(perun_builder_text(builder, ""), 0);
	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof name, "name %d", i);
		perun_builder_text(builder, name);
	}
	CHECK_INT(perun_builder_text(builder, "first"), first);
	CHECK_INT(perun_builder_string(builder, "a\0b", 3), nul);
	CHECK_STR(perun_builder_string_at(builder, first, NULL), "first");
	profile = finish(builder);
	REQUIRE(profile);
	CHECK_INT(perun_profile_strings(profile), 10003);
	CHECK_STR(perun_profile_string(profile, nul, &length), "a");
	CHECK_INT(length, 3);
	CHECK_INT(perun_profile_find_string(profile, "first", 5), first);
	CHECK_INT(perun_profile_find_string(profile, "firsT", 5), PERUN_NO_ID);
	for (int i = 0; i < 10000; i += 97) {
		snprintf(name, sizeof name, "name %d", i);
		first = perun_profile_find_string(profile, name, strlen(name));
		CHECK_STR(text_of(profile, first), name);
	}
	perun_profile_unref(profile);
}

TEST(test_pools)
{
	struct perun_builder *builder = perun_builder_new();
	perun_id name = perun_builder_text(builder, "f"), file = perun_builder_text(builder, "f.c");
	struct perun_function function = {.name = name, .file = file, .start_line = 7};
	perun_id plain = perun_builder_function(builder, &function), named;
	struct perun_mapping mapping = {.start = 4096, .limit = 8192, .has_functions = true};
	struct perun_line lines[2] = {{.function = plain, .line = 9}, {.function = PERUN_NO_ID}};
	struct perun_location location = {
		.address = 4100, .folded = true, .source_id = 3, .line_count = 2, .lines = lines};
	const struct perun_location *found;
	struct perun_profile *profile;
	perun_id place, other;

	CHECK_INT(perun_builder_function(builder, &function), plain);
	function.source_id = 5;
	named = perun_builder_function(builder, &function);
	CHECK(named != plain);
	location.mapping = perun_builder_mapping(builder, &mapping);
	CHECK_INT(perun_builder_mapping(builder, &mapping), location.mapping);
	place = perun_builder_location(builder, &location);
	CHECK_INT(perun_builder_location(builder, &location), place);
	lines[1].line = 1;
	other = perun_builder_location(builder, &location);
	CHECK(other != place);
	profile = finish(builder);
	REQUIRE(profile);
	found = perun_profile_location(profile, place);
	CHECK_INT(found->line_count, 2);
	CHECK_INT(found->lines[0].line, 9);
	CHECK_INT(found->lines[1].function, PERUN_NO_ID);
	CHECK(found->folded && found->source_id == 3 && found->address == 4100);
	CHECK_INT(perun_profile_location(profile, other)->lines[1].line, 1);
	CHECK_STR(text_of(profile, perun_profile_function(profile, named)->file), "f.c");
	CHECK_INT(perun_profile_mapping(profile, found->mapping)->limit, 8192);
	CHECK(perun_profile_location(profile, 2) == NULL);
	CHECK_INT(perun_profile_functions(profile), 2);
	CHECK_INT(perun_profile_locations(profile), 2);
	CHECK_INT(perun_profile_mappings(profile), 1);
	perun_profile_unref(profile);
}

static struct perun_location extreme_location(perun_id function, struct perun_line *lines,
					      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		lines[i] = (struct perun_line){.function = i ? function : PERUN_NO_ID,
					       .line = i % 2 ? INT64_MIN : INT64_MAX,
					       .column = -(int64_t)i};
	return (struct perun_location){.address = UINT64_MAX,
				       .mapping = count % 2 ? PERUN_NO_ID : 0,
				       .folded = count % 2,
				       .source_id = count % 3 ? UINT64_MAX : 0,
				       .line_count = count,
				       .lines = lines};
}

static void check_extremes(const struct perun_profile *profile, perun_id function, uint32_t count)
{
	struct perun_line lines[100];

	for (uint32_t i = 0; i < count; i++) {
		struct perun_location expected = extreme_location(function, lines, i);
		const struct perun_location *got = perun_profile_location(profile, i);

		CHECK(got->address == expected.address && got->mapping == expected.mapping &&
		      got->folded == expected.folded && got->source_id == expected.source_id);
		CHECK_INT(got->line_count, i);
		for (uint32_t l = 0; l < i; l++)
			CHECK(got->lines[l].function == lines[l].function &&
			      got->lines[l].line == lines[l].line &&
			      got->lines[l].column == lines[l].column);
	}
}

/* Numbers of every length, and a builder from a profile whose places were asked for. */
TEST(test_extreme_places)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_mapping mapping = {.start = UINT64_MAX,
					.limit = 1,
					.offset = UINT64_MAX,
					.has_filenames = true,
					.has_inline_frames = true,
					.source_id = UINT64_MAX};
	struct perun_function least = {.start_line = INT64_MIN, .source_id = UINT64_MAX};
	perun_id function = perun_builder_function(builder, &least);
	struct perun_line lines[100];
	struct perun_location location;
	const struct perun_location *before;
	const struct perun_mapping *got;
	struct perun_profile *profile, *next;

	CHECK_INT(perun_builder_mapping(builder, &mapping), 0);
	for (uint32_t i = 0; i < 100; i++) {
		location = extreme_location(function, lines, i);
		CHECK_INT(perun_builder_location(builder, &location), i);
		CHECK_INT(perun_builder_location(builder, &location), i);
	}
	profile = finish(builder);
	REQUIRE(profile);
	check_extremes(profile, function, 100);
	got = perun_profile_mapping(profile, 0);
	CHECK(got->start == UINT64_MAX && got->limit == 1 && got->offset == UINT64_MAX &&
	      got->source_id == UINT64_MAX && !got->has_functions && got->has_filenames &&
	      !got->has_line_numbers && got->has_inline_frames);
	CHECK(perun_profile_function(profile, function)->start_line == INT64_MIN);
	CHECK(perun_profile_function(profile, function)->source_id == UINT64_MAX);

	before = perun_profile_location(profile, 99);
	builder = perun_builder_from(profile);
	CHECK_INT(perun_builder_location(builder, before), 99);
	location.line_count = 1;
	CHECK_INT(perun_builder_location(builder, &location), 100);
	next = finish(builder);
	REQUIRE(next);
	CHECK(perun_profile_location(profile, 99) == before);
	check_extremes(next, function, 100);
	CHECK_INT(perun_profile_location(next, 100)->line_count, 1);
	perun_profile_unref(profile);
	builder = perun_builder_from(next);
	perun_profile_unref(next); /* so that all is the builder's, and added in place */
	location.line_count = 2;
	CHECK_INT(perun_builder_location(builder, &location), 101);
	next = finish(builder);
	REQUIRE(next);
	check_extremes(next, function, 100);
	CHECK_INT(perun_profile_location(next, 101)->line_count, 2);
	perun_profile_unref(next);
}

TEST(test_stacks_and_labels)
{
	struct perun_builder *builder = perun_builder_new();
	const char *const names[] = {"leaf", "middle", "main"};
	struct perun_column_info stack_info = {.name = "stack", .type = PERUN_TYPE_STACK};
	struct perun_column_info labels_info = {.name = "labels", .type = PERUN_TYPE_LABELS};
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *stacks = perun_table_add_column(table, &stack_info);
	struct perun_column_builder *sets = perun_table_add_column(table, &labels_info);
	struct perun_label labels[3] = {
		{.key = perun_builder_text(builder, "k"), .text = perun_builder_text(builder, "v")},
		{.key = perun_builder_text(builder, "n"),
		 .text = PERUN_NO_ID,
		 .number = 4,
		 .unit = perun_builder_text(builder, "bytes")},
		{.key = perun_builder_text(builder, "k"), .text = perun_builder_text(builder, "w")},
	};
	perun_id stack = perun_builder_stack_of_names(builder, names, 3), empty;
	const struct perun_column *column;
	struct perun_profile *profile;
	size_t count;

	CHECK_INT(perun_builder_stack_of_names(builder, names, 3), stack);
	CHECK(perun_builder_stack_of_names(builder, names + 1, 2) != stack);
	empty = perun_builder_stack(builder, NULL, 0);
	perun_column_set_id(stacks, PERUN_TYPE_STACK, stack);
	perun_column_set_id(sets, PERUN_TYPE_LABELS, perun_builder_labels(builder, labels, 3));
	perun_table_end_row(table);
	perun_column_set_id(stacks, PERUN_TYPE_STACK, empty);
	perun_table_end_row(table);
	profile = finish(builder);
	REQUIRE(profile);
	CHECK_INT(perun_profile_stack(profile, stack, &count)[2],
		  perun_profile_stack(profile, stack + 1, &count)[1]);
	CHECK_INT(count, 2);
	CHECK(perun_profile_stack(profile, empty, &count) != NULL);
	CHECK_INT(count, 0);
	CHECK_INT(perun_profile_labels(profile, 0, &count)[1].number, 4);
	CHECK_INT(count, 3);
	column = perun_table_column(perun_resources(profile), "stack");
	CHECK_STR(cell(column, 0, false), "main;middle;leaf");
	CHECK_STR(cell(column, 0, true), "[\"main\", \"middle\", \"leaf\"]");
	CHECK_STR(cell(column, 1, true), "[]");
	column = perun_table_column(perun_resources(profile), "labels");
	CHECK_STR(cell(column, 0, false), "k=v,n=4 bytes,k=w");
	CHECK_STR(cell(column, 0, true), "{\"k\": [\"v\", \"w\"], \"n\": 4}");
	CHECK_STR(cell(column, 1, true), "null");
	perun_profile_unref(profile);
}

TEST(test_points)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *column = perun_table_add_column(
		table, &(struct perun_column_info){.name = "point", .type = PERUN_TYPE_POINT});
	double values[2] = {1.5, 3};
	struct perun_profile *profile;
	const char *unit;
	size_t count;

	CHECK_INT(perun_builder_parameter(builder, "p", "procs"), 0);
	perun_column_set_id(column, PERUN_TYPE_POINT, perun_builder_point(builder, values, 1));
	perun_table_end_row(table);
	CHECK_INT(perun_builder_parameter(builder, "n", NULL), 1);
	CHECK_INT(perun_builder_parameter(builder, "p", NULL), 0);
	perun_column_set_id(column, PERUN_TYPE_POINT, perun_builder_point(builder, values, 2));
	perun_table_end_row(table);
	profile = finish(builder);
	REQUIRE(profile);
	CHECK_STR(perun_profile_parameter(profile, 0, &unit), "p");
	CHECK_STR(unit, "procs");
	CHECK(perun_profile_parameter(profile, 2, &unit) == NULL);
	CHECK_DOUBLE(perun_profile_point(profile, 0, &count)[1], NAN, 0);
	CHECK_INT(count, 2);
	CHECK_STR(cell(perun_table_column(perun_resources(profile), "point"), 1, false),
		  "p=1.5,n=3");
	CHECK_STR(cell(perun_table_column(perun_resources(profile), "point"), 1, true),
		  "{\"p\": 1.5, \"n\": 3.0}");
	perun_profile_unref(profile);
}

/* ---- types ---------------------------------------------------------------------------------- */

/* A growing column of one type after the given cells, as JSON: i5 u5 d1.5 bt s:text j:json - */
static const char *grown(enum perun_type type, const char *const *cells, enum perun_type *becomes)
{
	static char line[256];
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	struct perun_column_builder *column = perun_table_add_column(
		table, &(struct perun_column_info){.name = "c", .type = type, .growing = true});
	struct perun_profile *profile;
	const struct perun_column *made;

	for (; *cells; cells++) {
		const char *text = *cells + 1;

		if (**cells == 'i')
			perun_column_set_int64(column, strtoll(text, NULL, 10));
		else if (**cells == 'u')
			perun_column_set_uint64(column, strtoull(text, NULL, 10));
		else if (**cells == 'd')
			perun_column_set_double(column, strtod(text, NULL));
		else if (**cells == 'b')
			perun_column_set_bool(column, *text == 't');
		else if (**cells == 's')
			perun_column_set_id(column, PERUN_TYPE_STRING,
					    perun_builder_text(builder, text));
		else if (**cells == 'j')
			perun_column_set_id(column, PERUN_TYPE_JSON,
					    perun_builder_text(builder, text));
		perun_table_end_row(table);
	}
	profile = finish(builder);
	if (!profile)
		return "";
	made = perun_table_column(perun_profile_table(profile, "t"), "c");
	*becomes = perun_column_info(made)->type;
	line[0] = '\0';
	for (size_t row = 0; row < perun_table_rows(perun_column_table(made)); row++)
		snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", row ? " " : "",
			 cell(made, row, true));
	perun_profile_unref(profile);
	return line;
}

#define CHECK_GROWN(from, to, line, ...)                         \
	do {                                                     \
		enum perun_type becomes = from;                  \
		const char *const cells[] = {__VA_ARGS__, NULL}; \
		CHECK_STR(grown(from, cells, &becomes), line);   \
		CHECK_INT(becomes, to);                          \
	} while (0)

TEST(test_promotion)
{
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_INT64, "1 null -2", "i1", "-", "i-2");
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_INT64, "1 7", "i1", "u7");
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_UINT64, "null 1 18446744073709551615", "-", "i1",
		    "u18446744073709551615");
	CHECK_GROWN(PERUN_TYPE_UINT64, PERUN_TYPE_INT64, "1 -1", "u1", "i-1");
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_JSON, "-1 18446744073709551615", "i-1",
		    "u18446744073709551615");
	CHECK_GROWN(PERUN_TYPE_UINT64, PERUN_TYPE_JSON, "18446744073709551615 -1",
		    "u18446744073709551615", "i-1");
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_DOUBLE, "0 null 0.5 3.0 7", "i0", "-", "d0.5",
		    "d3", "i7");
	CHECK_GROWN(PERUN_TYPE_DOUBLE, PERUN_TYPE_DOUBLE,
		    "0.5 9007199254740992 1152921504606846976", "d0.5", "i9007199254740992",
		    "i1152921504606846976");
	CHECK_GROWN(PERUN_TYPE_DOUBLE, PERUN_TYPE_JSON, "0.5 9007199254740993", "d0.5",
		    "i9007199254740993");
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_JSON, "9007199254740993 0.5", "i9007199254740993",
		    "d0.5");
	CHECK_GROWN(PERUN_TYPE_DOUBLE, PERUN_TYPE_DOUBLE,
		    "9223372036854775808 -9223372036854775808", "u9223372036854775808",
		    "i-9223372036854775808");
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_JSON, "1 \"x\\\"y\" null true", "i1", "sx\"y", "-",
		    "bt");
	CHECK_GROWN(PERUN_TYPE_STRING, PERUN_TYPE_JSON, "\"a\" {\"k\": [1]} \"a\" 5 1.0", "sa",
		    "j{\"k\": [1]}", "sa", "i5", "d1");
	CHECK_GROWN(PERUN_TYPE_BOOL, PERUN_TYPE_JSON, "true false 1", "bt", "bf", "i1");
	CHECK_GROWN(PERUN_TYPE_INT64, PERUN_TYPE_STRING, "null null \"late\"", "-", "-", "slate");
	CHECK_GROWN(PERUN_TYPE_JSON, PERUN_TYPE_JSON, "123456789012345678901234567890 1.5",
		    "j123456789012345678901234567890", "d1.5");
	CHECK_GROWN(PERUN_TYPE_DOUBLE, PERUN_TYPE_DOUBLE, "NaN -0.0 0", "dnan", "d-0.0", "i0");
}

TEST(test_fixed_types)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	struct perun_column_builder *column = perun_table_add_column(
		table, &(struct perun_column_info){.name = "c", .type = PERUN_TYPE_INT64});
	struct perun_column_builder *real = perun_table_add_column(
		table, &(struct perun_column_info){.name = "d", .type = PERUN_TYPE_DOUBLE});
	struct perun_profile *profile;
	const struct perun_column *made;

	perun_column_set_double(column, 3.0);
	perun_column_set_int64(real, 4);
	perun_table_end_row(table);
	perun_column_set_uint64(column, 8);
	perun_column_set_double(real, 4);
	perun_table_end_row(table);
	profile = finish(builder);
	REQUIRE(profile);
	made = perun_table_column(perun_profile_table(profile, "t"), "c");
	CHECK_INT(perun_column_int64(made, 0) + perun_column_int64(made, 1), 11);
	made = perun_table_column(perun_profile_table(profile, "t"), "d");
	CHECK_STR(cell(made, 0, true), "4");
	CHECK_STR(cell(made, 1, true), "4.0");
	perun_profile_unref(profile);

	builder = perun_builder_new();
	table = perun_builder_table(builder, "t");
	column = perun_table_add_column(
		table, &(struct perun_column_info){.name = "c", .type = PERUN_TYPE_INT64});
	perun_column_set_double(column, 1.5);
	perun_table_end_row(table);
	CHECK_STR(refused(builder), "column c of table t holds int64 cells, and cannot take the "
				    "double of row 0");
}

/* ---- rows ----------------------------------------------------------------------------------- */

TEST(test_set_twice_and_unfinished)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *amount = perun_table_add_column(table, &amount_info), *late;
	const struct perun_table *made;
	struct perun_profile *profile;

	perun_column_set_int64(amount, 1);
	perun_column_set_int64(amount, 2);
	perun_table_end_row(table);
	perun_column_set_int64(amount, 3);
	perun_column_set_absent(amount);
	perun_column_set_absent(amount);
	perun_table_end_row(table);
	late = perun_table_add_column(table, &type_info);
	CHECK(perun_table_add_column(table, &type_info) == late);
	perun_column_set_id(late, PERUN_TYPE_STRING, perun_builder_text(builder, "x"));
	perun_table_end_row(table);
	perun_column_set_int64(amount, 9); /* a row that never ends */
	CHECK_INT(perun_table_builder_rows(table), 3);
	profile = finish(builder);
	REQUIRE(profile);
	made = perun_resources(profile);
	CHECK_INT(perun_table_rows(made), 3);
	CHECK_STR(cell(perun_table_column(made, "amount"), 0, true), "2");
	CHECK_STR(cell(perun_table_column(made, "amount"), 1, true), "null");
	CHECK_STR(cell(perun_table_column(made, "amount"), 2, true), "null");
	CHECK_STR(cell(perun_table_column(made, "amount"), 3, true), "null");
	CHECK_STR(cell(perun_table_column(made, "type"), 1, true), "null");
	CHECK_STR(cell(perun_table_column(made, "type"), 2, false), "x");
	CHECK_INT(perun_column_index(perun_table_column_at(made, 1)), 1);
	CHECK(perun_table_column_at(made, 2) == NULL);
	perun_profile_unref(profile);
}

/* What is forgotten may be longer than a span; the rows before it and after it are what they are without it. */
TEST(test_discard)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *amount = perun_table_add_column(table, &amount_info);
	int64_t values[1000] = {7, 8, 9};
	struct perun_profile *profile;

	perun_table_discard(table);
	perun_column_append_int64(amount, values, 2);
	perun_table_end_rows(table, 2);
	for (size_t i = 0; i < 2 * PERUN_SPAN_ROWS; i += 1000)
		perun_column_append_int64(amount, values, 1000);
	perun_table_discard(table);
	perun_column_append_int64(amount, values + 2, 1);
	perun_table_end_rows(table, 1);
	perun_column_set_int64(amount, 10);
	perun_table_discard(table);
	perun_table_end_row(table);
	profile = finish(builder);
	REQUIRE(profile);
	CHECK_INT(perun_table_rows(perun_resources(profile)), 4);
	CHECK_STR(cell(perun_table_column(perun_resources(profile), "amount"), 1, true), "8");
	CHECK_STR(cell(perun_table_column(perun_resources(profile), "amount"), 2, true), "9");
	CHECK_STR(cell(perun_table_column(perun_resources(profile), "amount"), 3, true), "null");
	perun_profile_unref(profile);
}

TEST(test_refused)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	perun_id ids[2] = {0, 77};
	struct perun_function function = {.name = 12};

	perun_column_append_ids(perun_table_add_column(table, &type_info), PERUN_TYPE_STRING, ids,
				2);
	perun_table_end_rows(table, 2);
	CHECK_STR(refused(builder), "column type of table t names entry 77, but there are only 1");

	builder = perun_builder_new();
	perun_builder_function(builder, &function);
	CHECK_CONTAINS(refused(builder), "function 0 names something");

	builder = perun_builder_new();
	perun_builder_stack(builder, ids + 1, 1);
	CHECK_CONTAINS(refused(builder), "stack 0 names something");

	builder = perun_builder_new();
	perun_builder_point(builder, (double[]){1}, 1);
	CHECK_CONTAINS(refused(builder), "point 0 names something");

	builder = perun_builder_new();
	table = perun_builder_table(builder, "t");
	perun_column_set_id(
		perun_table_add_column(table, &(struct perun_column_info){.name = "r",
									  .type = PERUN_TYPE_ROW,
									  .refers = "nowhere"}),
		PERUN_TYPE_ROW, 0);
	perun_table_end_row(table);
	CHECK_CONTAINS(refused(builder), "column r of table t names entry 0");
}

/* ---- documents and metrics ------------------------------------------------------------------- */

static void set_document(struct perun_builder *builder, const char *text)
{
	struct perun_json *parsed = NULL, *document = perun_builder_document(builder);

	REQUIRE(perun_json_parse(NULL, text, strlen(text), NULL, &parsed) == PERUN_OK);
	for (size_t i = 0; i < perun_json_count(parsed); i++)
		perun_json_set(document, perun_json_key_at(parsed, i, NULL),
			       perun_json_clone(perun_json_at(parsed, i)));
	perun_json_free(parsed);
}

TEST(test_document)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile, *edited;

	set_document(builder,
		     "{\"header\": {\"cmd\": \"ls\", \"args\": [1, \"a\"], \"workload\": null, "
		     "\"units\": {\"time\": \"s\", \"mixed(delta)\": \"us\", \"odd\": 5}}, "
		     "\"postprocessors\": [{\"name\": \"a\"}, {}, {\"name\": \"b\"}]}");
	profile = finish(builder);
	REQUIRE(profile);
	CHECK_STR(perun_profile_text(profile, "/header/cmd"), "ls");
	CHECK_STR(perun_profile_text(profile, "/header/args"), "[1, \"a\"]");
	CHECK(perun_profile_text(profile, "/header/args") ==
	      perun_profile_text(profile, "/header/args"));
	CHECK_STR(perun_profile_text(profile, "/header/workload"), "");
	CHECK_STR(perun_profile_text(profile, "/header/cmd/more"), "");
	CHECK_STR(perun_profile_postprocessors(profile), "a b");
	CHECK_STR(perun_profile_unit(profile, "mixed", "delta"), "us");
	CHECK_STR(perun_profile_unit(profile, "time", "real"), "s");
	CHECK_STR(perun_profile_unit(profile, "mixed", NULL), "");
	CHECK_STR(perun_profile_unit(profile, "odd", NULL), "");
	builder = perun_builder_from(profile);
	perun_json_set(perun_builder_document(builder), "origin", perun_json_text("abc"));
	edited = finish(builder);
	REQUIRE(edited);
	CHECK_STR(perun_profile_text(edited, "/origin"), "abc");
	CHECK_STR(perun_profile_text(profile, "/origin"), "");
	CHECK_STR(perun_profile_text(edited, "/header/cmd"), "ls");
	perun_profile_unref(edited);
	edited = finish(perun_builder_from(profile));
	CHECK(perun_profile_document(edited) == perun_profile_document(profile));
	perun_profile_unref(profile);
	CHECK_STR(perun_profile_text(edited, "/header/cmd"), "ls");
	perun_profile_unref(edited);
}

static void add_resource(struct perun_builder *builder, int64_t amount, const char *type,
			 const char *subtype)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");

	perun_column_set_int64(perun_table_add_column(table, &amount_info), amount);
	if (type)
		perun_column_set_id(perun_table_add_column(table, &type_info), PERUN_TYPE_STRING,
				    perun_builder_text(builder, type));
	if (subtype)
		perun_column_set_id(perun_table_add_column(table, &subtype_info), PERUN_TYPE_STRING,
				    perun_builder_text(builder, subtype));
	perun_table_end_row(table);
}

TEST(test_metrics_long)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table;
	const struct perun_metric *const *metrics;
	struct perun_profile *profile;
	size_t count;

	set_document(builder,
		     "{\"header\": {\"type\": \"mixed\", \"units\": {\"time\": \"s\", "
		     "\"memory(malloc)\": \"B\"}, \"default_metric\": \"memory(malloc)\"}, "
		     "\"metrics\": {\"time\": {\"better\": \"higher\", \"kind\": \"ratio\", "
		     "\"description\": \"speed\", \"inclusive\": true}}}");
	add_resource(builder, 1, "time", NULL);
	add_resource(builder, 2, "memory", "malloc");
	add_resource(builder, 3, "time", NULL);
	add_resource(builder, 4, NULL, NULL);
	table = perun_builder_table(builder, "resources");
	perun_column_set_id(perun_table_find_column(table, "type"), PERUN_TYPE_STRING,
			    perun_builder_text(builder, "time"));
	perun_table_end_row(table); /* no amount: no metric */
	profile = finish(builder);
	REQUIRE(profile);
	metrics = perun_metrics(profile, &count);
	REQUIRE(count == 3);
	CHECK_STR(metrics[0]->name, "memory(malloc)");
	CHECK_STR(metrics[0]->unit, "B");
	CHECK_INT(metrics[0]->rows, 1);
	CHECK_STR(metrics[1]->name, "time");
	CHECK_STR(metrics[1]->unit, "s");
	CHECK_STR(metrics[1]->description, "speed");
	CHECK_STR(metrics[1]->parent, "");
	CHECK_INT(metrics[1]->better, PERUN_BETTER_HIGHER);
	CHECK_INT(metrics[1]->measure, PERUN_MEASURE_RATIO);
	CHECK(metrics[1]->inclusive);
	CHECK_INT(metrics[1]->rows, 2);
	CHECK_STR(metrics[2]->name, "mixed");
	CHECK(perun_metric(profile, "time") == metrics[1]);
	CHECK(perun_metric(profile, "memory") == NULL);
	CHECK(perun_metric_has_row(metrics[1], 0) && !perun_metric_has_row(metrics[1], 1));
	CHECK(perun_metric_has_row(metrics[1], 2) && !perun_metric_has_row(metrics[1], 3));
	CHECK(!perun_metric_has_row(metrics[1], 4) && perun_metric_has_row(metrics[2], 3));
	CHECK(!perun_metric_has_row(metrics[1], 5));
	perun_profile_unref(profile);
}

TEST(test_metrics_wide)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {.name = "samples",
					 .unit = "count",
					 .type = PERUN_TYPE_INT64,
					 .role = PERUN_ROLE_METRIC};
	const struct perun_metric *const *metrics;
	struct perun_profile *profile;
	size_t count;

	perun_column_append_int64(perun_table_add_column(table, &info), (int64_t[]){1, 2, 3}, 3);
	perun_table_end_rows(table, 3);
	info.name = "cpu";
	info.unit = "ns";
	perun_column_append_absent(perun_table_add_column(table, &info), 3);
	perun_table_add_column(table, &type_info);
	perun_column_set_int64(perun_table_find_column(table, "cpu"), 5);
	perun_table_end_row(table);
	set_document(builder, "{\"metrics\": {\"cpu\": {\"unit\": \"nanoseconds\"}}}");
	profile = finish(builder);
	REQUIRE(profile);
	metrics = perun_metrics(profile, &count);
	REQUIRE(count == 2);
	CHECK_STR(metrics[0]->name, "samples");
	CHECK_STR(metrics[0]->unit, "count");
	CHECK_INT(metrics[0]->rows, 3);
	CHECK_STR(metrics[1]->unit, "nanoseconds");
	CHECK_INT(metrics[1]->rows, 1);
	CHECK(perun_metric_has_row(metrics[0], 2) && !perun_metric_has_row(metrics[0], 3));
	perun_profile_unref(profile);

	/* Named in a column `metric`. */
	builder = perun_builder_new();
	table = perun_builder_table(builder, "resources");
	info.name = "metric";
	info.type = PERUN_TYPE_STRING;
	for (int i = 0; i < 4; i++) {
		perun_column_set_id(perun_table_add_column(table, &info), PERUN_TYPE_STRING,
				    perun_builder_text(builder, i == 1 ? "flops" : "time"));
		perun_column_set_int64(perun_table_add_column(table, &amount_info), i);
		perun_table_end_row(table);
	}
	profile = finish(builder);
	REQUIRE(profile);
	metrics = perun_metrics(profile, &count);
	REQUIRE(count == 2);
	CHECK_STR(metrics[0]->name, "time");
	CHECK_INT(metrics[0]->rows, 3);
	CHECK_STR(metrics[1]->name, "flops");
	perun_profile_unref(profile);
}

TEST(test_many_columns)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	struct perun_column_info info = {.type = PERUN_TYPE_INT64};
	const struct perun_table *made;
	struct perun_profile *profile;
	char name[16];

	info.name = name;
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "c%d", i);
		perun_column_set_int64(perun_table_add_column(table, &info), i);
		CHECK_INT(perun_table_builder_columns(table), i + 1);
	}
	perun_table_end_row(table);
	perun_table_remove_column(table, "c100");
	CHECK(perun_table_find_column(table, "c100") == NULL);
	snprintf(name, sizeof name, "c101");
	perun_column_set_int64(perun_table_add_column(table, &info), 5);
	profile = finish(builder);
	REQUIRE(profile);
	made = perun_profile_table(profile, "t");
	CHECK_INT(perun_table_columns(made), 19999);
	CHECK(perun_table_column(made, "c100") == NULL);
	CHECK_INT(perun_column_int64(perun_table_column(made, "c101"), 0), 101);
	CHECK_INT(perun_column_uint64(perun_table_column(made, "c19999"), 0), 19999);
	CHECK_STR(perun_column_info(perun_table_column(made, "c77"))->name, "c77");
	perun_profile_unref(profile);
}

/* ---- editing and merging ---------------------------------------------------------------------- */

static const struct perun_column_info parent_info = {
	.name = "parent", .type = PERUN_TYPE_ROW, .refers = "resources"};

static struct perun_profile *family(const char *const *names)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *parents = perun_table_add_column(table, &parent_info);
	perun_id parent = PERUN_NO_ID;

	for (; *names; names++) {
		perun_column_set_id(parents, PERUN_TYPE_ROW, parent++);
		add_resource(builder, parent, *names, NULL);
	}
	return finish(builder);
}

TEST(test_edit)
{
	struct perun_profile *profile = family((const char *[]){"a", "b", "c", "d", NULL}), *edited;
	struct perun_builder *builder;
	struct perun_table_builder *table;
	const struct perun_table *made;
	uint64_t keep = 0xd; /* all but the second */
	double values[] = {0.5, 4, NAN};

	REQUIRE(profile);
	builder = perun_builder_from(profile);
	table = perun_builder_table(builder, "resources");
	perun_table_keep_rows(table, &keep);
	CHECK_INT(perun_table_builder_rows(table), 3);
	perun_column_replace_doubles(perun_table_find_column(table, "amount"), values);
	perun_column_set_unit(perun_table_find_column(table, "amount"), "ms");
	edited = finish(builder);
	REQUIRE(edited);
	made = perun_resources(edited);
	CHECK_STR(cell(perun_table_column(made, "parent"), 0, true), "null");
	CHECK_STR(cell(perun_table_column(made, "parent"), 1, true), "null"); /* it is gone */
	CHECK_STR(cell(perun_table_column(made, "parent"), 2, true), "1");
	CHECK_STR(cell(perun_table_column(made, "type"), 2, false), "d");
	CHECK_STR(cell(perun_table_column(made, "amount"), 0, true), "0.5");
	CHECK_STR(cell(perun_table_column(made, "amount"), 1, true), "4");
	CHECK_STR(cell(perun_table_column(made, "amount"), 2, true), "NaN");
	CHECK(!perun_column_absent(perun_table_column(made, "amount"), 2));
	CHECK_STR(perun_column_info(perun_table_column(made, "amount"))->unit, "ms");
	/* The first profile is as it was. */
	made = perun_resources(profile);
	CHECK_INT(perun_table_rows(made), 4);
	CHECK_STR(cell(perun_table_column(made, "parent"), 3, true), "2");
	CHECK_STR(cell(perun_table_column(made, "amount"), 1, true), "1");
	perun_profile_unref(profile);
	perun_profile_unref(edited);
}

static const void *cells_at(const struct perun_profile *profile, const char *name, size_t row)
{
	struct perun_span span = {0};

	CHECK(perun_column_span(perun_table_column(perun_resources(profile), name), row, &span));
	return span.cells;
}

/* What is not touched is not copied, and what is touched changes only in the copy. */
/* What was the profile's stays as it is. */
TEST(test_mappings)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_line line = {.function = PERUN_NO_ID, .line = 7};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};
	struct perun_mapping mapping = {.source_id = 1}, other = {.source_id = 2};
	struct perun_profile *profile, *mapped, *renamed;

	for (uint64_t i = 0; i < 100; i++) {
		location.address = i;
		CHECK_INT(perun_builder_location(builder, &location), i);
	}
	profile = finish(builder);
	REQUIRE(profile);
	builder = perun_builder_from(profile);
	perun_builder_map_locations(builder, perun_builder_mapping(builder, &mapping));
	location.mapping = 0;
	location.address = 42;
	CHECK_INT(perun_builder_location(builder, &location), 42);
	mapped = finish(builder);
	REQUIRE(mapped);
	builder = perun_builder_from(mapped);
	other.file = perun_builder_text(builder, "/usr/bin/other");
	perun_builder_set_mapping(builder, 0, &other);
	renamed = finish(builder);
	REQUIRE(renamed);
	for (perun_id i = 0; i < 100; i++) {
		CHECK_INT(perun_profile_location(profile, i)->mapping, PERUN_NO_ID);
		CHECK_INT(perun_profile_location(mapped, i)->mapping, 0);
		CHECK_INT(perun_profile_location(mapped, i)->lines->line, 7);
	}
	CHECK_INT(perun_profile_mappings(profile), 0);
	CHECK_INT(perun_profile_mapping(mapped, 0)->source_id, 1);
	CHECK_INT(perun_profile_mapping(renamed, 0)->source_id, 2);
	CHECK_STR(perun_profile_string(renamed, perun_profile_mapping(renamed, 0)->file, NULL),
		  "/usr/bin/other");
	builder = perun_builder_from(renamed);
	perun_builder_set_mapping(builder, 1, &other);
	CHECK_STR(refused(builder), "there is no mapping 1");
	builder = perun_builder_from(renamed);
	other.file = 1000;
	perun_builder_set_mapping(builder, 0, &other);
	CHECK_STR(refused(builder), "mapping 0 names something that the profile does not hold");
	perun_profile_unref(profile);
	perun_profile_unref(mapped);
	perun_profile_unref(renamed);
}

TEST(test_sharing)
{
	enum { ROWS = 2 * PERUN_SPAN_ROWS + 3 };
	int64_t *values = perun_alloc_zero(ROWS, sizeof *values);
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_profile *profile, *edited;

	perun_column_append_int64(perun_table_add_column(table, &amount_info), values, ROWS);
	perun_table_add_column(table, &type_info);
	perun_table_end_rows(table, ROWS);
	perun_free(values);
	profile = finish(builder);
	REQUIRE(profile);
	/* Long absence is stored once. */
	CHECK(cells_at(profile, "type", 0) == cells_at(profile, "type", PERUN_SPAN_ROWS));
	builder = perun_builder_from(profile);
	table = perun_builder_table(builder, "resources");
	perun_column_set_int64(perun_table_find_column(table, "amount"), 7);
	perun_table_end_row(table);
	edited = finish(builder);
	REQUIRE(edited);
	CHECK(cells_at(profile, "amount", 0) == cells_at(edited, "amount", 0));
	CHECK(cells_at(profile, "amount", ROWS - 4) == cells_at(edited, "amount", ROWS - 4));
	CHECK(cells_at(profile, "amount", ROWS - 1) != cells_at(edited, "amount", ROWS - 1));
	CHECK_INT(perun_column_int64(perun_table_column(perun_resources(edited), "amount"), ROWS),
		  7);
	CHECK(perun_column_absent(perun_table_column(perun_resources(edited), "type"), ROWS));
	CHECK_INT(perun_table_rows(perun_resources(profile)), ROWS);
	CHECK(text_of(profile, 0) == text_of(edited, 0));
	perun_profile_unref(profile);
	CHECK_INT(perun_column_int64(perun_table_column(perun_resources(edited), "amount"), 1), 0);
	perun_profile_unref(edited);
}

TEST(test_remove)
{
	struct perun_profile *profile = family((const char *[]){"a", "b", NULL}), *edited;
	struct perun_builder *builder = perun_builder_from(profile);
	struct perun_column_info info = parent_info;

	info.name = "of";
	perun_column_set_id(perun_table_add_column(perun_builder_table(builder, "more"), &info),
			    PERUN_TYPE_ROW, 1);
	perun_table_end_row(perun_builder_table(builder, "more"));
	perun_table_remove_column(perun_builder_table(builder, "resources"), "type");
	edited = finish(builder);
	REQUIRE(edited);
	CHECK(perun_table_column(perun_resources(edited), "type") == NULL);
	CHECK_INT(perun_table_columns(perun_resources(edited)), 2);
	builder = perun_builder_from(edited);
	perun_profile_unref(edited);
	perun_builder_remove_table(builder, "resources");
	perun_builder_remove_table(builder, "resources");
	edited = finish(builder);
	REQUIRE(edited);
	CHECK_INT(perun_profile_tables(edited), 1);
	CHECK_INT(perun_table_columns(perun_profile_table(edited, "more")), 0);
	CHECK_INT(perun_table_rows(perun_profile_table(edited, "more")), 1);
	perun_profile_unref(profile);
	perun_profile_unref(edited);
}

TEST(test_merge)
{
	struct perun_profile *one = family((const char *[]){"a", "b", NULL}), *both, *more;
	struct perun_profile *two = family((const char *[]){"x", "a", "y", NULL});
	struct perun_builder *builder = perun_builder_from(two);
	struct perun_column_info info = parent_info;
	struct perun_table_builder *table = perun_builder_table(builder, "more");
	const struct perun_table *made;

	info.name = "of";
	perun_column_append_ids(perun_table_add_column(table, &info), PERUN_TYPE_ROW,
				(perun_id[]){2, 0}, 2);
	perun_table_end_rows(table, 2);
	perun_column_append_double(
		perun_table_add_column(
			perun_builder_table(builder, "resources"),
			&(struct perun_column_info){.name = "x", .type = PERUN_TYPE_DOUBLE}),
		(double[]){0}, NULL, 0);
	more = finish(builder);
	REQUIRE(one && two && more);
	builder = perun_builder_from(one);
	perun_builder_append_table(builder, more, "more");
	perun_builder_append_table(builder, more, "resources"); /* came along already */
	perun_builder_append_table(builder, more, "nothing");
	perun_profile_unref(more);
	perun_builder_append_table(builder, two, "resources");
	both = finish(builder);
	REQUIRE(both);
	made = perun_resources(both);
	CHECK_INT(perun_table_rows(made), 8);
	CHECK_STR(cell(perun_table_column(made, "type"), 1, false), "b");
	CHECK_STR(cell(perun_table_column(made, "type"), 2, false), "x");
	CHECK_STR(cell(perun_table_column(made, "type"), 7, false), "y");
	CHECK_INT(perun_column_id(perun_table_column(made, "type"), 0),
		  perun_column_id(perun_table_column(made, "type"), 3));
	CHECK_STR(cell(perun_table_column(made, "parent"), 2, true), "null");
	CHECK_STR(cell(perun_table_column(made, "parent"), 4, true), "3");
	CHECK_STR(cell(perun_table_column(made, "parent"), 7, true), "6");
	made = perun_profile_table(both, "more");
	CHECK_STR(cell(perun_table_column(made, "of"), 0, true), "4");
	CHECK_STR(cell(perun_table_column(made, "of"), 1, true), "2");
	perun_profile_unref(one);
	perun_profile_unref(two);
	perun_profile_unref(both);
}

/* Everything that has ids, from one profile into another that numbers otherwise. */
TEST(test_merge_pools)
{
	static const char *const columns[] = {"stack", "labels", "point", "json"};
	static const enum perun_type types[] = {PERUN_TYPE_STACK, PERUN_TYPE_LABELS,
						PERUN_TYPE_POINT, PERUN_TYPE_JSON};
	struct perun_builder *builder = perun_builder_new(), *other = perun_builder_new();
	const char *const names[] = {"leaf", "main"};
	struct perun_table_builder *table = perun_builder_table(other, "resources");
	struct perun_label label = {.key = perun_builder_text(other, "k"),
				    .text = perun_builder_text(other, "v")};
	struct perun_profile *from, *to;
	perun_id ids[4];

	perun_builder_text(builder, "something");
	perun_builder_stack_of_names(builder, names + 1, 1);
	perun_builder_parameter(builder, "n", NULL);
	perun_builder_parameter(other, "p", NULL);
	perun_builder_parameter(other, "n", NULL);
	ids[0] = perun_builder_stack_of_names(other, names, 2);
	ids[1] = perun_builder_labels(other, &label, 1);
	ids[2] = perun_builder_point(other, (double[]){1, 2}, 2);
	ids[3] = perun_builder_text(other, "[1]");
	for (int i = 0; i < 4; i++)
		perun_column_set_id(perun_table_add_column(
					    table, &(struct perun_column_info){.name = columns[i],
									       .type = types[i]}),
				    types[i], ids[i]);
	perun_table_end_row(table);
	from = finish(other);
	REQUIRE(from);
	perun_builder_append_table(builder, from, "resources");
	perun_profile_unref(from);
	to = finish(builder);
	REQUIRE(to);
	CHECK_STR(cell(perun_table_column(perun_resources(to), "stack"), 0, false), "main;leaf");
	CHECK_STR(cell(perun_table_column(perun_resources(to), "labels"), 0, false), "k=v");
	CHECK_STR(cell(perun_table_column(perun_resources(to), "point"), 0, false), "n=2,p=1");
	CHECK_STR(cell(perun_table_column(perun_resources(to), "json"), 0, true), "[1]");
	CHECK_INT(perun_profile_functions(to), 2);
	perun_profile_unref(to);
}

/* ---- threads ---------------------------------------------------------------------------------- */

static void *read_all(void *data)
{
	struct perun_profile *profile = perun_profile_ref(data);
	size_t count, sum = 0;

	for (int i = 0; i < 200; i++) {
		const struct perun_metric *const *metrics = perun_metrics(profile, &count);

		sum += count + strlen(metrics[0]->name);
		sum += strlen(perun_profile_postprocessors(profile));
		sum += strlen(perun_profile_text(profile, "/header"));
		sum += perun_profile_find_string(profile, "a", 1);
		perun_profile_unref(finish(perun_builder_from(profile)));
	}
	perun_profile_unref(profile);
	return (void *)sum;
}

TEST(test_threads)
{
	struct perun_profile *profile = family((const char *[]){"a", "b", NULL}), *edited;
	struct perun_builder *builder = perun_builder_from(profile);
	pthread_t threads[4];
	void *sums[4];

	set_document(builder, "{\"header\": {\"n\": 1}, \"postprocessors\": [{\"name\": \"p\"}]}");
	edited = finish(builder);
	REQUIRE(edited);
	for (int i = 0; i < 4; i++)
		REQUIRE(pthread_create(&threads[i], NULL, read_all, edited) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], &sums[i]);
	for (int i = 1; i < 4; i++)
		CHECK(sums[i] == sums[0]);
	perun_profile_unref(profile);
	perun_profile_unref(edited);
}

/* Which values are better, where neither the profile nor the store says: by the unit, else by the name. */
TEST(test_directions)
{
	static const struct {
		const char *name, *unit;
		enum perun_direction better;
	} cases[] = {{"req/sec", "req/sec", PERUN_BETTER_HIGHER},
		     {"time", "ns/op", PERUN_BETTER_LOWER},
		     {"speed", "MB/s", PERUN_BETTER_HIGHER},
		     {"items_per_second", "", PERUN_BETTER_HIGHER},
		     {"frame", "us/frame", PERUN_BETTER_LOWER},
		     {"FPS", "", PERUN_BETTER_HIGHER},
		     {"render", "fps", PERUN_BETTER_HIGHER},
		     {"cache hit rate", "%", PERUN_BETTER_HIGHER},
		     {"hit%", "hit%", PERUN_BETTER_UNKNOWN},
		     {"cache-misses", "", PERUN_BETTER_LOWER},
		     {"memory", "B", PERUN_BETTER_LOWER},
		     {"throughput", "ops", PERUN_BETTER_HIGHER},
		     {"widgets", "", PERUN_BETTER_UNKNOWN},
		     {"a/", "/", PERUN_BETTER_UNKNOWN}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct perun_builder *builder = perun_builder_new();
		char *document = perun_format("{\"header\": {\"units\": {\"%s\": \"%s\"}}}",
					      cases[i].name, cases[i].unit);
		const struct perun_metric *const *metrics;
		struct perun_profile *profile;
		size_t count;

		set_document(builder, document);
		add_resource(builder, 1, cases[i].name, NULL);
		profile = finish(builder);
		REQUIRE(profile);
		metrics = perun_metrics(profile, &count);
		REQUIRE(count == 1);
		CHECK_STR(metrics[0]->name, cases[i].name);
		if (metrics[0]->kept != cases[i].better)
			CHECK_FAIL("%s in %s: %d", cases[i].name, cases[i].unit,
				   (int)metrics[0]->kept);
		/* What a user says goes before. */
		CHECK(perun_metric_higher(metrics[0], PERUN_BETTER_HIGHER));
		CHECK(!perun_metric_higher(metrics[0], PERUN_BETTER_LOWER));
		perun_profile_unref(profile);
		perun_free(document);
	}
}

CHECK_MAIN(, cell(NULL, 0, false))
