/* SPDX-License-Identifier: BSD-3-Clause */
/* Selecting, grouping, aggregating, sorting and joining rows; flat texts; rounding. */
#include "check.h"

#include "perun/query.h"

/* ---- a small profile -------------------------------------------------------------------------- */

static struct perun_ctx *ctx;

static struct perun_column_builder *column(struct perun_table_builder *table, const char *name,
					   enum perun_type type)
{
	struct perun_column_info info = {.name = name, .type = type};

	return perun_table_add_column(table, &info);
}

/* A row for each line: "uid|type|subtype|amount|share"; an empty part is absent. */
static struct perun_profile *profile_of(const char *const *lines, size_t count)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *columns[] = {column(table, "uid", PERUN_TYPE_JSON),
						  column(table, "type", PERUN_TYPE_STRING),
						  column(table, "subtype", PERUN_TYPE_STRING),
						  column(table, "amount", PERUN_TYPE_INT64),
						  column(table, "share", PERUN_TYPE_DOUBLE)};
	struct perun_profile *profile = NULL;

	for (size_t i = 0; i < count; i++) {
		const char *part = lines[i];

		for (int c = 0; c < 5; c++) {
			size_t length = strcspn(part, "|");
			perun_id id = perun_builder_string(builder, part, length);

			if (length && c < 3)
				perun_column_set_id(columns[c],
						    c ? PERUN_TYPE_STRING : PERUN_TYPE_JSON, id);
			else if (length && c == 3)
				perun_column_set_int64(columns[c], strtoll(part, NULL, 10));
			else if (length)
				perun_column_set_double(columns[c], strtod(part, NULL));
			part += length + (part[length] == '|');
		}
		perun_table_end_row(table);
	}
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), PERUN_OK);
	return profile;
}

static const char *const lines[] = {
	"\"main\"|memory|malloc|4|0.5",
	"{\"function\": \"f\", \"source\": \"m.c\"}|memory|free|0|",
	"{\"source\": \"m.c\", \"function\": \"f\"}|memory|malloc|10|1.5",
	"\"main\"|time||-7|nan",
	"|time||9223372036854775807|-2",
	"\"main\"|memory|malloc||4",
};
enum { LINES = sizeof lines / sizeof *lines };

static const struct perun_column *named(const struct perun_profile *profile, const char *name)
{
	return perun_table_column(perun_resources(profile), name);
}

/* ---- flat texts, rounding --------------------------------------------------------------------- */

static void check_flat(const char *json, const char *expected)
{
	char *flat = perun_flatten(json, strlen(json));

	CHECK_STR(flat, expected);
	perun_free(flat);
}

TEST(test_flatten)
{
	check_flat("{\"line\": 3, \"function\": \"main\", \"source\": \"m.c\"}", "m.c:main:3");
	check_flat("\"main\"", "main");
	check_flat("[1, \"a\", {\"x\": true, \"y\": null}]", "1,a,True:None");
	check_flat("[[1, 2], 3.0]", "1,2,3.0");
	check_flat("{\"zz\": 1, \"b\": 2, \"a\": 3}", "3:2:1");
	check_flat("{\"a\": {\"line\": 2, \"file\": \"x\"}}", "x:2:x:2");
	check_flat("[{\"name\": \"b1\", \"value\": 2}, {\"name\": \"b0\", \"value\": 1}]", "1:2");
	check_flat("NaN", "nan");
	check_flat("123456789012345678901234567890", "123456789012345678901234567890");
	check_flat("{}", "");
	check_flat("no json", "no json");
	/* Small objects, and what only looks like one. */
	check_flat("{\"k\": 12}", "12");
	check_flat("{\"k\": \"\"}", "");
	check_flat("{\"k\": \"a b\", \"line\": 0}", "0:a b");
	check_flat("{\"k\": 1, \"k\": 2}", "2");
	check_flat("{\"k\": -0}", "0");
	check_flat("{\"k\": -7}", "-7");
	check_flat("{\"k\": 1.50}", "1.5");
	check_flat("{\"k\":1 }", "1");
	check_flat("{\"k\": \"\\u00e9\"}", "\xc3\xa9");
	check_flat("{\"k\": \"\xc3\xa9\"}", "\xc3\xa9");
	check_flat("{\"k\": 01}", "{\"k\": 01}");
	check_flat("{\"k\": 1", "{\"k\": 1");
	check_flat("{\"k\": 1, ", "{\"k\": 1, ");
	check_flat("{\"k\": 1}}", "{\"k\": 1}}");
	check_flat("{\"k\": \"\xff\"}", "{\"k\": \"\xff\"}");
	check_flat(
		"{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6, \"g\": 7, \"h\": 8}",
		"1:2:3:4:5:6:7:8");
	check_flat("{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4, \"e\": 5, \"f\": 6, \"g\": 7, \"h\": "
		   "8, \"i\": 9}",
		   "1:2:3:4:5:6:7:8:9");
}

