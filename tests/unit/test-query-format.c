/* SPDX-License-Identifier: BSD-3-Clause */
/* The queries of Perun's profile format: resources, snapshots, models, items, conversions. */
#include "check.h"

#include "perun/query.h"

static struct perun_ctx *ctx;

static struct perun_column_builder *column(struct perun_table_builder *table, const char *name,
					   enum perun_type type)
{
	struct perun_column_info info = {.name = name, .type = type};

	return perun_table_add_column(table, &info);
}

static void set(struct perun_builder *builder, struct perun_column_builder *column,
		enum perun_type type, const char *text)
{
	if (text)
		perun_column_set_id(column, type, perun_builder_text(builder, text));
}

#define UID "{\"source\": \"m.c\", \"function\": \"main\", \"line\": 3}"
#define TRACE                                                           \
	"[{\"source\": \"m.c\", \"function\": \"main\", \"line\": 3}, " \
	"{\"func\": \"a;b\"}]"

static const struct resource {
	const char *uid, *trace, *subtype;
	int64_t snapshot, amount;
} resources[] = {
	{UID, TRACE, "malloc", 1, 8},
	{"\"x\"", NULL, NULL, 0, 16},
	{UID, TRACE, "free", 1, 0},
	{UID, "[]", "malloc", 0, 2},
};
enum { RESOURCES = sizeof resources / sizeof *resources };

static const struct model {
	const char *uid, *kind, *coeffs;
	double r_square;
} models[] = {
	{"\"f\"", "linear", "[{\"name\": \"b1\", \"value\": 2}, {\"name\": \"b0\", \"value\": 1}]",
	 0.5},
	{"\"f\"", "quadratic",
	 "[{\"name\": \"b0\", \"value\": 1}, {\"name\": \"b1\", \"value\": 0}, "
	 "{\"name\": \"b2\", \"value\": 3}]",
	 0.9},
	{"\"g\"", "regressogram", NULL, 0.7},
	{"\"f\"", "regressogram", NULL, 0.95},
	{"\"h\"", "power", "[{\"name\": \"b0\", \"value\": 2}, {\"name\": \"b1\", \"value\": 3}]",
	 0},
	{"\"f\"", "exponential", "[]", 0.9},
};
enum { MODELS = sizeof models / sizeof *models };

static void add_resources(struct perun_builder *builder)
{
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_builder *snapshot = column(table, "snapshot", PERUN_TYPE_INT64);
	struct perun_column_builder *amount = column(table, "amount", PERUN_TYPE_INT64);
	struct perun_column_builder *uid = column(table, "uid", PERUN_TYPE_JSON);
	struct perun_column_builder *trace = column(table, "trace", PERUN_TYPE_JSON);
	struct perun_column_builder *subtype = column(table, "subtype", PERUN_TYPE_STRING);

	for (size_t i = 0; i < RESOURCES; i++) {
		if (resources[i].snapshot) /* absent is 0 */
			perun_column_set_int64(snapshot, resources[i].snapshot);
		perun_column_set_int64(amount, resources[i].amount);
		set(builder, uid, PERUN_TYPE_JSON, resources[i].uid);
		set(builder, trace, PERUN_TYPE_JSON, resources[i].trace);
		set(builder, subtype, PERUN_TYPE_STRING, resources[i].subtype);
		perun_table_end_row(table);
	}
}

static void add_models(struct perun_builder *builder)
{
	struct perun_table_builder *table = perun_builder_table(builder, "models");
	struct perun_column_builder *uid = column(table, "uid", PERUN_TYPE_JSON);
	struct perun_column_builder *kind = column(table, "model", PERUN_TYPE_STRING);
	struct perun_column_builder *coeffs = column(table, "coeffs", PERUN_TYPE_JSON);
	struct perun_column_builder *r_square = column(table, "r_square", PERUN_TYPE_DOUBLE);
	struct perun_column_builder *start = column(table, "x_start", PERUN_TYPE_INT64);
	struct perun_column_builder *end = column(table, "x_end", PERUN_TYPE_INT64);

	for (size_t i = 0; i < MODELS; i++) {
		set(builder, uid, PERUN_TYPE_JSON, models[i].uid);
		set(builder, kind, PERUN_TYPE_STRING, models[i].kind);
		set(builder, coeffs, PERUN_TYPE_JSON, models[i].coeffs);
		perun_column_set_double(r_square, models[i].r_square);
		perun_column_set_int64(start, 0);
		perun_column_set_int64(end, 10);
		perun_table_end_row(table);
	}
}

