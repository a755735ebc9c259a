/* SPDX-License-Identifier: BSD-3-Clause */
/* The format perun: what is read, what is written, what is refused. */
#include <perun/format.h>
#include <perun/json.h>

#include "check.h"

#define HEADER "\"header\": {\"type\": \"time\", \"cmd\": \"c\", \"workload\": \"\", \"units\": {}}"
/* The tail of stored profiles with that header and nothing more. */
#define TAIL ", \"models\": [], " HEADER "}"

static struct perun_ctx *ctx;

static struct perun_profile *read_text(const char *text)
{
	struct perun_input *input = perun_input_from_memory("x.perf", text, strlen(text));
	struct perun_profile *profile;

	perun_read_profile(ctx, input, "perun", NULL, &profile, NULL);
	perun_input_close(input);
	return profile;
}

/* The profile as text; the caller frees it with perun_free(). */
static char *write_text(const struct perun_profile *profile, const char *option)
{
	const char *options[] = {option, NULL};
	struct perun_buffer text = {0};
	struct perun_output *output = perun_output_to_buffer(&text);

	if (perun_write_profile(ctx, profile, "perun", options, output) != 0 ||
	    perun_output_commit(ctx, output) != 0)
		perun_buffer_add_text(&text, "not written");
	perun_output_close(output);
	return perun_buffer_take(&text);
}

static void check_stored(const char *text, const char *expected)
{
	struct perun_profile *profile = read_text(text);
	char *out;

	if (!profile) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		return;
	}
	out = write_text(profile, "stored=yes");
	CHECK_STR(out, expected);
	perun_free(out);
	perun_profile_unref(profile);
	profile = read_text(expected); /* what is stored stays as it is */
	if (!profile) {
		CHECK_FAIL("%s", perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		return;
	}
	out = write_text(profile, "stored=yes");
	CHECK_STR(out, expected);
	perun_free(out);
	perun_profile_unref(profile);
}

TEST(test_rows)
{
	check_stored("{\"origin\": \"abc\", \"global\": {\"timestamp\": 2, \"resources\": ["
		     "{\"uid\": \"f\", \"amount\": 1, \"type\": \"t\", \"order\": 7},"
		     "{\"type\": \"t\", \"uid\": \"f\", \"order\": 8, \"amount\": 2.0},"
		     "{\"uid\": \"f\", \"amount\": 1E5, \"type\": \"u\"}]}, " HEADER "}",
		     "{\"resources\": {\"f#0\": {\"amount\": [1, 2.0], \"order\": [7, 8]}, "
		     "\"f#1\": {\"amount\": [100000.0]}}, \"resource_type_map\": {"
		     "\"f#0\": {\"time\": \"0.0\", \"type\": \"t\", \"uid\": \"f\"}, "
		     "\"f#1\": {\"time\": \"0.0\", \"type\": \"u\", \"uid\": \"f\"}}" TAIL);
}

/* References to the table `chunks`, at any place of the file, are replaced by what is there. */
/* The name of a type is a text that was there before; uids that are JSON; numbers of 64 bits. */
TEST(test_names_of_types)
{
	check_stored(
		"{\"global\": {\"resources\": ["
		"{\"uid\": \"b#0\", \"amount\": 1}, {\"uid\": \"b\", \"amount\": 2}, "
		"{\"uid\": \"b#0\", \"amount\": 3}, {\"uid\": {\"line\": 1, \"file\": \"a\"}, "
		"\"amount\": 4}, "
		"{\"uid\": \"b\", \"amount\": 5, \"x\": 4294967296}, {\"uid\": \"b\", \"amount\": "
		"6, \"x\": 0}, "
		"{\"uid\": {\"line\": 1, \"file\": \"a\"}, \"amount\": 7, \"x\": -1}]}, " HEADER
		"}",
		"{\"resources\": {\"b#0#0\": {\"amount\": [1, 3]}, \"b#0\": {\"amount\": [2]}, "
		"\"a:1#0\": {\"amount\": [4]}, \"b#1\": {\"amount\": [5]}, \"b#2\": {\"amount\": "
		"[6]}, "
		"\"a:1#1\": {\"amount\": [7]}}, \"resource_type_map\": {"
		"\"b#0#0\": {\"time\": \"0.0\", \"uid\": \"b#0\"}, "
		"\"b#0\": {\"time\": \"0.0\", \"uid\": \"b\"}, "
		"\"a:1#0\": {\"time\": \"0.0\", \"uid\": {\"line\": 1, \"file\": \"a\"}}, "
		"\"b#1\": {\"time\": \"0.0\", \"uid\": \"b\", \"x\": 4294967296}, "
		"\"b#2\": {\"time\": \"0.0\", \"uid\": \"b\", \"x\": 0}, "
		"\"a:1#1\": {\"time\": \"0.0\", \"uid\": {\"line\": 1, \"file\": \"a\"}, \"x\": "
		"-1}}" TAIL);
}