/* What nests deep doubles its text with each level: it must be cut short, soon. */
TEST(test_flatten_deep)
{
	struct perun_buffer json = {0};
	char *flat;

	for (int i = 0; i < 900; i++)
		perun_buffer_add_text(&json, "{\"line\": 1, \"a\": ");
	perun_buffer_add_text(&json, "1");
	for (int i = 0; i < 900; i++)
		perun_buffer_add_char(&json, '}');
	flat = perun_flatten(json.data, json.length);
	CHECK(strlen(flat) <= 32u << 20);
	perun_free(flat);
	perun_buffer_free(&json);
}

TEST(test_round)
{
	CHECK(perun_round_python(115.685, 2) == 115.69);
	CHECK(perun_round_python(2.675, 2) == 2.67);
	CHECK(perun_round_python(0.5, 0) == 0);
	CHECK(perun_round_python(1.5, 0) == 2);
	CHECK(perun_round_python(2.5, 0) == 2);
	CHECK(perun_round_python(-0.4, 0) == 0 && signbit(perun_round_python(-0.4, 0)));
	CHECK(perun_round_python(1250, -2) == 1200);
	CHECK(perun_round_python(1350, -2) == 1400);
	CHECK(perun_round_python(1250.5, -2) == 1300);
	CHECK(perun_round_python(999, -1) == 1000);
	CHECK(perun_round_python(50, -2) == 0);
	CHECK(perun_round_python(51, -2) == 100);
	CHECK(perun_round_python(-149, -2) == -100);
	CHECK(perun_round_python(7, -2) == 0);
	CHECK(perun_round_python(1e300, 2) == 1e300);
	CHECK(perun_round_python(5e-324, 323) == 0);
	CHECK(perun_round_python(5e-324, 400) == 5e-324);
	CHECK(perun_round_python(1.4e308, -308) == 1e308);
	CHECK(isnan(perun_round_python(NAN, 2)));
	CHECK(isinf(perun_round_python(INFINITY, -2)));
}

/* ---- selecting -------------------------------------------------------------------------------- */

/* The rows that a condition selects, as "0 2 5", or the error. */
static void check_where(const struct perun_profile *profile, const char *condition,
			const char *expected)
{
	struct perun_buffer rows = {0};
	uint64_t *selection;
	size_t count = perun_table_rows(perun_resources(profile));
	int status = perun_select_where(ctx, perun_resources(profile), condition, &selection);

	perun_buffer_add_text(&rows, "");
	for (size_t row = 0; status == PERUN_OK && row < count; row++) {
		if (perun_bit(selection, row))
			perun_buffer_printf(&rows, "%s%zu", rows.length ? " " : "", row);
	}
	if (status != PERUN_OK) {
		CHECK_INT(status, PERUN_USAGE);
		CHECK(selection == NULL);
		perun_buffer_add_text(&rows, perun_ctx_error(ctx));
		CHECK_CONTAINS(rows.data, expected);
		perun_ctx_clear(ctx);
	} else if (strcmp(rows.data ? rows.data : "", expected) != 0) {
		CHECK_FAIL("'%s' selects '%s', not '%s'", condition, rows.data, expected);
	}
	perun_buffer_free(&rows);
	perun_free(selection);
}

