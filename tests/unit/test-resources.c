/* SPDX-License-Identifier: BSD-3-Clause */
/* The queries of Perun's profile format: resources, models, items, curves, flame graphs. */
#include "tests/unit/check.h"

#include "perun/query.h"

/* ---- small profiles --------------------------------------------------------------------------- */

struct maker {
	struct perun_builder *builder;
	struct perun_table_builder *table;
};

static struct perun_column_builder *column(struct maker *maker, const char *name)
{
	struct perun_column_info info = {.name = name, .type = PERUN_TYPE_INT64, .growing = true};

	if (strcmp(name, "amount") == 0)
		info.role = PERUN_ROLE_METRIC;
	return perun_table_add_column(maker->table, &info);
}

static void text(struct maker *maker, const char *name, enum perun_type type, const char *value)
{
	perun_column_set_id(column(maker, name), type, perun_builder_text(maker->builder, value));
}

static void number(struct maker *maker, const char *name, int64_t value)
{
	perun_column_set_int64(column(maker, name), value);
}

static void real(struct maker *maker, const char *name, double value)
{
	perun_column_set_double(column(maker, name), value);
}

static struct maker start(void)
{
	struct maker maker = {.builder = perun_builder_new()};

	maker.table = perun_builder_table(maker.builder, "resources");
	return maker;
}

static struct perun_profile *finish(struct maker *maker)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_profile *profile = NULL;

	if (perun_builder_finish(ctx, maker->builder, &profile))
		CHECK_FAIL("finish: %s", perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	return profile;
}

#define MAIN_UID "{\"source\": \"m.c\", \"function\": \"main\", \"line\": 3}"
#define TRACE                                                           \
	"[{\"function\": \"malloc\", \"source\": \"x\", \"line\": 0}, " \
	"{\"function\": \"main\", \"source\": \"m.c\", \"line\": 3}]"

/* Two snapshots, the later one first; a uid that is an object, one that is a text. */
static struct perun_profile *memory(void)
{
	struct maker maker = start();

	number(&maker, "snapshot", 1);
	number(&maker, "amount", 40);
	text(&maker, "uid", PERUN_TYPE_JSON, MAIN_UID);
	text(&maker, "subtype", PERUN_TYPE_STRING, "malloc");
	text(&maker, "trace", PERUN_TYPE_JSON, TRACE);
	perun_table_end_row(maker.table);
	number(&maker, "snapshot", 0);
	real(&maker, "amount", 0.5);
	text(&maker, "uid", PERUN_TYPE_STRING, "work;er");
	text(&maker, "subtype", PERUN_TYPE_STRING, "free");
	perun_table_end_row(maker.table);
	number(&maker, "snapshot", 1);
	number(&maker, "amount", 2);
	text(&maker, "uid", PERUN_TYPE_STRING, "work;er");
	text(&maker, "trace", PERUN_TYPE_JSON, "[{\"func\": \"a\\nb\"}]");
	perun_table_end_row(maker.table);
	return finish(&maker);
}

/* ---- resources -------------------------------------------------------------------------------- */

struct seen {
	char text[512];
	int stop_after;
};

static int see(struct seen *seen, const char *text)
{
	size_t length = strlen(seen->text);

	snprintf(seen->text + length, sizeof seen->text - length, "%s ", text);
	return seen->stop_after && --seen->stop_after == 0 ? 42 : 0;
}

static int see_resource(void *data, int64_t snapshot, size_t row)
{
	char text[64];

	snprintf(text, sizeof text, "%d:%zu", (int)snapshot, row);
	return see(data, text);
}

static int see_snapshot(void *data, int64_t snapshot, const uint32_t *rows, size_t count)
{
	char text[64];

	snprintf(text, sizeof text, "%d:%u+%zu", (int)snapshot, rows[0], count - 1);
	return see(data, text);
}

TEST(test_resources)
{
	struct perun_profile *profile = memory();
	struct seen seen = {0}, stopped = {.stop_after = 2}, snapshots = {0};

	REQUIRE(profile);
	CHECK_INT(perun_all_resources(profile, see_resource, &seen), 0);
	CHECK_STR(seen.text, "1:0 0:1 1:2 ");
	CHECK_INT(perun_all_resources(profile, see_resource, &stopped), 42);
	CHECK_STR(stopped.text, "1:0 0:1 ");
	CHECK_INT(perun_all_snapshots(profile, see_snapshot, &snapshots), 0);
	CHECK_STR(snapshots.text, "0:1+0 1:0+1 ");
	perun_profile_unref(profile);
}