static struct perun_profile *profile_of_all(void)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_profile *profile = NULL;

	add_resources(builder);
	add_models(builder);
	CHECK_INT(perun_builder_finish(ctx, builder, &profile), PERUN_OK);
	return profile;
}

/* ---- resources -------------------------------------------------------------------------------- */

static int print_resource(void *data, int64_t snapshot, size_t row)
{
	perun_buffer_printf(data, "%d:%zu ", (int)snapshot, row);
	return row == 2 ? 7 : 0;
}

static int print_snapshot(void *data, int64_t snapshot, const uint32_t *rows, size_t count)
{
	perun_buffer_printf(data, "%d:", (int)snapshot);
	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(data, "%u,", rows[i]);
	return 0;
}

TEST(test_resources)
{
	struct perun_profile *profile = profile_of_all();
	struct perun_buffer text = {0};

	CHECK_INT(perun_all_resources(profile, print_resource, &text), 7);
	CHECK_STR(text.data, "1:0 0:1 1:2 ");
	perun_buffer_clear(&text);
	CHECK_INT(perun_all_snapshots(profile, print_snapshot, &text), 0);
	CHECK_STR(text.data, "0:1,3,1:0,2,");
	perun_buffer_free(&text);
	perun_profile_unref(profile);
}

TEST(test_flame)
{
	struct perun_profile *profile = profile_of_all();
	struct perun_buffer text = {0};

	CHECK_INT(perun_to_flame_graph_format(ctx, profile, NULL, &text), PERUN_OK);
	CHECK_STR(text.data, "x 16\nmain()~m.c~3 2\nmain()~m.c~3;a:b;main()~m.c~3 8\n");
	perun_buffer_free(&text);
	CHECK_INT(perun_to_flame_graph_format(ctx, profile, "size", &text), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "no column \"size\"");
	perun_ctx_clear(ctx);
	perun_profile_unref(profile);
}

TEST(test_flame_stack)
{
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "resources");
	struct perun_column_info info = {
		.name = "samples", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};
	struct perun_column_builder *samples = perun_table_add_column(table, &info);
	struct perun_column_builder *stack = column(table, "stack", PERUN_TYPE_STACK);
	const char *const names[] = {"leaf", "main"};
	struct perun_profile *profile;
	struct perun_buffer text = {0};

	perun_column_set_int64(samples, 5);
	perun_column_set_id(stack, PERUN_TYPE_STACK,
			    perun_builder_stack_of_names(builder, names, 2));
	perun_table_end_row(table);
	REQUIRE(perun_builder_finish(ctx, builder, &profile) == PERUN_OK);
	CHECK_INT(perun_to_flame_graph_format(ctx, profile, NULL, &text), PERUN_OK);
	CHECK_STR(text.data, "main;leaf 5\n");
	perun_buffer_free(&text);
	perun_profile_unref(profile);
}

/* ---- items ------------------------------------------------------------------------------------ */

static int print_item(void *data, const char *path, const struct perun_json *value)
{
	perun_buffer_printf(data, "%s=", path);
	perun_json_print(value, data, PERUN_JSON_PYTHON, 0);
	perun_buffer_add_char(data, ' ');
	return 0;
}

/* Frees `value`. */
static void check_json(struct perun_json *value, const char *expected)
{
	struct perun_buffer text = {0};

	perun_json_print(value, &text, PERUN_JSON_PYTHON, 0);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_json_free(value);
}