TEST(test_where)
{
	struct perun_profile *profile = profile_of(lines, LINES);

	check_where(profile, "amount > 3", "0 2 4");
	check_where(profile, "amount >= 4 and amount <= 10", "0 2");
	check_where(profile, "amount == 9223372036854775807", "4");
	check_where(profile, "amount < 9223372036854775807", "0 1 2 3");
	check_where(profile, "amount = 4.0", "0");
	check_where(profile, "amount != 4", "1 2 3 4 5");
	check_where(profile, "share > -100", "0 2 4 5");
	check_where(profile, "share != 4", "0 1 2 3 4");
	check_where(profile, "type == memory", "0 1 2 5");
	check_where(profile, "type==time", "3 4");
	check_where(profile, "subtype != free", "0 2 3 4 5");
	check_where(profile, "subtype is absent", "3 4");
	check_where(profile, "subtype is not absent", "0 1 2 5");
	check_where(profile, "amount is present", "0 1 2 3 4");
	check_where(profile, "uid == m.c:f", "1 2");
	check_where(profile, "uid:function == f", "1 2");
	check_where(profile, "uid:function is absent", "0 3 4 5");
	check_where(profile, "uid ~ ^m", "0 1 2 3 5");
	check_where(profile, "uid ~ ^m.*f$", "1 2");
	check_where(profile, "uid !~ ^m", "4");
	check_where(profile, "uid like *ai?", "0 3 5");
	check_where(profile, "uid unlike [l-n]ain", "1 2 4");
	check_where(profile, "not (type == memory) or amount == 0", "1 3 4");
	check_where(profile, "type == time or type == memory and amount == 4", "0 3 4");
	check_where(profile, "(type == time or type == memory) and amount == 4", "0");
	check_where(profile, "'type' == \"memory\" and uid ~ (ma|x)in", "0 5");
	check_where(profile, "type == ''", "");
	check_where(profile, "amount ~ ^1", "2");
	check_where(profile, "amount < abc", "0 1 2 3 4");

	check_where(profile, "", "expected the name of a column at its end");
	check_where(profile, "amount", "expected one of ==");
	check_where(profile, "amount >", "expected a value");
	check_where(profile, "amount > 3 or", "expected the name");
	check_where(profile, "amount > 3 x", "character 12: expected 'and'");
	check_where(profile, "(amount > 3", "expected 'and', 'or' or ')'");
	check_where(profile, "size > 3", "no column 'size'; there are: uid, type");
	check_where(profile, "uid ~ (", "regular expression '('");
	check_where(profile, "uid like [a", "pattern '[a' ends too early");
	check_where(profile, "uid == 'x", "quoted text that is closed");
	perun_profile_unref(profile);
}

TEST(test_match_limit)
{
	char line[128] = "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"||||";
	const char *const one[] = {line};
	struct perun_profile *profile = profile_of(one, 1);
	uint64_t *selection;

	CHECK_INT(perun_select(ctx, named(profile, "uid"), PERUN_PREDICATE_MATCHES,
			       "^(a+)+$|^(a|aa)+c$", &selection),
		  PERUN_INPUT);
	CHECK(selection == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), "too much work");
	perun_ctx_clear(ctx);
	perun_profile_unref(profile);
}

TEST(test_selection)
{
	uint64_t *all = perun_selection_new(70, true), *none = perun_selection_new(70, false);

	CHECK_INT(perun_selection_count(all, 70), 70);
	CHECK_INT(perun_selection_count(NULL, 70), 70);
	perun_selection_not(none, 70);
	CHECK(memcmp(all, none, 16) == 0);
	perun_selection_not(none, 70);
	perun_selection_or(none, NULL, 70);
	CHECK(memcmp(all, none, 16) == 0);
	perun_free(all);
	perun_free(none);
}

/* ---- groups ----------------------------------------------------------------------------------- */

static void check_values(const struct perun_groups *groups, const struct perun_column *column,
			 enum perun_aggregate function, double argument, const double *expected)
{
	double values[16];

	REQUIRE(groups->count <= 16);
	REQUIRE(perun_aggregate(ctx, groups, column, function, argument, values) == PERUN_OK);
	for (size_t g = 0; g < groups->count; g++) {
		if (!(fabs(values[g] - expected[g]) < 1e-12) && values[g] != expected[g] &&
		    !(isnan(values[g]) && isnan(expected[g])))
			CHECK_FAIL("%s of group %zu is %g, not %g", perun_aggregate_name(function),
				   g, values[g], expected[g]);
	}
}