TEST(test_no_resources)
{
	struct maker maker = start();
	struct perun_profile *profile = finish(&maker), *columns = NULL;
	struct perun_buffer out = {0};
	struct seen seen = {0};

	REQUIRE(profile);
	CHECK_INT(perun_all_resources(profile, see_resource, &seen), 0);
	CHECK_INT(perun_all_snapshots(profile, see_snapshot, &seen), 0);
	CHECK_STR(seen.text, "");
	CHECK_INT(perun_to_flame_graph_format(NULL, profile, NULL, &out), 0);
	CHECK_INT(out.length, 0);
	CHECK_INT(perun_resources_as_columns(NULL, profile, &columns), 0);
	perun_profile_unref(columns);
	perun_profile_unref(profile);
}

/* ---- items and values ------------------------------------------------------------------------- */

static int see_item(void *data, const char *path, const struct perun_json *value)
{
	struct perun_buffer text = {0};
	int result;

	perun_buffer_printf(&text, "%s=", path);
	perun_json_print(value, &text, PERUN_JSON_COMPACT, 0);
	result = see(data, text.data);
	perun_buffer_free(&text);
	return result;
}

TEST(test_items)
{
	struct perun_profile *profile = memory();
	struct seen seen = {0};

	REQUIRE(profile);
	CHECK_INT(perun_all_items_of(perun_resources(profile), 0, see_item, &seen), 0);
	CHECK_STR(seen.text, "snapshot=1 amount=40 uid:source=\"m.c\" uid:function=\"main\" "
			     "uid:line=3 uid=\"m.c:main:3\" subtype=\"malloc\" "
			     "trace=\"malloc:x:0,main:m.c:3\" ");
	memset(&seen, 0, sizeof seen);
	CHECK_INT(perun_all_items_of(perun_resources(profile), 1, see_item, &seen), 0);
	CHECK_STR(seen.text, "snapshot=0 amount=0.5 uid=\"work;er\" subtype=\"free\" ");
	perun_profile_unref(profile);
}

static const char *taken(struct perun_json *json)
{
	static char kept[4][512];
	static unsigned turn;
	struct perun_buffer text = {0};
	char *out = kept[turn++ % 4];

	perun_json_print(json, &text, PERUN_JSON_COMPACT, 0);
	snprintf(out, sizeof kept[0], "%s", text.data);
	perun_buffer_free(&text);
	perun_json_free(json);
	return out;
}

TEST(test_values)
{
	struct perun_profile *profile = memory();
	const struct perun_table *table;

	REQUIRE(profile);
	table = perun_resources(profile);
	CHECK_STR(taken(perun_all_numerical_resource_fields_of(profile)),
		  "[\"amount\",\"snapshot\",\"uid:line\"]");
	CHECK_STR(taken(perun_all_key_values_of(table, 0, "uid:function")), "[\"main\"]");
	CHECK_STR(taken(perun_all_key_values_of(table, 0, "trace::function")),
		  "[\"malloc\",\"main\"]");
	CHECK_STR(taken(perun_all_key_values_of(table, 1, "uid:function")), "[]");
	CHECK_STR(taken(perun_all_key_values_of(table, 1, "uid")), "[\"work;er\"]");
	CHECK_STR(taken(perun_all_key_values_of(table, 0, "nothing:here")), "[]");
	CHECK_STR(taken(perun_all_key_values_of(table, 99, "uid")), "[]");
	CHECK_STR(taken(perun_unique_resource_values_of(profile, "trace::line")), "[0,3]");
	CHECK_STR(taken(perun_unique_resource_values_of(profile, "snapshot")), "[1,0]");
	CHECK_STR(taken(perun_unique_resource_values_of(profile, "subtype")),
		  "[\"malloc\",\"free\"]");
	CHECK_STR(taken(perun_unique_resource_values_of(profile, "")), "[]");
	perun_profile_unref(profile);
}

/* ---- conversions ------------------------------------------------------------------------------ */

TEST(test_flame_graph)
{
	struct perun_profile *profile = memory();
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_buffer out = {0};

	REQUIRE(profile);
	CHECK_INT(perun_to_flame_graph_format(ctx, profile, NULL, &out), 0);
	CHECK_STR(out.data, "main()~m.c~3;main()~m.c~3;malloc()~x~0 40\n"
			    "work:er;a b 2\n");
	perun_buffer_clear(&out);
	CHECK_INT(perun_to_flame_graph_format(ctx, profile, "snapshot", &out), 0);
	CHECK_CONTAINS(out.data, "work:er;a b 1\n");
	CHECK_INT(perun_to_flame_graph_format(ctx, profile, "weight", &out), PERUN_USAGE);
	CHECK_CONTAINS(perun_ctx_error(ctx), "weight");
	perun_buffer_free(&out);
	perun_ctx_free(ctx);
	perun_profile_unref(profile);
}

