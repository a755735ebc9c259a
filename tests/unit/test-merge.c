/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging: what is the same, units, weights, zeros, headers; exactly and as pprof does it. */
#include <perun/json.h>
#include <perun/lib/merge.h>

#include "check.h"

static struct perun_ctx *ctx;

/* ---- small profiles -------------------------------------------------------------------------- */

/* "main;f 5 2|main 1 0": stacks from the root, a value for each column. */
struct made {
	const char *columns[3], *units[3];
	const char *rows;
	const char *document;
	uint64_t mapping_start; /* 0: no mapping */
	int64_t line_column;
};

static perun_id make_location(struct perun_builder *builder, const struct made *made,
			      const char *name, size_t length)
{
	struct perun_function function = {.name = perun_builder_string(builder, name, length)};
	struct perun_line line = {.line = 1, .column = made->line_column};
	struct perun_location location = {.mapping = PERUN_NO_ID, .line_count = 1, .lines = &line};
	struct perun_mapping mapping = {.start = made->mapping_start,
					.limit = made->mapping_start + 0x1800};

	function.system_name = function.name;
	line.function = perun_builder_function(builder, &function);
	if (made->mapping_start) {
		mapping.file = perun_builder_text(builder, "/bin/a");
		location.mapping = perun_builder_mapping(builder, &mapping);
		location.address = made->mapping_start + (unsigned char)*name;
	}
	return perun_builder_location(builder, &location);
}

static perun_id make_stack(struct perun_builder *builder, const struct made *made, const char *text,
			   size_t length)
{
	perun_id locations[16];
	size_t count = 0;

	for (size_t end = length; end > 0 && length;) {
		size_t first = end;

		while (first > 0 && text[first - 1] != ';')
			first--;
		locations[count++] = make_location(builder, made, text + first, end - first);
		end = first ? first - 1 : 0;
	}
	return perun_builder_stack(builder, locations, count);
}

static struct perun_profile *make(const struct made *made)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {"stack", NULL, PERUN_TYPE_STACK, PERUN_ROLE_KEY, NULL,
					 NULL,    0};
	struct perun_column_builder *stack = perun_table_add_column(table, &info), *values[3];
	struct perun_profile *profile = NULL;
	size_t columns = 0;
	struct perun_json *header = NULL;

	info.type = PERUN_TYPE_INT64;
	info.role = PERUN_ROLE_METRIC;
	for (; columns < 3 && made->columns[columns]; columns++) {
		info.name = made->columns[columns];
		info.unit = made->units[columns];
		values[columns] = perun_table_add_column(table, &info);
	}
	for (const char *at = made->rows; at && *at;) {
		const char *end = strchr(at, ' ');
		char *next = (char *)end;

		perun_column_set_id(stack, PERUN_TYPE_STACK,
				    make_stack(builder, made, at, (size_t)(end - at)));
		for (size_t i = 0; i < columns; i++)
			perun_column_set_int64(values[i], strtoll(next, &next, 10));
		perun_table_end_row(table);
		at = *next ? next + 1 : next;
	}
	if (made->document) {
		CHECK_INT(perun_json_parse(ctx, made->document, strlen(made->document), NULL,
					   &header),
			  0);
		while (perun_json_count(header)) {
			const char *key = perun_json_key_at(header, 0, NULL);
			char *copy = perun_strdup(key);

			perun_json_set(perun_builder_document(builder), copy,
				       perun_json_take(header, copy));
			perun_free(copy);
		}
		perun_json_free(header);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

/* "main;f 5 2|...", in the order of rows. */
static void show(const struct perun_profile *profile, struct perun_buffer *out)
{
	const struct perun_table *table = perun_resources(profile);

	for (size_t row = 0; row < perun_table_rows(table); row++) {
		perun_buffer_add_text(out, row ? "|" : "");
		for (size_t i = 0; i < perun_table_columns(table); i++) {
			perun_buffer_add_text(out, i ? " " : "");
			perun_column_print(perun_table_column_at(table, i), row, out);
		}
	}
	perun_buffer_add(out, "", 1);
}

static struct perun_profile *merge(const struct made *made, size_t count, const double *factor,
				   const char *label, unsigned flags)
{
	struct perun_merge_input inputs[4] = {{0}};
	struct perun_profile *merged;

	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct perun_merge_input){.struct_size = sizeof *inputs,
						       .profile = make(&made[i])};
	if (factor)
		inputs[count - 1].factors = factor;
	if (label) {
		inputs[count - 1].label_key = label;
		inputs[count - 1].label_text = "yes";
	}
	perun_merge(ctx, inputs, count, flags, &merged);
	for (size_t i = 0; i < count; i++)
		perun_profile_unref((struct perun_profile *)inputs[i].profile);
	return merged;
}

