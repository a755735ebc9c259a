/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns that keep their integers in half the memory: nobody may notice. */
#include <perun/profile.h>
#include <string.h>

#include "check.h"

enum { ROWS = 3 * PERUN_SPAN_ROWS + 1000 };

static struct perun_ctx *ctx;

/* The third span holds a number that needs 64 bits. */
static int64_t number(size_t row)
{
	if (row == 2 * PERUN_SPAN_ROWS + 5)
		return INT64_C(1) << 40;
	return row % 7 == 3 ? INT32_MIN : (int64_t)(row * 31 % 100003) - 50000;
}

static bool is_absent(size_t row)
{
	return row % 1000 == 999;
}

static struct perun_builder *build(void)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {
		.name = "amount", .type = PERUN_TYPE_INT64, .growing = true};
	struct perun_column_builder *column = perun_table_add_column(table, &info);

	perun_column_save_memory(column);
	for (size_t row = 0; row < ROWS; row++) {
		if (!is_absent(row))
			perun_column_set_int64(column, number(row));
		perun_table_end_row(table);
	}
	return builder;
}

static struct perun_profile *finish(struct perun_builder *builder)
{
	struct perun_profile *profile = NULL;

	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

static const struct perun_column *amount(const struct perun_profile *profile)
{
	return perun_table_column(perun_resources(profile), "amount");
}

static size_t count_wrong(const struct perun_column *column, bool copy)
{
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	struct perun_span span;
	size_t wrong = 0, rows = 0;

	for (size_t row = 0; copy ? perun_column_span_copy(column, row, &span, block)
				  : perun_column_span(column, row, &span);
	     row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++, rows++) {
			bool absent = perun_bit(span.absent, i);

			wrong += absent != is_absent(span.first + i) ||
				 (!absent && span.int64s[i] != number(span.first + i));
		}
	}
	perun_free(block);
	return wrong + (rows != perun_table_rows(perun_column_table(column)));
}

TEST(test_reading)
{
	struct perun_profile *profile = finish(build());
	const struct perun_column *column = amount(profile);
	struct perun_span span;

	REQUIRE(perun_column_span_copy(column, 0, &span, NULL));
	CHECK(span.cells == NULL);
	REQUIRE(perun_column_span_copy(column, 2 * PERUN_SPAN_ROWS, &span, NULL));
	CHECK(span.cells != NULL); /* it did not fit */
	CHECK_INT(count_wrong(column, true), 0);
	REQUIRE(perun_column_span_copy(column, 0, &span, NULL));
	CHECK(span.cells == NULL); /* and stays so */
	CHECK_INT(perun_column_int64(column, 4), number(4));
	CHECK_INT(count_wrong(column, false), 0);
	CHECK_INT(count_wrong(column, true), 0);
	perun_profile_unref(profile);
}

static int read_part(struct perun_ctx *child, size_t i, void *data)
{
	(void)i;
	return count_wrong(data, false) ? perun_fail(child, PERUN_INPUT, "wrong") : PERUN_OK;
}

TEST(test_threads)
{
	struct perun_profile *profile = finish(build());

	CHECK_INT(perun_parallel_for(ctx, 8, read_part, (void *)amount(profile)), 0);
	perun_profile_unref(profile);
}

TEST(test_sharing)
{
	struct perun_profile *profile = finish(build()), *edited;
	struct perun_builder *builder = perun_builder_from(profile);
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	uint64_t *keep = perun_alloc_zero(ROWS / 64 + 1, 8);

	/* A cell of a shared chunk, then fewer rows. */
	perun_table_rewind(table, 10);
	perun_column_set_int64(perun_table_find_column(table, "amount"), -1);
	perun_table_rewind(table, ROWS);
	for (size_t row = 0; row < ROWS - 1500; row++)
		keep[row / 64] |= UINT64_C(1) << row % 64;
	perun_table_keep_rows(table, keep);
	edited = finish(builder);
	REQUIRE(edited != NULL);
	CHECK_INT(perun_table_rows(perun_resources(edited)), ROWS - 1500);
	CHECK_INT(perun_column_int64(amount(edited), 10), -1);
	CHECK_INT(perun_column_int64(amount(edited), ROWS - 1501), number(ROWS - 1501));
	CHECK_INT(count_wrong(amount(profile), true), 0);
	perun_profile_unref(edited);
	perun_profile_unref(profile);
	perun_free(keep);
}

