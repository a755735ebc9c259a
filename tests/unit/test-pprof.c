/* SPDX-License-Identifier: BSD-3-Clause */
/* The format pprof: what is read, what is refused and how it is said, and what is written. */
#include <perun/format.h>
#include <perun/json.h>

#include "check.h"
#include "pprof-bytes.h"

static struct perun_ctx *ctx;

static struct perun_profile *read_bytes(const struct perun_buffer *bytes)
{
	struct perun_input *input = perun_input_from_memory("x.pb", bytes->data, bytes->length);
	struct perun_profile *profile;

	perun_read_profile(ctx, input, "pprof", NULL, &profile, NULL);
	perun_input_close(input);
	return profile;
}

static void write_bytes(const struct perun_profile *profile, struct perun_buffer *out)
{
	static const char *const plain[] = {"plain=yes", NULL};
	struct perun_output *output = perun_output_to_buffer(out);

	CHECK_INT(perun_write_profile(ctx, profile, "pprof", plain, output), 0);
	CHECK_INT(perun_output_commit(ctx, output), 0);
	perun_output_close(output);
}

/* Strings 0 to 6 of the small profiles. */
static void put_texts(struct perun_buffer *out)
{
	static const char *const texts[] = {"", "cpu", "nanoseconds", "main", "f", "a.c", "k"};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put_text(out, texts[i]);
}

enum part { TYPES = 1, SAMPLES = 2, PLACES = 4, TEXTS = 8, ALL = 15 };

/* One sample of 5 at f called from main. */
static void put_parts(struct perun_buffer *out, unsigned parts)
{
	struct perun_buffer location = {0};

	if (parts & TYPES)
		put_message(out, 1, 1, 1, 2, 2, 0);
	if (parts & SAMPLES)
		put_message(out, 2, 1, 2, 1, 1, 2, 5, 0);
	if (parts & PLACES) {
		for (int i = 1; i <= 2; i++) {
			perun_buffer_clear(&location);
			put_number(&location, 1, (uint64_t)i);
			put_message(&location, 4, 1, i, 2, 10 * i, 0);
			put_bytes(out, 4, location.data, location.length);
		}
		put_message(out, 5, 1, 1, 2, 3, 4, 5, 0);
		put_message(out, 5, 1, 2, 2, 4, 4, 5, 0);
	}
	if (parts & TEXTS)
		put_texts(out);
	perun_buffer_free(&location);
}

static char *cell_text(const struct perun_profile *profile, const char *column, size_t row)
{
	struct perun_buffer text = {0};
	const struct perun_column *cells = perun_table_column(perun_resources(profile), column);

	if (cells)
		perun_column_print(cells, row, &text);
	return perun_buffer_take(&text);
}

static void check_cell(const struct perun_profile *profile, const char *column, size_t row,
		       const char *expected)
{
	char *text = cell_text(profile, column, row);

	CHECK_STR(text, expected);
	perun_free(text);
}

/* The small profile, perhaps with more. */
static void check_small(const struct perun_buffer *bytes)
{
	struct perun_profile *profile = read_bytes(bytes);

	if (!profile) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		return;
	}
	CHECK_INT(perun_table_rows(perun_resources(profile)), 1);
	check_cell(profile, "stack", 0, "main;f");
	check_cell(profile, "cpu", 0, "5");
	CHECK_STR(perun_column_info(perun_table_column(perun_resources(profile), "cpu"))->unit,
		  "nanoseconds");
	CHECK_STR(perun_profile_text(profile, "/header/default_metric"), "cpu");
	perun_profile_unref(profile);
}

static void check_refused(struct perun_buffer *bytes, const char *expected)
{
	struct perun_profile *profile = read_bytes(bytes);

	CHECK(profile == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), expected);
	perun_ctx_clear(ctx);
	perun_profile_unref(profile);
	perun_buffer_free(bytes);
}

/* ---- what is accepted ------------------------------------------------------------------------ */

TEST(test_any_order)
{
	static const unsigned orders[][4] = {{TYPES, SAMPLES, PLACES, TEXTS},
					     {TEXTS, PLACES, SAMPLES, TYPES},
					     {SAMPLES, TEXTS, TYPES, PLACES},
					     {PLACES, TYPES, TEXTS, SAMPLES}};

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		struct perun_buffer bytes = {0};

		for (size_t k = 0; k < 4; k++)
			put_parts(&bytes, orders[i][k]);
		check_small(&bytes);
		perun_buffer_free(&bytes);
	}
}

