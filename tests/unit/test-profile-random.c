/* SPDX-License-Identifier: BSD-3-Clause */
/* Whatever a builder accepts, the cursor gives back: random work against a plain reference. */
#include "tests/unit/check.h"

#include "perun/json.h"
#include "perun/profile.h"

/*
 * The reference is a table of cells that remember what was put in; a cell's JSON text must stay the
 * same whatever types its column goes through. Names, stacks and the like are numbered, and made
 * from their number when needed.
 */
enum kind { ABSENT, INT, UINT, REAL, BOOLEAN, TEXT, JSON, STACK, LABELS, POINT, ROW };

struct cell {
	enum kind kind;
	union {
		int64_t i;
		uint64_t u;
		double d;
	};
};

#define COLUMNS 12
#define FIXED   8 /* columns from here on keep their type */

static const struct {
	const char *name;
	enum perun_type type;
} plan[COLUMNS] = {
	{"int", PERUN_TYPE_INT64},   {"uint", PERUN_TYPE_UINT64},   {"double", PERUN_TYPE_DOUBLE},
	{"bool", PERUN_TYPE_BOOL},   {"string", PERUN_TYPE_STRING}, {"json", PERUN_TYPE_JSON},
	{"int2", PERUN_TYPE_INT64},  {"stacks", PERUN_TYPE_STACK},  {"row", PERUN_TYPE_ROW},
	{"stack", PERUN_TYPE_STACK}, {"labels", PERUN_TYPE_LABELS}, {"point", PERUN_TYPE_POINT},
};

struct table {
	size_t rows;
	bool there[COLUMNS];
	struct cell *cells[COLUMNS]; /* rows of them */
};

struct work {
	uint64_t random;
	struct perun_builder *builder;
	struct table table;
	struct cell row[COLUMNS];  /* the current row */
	struct perun_profile *old; /* an earlier state, to be merged */
	struct table old_table;
};

