/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of small numbers, which are stored narrow: nobody can tell, whatever is done to them. */
#include "tests/unit/check.h"

#include <math.h>
#include <pthread.h>

#include "perun/profile.h"

enum { ROWS = 3 * PERUN_SPAN_ROWS + 5000, COLUMNS = 4 };

static const struct perun_column_info infos[COLUMNS] = {
	{.name = "int", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC},
	{.name = "uint", .type = PERUN_TYPE_UINT64, .role = PERUN_ROLE_METRIC},
	{.name = "double", .type = PERUN_TYPE_DOUBLE, .role = PERUN_ROLE_METRIC},
	{.name = "row", .type = PERUN_TYPE_ROW, .role = PERUN_ROLE_KEY, .refers = "t"},
};

/* What the columns must hold, bit for bit. */
struct model {
	size_t rows;
	uint64_t *bits[COLUMNS];
	uint8_t *absent[COLUMNS];
};

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static double real_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static uint64_t blank(int c)
{
	return c == 2 ? bits_of(NAN) : c == 3 ? PERUN_NO_ID : 0;
}

static void model_init(struct model *model, size_t rows)
{
	model->rows = rows;
	for (int c = 0; c < COLUMNS; c++) {
		model->bits[c] = perun_alloc_zero(rows, sizeof(uint64_t));
		model->absent[c] = perun_alloc_zero(rows, 1);
	}
}

static void model_free(struct model *model)
{
	for (int c = 0; c < COLUMNS; c++) {
		perun_free(model->bits[c]);
		perun_free(model->absent[c]);
	}
}

/* A range of numbers for a run of rows: how wide, from where on. */
static uint64_t number(int c, unsigned width, uint64_t base)
{
	static const uint64_t masks[] = {0, 0xff, 0xffff, 0xffffffff, UINT64_MAX};
	uint64_t value = next_random() & masks[width];
	double real;

	/* Few different ones. */
	if (base % 5 == 1)
		value = value % (base % 300 + 1) * (c == 3 ? 211 : 123456789123);
	if (c == 3)
		return (value + (base & 0xffff)) % PERUN_SPAN_ROWS;
	if (c < 2)
		return base + value;
	/* A run has up to so many digits after the point, or numbers too large for that. */
	real = (double)(int64_t)(value % 2000000000) - (double)(base % 1000000000);
	real *= value % 1000 == 999 && base % 7 == 0 ? 1e6 : 1;
	real /= pow(10, (double)(base / 1000 % 22 * (value % 5 ? 1 : value % 3) / 2));
	if (width == 4)
		real = next_random() % 3 ? real / 7 : next_random() % 2 ? -0.0 : INFINITY;
	return bits_of(real);
}

static void fill(struct model *model)
{
	for (int c = 0; c < COLUMNS; c++) {
		unsigned width = 0, gaps = 0;
		uint64_t base = 0;

		for (size_t i = 0; i < model->rows; i++) {
			if (i % PERUN_SPAN_ROWS == 0) {
				width = (unsigned)(next_random() % 5);
				gaps = (unsigned)(next_random() % 6);
				base = next_random() % 2 ? next_random() : next_random() % 1000;
			}
			model->absent[c][i] =
				gaps == 1 ||
				(gaps == 2 && (next_random() % 5 == 0 || i % 999 > 800)) ||
				(gaps == 4 && next_random() % 10 != 0) ||
				(gaps == 5 && i % 301 != 7);
			model->bits[c][i] = model->absent[c][i] ? blank(c) : number(c, width, base);
		}
	}
}

static void append_cells(struct perun_column_builder *column, int c, const struct model *model,
			 size_t first, size_t count)
{
	const uint64_t *bits = model->bits[c] + first;
	perun_id *ids;

	if (c == 0) {
		perun_column_append_int64(column, (const int64_t *)bits, count);
	} else if (c == 1) {
		perun_column_append_uint64(column, bits, count);
	} else if (c == 2) {
		perun_column_append_double(column, (const double *)bits, NULL, count);
	} else {
		ids = perun_alloc(count * sizeof *ids);
		for (size_t i = 0; i < count; i++)
			ids[i] = (perun_id)bits[i];
		perun_column_append_ids(column, PERUN_TYPE_ROW, ids, count);
		perun_free(ids);
	}
}

static void set_cell(struct perun_column_builder *column, int c, uint64_t bits)
{
	if (c == 0)
		perun_column_set_int64(column, (int64_t)bits);
	else if (c == 1)
		perun_column_set_uint64(column, bits);
	else if (c == 2)
		perun_column_set_double(column, real_of(bits));
	else
		perun_column_set_id(column, PERUN_TYPE_ROW, (perun_id)bits);
}