TEST(test_growing)
{
	struct perun_builder *builder = build();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_profile *profile;

	/* The column becomes one of doubles while parts of it are narrow. */
	perun_column_set_double(perun_table_find_column(table, "amount"), 0.5);
	perun_table_end_row(table);
	profile = finish(builder);
	REQUIRE(profile != NULL);
	CHECK_INT(perun_column_info(amount(profile))->type, PERUN_TYPE_DOUBLE);
	CHECK_DOUBLE(perun_column_double(amount(profile), 3), (double)number(3), 0);
	CHECK_DOUBLE(perun_column_double(amount(profile), ROWS), 0.5, 0);
	perun_profile_unref(profile);
}

/* Rows with cells: few, then half of all, then few again; what is there of a kind in between has none. */
static bool has_cell(size_t row, unsigned kind)
{
	if (row < 3000 || row % PERUN_SPAN_ROWS > 60000)
		return row % 200 == kind % 7;
	if (row > PERUN_SPAN_ROWS + 30000 && row < PERUN_SPAN_ROWS + 40000)
		return row % 2 == 0;
	return kind < 4 ? row % 97 == 3 : row % 5000 == 4999;
}

static void set_cell(struct perun_column_builder *column, size_t row, unsigned kind)
{
	if (kind % 4 == 0)
		perun_column_set_int64(column, number(row));
	else if (kind % 4 == 1)
		perun_column_set_double(column, (double)number(row) + 0.25);
	else if (kind % 4 == 2)
		perun_column_set_bool(column, row % 3 == 0);
	else /* which become doubles one day */
		perun_column_set_int64(column, (int64_t)row);
}

static bool is_cell(const struct perun_column *column, size_t row, unsigned kind)
{
	if (perun_column_absent(column, row) == has_cell(row, kind))
		return false;
	if (!has_cell(row, kind))
		return true;
	if (kind % 4 == 0)
		return perun_column_int64(column, row) == number(row);
	if (kind % 4 == 1)
		return perun_column_double(column, row) == (double)number(row) + 0.25;
	if (kind % 4 == 2)
		return perun_column_int64(column, row) == (row % 3 == 0);
	return perun_column_double(column, row) == (double)row;
}

/* Columns of few cells, while they are made and later. */
TEST(test_few_cells)
{
	static const enum perun_type types[] = {PERUN_TYPE_INT64, PERUN_TYPE_DOUBLE,
						PERUN_TYPE_BOOL, PERUN_TYPE_INT64};
	enum { KINDS = 8 };
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *columns[KINDS];
	struct perun_profile *profile;
	size_t wrong = 0;

	for (unsigned kind = 0; kind < KINDS; kind++) {
		char name[] = {(char)('a' + kind), '\0'};
		struct perun_column_info info = {
			.name = name, .type = types[kind % 4], .growing = kind % 4 == 3};

		columns[kind] = perun_table_add_column(table, &info);
		perun_column_save_memory(columns[kind]);
	}
	for (size_t row = 0; row < ROWS; row++) {
		for (unsigned kind = 0; kind < KINDS; kind++)
			if (has_cell(row, kind))
				set_cell(columns[kind], row, kind);
		perun_table_end_row(table);
	}
	for (unsigned kind = 3; kind < KINDS; kind += 4)
		perun_column_set_double(columns[kind], 0.5);
	perun_table_end_row(table);
	profile = finish(builder);
	REQUIRE(profile != NULL);
	for (unsigned kind = 0; kind < KINDS; kind++) {
		char name[] = {(char)('a' + kind), '\0'};
		const struct perun_column *column =
			perun_table_column(perun_resources(profile), name);

		for (size_t row = 0; row < ROWS; row++)
			wrong += !is_cell(column, row, kind);
	}
	CHECK_INT(wrong, 0);
	perun_profile_unref(profile);
}

/* Ids, a span each: rising, rising and falling back, all the same, falling, in runs, and few different ones. */
static perun_id id_of(size_t row)
{
	switch (row / PERUN_SPAN_ROWS) {
	case 0:
		return (perun_id)row;
	case 1:
		return (perun_id)(row - row % 5 * 3);
	case 2:
		return (perun_id)(row - row % 700);
	case 3:
		return 7;
	case 4:
		return (perun_id)(PERUN_SPAN_ROWS * 5 - row);
	case 5:
		return (perun_id)(row / 37 * 41 % 100003);
	case 6: /* which do not begin at multiples of anything */
		return (perun_id)(row * row / 7 / 65536 % 3001);
	default:
		return (perun_id)(row - 3);
	}
}

