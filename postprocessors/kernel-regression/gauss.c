/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over all points with the weights of a Gaussian kernel, at each point. Few points are added up one by one. Of
 * many, those of equal x are one with a number, and the sums, which are smooth functions of the place, are made at some
 * places of each stretch as long as the bandwidth and interpolated between these: work that is linear in the number
 * of points, with a relative error below 1e-9. Where the outcome would hang on less than that (a point far from all others,
 * or whose neighbours are all at the same place), they are added up after all, of which there are few in each stretch.
 */
#include <math.h>
#include <string.h>

#include "kernel-regression.h"

/* exp(-z^2 / 2) is 0 from here on; and less than 1e-17. */
#define REACH 38.7
#define NEAR  9.0
/* Relative to what is subtracted from each other. */
#define FRAGILE 1e-6
enum { FEW = 500, NODES = 14, SUMS = 5 };

/* The points of one x. */
struct place {
	double x, count, y;
};

struct places {
	const struct kernelregression_points *points;
	struct place *all;
	size_t count;
	double bandwidth;
	bool leave_out;
	size_t first, end; /* the reach of the last place asked for */
};

/* ---- one by one ------------------------------------------------------------------------------ */

static void add_up_few(const struct kernelregression_points *points, double bandwidth,
		       bool leave_out, struct kernelregression_sums *out)
{
	const double distance = REACH * fabs(bandwidth);
	size_t first = 0, end = 0;

	for (size_t at = 0; at < points->count; at++) {
		struct kernelregression_sums sums = {0};

		while (points->x[at] - points->x[first] > distance)
			first++;
		end = end < at + 1 ? at + 1 : end;
		while (end < points->count && points->x[end] - points->x[at] <= distance)
			end++;
		for (size_t i = first; i < end; i++) {
			double apart = points->x[i] - points->x[at], z = apart / bandwidth;
			double weight = exp(-0.5 * z * z);

			if (leave_out && i == at)
				continue;
			sums.w += weight;
			sums.x += weight * apart;
			sums.xx += weight * apart * apart;
			sums.y += weight * points->y[i];
			sums.xy += weight * apart * points->y[i];
		}
		out[at] = sums;
	}
}

/* ---- many ------------------------------------------------------------------------------------ */

static struct places find_places(const struct kernelregression_points *points, double bandwidth,
				 bool leave_out)
{
	struct places places = {points,    perun_alloc(points->count * sizeof *places.all),
				0,         fabs(bandwidth),
				leave_out, 0,
				0};

	for (size_t i = 0; i < points->count; i++) {
		if (!places.count || places.all[places.count - 1].x != points->x[i])
			places.all[places.count++] = (struct place){points->x[i], 0, 0};
		places.all[places.count - 1].count++;
		places.all[places.count - 1].y += points->y[i];
	}
	return places;
}

/* The sums at `x` over the places within `reach`, but for place `own`; first and end move on from where they are. */
static struct kernelregression_sums add_up(const struct places *places, double x, double reach,
					   size_t own, size_t *first, size_t *end)
{
	const double distance = reach * places->bandwidth;
	struct kernelregression_sums sums = {0};

	while (*first < places->count && x - places->all[*first].x > distance)
		++*first;
	*end = *end < *first ? *first : *end;
	while (*end < places->count && places->all[*end].x - x <= distance)
		++*end;
	for (size_t i = *first; i < *end; i++) {
		const struct place *place = &places->all[i];
		double apart = place->x - x, z = apart / places->bandwidth;
		double weight = i == own ? 0 : exp(-0.5 * z * z);
		double w = weight * place->count, y = weight * place->y;

		sums.w += w;
		sums.x += w * apart;
		sums.xx += w * apart * apart;
		sums.y += y;
		sums.xy += y * apart;
	}
	return sums;
}

/* Whether the level of what is around hangs on digits that rounding may have changed. */
static bool is_fragile(const struct kernelregression_sums *sums)
{
	double determinant = sums->w * sums->xx - sums->x * sums->x;
	double trace = sums->w + sums->xx;
	double line = fabs(determinant) / (KERNELREGRESSION_NO_LINE * trace * trace);

	return !(sums->w > 1e-3) || !(determinant > FRAGILE * sums->w * sums->xx) ||
	       (line > 0.5 && line < 2);
}