static void put_bulk(struct perun_table_builder *table, const struct model *model)
{
	for (int c = 0; c < COLUMNS; c++) {
		struct perun_column_builder *column = perun_table_add_column(table, &infos[c]);

		perun_column_save_memory(column);
		for (size_t i = 0, end; i < model->rows; i = end) {
			bool absent = model->absent[c][i];

			for (end = i; end < model->rows && model->absent[c][end] == absent;)
				end++;
			if (absent)
				perun_column_append_absent(column, end - i);
			else
				append_cells(column, c, model, i, end - i);
		}
	}
	perun_table_end_rows(table, model->rows);
}

static void put_rows(struct perun_table_builder *table, const struct model *model)
{
	struct perun_column_builder *columns[COLUMNS];

	for (int c = 0; c < COLUMNS; c++) {
		columns[c] = perun_table_add_column(table, &infos[c]);
		perun_column_save_memory(columns[c]);
	}
	for (size_t i = 0; i < model->rows; i++) {
		for (int c = 0; c < COLUMNS; c++) {
			if (!model->absent[c][i])
				set_cell(columns[c], c, model->bits[c][i]);
		}
		perun_table_end_row(table);
	}
}

static struct perun_profile *finish(struct perun_builder *builder)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;

	if (perun_builder_finish(ctx, builder, &profile) != PERUN_OK)
		CHECK_FAIL("finish: %s", perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return profile;
}

