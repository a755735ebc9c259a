/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: conditions over rows. "not" gives exactly the other rows. */
#include "perun/query.h"
#include "tests/fuzz/fuzz.h"

enum { ROWS = 70 };

static struct perun_profile *profile;

static struct perun_column_builder *column(struct perun_table_builder *table, const char *name,
					   enum perun_type type)
{
	struct perun_column_info info = {.name = name, .type = type};

	return perun_table_add_column(table, &info);
}

static void unref_profile(void)
{
	perun_profile_unref(profile);
}

static void make_profile(void)
{
	static const char *const uids[] = {"\"main\"", "{\"function\": \"f\", \"line\": 3}", "7",
					   "[1, \"a b\"]"};
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *uid = column(table, "uid", PERUN_TYPE_JSON);
	struct perun_column_builder *type = column(table, "type", PERUN_TYPE_STRING);
	struct perun_column_builder *amount = column(table, "amount", PERUN_TYPE_INT64);
	struct perun_column_builder *share = column(table, "share", PERUN_TYPE_DOUBLE);

	for (int i = 0; i < ROWS; i++) {
		if (i % 5)
			perun_column_set_id(uid, PERUN_TYPE_JSON,
					    perun_builder_text(builder, uids[i % 4]));
		if (i % 3)
			perun_column_set_id(
				type, PERUN_TYPE_STRING,
				perun_builder_text(builder, i % 2 ? "memory" : "time and\xc3\xa9"));
		perun_column_set_int64(amount, i - 10);
		if (i % 7)
			perun_column_set_double(share, i / 4.0);
		perun_table_end_row(table);
	}
	MUST(perun_builder_finish(NULL, builder, &profile) == PERUN_OK);
	atexit(unref_profile);
}

void fuzz_where(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *text = perun_strndup((const char *)data, size);
	char *negated = perun_format("not (%s)", text);
	uint64_t *rows = NULL, *others = NULL;
	const struct perun_table *table;
	int status;

	if (!profile)
		make_profile();
	table = perun_resources(profile);
	status = perun_select_where(ctx, table, text, &rows);
	MUST(status == PERUN_OK ||
	     ((status == PERUN_USAGE || status == PERUN_INPUT) && perun_ctx_error(ctx)));
	perun_ctx_clear(ctx);
	/* Two levels more may be too many; then there is nothing to compare. */
	if (status == PERUN_OK && perun_select_where(ctx, table, negated, &others) == PERUN_OK) {
		perun_selection_not(others, ROWS);
		MUST(memcmp(rows, others, 2 * sizeof *rows) == 0);
		perun_free(others);
	}
	if (status == PERUN_OK)
		perun_free(rows);
	perun_free(negated);
	perun_free(text);
	perun_ctx_free(ctx);
}
