/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of rows: by columns, by flat texts. */
#include "core/query/groups.h"

/* ---- making ----------------------------------------------------------------------------------- */

static struct perun_groups *groups_of(const struct perun_table *table,
				      struct perun_numbered *numbered)
{
	struct perun_groups *groups = perun_alloc_zero(1, sizeof *groups);

	groups->struct_size = sizeof *groups;
	groups->table = table;
	groups->rows = perun_table_rows(table);
	groups->count = numbered->count;
	groups->group_of_row = numbered->of_row;
	groups->first_row = numbered->first_row;
	groups->size = numbered->size;
	perun_free(numbered->words);
	return groups;
}

/* A key of 64-bit cells gets codes (owned), so that it can be one of two. */
static int narrow_key(struct perun_ctx *ctx, size_t rows, const uint64_t *selection,
		      struct perun_key *key, struct perun_numbered *owned)
{
	int status;

	if (perun_key_is_narrow(key))
		return PERUN_OK;
	status = perun_number_rows(ctx, rows, key, 1, selection, owned);
	*key = (struct perun_key){NULL, owned->of_row};
	return status;
}

/* Two keys at most can be numbered at once: the numbers of the first two are the key for the next. */
static int number_keys(struct perun_ctx *ctx, const struct perun_table *table,
		       const struct perun_column *const *columns, size_t count,
		       const uint64_t *selection, struct perun_numbered *numbered)
{
	struct perun_key keys[2] = {{count ? columns[0] : NULL, NULL}, {NULL, NULL}};
	struct perun_numbered folded = {0};
	size_t rows = perun_table_rows(table);
	int status;

	if (count <= 1)
		return perun_number_rows(ctx, rows, keys, count, selection, numbered);
	status = narrow_key(ctx, rows, selection, &keys[0], &folded);
	for (size_t i = 1; i < count && status == PERUN_OK; i++) {
		struct perun_numbered narrow = {0}, both = {0};

		keys[1] = (struct perun_key){columns[i], NULL};
		status = narrow_key(ctx, rows, selection, &keys[1], &narrow);
		if (status == PERUN_OK)
			status = perun_number_rows(ctx, rows, keys, 2, selection, &both);
		perun_numbered_free(&narrow);
		perun_numbered_free(&folded);
		folded = both;
		keys[0] = (struct perun_key){NULL, folded.of_row};
	}
	if (status != PERUN_OK)
		perun_numbered_free(&folded);
	*numbered = folded;
	return status;
}

int perun_group_by(struct perun_ctx *ctx, const struct perun_table *table,
		   const struct perun_column *const *keys, size_t key_count,
		   const uint64_t *selection, struct perun_groups **groups)
{
	struct perun_numbered numbered;
	int status = perun_query_rows(ctx, table);

	*groups = NULL;
	for (size_t i = 0; i < key_count && status == PERUN_OK; i++) {
		if (perun_column_table(keys[i]) != table)
			status = perun_fail(
				ctx, PERUN_USAGE, "column %s does not belong to table %s",
				perun_column_info(keys[i])->name, perun_table_name(table));
	}
	if (status == PERUN_OK)
		status = number_keys(ctx, table, keys, key_count, selection, &numbered);
	if (status != PERUN_OK)
		return status;
	*groups = groups_of(table, &numbered);
	(*groups)->keys = perun_memdup(keys, key_count * sizeof *keys);
	(*groups)->key_count = key_count;
	return PERUN_OK;
}

void perun_groups_free(struct perun_groups *groups)
{
	if (!groups)
		return;
	for (size_t i = 0; groups->texts && i < groups->count; i++)
		perun_free(groups->texts[i]);
	perun_free(groups->texts);
	perun_free(groups->keys);
	perun_free(groups->group_of_row);
	perun_free(groups->first_row);
	perun_free(groups->size);
	perun_free(groups);
}