TEST(test_group)
{
	struct perun_profile *profile = profile_of(lines, LINES);
	const struct perun_column *keys[] = {named(profile, "type"), named(profile, "subtype"),
					     named(profile, "amount")};
	const struct perun_column *share = named(profile, "share");
	struct perun_groups *groups;
	int64_t sums[4];
	size_t *starts;
	uint32_t *rows;

	REQUIRE(perun_group_by(ctx, perun_resources(profile), keys, 2, NULL, &groups) == PERUN_OK);
	REQUIRE(groups->count == 3);
	CHECK_INT(groups->group_of_row[0], 0);
	CHECK_INT(groups->group_of_row[1], 1);
	CHECK_INT(groups->group_of_row[5], 0);
	CHECK_INT(groups->group_of_row[4], 2);
	CHECK_INT(groups->first_row[2], 3);
	CHECK_INT(groups->size[0], 3);
	check_values(groups, keys[2], PERUN_AGGREGATE_SUM, 0, (double[]){14, 0, 0x1p63});
	check_values(groups, keys[2], PERUN_AGGREGATE_MEAN, 0, (double[]){7, 0, 0x1p62});
	check_values(groups, keys[2], PERUN_AGGREGATE_COUNT, 0, (double[]){2, 1, 2});
	check_values(groups, share, PERUN_AGGREGATE_COUNT, 0, (double[]){3, 0, 1});
	check_values(groups, share, PERUN_AGGREGATE_SUM, 0, (double[]){6, 0, -2});
	check_values(groups, share, PERUN_AGGREGATE_MEAN, 0, (double[]){2, NAN, -2});
	check_values(groups, share, PERUN_AGGREGATE_MEDIAN, 0, (double[]){1.5, NAN, -2});
	check_values(groups, share, PERUN_AGGREGATE_QUANTILE, 0.75, (double[]){2.75, NAN, -2});
	check_values(groups, share, PERUN_AGGREGATE_MIN, 0, (double[]){0.5, NAN, -2});
	check_values(groups, share, PERUN_AGGREGATE_MAX, 0, (double[]){4, NAN, -2});
	check_values(groups, share, PERUN_AGGREGATE_VARIANCE, 0, (double[]){3.25, NAN, NAN});
	check_values(groups, share, PERUN_AGGREGATE_STD, 0, (double[]){sqrt(3.25), NAN, NAN});
	check_values(groups, share, PERUN_AGGREGATE_NUNIQUE, 0, (double[]){3, 0, 1});
	check_values(groups, named(profile, "uid"), PERUN_AGGREGATE_NUNIQUE, 0,
		     (double[]){2, 1, 1});
	REQUIRE(perun_aggregate_int64(ctx, groups, keys[2], sums) == PERUN_OK);
	CHECK_INT(sums[2], INT64_MAX - 7);
	CHECK_INT(perun_aggregate_int64(ctx, groups, share, sums), PERUN_INPUT);
	perun_ctx_clear(ctx);
	perun_groups_rows(groups, &rows, &starts);
	CHECK_INT(starts[3], 6);
	CHECK_INT(rows[0] * 100 + rows[1] * 10 + rows[2], 25);
	CHECK_INT(rows[starts[2]], 3);
	perun_free(rows);
	perun_free(starts);
	perun_groups_free(groups);

	REQUIRE(perun_group_by(ctx, perun_resources(profile), keys, 3, NULL, &groups) == PERUN_OK);
	CHECK_INT(groups->count, 6);
	perun_groups_free(groups);
	REQUIRE(perun_group_by(ctx, perun_resources(profile), NULL, 0, NULL, &groups) == PERUN_OK);
	CHECK_INT(groups->count, 1);
	CHECK_INT(groups->size[0], 6);
	CHECK_INT(perun_aggregate(ctx, groups, keys[2], PERUN_AGGREGATE_QUANTILE, 2, NULL),
		  PERUN_USAGE);
	perun_ctx_clear(ctx);
	perun_groups_free(groups);
	perun_profile_unref(profile);
}