TEST(test_flame_graph_of_stacks)
{
	struct maker maker = start();
	struct perun_column_info info = {.name = "stack", .type = PERUN_TYPE_STACK};
	const char *names[] = {"leaf", "main"};
	struct perun_buffer out = {0};
	struct perun_profile *profile;

	perun_column_set_id(perun_table_add_column(maker.table, &info), PERUN_TYPE_STACK,
			    perun_builder_stack_of_names(maker.builder, names, 2));
	info = (struct perun_column_info){
		.name = "samples", .type = PERUN_TYPE_INT64, .role = PERUN_ROLE_METRIC};
	perun_column_set_int64(perun_table_add_column(maker.table, &info), 7);
	perun_table_end_row(maker.table);
	profile = finish(&maker);
	REQUIRE(profile);
	CHECK_INT(perun_to_flame_graph_format(NULL, profile, NULL, &out), 0);
	CHECK_STR(out.data, "main;leaf 7\n");
	perun_buffer_free(&out);
	perun_profile_unref(profile);
}

static const char *cell(const struct perun_profile *profile, const char *name, size_t row)
{
	static struct perun_buffer text;
	const struct perun_column *column = perun_table_column(perun_resources(profile), name);

	perun_buffer_clear(&text);
	perun_buffer_add_text(&text, "");
	if (!column)
		return "(no column)";
	perun_column_print_json(column, row, &text);
	return text.data;
}

TEST(test_columns)
{
	struct perun_profile *profile = memory(), *columns = NULL;

	REQUIRE(profile);
	CHECK_INT(perun_resources_as_columns(NULL, profile, &columns), 0);
	perun_profile_unref(profile);
	REQUIRE(columns);
	CHECK_INT(perun_table_rows(perun_resources(columns)), 3);
	CHECK_STR(cell(columns, "uid", 0), "\"m.c:main:3\"");
	CHECK_STR(cell(columns, "uid", 2), "\"work;er\"");
	CHECK_STR(cell(columns, "uid:line", 0), "3");
	CHECK_STR(cell(columns, "uid:line", 1), "null");
	CHECK_STR(cell(columns, "uid:function", 0), "\"main\"");
	CHECK_STR(cell(columns, "trace", 0), "\"malloc:x:0,main:m.c:3\"");
	CHECK_STR(cell(columns, "trace", 1), "null");
	CHECK_STR(cell(columns, "snapshots", 0), "1");
	CHECK_STR(cell(columns, "snapshots", 1), "0");
	CHECK_STR(cell(columns, "amount", 1), "0.5");
	CHECK_STR(cell(columns, "amount", 0), "40");
	perun_profile_unref(columns);
}

/* ---- objects made to do harm ------------------------------------------------------------------ */

static struct perun_profile *with_uid(struct perun_buffer *uid)
{
	struct maker maker = start();

	text(&maker, "uid", PERUN_TYPE_JSON, uid->data);
	number(&maker, "amount", 1);
	perun_table_end_row(maker.table);
	perun_buffer_free(uid);
	return finish(&maker);
}

/* Each level would double the text. */
TEST(test_deep)
{
	struct perun_profile *profile, *columns = NULL;
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_buffer uid = {0}, out = {0};

	for (int i = 0; i < 300; i++)
		perun_buffer_add_text(&uid, "{\"a\": ");
	perun_buffer_add_text(&uid, "1");
	for (int i = 0; i < 300; i++)
		perun_buffer_add_char(&uid, '}');
	profile = with_uid(&uid);
	REQUIRE(profile);
	CHECK_INT(perun_to_flame_graph_format(ctx, profile, NULL, &out), 0);
	perun_json_free(perun_all_numerical_resource_fields_of(profile));
	perun_json_free(perun_unique_resource_values_of(profile, "uid:a:a:a"));
	perun_resources_as_columns(ctx, profile, &columns);
	perun_profile_unref(columns);
	perun_buffer_free(&out);
	perun_ctx_free(ctx);
	perun_profile_unref(profile);
}

