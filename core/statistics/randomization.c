/* SPDX-License-Identifier: BSD-3-Clause */
/* A randomization test of two samples, sharp for noise with several modes or ends, too. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <perun/statistics.h>

/* Choices that are tried, and how many as extreme ones are enough to stop. */
#define MOST_CHOICES 20000
#define ENOUGH       40
/* Up to so many pairs all choices are tried. */
#define ALL_CHOICES 14
/* So many choices tell how much scores vary. */
#define SCALING 300
#define SEED    UINT64_C(0x9e3779b97f4a7c15)

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

/* Whether a cut can be made behind a value: the next one is larger. */
static bool is_cut(const struct mark *marks, size_t count, size_t i)
{
	return i + 1 < count && marks[i].value < marks[i + 1].value;
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
	double *scores; /* of a place on the lattice: how many values of each sample are below a cut */
	double *ranks;   /* of the values; of pairs: of their difference, with its sign */
	double expected; /* sum of the ranks */
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

/* How far apart the samples are over all cuts, and by ranks. */
static void score(const struct choices *choices, double *cuts, double *ranks)
{
	size_t below[2] = {0}, count = choices->n + choices->m;
	double sum = 0, rank = -choices->expected;

	for (size_t k = 0; k < count; k++) {
		below[choices->second[k]]++;
		if (!choices->paired && choices->second[k])
			rank += choices->ranks[k];
		if (is_cut(choices->marks, count, k))
			sum += choices->scores[below[0] * (choices->m + 1) + below[1]];
	}
	for (size_t i = 0; choices->paired && i < choices->n; i++)
		rank += choices->swapped[i] ? -choices->ranks[i] : choices->ranks[i];
	*cuts = fabs(sum);
	*ranks = fabs(rank);
}

/* The share of choices that are at least as far apart, in deviations of the one or other score. */
static double share_of_choices(struct choices *choices)
{
	bool all = choices->paired && choices->n <= ALL_CHOICES;
	size_t most = all ? (size_t)1 << choices->n : MOST_CHOICES, tried = 0, found = 0;
	double wide_cuts = 0, wide_ranks = 0, cuts, ranks, limit = 0;

	choose(choices, 0, false);
	for (size_t i = 0; i < SCALING; i++) {
		choose(choices, i + 1, false);
		score(choices, &cuts, &ranks);
		wide_cuts += cuts * cuts;
		wide_ranks += ranks * ranks;
	}
	wide_cuts = wide_cuts > 0 ? sqrt(wide_cuts) : 1;
	wide_ranks = wide_ranks > 0 ? sqrt(wide_ranks) : 1;
	for (; tried < most && (all || found < ENOUGH); tried++) {
		double apart;

		choose(choices, tried, all);
		score(choices, &cuts, &ranks);
		apart = fmax(cuts / wide_cuts, ranks / wide_ranks);
		if (tried == 0)
			limit = apart * (1 - 1e-9);
		found += apart >= limit;
	}
	return (double)found / (double)tried;
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

/* Ranks of the values of both samples, of which the second one's sum is expected; or of differences. */
static void take_ranks(struct choices *choices, const double *before, const double *after)
{
	size_t count = choices->n + choices->m;
	double *values = perun_alloc_zero(2 * count, sizeof *values), *ranks = values + count;

	choices->ranks = values;
	for (size_t k = 0; k < (choices->paired ? choices->n : count); k++)
		ranks[k] = choices->paired ? fabs(after[k] - before[k]) : choices->marks[k].value;
	perun_ranks(ranks, choices->paired ? choices->n : count, values);
	for (size_t i = 0; choices->paired && i < choices->n; i++)
		values[i] *= (after[i] > before[i]) - (after[i] < before[i]);
	if (!choices->paired)
		choices->expected = (double)choices->m * (double)(count + 1) / 2;
}

double perun_randomization_p(const double *before, size_t n, const double *after, size_t m,
			     bool paired)
{
	struct choices choices = {.n = n, .m = m, .paired = paired, .state = SEED};
	double p;

	if (n == 0 || m == 0)
		return NAN;
	if (n > PERUN_RANDOMIZATION_MOST || m > PERUN_RANDOMIZATION_MOST || (paired && n != m))
		return 1;
	choices.swapped = perun_alloc_zero(n, sizeof *choices.swapped);
	choices.second = perun_alloc_zero(n + m, sizeof *choices.second);
	choices.marks = marks_of(before, n, after, m);
	choices.scores = scores_of(n, m);
	take_ranks(&choices, before, after);
	p = share_of_choices(&choices);
	perun_free(choices.ranks);
	perun_free(choices.scores);
	perun_free(choices.marks);
	perun_free(choices.second);
	perun_free(choices.swapped);
	return p;
}