TEST(test_group_by_uid)
{
	struct perun_profile *profile = profile_of(lines, LINES);
	uint64_t *selection;
	struct perun_groups *groups;

	REQUIRE(perun_select_where(ctx, perun_resources(profile), "amount is present",
				   &selection) == PERUN_OK);
	REQUIRE(perun_group_by_uid(ctx, perun_resources(profile), selection, &groups) == PERUN_OK);
	REQUIRE(groups->count == 3);
	CHECK_STR(groups->texts[0], "main");
	CHECK_STR(groups->texts[1], "m.c:f");
	CHECK_STR(groups->texts[2], "");
	CHECK_INT(groups->group_of_row[5], PERUN_NO_ID);
	CHECK_INT(groups->size[1], 2);
	check_values(groups, named(profile, "amount"), PERUN_AGGREGATE_SUM, 0,
		     (double[]){-3, 10, 0x1p63});
	perun_groups_free(groups);
	perun_free(selection);
	perun_profile_unref(profile);
}

TEST(test_join)
{
	static const char *const others[] = {"\"x\"|time||1|", "\"main\"|memory|malloc|4|",
					     "\"main\"|time||2|"};
	struct perun_profile *a = profile_of(lines, LINES), *b = profile_of(others, 3);
	const struct perun_column *keys[2][2] = {{named(a, "type"), named(a, "subtype")},
						 {named(b, "type"), named(b, "subtype")}};
	struct perun_groups *left, *right;
	uint32_t *joined;

	perun_group_by(ctx, perun_resources(a), keys[0], 2, NULL, &left);
	perun_group_by(ctx, perun_resources(b), keys[1], 2, NULL, &right);
	REQUIRE(perun_groups_join(ctx, left, right, &joined) == PERUN_OK);
	CHECK_INT(joined[0], 1);
	CHECK_INT(joined[1], PERUN_NO_ID);
	CHECK_INT(joined[2], 0);
	perun_free(joined);
	perun_groups_free(left);
	perun_groups_free(right);

	perun_group_by_uid(ctx, perun_resources(a), NULL, &left);
	perun_group_by_uid(ctx, perun_resources(b), NULL, &right);
	REQUIRE(perun_groups_join(ctx, left, right, &joined) == PERUN_OK);
	CHECK_INT(joined[0], 1);
	CHECK_INT(joined[1], PERUN_NO_ID);
	perun_free(joined);
	perun_groups_free(left);
	perun_groups_free(right);
	perun_profile_unref(a);
	perun_profile_unref(b);
}

/* Many rows: against a plain loop, with one thread and with several. */
enum { MANY = 300000, KEYS = 97 };

static struct perun_profile *many_rows(void)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *key = column(table, "key", PERUN_TYPE_STRING);
	struct perun_column_builder *number = column(table, "number", PERUN_TYPE_INT64);
	struct perun_column_builder *value = column(table, "value", PERUN_TYPE_DOUBLE);
	struct perun_profile *profile = NULL;
	char name[16];

	for (uint64_t i = 0, state = 1; i < MANY; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		snprintf(name, sizeof name, "k%d", (int)((state >> 33) % KEYS));
		perun_column_set_id(key, PERUN_TYPE_STRING, perun_builder_text(builder, name));
		if ((state >> 40) % 11)
			perun_column_set_int64(number, (int64_t)((state >> 45) % 13) - 6);
		perun_column_set_double(value, (double)(int64_t)state / 3e7);
		perun_table_end_row(table);
	}
	perun_builder_finish(ctx, builder, &profile);
	return profile;
}

static void check_many(const struct perun_profile *profile, const struct perun_groups *groups)
{
	const struct perun_column *keys[] = {named(profile, "key"), named(profile, "number")};
	const struct perun_column *value = named(profile, "value");
	long double *sums = perun_alloc_zero(groups->count, sizeof *sums);
	double *found = perun_alloc_zero(groups->count, sizeof *found);
	uint32_t next = 0;

	for (size_t row = 0; row < MANY; row++) {
		uint32_t group = groups->group_of_row[row], first = groups->first_row[group];

		if (group == next)
			CHECK_INT(groups->first_row[next++], row);
		REQUIRE(group < next);
		REQUIRE(perun_column_id(keys[0], row) == perun_column_id(keys[0], first));
		REQUIRE(perun_column_absent(keys[1], row) == perun_column_absent(keys[1], first));
		REQUIRE(perun_column_int64(keys[1], row) == perun_column_int64(keys[1], first));
		sums[group] += perun_column_double(value, row);
	}
	CHECK_INT(next, groups->count);
	CHECK_INT(groups->count, KEYS * 14);
	perun_aggregate(ctx, groups, value, PERUN_AGGREGATE_SUM, 0, found);
	for (size_t g = 0; g < groups->count; g++)
		CHECK_DOUBLE(found[g], (double)sums[g], 1e-3);
	perun_free(sums);
	perun_free(found);
}