static struct perun_profile *build(const struct model *model,
				   void (*put)(struct perun_table_builder *, const struct model *))
{
	struct perun_builder *builder = perun_builder_new();

	put(perun_builder_table(builder, "t"), model);
	return finish(builder);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_cells(const struct perun_span *span, int c, const struct model *model)
{
	for (size_t i = 0; i < span->count; i++) {
		size_t row = span->first + i;
		uint64_t bits = c == 3 ? span->ids[i] : span->uint64s[i];
		bool absent = perun_bit(span->absent, i);
		bool nan = c == 2 && isnan(real_of(bits)) && isnan(real_of(model->bits[c][row]));

		if (absent == model->absent[c][row] && (nan || bits == model->bits[c][row]))
			continue;
		CHECK_FAIL("column %s, row %zu: %s%jx, not %s%jx", infos[c].name, row,
			   absent ? "absent " : "", (uintmax_t)bits,
			   model->absent[c][row] ? "absent " : "", (uintmax_t)model->bits[c][row]);
		return false;
	}
	return true;
}

static bool same_cell(const struct perun_column *column, int c, size_t row,
		      const struct model *model)
{
	uint64_t bits = model->bits[c][row];

	if (perun_column_absent(column, row) != model->absent[c][row])
		return false;
	if (model->absent[c][row])
		return true;
	if (c == 0)
		return perun_column_int64(column, row) == (int64_t)bits;
	if (c == 1)
		return perun_column_uint64(column, row) == bits;
	if (c == 2)
		return bits_of(perun_column_double(column, row)) == bits;
	return perun_column_id(column, row) == bits;
}

/* Single cells and the cursor that copies first: they see narrow cells. */
static void compare(const struct perun_profile *profile, const struct model *model)
{
	const struct perun_table *table = perun_profile_table(profile, "t");
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	struct perun_span span;

	REQUIRE(table);
	REQUIRE(perun_table_rows(table) == model->rows);
	for (int c = 0; c < COLUMNS; c++) {
		const struct perun_column *column = perun_table_column(table, infos[c].name);
		size_t row = 0;

		REQUIRE(column);
		for (size_t i = 0; i < model->rows; i += 61)
			CHECK(same_cell(column, c, i, model));
		for (; perun_column_span_copy(column, row, &span, NULL);
		     row = span.first + span.count)
			CHECK_INT(span.first, row);
		CHECK_INT(row, model->rows);
		for (row = 0; perun_column_span_copy(column, row, &span, block);
		     row = span.first + span.count)
			REQUIRE(same_cells(&span, c, model));
	}
	perun_free(block);
}

static void compare_wide(const struct perun_profile *profile, const struct model *model)
{
	const struct perun_table *table = perun_profile_table(profile, "t");
	struct perun_span span, again;

	for (int c = 0; c < COLUMNS; c++) {
		const struct perun_column *column = perun_table_column(table, infos[c].name);

		for (size_t row = 0; perun_column_span(column, row, &span);
		     row = span.first + span.count) {
			REQUIRE(same_cells(&span, c, model));
			CHECK(perun_column_span(column, row, &again) && again.cells == span.cells);
		}
	}
}

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(test_build)
{
	for (int turn = 0; turn < 6; turn++) {
		struct perun_profile *profile;
		struct model model;

		model_init(&model, turn % 3 == 2 ? (size_t)PERUN_SPAN_ROWS * 2 : ROWS);
		fill(&model);
		profile = build(&model, turn % 2 ? put_rows : put_bulk);
		REQUIRE(profile);
		compare(profile, &model);
		compare_wide(profile, &model);
		compare(profile, &model);
		perun_profile_unref(profile);
		model_free(&model);
	}
}

/* More rows after those of a profile, which itself stays as it is. */
TEST(test_extend)
{
	for (int turn = 0; turn < 4; turn++) {
		struct perun_profile *profile, *edited;
		struct perun_builder *builder;
		struct model model;
		size_t old;

		model_init(&model, ROWS);
		fill(&model);
		old = turn % 2 ? ROWS - 4000 : 2 * PERUN_SPAN_ROWS;
		model.rows = old;
		profile = build(&model, put_bulk);
		REQUIRE(profile);
		if (turn >= 2)
			compare_wide(profile, &model);
		builder = perun_builder_from(profile);
		for (int c = 0; c < COLUMNS; c++) {
			struct perun_column_builder *column = perun_table_add_column(
				perun_builder_table(builder, "t"), &infos[c]);

			append_cells(column, c, &model, old, ROWS - old);
			for (size_t i = old; i < ROWS; i++)
				model.absent[c][i] = c == 3 && model.bits[c][i] == PERUN_NO_ID;
		}
		perun_table_end_rows(perun_builder_table(builder, "t"), ROWS - old);
		edited = finish(builder);
		REQUIRE(edited);
		compare(profile, &model);
		if (turn == 1)
			compare_wide(profile, &model);
		perun_profile_unref(profile);
		model.rows = ROWS;
		compare(edited, &model);
		compare_wide(edited, &model);
		perun_profile_unref(edited);
		model_free(&model);
	}
}

/* Keep the first rows (that others name) and some of the rest. */
TEST(test_keep_rows)
{
	uint64_t *keep = perun_alloc_zero(ROWS / 64 + 1, sizeof *keep);
	struct perun_profile *profile, *edited;
	struct perun_builder *builder;
	struct model model, kept;
	size_t n = 0;

	model_init(&model, ROWS);
	model_init(&kept, ROWS);
	fill(&model);
	for (size_t i = 0; i < ROWS; i++) {
		if (i >= PERUN_SPAN_ROWS && (next_random() % 3 == 0 || i % 5000 > 4000))
			continue;
		keep[i / 64] |= UINT64_C(1) << (i % 64);
		for (int c = 0; c < COLUMNS; c++) {
			kept.bits[c][n] = model.bits[c][i];
			kept.absent[c][n] = model.absent[c][i];
		}
		n++;
	}
	kept.rows = n;
	profile = build(&model, put_bulk);
	REQUIRE(profile);
	builder = perun_builder_from(profile);
	perun_table_keep_rows(perun_builder_table(builder, "t"), keep);
	edited = finish(builder);
	REQUIRE(edited);
	compare(edited, &kept);
	compare(profile, &model);
	compare_wide(profile, &model);
	perun_profile_unref(profile);
	compare_wide(edited, &kept);
	perun_profile_unref(edited);
	model_free(&model);
	model_free(&kept);
	perun_free(keep);
}

/* The doubles of a column again, where there are any; and the table after itself. */
TEST(test_replace_and_merge)
{
	struct perun_profile *profile, *edited;
	struct perun_builder *builder;
	struct model model, twice;

	model_init(&model, ROWS);
	model_init(&twice, 2 * ROWS);
	fill(&model);
	profile = build(&model, put_bulk);
	REQUIRE(profile);
	for (size_t i = 0; i < ROWS; i++) {
		if (!model.absent[2][i])
			model.bits[2][i] = bits_of((double)(i % 100));
	}
	builder = perun_builder_from(profile);
	perun_profile_unref(profile);
	perun_column_replace_present(
		perun_table_find_column(perun_builder_table(builder, "t"), "double"),
		(const double *)model.bits[2]);
	profile = finish(builder);
	REQUIRE(profile);
	compare(profile, &model);
	builder = perun_builder_from(profile);
	perun_builder_append_table(builder, profile, "t");
	edited = finish(builder);
	REQUIRE(edited);
	for (int c = 0; c < COLUMNS; c++) {
		for (size_t i = 0; i < 2 * ROWS; i++) {
			twice.bits[c][i] = model.bits[c][i % ROWS];
			twice.absent[c][i] = model.absent[c][i % ROWS];
			if (c == 3 && i >= ROWS && !twice.absent[c][i])
				twice.bits[c][i] += ROWS;
		}
	}
	compare(edited, &twice);
	compare(profile, &model);
	perun_profile_unref(profile);
	compare_wide(edited, &twice);
	perun_profile_unref(edited);
	model_free(&model);
	model_free(&twice);
}

/* Integers of all widths before a fraction makes the column one of doubles; they stay integers. */
TEST(test_promotion)
{
	struct perun_column_info info = infos[0];
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	struct perun_column_builder *column;
	struct perun_buffer text = {0};
	struct perun_profile *profile;
	const struct perun_column *made;
	size_t rows = 2 * PERUN_SPAN_ROWS + 10;

	info.growing = true;
	column = perun_table_add_column(table, &info);
	perun_column_save_memory(column);
	for (size_t i = 0; i < rows; i++) {
		if (i % 1000 != 7)
			perun_column_set_int64(column, (int64_t)i % 300 - 20);
		perun_table_end_row(table);
	}
	perun_column_set_double(column, 0.5);
	perun_table_end_row(table);
	profile = finish(builder);
	REQUIRE(profile);
	made = perun_table_column(perun_profile_table(profile, "t"), "int");
	CHECK_INT(perun_column_info(made)->type, PERUN_TYPE_DOUBLE);
	perun_column_print_json(made, 5, &text);
	perun_column_print_json(made, 7, &text);
	perun_column_print_json(made, rows, &text);
	CHECK_STR(text.data, "-15null0.5");
	for (size_t i = 0; i < rows; i++) {
		if (i % 1000 != 7)
			REQUIRE(perun_column_double(made, i) == (double)((int64_t)i % 300 - 20));
	}
	perun_buffer_free(&text);
	perun_profile_unref(profile);
}

/* Full runs of small numbers are kept narrow until all of their cells are asked for. */
TEST(test_stored_narrow)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	struct perun_column_builder *column = perun_table_add_column(table, &infos[0]);
	const struct perun_column *made;
	struct perun_profile *profile;
	struct perun_span span;

	perun_column_save_memory(column);
	for (int64_t i = 0; i < 2 * PERUN_SPAN_ROWS; i++) {
		perun_column_set_int64(column, INT64_MIN + (i & 0xff));
		perun_table_end_row(table);
	}
	profile = finish(builder);
	REQUIRE(profile);
	made = perun_table_column(perun_profile_table(profile, "t"), "int");
	for (int64_t row = 0; row < 2 * PERUN_SPAN_ROWS; row += PERUN_SPAN_ROWS) {
		CHECK(perun_column_int64(made, (size_t)row + 300) == INT64_MIN + 44);
		CHECK(perun_column_span_copy(made, (size_t)row, &span, NULL) && span.cells == NULL);
		CHECK(perun_column_span(made, (size_t)row, &span) && span.cells != NULL);
		CHECK(span.int64s && span.int64s[300] == INT64_MIN + 44);
		CHECK(perun_column_span_copy(made, (size_t)row, &span, NULL) && span.cells != NULL);
	}
	perun_profile_unref(profile);
}