TEST(test_packed)
{
	struct perun_buffer bytes = {0}, sample = {0};

	put_parts(&bytes, TYPES | PLACES | TEXTS);
	put_bytes(&sample, 1, "\2", 1); /* packed and not, mixed */
	put_number(&sample, 1, 1);
	put_bytes(&sample, 1, "", 0);
	put_bytes(&sample, 2, "\5", 1);
	put_bytes(&bytes, 2, sample.data, sample.length);
	check_small(&bytes);
	perun_buffer_free(&bytes);
	perun_buffer_free(&sample);
}

TEST(test_unknown_fields)
{
	struct perun_buffer bytes = {0}, sample = {0};

	put_number(&bytes, 0, 7);
	put_number(&bytes, 1000000, 7);
	put_bytes(&bytes, 16, "abc", 3);
	perun_buffer_add(&bytes,
			 "\x81\x01"
			 "12345678",
			 10); /* field 16, 64 bits */
	perun_buffer_add(&bytes,
			 "\x85\x01"
			 "1234",
			 6); /* 32 bits */
	put_parts(&bytes, TYPES | PLACES | TEXTS);
	put_number(&sample, 1, 2);
	put_bytes(&sample, 9, "abc", 3);
	put_number(&sample, 1, 1);
	put_number(&sample, 2, 5);
	put_bytes(&bytes, 2, sample.data, sample.length);
	check_small(&bytes);
	perun_buffer_free(&bytes);
	perun_buffer_free(&sample);
}