TEST(test_many)
{
	struct perun_profile *profile = many_rows();
	const struct perun_column *keys[] = {named(profile, "key"), named(profile, "number")};
	const struct perun_column *value = named(profile, "value");
	struct perun_groups *groups[2];
	double *sums[2];

	for (int i = 0; i < 2; i++) {
		setenv("PERUN_THREADS", i ? "3" : "1", 1);
		perun_group_by(ctx, perun_resources(profile), keys, 2, NULL, &groups[i]);
		sums[i] = perun_alloc_zero(groups[i]->count, sizeof(double));
		perun_aggregate(ctx, groups[i], value, PERUN_AGGREGATE_SUM, 0, sums[i]);
	}
	unsetenv("PERUN_THREADS");
	check_many(profile, groups[0]);
	REQUIRE(groups[0]->count == groups[1]->count);
	CHECK(memcmp(groups[0]->group_of_row, groups[1]->group_of_row, MANY * 4) == 0);
	CHECK(memcmp(groups[0]->size, groups[1]->size, groups[0]->count * 4) == 0);
	CHECK(memcmp(sums[0], sums[1], groups[0]->count * sizeof(double)) == 0);
	for (int i = 0; i < 2; i++) {
		perun_groups_free(groups[i]);
		perun_free(sums[i]);
	}
	perun_profile_unref(profile);
}

/* Each function over the groups against the same over an array of the group's numbers. */
static void check_function(const struct perun_groups *groups, const struct perun_column *column,
			   enum perun_aggregate function)
{
	double *found = perun_alloc_zero(groups->count, sizeof *found), *numbers;
	uint32_t *rows;
	size_t *starts;

	REQUIRE(perun_aggregate(ctx, groups, column, function, 0.3, found) == PERUN_OK);
	perun_groups_rows(groups, &rows, &starts);
	numbers = perun_alloc_zero(groups->rows, sizeof *numbers);
	for (size_t g = 0; g < groups->count; g++) {
		size_t count = 0;
		double expected;

		for (size_t i = starts[g]; i < starts[g + 1]; i++)
			numbers[count++] = perun_column_absent(column, rows[i])
						   ? NAN
						   : perun_column_double(column, rows[i]);
		expected = perun_aggregate_values(numbers, count, function, 0.3);
		CHECK_DOUBLE(found[g], expected, fabs(expected) * 1e-9);
	}
	perun_free(numbers);
	perun_free(rows);
	perun_free(starts);
	perun_free(found);
}

TEST(test_many_functions)
{
	struct perun_profile *profile = many_rows();
	const struct perun_column *keys[] = {named(profile, "number"), named(profile, "key")};
	const struct perun_column *value = named(profile, "value");
	struct perun_groups *groups;
	uint64_t *selection;

	REQUIRE(perun_select_where(ctx, perun_resources(profile),
				   "number is absent or value > -2e11 and key unlike k1*",
				   &selection) == PERUN_OK);
	for (size_t count = 0; count <= 2; count++) {
		REQUIRE(perun_group_by(ctx, perun_resources(profile), keys, count, selection,
				       &groups) == PERUN_OK);
		for (int function = 0; function < PERUN_AGGREGATES; function++) {
			check_function(groups, value, (enum perun_aggregate)function);
			check_function(groups, keys[0], (enum perun_aggregate)function);
		}
		perun_groups_free(groups);
	}
	REQUIRE(perun_group_by(ctx, perun_resources(profile), &value, 1, selection, &groups) ==
		PERUN_OK);
	CHECK_INT(groups->count, perun_selection_count(selection, MANY)); /* all are different */
	perun_groups_free(groups);
	perun_free(selection);
	perun_profile_unref(profile);
}