/* The same of runs of which few cells are present, whatever is in these. */
TEST(test_stored_sparse)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	struct perun_column_builder *column = perun_table_add_column(table, &infos[2]);
	const struct perun_column *made;
	struct perun_profile *profile;
	struct perun_span span;

	perun_column_save_memory(column);
	for (int64_t i = 0; i < 2 * PERUN_SPAN_ROWS; i++) {
		if (i % 13 == 5)
			perun_column_set_double(column, (double)i / 7);
		perun_table_end_row(table);
	}
	profile = finish(builder);
	REQUIRE(profile);
	made = perun_table_column(perun_profile_table(profile, "t"), "double");
	for (size_t row = 0; row < 2 * PERUN_SPAN_ROWS; row++) {
		CHECK(perun_column_absent(made, row) == (row % 13 != 5));
		CHECK(row % 13 != 5 || perun_column_double(made, row) == (double)row / 7);
	}
	CHECK(perun_column_span_copy(made, 0, &span, NULL) && span.cells == NULL);
	CHECK(perun_column_span(made, 0, &span) && span.doubles[5] == 5.0 / 7);
	perun_profile_unref(profile);
}

enum { TURNS = 40, TURN_ROWS = 3 * PERUN_SPAN_ROWS + 5000, TURN_MORE = PERUN_SPAN_ROWS + 3000 };