static size_t count_wrong_ids(const struct perun_column *column, size_t rows, int64_t *block)
{
	struct perun_span span;
	size_t wrong = 0;

	for (size_t row = 0; perun_column_span_copy(column, row, &span, block);
	     row = span.first + span.count)
		for (size_t i = 0; i < span.count; i++)
			wrong += span.ids[i] != id_of(span.first + i);
	for (size_t row = 0; row < rows; row += 97)
		wrong += perun_column_id(column, row) != id_of(row);
	return wrong;
}

TEST(test_rising)
{
	enum { MANY = 7 * PERUN_SPAN_ROWS + 30000 };
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {.name = "amount", .type = PERUN_TYPE_STRING};
	struct perun_column_builder *column = perun_table_add_column(table, &info);
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	struct perun_profile *profile, *edited;
	struct perun_span span;

	perun_column_save_memory(column);
	for (size_t row = 0; row < MANY; row++) {
		char *text = perun_format("%zu", row);

		perun_builder_text(builder, text);
		perun_free(text);
		perun_column_set_id(column, PERUN_TYPE_STRING, id_of(row));
		perun_table_end_row(table);
	}
	profile = finish(builder);
	REQUIRE(profile != NULL);
	for (size_t first = 0; first < MANY; first += PERUN_SPAN_ROWS) {
		REQUIRE(perun_column_span_copy(amount(profile), first, &span, NULL));
		CHECK(span.cells == NULL);
	}
	CHECK_INT(count_wrong_ids(amount(profile), MANY, block), 0);
	/* One is changed: its chunk is written again. */
	builder = perun_builder_from(profile);
	table = perun_builder_table(builder, "resources");
	perun_table_rewind(table, 10);
	perun_column_set_id(perun_table_find_column(table, "amount"), PERUN_TYPE_STRING, 12345);
	perun_table_rewind(table, MANY);
	edited = finish(builder);
	REQUIRE(edited != NULL);
	CHECK_INT(perun_column_id(amount(edited), 10), 12345);
	CHECK_INT(count_wrong_ids(amount(edited), MANY, block), 1);
	CHECK_INT(count_wrong_ids(amount(profile), MANY, block), 0);
	perun_profile_unref(edited);
	perun_profile_unref(profile);
	perun_free(block);
}

/* ---- many columns, whose cells are packed while they wait for more --------------------------- */

enum { MANY_KINDS = 20, MOST_AT_ONCE = 700 };

static uint64_t drawn = 1;

static uint64_t draw(uint64_t below)
{
	drawn = drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (drawn >> 33) % below;
}

/* Small numbers, then large ones, then small ones again; which column it is decides what it holds. */
static void set_drawn(struct perun_column_builder *column, size_t row, unsigned kind,
		      uint64_t value)
{
	int64_t number = (int64_t)value - 5 + (row / 3000 % 3 == 1 ? INT64_C(1) << kind * 3 : 0);

	if (value == 9 && kind % 3 == 0)
		perun_column_set_absent(column);
	else if (kind % 5 == 0)
		perun_column_set_double(column, (double)number / 8);
	else if (kind % 5 == 1)
		perun_column_set_id(column, PERUN_TYPE_STRING, (perun_id)(row / 2 + value));
	else if (kind % 5 == 2 && row > 70000)
		perun_column_set_double(column, (double)number + 0.5);
	else if (kind == 13)
		perun_column_set_bool(column, value > 3);
	else if (kind != 14 || row % 300 == 7)
		perun_column_set_int64(column, number);
}

static void append_drawn(struct perun_column_builder *column, unsigned kind, size_t count)
{
	int64_t numbers[MOST_AT_ONCE];
	double doubles[MOST_AT_ONCE];
	perun_id ids[MOST_AT_ONCE];

	for (size_t i = 0; i < count; i++) {
		numbers[i] = (int64_t)draw(10);
		doubles[i] = (double)numbers[i] / 4;
		ids[i] = numbers[i] == 9 ? PERUN_NO_ID : (perun_id)numbers[i];
	}
	if (draw(4) == 0)
		perun_column_append_absent(column, count);
	else if (kind % 5 == 0)
		perun_column_append_double(column, doubles, NULL, count);
	else if (kind == 1)
		perun_column_append_same_id(column, PERUN_TYPE_STRING, ids[0], count);
	else if (kind % 5 == 1)
		perun_column_append_ids(column, PERUN_TYPE_STRING, ids, count);
	else if (kind == 13)
		perun_column_append_absent(column, count);
	else
		perun_column_append_int64(column, numbers, count);
}