TEST(test_items)
{
	struct perun_profile *profile = profile_of_all();
	const struct perun_table *table = perun_resources(profile);
	struct perun_buffer text = {0};

	perun_all_items_of(table, 0, print_item, &text);
	CHECK_STR(text.data, "snapshot=1 amount=8 uid:source=\"m.c\" uid:function=\"main\" "
			     "uid:line=3 uid=\"m.c:main:3\" trace=\"m.c:main:3,a;b\" "
			     "subtype=\"malloc\" ");
	perun_buffer_free(&text);
	check_json(perun_all_numerical_resource_fields_of(profile),
		   "[\"amount\", \"snapshot\", \"uid:line\"]");
	check_json(perun_all_key_values_of(table, 0, "uid:function"), "[\"main\"]");
	check_json(perun_all_key_values_of(table, 0, "trace::func"), "[\"a;b\"]");
	check_json(perun_all_key_values_of(table, 1, "uid"), "[\"x\"]");
	check_json(perun_all_key_values_of(table, 1, "uid:function"), "[]");
	check_json(perun_all_key_values_of(table, 1, "nothing"), "[]");
	check_json(perun_unique_resource_values_of(profile, "uid:function"), "[\"main\"]");
	check_json(perun_unique_resource_values_of(profile, "subtype"), "[\"malloc\", \"free\"]");
	check_json(perun_unique_resource_values_of(profile, "amount"), "[8, 16, 0, 2]");
	check_json(perun_unique_resource_values_of(profile, "trace::line"), "[3]");
	check_json(perun_unique_model_values_of(profile, "uid"), "[\"f\", \"g\", \"h\"]");
	check_json(perun_unique_model_values_of(profile, "coeffs:b0"), "[1, 2]");
	perun_profile_unref(profile);
}

TEST(test_columns)
{
	struct perun_profile *profile = profile_of_all(), *flat;
	const struct perun_table *table;
	struct perun_buffer names = {0}, cells = {0};

	REQUIRE(perun_resources_as_columns(ctx, profile, &flat) == PERUN_OK);
	table = perun_resources(flat);
	for (size_t c = 0; c < perun_table_columns(table); c++) {
		const struct perun_column *each = perun_table_column_at(table, c);

		perun_buffer_printf(&names, "%s ", perun_column_info(each)->name);
		perun_column_print(each, 0, &cells);
		perun_buffer_add_char(&cells, ' ');
	}
	CHECK_STR(names.data, "snapshot amount subtype uid:source uid:function uid:line uid "
			      "trace snapshots ");
	CHECK_STR(cells.data, "1 8 malloc m.c main 3 m.c:main:3 m.c:main:3,a;b 1 ");
	CHECK_INT(perun_column_info(perun_table_column(table, "uid:line"))->type, PERUN_TYPE_INT64);
	CHECK(perun_column_absent(perun_table_column(table, "uid:line"), 1));
	CHECK_INT(perun_table_rows(table), RESOURCES);
	perun_buffer_free(&names);
	perun_buffer_free(&cells);
	perun_profile_unref(flat);
	perun_profile_unref(profile);
}

/* ---- models ----------------------------------------------------------------------------------- */

static void check_rows(size_t *rows, size_t count, const char *expected)
{
	struct perun_buffer text = {0};

	perun_buffer_add_char(&text, ' ');
	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(&text, "%zu ", rows[i]);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_free(rows);
}

TEST(test_models)
{
	static const struct {
		const char *group, *rows;
	} groups[] = {{"all", " 0 1 2 3 4 5 "},
		      {"model", " 0 1 2 3 4 5 "},
		      {"param", " 0 1 4 5 "},
		      {"nonparam", " 2 3 "},
		      {"linear", " 0 "}};
	static const char *const filtered[] = {[PERUN_MODELS_BEST_MODEL] = " 3 2 ",
					       [PERUN_MODELS_BEST_PARAM] = " 1 ",
					       [PERUN_MODELS_BEST_NONPARAM] = " 2 3 ",
					       [PERUN_MODELS_BEST_BOTH] = " 1 2 3 ",
					       [PERUN_MODELS_ALL_MODELS] = " 0 1 4 5 2 3 ",
					       [PERUN_MODELS_ALL_PARAM] = " 0 1 4 5 ",
					       [PERUN_MODELS_ALL_NONPARAM] = " 2 3 ",
					       [PERUN_MODELS_ALL_BOTH] = " 0 1 4 5 2 3 "};
	struct perun_profile *profile = profile_of_all();
	size_t *rows, count;

	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		perun_all_models(profile, groups[i].group, &rows, &count);
		check_rows(rows, count, groups[i].rows);
	}
	for (int type = PERUN_MODELS_BEST_MODEL; type <= PERUN_MODELS_ALL_BOTH; type++) {
		perun_all_filtered_models(profile, (enum perun_models_type)type, &rows, &count);
		check_rows(rows, count, filtered[type]);
	}
	perun_profile_unref(profile);
}