/* Columns by turns, the first one in each row of some thousand: row i of column c. */
static bool is_turn(size_t i, size_t c)
{
	return i % TURNS == c ||
	       (c == 0 && i > 2 * PERUN_SPAN_ROWS + 100 && i < 2 * PERUN_SPAN_ROWS + 9000);
}

static void add_turns(struct perun_builder *builder, size_t first, size_t end)
{
	struct perun_table_builder *table = perun_builder_table(builder, "t");
	struct perun_column_builder *columns[TURNS];

	for (size_t c = 0; c < TURNS; c++) {
		struct perun_column_info info = infos[0];
		char name[16];

		snprintf(name, sizeof name, "c%zu", c);
		info.name = name;
		columns[c] = perun_table_add_column(table, &info);
		perun_column_save_memory(columns[c]);
	}
	for (size_t i = first; i < end; i++) {
		perun_column_set_int64(columns[i % TURNS], (int64_t)(i * 7));
		if (is_turn(i, 0) && i % TURNS)
			perun_column_set_int64(columns[0], (int64_t)(i * 7));
		perun_table_end_row(table);
	}
}

static void check_turns(const struct perun_profile *profile, size_t rows)
{
	const struct perun_table *table = perun_profile_table(profile, "t");
	struct perun_span span = {0};
	size_t wrong = 0;

	for (size_t c = 0; c < TURNS; c += 13) {
		const struct perun_column *column = perun_table_column_at(table, c);

		for (size_t i = c; i < rows; i += 37)
			wrong += perun_column_absent(column, i) == is_turn(i, c) ||
				 (is_turn(i, c) && perun_column_int64(column, i) != (int64_t)i * 7);
		for (size_t i = 0; i < rows; i++) {
			if (i == span.first + span.count || i == 0)
				REQUIRE(perun_column_span_copy(column, i, &span, NULL));
			wrong += perun_bit(span.absent, i - span.first) == is_turn(i, c);
		}
		REQUIRE(perun_column_span(column, rows - 1, &span));
		for (size_t i = span.first; i < rows; i++)
			wrong +=
				span.int64s[i - span.first] != (is_turn(i, c) ? (int64_t)i * 7 : 0);
	}
	CHECK_INT(wrong, 0);
}

/* Runs of few cells after each other, looked at while there are more to come; one of them has many after all. */
TEST(test_sparse_turns)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile, *more;

	add_turns(builder, 0, TURN_ROWS);
	profile = finish(builder);
	REQUIRE(profile);
	builder = perun_builder_from(profile);
	add_turns(builder, TURN_ROWS, TURN_ROWS + TURN_MORE);
	more = finish(builder);
	REQUIRE(more);
	check_turns(more, TURN_ROWS + TURN_MORE);
	check_turns(profile, TURN_ROWS);
	perun_profile_unref(profile);
	check_turns(more, TURN_ROWS + TURN_MORE);
	perun_profile_unref(more);
}

/* What one thread found: where the cells of all runs are. */
struct look {
	const struct perun_profile *profile;
	const struct model *model;
	const void *cells[COLUMNS * 4];
	pthread_t thread;
	bool good;
};

static void *look_at_all(void *data)
{
	struct look *look = data;
	const struct perun_table *table = perun_profile_table(look->profile, "t");
	int64_t *block = perun_alloc(PERUN_SPAN_ROWS * sizeof *block);
	struct perun_span span;
	size_t n = 0;

	look->good = true;
	for (int c = 0; c < COLUMNS; c++) {
		const struct perun_column *column = perun_table_column(table, infos[c].name);

		for (size_t row = 0; perun_column_span(column, row, &span);
		     row = span.first + span.count) {
			look->cells[n++] = span.cells;
			look->good &= same_cells(&span, c, look->model) &&
				      same_cell(column, c, row, look->model) &&
				      perun_column_span_copy(column, row, &span, block) &&
				      same_cells(&span, c, look->model);
		}
	}
	perun_free(block);
	return NULL;
}

TEST(test_threads)
{
	struct look looks[4] = {0};
	struct perun_profile *profile;
	struct model model;

	model_init(&model, ROWS);
	fill(&model);
	profile = build(&model, put_bulk);
	REQUIRE(profile);
	for (int i = 0; i < 4; i++) {
		looks[i].profile = profile;
		looks[i].model = &model;
		REQUIRE(pthread_create(&looks[i].thread, NULL, look_at_all, &looks[i]) == 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(looks[i].thread, NULL);
	for (int i = 0; i < 4; i++) {
		CHECK(looks[i].good);
		CHECK(memcmp(looks[i].cells, looks[0].cells, sizeof looks[i].cells) == 0);
	}
	perun_profile_unref(profile);
	model_free(&model);
}

CHECK_MAIN(, )