/* Types in another order in the map, and one that is only there. */
TEST(test_order_of_types)
{
	check_stored(
		"{\"resources\": {\"a#0\": {\"amount\": [1]}, \"b#0\": {\"amount\": [2]}, \"c#0\": "
		"{\"amount\": [3]}}, "
		"\"resource_type_map\": {\"c#0\": {\"uid\": \"c\"}, \"a#0\": {\"uid\": \"a\"}, "
		"\"d#0\": {\"uid\": \"d\"}, \"b#0\": {\"uid\": \"b\"}}" TAIL,
		"{\"resources\": {\"a#0\": {\"amount\": [1]}, \"b#0\": {\"amount\": [2]}, \"c#0\": "
		"{\"amount\": [3]}}, "
		"\"resource_type_map\": {\"c#0\": {\"uid\": \"c\"}, \"a#0\": {\"uid\": \"a\"}, "
		"\"d#0\": {\"uid\": \"d\"}, \"b#0\": {\"uid\": \"b\"}}" TAIL);
}

TEST(test_chunks)
{
	static const char chunked[] =
		"{\"snapshots\": [{\"time\": \"1\", \"resources\": ["
		"{\"uid\": \"a\", \"trace\": \"t\", \"amount\": 1}, {\"uid\": \"g\", \"trace\": "
		"[\"a\", \"h\", {\"func\": \"i\"}], \"amount\": 2}, {\"uid\": \"a\", \"x\": \"a\", "
		"\"amount\": 3}]}], \"chunks\": {\"a\": {\"func\": \"f\"}, \"t\": [\"a\", "
		"\"t\"]}, " HEADER "}";
	static const char plain[] =
		"{\"resources\": {\"f#0\": {\"amount\": [1]}, \"g#0\": {\"amount\": [2]}, "
		"\"f#1\": {\"amount\": [3]}}, \"resource_type_map\": {"
		"\"f#0\": {\"snapshot\": 0, \"time\": \"1\", \"trace\": [{\"func\": \"f\"}, "
		"[\"a\", \"t\"]], \"uid\": {\"func\": \"f\"}}, \"g#0\": {\"snapshot\": 0, "
		"\"time\": \"1\", \"trace\": [{\"func\": \"f\"}, \"h\", {\"func\": \"i\"}], "
		"\"uid\": \"g\"}, \"f#1\": {\"snapshot\": 0, \"time\": \"1\", \"uid\": "
		"{\"func\": \"f\"}, \"x\": \"a\"}}" TAIL;
	struct perun_profile *profile;
	char *out;

	check_stored(chunked, plain);
	/* A table that nothing refers to is not ours. */
	check_stored(
		"{\"resources\": {}, \"resource_type_map\": {}, \"chunks\": {\"z\": 1}, " HEADER
		"}",
		"{\"resources\": {}, \"resource_type_map\": {}, \"models\": [], \"chunks\": "
		"{\"z\": 1}, " HEADER "}");
	profile = read_text(
		"{\"resources\": {\"f#0\": {\"amount\": [1]}, \"g#0\": {\"amount\": "
		"[2]}}, \"resource_type_map\": {\"f#0\": {\"uid\": {\"func\": \"f\"}, "
		"\"trace\": [{\"func\": \"f\"}, \"@0\"]}, \"g#0\": {\"uid\": \"@1\"}}, " HEADER
		"}");
	REQUIRE(profile != NULL);
	out = write_text(profile, "chunks=yes");
	CHECK(strstr(out, "\"trace\": \"@2\"") && strstr(out, "\"@1\": \"@0\""));
	perun_profile_unref(profile);
	check_stored(out,
		     "{\"resources\": {\"f#0\": {\"amount\": [1]}, \"g#0\": {\"amount\": "
		     "[2]}}, \"resource_type_map\": {\"f#0\": {\"uid\": {\"func\": \"f\"}, "
		     "\"trace\": [{\"func\": \"f\"}, \"@0\"]}, \"g#0\": {\"uid\": \"@1\"}}" TAIL);
	perun_free(out);
}