/* S. Vigna, splitmix64: the public domain generator. */
static uint64_t next(struct work *work)
{
	uint64_t z = work->random += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static size_t below(struct work *work, size_t end)
{
	return (size_t)(next(work) % end);
}

/* ---- things made from their number ---------------------------------------------------------- */

static perun_id make_text(struct perun_builder *builder, uint64_t n)
{
	char text[64];
	int length =
		snprintf(text, sizeof text, "text \"%" PRIu64 "%s", n, n % 3 ? "" : "\xc3\xa4");

	return perun_builder_string(builder, text, (size_t)length);
}

static perun_id make_json(struct perun_builder *builder, uint64_t n)
{
	char text[64];

	snprintf(text, sizeof text, n % 2 ? "[%" PRIu64 ", null]" : "{\"n\": %" PRIu64 "}", n);
	return perun_builder_text(builder, text);
}

static perun_id make_stack(struct perun_builder *builder, uint64_t n)
{
	char names[8][24];
	const char *pointers[8];
	size_t depth = n % 9;

	for (size_t i = 0; i < depth; i++) {
		snprintf(names[i], sizeof names[i], "f%" PRIu64, n + i);
		pointers[i] = names[i];
	}
	return perun_builder_stack_of_names(builder, pointers, depth);
}

static perun_id make_labels(struct perun_builder *builder, uint64_t n)
{
	struct perun_label labels[2] = {
		{.key = perun_builder_text(builder, "key"), .text = make_text(builder, n)},
		{.key = perun_builder_text(builder, "number"),
		 .text = PERUN_NO_ID,
		 .number = (int64_t)n},
	};

	return perun_builder_labels(builder, labels, n % 3);
}

static perun_id make_point(struct perun_builder *builder, uint64_t n)
{
	perun_builder_parameter(builder, "p", NULL);
	return perun_builder_point(builder, &(double){(double)n / 4}, 1);
}

static perun_id make(struct perun_builder *builder, const struct cell *cell)
{
	switch (cell->kind) {
	case TEXT:
		return make_text(builder, cell->u);
	case JSON:
		return make_json(builder, cell->u);
	case STACK:
		return make_stack(builder, cell->u);
	case LABELS:
		return make_labels(builder, cell->u);
	case POINT:
		return make_point(builder, cell->u);
	case ROW:
		return (perun_id)cell->u;
	default:
		return PERUN_NO_ID;
	}
}

static void print_cell(const struct cell *cell, struct perun_buffer *out)
{
	char number[PERUN_JSON_NUMBER_SIZE];
	uint64_t n = cell->u;
	char text[64];

	switch (cell->kind) {
	case ABSENT:
		perun_buffer_add_text(out, "null");
		break;
	case INT:
		perun_buffer_printf(out, "%" PRId64, cell->i);
		break;
	case UINT:
	case ROW:
		perun_buffer_printf(out, "%" PRIu64, n);
		break;
	case REAL:
		perun_buffer_add(out, number, perun_json_print_double(cell->d, number));
		break;
	case BOOLEAN:
		perun_buffer_add_text(out, n ? "true" : "false");
		break;
	case TEXT:
		snprintf(text, sizeof text, "text \"%" PRIu64 "%s", n, n % 3 ? "" : "\xc3\xa4");
		perun_json_quote(out, text, strlen(text));
		break;
	case JSON:
		perun_buffer_printf(out, n % 2 ? "[%" PRIu64 ", null]" : "{\"n\": %" PRIu64 "}", n);
		break;
	case STACK:
		perun_buffer_add_text(out, "[");
		for (size_t i = n % 9; i-- > 0;)
			perun_buffer_printf(out, "\"f%" PRIu64 "\"%s", n + i, i ? ", " : "");
		perun_buffer_add_text(out, "]");
		break;
	case LABELS:
		perun_buffer_add_text(out, n % 3 ? "{\"key\": " : "{");
		if (n % 3)
			print_cell(&(struct cell){.kind = TEXT, .u = n}, out);
		if (n % 3 == 2)
			perun_buffer_printf(out, ", \"number\": %" PRIu64, n);
		perun_buffer_add_text(out, "}");
		break;
	case POINT:
		perun_buffer_add(out, "{\"p\": ", 6);
		print_cell(&(struct cell){.kind = REAL, .d = (double)n / 4}, out);
		perun_buffer_add_text(out, "}");
		break;
	}
}

/* ---- random cells ---------------------------------------------------------------------------- */

static struct cell random_number(struct work *work, enum kind kind)
{
	static const int64_t ints[] = {0,         1,           -1,        (1LL << 53) + 1,
				       INT64_MIN, INT64_MAX,   1LL << 53, 1LL << 60,
				       77,        -(1LL << 53)};
	static const uint64_t uints[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63, INT64_MAX, 5};
	static const double reals[] = {0.0, -0.0, 0.1, 1e300, 3.0, NAN, INFINITY, -5e-324, 1e17};
	struct cell cell = {.kind = kind};
	bool odd = below(work, 50) == 0;

	if (kind == INT)
		cell.i = odd ? ints[below(work, 10)] : (int64_t)below(work, 2000) - 1000;
	else if (kind == UINT)
		cell.u = odd ? uints[below(work, 6)] : below(work, 100000);
	else
		cell.d = odd ? reals[below(work, 9)] : (double)below(work, 100000) / 64;
	return cell;
}

/* A cell for a column: nearly always of the column's kind; growing ones get anything at times. */
static struct cell random_cell(struct work *work, int column)
{
	static const enum kind kinds[] = {[PERUN_TYPE_INT64] = INT,   [PERUN_TYPE_UINT64] = UINT,
					  [PERUN_TYPE_DOUBLE] = REAL, [PERUN_TYPE_BOOL] = BOOLEAN,
					  [PERUN_TYPE_STRING] = TEXT, [PERUN_TYPE_JSON] = JSON,
					  [PERUN_TYPE_STACK] = STACK, [PERUN_TYPE_LABELS] = LABELS,
					  [PERUN_TYPE_POINT] = POINT, [PERUN_TYPE_ROW] = ROW};
	struct cell cell = {.kind = kinds[plan[column].type]};
	size_t die = below(work, 400);

	if (die < 40)
		return (struct cell){.kind = ABSENT};
	if (die < 44 && plan[column].type <= PERUN_TYPE_DOUBLE)
		return random_number(work, INT + (enum kind)below(work, 3));
	if (die == 44 && column < FIXED)
		cell.kind = INT + (enum kind)below(work, JSON); /* up to STACK */
	if (cell.kind <= REAL)
		return random_number(work, cell.kind);
	cell.u = cell.kind == ROW       ? below(work, work->table.rows + 1)
		 : cell.kind == BOOLEAN ? below(work, 2)
					: below(work, 200);
	return cell;
}

static struct perun_table_builder *the_table(struct work *work)
{
	return perun_builder_table(work->builder, "t");
}

static struct perun_column_builder *the_column(struct work *work, int column)
{
	struct perun_column_info info = {.name = plan[column].name,
					 .type = plan[column].type,
					 .refers = plan[column].type == PERUN_TYPE_ROW ? "t" : NULL,
					 .growing = column < FIXED};

	if (!work->table.there[column]) {
		work->table.there[column] = true;
		for (size_t i = 0; i < work->table.rows; i++)
			work->table.cells[column][i].kind = ABSENT;
	}
	return perun_table_add_column(the_table(work), &info);
}

/* ---- the operations -------------------------------------------------------------------------- */

static enum perun_type id_type(enum kind kind)
{
	static const enum perun_type types[] = {
		[TEXT] = PERUN_TYPE_STRING, [JSON] = PERUN_TYPE_JSON,
		[STACK] = PERUN_TYPE_STACK, [LABELS] = PERUN_TYPE_LABELS,
		[POINT] = PERUN_TYPE_POINT, [ROW] = PERUN_TYPE_ROW};

	return types[kind];
}

static void set(struct work *work, int column, struct cell cell)
{
	struct perun_column_builder *to = the_column(work, column);

	if (cell.kind == ABSENT)
		perun_column_set_absent(to);
	else if (cell.kind == INT)
		perun_column_set_int64(to, cell.i);
	else if (cell.kind == UINT)
		perun_column_set_uint64(to, cell.u);
	else if (cell.kind == REAL)
		perun_column_set_double(to, cell.d);
	else if (cell.kind == BOOLEAN)
		perun_column_set_bool(to, cell.u != 0);
	else
		perun_column_set_id(to, id_type(cell.kind), make(work->builder, &cell));
	work->row[column] = cell;
}

static void make_room(struct table *table, size_t more)
{
	for (int c = 0; c < COLUMNS; c++) {
		table->cells[c] = perun_realloc_array(table->cells[c], table->rows + more + 1,
						      sizeof *table->cells[c]);
		memset(table->cells[c] + table->rows, 0, (more + 1) * sizeof *table->cells[c]);
	}
}

static void add_rows(struct work *work, size_t count)
{
	make_room(&work->table, count);
	for (size_t i = 0; i < count; i++) {
		memset(work->row, 0, sizeof work->row);
		for (int c = 0; c < COLUMNS; c++) {
			if (below(work, 4))
				set(work, c, random_cell(work, c));
			if (below(work, 60) == 0)
				set(work, c, random_cell(work, c));
		}
		perun_table_end_row(the_table(work));
		for (int c = 0; c < COLUMNS; c++)
			work->table.cells[c][work->table.rows] = work->row[c];
		work->table.rows++;
	}
}

/* One call for `count` cells; all are of the kind of the first that is present. */
static void append(struct work *work, int column, const struct cell *cells, size_t count)
{
	struct perun_column_builder *to = the_column(work, column);
	uint64_t *values = perun_alloc_zero(count, 8),
		 *integers = perun_alloc_zero(count / 64 + 1, 8);
	uint8_t *bools = perun_alloc(count);
	perun_id *ids = perun_alloc(count * sizeof *ids);
	enum kind kind = cells[0].kind;

	for (size_t i = 0; i < count; i++) {
		values[i] = cells[i].u;
		bools[i] = cells[i].u != 0;
		if (kind >= TEXT)
			ids[i] = make(work->builder, &cells[i]);
		if (kind == REAL && cells[i].kind == INT) {
			double real = (double)cells[i].i;

			memcpy(&values[i], &real, 8);
			integers[i / 64] |= UINT64_C(1) << (i % 64);
		}
	}
	if (kind == ABSENT)
		perun_column_append_absent(to, count);
	else if (kind == INT)
		perun_column_append_int64(to, (int64_t *)values, count);
	else if (kind == UINT)
		perun_column_append_uint64(to, values, count);
	else if (kind == REAL)
		perun_column_append_double(to, (double *)values, integers, count);
	else if (kind == BOOLEAN)
		perun_column_append_bool(to, bools, count);
	else
		perun_column_append_ids(to, id_type(kind), ids, count);
	perun_free(values);
	perun_free(integers);
	perun_free(bools);
	perun_free(ids);
}

static void add_bulk(struct work *work, size_t count)
{
	make_room(&work->table, count);
	for (int c = 0; c < COLUMNS; c++) {
		struct cell *cells = work->table.cells[c] + work->table.rows;
		size_t done = 0;

		if (below(work, 8) == 0)
			continue; /* this column gets none */
		while (done < count) {
			size_t part = 1 + below(work, count - done);
			struct cell first = random_cell(work, c);

			cells[done] = first;
			for (size_t i = 1; i < part; i++) {
				struct cell cell = random_cell(work, c);

				/* Ids may be absent in between, doubles may be integers. */
				if (cell.kind != first.kind &&
				    !(cell.kind == ABSENT && first.kind >= TEXT))
					cell = first;
				if (first.kind == REAL && below(work, 4) == 0)
					cell = (struct cell){.kind = INT,
							     .i = (int64_t)below(work, 100)};
				cells[done + i] = cell;
			}
			append(work, c, cells + done, part);
			done += part;
		}
	}
	perun_table_end_rows(the_table(work), count);
	work->table.rows += count;
}

static void keep_rows(struct work *work)
{
	struct table *table = &work->table;
	size_t rows = table->rows, kept = 0, many = below(work, 3);
	uint64_t *keep = perun_alloc_zero(rows / 64 + 1, 8);
	uint64_t *moved = perun_alloc_zero(rows + 1, 8);
	bool on = true;

	for (size_t i = 0; i < rows; i++) {
		if (below(work, many ? 1000 : 3) == 0)
			on = !on;
		moved[i] = UINT64_MAX;
		if (!on)
			continue;
		keep[i / 64] |= UINT64_C(1) << (i % 64);
		for (int c = 0; c < COLUMNS; c++)
			table->cells[c][kept] = table->cells[c][i];
		moved[i] = kept++;
	}
	table->rows = kept;
	for (int c = 0; c < COLUMNS; c++) {
		for (size_t i = 0; i < kept; i++) {
			struct cell *cell = &table->cells[c][i];

			if (cell->kind == ROW && (cell->u >= rows || moved[cell->u] == UINT64_MAX))
				cell->kind = ABSENT;
			else if (cell->kind == ROW)
				cell->u = moved[cell->u];
		}
	}
	perun_table_keep_rows(the_table(work), keep);
	perun_free(keep);
	perun_free(moved);
}

static void replace(struct work *work)
{
	int column = (int)below(work, 3);
	struct perun_column_builder *to = the_column(work, column);
	bool numbers = perun_column_builder_info(to)->type <= PERUN_TYPE_DOUBLE;
	double *values = perun_alloc(work->table.rows * sizeof *values);

	for (size_t i = 0; i < work->table.rows; i++) {
		struct cell *cell = &work->table.cells[column][i];
		bool integer = numbers && (cell->kind == INT || cell->kind == UINT);

		values[i] = (double)below(work, 100) / 4;
		if (integer && values[i] == floor(values[i]))
			*cell = (struct cell){.kind = INT, .i = (int64_t)values[i]};
		else
			*cell = (struct cell){.kind = REAL, .d = values[i]};
	}
	perun_column_replace_doubles(to, values);
	perun_free(values);
}

static void remove_column(struct work *work)
{
	int column = (int)below(work, COLUMNS);

	perun_table_remove_column(the_table(work), plan[column].name);
	work->table.there[column] = false;
	for (size_t i = 0; i < work->table.rows; i++)
		work->table.cells[column][i].kind = ABSENT;
}

static void copy_table(struct table *to, const struct table *from)
{
	*to = *from;
	for (int c = 0; c < COLUMNS; c++)
		to->cells[c] = perun_memdup(from->cells[c], from->rows * sizeof *from->cells[c]);
}

static void free_table(struct table *table)
{
	for (int c = 0; c < COLUMNS; c++)
		perun_free(table->cells[c]);
	*table = (struct table){0};
}

static void merge(struct work *work)
{
	const struct table *old = &work->old_table;
	size_t base = work->table.rows;

	if (!work->old || base + old->rows > 500000)
		return;
	make_room(&work->table, old->rows);
	for (int c = 0; c < COLUMNS; c++) {
		work->table.there[c] |= old->there[c];
		for (size_t i = 0; i < old->rows; i++) {
			struct cell *cell = &work->table.cells[c][base + i];

			*cell = old->cells[c][i];
			if (cell->kind == ROW)
				cell->u += base;
		}
	}
	work->table.rows += old->rows;
	perun_builder_append_table(work->builder, work->old, "t");
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool check_column(const struct perun_column *column, const struct cell *cells, size_t rows,
			 size_t step)
{
	struct perun_buffer got = {0}, wanted = {0};
	struct perun_span span;
	size_t row = 0;
	bool good = true;

	for (; perun_column_span(column, row, &span); row = span.first + span.count)
		good &= span.first == row && row % PERUN_SPAN_ROWS == 0 && span.count > 0;
	good &= row == rows;
	for (row = 0; row < rows && good; row += step) {
		perun_buffer_clear(&got);
		perun_buffer_clear(&wanted);
		perun_column_print_json(column, row, &got);
		print_cell(&cells[row], &wanted);
		good = strcmp(got.data, wanted.data) == 0 &&
		       perun_column_absent(column, row) == (cells[row].kind == ABSENT);
	}
	if (!good)
		CHECK_FAIL("column %s (type %d), row %zu of %zu is %s, not %s",
			   perun_column_info(column)->name, perun_column_info(column)->type,
			   row - step, rows, got.data, wanted.data);
	perun_buffer_free(&got);
	perun_buffer_free(&wanted);
	return good;
}

static bool check_profile(const struct perun_profile *profile, const struct table *table,
			  size_t step)
{
	const struct perun_table *made = perun_profile_table(profile, "t");
	bool good = true;

	if (!made) {
		CHECK_INT(table->rows, 0);
		return table->rows == 0;
	}
	CHECK_INT(perun_table_rows(made), table->rows);
	if (perun_table_rows(made) != table->rows)
		return false;
	for (int c = 0; c < COLUMNS; c++) {
		const struct perun_column *column = perun_table_column(made, plan[c].name);

		CHECK(table->there[c] == (column != NULL));
		if (column)
			good &= check_column(column, table->cells[c], table->rows, step);
	}
	return good;
}

/* Finish, compare, and go on from the profile; sometimes keep it for merging. */
static bool turn_over(struct work *work, size_t step)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile;
	bool good;

	if (below(work, 2)) { /* a row that is not ended */
		set(work, 2, (struct cell){.kind = INT, .i = 1});
		set(work, 8, (struct cell){.kind = ROW, .u = work->table.rows});
		set(work, 10, (struct cell){.kind = LABELS, .u = 1});
		set(work, 10, (struct cell){.kind = ABSENT});
	}
	if (perun_builder_finish(ctx, work->builder, &profile) != PERUN_OK) {
		CHECK_FAIL("finish: %s", perun_ctx_error(ctx));
		perun_ctx_free(ctx);
		work->builder = NULL;
		return false;
	}
	perun_ctx_free(ctx);
	good = check_profile(profile, &work->table, step);
	work->builder = perun_builder_from(profile);
	if (work->old)
		good &= check_profile(work->old, &work->old_table, step);
	if (below(work, 3) == 0) {
		perun_profile_unref(work->old);
		free_table(&work->old_table);
		work->old = perun_profile_ref(profile);
		copy_table(&work->old_table, &work->table);
	}
	perun_profile_unref(profile);
	return good;
}

static bool run(uint64_t seed, size_t bulk, size_t steps, size_t step)
{
	struct work work = {.random = seed, .builder = perun_builder_new()};
	bool good = true;

	make_room(&work.table, 0);
	for (size_t i = 0; i < steps && good; i++) {
		switch (below(&work, 10)) {
		case 0:
		case 1:
		case 2:
			add_rows(&work, below(&work, 40));
			break;
		case 3:
		case 4:
		case 5:
			add_bulk(&work, 1 + below(&work, bulk));
			break;
		case 6:
			if (below(&work, 2))
				keep_rows(&work);
			else if (work.table.rows)
				replace(&work);
			break;
		case 7:
			if (below(&work, 3) == 0)
				remove_column(&work);
			else
				merge(&work);
			break;
		default:
			good = turn_over(&work, step);
		}
	}
	good = good && turn_over(&work, step);
	if (!good)
		printf("# seed %" PRIu64 "\n", seed);
	perun_builder_free(work.builder);
	perun_profile_unref(work.old);
	free_table(&work.old_table);
	free_table(&work.table);
	return good;
}

TEST(test_small)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		if (!run(seed, 60, 40, 1))
			break;
	}
}

