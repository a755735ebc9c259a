/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidates for changes: the best splits of seeded intervals. */
#include <config.h>

#include <math.h>
#include <stdlib.h>

#include "core/changepoint/segments.h"

/* The share of the penalty that a split must gain to be looked at further. */
#define LENIENCE 0.6
#define SHORTEST 8
/* Series up to this length are searched once more as if their noise were not correlated. */
#define SHORT 400

struct split {
	size_t first, end, at;
	double gain;
};

struct search {
	const double *sums; /* sums[i] = of whitened scores before i */
	double least;
	struct split *splits;
	size_t count, capacity;
};

static struct split best_split(const double *sums, size_t first, size_t end)
{
	double n = (double)(end - first), mean = (sums[end] - sums[first]) / n, best = 0;
	struct split split = {first, end, 0, 0};

	for (size_t at = first + 1; at < end; at++) {
		double left = (double)(at - first);
		double away = sums[at] - sums[first] - left * mean;
		double gain = away * away / (left * (n - left));

		if (gain > best) {
			best = gain;
			split.at = at;
		}
	}
	split.gain = best * n;
	return split;
}

static void keep(struct search *search, struct split split)
{
	if (split.gain < search->least)
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

			keep(search, best_split(search->sums, first, end < count ? end : count));
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
		struct split best = best_split(search->sums, first, end);

		if (best.gain < search->least)
			best.at = 0;
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

/* Candidates among scores whose noise has this correlation. */
static void add_candidates(const double *scores, size_t count, double correlation, double penalty,
			   struct changepoint_list *candidates)
{
	double *sums = perun_alloc_zero(count + 1, sizeof *sums), variance, near = 0;
	struct search search = {.sums = sums};

	/* Whitened: what each score says that the one before it did not. */
	for (size_t i = 0; i < count; i++)
		sums[i + 1] = sums[i] + scores[i] - correlation * (i ? scores[i - 1] : scores[i]);
	/* Variance of one value from differences, which changes of the level hardly touch. */
	for (size_t i = 1; i < count; i++) {
		double step = scores[i] - scores[i - 1];

		near += step * step;
	}
	variance = near / (2 * (double)(count - 1)) * (1 + correlation);
	if (variance > 1 - correlation * correlation)
		variance = 1 - correlation * correlation;
	search.least = LENIENCE * penalty * variance;
	seed(&search, count);
	if (search.count)
		qsort(search.splits, search.count, sizeof *search.splits, by_gain);
	divide(&search, 0, count, 0, candidates);
	perun_free(search.splits);
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