TEST(test_snapshots)
{
	/* The time may come after the resources. */
	check_stored(
		"{" HEADER ", \"snapshots\": [{\"time\": \"0.1\", \"resources\": ["
		"{\"amount\": 1, \"uid\": {\"line\": 3, \"function\": \"g\", \"source\": "
		"\"m.c\"}}]},"
		"{\"models\": [], \"resources\": [{\"uid\": \"h\", \"amount\": 2}], \"time\": 5}]}",
		"{\"resources\": {\"m.c:g:3#0\": {\"amount\": [1]}, \"h#0\": {\"amount\": [2]}}, "
		"\"resource_type_map\": {\"m.c:g:3#0\": {\"snapshot\": 0, \"time\": \"0.1\", "
		"\"uid\": {\"line\": 3, \"function\": \"g\", \"source\": \"m.c\"}}, "
		"\"h#0\": {\"snapshot\": 1, \"time\": 5, \"uid\": \"h\"}}" TAIL);
}

TEST(test_stored_form)
{
	/* The map in another order, before the resources, with more types and fewer. */
	check_stored(
		"{\"resource_type_map\": {\"b#0\": {\"uid\": \"b\", \"z\": null, \"a\": [1, {}]}, "
		"\"gone#0\": {\"uid\": \"gone\"}, \"a#0\": {\"uid\": \"a\", \"n\": NaN}},"
		"\"resources\": {\"a#0\": {\"amount\": [1, 2, 3], \"order\": [1, 2]}, "
		"\"b#0\": {\"amount\": [null, \"x\", 18446744073709551616]}, \"c#0\": {}, "
		"\"d#0\": {\"amount\": []}}, " HEADER ", \"x\": [1.50]}",
		"{\"resources\": {\"a#0\": {\"amount\": [1, 2, 3], \"order\": [1, 2]}, "
		"\"b#0\": {\"amount\": [null, \"x\", 18446744073709551616]}, \"c#0\": {}, "
		"\"d#0\": {\"amount\": []}}, \"resource_type_map\": {"
		"\"b#0\": {\"uid\": \"b\", \"z\": null, \"a\": [1, {}]}, "
		"\"gone#0\": {\"uid\": \"gone\"}, \"a#0\": {\"uid\": \"a\", \"n\": NaN}}, "
		"\"models\": [], " HEADER ", \"x\": [1.5]}");
	/* A key that varies in one type and not in another; both in one type. */
	check_stored("{\"resources\": {\"a#0\": {\"k\": [1, 2]}, \"b#0\": {\"amount\": [3]}, "
		     "\"c#0\": {\"k\": [9]}}, \"resource_type_map\": {\"a#0\": {\"uid\": \"a\"}, "
		     "\"b#0\": {\"k\": \"s\"}, \"c#0\": {\"k\": 5, \"uid\": 7}}, " HEADER "}",
		     "{\"resources\": {\"a#0\": {\"k\": [1, 2]}, \"b#0\": {\"amount\": [3]}, "
		     "\"c#0\": {\"k\": [9]}}, \"resource_type_map\": {\"a#0\": {\"uid\": \"a\"}, "
		     "\"b#0\": {\"k\": \"s\"}, \"c#0\": {\"k\": 5, \"uid\": 7}}" TAIL);
}

TEST(test_mixtures)
{
	/* A map that comes later replaces what the rows gave. */
	check_stored("{\"global\": [{\"uid\": \"f\", \"amount\": 1}], " HEADER ", "
		     "\"models\": [{\"uid\": \"f\", \"r_square\": 1e0}], "
		     "\"resource_type_map\": {\"g#0\": {\"uid\": \"g\"}}}",
		     "{\"resources\": {\"f#0\": {\"amount\": [1]}}, \"resource_type_map\": {"
		     "\"g#0\": {\"uid\": \"g\"}}, \"models\": [{\"uid\": \"f\", \"r_square\": "
		     "1.0}], " HEADER "}");
	/* A list and a global; own values of `time` that the global's hides tell types apart. */
	check_stored(
		"{\"resources\": [{\"uid\": \"f\", \"time\": \"0.0\", \"amount\": 1}], "
		"\"global\": {\"time\": \"0.0\", \"resources\": [{\"uid\": \"f\", \"amount\": 2}, "
		"{\"uid\": \"f\", \"time\": 1, \"amount\": 3}, "
		"{\"uid\": \"f\", \"time\": 2, \"amount\": 4}]}, " HEADER "}",
		"{\"resources\": {\"f#0\": {\"amount\": [1, 2]}, \"f#1\": {\"amount\": [3]}, "
		"\"f#2\": {\"amount\": [4]}}, \"resource_type_map\": {"
		"\"f#0\": {\"time\": \"0.0\", \"uid\": \"f\"}, "
		"\"f#1\": {\"time\": \"0.0\", \"uid\": \"f\"}, "
		"\"f#2\": {\"time\": \"0.0\", \"uid\": \"f\"}}" TAIL);
	check_stored("{" HEADER ", \"attachment\": \"x\"}",
		     "{\"resources\": {}, \"resource_type_map\": {}, \"models\": [], " HEADER
		     ", \"attachment\": \"x\"}");
	/* What names an object comes first, so that the rest need not be read. */
	check_stored("{" HEADER ", \"attachment\": {\"object\": \"ab\"}, \"x\": 1}",
		     "{\"attachment\": {\"object\": \"ab\"}, \"resources\": {}, "
		     "\"resource_type_map\": {}, \"models\": [], " HEADER ", \"x\": 1}");
}