static void check_merge(const struct made *made, size_t count, const double *factor,
			const char *label, unsigned flags, const char *expected)
{
	struct perun_profile *merged = merge(made, count, factor, label, flags);
	struct perun_buffer text = {0};

	if (!merged) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		return;
	}
	show(merged, &text);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_profile_unref(merged);
}

static void check_refused(const struct made *made, unsigned flags, const char *expected)
{
	struct perun_profile *merged = merge(made, 2, NULL, NULL, flags);

	CHECK(merged == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), expected);
	perun_ctx_clear(ctx);
	perun_profile_unref(merged);
}

/* ---- what is the same ------------------------------------------------------------------------ */

TEST(test_samples)
{
	static const struct made two[] = {
		{{"n", "t"}, {"count", "ns"}, "main;f 1 10|main 2 20|main;f 3 30", NULL, 0, 0},
		{{"n", "t"}, {"count", "ns"}, "main;g 5 50|main;f 7 70|x 0 0", NULL, 0, 0}};
	struct perun_profile *merged;

	check_merge(two, 2, NULL, NULL, 0, "main;f 11 110|main 2 20|main;g 5 50");
	check_merge(two, 2, NULL, NULL, PERUN_MERGE_AS_PPROF,
		    "main;f 11 110|main 2 20|main;g 5 50");
	/* Numbers from 1 in the order of first use; the zero sample left nothing. */
	merged = merge(two, 2, NULL, NULL, 0);
	REQUIRE(merged != NULL);
	CHECK_INT(perun_profile_locations(merged), 3);
	for (perun_id i = 0; i < 3; i++)
		CHECK_INT(perun_profile_location(merged, i)->source_id, i + 1);
	CHECK_INT(perun_profile_functions(merged), 3);
	perun_profile_unref(merged);
}

/* The same binary at another address; a column of a line. */
TEST(test_places)
{
	struct made two[] = {{{"n"}, {""}, "f 1", NULL, 0x10000, 0},
			     {{"n"}, {""}, "f 2", NULL, 0x50000, 0}};
	struct perun_profile *merged = merge(two, 2, NULL, NULL, 0);

	REQUIRE(merged != NULL);
	CHECK_INT(perun_profile_mappings(merged), 1);
	CHECK_INT(perun_profile_locations(merged), 1);
	CHECK_INT(perun_profile_location(merged, 0)->address, 0x10000 + 'f');
	perun_profile_unref(merged);
	two[1].line_column = 5;
	merged = merge(two, 2, NULL, NULL, 0);
	REQUIRE(merged != NULL);
	CHECK_INT(perun_profile_locations(merged), 2);
	perun_profile_unref(merged);
}

TEST(test_difference)
{
	static const double minus[] = {-1, -1};
	static const struct made two[] = {
		{{"n", "t"},
		 {"", "ns"},
		 "main;f 5 50|main 2 20|a;b 1 9007199254740993",
		 NULL,
		 0,
		 0},
		{{"n", "t"}, {"", "ns"}, "main 2 20|main;f 1 10|a;b 1 1", NULL, 0, 0}};

	check_merge(two, 2, minus, NULL, 0, "main;f 4 40|a;b 0 9007199254740992");
	check_merge(two, 2, minus, "base", 0,
		    "main;f  5 50|main  2 20|a;b  1 9007199254740993|main base=yes -2 -20|"
		    "main;f base=yes -1 -10|a;b base=yes -1 -1");
	/* Through doubles, as pprof does it. */
	static const struct made large[] = {{{"t"}, {"ns"}, "f 9007199254740993", NULL, 0, 0},
					    {{"t"}, {"ns"}, "f 9007199254740993", NULL, 0, 0}};

	check_merge(large, 2, minus, NULL, 0, "");
	check_merge(large, 2, minus, NULL, PERUN_MERGE_AS_PPROF, "f 1");
}