/* Sorted rows of many: in order, stable, each once. */
TEST(test_many_sorted)
{
	struct perun_profile *profile = many_rows();
	struct perun_sort_key keys[] = {{named(profile, "number"), true},
					{named(profile, "key"), false}};
	uint32_t *rows;
	size_t count;

	REQUIRE(perun_sort(ctx, perun_resources(profile), keys, 2, NULL, &rows, &count) ==
		PERUN_OK);
	CHECK_INT(count, MANY);
	for (size_t i = 1; i < count; i++) {
		int order =
			-perun_cell_compare(keys[0].column, rows[i - 1], keys[0].column, rows[i]);

		if (order == 0)
			order = perun_cell_compare(keys[1].column, rows[i - 1], keys[1].column,
						   rows[i]);
		REQUIRE(order < 0 || (order == 0 && rows[i - 1] < rows[i]));
	}
	perun_free(rows);
	perun_profile_unref(profile);
}

/* ---- order ------------------------------------------------------------------------------------ */

static void check_sort(const struct perun_profile *profile, const struct perun_sort_key *keys,
		       size_t count, const char *expected)
{
	struct perun_buffer text = {0};
	uint32_t *rows;
	size_t found;

	REQUIRE(perun_sort(ctx, perun_resources(profile), keys, count, NULL, &rows, &found) ==
		PERUN_OK);
	for (size_t i = 0; i < found; i++)
		perun_buffer_printf(&text, "%s%u", i ? " " : "", rows[i]);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_free(rows);
}

TEST(test_sort)
{
	struct perun_profile *profile = profile_of(lines, LINES);
	struct perun_sort_key amount = {named(profile, "amount"), false};
	struct perun_sort_key share = {named(profile, "share"), true};
	struct perun_sort_key both[] = {{named(profile, "type"), true}, amount};
	struct perun_sort_key uid = {named(profile, "uid"), false};

	check_sort(profile, &amount, 1, "5 3 1 0 2 4");
	check_sort(profile, &share, 1, "3 5 2 0 4 1");
	check_sort(profile, both, 2, "3 4 5 1 0 2");
	check_sort(profile, &uid, 1, "4 1 2 0 3 5");
	check_sort(profile, NULL, 0, "0 1 2 3 4 5");
	perun_profile_unref(profile);
}

TEST(test_sort_mixed)
{
	static const char *const mixed[] = {"\"b\"", "2.5", "true", "", "10", "\"a\"", "-1", "2"};
	struct perun_profile *profile = profile_of(mixed, 8);
	struct perun_sort_key uid = {named(profile, "uid"), false};

	check_sort(profile, &uid, 1, "3 2 6 7 1 4 5 0");
	uid.descending = true;
	check_sort(profile, &uid, 1, "0 5 4 1 7 6 2 3");
	CHECK(perun_cell_compare(uid.column, 3, uid.column, 2) < 0);
	CHECK(perun_cell_compare(uid.column, 4, uid.column, 1) > 0);
	perun_profile_unref(profile);
}

TEST(test_values)
{
	double values[] = {1e100, 1, -1e100, NAN, 3};

	CHECK(perun_aggregate_values(values, 5, PERUN_AGGREGATE_SUM, 0) == 4);
	CHECK(perun_aggregate_values((double[]){3, 1, 2, 4}, 4, PERUN_AGGREGATE_MEDIAN, 0) == 2.5);
	CHECK(perun_aggregate_values((double[]){3, 1, 3}, 3, PERUN_AGGREGATE_NUNIQUE, 0) == 2);
	CHECK(isnan(perun_aggregate_values(NULL, 0, PERUN_AGGREGATE_MEAN, 0)));
	CHECK(perun_aggregate_values((double[]){1, INFINITY}, 2, PERUN_AGGREGATE_SUM, 0) ==
	      INFINITY);
	CHECK_INT(perun_aggregate_from_name("nunique"), PERUN_AGGREGATE_NUNIQUE);
	CHECK_INT(perun_aggregate_from_name("x"), PERUN_AGGREGATES);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
