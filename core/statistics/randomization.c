/* SPDX-License-Identifier: BSD-3-Clause */
/* A randomization test of two samples, sharp for noise with several modes or ends, too. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/statistics/alignment.h"

/* Choices that are tried, and how many as extreme ones are enough to stop. */
#define MAX_CHOICES 1000
#define ENOUGH      12
/* Up to this many pairs all choices are tried. */
#define ALL_CHOICES 14
/* This many choices show how much scores vary. */
#define SCALING 50
/* Where fewer choices are as extreme than this, their chance is that of an exponential tail. */
#define RARE 16
#define TAIL 60
#define SEED UINT64_C(0x9e3779b97f4a7c15)

/*
 * tails[i * (m + 1) + j]: with i values of the one and j of the other sample below a cut, the chance that
 * at least i of any i + j values are of the one.
 */
static double *tails_of(size_t n, size_t m)
{
	double *tails = perun_alloc_zero((n + 1) * (m + 1), sizeof *tails);
	double all = lgamma((double)(n + m) + 1) - lgamma((double)n + 1) - lgamma((double)m + 1);

	for (size_t k = 0; k <= n + m; k++) {
		size_t least = k > m ? k - m : 0, most = k < n ? k : n, j = k - most;
		double ways, tail = 0;

		/* The share of paths through (most, j), then those with one fewer of the one. */
		ways = lgamma((double)k + 1) - lgamma((double)most + 1) - lgamma((double)j + 1) +
		       lgamma((double)(n + m - k) + 1) - lgamma((double)(n - most) + 1) -
		       lgamma((double)(m - j) + 1) - all;
		ways = exp(ways);
		for (size_t i = most + 1; i-- > least;) {
			j = k - i;
			tail += ways;
			tails[i * (m + 1) + j] = fmin(tail, 1);
			if (i > least)
				ways *= (double)i / (double)(j + 1) * (double)(m - j) /
					(double)(n - i + 1);
		}
	}
	return tails;
}

/* A value of both samples together. */
struct mark {
	double value;
	uint32_t place; /* in its sample */
	bool second;    /* which one that is */
};

static int compare_marks(const void *one, const void *other)
{
	const struct mark *a = one, *b = other;

	if (a->value != b->value)
		return a->value > b->value ? 1 : -1;
	return (a->place > b->place) - (a->place < b->place);
}

static struct mark *marks_of(const double *before, size_t n, const double *after, size_t m)
{
	struct mark *marks = perun_alloc_zero(n + m, sizeof *marks);

	for (size_t i = 0; i < n; i++)
		marks[i] = (struct mark){before[i], (uint32_t)i, false};
	for (size_t i = 0; i < m; i++)
		marks[n + i] = (struct mark){after[i], (uint32_t)i, true};
	qsort(marks, n + m, sizeof *marks, compare_marks);
	return marks;
}

/* A generator of its own (xorshift64*), so that answers are always the same. */
static uint64_t draw(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717) >> 32;
}

/* The values of both samples in order, and to which sample a choice counts each. */
struct choices {
	struct mark *marks;
	size_t n, m;
	bool *second; /* for each mark */
	bool *cuts;   /* after which values cuts can be made: the next one is larger */
	double *scores; /* of a place on the lattice: how many values of each sample are below a cut */
	double *ranks;
	double expected;            /* sum of the ranks of the second sample */
	struct alignment alignment; /* of the marks; its places NULL where not asked for */
	bool paired, *swapped;
	uint64_t state;
};

/* The next choice: who went first in each pair, or which values are of the second sample. */
static void choose(struct choices *choices, size_t number, bool all)
{
	size_t count = choices->n + choices->m;

	for (size_t i = 0; choices->paired && i < choices->n; i++)
		choices->swapped[i] =
			number > 0 && (all ? number >> i & 1 : draw(&choices->state) & 1);
	if (choices->paired || number == 0) {
		for (size_t k = 0; k < count; k++)
			choices->second[k] =
				choices->marks[k].second ^
				(choices->paired && choices->swapped[choices->marks[k].place]);
		return;
	}
	for (size_t k = count - 1; k > 0; k--) {
		size_t other = draw(&choices->state) * (k + 1) >> 32;
		bool second = choices->second[k];

		choices->second[k] = choices->second[other];
		choices->second[other] = second;
	}
}

/*
 * How far apart the samples are in each of three ways, all of which grow as the square of a shift: by
 * ranks, over all cuts, and by how much better they agree when one of them is moved.
 */
enum way { BY_RANKS, BY_CUTS, BY_MOVING, WAYS };

static void score(struct choices *choices, double ways[WAYS])
{
	const size_t steps[2] = {choices->m + 1, 1};
	const double *here = choices->scores;
	double sum = 0, rank = -choices->expected;

	/* Which sample a value is of cannot be foretold, so no branch depends on it; where cuts are is always the same. */
	for (size_t k = 0; k < choices->n + choices->m; k++) {
		here += steps[choices->second[k]];
		rank += choices->ranks[k] * choices->second[k];
		if (choices->cuts[k])
			sum += *here;
	}
	ways[BY_RANKS] = rank * rank;
	ways[BY_CUTS] = sqrt(fabs(sum));
	ways[BY_MOVING] = choices->alignment.places
				  ? alignment_gain(&choices->alignment, choices->second, NULL)
				  : 0;
}

