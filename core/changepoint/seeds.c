/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates for changes: the best splits of seeded intervals. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/changepoint/segments.h"

/* The share of the penalty that a split must gain to be looked at further. */
#define LENIENCE 0.6
#define SHORTEST 8
/* Series up to this length are searched once more as if their noise were not correlated. */
#define SHORT 400

/* Places whose sums are bounded together. */
#define BLOCK 16
/* In intervals of up to this many values bounds save nothing. */
#define FEW (4 * BLOCK)
/* Of fewer values their squares are a bound. */
#define FEWEST (2 * BLOCK)
/* What rounding may add to a bound, as a share of it. */
#define MARGIN 1e-6
/* What it may add to sums of squares, as a share of that of all. */
#define SLACK 1e-9

struct split {
	size_t first, end, at;
	double gain;
};

/* The least and the greatest sum of a block. */
struct range {
	double low, high;
};

struct search {
	const double *sums;         /* sums[i] = of whitened scores before i */
	const double *squares;      /* the same of their squares */
	const struct range *ranges; /* of each block */
	double least;
	double bound; /* `least` without what rounding may add to squares */
	struct split *splits;
	size_t count, capacity;
};

/* Whether no split of `n` values after `before` to `after` of them, with sums in this range, gains more than `best`. */
static bool is_bounded(const struct range *range, double n, double before, double after, double sum,
		       double mean, double best)
{
	double one = sum + before * mean, other = sum + after * mean;
	double up = range->high - (one < other ? one : other);
	double down = (one < other ? other : one) - range->low, away = up > down ? up : down;
	double first = before * (n - before), last = after * (n - after);

	return away * away <= (1 - MARGIN) * best * (first < last ? first : last);
}

/*
 * Whether one of the splits from `at` up to `to` gains more than `best`: two at a time, no branch depends on any. What
 * each must exceed is a polynomial of its place, and made by additions, which MARGIN allows for.
 */
static bool may_gain(const double *sums, size_t first, size_t at, size_t to, double n, double mean,
		     double best)
{
	typedef double pair __attribute__((vector_size(2 * sizeof(double))));
	typedef int64_t answers __attribute__((vector_size(2 * sizeof(int64_t))));
	const double left = (double)(at - first), next = left + 1, none = MARGIN * MARGIN;
	pair level = {sums[first] + left * mean, sums[first] + next * mean};
	pair least = {best * left * (n - left) + none, best * next * (n - next) + none};
	pair step = {best * 2 * (n - 2 * left - 2), best * 2 * (n - 2 * next - 2)};
	const pair rise = {2 * mean, 2 * mean}, bend = {8 * best, 8 * best};
	answers may = {0};

	/* Of an odd number, the one after them is tried, too, though at the end it has no right side. */
	for (; at < to; at += 2) {
		pair away;

		memcpy(&away, sums + at, sizeof away);
		away -= level;
		may |= away * away > least;
		level += rise;
		least += step;
		step -= bend;
	}
	return may[0] | may[1];
}

/*
 * Whether the squares of a few say that no split gains enough. It takes away no more than the squares about their mean;
 * in one half no more than these without those of the other half about its own. All is multiplied by what it would be
 * divided by.
 */
static inline bool is_quiet(const struct search *search, size_t first, size_t end)
{
	const double *sums = search->sums + first, *squares = search->squares + first;
	size_t count = end - first, half = count / 2;
	double n = (double)count, before = (double)half, after = (double)(count - half);
	double one = sums[half] - sums[0], other = sums[count] - sums[half], sum = one + other;

	if (count < BLOCK)
		return n * (squares[count] - squares[0]) - sum * sum <= n * search->bound;
	return after * (n * (squares[half] - squares[0]) - sum * sum) + n * other * other <=
		       after * n * search->bound &&
	       before * (n * (squares[count] - squares[half]) - sum * sum) + n * one * one <=
		       before * n * search->bound;
}

/* The best split that gains `least` at least; at = 0 if none does. */
static struct split best_split(const struct search *search, size_t first, size_t end)
{
	const double *sums = search->sums;
	double n = (double)(end - first), mean = (sums[end] - sums[first]) / n;
	double best = (1 - MARGIN) * search->least / n;
	struct split split = {first, end, 0, 0};

	for (size_t at = first + 1, to; at < end; at = to) {
		double left = (double)(at - first);

		to = (at / BLOCK + 1) * BLOCK < end ? (at / BLOCK + 1) * BLOCK : end;
		if (end - first <= FEW)
			to = end;
		else if (is_bounded(&search->ranges[at / BLOCK], n, left,
				    left + (double)(to - 1 - at), sums[first], mean, best))
			continue;
		if (!may_gain(sums, first, at, to, n, mean, (1 - MARGIN) * best))
			continue;
		for (; at < to; at++, left++) {
			double away = sums[at] - sums[first] - left * mean;
			double gain = away * away / (left * (n - left));

			if (gain > best) {
				best = gain;
				split.at = at;
			}
		}
	}
	split.gain = best * n;
	if (split.gain < search->least)
		split.at = 0;
	return split;
}

