/* SPDX-License-Identifier: BSD-3-Clause */
/* Least squares of a form, and what it says at other places. */
#include <math.h>

#include "core/model/form-fitting.h"

/* R'z = x for the leverage, R b = Q'v for the coefficients; false when they are not determined. */
static bool solve(const struct perun_form_fitting *fitting, size_t columns, size_t place,
		  const double *scales, double *out)
{
	const double *work = fitting->matrix;
	size_t rows = fitting->points->count, places = fitting->forms->places;
	double *z = out + 1, value = 0, leverage = 0;

	for (size_t j = 0; j < columns; j++) {
		const double *column = work + j * rows;
		double left = fitting->asked[j * places + place] / scales[j];

		if (!(fabs(column[j]) > 1e-9))
			return false;
		for (size_t k = 0; k < j; k++)
			left -= column[k] * z[k];
		z[j] = left / column[j];
		leverage += z[j] * z[j];
		value += z[j] * work[columns * rows + j];
	}
	*out = value;
	return isfinite(value) && isfinite(leverage);
}

void perun_form_solve(const double *work, size_t rows, size_t columns, double *solution)
{
	for (size_t j = columns; j-- > 0;) {
		double left = work[columns * rows + j];

		for (size_t k = j + 1; k < columns; k++)
			left -= work[k * rows + j] * solution[k];
		solution[j] = left / work[j * rows + j];
	}
}

/* Whether the terms all grow, or all fall: the first `terms` columns after the constant. */
static bool same_signs(const double *work, size_t rows, size_t columns, size_t terms)
{
	double solution[PERUN_FORM_TERMS + 1];
	bool grows = false, falls = false;

	perun_form_solve(work, rows, columns, solution);
	for (size_t j = 1; j <= terms; j++) {
		grows |= solution[j] > 0;
		falls |= solution[j] < 0;
	}
	return !(grows && falls);
}

/* Room for a form's numbers at the end; they count when the form does. */
static double *room_for(struct perun_forms *forms, size_t columns)
{
	size_t needed = forms->number_count + forms->places * (columns + 1);

	if (needed > forms->number_room) {
		forms->number_room = needed + needed / 2;
		forms->numbers = perun_realloc_array(forms->numbers, forms->number_room,
						     sizeof *forms->numbers);
	}
	return forms->numbers + forms->number_count;
}

bool perun_form_triangularize(struct perun_form_fitting *fitting, size_t columns, double *scales)
{
	const struct perun_observations *points = fitting->points;
	size_t n = points->count;
	double *work = fitting->matrix;

	for (size_t j = 0; j < columns; j++) {
		scales[j] = 0;
		for (size_t i = 0; i < n; i++)
			scales[j] = fmax(scales[j], fabs(work[j * n + i]));
		if (!(scales[j] > 0) || !isfinite(scales[j]))
			return false;
		for (size_t i = 0; i < n; i++)
			work[j * n + i] /= scales[j];
	}
	for (size_t i = 0; i < n; i++)
		work[columns * n + i] = fitting->weights[i] * points->values[i];
	perun_triangularize(work, n, columns);
	return true;
}

/* Whether this is the form that was found, which other ways lead to as well. */
static bool is_first(const struct perun_forms *forms, size_t columns, double rss, double value)
{
	const struct perun_form *first = forms->forms;

	return forms->count && first->columns == columns &&
	       fabs(rss - first->rss) <= 1e-9 * first->rss &&
	       fabs(value - *forms->numbers) <= 1e-9 * fabs(value);
}

bool perun_form_add_columns(struct perun_form_fitting *fitting, size_t columns, size_t terms,
			    double prior)
{
	const struct perun_observations *points = fitting->points;
	struct perun_forms *forms = fitting->forms;
	size_t n = points->count;
	double scales[PERUN_FORM_TERMS + 1], rss = fitting->rounding, *work = fitting->matrix, *out;

	if (!perun_form_triangularize(fitting, columns, scales))
		return false;
	out = room_for(forms, columns);
	for (size_t place = 0; place < forms->places; place++)
		if (!solve(fitting, columns, place, scales, out + place * (columns + 1)))
			return false;
	if (!same_signs(work, n, columns, terms))
		return true;
	for (size_t i = columns; i < n; i++)
		rss += work[columns * n + i] * work[columns * n + i];
	if (is_first(forms, columns, rss, *out))
		return true;
	PERUN_GROW(forms->forms, forms->count, forms->room);
	forms->forms[forms->count++] =
		(struct perun_form){.freedom = (double)(n - columns),
				    .columns = columns,
				    .first = forms->number_count,
				    .rss = rss,
				    .logarithm = log(prior) - (double)columns / 4 * log((double)n)};
	forms->number_count += forms->places * (columns + 1);
	return true;
}
