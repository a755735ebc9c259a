/* SPDX-License-Identifier: BSD-3-Clause */
/* How forms are fitted, and what they say of other points. */
#ifndef PERUN_CORE_MODEL_FORM_FITTING_H
#define PERUN_CORE_MODEL_FORM_FITTING_H

#include "core/model/model.h"

/* Columns of a form beside the constant. */
enum { PERUN_FORM_TERMS = 7 };

/* A form: its share among all, and Student's distribution at each place. */
struct perun_form {
	double share, freedom;
	double variance; /* of a leverage of 1 */
	size_t columns, first /* of its numbers */;
	double rss, logarithm; /* while shares are not settled */
};

/* `numbers`: for each form and place the value, and a vector whose square is the leverage. */
struct perun_forms {
	size_t places, count, room;
	struct perun_form *forms;
	double *numbers;
	size_t number_count, number_room;
};

enum { PERUN_FORM_PARAMETERS = 4 };

struct perun_form_fitting {
	const struct perun_observations *points; /* those that count */
	const double *at;                        /* the places */
	double *weights;                         /* 1 / deviation, up to a factor */
	double noise,
		freedom; /* weighted variance of the values by their repetitions; 0 = unknown */
	double rounding; /* what of the squares is rounding */
	double *matrix;  /* room for a fit */
	double *asked;   /* the columns at the places, one after another */
	struct perun_forms *forms;
};

/*
 * Least squares of what is in the first columns of the matrix, weighted, which are divided by `scales` first. False,
 * when a column says nothing.
 */
bool perun_form_triangularize(struct perun_form_fitting *fitting, size_t columns, double *scales);
/* The coefficients of columns that were triangularized. */
void perun_form_solve(const double *work, size_t rows, size_t columns, double *solution);
/*
 * Fit what is in the first columns of the matrix, the constant's first, then `terms`, and ask at the places. A form
 * that the points do not determine says nothing (false), nor does one whose terms cancel each other.
 */
bool perun_form_add_columns(struct perun_form_fitting *fitting, size_t columns, size_t terms,
			    double prior);

#endif