TEST(test_wide)
{
	struct perun_profile *profile, *columns = NULL;
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_buffer uid = {0};

	for (int i = 0; i < 5000; i++)
		perun_buffer_printf(&uid, "%s\"k%d\": %d", i ? ", " : "{", i, i);
	perun_buffer_add_char(&uid, '}');
	profile = with_uid(&uid);
	REQUIRE(profile);
	CHECK_INT(perun_resources_as_columns(ctx, profile, &columns), PERUN_INPUT);
	CHECK(columns == NULL);
	CHECK_CONTAINS(perun_ctx_error(ctx), "\"uid\" have more than 4096 different keys");
	perun_ctx_free(ctx);
	perun_profile_unref(profile);
}

/* A key of an object that meets a column of the same name. */
TEST(test_clash)
{
	struct maker maker = start();
	struct perun_profile *profile, *columns = NULL;
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	text(&maker, "uid", PERUN_TYPE_JSON, MAIN_UID);
	text(&maker, "uid:line", PERUN_TYPE_STRING, "own");
	perun_table_end_row(maker.table);
	profile = finish(&maker);
	REQUIRE(profile);
	CHECK_STR(taken(perun_unique_resource_values_of(profile, "uid:line")), "[\"own\"]");
	CHECK_INT(perun_resources_as_columns(ctx, profile, &columns), 0);
	REQUIRE(columns);
	CHECK_STR(cell(columns, "uid:line", 0), "\"own\"");
	CHECK_STR(cell(columns, "uid:source", 0), "\"m.c\"");
	perun_profile_unref(columns);
	perun_ctx_free(ctx);
	perun_profile_unref(profile);
}

/* ---- models ----------------------------------------------------------------------------------- */

static void model(struct maker *maker, const char *uid, const char *kind, double r_square,
		  const char *coefficients)
{
	text(maker, "uid", *uid == '{' ? PERUN_TYPE_JSON : PERUN_TYPE_STRING, uid);
	text(maker, "model", PERUN_TYPE_STRING, kind);
	text(maker, "method", PERUN_TYPE_STRING, "full");
	real(maker, "r_square", r_square);
	number(maker, "x_start", 1);
	number(maker, "x_end", 5);
	if (coefficients)
		text(maker, "coeffs", PERUN_TYPE_JSON, coefficients);
	perun_table_end_row(maker->table);
}

static struct perun_profile *models(void)
{
	struct maker maker = start();

	maker.table = perun_builder_table(maker.builder, "models");
	model(&maker, "f", "linear", 0.5,
	      "[{\"name\": \"b1\", \"value\": 2}, {\"name\": \"b0\", \"value\": 1.5}]");
	model(&maker, MAIN_UID, "power", 0.9, "[{\"name\": \"b0\", \"value\": 3}]");
	model(&maker, "f", "regressogram", 0.7, NULL);
	model(&maker, "f", "quadratic", 0.8, NULL);
	model(&maker, "g", "constant", 0, "[{\"name\": \"b0\", \"value\": 4}]");
	model(&maker, "f", "constant", 0.8, "[{\"name\": \"b0\", \"value\": 4}]");
	return finish(&maker);
}

static const char *list(size_t *rows, size_t count)
{
	static char text[128];
	struct perun_buffer list = {0};

	for (size_t i = 0; i < count; i++)
		perun_buffer_printf(&list, "%zu ", rows[i]);
	snprintf(text, sizeof text, "%s", list.length ? list.data : "");
	perun_buffer_free(&list);
	perun_free(rows);
	return text;
}

static const char *group(const struct perun_profile *profile, const char *name)
{
	size_t *rows, count;

	perun_all_models(profile, name, &rows, &count);
	return list(rows, count);
}

static const char *filtered(const struct perun_profile *profile, enum perun_models_type type)
{
	size_t *rows, count;

	perun_all_filtered_models(profile, type, &rows, &count);
	return list(rows, count);
}

