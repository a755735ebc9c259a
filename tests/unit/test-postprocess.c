/* SPDX-License-Identifier: BSD-3-Clause */
/* The postprocessors `filter` and `normalizer` on small profiles. */
#include <config.h>

#include <perun/json.h>
#include <perun/postprocess.h>

#include "tests/unit/check.h"

struct resource {
	double amount; /* NaN = absent */
	const char *type, *uid;
	int64_t snapshot; /* -1 = absent */
};

static struct perun_profile *finish(struct perun_builder *builder)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;

	CHECK_INT(perun_builder_finish(ctx, builder, &profile), PERUN_OK);
	perun_ctx_free(ctx);
	return profile;
}

static void add_rows(struct perun_builder *builder, const struct resource *resources, size_t count)
{
	const struct perun_column_info info[] = {
		{.name = "amount",
		 .unit = "s",
		 .type = PERUN_TYPE_DOUBLE,
		 .role = PERUN_ROLE_METRIC},
		{.name = "uid", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "type", .type = PERUN_TYPE_STRING, .role = PERUN_ROLE_KEY},
		{.name = "snapshot", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_TIME},
	};
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *columns[4];

	for (size_t i = 0; i < 4; i++)
		columns[i] = perun_table_add_column(table, &info[i]);
	for (size_t i = 0; i < count; i++) {
		if (!isnan(resources[i].amount))
			perun_column_set_double(columns[0], resources[i].amount);
		perun_column_set_id(columns[1], PERUN_TYPE_STRING,
				    perun_builder_text(builder, resources[i].uid));
		perun_column_set_id(columns[2], PERUN_TYPE_STRING,
				    perun_builder_text(builder, resources[i].type));
		if (resources[i].snapshot >= 0)
			perun_column_set_int64(columns[3], resources[i].snapshot);
		perun_table_end_row(table);
	}
}

static struct perun_profile *make_profile(const struct resource *resources, size_t count)
{
	static const char document[] =
		"{\"header\": {\"type\": \"time\", \"units\": {\"time\": \"s\", \"other\": \"B\"}},"
		" \"metrics\": {\"time\": {\"unit\": \"s\"}}}";
	struct perun_builder *builder = perun_builder_new();
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_json *parsed;

	add_rows(builder, resources, count);
	CHECK_INT(perun_json_parse(ctx, document, strlen(document), NULL, &parsed), PERUN_OK);
	for (size_t i = 0; i < perun_json_count(parsed); i++)
		perun_json_set(perun_builder_document(builder), perun_json_key_at(parsed, i, NULL),
			       perun_json_clone(perun_json_at(parsed, i)));
	perun_json_free(parsed);
	perun_ctx_free(ctx);
	return finish(builder);
}

static const struct resource small[] = {
	{1, "time", "foo", -1}, {2, "time", "foobar", -1}, {5, "time", "bar", -1},
	{8, "time", "baz", -1}, {NAN, "time", "foo", -1},  {0.5, "memory", "foo", -1},
	{4, "memory", "x", -1},
};
enum { SMALL = sizeof small / sizeof *small };

/* What was said during the last work: notes and warnings, a line each. */
static struct perun_buffer said;

static void hear(void *data, const char *message)
{
	(void)data;
	perun_buffer_printf(&said, "%s\n", message);
}

/* Apply; the result, or NULL and the error in `said`. */
static struct perun_profile *apply(struct perun_profile *profile, const char *name,
				   const char *const *arguments, int expected)
{
	const struct perun_handlers handlers = {
		.struct_size = sizeof handlers, .note = hear, .warn = hear};
	struct perun_ctx *ctx = perun_ctx_new(&handlers);
	struct perun_profile *result;

	perun_buffer_clear(&said);
	CHECK_INT(perun_postprocess(ctx, profile, name, NULL, arguments, &result), expected);
	if (perun_ctx_error(ctx))
		perun_buffer_add_text(&said, perun_ctx_error(ctx));
	if (!said.length)
		perun_buffer_add(&said, "", 0);
	perun_ctx_free(ctx);
	return result;
}

