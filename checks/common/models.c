/* SPDX-License-Identifier: BSD-3-Clause */
/* The models of two profiles, as checks pair them. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "checks/common/models.h"

/* ---- loading --------------------------------------------------------------------------------- */

/* The list "bucket_stats" of a model. */
static void read_values(const struct perun_profile *profile, struct checks_model *model)
{
	const struct perun_table *table = perun_profile_table(profile, "model_values");
	const struct perun_column *owner = table ? perun_table_column(table, "model") : NULL;
	const struct perun_column *name = table ? perun_table_column(table, "name") : NULL;
	const struct perun_column *value = table ? perun_table_column(table, "value") : NULL;
	perun_id wanted = perun_profile_find_string(profile, "bucket_stats", 12);
	size_t rows = table ? perun_table_rows(table) : 0, capacity = 0;
	perun_id row = (perun_id)model->model.row;

	if (!owner || !name || !value || wanted == PERUN_NO_ID)
		return;
	for (size_t i = perun_column_lower_bound(owner, rows, row);
	     i < rows && perun_column_id(owner, i) == row; i++) {
		if (perun_column_id(name, i) != wanted)
			continue;
		PERUN_GROW(model->values, model->value_count, capacity);
		model->values[model->value_count++] = perun_column_double(value, i);
	}
}

static void load_rows(const struct perun_profile *profile, const size_t *rows, size_t count,
		      struct checks_models *models)
{
	*models = (struct checks_models){.count = count};
	models->items = perun_alloc_zero(count + 1, sizeof *models->items);
	for (size_t i = 0; i < count; i++) {
		struct checks_model *model = &models->items[i];

		model->profile = profile;
		perun_model_read(profile, rows[i], &model->model);
		model->parametric = perun_model_is_param(model->model.kind);
		if (!model->parametric)
			read_values(profile, model);
	}
}

/* The models of a profile that a models type asks for. Free with checks_models_free(). */
static void checks_models_load(const struct perun_profile *profile, enum perun_models_type type,
			       struct checks_models *models)
{
	size_t *rows, count;

	perun_all_filtered_models(profile, type, &rows, &count);
	load_rows(profile, rows, count, models);
	perun_free(rows);
}

static void checks_models_load_kind(const struct perun_profile *profile, const char *kind,
				    struct checks_models *models)
{
	size_t *rows, count;

	perun_all_models(profile, kind, &rows, &count);
	load_rows(profile, rows, count, models);
	perun_free(rows);
}

void checks_models_free(struct checks_models *models)
{
	for (size_t i = 0; i < models->count; i++) {
		perun_model_clear(&models->items[i].model);
		perun_free(models->items[i].values);
	}
	perun_free(models->items);
	*models = (struct checks_models){0};
}

/* ---- pairing --------------------------------------------------------------------------------- */

static int compare_keys(const struct checks_model *a, const struct checks_model *b,
			enum checks_pairing pairing)
{
	int order = strcmp(a->model.uid, b->model.uid);

	if (order == 0 && pairing == CHECKS_BY_CLASS)
		order = (int)a->parametric - (int)b->parametric;
	if (order == 0 && pairing == CHECKS_BY_KIND)
		order = strcmp(a->model.kind, b->model.kind);
	return order;
}

/* Equal keys stay in the order of the list, which is that of their addresses. */
static int compare_models(const void *one, const void *other, void *data)
{
	const struct checks_model *a = *(const struct checks_model *const *)one;
	const struct checks_model *b = *(const struct checks_model *const *)other;
	int order = compare_keys(a, b, *(enum checks_pairing *)data);

	return order ? order : (a > b) - (a < b);
}

static const struct checks_model **sorted(const struct checks_models *models,
					  enum checks_pairing pairing)
{
	const struct checks_model **index = perun_alloc_zero(models->count + 1, sizeof *index);

	for (size_t i = 0; i < models->count; i++)
		index[i] = &models->items[i];
	qsort_r(index, models->count, sizeof *index, compare_models, &pairing);
	return index;
}

/* Where the last model of those with the key of `model` is, or NULL. */
static const struct checks_model *const *find_last(const struct checks_model *const *index,
						   size_t count, const struct checks_model *model,
						   enum checks_pairing pairing)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_keys(index[middle], model, pairing) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low && compare_keys(index[low - 1], model, pairing) == 0 ? &index[low - 1] : NULL;
}

enum checks_pairing checks_pairing_of(enum perun_models_type type)
{
	switch (type) {
	case PERUN_MODELS_BEST_MODEL:
	case PERUN_MODELS_BEST_PARAM:
	case PERUN_MODELS_BEST_NONPARAM:
		return CHECKS_BY_UID;
	case PERUN_MODELS_BEST_BOTH:
		return CHECKS_BY_CLASS;
	default:
		return CHECKS_BY_KIND;
	}
}