TEST(test_curves)
{
	struct perun_profile *profile = profile_of_all();
	struct perun_model model;
	double *x, *y;

	perun_model_read(profile, 0, &model);
	CHECK_STR(model.uid, "f");
	CHECK_STR(model.kind, "linear");
	REQUIRE(perun_plot_data_from_coefficients_of(ctx, &model, 0, &x, &y) == PERUN_OK);
	CHECK(x[0] == 0 && y[0] == 1 && x[999] == 10 && y[999] == 21);
	CHECK_DOUBLE(x[1], 10.0 / 999, 1e-15);
	perun_free(x);
	perun_free(y);
	perun_model_clear(&model);
	perun_model_read(profile, 1, &model);
	CHECK(perun_model_value(&model, 2) == 13);
	perun_model_clear(&model);
	perun_model_read(profile, 4, &model);
	CHECK(perun_model_value(&model, 2) == 16);
	perun_model_clear(&model);
	perun_model_read(profile, 5, &model);
	CHECK_INT(perun_plot_data_from_coefficients_of(ctx, &model, 0, &x, &y), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "b0 to b1 are needed");
	perun_ctx_clear(ctx);
	perun_model_clear(&model);
	perun_model_read(profile, 99, &model);
	CHECK_INT(perun_plot_data_from_coefficients_of(ctx, &model, 0, &x, &y), PERUN_INPUT);
	perun_ctx_clear(ctx);
	perun_model_clear(&model);
	perun_profile_unref(profile);
}

/* Coefficients in a table of their own, and kinds of curves. */
TEST(test_terms)
{
	static const char *const kinds[] = {"logarithmic", "exponential", "constant"};
	static const double expected[] = {3, 18, 2};
	struct perun_builder *builder = perun_builder_new();
	struct perun_table_builder *table = perun_builder_table(builder, "models");
	struct perun_table_builder *terms = perun_builder_table(builder, "model_terms");
	struct perun_column_builder *kind = column(table, "model", PERUN_TYPE_STRING);
	struct perun_column_info info = {
		.name = "model", .type = PERUN_TYPE_ROW, .refers = "models"};
	struct perun_column_builder *owner = perun_table_add_column(terms, &info);
	struct perun_column_builder *name = column(terms, "name", PERUN_TYPE_STRING);
	struct perun_column_builder *value = column(terms, "value", PERUN_TYPE_DOUBLE);
	struct perun_profile *profile;
	struct perun_model model;

	for (unsigned i = 0; i < 6; i++) {
		if (i < 3) {
			set(builder, kind, PERUN_TYPE_STRING, kinds[i]);
			perun_table_end_row(table);
		}
		perun_column_set_id(owner, PERUN_TYPE_ROW, i / 2);
		set(builder, name, PERUN_TYPE_STRING, i % 2 ? "b1" : "b0");
		perun_column_set_double(value, i % 2 ? (i == 1 ? 1 / log(2) : 3) : 2);
		perun_table_end_row(terms);
	}
	REQUIRE(perun_builder_finish(ctx, builder, &profile) == PERUN_OK);
	for (size_t i = 0; i < 3; i++) {
		perun_model_read(profile, i, &model);
		CHECK_INT(model.coefficient_count, 2);
		CHECK_DOUBLE(perun_model_value(&model, 2), expected[i], 1e-12);
		perun_model_clear(&model);
	}
	perun_profile_unref(profile);
}

TEST(test_empty)
{
	struct perun_profile *profile, *flat;
	struct perun_buffer text = {0};
	size_t *rows, count;

	REQUIRE(perun_builder_finish(ctx, perun_builder_new(), &profile) == PERUN_OK);
	CHECK_INT(perun_all_resources(profile, print_resource, &text), 0);
	CHECK_INT(perun_all_snapshots(profile, print_snapshot, &text), 0);
	CHECK_INT(text.length, 0);
	perun_all_models(profile, "all", &rows, &count);
	check_rows(rows, count, " ");
	check_json(perun_all_numerical_resource_fields_of(profile), "[]");
	check_json(perun_unique_model_values_of(profile, "uid"), "[]");
	REQUIRE(perun_resources_as_columns(ctx, profile, &flat) == PERUN_OK);
	CHECK_INT(perun_table_rows(perun_resources(flat)), 0);
	perun_profile_unref(flat);
	CHECK_INT(perun_to_flame_graph_format(ctx, profile, NULL, &text), PERUN_OK);
	CHECK_INT(text.length, 0);
	perun_buffer_free(&text);
	perun_profile_unref(profile);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