/* Longer than need be, and more than 64 bits. */
TEST(test_varints)
{
	struct perun_buffer bytes = {0}, sample = {0};

	put_parts(&bytes, TYPES | PLACES | TEXTS);
	perun_buffer_add(&sample, "\x08\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11);
	perun_buffer_add(&sample, "\x08\x81\x80\x80\x80\x80\x80\x80\x80\x80\x7e", 11);
	perun_buffer_add(&sample, "\x90\x80\x00\x85\x00", 5);
	put_bytes(&bytes, 2, sample.data, sample.length);
	check_small(&bytes);
	perun_buffer_free(&bytes);
	perun_buffer_free(&sample);
}

TEST(test_last_wins)
{
	struct perun_buffer bytes = {0};

	put_number(&bytes, 12, 3);
	put_number(&bytes, 9, 0);
	put_message(&bytes, 11, 1, 3, 2, 4, 0);
	put_parts(&bytes, ALL);
	put_number(&bytes, 12, 4);
	put_number(&bytes, 9, 77);
	put_message(&bytes, 11, 1, 1, 0);
	check_small(&bytes);
	struct perun_profile *profile = read_bytes(&bytes);

	CHECK_STR(perun_profile_text(profile, "/header/period"), "4");
	CHECK_STR(perun_profile_text(profile, "/header/time"), "77");
	CHECK_STR(perun_profile_text(profile, "/header/period_type/type"), "cpu");
	CHECK_STR(perun_profile_text(profile, "/header/period_type/unit"), "");
	perun_profile_unref(profile);
	perun_buffer_free(&bytes);
}

/* Ids are any numbers; a mapping that does not exist is none. */
TEST(test_ids)
{
	static const uint64_t ids[] = {0xffffffffffffffffu, 0x400000, 3};
	struct perun_buffer bytes = {0}, sample = {0}, location = {0};
	struct perun_profile *profile;

	for (size_t i = 0; i < 3; i++)
		put_number(&sample, 1, ids[i]);
	put_number(&sample, 2, 5);
	put_bytes(&bytes, 2, sample.data, sample.length);
	put_parts(&bytes, TYPES | TEXTS);
	for (size_t i = 0; i < 3; i++) {
		perun_buffer_clear(&location);
		put_number(&location, 1, ids[2 - i]);
		put_number(&location, 2, 99);
		put_number(&location, 3, 0x1000 + i);
		put_bytes(&bytes, 4, location.data, location.length);
	}
	profile = read_bytes(&bytes);
	CHECK(profile != NULL);
	if (profile) {
		size_t count;
		const struct perun_column *column =
			perun_table_column(perun_resources(profile), "stack");
		const perun_id *stack =
			perun_profile_stack(profile, perun_column_id(column, 0), &count);

		CHECK_INT(count, 3);
		for (size_t i = 0; i < count; i++) {
			const struct perun_location *at = perun_profile_location(profile, stack[i]);

			CHECK(at->source_id == ids[i]);
			CHECK_INT(at->address, 0x1002 - i);
			CHECK(at->mapping == PERUN_NO_ID);
		}
	}
	perun_profile_unref(profile);
	perun_buffer_free(&bytes);
	perun_buffer_free(&sample);
	perun_buffer_free(&location);
}

/* A label that says nothing is none; a string goes before a number. */
TEST(test_labels)
{
	static const char *const expected[] = {"k=main", "k=7,k=0 cpu", "", "k=f,k=main"};
	struct perun_buffer bytes = {0};
	struct perun_profile *profile;

	put_parts(&bytes, TYPES | PLACES | TEXTS);
	for (int i = 0; i < 4; i++) {
		struct perun_buffer sample = {0};

		put_number(&sample, 2, 1);
		if (i == 0) {
			put_message(&sample, 3, 1, 6, 2, 3, 3, 9, 0);
		} else if (i == 1) {
			put_message(&sample, 3, 1, 6, 3, 7, 0);
			put_message(&sample, 3, 1, 6, 3, 0, 4, 1, 0);
		} else if (i == 2) {
			put_message(&sample, 3, 1, 6, 0);
		} else {
			put_message(&sample, 3, 1, 6, 2, 4, 0);
			put_message(&sample, 3, 1, 6, 2, 3, 0);
		}
		put_bytes(&bytes, 2, sample.data, sample.length);
		perun_buffer_free(&sample);
	}
	profile = read_bytes(&bytes);
	CHECK(profile != NULL);
	for (size_t i = 0; i < 4 && profile; i++)
		check_cell(profile, "labels", i, expected[i]);
	perun_profile_unref(profile);
	perun_buffer_free(&bytes);
}

/* Names that would be taken for something else, or stand twice. */
TEST(test_names_of_types)
{
	static const char *const texts[] = {"", "stack", "cpu", "a\xff"};
	static const char *const columns[] = {"value", "stack#2", "cpu", "cpu#2", "a\xef\xbf\xbd"};
	struct perun_buffer bytes = {0}, out = {0}, again = {0};
	struct perun_profile *profile;
	const struct perun_table *table;

	put_message(&bytes, 1, 2, 2, 0);
	put_message(&bytes, 1, 1, 1, 0);
	put_message(&bytes, 1, 1, 2, 0);
	put_message(&bytes, 1, 1, 2, 2, 1, 0);
	put_message(&bytes, 1, 1, 3, 0);
	for (size_t i = 0; i < 4; i++)
		put_text(&bytes, texts[i]);
	put_message(&bytes, 2, 2, 1, 2, 2, 2, 3, 2, 4, 2, 5, 0);
	profile = read_bytes(&bytes);
	REQUIRE(profile != NULL);
	table = perun_resources(profile);
	for (size_t i = 0; i < 5; i++) {
		const struct perun_column *column = perun_table_column_at(table, i + 1);

		CHECK_STR(perun_column_info(column)->name, columns[i]);
		CHECK_INT(perun_column_int64(column, 0), i + 1);
	}
	write_bytes(profile, &out);
	perun_profile_unref(profile);
	profile = read_bytes(&out);
	REQUIRE(profile != NULL);
	write_bytes(profile, &again);
	CHECK(again.length == out.length && memcmp(again.data, out.data, out.length) == 0);
	CHECK(memmem(out.data, out.length,
		     "\x32\x02"
		     "a\xff",
		     4) != NULL);
	perun_profile_unref(profile);
	perun_buffer_free(&bytes);
	perun_buffer_free(&out);
	perun_buffer_free(&again);
}

/* Longer than what is in memory at once. */
TEST(test_long)
{
	size_t size = 1000000;
	char *filler = perun_alloc_zero(size, 1);
	struct perun_buffer bytes = {0}, sample = {0};
	struct perun_profile *profile;

	put_bytes(&bytes, 77, filler, size);
	put_parts(&bytes, TYPES | PLACES | TEXTS);
	memset(filler, 1, size);
	put_bytes(&sample, 1, filler, size);
	put_number(&sample, 2, 5);
	put_bytes(&bytes, 2, sample.data, sample.length);
	put_bytes(&bytes, 6, filler, size);
	profile = read_bytes(&bytes);
	CHECK(profile != NULL);
	if (profile) {
		size_t count;

		perun_profile_stack(profile, 0, &count);
		CHECK_INT(count, size);
	}
	perun_profile_unref(profile);
	perun_buffer_free(&bytes);
	perun_buffer_free(&sample);
	perun_free(filler);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static struct perun_buffer small(void)
{
	struct perun_buffer bytes = {0};

	put_parts(&bytes, ALL);
	return bytes;
}

/* A field of `count` bytes, each 1, in a sample or in the profile. */
static void check_too_large(unsigned outer, unsigned field, size_t count, const char *expected)
{
	struct perun_buffer bytes = small(), message = {0};
	char *filler = perun_alloc(count);

	memset(filler, 1, count);
	put_bytes(outer ? &message : &bytes, field, filler, count);
	if (outer)
		put_bytes(&bytes, outer, message.data, message.length);
	check_refused(&bytes, expected);
	perun_buffer_free(&message);
	perun_free(filler);
}

/* More of them than any program has. */
static void check_too_many(unsigned outer, unsigned field, size_t count, const char *expected)
{
	struct perun_buffer bytes = small(), message = {0};

	for (size_t i = 0; i < count; i++)
		put_message(outer ? &message : &bytes, field, 1, 1, 2, 1, 0);
	if (outer)
		put_bytes(&bytes, outer, message.data, message.length);
	check_refused(&bytes, expected);
	perun_buffer_free(&message);
}

TEST(test_limits)
{
	check_too_large(2, 1, (1 << 20) + 1, "a stack of more than 1048576 frames");
	check_too_large(0, 6, (1 << 20) + 1, "a text of 1048577 bytes");
	check_too_large(0, 13, (1 << 16) + 1, "Profile.comment: more than 65536 comments");
	check_too_many(0, 1, 1 << 14, "Profile.sample_type: more than 16384 sample types");
	check_too_many(2, 3, (1 << 16) + 1, "label: more than 65536 labels");
	check_too_many(4, 4, (1 << 16) + 1,
		       "line: more than 65536 functions inlined into each other");
}

TEST(test_wire_errors)
{
	struct perun_buffer bytes = small();
	char expected[100];

	snprintf(expected, sizeof expected, "x.pb: byte %zu: Profile: wire type 6", bytes.length);
	perun_buffer_add(&bytes, "\x86\x01", 2);
	check_refused(&bytes, expected);
	bytes = small();
	snprintf(expected, sizeof expected, "byte %zu: Profile.time_nanos: expected a varint",
		 bytes.length);
	put_bytes(&bytes, 9, "x", 1);
	check_refused(&bytes, expected);
	bytes = small();
	put_number(&bytes, 2, 1);
	check_refused(&bytes, "Profile.sample: expected bytes, found a varint");
	bytes = small();
	perun_buffer_add(&bytes, "\x48\x80", 2);
	check_refused(&bytes, "time_nanos: a number that does not end");
	bytes = small();
	perun_buffer_add(&bytes, "\x48\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12);
	check_refused(&bytes, "time_nanos: a number that does not end");
	bytes = small();
	perun_buffer_add(&bytes, "\x12\x7f\x00", 3);
	check_refused(&bytes, "a length of 127, but only 1 bytes follow");
	bytes = small();
	perun_buffer_add(&bytes, "\x9a\x06\x7f\x00", 4);
	check_refused(&bytes, "a length of 127, but only 1 bytes follow");
	bytes = small();
	perun_buffer_add(&bytes, "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10);
	check_refused(&bytes, "Profile.sample: a length of 9223372036854775807, more than");
	bytes = small();
	put_bytes(&bytes, 2, "\x0a\x02\x01\x81", 4);
	check_refused(&bytes, "Profile.sample[1].location_id: a number that does not end");
	bytes = small();
	put_bytes(&bytes, 2, "\x1a\x02\x0a\x00", 4);
	check_refused(&bytes, "Profile.sample[1].label[0].key: expected a varint, found bytes");
}

TEST(test_invalid)
{
	struct perun_buffer bytes = {0};

	check_refused(&bytes, "the file is empty");
	put_parts(&bytes, TYPES | SAMPLES | PLACES);
	check_refused(&bytes, "Profile.string_table: expected strings, found none");
	put_text(&bytes, "x");
	check_refused(&bytes, "byte 0: Profile.string_table: the first string is not empty");
	put_parts(&bytes, SAMPLES | PLACES | TEXTS);
	check_refused(&bytes, "expected a value for each of the 0 sample types, found 1");
	bytes = small();
	put_message(&bytes, 2, 1, 1, 0);
	check_refused(&bytes, "Profile.sample[1].value: expected as many values in each sample");
	bytes = small();
	put_message(&bytes, 1, 1, 1, 0);
	check_refused(&bytes,
		      "byte 8: Profile.sample[0].value: expected a value for each of the 2");
	bytes = small();
	put_message(&bytes, 2, 1, 99, 2, 1, 0);
	check_refused(&bytes, "Profile.sample[1].location_id: 99 names no location");
	bytes = small();
	put_message(&bytes, 2, 1, 0, 2, 1, 0);
	check_refused(&bytes, "Profile.sample[1].location_id: 0 names no location");
	bytes = small();
	put_message(&bytes, 2, 1, INT64_MAX, 2, 1, 0);
	check_refused(&bytes, "location_id: 9223372036854775807 names no location");
	bytes = small();
	put_number(&bytes, 9, 1);
	put_number(&bytes, 9, 1);
	check_refused(&bytes, "Profile.time_nanos: a second time");
}

TEST(test_invalid_ids)
{
	static const char *const names[] = {NULL, NULL, NULL, "mapping", "location", "function"};
	struct perun_buffer bytes, line = {0};
	char expected[100];

	for (unsigned field = 3; field <= 5; field++) {
		bytes = small();
		put_message(&bytes, field, 3, 1, 0);
		snprintf(expected, sizeof expected, "Profile.%s[%d].id: expected a number",
			 names[field], field == 3 ? 0 : 2);
		check_refused(&bytes, expected);
		bytes = small();
		put_message(&bytes, field, 1, 7, 0);
		put_message(&bytes, field, 1, 7, 0);
		snprintf(expected, sizeof expected, "Profile.%s[%d].id: 7 was used before",
			 names[field], field == 3 ? 1 : 3);
		check_refused(&bytes, expected);
	}
	bytes = small();
	put_number(&line, 1, 3);
	put_message(&line, 4, 1, 1, 0);
	put_message(&line, 4, 2, 1, 0);
	put_bytes(&bytes, 4, line.data, line.length);
	check_refused(&bytes, "Profile.location[2].line[1].function_id: 0 names no function");
	perun_buffer_free(&line);
}

TEST(test_invalid_strings)
{
	static const unsigned fields[] = {7, 8, 13, 14, 15};
	static const char *const names[] = {"drop_frames", "keep_frames", "comment[0]",
					    "default_sample_type", "doc_url"};
	struct perun_buffer bytes, sample = {0};
	char expected[100];

	for (size_t i = 0; i < 5; i++) {
		bytes = small();
		put_number(&bytes, fields[i], i % 2 ? 7 : (uint64_t)-1);
		snprintf(expected, sizeof expected, "Profile.%s: %d names no string, there are 7",
			 names[i], i % 2 ? 7 : -1);
		check_refused(&bytes, expected);
	}
	bytes = small();
	put_message(&bytes, 5, 1, 3, 3, 8, 0);
	check_refused(&bytes, "Profile.function[2].system_name: 8 names no string");
	bytes = small();
	put_message(&bytes, 3, 1, 3, 6, 8, 0);
	check_refused(&bytes, "Profile.mapping[0].build_id: 8 names no string");
	bytes = small();
	put_number(&sample, 2, 1);
	put_message(&sample, 3, 1, 50, 0);
	put_bytes(&bytes, 2, sample.data, sample.length);
	check_refused(&bytes, "Profile.sample[1].label.key: 50 names no string");
	perun_buffer_free(&sample);
}

TEST(test_limit)
{
	static const char *const limits[] = {"limit=100k", NULL};
	size_t size = 200000;
	char *filler = perun_alloc_zero(size, 1);
	struct perun_buffer bytes = {0};
	struct perun_input *input;
	struct perun_profile *profile;

	put_bytes(&bytes, 77, filler, size);
	input = perun_input_from_memory("x.pb", bytes.data, bytes.length);
	CHECK_INT(perun_read_profile(ctx, input, "pprof", limits, &profile, NULL), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "more than 102400 bytes");
	perun_ctx_clear(ctx);
	perun_input_close(input);
	perun_buffer_free(&bytes);
	perun_free(filler);
}

/* ---- stacks as paths ------------------------------------------------------------------------- */

static const char *const by_paths[] = {"plain=yes", "paths=yes", NULL};

static struct perun_profile *read_paths(struct perun_buffer *bytes)
{
	static const char *const paths[] = {"paths=yes", NULL};
	struct perun_input *input = perun_input_from_memory("x.pb", bytes->data, bytes->length);
	struct perun_profile *profile;

	perun_read_profile(ctx, input, "pprof", paths, &profile, NULL);
	perun_input_close(input);
	perun_buffer_free(bytes);
	return profile;
}

/* main, f called from main, and a row without any. */
static struct perun_profile *with_paths(void)
{
	static const struct perun_column_info stack = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	static const struct perun_column_info amount = {
		.name = "amount", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *stacks = perun_table_add_column(table, &stack);
	struct perun_column_builder *values = perun_table_add_column(table, &amount);
	struct perun_profile *profile = NULL;
	perun_id path = PERUN_NO_ID;

	for (uint64_t i = 0; i < 3; i++) {
		struct perun_location location = {.mapping = PERUN_NO_ID, .address = i + 1};
		perun_id id = perun_builder_location(builder, &location);

		if (i < 2)
			path = perun_builder_path(builder, path, id);
		perun_column_set_id(stacks, PERUN_TYPE_STACK,
				    i < 2 ? perun_builder_path_stack(builder, path)
					  : perun_builder_stack(builder, NULL, 0));
		perun_column_set_int64(values, (int64_t)i + 5);
		perun_table_end_row(table);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

TEST(test_paths)
{
	struct perun_profile *profile = with_paths(), *again;
	struct perun_buffer bytes = {0}, plain[2] = {{0}};
	struct perun_output *output = perun_output_to_buffer(&bytes);
	size_t count;

	CHECK_INT(perun_write_profile(ctx, profile, "pprof", by_paths, output), 0);
	CHECK_INT(perun_output_commit(ctx, output), 0);
	perun_output_close(output);
	again = read_paths(&bytes);
	CHECK(again != NULL);
	CHECK(perun_profile_paths(again, &count) != NULL);
	CHECK_INT(count, 2);
	write_bytes(profile, &plain[0]);
	write_bytes(again, &plain[1]);
	CHECK_INT(plain[0].length, plain[1].length);
	CHECK(memcmp(plain[0].data, plain[1].data, plain[0].length) == 0);
	perun_buffer_free(&plain[0]);
	perun_buffer_free(&plain[1]);
	perun_profile_unref(again);
	perun_profile_unref(profile);
}

static void check_paths_refused(struct perun_buffer bytes, const char *expected)
{
	struct perun_profile *profile = read_paths(&bytes);

	CHECK(profile == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), expected);
	perun_ctx_clear(ctx);
	perun_profile_unref(profile);
}

TEST(test_paths_refused)
{
	struct perun_buffer bytes = small();

	put_message(&bytes, 16, 1, 1, 2, 1, 0);
	check_paths_refused(bytes, "Profile.path[0].caller: 1 names no path before");
	bytes = small();
	put_message(&bytes, 16, 2, 1, 0);
	put_message(&bytes, 2, 2, 5, 4, 2, 0);
	check_paths_refused(bytes, "Profile.sample[1].path: 2 names no path before");
	bytes = small();
	put_message(&bytes, 16, 1, 0, 0);
	check_paths_refused(bytes, "Profile.path[0].location_id: expected a location, found none");
	bytes = small();
	put_message(&bytes, 16, 2, 9, 0);
	check_paths_refused(bytes, "location_id: 9 names no location");
	/* Without the option these are fields that nobody knows. */
	bytes = small();
	put_message(&bytes, 16, 1, 1, 2, 1, 0);
	check_small(&bytes);
	perun_buffer_free(&bytes);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
