/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the candidates explain enough. */
#include <config.h>

#include <math.h>
#include <string.h>

#include "core/changepoint/segments.h"

/*
 * The penalty is OFFSET + FACTOR log m. Chosen on series that bench/changepoint generates (seeds 1 to
 * 3), so that one unchanged series in a hundred has a change.
 */
#define OFFSET 4.0
#define FACTOR 2.0
/* A change close to the end needs to gain less. */
#define TAIL_PENALTY 12.0
/* The second end of a short segment likewise. */
#define SHORT         10
#define SHORT_PENALTY 11.0
/* What fewer values cost. */
#define FORBIDDEN 1e6
/* What a model of one change has: a level, another one, a place. */
#define COMPARED 3
/*
 * As how many coefficients a change counts that takes memory away from the noise: a level, and a place,
 * which is chosen among all. Chosen on the seeds 7 to 10 of the same series.
 */
#define COEFFICIENTS 3
/* More candidates than this are first thinned out with a fixed correlation. */
#define MANY 400
/* How far a change is moved at once. */
#define REACH 60

double changepoint_penalty(size_t count)
{
	return OFFSET + FACTOR * log((double)(count < 2 ? 2 : count));
}

void changepoint_list_add(struct changepoint_list *list, size_t at)
{
	PERUN_GROW(list->at, list->count, list->capacity);
	list->at[list->count++] = at;
}

void changepoint_list_insert(struct changepoint_list *list, size_t at, size_t apart)
{
	size_t i = list->count;

	while (i > 0 && list->at[i - 1] > at)
		i--;
	if ((i > 0 && at - list->at[i - 1] < apart) ||
	    (i < list->count && list->at[i] - at < apart))
		return;
	changepoint_list_add(list, at);
	memmove(list->at + i + 1, list->at + i, (list->count - 1 - i) * sizeof *list->at);
	list->at[i] = at;
}

void changepoint_list_remove(struct changepoint_list *list, size_t i)
{
	list->count--;
	memmove(list->at + i, list->at + i + 1, (list->count - i) * sizeof *list->at);
}

/* Sums before each place: of scores, of their squares, of products of neighbours. */
struct sums {
	const double *scores;
	size_t count;
	double penalty; /* for each change */
	bool last;      /* the series ends here */
	double *one, *square, *product;
};

/* Squared residuals about the levels of segments, and their products with those before. */
struct moments {
	double now, before, product; /* sums over values from the second on */
};

static void sums_start(struct sums *sums, const double *scores, size_t count, double penalty)
{
	double *memory = perun_alloc(3 * (count + 1) * sizeof *memory);
	double one = 0, square = 0, product = 0;

	*sums = (struct sums){.scores = scores,
			      .count = count,
			      .penalty = penalty,
			      .one = memory,
			      .square = memory + count + 1,
			      .product = memory + 2 * (count + 1)};
	*sums->one = *sums->square = *sums->product = 0;
	/* Sums of their own, since what was just stored takes longer to be loaded. */
	for (size_t i = 0; i < count; i++) {
		one += scores[i];
		square += scores[i] * scores[i];
		product += i ? scores[i] * scores[i - 1] : 0;
		sums->one[i + 1] = one;
		sums->square[i + 1] = square;
		sums->product[i + 1] = product;
	}
}

static inline double mean(const struct sums *sums, size_t first, size_t end)
{
	return (sums->one[end] - sums->one[first]) / (double)(end - first);
}

/* What the pairs within [first, end) add, all about `level`. */
static inline void add_inner(const struct sums *sums, size_t first, size_t end, double level,
			     struct moments *moments)
{
	double n = (double)(end - first - 1), one, other;

	if (end - first < 2)
		return;
	one = sums->one[end] - sums->one[first + 1];
	other = sums->one[end - 1] - sums->one[first];
	moments->now +=
		sums->square[end] - sums->square[first + 1] - 2 * level * one + n * level * level;
	moments->before +=
		sums->square[end - 1] - sums->square[first] - 2 * level * other + n * level * level;
	moments->product += sums->product[end] - sums->product[first + 1] - level * (one + other) +
			    n * level * level;
}

/* The pair across a change at `at`. */
static inline void add_crossing(const struct sums *sums, size_t at, double before, double after,
				struct moments *moments)
{
	double old = sums->scores[at - 1] - before, new = sums->scores[at] - after;

	moments->now += new *new;
	moments->before += old * old;
	moments->product += old * new;
}

/* Segment i of the list is [edge(i), edge(i + 1)). */
static size_t edge(const struct sums *sums, const struct changepoint_list *list, size_t i)
{
	return i == 0 ? 0 : i > list->count ? sums->count : list->at[i - 1];
}

static struct moments all_moments(const struct sums *sums, const struct changepoint_list *list)
{
	struct moments moments = {0};
	double before = 0;