TEST(test_odd_keys)
{
	check_stored(
		"{\"resources\": {\"a#0\": {\"kind\": [1], \"key kind\": [2], \"\": [3]}}, "
		"\"resource_type_map\": {\"a#0\": {\"stack\": \"s\", \"\\u00fc\\n\": "
		"true}}, " HEADER "}",
		"{\"resources\": {\"a#0\": {\"kind\": [1], \"key kind\": [2], \"\": [3]}}, "
		"\"resource_type_map\": {\"a#0\": {\"stack\": \"s\", \"\\u00fc\\n\": true}}" TAIL);
}

TEST(test_pending_style)
{
	static const char text[] = "{\"resources\": {\"a#0\": {\"amount\": [1, -2, 3.5, NaN, 4]}}, "
				   "\"resource_type_map\": {\"a#0\": {\"uid\": {\"f\": [\"x,  5\", "
				   "1, 2], \"e\": {}}}}, "
				   "\"origin\": \"abc\", " HEADER "}";
	struct perun_profile *profile = read_text(text);
	char *out;

	REQUIRE(profile != NULL);
	out = write_text(profile, NULL);
	CHECK_STR(out,
		  "{\n  \"resources\": {\n    \"a#0\": {\n      \"amount\": [\n        1,\n"
		  "        -2, 3.5,\n        NaN, 4\n      ]\n    }\n  },\n"
		  "  \"resource_type_map\": {\n    \"a#0\": {\n      \"uid\": {\n        \"f\": [\n"
		  "          \"x,  5\", 1, 2\n        ],\n        \"e\": {}\n      }\n    }\n  },\n"
		  "  \"models\": [],\n  \"origin\": \"abc\",\n  \"header\": {\n"
		  "    \"type\": \"time\",\n    \"cmd\": \"c\",\n    \"workload\": \"\",\n"
		  "    \"units\": {}\n  }\n}");
	perun_free(out);
	out = write_text(profile, "compact=yes");
	CHECK_STR(out,
		  "{\"resources\":{\"a#0\":{\"amount\":[1,-2,3.5,NaN,4]}},"
		  "\"resource_type_map\":{\"a#0\":{\"uid\":{\"f\":[\"x,  5\",1,2],\"e\":{}}}},"
		  "\"models\":[],\"origin\":\"abc\",\"header\":{\"type\":\"time\",\"cmd\":\"c\","
		  "\"workload\":\"\",\"units\":{}}}");
	perun_free(out);
	perun_profile_unref(profile);
}

/* ---- the model ------------------------------------------------------------------------------- */

static const char *cell(const struct perun_profile *profile, const char *table, const char *column,
			size_t row)
{
	static struct perun_buffer text;
	const struct perun_table *found = perun_profile_table(profile, table);

	perun_buffer_clear(&text);
	perun_buffer_add_text(&text, "");
	if (!found || !perun_table_column(found, column))
		return "no such column";
	perun_column_print(perun_table_column(found, column), row, &text);
	return text.data;
}

/* Types that names made, and then others that rows make, which are found again. */
TEST(test_many_types)
{
	enum { NAMES = 300, ROWS = 700 };
	struct perun_buffer text = {0};
	struct perun_profile *profile;
	const struct perun_table *table;

	perun_buffer_add_text(&text, "{" HEADER ", \"resources\": {");
	for (int i = 0; i < NAMES; i++)
		perun_buffer_printf(&text, "%s\"n%d#0\": {\"amount\": [%d]}", i ? ", " : "", i, i);
	perun_buffer_add_text(&text, "}, \"global\": {\"resources\": [");
	for (int i = 0; i < 2 * ROWS; i++)
		perun_buffer_printf(&text, "%s{\"uid\": \"u%d\", \"type\": \"t\", \"amount\": %d}",
				    i ? ", " : "", i % ROWS, i);
	perun_buffer_add_text(&text, "]}}");
	profile = read_text(text.data);
	perun_buffer_free(&text);
	REQUIRE(profile);
	table = perun_profile_table(profile, "resource_types");
	CHECK_INT(perun_table_rows(table), NAMES + ROWS);
	table = perun_resources(profile);
	REQUIRE(perun_table_rows(table) == NAMES + 2 * ROWS);
	for (size_t i = 0; i < 2 * ROWS; i++) {
		char uid[16];

		CHECK(snprintf(uid, sizeof uid, "u%d", (int)i % ROWS) < (int)sizeof uid);
		CHECK_STR(cell(profile, "resources", "uid", NAMES + i), uid);
		CHECK_INT(perun_column_int64(perun_table_column(table, "amount"), NAMES + i), i);
		CHECK_INT(perun_column_id(perun_table_column(table, "kind"), NAMES + i),
			  NAMES + i % ROWS);
	}
	perun_profile_unref(profile);
}