static void keep(struct search *search, struct split split)
{
	if (!split.at)
		return;
	PERUN_GROW(search->splits, search->count, search->capacity);
	search->splits[search->count++] = split;
}

static void seed(struct search *search, size_t count)
{
	for (double length = (double)count; length >= SHORTEST; length /= 2) {
		size_t pieces = 2 * (size_t)ceil((double)count / length) - 1;
		double step = pieces > 1 ? ((double)count - length) / (double)(pieces - 1) : 0;

		for (size_t i = 0; i < pieces; i++) {
			size_t first = (size_t)floor((double)i * step);
			size_t end = (size_t)ceil((double)i * step + length);

			end = end < count ? end : count;
			if (end - first >= FEWEST || !is_quiet(search, first, end))
				keep(search, best_split(search, first, end));
		}
	}
}

static int by_gain(const void *one, const void *other)
{
	const struct split *a = one, *b = other;

	if (a->gain != b->gain)
		return a->gain < b->gain ? 1 : -1;
	if (a->first != b->first)
		return a->first > b->first ? 1 : -1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Split [first, end) at the best place: of the whole, or of a seeded interval within it. */
static void divide(struct search *search, size_t first, size_t end, size_t from,
		   struct changepoint_list *found)
{
	while (end - first >= 2) {
		struct split best = best_split(search, first, end);

		for (; from < search->count; from++) {
			const struct split *split = &search->splits[from];

			if (split->first >= first && split->end <= end) {
				if (split->gain > best.gain)
					best = *split;
				break;
			}
		}
		if (best.at <= first || best.at >= end)
			return;
		/* The smaller part by recursion: its depth stays logarithmic. */
		if (best.at - first < end - best.at) {
			divide(search, first, best.at, from, found);
			changepoint_list_add(found, best.at);
			first = best.at;
		} else {
			divide(search, best.at, end, from, found);
			changepoint_list_add(found, best.at);
			end = best.at;
		}
	}
}

static int ascending(const void *one, const void *other)
{
	size_t a = *(const size_t *)one, b = *(const size_t *)other;

	return (a > b) - (a < b);
}

static struct range *take_ranges(const double *sums, size_t count)
{
	struct range *ranges = perun_alloc((count / BLOCK + 1) * sizeof *ranges);

	for (size_t first = 0; first <= count; first += BLOCK) {
		size_t end = count - first < BLOCK ? count + 1 : first + BLOCK;
		struct range range = {sums[first], sums[first]};

		for (size_t i = first + 1; i < end; i++) {
			range.low = sums[i] < range.low ? sums[i] : range.low;
			range.high = sums[i] > range.high ? sums[i] : range.high;
		}
		ranges[first / BLOCK] = range;
	}
	return ranges;
}

/* Candidates among scores whose noise has this correlation. */
static void add_candidates(const double *scores, size_t count, double correlation, double penalty,
			   struct changepoint_list *candidates)
{
	double *sums = perun_alloc(2 * (count + 1) * sizeof *sums), *squares = sums + count + 1;
	double white = scores[0] - correlation * scores[0], sum = white, square = white * white;
	double variance, near = 0;
	struct range *ranges;
	struct search search = {.sums = sums, .squares = squares};

	/*
	 * Whitened: what each score says that the one before it did not. Variance of one value from differences, which
	 * changes of the level hardly touch.
	 */
	sums[0] = squares[0] = 0;
	sums[1] = sum;
	squares[1] = square;
	for (size_t i = 1; i < count; i++) {
		double score = scores[i], last = scores[i - 1], step = score - last;

		sums[i + 1] = sum = sum + score - correlation * last;
		white = score - correlation * last;
		squares[i + 1] = square += white * white;
		near += step * step;
	}
	search.ranges = ranges = take_ranges(sums, count);
	variance = near / (2 * (double)(count - 1)) * (1 + correlation);
	if (variance > 1 - correlation * correlation)
		variance = 1 - correlation * correlation;
	search.least = LENIENCE * penalty * variance;
	search.bound = (1 - MARGIN) * search.least - SLACK * squares[count];
	seed(&search, count);
	if (search.count)
		qsort(search.splits, search.count, sizeof *search.splits, by_gain);
	/* The whole was the first that was searched. */
	if (search.count || count < SHORTEST)
		divide(&search, 0, count, 0, candidates);
	perun_free(search.splits);
	perun_free(ranges);
	perun_free(sums);
}

void changepoint_candidates(const double *scores, size_t count, double correlation, double penalty,
			    struct changepoint_list *candidates)
{
	size_t kept = 0;

	add_candidates(scores, count, correlation, penalty, candidates);
	/* In a short series a change passes for correlation: what is none decides the selection. */
	if (correlation > 0 && count <= SHORT)
		add_candidates(scores, count, 0, penalty, candidates);
	if (candidates->count)
		qsort(candidates->at, candidates->count, sizeof *candidates->at, ascending);
	for (size_t i = 0; i < candidates->count; i++) {
		if (kept == 0 || candidates->at[kept - 1] != candidates->at[i])
			candidates->at[kept++] = candidates->at[i];
	}
	candidates->count = kept;
}