	for (size_t i = 0; i <= list->count; i++) {
		size_t first = edge(sums, list, i), end = edge(sums, list, i + 1);
		double level = mean(sums, first, end);

		add_inner(sums, first, end, level, &moments);
		if (i)
			add_crossing(sums, first, before, level, &moments);
		before = level;
	}
	return moments;
}

/* What is around the change i: its segments are [first, at) and [at, end). */
struct around {
	size_t first, end;
	double before, after; /* the levels of the segments beyond, where there are any */
};

static struct around look_around(const struct sums *sums, const struct changepoint_list *list,
				 size_t i)
{
	struct around around = {edge(sums, list, i), edge(sums, list, i + 2), 0, 0};

	if (around.first > 0)
		around.before = mean(sums, edge(sums, list, i - 1), around.first);
	if (around.end < sums->count)
		around.after = mean(sums, around.end, edge(sums, list, i + 3));
	return around;
}

/*
 * The part of the moments that depends on a change: both its segments, and the pairs across their outer ends; with the
 * change at `at`, or without it when at == SIZE_MAX.
 */
static inline struct moments local_moments(const struct sums *sums, const struct around *around,
					   size_t at)
{
	struct moments moments = {0};
	size_t first = around->first, end = around->end;
	double left, right;

	if (at == SIZE_MAX) {
		left = right = mean(sums, first, end);
		add_inner(sums, first, end, left, &moments);
	} else {
		left = mean(sums, first, at);
		right = mean(sums, at, end);
		add_inner(sums, first, at, left, &moments);
		add_inner(sums, at, end, right, &moments);
		add_crossing(sums, at, left, right, &moments);
	}
	if (first > 0)
		add_crossing(sums, first, around->before, left, &moments);
	if (end < sums->count)
		add_crossing(sums, end, right, around->after, &moments);
	return moments;
}

static double coefficient(const struct moments *moments)
{
	double r = moments->before > 0 ? moments->product / moments->before : 0;

	return r < 0 ? 0 : r > 0.98 ? 0.98 : r;
}

static double innovations(const struct moments *moments, double r)
{
	double rss = moments->now - 2 * r * moments->product + r * r * moments->before;

	return rss > 1e-12 ? rss : 1e-12;
}

/* m log RSS: the less, the better these levels explain the scores. */
static double fit(const struct moments *moments, size_t count, size_t changes)
{
	double coefficients = COEFFICIENTS * (double)changes + 1;
	double r = changepoint_unbiased(coefficient(moments), coefficients, count);

	return (double)count * log(innovations(moments, r));
}

static struct moments moved(const struct moments *all, const struct moments *from,
			    const struct moments *to)
{
	return (struct moments){all->now - from->now + to->now,
				all->before - from->before + to->before,
				all->product - from->product + to->product};
}

/* What a change at `at` must gain when the one before it is at `before` (0 = none). */
static double penalty_of(const struct sums *sums, size_t before, size_t at)
{
	double least = sums->penalty;
	size_t left = sums->count - at;

	if (at - before < (before ? CHANGEPOINT_RUN : CHANGEPOINT_EDGE) ||
	    left < (sums->last ? CHANGEPOINT_EDGE : CHANGEPOINT_RUN))
		return FORBIDDEN;
	if (sums->last && left <= CHANGEPOINT_TAIL && TAIL_PENALTY < least)
		least = TAIL_PENALTY;
	if (before && at - before <= SHORT && SHORT_PENALTY < least)
		least = SHORT_PENALTY;
	return least;
}

static double penalties(const struct sums *sums, const struct changepoint_list *list)
{
	double sum = 0;

	for (size_t i = 0; i < list->count; i++)
		sum += penalty_of(sums, i ? list->at[i - 1] : 0, list->at[i]);
	return sum;
}

double changepoint_penalties(const struct changepoint_list *list, size_t count, double penalty,
			     bool last)
{
	struct sums sums = {.count = count, .penalty = penalty, .last = last};
	double sum = 0;

	/* What was found within a segment may be shorter than what is looked for in the series. */
	for (size_t i = 0; i < list->count; i++)
		sum += fmin(penalty_of(&sums, i ? list->at[i - 1] : 0, list->at[i]), sums.penalty);
	return sum;
}

/*
 * What the removal of change i saves. To be too near to others is forbidden once: which of several
 * neighbours goes is decided by what they explain, not by how many neighbours they have.
 */
static double saved(const struct sums *sums, const struct changepoint_list *list, size_t i)
{
	size_t before = i ? list->at[i - 1] : 0;
	double sum = penalty_of(sums, before, list->at[i]);

	if (i + 1 < list->count)
		sum += penalty_of(sums, list->at[i], list->at[i + 1]) -
		       penalty_of(sums, before, list->at[i + 1]);
	return sum > 1.5 * FORBIDDEN ? sum - FORBIDDEN : sum;
}