TEST(test_models)
{
	struct perun_profile *profile = models();

	REQUIRE(profile);
	CHECK_STR(group(profile, "all"), "0 1 2 3 4 5 ");
	CHECK_STR(group(profile, "param"), "0 1 3 4 5 ");
	CHECK_STR(group(profile, "nonparam"), "2 ");
	CHECK_STR(group(profile, "constant"), "4 5 ");
	CHECK_STR(group(profile, "cubic"), "");
	CHECK_STR(filtered(profile, PERUN_MODELS_BEST_MODEL), "3 1 ");
	CHECK_STR(filtered(profile, PERUN_MODELS_BEST_NONPARAM), "2 ");
	CHECK_STR(filtered(profile, PERUN_MODELS_BEST_BOTH), "3 1 2 ");
	CHECK_STR(filtered(profile, PERUN_MODELS_ALL_NONPARAM), "2 ");
	CHECK_STR(filtered(profile, PERUN_MODELS_ALL_MODELS), "0 1 3 4 5 2 ");
	CHECK_STR(taken(perun_unique_model_values_of(profile, "model")),
		  "[\"linear\",\"power\",\"regressogram\",\"quadratic\",\"constant\"]");
	CHECK_STR(taken(perun_unique_model_values_of(profile, "uid:line")), "[3]");
	CHECK_STR(taken(perun_unique_model_values_of(profile, "coeffs::name")), "[\"b1\",\"b0\"]");
	CHECK_STR(taken(perun_unique_model_values_of(profile, "coeffs:b0")), "[1.5,3,4]");
	perun_profile_unref(profile);
}

TEST(test_model)
{
	struct perun_profile *profile = models();
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_model model;
	double *x, *y;

	REQUIRE(profile);
	perun_model_read(profile, 0, &model);
	CHECK_STR(model.uid, "f");
	CHECK_STR(model.kind, "linear");
	CHECK_STR(model.method, "full");
	CHECK_INT(model.coefficient_count, 2);
	CHECK_INT(perun_plot_data_from_coefficients_of(ctx, &model, 3, &x, &y), 0);
	CHECK_DOUBLE(x[1], 3, 0);
	CHECK_DOUBLE(x[2], 5, 0);
	CHECK_DOUBLE(y[0], 3.5, 0);
	CHECK_DOUBLE(y[2], 11.5, 0);
	perun_free(x);
	perun_free(y);
	perun_model_clear(&model);
	perun_model_read(profile, 1, &model);
	CHECK_STR(model.uid, "m.c:main:3");
	CHECK_INT(perun_plot_data_from_coefficients_of(ctx, &model, 3, &x, &y), PERUN_INPUT);
	CHECK(x == NULL);
	CHECK_DOUBLE(perun_model_value(&model, 3), NAN, 0);
	perun_model_clear(&model);
	perun_model_read(profile, 99, &model);
	CHECK_STR(model.kind, "");
	perun_model_clear(&model);
	perun_ctx_free(ctx);
	perun_profile_unref(profile);
}

TEST(test_curves)
{
	double coefficients[] = {2, 3, 0.5};
	struct perun_model model = {.coefficients = coefficients, .coefficient_count = 3};
	static const struct {
		char *kind;
		double at_4;
	} cases[] = {{"constant", 2}, {"linear", 14},       {"quadratic", 22},
		     {"power", 128},  {"exponential", 162}, {"cubic", NAN}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		model.kind = cases[i].kind;
		CHECK_DOUBLE(perun_model_value(&model, 4), cases[i].at_4, 1e-12);
	}
	model.kind = "logarithmic";
	CHECK_DOUBLE(perun_model_value(&model, 4), 2 + 3 * log(4), 1e-12);
	CHECK(perun_model_is_param("power") && !perun_model_is_param("regressogram"));
	CHECK(perun_model_is_nonparam("kernel-regression"));
	CHECK(!perun_model_is_nonparam("kernel"));
}

/* Coefficients that are in a table of their own. */
TEST(test_terms)
{
	struct maker maker = start();
	struct perun_column_info owner = {
		.name = "model", .type = PERUN_TYPE_ROW, .refers = "models"};
	struct perun_profile *profile;
	struct perun_model read;

	maker.table = perun_builder_table(maker.builder, "models");
	model(&maker, "f", "constant", 1, NULL);
	model(&maker, "f", "linear", 1, NULL);
	maker.table = perun_builder_table(maker.builder, "model_terms");
	for (int i = 0; i < 3; i++) {
		perun_column_set_id(perun_table_add_column(maker.table, &owner), PERUN_TYPE_ROW,
				    i > 0);
		text(&maker, "name", PERUN_TYPE_STRING, i < 2 ? "b0" : "b1");
		real(&maker, "value", i + 0.5);
		perun_table_end_row(maker.table);
	}
	profile = finish(&maker);
	REQUIRE(profile);
	perun_model_read(profile, 1, &read);
	CHECK_INT(read.coefficient_count, 2);
	CHECK_DOUBLE(perun_model_value(&read, 2), 6.5, 0);
	perun_model_clear(&read);
	perun_profile_unref(profile);
}

CHECK_MAIN(, )