/* Across the borders of chunks. */
TEST(test_large)
{
	for (uint64_t seed = 1001; seed <= 1006; seed++) {
		if (!run(seed, 90000, 14, 13))
			break;
	}
}

/* ---- ids that are wrong ---------------------------------------------------------------------- */

static perun_id any_id(struct work *work)
{
	size_t die = below(work, 60);

	return die == 0 ? PERUN_NO_ID : die == 1 ? (perun_id)next(work) : (perun_id)below(work, 3);
}

static void add_any(struct work *work)
{
	struct perun_builder *builder = work->builder;
	perun_id ids[4] = {any_id(work), any_id(work), any_id(work), any_id(work)};
	struct perun_function function = {ids[0], ids[1], ids[2], 1, 0};
	struct perun_mapping mapping = {.file = ids[0], .build_id = ids[1]};
	struct perun_line line = {.function = ids[0]};
	struct perun_location location = {
		.mapping = ids[1], .line_count = (uint32_t)below(work, 2), .lines = &line};
	struct perun_label label = {.key = ids[0], .text = ids[1], .unit = ids[2]};

	perun_builder_text(builder, below(work, 2) ? "a" : "b");
	perun_builder_function(builder, &function);
	perun_builder_mapping(builder, &mapping);
	perun_builder_location(builder, &location);
	perun_builder_stack(builder, ids, below(work, 4));
	perun_builder_labels(builder, &label, below(work, 2));
	if (below(work, 2))
		perun_builder_parameter(builder, "p", NULL);
	perun_builder_point(builder, (double[]){1, 2}, below(work, 20) ? below(work, 2) : 2);
	for (int c = PERUN_TYPE_STRING; c < COLUMNS; c++) {
		struct perun_column_info info = {
			.name = plan[c].name, .type = plan[c].type, .refers = "t", .growing = true};
		struct perun_column_builder *column =
			perun_table_add_column(the_table(work), &info);
		enum perun_type type = below(work, 40) ? plan[c].type : PERUN_TYPE_STACK;

		if (plan[c].type > PERUN_TYPE_BOOL)
			perun_column_set_id(column, type, any_id(work));
	}
	perun_table_end_row(the_table(work));
}

