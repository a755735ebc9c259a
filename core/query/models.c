/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading models and choosing among them. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/profile/pool.h"
#include "core/query/paths.h"

/* More coefficients than any kind of model has; names beyond are not taken for coefficients. */
#define MAX_COEFFICIENTS 64

/* ---- one model -------------------------------------------------------------------------------- */

static void set_coefficient(struct perun_model *model, const char *name, double value)
{
	unsigned index = 0;

	if (!name || *name++ != 'b' || !*name)
		return;
	for (; *name; name++) {
		if (*name < '0' || *name > '9')
			return;
		index = index * 10 + (unsigned)(*name - '0');
		if (index >= MAX_COEFFICIENTS)
			return;
	}
	if (index >= model->coefficient_count) {
		model->coefficients = perun_realloc_array(model->coefficients, index + 1,
							  sizeof *model->coefficients);
		while (model->coefficient_count <= index)
			model->coefficients[model->coefficient_count++] = NAN;
	}
	model->coefficients[index] = value;
}

static bool read_json_coefficients(struct perun_model *model, const struct perun_column *column,
				   const char *key)
{
	struct perun_json *value = column ? perun_cell_value(column, model->row) : NULL;
	const struct perun_json *list = key ? perun_json_get(value, key) : value;
	bool found = perun_json_type(list) == PERUN_JSON_TYPE_ARRAY;

	for (size_t i = 0; found && i < perun_json_count(list); i++) {
		const struct perun_json *pair = perun_json_at(list, i);
		double number = NAN;

		perun_json_as_double(perun_json_get(pair, "value"), &number);
		set_coefficient(model, perun_json_as_string(perun_json_get(pair, "name"), NULL),
				number);
	}
	perun_json_free(value);
	return found;
}

size_t perun_column_lower_bound(const struct perun_column *column, size_t rows, perun_id id)
{
	size_t low = 0;

	while (low < rows) {
		size_t middle = low + (rows - low) / 2;

		if (perun_column_id(column, middle) < id)
			low = middle + 1;
		else
			rows = middle;
	}
	return low;
}

/* Whether each term has a text for its name and a number or nothing for its value: no digits are lost there. */
static bool are_plain(const struct perun_column *name, const struct perun_column *value)
{
	enum perun_type type = perun_column_info(value)->type;

	return perun_column_info(name)->type == PERUN_TYPE_STRING &&
	       (type == PERUN_TYPE_DOUBLE || type == PERUN_TYPE_INT64);
}

/* Read what table "model_terms" has of the model; false when that is nothing, or nothing `plain` where it must. */
static bool read_terms(struct perun_model *model, const struct perun_profile *profile, bool plain)
{
	const struct perun_table *terms = perun_profile_table(profile, "model_terms");
	const struct perun_column *owner = terms ? perun_table_column(terms, "model") : NULL;
	const struct perun_column *name = terms ? perun_table_column(terms, "name") : NULL;
	const struct perun_column *value = terms ? perun_table_column(terms, "value") : NULL;
	struct perun_buffer text = {0};
	size_t rows, first, row;

	if (!owner || !name || !value || (plain && !are_plain(name, value)))
		return false;
	rows = perun_table_rows(terms);
	first = perun_column_lower_bound(owner, rows, (perun_id)model->row);
	for (row = first; row < rows && perun_column_id(owner, row) == model->row; row++) {
		perun_buffer_clear(&text);
		perun_column_flat(name, row, &text);
		set_coefficient(model, text.data, perun_column_double(value, row));
	}
	perun_buffer_free(&text);
	return row > first;
}

static char *cell_text(const struct perun_table *table, const char *name, size_t row)
{
	const struct perun_column *column = perun_table_column(table, name);
	struct perun_buffer text = {0};

	if (column)
		perun_column_flat(column, row, &text);
	return perun_buffer_take(&text);
}

static double cell_number(const struct perun_table *table, const char *name, size_t row)
{
	const struct perun_column *column = perun_table_column(table, name);

	return column ? perun_column_double(column, row) : NAN;
}

void perun_model_read(const struct perun_profile *profile, size_t row, struct perun_model *model)
{
	const struct perun_table *models = perun_profile_table(profile, "models");

	*model = (struct perun_model){.row = row, .r_square = NAN, .x_start = NAN, .x_end = NAN};
	if (!models || row >= perun_table_rows(models)) {
		model->uid = perun_strdup("");
		model->kind = perun_strdup("");
		model->method = perun_strdup("");
		return;
	}
	model->uid = cell_text(models, "uid", row);
	model->kind = cell_text(models, "model", row);
	model->method = cell_text(models, "method", row);
	model->r_square = cell_number(models, "r_square", row);
	model->x_start = cell_number(models, "x_start", row);
	model->x_end = cell_number(models, "x_end", row);
	if (!read_json_coefficients(model, perun_table_column(models, "coeffs"), NULL) &&
	    !read_terms(model, profile, true) &&
	    !read_json_coefficients(model, perun_table_column(models, "json"), "coeffs"))
		read_terms(model, profile, false);
}