TEST(test_columns)
{
	struct perun_profile *profile = read_text(
		"{\"global\": [{\"uid\": {\"function\": \"f\"}, \"amount\": 1, \"type\": "
		"\"memory\", "
		"\"trace\": [{\"function\": \"malloc\", \"source\": \"a.c\", \"line\": 4}, "
		"{\"function\": \"f\", \"source\": \"b.c\", \"line\": 5}, {\"func\": \"main\"}]},"
		"{\"uid\": \"leaf\", \"amount\": 2.5, \"type\": \"memory\", \"trace\": "
		"[{\"func\": \"main\"}, {\"func\": \"leaf\"}]},"
		"{\"uid\": \"none\", \"amount\": 3, \"type\": \"memory\", \"trace\": "
		"[{\"func\": \"main\"}]}], \"models\": [{\"uid\": \"f\", \"model\": \"linear\", "
		"\"r_square\": 0.5, \"coeffs\": [{\"name\": \"b0\", \"value\": 1.5}, "
		"{\"name\": \"b1\", \"value\": 2}], \"bucket_stats\": [1, NaN]}], " HEADER "}");
	const struct perun_table *table;
	size_t count;

	REQUIRE(profile != NULL);
	table = perun_resources(profile);
	CHECK_INT(perun_table_rows(table), 3);
	CHECK_STR(cell(profile, "resources", "stack", 0), "main;f;malloc");
	CHECK_STR(cell(profile, "resources", "stack", 1), "main;leaf");
	CHECK_STR(cell(profile, "resources", "stack", 2), "main;none");
	CHECK_STR(cell(profile, "resources", "amount", 1), "2.5");
	CHECK_STR(cell(profile, "resource_types", "name", 0), "f#0");
	CHECK_STR(cell(profile, "resource_types", "flat", 2), "none");
	CHECK_INT(perun_column_info(perun_table_column(table, "amount"))->role, PERUN_ROLE_METRIC);
	CHECK_INT(perun_column_info(perun_table_column(table, "type"))->type, PERUN_TYPE_STRING);
	CHECK_INT(perun_column_info(perun_table_column(table, "kind"))->type, PERUN_TYPE_ROW);
	CHECK_STR(perun_metrics(profile, &count)[0]->name, "memory");
	CHECK_STR(cell(profile, "models", "model", 0), "linear");
	CHECK_STR(cell(profile, "models", "r_square", 0), "0.5");
	CHECK_STR(cell(profile, "model_terms", "name", 1), "b1");
	CHECK_STR(cell(profile, "model_terms", "value", 0), "1.5");
	CHECK_STR(cell(profile, "model_values", "name", 1), "bucket_stats");
	CHECK_STR(perun_profile_text(profile, "/header/cmd"), "c");
	perun_profile_unref(profile);
}

/* Which end of a trace is the root: the collector decides. */
TEST(test_traces_of_collectors)
{
	struct perun_profile *profile = read_text(
		"{\"global\": [{\"uid\": \"leaf\", \"amount\": 1, \"command\": \"ls\", \"trace\": "
		"[{\"func\": \"main\"}, {\"func\": \"f\"}]}, {\"uid\": \"f\", \"amount\": 2, "
		"\"command\": \"ls\", \"trace\": [{\"func\": \"f\"}, {\"func\": \"g\"}]}, "
		"{\"uid\": "
		"\"f\", \"amount\": 3, \"command\": \"ls\", \"trace\": [\"main\", \"f\"]}, "
		"{\"uid\": "
		"\"main\", \"amount\": 4, \"command\": \"ls\", \"trace\": []}], "
		"\"collector_info\": {\"name\": \"kperf\", \"params\": {}}, " HEADER "}");

	REQUIRE(profile != NULL);
	CHECK_STR(cell(profile, "resources", "stack", 0), "main;f;leaf");
	CHECK_STR(cell(profile, "resources", "stack", 1), "f;g;f");
	CHECK_STR(cell(profile, "resources", "stack", 2), "main;f;f");
	CHECK_STR(cell(profile, "resources", "stack", 3), "main");
	CHECK_STR(cell(profile, "resources", "command", 0), "ls");
	perun_profile_unref(profile);
	/* Memory that main() allocates by a function of a known file: the uid is last, and the root. */
	profile = read_text(
		"{\"global\": [{\"uid\": {\"function\": \"main\"}, \"amount\": 1, \"trace\": "
		"[{\"function\": \"malloc\", \"source\": \"malloc.c\", \"line\": 4}, "
		"{\"function\": \"main\", \"source\": \"b.c\", \"line\": 5}]}, {\"uid\": \"f\", "
		"\"amount\": 0, \"trace\": []}], \"collector_info\": {\"name\": "
		"\"memory\"}, " HEADER "}");
	REQUIRE(profile != NULL);
	CHECK_STR(cell(profile, "resources", "stack", 0), "main;malloc");
	perun_profile_unref(profile);
}