/* Nothing is read outside, whether the builder or the check at its end finds out. */
TEST(test_wrong_ids)
{
	size_t refused = 0, accepted = 0;

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct work work = {.random = seed, .builder = perun_builder_new()};
		struct perun_buffer text = {0};
		struct perun_profile *profile;
		const struct perun_table *table;

		for (size_t i = 1 + below(&work, 3); i > 0; i--)
			add_any(&work);
		if (perun_builder_finish(NULL, work.builder, &profile) != PERUN_OK) {
			refused++;
			continue;
		}
		accepted++;
		table = perun_profile_table(profile, "t");
		work.builder = perun_builder_new();
		perun_builder_append_table(work.builder, profile, "t");
		for (size_t c = 0; c < perun_table_columns(table); c++) {
			for (size_t row = 0; row < perun_table_rows(table); row++) {
				perun_column_print(perun_table_column_at(table, c), row, &text);
				perun_column_print_json(perun_table_column_at(table, c), row,
							&text);
			}
		}
		perun_buffer_free(&text);
		perun_profile_unref(profile);
		if (perun_builder_finish(NULL, work.builder, &profile) != PERUN_OK)
			CHECK_FAIL("seed %" PRIu64 ": the copy is refused", seed);
		else
			perun_profile_unref(profile);
	}
	CHECK(refused > 100);
	CHECK(accepted > 20);
	printf("# %zu refused, %zu accepted\n", refused, accepted);
}

CHECK_MAIN(, )