void perun_model_clear(struct perun_model *model)
{
	perun_free(model->uid);
	perun_free(model->kind);
	perun_free(model->method);
	perun_free(model->coefficients);
	*model = (struct perun_model){0};
}

/* ---- kinds ------------------------------------------------------------------------------------ */

static bool is_one_of(const char *kind, const char *const *kinds)
{
	for (; *kinds; kinds++) {
		const char *a = kind, *b = *kinds;

		for (; *a && (*a == '-' ? '_' : *a) == *b; a++, b++)
			;
		if (!*a && !*b)
			return true;
	}
	return false;
}

bool perun_model_is_param(const char *kind)
{
	static const char *const kinds[] = {"constant", "linear",      "logarithmic", "quadratic",
					    "power",    "exponential", "pmnf",        NULL};

	return is_one_of(kind, kinds);
}

bool perun_model_is_nonparam(const char *kind)
{
	static const char *const kinds[] = {"regressogram", "moving_average", "kernel_regression",
					    NULL};

	return is_one_of(kind, kinds);
}

static bool in_group(const char *kind, const char *group)
{
	if (strcmp(group, "all") == 0 || strcmp(group, "model") == 0)
		return true;
	if (strcmp(group, "param") == 0)
		return perun_model_is_param(kind);
	if (strcmp(group, "nonparam") == 0)
		return perun_model_is_nonparam(kind);
	return strcmp(kind, group) == 0;
}

/* ---- lists ------------------------------------------------------------------------------------ */

struct list {
	size_t *rows, count, capacity;
};

static void add_row(struct list *list, size_t row)
{
	PERUN_GROW(list->rows, list->count, list->capacity);
	list->rows[list->count++] = row;
}

static void add_group(const struct perun_profile *profile, const char *group, struct list *list)
{
	const struct perun_table *models = perun_profile_table(profile, "models");

	for (size_t row = 0; models && row < perun_table_rows(models); row++) {
		char *kind = cell_text(models, "model", row);

		if (in_group(kind, group))
			add_row(list, row);
		perun_free(kind);
	}
}

void perun_all_models(const struct perun_profile *profile, const char *group, size_t **rows,
		      size_t *count)
{
	struct list list = {0};

	add_group(profile, group, &list);
	*rows = list.rows;
	*count = list.count;
}

/* For each flat uid the best model of a group. */
static void add_best(const struct perun_profile *profile, const char *group, struct list *list)
{
	const struct perun_table *models = perun_profile_table(profile, "models");
	struct perun_pool *uids = perun_pool_new(true);
	struct list all = {0}, best = {0};

	add_group(profile, group, &all);
	for (size_t i = 0; i < all.count; i++) {
		char *uid = cell_text(models, "uid", all.rows[i]);
		double r_square = cell_number(models, "r_square", all.rows[i]);
		perun_id id = perun_pool_add(&uids, uid, strlen(uid));

		perun_free(uid);
		if (id == PERUN_NO_ID)
			continue;
		if (id == best.count)
			add_row(&best, SIZE_MAX);
		if (r_square > 0 && (best.rows[id] == SIZE_MAX ||
				     r_square > cell_number(models, "r_square", best.rows[id])))
			best.rows[id] = all.rows[i];
	}
	for (size_t i = 0; i < best.count; i++) {
		if (best.rows[i] != SIZE_MAX)
			add_row(list, best.rows[i]);
	}
	perun_pool_unref(uids);
	perun_free(all.rows);
	perun_free(best.rows);
}

void perun_all_filtered_models(const struct perun_profile *profile, enum perun_models_type type,
			       size_t **rows, size_t *count)
{
	struct list list = {0};

	switch (type) {
	case PERUN_MODELS_BEST_MODEL:
		add_best(profile, "model", &list);
		break;
	case PERUN_MODELS_BEST_PARAM:
	case PERUN_MODELS_BEST_BOTH:
		add_best(profile, "param", &list);
		break;
	case PERUN_MODELS_ALL_MODELS:
	case PERUN_MODELS_ALL_PARAM:
	case PERUN_MODELS_ALL_BOTH:
		add_group(profile, "param", &list);
		break;
	default:
		break;
	}
	if (type == PERUN_MODELS_BEST_NONPARAM || type == PERUN_MODELS_BEST_BOTH)
		add_best(profile, "nonparam", &list);
	if (type == PERUN_MODELS_ALL_NONPARAM || type == PERUN_MODELS_ALL_BOTH ||
	    type == PERUN_MODELS_ALL_MODELS)
		add_group(profile, "nonparam", &list);
	*rows = list.rows;
	*count = list.count;
}