void perun_groups_rows(const struct perun_groups *groups, uint32_t **rows, size_t **starts)
{
	size_t total = 0, *next = perun_alloc_zero(groups->count + 1, sizeof *next);

	*starts = perun_alloc_zero(groups->count + 1, sizeof **starts);
	for (size_t g = 0; g < groups->count; g++) {
		(*starts)[g] = next[g] = total;
		total += groups->size[g];
	}
	(*starts)[groups->count] = total;
	*rows = perun_alloc(total * sizeof **rows + 1);
	for (size_t row = 0; row < groups->rows; row++) {
		if (groups->group_of_row[row] != PERUN_NO_ID)
			(*rows)[next[groups->group_of_row[row]]++] = (uint32_t)row;
	}
	perun_free(next);
}

/* ---- flat texts ------------------------------------------------------------------------------- */

/* The number of each row's flat text, where `codes` has none yet; each text is made once for an id. */
static void add_flat_codes(const struct perun_column *column, const uint64_t *selection,
			   struct perun_texts *texts, uint32_t *codes)
{
	enum perun_type type = perun_column_info(column)->type;
	const struct perun_profile *profile = perun_table_profile(perun_column_table(column));
	bool pooled = perun_type_is_pooled(type);
	size_t ids = pooled ? perun_pool_size(profile, type) : 0;
	uint32_t *of_id = perun_alloc(ids * sizeof *of_id + 1);
	struct perun_buffer text = {0};
	struct perun_span span;

	memset(of_id, 0xff, ids * sizeof *of_id);
	for (size_t row = 0; perun_column_span(column, row, &span); row = span.first + span.count) {
		for (size_t i = 0; i < span.count; i++) {
			size_t at = span.first + i;
			uint32_t *code = pooled && !perun_bit(span.absent, i) ? &of_id[span.ids[i]]
									      : &codes[at];

			if (perun_bit(span.absent, i) || codes[at] != PERUN_NO_ID ||
			    (selection && !perun_bit(selection, at)))
				continue;
			if (*code == PERUN_NO_ID) {
				perun_buffer_clear(&text);
				perun_column_flat(column, at, &text);
				*code = perun_texts_number(texts, text.data ? text.data : "",
							   text.length, true);
			}
			codes[at] = *code;
		}
	}
	perun_buffer_free(&text);
	perun_free(of_id);
}

/* By the first of the columns that is there. NULLs are passed over. */
static int group_flat(struct perun_ctx *ctx, const struct perun_table *table,
		      const struct perun_column *const columns[2], const uint64_t *selection,
		      struct perun_groups **groups)
{
	size_t rows = perun_table_rows(table);
	struct perun_texts texts = {0};
	struct perun_numbered numbered;
	struct perun_key key = {NULL, NULL};
	uint32_t *codes, empty;
	int status = perun_query_rows(ctx, table);

	*groups = NULL;
	if (status != PERUN_OK)
		return status;
	codes = perun_alloc(rows * sizeof *codes + 1);
	memset(codes, 0xff, rows * sizeof *codes);
	for (size_t i = 0; i < 2; i++) {
		if (columns[i])
			add_flat_codes(columns[i], selection, &texts, codes);
	}
	empty = perun_texts_number(&texts, "", 0, true);
	for (size_t row = 0; row < rows; row++)
		codes[row] = codes[row] == PERUN_NO_ID ? empty : codes[row];
	key.codes = codes;
	status = perun_number_rows(ctx, rows, &key, 1, selection, &numbered);
	if (status == PERUN_OK) {
		*groups = groups_of(table, &numbered);
		(*groups)->texts = perun_alloc_zero((*groups)->count + 1, sizeof(char *));
		for (size_t g = 0; g < (*groups)->count; g++) {
			const struct perun_text *text =
				&texts.texts[codes[(*groups)->first_row[g]]];

			(*groups)->texts[g] = perun_strndup(text->text, text->length);
		}
	}
	perun_free(codes);
	perun_texts_free(&texts);
	return status;
}