/* ---- after edits ----------------------------------------------------------------------------- */

static const char edited[] = "{\"global\": [{\"uid\": \"f\", \"amount\": 1}, {\"uid\": \"g\", "
			     "\"amount\": 2}, {\"uid\": \"f\", \"amount\": 4}], " HEADER "}";

static void check_edit(struct perun_builder *builder, const char *expected)
{
	struct perun_profile *profile;
	char *out;

	REQUIRE(perun_builder_finish(ctx, builder, &profile) == 0);
	out = write_text(profile, "stored=yes");
	CHECK_STR(out, expected);
	perun_free(out);
	perun_profile_unref(profile);
}

TEST(test_removed_rows)
{
	struct perun_profile *profile = read_text(edited);
	struct perun_builder *builder;
	uint64_t keep = 4;

	REQUIRE(profile != NULL);
	builder = perun_builder_from(profile);
	perun_table_keep_rows(perun_builder_table(builder, "resources"), &keep);
	check_edit(builder, "{\"resources\": {\"f#0\": {\"amount\": [4]}}, "
			    "\"resource_type_map\": {\"f#0\": {\"uid\": \"f\"}}" TAIL);
	perun_profile_unref(profile);
}

TEST(test_new_amounts)
{
	static const double amounts[] = {0.25, 0.5, 1};
	struct perun_profile *profile = read_text(edited);
	struct perun_builder *builder;

	REQUIRE(profile != NULL);
	builder = perun_builder_from(profile);
	perun_column_replace_doubles(
		perun_table_find_column(perun_builder_table(builder, "resources"), "amount"),
		amounts);
	check_edit(builder, "{\"resources\": {\"f#0\": {\"amount\": [0.25, 1]}, "
			    "\"g#0\": {\"amount\": [0.5]}}, \"resource_type_map\": {"
			    "\"f#0\": {\"uid\": \"f\"}, \"g#0\": {\"uid\": \"g\"}}" TAIL);
	perun_profile_unref(profile);
}

/* What a plugin puts into a cell of JSON need not be JSON: it is a text then. */
TEST(test_ill_formed_json)
{
	static const char *const texts[] = {"]",     "}}}}", "\"a", "1 2", "[1, ]", "{",
					    "\"a\\", ",",    "[,",  " ",   "",      "a]"};
	struct perun_column_info info = {
		.name = "odd", .type = PERUN_TYPE_JSON, .role = PERUN_ROLE_PLAIN};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct perun_profile *profile = read_text(edited), *changed = NULL;
		struct perun_builder *builder = perun_builder_from(profile);
		struct perun_table_builder *table = perun_builder_table(builder, "resources");
		struct perun_column_builder *column = perun_table_add_column(table, &info);
		char *text;

		perun_table_rewind(table, 0);
		for (int row = 0; row < 3; row++) {
			perun_column_set_id(column, PERUN_TYPE_JSON,
					    perun_builder_text(builder, texts[i]));
			perun_table_end_row(table);
		}
		perun_profile_unref(profile);
		if (perun_builder_finish(ctx, builder, &changed) != PERUN_OK) {
			perun_ctx_clear(ctx);
			continue;
		}
		text = write_text(changed, "compact");
		CHECK(strlen(text) < 2000);
		perun_free(text);
		perun_profile_unref(changed);
	}
}