/* The rows of a table from `row` on: the same whether it saves memory or not. */
static void add_drawn_rows(struct perun_builder *builder, const char *name, size_t row)
{
	struct perun_table_builder *table = perun_builder_table(builder, name);
	const size_t end = row + PERUN_SPAN_ROWS + 20000;

	drawn = row + 1;
	while (row < end) {
		size_t count = draw(1000) ? 1 : 1 + draw(MOST_AT_ONCE);

		for (unsigned kind = 0; kind < MANY_KINDS; kind++) {
			struct perun_column_builder *column =
				perun_table_builder_column(table, kind);

			if (count > 1)
				append_drawn(column, kind, count);
			else if (draw(50))
				set_drawn(column, row, kind, draw(10));
			if (count == 1 && draw(20000) == 0)
				set_drawn(column, row, kind, draw(10));
		}
		perun_table_end_rows(table, count);
		row += count;
	}
}

static void add_many_columns(struct perun_builder *builder, const char *name, bool save)
{
	struct perun_table_builder *table = perun_builder_table(builder, name);

	for (unsigned kind = 0; kind < MANY_KINDS; kind++) {
		char title[] = {(char)('a' + kind), '\0'};
		struct perun_column_info info = {.name = title,
						 .type = kind % 5 == 0   ? PERUN_TYPE_DOUBLE
							 : kind % 5 == 1 ? PERUN_TYPE_STRING
							 : kind == 13    ? PERUN_TYPE_BOOL
									 : PERUN_TYPE_INT64,
						 .growing = kind % 5 == 2};
		struct perun_column_builder *column = perun_table_add_column(table, &info);

		if (save)
			perun_column_save_memory(column);
	}
}

static bool are_equal_cells(const struct perun_column *a, const struct perun_column *b, size_t row)
{
	enum perun_type type = perun_column_info(a)->type;
	double x, y;

	if (perun_column_absent(a, row) || perun_column_absent(b, row))
		return perun_column_absent(a, row) == perun_column_absent(b, row);
	if (type == PERUN_TYPE_STRING)
		return perun_column_id(a, row) == perun_column_id(b, row);
	x = perun_column_double(a, row);
	y = perun_column_double(b, row);
	return memcmp(&x, &y, sizeof x) == 0 &&
	       (type != PERUN_TYPE_INT64 ||
		perun_column_int64(a, row) == perun_column_int64(b, row));
}

static size_t count_unequal(const struct perun_profile *profile)
{
	const struct perun_table *saving = perun_profile_table(profile, "saving"),
				 *plain = perun_profile_table(profile, "plain");
	size_t wrong = perun_table_rows(saving) != perun_table_rows(plain);

	for (unsigned kind = 0; kind < MANY_KINDS; kind++) {
		char name[] = {(char)('a' + kind), '\0'};
		const struct perun_column *a = perun_table_column(saving, name),
					  *b = perun_table_column(plain, name);

		wrong += perun_column_info(a)->type != perun_column_info(b)->type;
		for (size_t row = 0; row < perun_table_rows(plain); row++)
			wrong += !are_equal_cells(a, b, row);
	}
	return wrong;
}

TEST(test_many_columns)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile, *longer;
	size_t rows;

	for (size_t i = 0; i < 2 * PERUN_SPAN_ROWS; i++) {
		char *text = perun_format("%zu", i);

		perun_builder_text(builder, text);
		perun_free(text);
	}
	add_many_columns(builder, "saving", true);
	add_many_columns(builder, "plain", false);
	add_drawn_rows(builder, "saving", 0);
	add_drawn_rows(builder, "plain", 0);
	profile = finish(builder);
	REQUIRE(profile != NULL);
	CHECK_INT(count_unequal(profile), 0);
	/* More rows, of which the first are in chunks that the two share. */
	rows = perun_table_rows(perun_profile_table(profile, "plain"));
	builder = perun_builder_from(profile);
	add_drawn_rows(builder, "saving", rows);
	add_drawn_rows(builder, "plain", rows);
	longer = finish(builder);
	REQUIRE(longer != NULL);
	CHECK_INT(count_unequal(longer), 0);
	CHECK_INT(count_unequal(profile), 0);
	perun_profile_unref(longer);
	perun_profile_unref(profile);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