int perun_group_by_uid(struct perun_ctx *ctx, const struct perun_table *table,
		       const uint64_t *selection, struct perun_groups **groups)
{
	const struct perun_column *columns[2] = {perun_table_column(table, "uid"),
						 perun_table_column(table, "stack")};

	return group_flat(ctx, table, columns, selection, groups);
}

int perun_group_by_flat(struct perun_ctx *ctx, const struct perun_column *column,
			const uint64_t *selection, struct perun_groups **groups)
{
	const struct perun_column *columns[2] = {column, NULL};

	return group_flat(ctx, perun_column_table(column), columns, selection, groups);
}

/* ---- joining ---------------------------------------------------------------------------------- */

/* The keys of a group as bytes that are equal for equal values of any type and profile. */
static void key_bytes(const struct perun_groups *groups, size_t group, struct perun_buffer *out)
{
	struct perun_buffer text = {0};

	perun_buffer_clear(out);
	if (groups->texts)
		perun_buffer_add_text(out, groups->texts[group]);
	for (size_t i = 0; i < groups->key_count; i++) {
		struct perun_cell cell;
		int64_t whole = 0;

		memset(&cell, 0, sizeof cell);
		perun_cell_read(groups->keys[i], groups->first_row[group], &text, &cell);
		if (cell.kind == PERUN_CELL_DOUBLE) {
			bool small = cell.real >= -0x1p63 && cell.real < 0x1p63;
			bool large = cell.real >= 0x1p63 && cell.real < 0x1p64;

			whole = small ? (int64_t)cell.real : 0;
			if (small && (double)whole == cell.real) {
				cell.kind = PERUN_CELL_INT64;
				cell.int64 = whole;
			} else if (large) {
				cell.kind = PERUN_CELL_UINT64;
				cell.uint64 = (uint64_t)cell.real;
			} else if (cell.real != cell.real) {
				cell.uint64 = PERUN_NAN_WORD;
			}
		}
		perun_buffer_add_char(out, (char)('0' + cell.kind));
		if (cell.kind == PERUN_CELL_TEXT)
			perun_buffer_add(out, &cell.length, sizeof cell.length);
		if (cell.kind == PERUN_CELL_TEXT)
			perun_buffer_add(out, cell.text, cell.length);
		else if (cell.kind != PERUN_CELL_ABSENT)
			perun_buffer_add(out, &cell.uint64, sizeof cell.uint64);
	}
	perun_buffer_free(&text);
}

int perun_groups_join(struct perun_ctx *ctx, const struct perun_groups *a,
		      const struct perun_groups *b, uint32_t **b_of_a)
{
	struct perun_texts keys = {0};
	struct perun_buffer key = {0};
	uint32_t *group_of_key;

	*b_of_a = NULL;
	if (a->key_count != b->key_count || !a->texts != !b->texts)
		return perun_fail(ctx, PERUN_USAGE, "groups by different keys cannot be joined");
	group_of_key = perun_alloc(b->count * sizeof *group_of_key + 1);
	for (size_t g = 0; g < b->count; g++) {
		uint32_t before = keys.count, number;

		key_bytes(b, g, &key);
		number = perun_texts_number(&keys, key.data ? key.data : "", key.length, true);
		if (number == before) /* of equal ones (1 and 1.0 in a JSON column) the first */
			group_of_key[number] = (uint32_t)g;
	}
	*b_of_a = perun_alloc(a->count * sizeof **b_of_a + 1);
	for (size_t g = 0; g < a->count; g++) {
		uint32_t number;

		key_bytes(a, g, &key);
		number = perun_texts_number(&keys, key.data ? key.data : "", key.length, false);
		(*b_of_a)[g] = number == PERUN_NO_ID ? PERUN_NO_ID : group_of_key[number];
	}
	perun_free(group_of_key);
	perun_texts_free(&keys);
	perun_buffer_free(&key);
	return PERUN_OK;
}