TEST(test_new_key)
{
	struct perun_column_info info = {
		.name = "cluster", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_KEY};
	struct perun_profile *profile = read_text(edited);
	struct perun_table_builder *table;
	struct perun_builder *builder;

	REQUIRE(profile != NULL);
	builder = perun_builder_from(profile);
	table = perun_builder_table(builder, "resources");
	perun_table_rewind(table, 0);
	perun_column_append_int64(perun_table_add_column(table, &info), (int64_t[]){1, 1, 2}, 3);
	perun_table_rewind(table, 3);
	check_edit(builder,
		   "{\"resources\": {\"f#0\": {\"amount\": [1]}, \"g#0\": {\"amount\": [2]}, "
		   "\"f#1\": {\"amount\": [4]}}, \"resource_type_map\": {"
		   "\"f#0\": {\"cluster\": 1, \"uid\": \"f\"}, \"g#0\": {\"cluster\": 1, \"uid\": "
		   "\"g\"}, \"f#1\": {\"cluster\": 2, \"uid\": \"f\"}}" TAIL);
	perun_profile_unref(profile);
}

TEST(test_new_model)
{
	struct perun_column_info kind = {.name = "model", .type = PERUN_TYPE_STRING};
	struct perun_column_info row = {
		.name = "model", .type = PERUN_TYPE_ROW, .refers = "models"};
	struct perun_column_info name = {.name = "name", .type = PERUN_TYPE_STRING};
	struct perun_column_info value = {.name = "value", .type = PERUN_TYPE_DOUBLE};
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *models = perun_builder_table(builder, "models");
	struct perun_table_builder *terms = perun_builder_table(builder, "model_terms");
	struct perun_table_builder *values = perun_builder_table(builder, "model_values");
	struct perun_json *header;

	perun_json_parse(ctx, "{" HEADER "}", strlen("{" HEADER "}"), NULL, &header);
	perun_json_set(perun_builder_document(builder), "header",
		       perun_json_take(header, "header"));
	perun_json_free(header);
	perun_column_set_id(perun_table_add_column(models, &kind), PERUN_TYPE_STRING,
			    perun_builder_text(builder, "linear"));
	perun_table_end_row(models);
	perun_column_set_id(perun_table_add_column(terms, &row), PERUN_TYPE_ROW, 0);
	perun_column_set_id(perun_table_add_column(terms, &name), PERUN_TYPE_STRING,
			    perun_builder_text(builder, "b0"));
	perun_column_set_double(perun_table_add_column(terms, &value), 0.5);
	perun_table_end_row(terms);
	for (int i = 0; i < 2; i++) {
		perun_column_set_id(perun_table_add_column(values, &row), PERUN_TYPE_ROW, 0);
		perun_column_set_id(perun_table_add_column(values, &name), PERUN_TYPE_STRING,
				    perun_builder_text(builder, "bucket_stats"));
		perun_column_set_double(perun_table_add_column(values, &value), i + 0.5);
		perun_table_end_row(values);
	}
	check_edit(builder,
		   "{\"resources\": {}, \"resource_type_map\": {}, \"models\": [{\"model\": "
		   "\"linear\", \"coeffs\": [{\"name\": \"b0\", \"value\": 0.5}], "
		   "\"bucket_stats\": [0.5, 1.5]}], " HEADER "}");
}