/* How far apart a choice's samples are: in all ways together, each over its mean. */
static double apartness(struct choices *choices, const double means[WAYS])
{
	double ways[WAYS], apart = 0;

	score(choices, ways);
	for (int way = 0; way < WAYS; way++)
		apart += means[way] > 0 ? ways[way] / means[way] : 0;
	return apart;
}

/*
 * The chance of being apart by `limit` where hardly any of the choices tried are: the largest of them
 * fall off as exp(-apart / excess) (squares of nearly normal numbers), so that is carried on.
 */
static double tail_chance(double *tried, size_t count, double limit)
{
	const double *tail = tried + count - TAIL;
	double excess = 0;

	perun_sort_doubles(tried, count);
	for (size_t i = 0; i < TAIL; i++)
		excess += (tail[i] - tail[0]) / (TAIL - 1);
	if (!(excess > 0))
		return 1 / (double)count;
	return TAIL / (double)count * exp(-(limit - tail[0]) / excess);
}

/* No choice is less likely than the two in which all values of one sample are on the same side. */
static double least_chance(const struct choices *choices)
{
	double n = (double)choices->n, m = (double)choices->m;

	if (choices->paired)
		return ldexp(2, -(int)choices->n);
	return 2 * exp(lgamma(n + 1) + lgamma(m + 1) - lgamma(n + m + 1));
}

/* Whether the share of choices is known well enough: at least roughly where it is clearly above 0.01. */
static bool is_enough(size_t found, size_t tried)
{
	return found >= ENOUGH + tried / 90;
}

/* The share of choices that are at least as far apart. */
static double share_of_choices(struct choices *choices)
{
	bool all = choices->paired && choices->n <= ALL_CHOICES;
	size_t most = all ? (size_t)1 << choices->n : MAX_CHOICES, tried = 0, found = 0;
	double means[WAYS] = {0}, ways[WAYS], limit = 0, share;
	double *apart = perun_alloc_zero(most, sizeof *apart);

	choose(choices, 0, false);
	for (size_t i = 0; i < SCALING; i++) {
		choose(choices, i + 1, false);
		score(choices, ways);
		for (int way = 0; way < WAYS; way++)
			means[way] += ways[way] / SCALING;
	}
	for (; tried < most && (all || !is_enough(found, tried)); tried++) {
		choose(choices, tried, all);
		apart[tried] = apartness(choices, means);
		if (tried == 0)
			limit = apart[tried] * (1 - 1e-9);
		found += apart[tried] >= limit;
	}
	share = (double)found / (double)tried;
	/* The first one is the observed one. */
	if (!all && found < RARE && tried == most)
		share = fmax(fmin(share, tail_chance(apart + 1, tried - 1, limit)),
			     least_chance(choices));
	perun_free(apart);
	return share;
}

/* Squares of logarithms of tails: a sum over cuts that those count for most that are rare by chance. */
static double *scores_of(size_t n, size_t m)
{
	double *one = tails_of(n, m), *other = tails_of(m, n);

	for (size_t i = 0; i <= n; i++) {
		for (size_t j = 0; j <= m; j++) {
			double *place = &one[i * (m + 1) + j];
			double score = log(other[j * (n + 1) + i]) - log(*place);

			*place = score * fabs(score);
		}
	}
	perun_free(other);
	return one;
}

/* Ranks of the values of both samples, and what sum of the second one's is expected. */
static void take_ranks(struct choices *choices)
{
	size_t count = choices->n + choices->m;
	double *values = perun_alloc_zero(count, sizeof *values);

	choices->ranks = perun_alloc_zero(count, sizeof *choices->ranks);
	choices->cuts = perun_alloc_zero(count, sizeof *choices->cuts);
	for (size_t k = 0; k < count; k++)
		values[k] = choices->marks[k].value;
	perun_ranks(values, count, choices->ranks);
	for (size_t k = 0; k + 1 < count; k++)
		choices->cuts[k] = values[k] < values[k + 1];
	choices->expected = (double)choices->m * (double)(count + 1) / 2;
	if (choices->n * choices->m <= MAX_ALIGNMENT)
		alignment_begin(values, count, &choices->alignment);
	perun_free(values);
}

double perun_randomization_p(const double *before, size_t n, const double *after, size_t m,
			     bool paired)
{
	struct choices choices = {.n = n, .m = m, .paired = paired, .state = SEED};
	double p;

	if (n == 0 || m == 0)
		return NAN;
	if (n > PERUN_RANDOMIZATION_MAX_SAMPLES || m > PERUN_RANDOMIZATION_MAX_SAMPLES ||
	    (paired && n != m))
		return 1;
	choices.swapped = perun_alloc_zero(n, sizeof *choices.swapped);
	choices.second = perun_alloc_zero(n + m, sizeof *choices.second);
	choices.marks = marks_of(before, n, after, m);
	choices.scores = scores_of(n, m);
	take_ranks(&choices);
	p = share_of_choices(&choices);
	alignment_end(&choices.alignment);
	perun_free(choices.ranks);
	perun_free(choices.cuts);
	perun_free(choices.scores);
	perun_free(choices.marks);
	perun_free(choices.second);
	perun_free(choices.swapped);
	return p;
}