/* For sums alone nothing is compared, where no sum shows it. */
TEST(test_apart)
{
	static const double minus[] = {-1, -1};
	static const struct made two[] = {
		{{"n", "t"}, {"", "ns"}, "main;f 5 50|main 2 0", NULL, 0x10000, 0},
		{{"n", "t"}, {"", "ns"}, "main 2 20|main;f 1 10|g;f 1 1", NULL, 0x10000, 0}};
	/* What is merged after all. */
	static const char *const rows[] = {"f 0 0", "f 1 -1", "f 0 70368744177665", "f 1 1"};
	const struct perun_column *labels;
	struct perun_profile *merged;
	struct made odd[2];

	for (unsigned pprof = 0; pprof < 2; pprof++)
		check_merge(two, 2, minus, "base", PERUN_MERGE_NO_DEDUP | pprof,
			    "main;f 5 50 |main 2 0 |main -2 -20 base=yes|"
			    "main;f -1 -10 base=yes|g;f -1 -1 base=yes");
	merged = merge(two, 2, minus, "base", PERUN_MERGE_NO_DEDUP);
	REQUIRE(merged != NULL);
	CHECK_INT(perun_profile_stacks(merged), 5);
	perun_profile_unref(merged);
	check_merge(two, 2, minus, NULL, PERUN_MERGE_NO_DEDUP, "main;f 4 40|main 0 -20|g;f -1 -1");
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		odd[0] = two[0];
		odd[1] = two[1];
		odd[i % 2].rows = rows[i / 2];
		merged = merge(odd, 2, minus, "base", PERUN_MERGE_NO_DEDUP);
		REQUIRE(merged != NULL);
		/* At the end of a profile that was kept. */
		labels = perun_table_column(perun_resources(merged), "labels");
		CHECK_INT(labels && perun_column_index(labels) == 3, i / 2 == 3);
		perun_profile_unref(merged);
	}
	odd[0] = two[0];
	odd[1] = two[1];
	odd[0].rows = "main;f 5|main 2";
	odd[0].columns[1] = NULL;
	check_merge(odd, 2, minus, "base", PERUN_MERGE_NO_DEDUP,
		    "main;f  5|main  2|main base=yes -2|main;f base=yes -1|g;f base=yes -1");
}

/* A profile that was kept apart takes more, and finds what it has. */
TEST(test_apart_and_more)
{
	static const double minus[] = {-1, -1};
	static const struct made two[] = {{{"n"}, {""}, "main;f 5|main 2", NULL, 0, 0},
					  {{"n"}, {""}, "main 2|main;g 1", NULL, 0, 0}};
	struct perun_profile *apart = merge(two, 2, minus, "base", PERUN_MERGE_NO_DEDUP), *more;
	struct perun_builder *builder;
	const perun_id *stack;
	size_t count;

	REQUIRE(apart != NULL);
	CHECK_INT(perun_profile_stacks(apart), 4);
	builder = perun_builder_from(apart);
	for (perun_id i = 0; i < 4; i++) {
		stack = perun_profile_stack(apart, i, &count);
		CHECK_INT(perun_builder_stack(builder, stack, count), i == 2 ? 1 : i);
	}
	CHECK_INT(perun_builder_stack(builder, stack, 1), 4);
	CHECK_INT(perun_builder_finish(ctx, builder, &more), 0);
	CHECK_INT(perun_profile_stacks(more), 5);
	CHECK_INT(perun_profile_stacks(apart), 4);
	perun_profile_unref(more);
	perun_profile_unref(apart);
}

/* So many that their rows are a thread's: the same as with one alone. */
TEST(test_many)
{
	static const double minus[] = {-1};
	struct made two[] = {{{"n"}, {""}, NULL, NULL, 0, 0}, {{"n"}, {""}, NULL, NULL, 0, 0}};
	struct perun_buffer rows[2] = {{0}}, texts[2] = {{0}};

	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 70000; k++)
			perun_buffer_printf(&rows[i], "%sf%d;g%d;h%d %d", k ? "|" : "", k % 31,
					    k % (300 + i), k / 400, k % 5);
		perun_buffer_add(&rows[i], "", 1);
		two[i].rows = rows[i].data;
	}
	for (int i = 0; i < 2; i++) {
		struct perun_profile *merged;

		setenv("PERUN_THREADS", i ? "3" : "1", 1);
		merged = merge(two, 2, minus, NULL, 0);
		REQUIRE(merged != NULL);
		CHECK(perun_table_rows(perun_resources(merged)) > 66000);
		show(merged, &texts[i]);
		perun_profile_unref(merged);
	}
	unsetenv("PERUN_THREADS");
	CHECK(strcmp(texts[0].data, texts[1].data) == 0);
	/* A sum that is too large is found by it, too. */
	rows[0].length--;
	perun_buffer_add_text(&rows[0], "|x 1|x 9223372036854775807");
	perun_buffer_add(&rows[0], "", 1);
	two[0].rows = rows[0].data;
	setenv("PERUN_THREADS", "2", 1);
	check_refused(two, 0, "a value of n leaves 64 bits");
	unsetenv("PERUN_THREADS");
	for (int i = 0; i < 2; i++) {
		perun_buffer_free(&rows[i]);
		perun_buffer_free(&texts[i]);
	}
}