/* Stacks with two metrics, as samplers have them. */
TEST(test_foreign)
{
	static const char *const names[] = {"leaf", "main"};
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info stack = {.name = "stack", .type = PERUN_TYPE_STACK};
	struct perun_column_info samples = {.name = "samples",
					    .type = PERUN_TYPE_INT64,
					    .role = PERUN_ROLE_METRIC,
					    .unit = "count"};
	struct perun_column_info cpu = {
		.name = "cpu", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC, .unit = "ns"};

	perun_column_set_id(perun_table_add_column(table, &stack), PERUN_TYPE_STACK,
			    perun_builder_stack_of_names(builder, names, 2));
	perun_column_set_int64(perun_table_add_column(table, &samples), 3);
	perun_column_set_int64(perun_table_add_column(table, &cpu), 30);
	perun_table_end_row(table);
	check_edit(
		builder,
		"{\"resources\": {\"leaf#0\": {\"amount\": [3]}, \"leaf#1\": {\"amount\": [30]}}, "
		"\"resource_type_map\": {\"leaf#0\": {\"trace\": [{\"func\": \"leaf\"}, {\"func\": "
		"\"main\"}], \"type\": \"samples\", \"uid\": \"leaf\"}, \"leaf#1\": {\"trace\": "
		"[{\"func\": \"leaf\"}, {\"func\": \"main\"}], \"type\": \"cpu\", \"uid\": "
		"\"leaf\"}}, "
		"\"models\": [], \"header\": {\"type\": \"mixed\", \"cmd\": \"\", \"workload\": "
		"\"\", "
		"\"units\": {\"samples\": \"count\", \"cpu\": \"ns\"}}}");
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void check_refused(const char *text, const char *message)
{
	struct perun_profile *profile = read_text(text);

	if (profile)
		CHECK_FAIL("accepted: %s", text);
	else
		CHECK_CONTAINS(perun_ctx_error(ctx), message);
	if (!profile && strchr(perun_ctx_error(ctx), '\n'))
		CHECK_FAIL("more than one line");
	perun_profile_unref(profile);
	perun_ctx_clear(ctx);
}

TEST(test_refused)
{
	check_refused("hello", "x.perf: line 1, column 1: expected a value, found 'h'");
	check_refused("", "found the end of the text");
	check_refused("[]", "expected an object for the profile, found an array");
	check_refused("{" HEADER ", \"resources\": [", "x.perf: line 1, column");
	check_refused("{" HEADER ", \"resources\": 5}",
		      "expected an object or an array for resources");
	check_refused("{" HEADER ", \"resources\": [[1]]}", "expected an object for each resource");
	check_refused("{" HEADER ", \"resources\": {\"a\": [1]}}",
		      "expected an object for each type of resources, found an array");
	check_refused("{" HEADER ", \"resources\": {\"a\": {\"amount\": 1}}}", "expected an array");
	check_refused("{" HEADER ", \"resource_type_map\": []}",
		      "expected an object for resource_type_map");
	check_refused("{" HEADER ", \"snapshots\": {}}", "expected an array for snapshots");
	check_refused("{" HEADER ", \"snapshots\": [{\"resources\": [{}]}]}", "expected a time");
	check_refused("{" HEADER ", \"models\": [1]}", "expected an object for each model");
	check_refused("{" HEADER ", \"models\": {}}", "expected an array for models");
	check_refused("{" HEADER ", \"resources\": {\"a\": {}, \"a\": {}}}", "occurs twice");
	check_refused("{" HEADER ", \"resources\": {}, \"resources\": {}}", "occurs twice");
	check_refused("{\"resources\": {}}", "no header");
	check_refused("{\"header\": 1}", "header: expected an object");
	check_refused("{\"header\": {}}", "no type");
	check_refused("{\"header\": {\"type\": 1}}", "no type");
	check_refused("{" HEADER "} x", "nothing more");
}

TEST(test_probing)
{
	static const char text[] = "{" HEADER ", \"resources\": {}}";
	struct perun_input *input = perun_input_from_memory("some.json", text, strlen(text));
	struct perun_profile *profile;
	const char *used;

	CHECK_INT(perun_read_profile(ctx, input, NULL, NULL, &profile, &used), 0);
	CHECK_STR(used, "perun");
	perun_profile_unref(profile);
	perun_input_close(input);
	input = perun_input_from_memory("notes.txt", "hello", 5);
	CHECK_INT(perun_read_profile(ctx, input, NULL, NULL, &profile, &used), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "notes.txt: unrecognized format");
	CHECK(profile == NULL);
	perun_ctx_clear(ctx);
	perun_input_close(input);
	input = perun_input_from_memory("bad.perf", "hello", 5);
	CHECK_INT(perun_read_profile(ctx, input, NULL, NULL, &profile, &used), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "bad.perf: line 1, column 1");
	perun_ctx_clear(ctx);
	perun_input_close(input);
}

/* ---- the Python program's objects ------------------------------------------------------------ */

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	struct perun_buffer text = {0};
	char block[4096];
	size_t got;

	if (!file)
		return NULL;
	while ((got = fread(block, 1, sizeof block, file)))
		perun_buffer_add(&text, block, got);
	fclose(file);
	*size = text.length;
	return perun_buffer_take(&text);
}

TEST(test_conformance)
{
	static const char *const names[] = {"few", "lin", "multi", "new", "snap"};
	const char *folder = getenv("PERUN_CONFORMANCE");
	bool any = false;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char path[512];
		struct perun_profile *profile;
		char *expected, *out;
		size_t size;

		snprintf(path, sizeof path, "%s/perun/out/bin/%s.raw", folder ? folder : "",
			 names[i]);
		expected = read_file(path, &size);
		if (!expected)
			continue;
		any = true;
		snprintf(path, sizeof path, "%s/perun/in/%s.perf", folder, names[i]);
		CHECK_INT(perun_read_profile_file(ctx, path, &profile), 0);
		REQUIRE(profile != NULL);
		out = write_text(profile, "stored=yes");
		CHECK_STR(out, expected + strlen(expected) + 1);
		perun_free(out);
		perun_free(expected);
		perun_profile_unref(profile);
	}
	if (!any)
		SKIP("PERUN_CONFORMANCE names no folder with cases");
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