/* Put every change where it explains most, given the others. */
static void settle(const struct sums *sums, struct changepoint_list *list)
{
	struct moments all = all_moments(sums, list);

	for (unsigned round = 0; round < 3; round++) {
		bool any = false;

		for (size_t i = 0; i < list->count; i++) {
			struct around around = look_around(sums, list, i);
			size_t best = list->at[i];
			size_t from = best > around.first + REACH ? best - REACH : around.first + 1;
			size_t to = around.end - best > REACH ? best + REACH : around.end;
			struct moments now = local_moments(sums, &around, best);
			double r = coefficient(&all), least = innovations(&now, r);

			for (size_t at = from; at < to; at++) {
				struct moments there = local_moments(sums, &around, at);
				double rss = innovations(&there, r);

				if (rss < least - 1e-9) {
					least = rss;
					best = at;
				}
			}
			if (best == list->at[i])
				continue;
			any = true;
			list->at[i] = best;
			all = all_moments(sums, list);
		}
		if (!any)
			break;
	}
}

/* The local moments with a change and without it. */
struct sides {
	struct moments with, without;
};

/* Those of the changes [first, end): after a removal only its neighbours have others. */
static void update_sides(const struct sums *sums, const struct changepoint_list *list, size_t first,
			 size_t end, struct sides *sides)
{
	for (size_t i = first; i < end && i < list->count; i++) {
		struct around around = look_around(sums, list, i);

		sides[i] = (struct sides){local_moments(sums, &around, list->at[i]),
					  local_moments(sums, &around, SIZE_MAX)};
	}
}

/* The change whose loss costs least, net of its penalty; and what the fit is without it. */
static size_t least_useful(const struct sums *sums, const struct changepoint_list *list,
			   const struct sides *sides, const struct moments *all, double *change)
{
	double now = fit(all, sums->count, list->count), least = INFINITY;
	size_t found = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct moments then = moved(all, &sides[i].with, &sides[i].without);
		double loss = fit(&then, sums->count, list->count - 1) - now - saved(sums, list, i);

		if (loss < least) {
			least = loss;
			found = i;
		}
	}
	*change = least;
	return found;
}

/* Far too many: remove in sweeps, with the correlation as it is now. */
static void thin_out(const struct sums *sums, struct changepoint_list *list)
{
	bool any = true;

	while (any && list->count > MANY) {
		struct moments all = all_moments(sums, list);
		double r = coefficient(&all), unit = innovations(&all, r) / (double)sums->count;
		size_t kept = 0;
		struct changepoint_list old = *list;
		bool removed = false;

		any = false;
		for (size_t i = 0; i < old.count; i++) {
			struct around around = look_around(sums, &old, i);
			struct moments with = local_moments(sums, &around, old.at[i]);
			struct moments without = local_moments(sums, &around, SIZE_MAX);
			double loss = (innovations(&without, r) - innovations(&with, r)) / unit;

			/* Never two neighbours in one sweep: their segments are looked at again. */
			removed = !removed && loss < sums->penalty;
			any |= removed;
			if (!removed)
				list->at[kept++] = old.at[i];
		}
		list->count = kept;
	}
}

void changepoint_select(const double *scores, size_t count, double penalty, bool last,
			struct changepoint_list *list)
{
	struct changepoint_list best = {0};
	struct sides *sides;
	struct sums sums;
	double least = INFINITY;

	sums_start(&sums, scores, count, penalty);
	sums.last = last;
	thin_out(&sums, list);
	if (list->count <= MANY)
		settle(&sums, list);
	sides = perun_alloc(list->count * sizeof *sides);
	update_sides(&sums, list, 0, list->count, sides);
	for (;;) {
		struct moments all = all_moments(&sums, list);
		double now = fit(&all, count, list->count) + penalties(&sums, list), change;
		size_t worst;

		if (now <= least) {
			least = now;
			best.count = 0;
			for (size_t i = 0; i < list->count; i++)
				changepoint_list_add(&best, list->at[i]);
		}
		if (list->count == 0)
			break;
		worst = least_useful(&sums, list, sides, &all, &change);
		if (list->count > MANY && change > 0)
			break;
		changepoint_list_remove(list, worst);
		memmove(sides + worst, sides + worst + 1, (list->count - worst) * sizeof *sides);
		update_sides(&sums, list, worst > 2 ? worst - 2 : 0, worst + 2, sides);
	}
	perun_free(sides);
	settle(&sums, &best);
	perun_free(list->at);
	*list = best;
	perun_free(sums.one);
}

static struct moments moments_of(const double *residuals, size_t count)
{
	struct moments moments = {0};

	for (size_t i = 1; i < count; i++) {
		moments.now += residuals[i] * residuals[i];
		moments.before += residuals[i - 1] * residuals[i - 1];
		moments.product += residuals[i] * residuals[i - 1];
	}
	return moments;
}

double changepoint_gain(const double *one, const double *other, size_t count)
{
	struct moments first = moments_of(one, count), second = moments_of(other, count);
	double r = fmin(coefficient(&first), coefficient(&second));

	r = changepoint_unbiased(r, COMPARED, count);
	return (double)count * log(innovations(&second, r) / innovations(&first, r));
}