TEST(test_units)
{
	static const struct made two[] = {
		{{"n", "t"}, {"count", "milliseconds"}, "f 5 0|g 1 2", NULL, 0, 0},
		{{"t", "n"}, {"ns", "count"}, "f 7 1", NULL, 0, 0}};
	static const struct made wrong[] = {{{"t"}, {"ms"}, "f 5", NULL, 0, 0},
					    {{"t"}, {"bytes"}, "f 7", NULL, 0, 0}};
	static const struct made none[] = {{{"t"}, {"ms"}, "f 5", NULL, 0, 0},
					   {{"u"}, {"ms"}, "f 7", NULL, 0, 0}};
	/* Folded stacks do not say what a sample is. */
	static const struct made folded[] = {{{"n"}, {""}, "f 5", NULL, 0, 0},
					     {{"n"}, {"count"}, "f 7", NULL, 0, 0}};
	struct perun_profile *merged = merge(two, 2, NULL, NULL, 0);

	check_merge(folded, 2, NULL, NULL, 0, "f 12");
	check_refused(folded, PERUN_MERGE_AS_PPROF, "'' and 'count'");
	REQUIRE(merged != NULL);
	CHECK_STR(perun_column_info(perun_table_column(perun_resources(merged), "t"))->unit, "ns");
	perun_profile_unref(merged);
	check_merge(two, 2, NULL, NULL, 0, "f 6 7|g 1 2000000");
	/* A sample whose scaled columns are 0 is lost there. */
	check_merge(two, 2, NULL, NULL, PERUN_MERGE_AS_PPROF, "g 1 2000000|f 1 7");
	check_refused(wrong, 0, "'ms' and 'bytes'");
	check_refused(none, 0, "no metric in common");
}

TEST(test_common_metrics)
{
	static const struct made two[] = {{{"a", "b", "c"}, {"", "", ""}, "f 1 2 3", NULL, 0, 0},
					  {{"c", "a"}, {"", ""}, "f 30 10|g 0 1", NULL, 0, 0}};

	check_merge(two, 2, NULL, NULL, 0, "f 11 33|g 1 0");
}

TEST(test_overflow)
{
	static const struct made two[] = {{{"a"}, {""}, "f 9223372036854775807", NULL, 0, 0},
					  {{"a"}, {""}, "f 1", NULL, 0, 0}};

	check_refused(two, 0, "leaves 64 bits");
	check_merge(two, 2, NULL, NULL, PERUN_MERGE_AS_PPROF, "f -9223372036854775808");
}

/* ---- metrics that rows name ------------------------------------------------------------------ */

enum { NAMED = 40, FUNCTIONS = 7, NAMED_ROWS = 9000 };

static int64_t amount_of(size_t row)
{
	return (int64_t)(row * 17 % 1001) - 300;
}

/* Each row has one of many metrics, as in Perun's own format; all at the same time or every other one. */
static struct perun_profile *make_named(size_t step)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {
		.name = "stack", .type = PERUN_TYPE_STACK, .role = PERUN_ROLE_KEY};
	struct perun_column_builder *stack = perun_table_add_column(table, &info), *type, *amount;
	struct perun_profile *profile = NULL;

	info.name = "type";
	info.type = PERUN_TYPE_STRING;
	type = perun_table_add_column(table, &info);
	info.name = "amount";
	info.type = PERUN_TYPE_INT64;
	info.role = PERUN_ROLE_METRIC;
	amount = perun_table_add_column(table, &info);
	for (size_t row = 0; row < NAMED_ROWS; row += step) {
		char name[16];
		const char *names[] = {name};

		snprintf(name, sizeof name, "f%zu", row % FUNCTIONS);
		perun_column_set_id(stack, PERUN_TYPE_STACK,
				    perun_builder_stack_of_names(builder, names, 1));
		snprintf(name, sizeof name, "t%zu", row * 13 % NAMED);
		perun_column_set_id(type, PERUN_TYPE_STRING, perun_builder_text(builder, name));
		perun_column_set_int64(amount, amount_of(row));
		perun_table_end_row(table);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), 0);
	return profile;
}