/* A column as text: its cells with commas between. */
static const char *column_text(const struct perun_profile *profile, const char *name)
{
	static struct perun_buffer text;
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *column = perun_table_column(table, name);

	perun_buffer_clear(&text);
	for (size_t row = 0; row < perun_table_rows(table); row++) {
		perun_buffer_add_text(&text, row ? "," : "");
		perun_column_print_json(column, row, &text);
	}
	perun_buffer_add_char(&text, ' ');
	text.data[--text.length] = '\0';
	return text.data;
}

/* The amounts that a filter leaves, and what it says. */
static void expect_filter(const char *const *arguments, const char *amounts, const char *words)
{
	struct perun_profile *profile = make_profile(small, SMALL);
	struct perun_profile *result = apply(profile, "filter", arguments, PERUN_OK);

	if (result)
		CHECK_STR(column_text(result, "amount"), amounts);
	CHECK_CONTAINS(said.data, words);
	perun_profile_unref(result);
	perun_profile_unref(profile);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST(test_filter_all)
{
	expect_filter(WORDS("--where", "amount > 1"), "2.0,5.0,8.0,4.0",
		      "dropped 3 of 7 rows: 3 by amount > 1");
	expect_filter(WORDS("-w", "amount > 1", "-w", "uid ~ ^ba"), "5.0,8.0",
		      "dropped 5 of 7 rows: 3 by amount > 1, 2 by uid ~ ^ba");
	expect_filter(WORDS("-w", "type == time", "-w", "amount < 100"), "1.0,2.0,5.0,8.0",
		      "dropped 3 of 7 rows: 2 by type == time, 1 by amount < 100");
	expect_filter(WORDS("-w", "amount < 100", "-w", "amount > 0"), "1.0,2.0,5.0,8.0,0.5,4.0",
		      "dropped 1 of 7 rows: 1 by amount < 100\n");
}

TEST(test_filter_any)
{
	expect_filter(WORDS("-w", "amount > 4", "-w", "uid == x", "--any"), "5.0,8.0,4.0",
		      "dropped 4 of 7 rows, which fulfil none of: amount > 4; uid == x");
}

TEST(test_filter_invert)
{
	expect_filter(WORDS("-w", "uid ~ ^foo", "--invert"), "5.0,8.0,4.0",
		      "dropped 4 of 7 rows, which fulfil all of: uid ~ ^foo");
	expect_filter(WORDS("-w", "uid ~ ^foo", "-w", "amount > 1", "-v"),
		      "1.0,5.0,8.0,null,0.5,4.0",
		      "dropped 1 of 7 rows, which fulfil all of: uid ~ ^foo; amount > 1");
	expect_filter(WORDS("-w", "uid ~ ^foo", "-w", "amount > 4", "-v", "--any"), "4.0",
		      "dropped 6 of 7 rows: 4 by uid ~ ^foo, 2 by amount > 4");
}

TEST(test_filter_edges)
{
	expect_filter(WORDS("-w", "uid is present"), "1.0,2.0,5.0,8.0,null,0.5,4.0",
		      "dropped none of 7 rows");
	expect_filter(WORDS("-w", "uid == nobody"), "", "no row is left in table resources");
}

TEST(test_filter_errors)
{
	struct perun_profile *profile = make_profile(small, SMALL);

	CHECK(!apply(profile, "filter", WORDS("-w", "amount >"), PERUN_USAGE));
	CHECK_CONTAINS(said.data, "amount >");
	CHECK(!apply(profile, "filter", WORDS("-w", "uid ~ (("), PERUN_USAGE));
	CHECK(!apply(profile, "filter", WORDS("-w", "a == b", "--table", "models"), PERUN_USAGE));
	CHECK_CONTAINS(said.data, "no table models, only: resources");
	perun_profile_unref(profile);
}

/* A configuration of the Python program may name the filter without saying what it keeps. */
TEST(test_filter_without_condition)
{
	struct perun_profile *profile = make_profile(small, SMALL);
	struct perun_profile *result = apply(profile, "filter", NULL, PERUN_OK);

	REQUIRE(result);
	CHECK_INT(perun_table_rows(perun_resources(result)), SMALL);
	perun_profile_unref(result);
	perun_profile_unref(profile);
}

TEST(test_recorded)
{
	struct perun_profile *profile = make_profile(small, SMALL);
	struct perun_profile *result =
		apply(profile, "filter", WORDS("-w", "amount > 1", "-w", "amount < 8"), PERUN_OK);

	REQUIRE(result);
	CHECK_STR(perun_profile_postprocessors(result), "filter");
	CHECK_CONTAINS(perun_profile_text(result, "/postprocessors"),
		       "\"where\": [\"amount > 1\", \"amount < 8\"]");
	CHECK_INT(perun_table_rows(perun_resources(profile)), SMALL);
	perun_profile_unref(result);
	perun_profile_unref(profile);
}

TEST(test_normalizer)
{
	struct perun_profile *profile = make_profile(small, SMALL);
	struct perun_profile *result = apply(profile, "normalizer", NULL, PERUN_OK);

	REQUIRE(result);
	CHECK_STR(column_text(result, "amount"), "0.125,0.25,0.625,1.0,null,0.125,1.0");
	CHECK_STR(perun_profile_text(result, "/header/units/time"), "");
	CHECK_STR(perun_profile_text(result, "/header/units/other"), "B"); /* no such resource */
	CHECK_STR(perun_profile_text(result, "/metrics/time/unit"), "");
	CHECK_STR(perun_column_info(perun_table_column(perun_resources(result), "amount"))->unit,
		  "");
	CHECK_STR(perun_profile_postprocessors(result), "normalizer");
	CHECK_STR(perun_profile_text(profile, "/header/units/time"), "s");
	perun_profile_unref(result);
	perun_profile_unref(profile);
}

/* Each snapshot has its own largest amounts, and so have resources outside of any. */
TEST(test_normalizer_snapshots)
{
	static const struct resource resources[] = {
		{2, "time", "a", 0}, {4, "time", "a", 0},  {10, "time", "a", 1},
		{5, "time", "b", 1}, {3, "time", "a", -1}, {12, "time", "b", -1},
		{0, "time", "a", 2}, {0, "time", "b", 2},  {7, "memory", "b", 1},
	};
	struct perun_profile *profile =
		make_profile(resources, sizeof resources / sizeof *resources);
	struct perun_profile *result = apply(profile, "normalizer", NULL, PERUN_OK);

	REQUIRE(result);
	CHECK_STR(column_text(result, "amount"), "0.5,1.0,1.0,0.5,0.25,1.0,1.0,1.0,1.0");
	perun_profile_unref(result);
	perun_profile_unref(profile);
}

TEST(test_normalizer_of)
{
	struct perun_profile *profile = make_profile(small, SMALL), *result;

	CHECK(!apply(profile, "normalizer", WORDS("--of", "nothing"), PERUN_USAGE));
	CHECK_CONTAINS(said.data, "no column nothing");
	CHECK(!apply(profile, "normalizer", WORDS("--of", "uid"), PERUN_INPUT));
	CHECK_CONTAINS(said.data, "uid of row 1 is not a number");
	result = apply(profile, "normalizer", WORDS("--of", "snapshot"), PERUN_OK);
	REQUIRE(result);
	CHECK_STR(column_text(result, "amount"), "1.0,2.0,5.0,8.0,null,0.5,4.0");
	perun_profile_unref(result);
	perun_profile_unref(profile);
}

TEST(test_normalizer_empty)
{
	struct perun_profile *profile = make_profile(small, 0);
	struct perun_profile *result = apply(profile, "normalizer", NULL, PERUN_OK);

	CHECK(result && perun_table_rows(perun_resources(result)) == 0);
	perun_profile_unref(result);
	perun_profile_unref(profile);
}

CHECK_MAIN(, perun_buffer_free(&said))
