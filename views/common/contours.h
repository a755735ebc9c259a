/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of equal value in a map of colours. */
#ifndef PERUN_VIEWS_COMMON_CONTOURS_H
#define PERUN_VIEWS_COMMON_CONTOURS_H

#include "views/common/chart.h"

/* The line of one value: `count` straight pieces, each x, y, x, y in values of the axes, with no order. */
struct views_contour {
	double value;
	size_t count, room;
	double *pieces;
	double x, y; /* where its label has room: the middle of a piece */
};

/* One for each of about `wanted` round values that the map has; the caller clears the result. */
struct views_contours {
	size_t count;
	struct views_contour *contours;
};
void views_contours_find(const struct views_chart *chart, size_t wanted,
			 struct views_contours *contours);
void views_contours_clear(struct views_contours *contours);

#endif