/* What a merge of both should have, the second one times -2. */
static void check_named(const struct perun_profile *merged)
{
	const struct perun_table *table = perun_resources(merged);
	const struct perun_column *stack = perun_table_column(table, "stack");
	int64_t expected[FUNCTIONS][NAMED] = {{0}};
	size_t wrong = 0, found = 0;

	for (size_t row = 0; row < NAMED_ROWS; row++)
		expected[row % FUNCTIONS][row * 13 % NAMED] +=
			amount_of(row) * (row % 3 == 0 ? -1 : 1);
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		struct perun_buffer name = {0};
		size_t function;

		perun_column_print(stack, row, &name);
		function = (size_t)atoi(name.data + 1);
		perun_buffer_free(&name);
		for (size_t i = 0; i < NAMED; i++) {
			char type[16];
			const struct perun_metric *metric;

			snprintf(type, sizeof type, "t%zu", i);
			metric = perun_metric(merged, type);
			wrong += !metric ||
				 perun_column_int64(metric->values, row) != expected[function][i];
		}
		found++;
	}
	CHECK_INT(found, FUNCTIONS);
	CHECK_INT(wrong, 0);
}

TEST(test_named)
{
	static double factors[NAMED];
	struct perun_merge_input inputs[2] = {
		{.struct_size = sizeof *inputs, .profile = make_named(1)},
		{.struct_size = sizeof *inputs, .profile = make_named(3), .factors = factors}};
	const unsigned flags[] = {0, PERUN_MERGE_AS_PPROF};

	for (size_t i = 0; i < NAMED; i++)
		factors[i] = -2;
	for (size_t i = 0; i < 2; i++) {
		struct perun_profile *merged;

		CHECK_INT(perun_merge(ctx, inputs, 2, flags[i], &merged), 0);
		check_named(merged);
		perun_profile_unref(merged);
	}
	perun_profile_unref((struct perun_profile *)inputs[0].profile);
	perun_profile_unref((struct perun_profile *)inputs[1].profile);
}

/* ---- the header ------------------------------------------------------------------------------ */

TEST(test_header)
{
	static const struct made two[] = {
		{{"a", "b"},
		 {"", ""},
		 "f 1 1",
		 "{\"header\": {\"time\": 50, \"duration\": 7, \"period\": 3, \"period_type\": "
		 "{\"type\": \"cpu\", \"unit\": \"us\"}, \"cmd\": \"x\"}, \"comments\": [\"p\", "
		 "\"q\"], "
		 "\"extra\": {\"pprof\": {\"drop_frames\": \"d\"}}}",
		 0,
		 0},
		{{"a", "b"},
		 {"", ""},
		 "f 1 1",
		 "{\"header\": {\"duration\": 5, \"period\": 4000, \"period_type\": {\"type\": "
		 "\"cpu\", \"unit\": \"ns\"}, \"cmd\": \"x\"}, \"comments\": [\"q\", \"r\"], "
		 "\"extra\": "
		 "{\"pprof\": {\"drop_frames\": \"e\", \"doc_url\": \"u\", "
		 "\"default_sample_type\": "
		 "\"a\"}}}",
		 0,
		 0}};
	static const unsigned flags[] = {0, PERUN_MERGE_AS_PPROF};

	for (size_t i = 0; i < 2; i++) {
		struct perun_profile *merged = merge(two, 2, NULL, NULL, flags[i]);

		REQUIRE(merged != NULL);
		CHECK_STR(perun_profile_text(merged, "/header/time"), i ? "" : "50");
		CHECK_STR(perun_profile_text(merged, "/header/duration"), "12");
		CHECK_STR(perun_profile_text(merged, "/header/period"), "4000");
		CHECK_STR(perun_profile_text(merged, "/header/period_type/unit"), "ns");
		CHECK_STR(perun_profile_text(merged, "/header/cmd"), "x");
		CHECK_STR(perun_profile_text(merged, "/header/default_metric"), "a");
		CHECK_STR(perun_profile_text(merged, "/comments"), "[\"p\", \"q\", \"r\"]");
		CHECK_STR(perun_profile_text(merged, "/extra/pprof/drop_frames"), "d");
		CHECK_STR(perun_profile_text(merged, "/extra/pprof/doc_url"), "u");
		perun_profile_unref(merged);
	}
}

TEST(test_period_types)
{
	static const struct made two[] = {
		{{"a"}, {""}, "f 1", "{\"header\": {\"period_type\": {\"type\": \"cpu\"}}}", 0, 0},
		{{"a"}, {""}, "f 1", NULL, 0, 0}};

	check_refused(two, PERUN_MERGE_AS_PPROF, "incompatible period types");
	check_merge(two, 2, NULL, NULL, 0, "f 2");
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
