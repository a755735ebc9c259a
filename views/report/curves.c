/* SPDX-License-Identifier: BSD-3-Clause */
/* Models of both profiles: which belong together, and how far they are apart. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "views/report/page.h"

static struct report_curve *find_curve(struct report_curve *curves, size_t count, const char *uid)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(curves[i].uid, uid) == 0)
			return &curves[i];
	}
	return NULL;
}

/* How much more it costs at the end of what was measured. */
static double change_of(const struct report_curve *curve)
{
	double values[2], end;

	if (!curve->has[0] || !curve->has[1])
		return INFINITY;
	end = fmin(curve->models[0].x_end, curve->models[1].x_end);
	for (int i = 0; i < 2; i++)
		values[i] = perun_model_value(&curve->models[i], end);
	return (values[1] - values[0]) / fabs(values[0]);
}

static int compare_curves(const void *a, const void *b)
{
	const struct report_curve *x = a, *y = b;
	const double left = isnan(x->change) ? -1 : fabs(x->change);
	const double right = isnan(y->change) ? -1 : fabs(y->change);

	if (left != right)
		return left < right ? 1 : -1;
	return strcmp(x->uid, y->uid);
}

/* The models of one kind; of a uid that has one on this side the first stays. */
static void add_side(struct perun_profile *profile, enum perun_models_type type, unsigned side,
		     struct report_curve **curves, size_t *count, size_t *capacity)
{
	size_t *rows, found;

	perun_all_filtered_models(profile, type, &rows, &found);
	for (size_t i = 0; i < found; i++) {
		struct perun_model model;
		struct report_curve *curve;

		perun_model_read(profile, rows[i], &model);
		curve = find_curve(*curves, *count, model.uid);
		/* The search is quadratic: of very many uids the first do. */
		if (!curve && *count < 4000) {
			PERUN_GROW(*curves, *count, *capacity);
			curve = &(*curves)[(*count)++];
			*curve = (struct report_curve){.uid = perun_strdup(model.uid)};
		}
		if (!curve || curve->has[side]) {
			perun_model_clear(&model);
			continue;
		}
		curve->models[side] = model;
		curve->has[side] = true;
	}
	perun_free(rows);
}

struct report_curve *report_find_curves(struct perun_profile *const *profiles, size_t *count)
{
	struct report_curve *curves = NULL;
	size_t capacity = 0;

	*count = 0;
	for (unsigned side = 0; side < 2; side++) {
		/* Formulas say more than curves, which fit better the closer they follow the points. */
		add_side(profiles[side], PERUN_MODELS_BEST_PARAM, side, &curves, count, &capacity);
		add_side(profiles[side], PERUN_MODELS_BEST_MODEL, side, &curves, count, &capacity);
	}
	for (size_t i = 0; i < *count; i++)
		curves[i].change = change_of(&curves[i]);
	if (*count)
		qsort(curves, *count, sizeof *curves, compare_curves);
	return curves;
}

void report_free_curves(struct report_curve *curves, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		perun_free(curves[i].uid);
		for (int side = 0; side < 2; side++) {
			if (curves[i].has[side])
				perun_model_clear(&curves[i].models[side]);
		}
	}
	perun_free(curves);
}