void checks_models_pair(const struct checks_models *baseline, const struct checks_models *target,
			enum checks_pairing pairing, struct checks_pair **pairs, size_t *count)
{
	const struct checks_model **before = sorted(baseline, pairing);
	const struct checks_model **after = sorted(target, pairing);

	*pairs = perun_alloc_zero(baseline->count + 1, sizeof **pairs);
	*count = 0;
	for (size_t i = 0; i < baseline->count; i++) {
		const struct checks_model *model = &baseline->items[i];
		const struct checks_model *const *other =
			find_last(after, target->count, model, pairing);

		if (other && *find_last(before, baseline->count, model, pairing) == model)
			(*pairs)[(*count)++] = (struct checks_pair){model, *other};
	}
	perun_free(before);
	perun_free(after);
}

const struct checks_model **checks_models_index(const struct checks_models *models)
{
	return sorted(models, CHECKS_BY_UID);
}

const struct checks_model *checks_models_find(const struct checks_model *const *index, size_t count,
					      const char *uid)
{
	struct checks_model key = {.model.uid = (char *)uid};
	const struct checks_model *const *last = find_last(index, count, &key, CHECKS_BY_UID);
	const struct checks_model *best = NULL;

	for (; last;
	     last = last > index && strcmp(last[-1]->model.uid, uid) == 0 ? last - 1 : NULL) {
		double r_square = last[0]->model.r_square;

		if (r_square > 0 && (!best || r_square >= best->model.r_square))
			best = *last;
	}
	return best;
}

/* ---- several profiles ------------------------------------------------------------------------ */

/* Add the models of a further profile; the list of these is empty then. */
static void merge(struct checks_models *models, struct checks_models *more,
		  enum checks_pairing pairing)
{
	const struct checks_model **index = sorted(models, pairing);
	struct checks_model *added = perun_alloc_zero(more->count + 1, sizeof *added);
	size_t count = 0;

	for (size_t i = 0; i < more->count; i++) {
		const struct checks_model *const *same =
			find_last(index, models->count, &more->items[i], pairing);
		struct checks_model *own = same ? &models->items[*same - models->items] : NULL;
		struct checks_model item = more->items[i];

		if (!own) {
			added[count++] = item;
			continue;
		}
		if (item.model.r_square > own->model.r_square) {
			more->items[i] = *own;
			*own = item;
		}
		perun_model_clear(&more->items[i].model);
		perun_free(more->items[i].values);
	}
	models->items = perun_realloc_array(models->items, models->count + count + 1,
					    sizeof *models->items);
	memcpy(models->items + models->count, added, count * sizeof *added);
	models->count += count;
	perun_free(added);
	perun_free(index);
	perun_free(more->items);
	*more = (struct checks_models){0};
}

void checks_models_load_all(struct perun_profile *const *profiles, size_t count,
			    enum perun_models_type type, struct checks_models *models)
{
	checks_models_load(profiles[0], type, models);
	for (size_t i = 1; i < count; i++) {
		struct checks_models more;

		checks_models_load(profiles[i], type, &more);
		merge(models, &more, checks_pairing_of(type));
	}
}

void checks_models_load_all_of_kind(struct perun_profile *const *profiles, size_t count,
				    const char *kind, struct checks_models *models)
{
	checks_models_load_kind(profiles[0], kind, models);
	for (size_t i = 1; i < count; i++) {
		struct checks_models more;

		checks_models_load_kind(profiles[i], kind, &more);
		merge(models, &more, CHECKS_BY_KIND);
	}
}

/* ---- comparing ------------------------------------------------------------------------------- */

int checks_each_pair(struct perun_ctx *ctx, const struct perun_comparison *comparison,
		     enum perun_models_type type, checks_visit *visit, void *data,
		     struct perun_report *report)
{
	struct checks_models baseline, target;
	struct checks_pair *pairs;
	size_t count;
	int status = PERUN_OK;

	checks_models_load_all(comparison->baselines, comparison->baseline_count, type, &baseline);
	checks_models_load_all(comparison->targets, comparison->target_count, type, &target);
	checks_models_pair(&baseline, &target, checks_pairing_of(type), &pairs, &count);
	if (count == 0)
		status = perun_fail(
			ctx, PERUN_NOT_COMPARED,
			baseline.count && target.count
				? "the profiles have no function in common that has models"
				: "a profile has none of the models that are compared; a "
				  "postprocessor such as regression-analysis makes them");
	for (size_t i = 0; !status && i < count; i++)
		status = visit(data, ctx, &pairs[i], report);
	perun_free(pairs);
	checks_models_free(&baseline);
	checks_models_free(&target);
	return status;
}

double checks_confidence(const struct checks_pair *pair)
{
	double a = pair->baseline->model.r_square, b = pair->target->model.r_square;

	return a < b ? a : b;
}