/* At a place, without its own points: exactly. */
static struct kernelregression_sums add_up_at(const struct places *places, size_t at)
{
	double x = places->all[at].x;
	struct kernelregression_sums sums;
	size_t first, end;

	for (int far = 0; far < 2; far++) {
		double distance = (far ? REACH : NEAR) * places->bandwidth;

		/* Both ends by halving: a place here and there is asked for. */
		for (size_t low = 0, high = at;; first = low) {
			if (low >= high) {
				first = low;
				break;
			}
			if (x - places->all[(low + high) / 2].x > distance)
				low = (low + high) / 2 + 1;
			else
				high = (low + high) / 2;
		}
		end = first;
		sums = add_up(places, x, far ? REACH : NEAR, at, &first, &end);
		if (!is_fragile(&sums))
			break;
	}
	return sums;
}

/* The sums at all points of a place, of which `without` are those over the others. */
static void put(const struct places *places, size_t at, size_t *next,
		struct kernelregression_sums without, struct kernelregression_sums *out)
{
	const struct place *place = &places->all[at];

	for (double i = 0; i < place->count; i++, ++*next) {
		out[*next] = without;
		out[*next].w += place->count - places->leave_out;
		out[*next].y += place->y - (places->leave_out ? places->points->y[*next] : 0);
	}
}

struct nodes {
	double x[NODES];
	double sums[NODES][SUMS];
};

/* Chebyshev's points of the second kind from `low` to `high`, in order. */
static void fill_nodes(struct places *places, double low, double high, struct nodes *nodes)
{
	for (int i = 0; i < NODES; i++) {
		struct kernelregression_sums sums;

		nodes->x[i] = (low + high) / 2 - (high - low) / 2 * cos(M_PI * i / (NODES - 1));
		sums = add_up(places, nodes->x[i], NEAR, places->count, &places->first,
			      &places->end);
		memcpy(nodes->sums[i], &sums, sizeof sums);
	}
}

/* J. Berrut, L. Trefethen, "Barycentric Lagrange Interpolation", 2004. */
static struct kernelregression_sums interpolate(const struct nodes *nodes, double x)
{
	struct kernelregression_sums sums;
	double values[SUMS] = {0}, whole = 0;

	for (int i = 0; i < NODES; i++) {
		double share = (i % 2 ? -1.0 : 1.0) * (i == 0 || i == NODES - 1 ? 0.5 : 1);

		if (x == nodes->x[i]) {
			memcpy(&sums, nodes->sums[i], sizeof sums);
			return sums;
		}
		share /= x - nodes->x[i];
		whole += share;
		for (int k = 0; k < SUMS; k++)
			values[k] += share * nodes->sums[i][k];
	}
	for (int k = 0; k < SUMS; k++)
		values[k] /= whole;
	memcpy(&sums, values, sizeof sums);
	return sums;
}

/* The places [from, to), which are close to each other. */
static void add_up_stretch(struct places *places, size_t from, size_t to, size_t *next,
			   struct kernelregression_sums *out)
{
	bool sparse = to - from <= NODES;
	struct nodes nodes;

	if (!sparse)
		fill_nodes(places, places->all[from].x, places->all[to - 1].x, &nodes);
	for (size_t at = from; at < to; at++) {
		struct kernelregression_sums sums, rest;

		if (!sparse) {
			sums = interpolate(&nodes, places->all[at].x);
			sums.w -= places->all[at].count;
			sums.y -= places->all[at].y;
			rest = sums;
			rest.w += places->all[at].count - places->leave_out;
		}
		if (sparse || is_fragile(&rest))
			sums = add_up_at(places, at);
		put(places, at, next, sums, out);
	}
}

void kernelregression_add_up(const struct kernelregression_points *points, double bandwidth,
			     bool leave_out, struct kernelregression_sums *out)
{
	struct places places;
	size_t next = 0;

	if (points->count <= FEW) {
		add_up_few(points, bandwidth, leave_out, out);
		return;
	}
	places = find_places(points, bandwidth, leave_out);
	for (size_t from = 0, to; from < places.count; from = to) {
		for (to = from + 1;
		     to < places.count && places.all[to].x - places.all[from].x < places.bandwidth;)
			to++;
		if (perun_cancelled(points->ctx))
			break;
		add_up_stretch(&places, from, to, &next, out);
	}
	/* What is not made when it is cancelled is not used. */
	for (; next < points->count; next++)
		out[next] = (struct kernelregression_sums){0};
	perun_free(places.all);
}
