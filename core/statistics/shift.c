/* SPDX-License-Identifier: BSD-3-Clause */
/* Shifts of Hodges and Lehmann with intervals. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <perun/lib/statistics.h>

#include "core/statistics/sorted.h"

/* Up to this many values a side the interval comes from the exact distribution. */
#define EXACT_SIDE 16
/* This many differences are selected from; counting what is below a limit takes longer then. */
#define FEW 2000
/* From this many on they are grouped, by their size, so that each rank is searched in a group of about three. */
#define GROUPED 64
#define GROUPS  512
/* With this many differences left between two limits, selecting takes less than counting. */
#define FEW_LEFT 300
/* Limits are put this many differences beside the one that is searched, so that few are left between both. */
#define BESIDE (FEW_LEFT / 3)
/* What was counted for one rank is known for the next: up to this many limits. */
#define COUNTED 32

/* Doubles in the order of their bits, so that halving reaches every one in 64 steps. */
static uint64_t to_key(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double from_key(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* How many differences are at most the limit that this is the key of. */
struct counted {
	uint64_t key;
	double up_to;
};

/* Two sorted samples, or one sample whose means of pairs are looked at. */
struct pairs {
	const double *before, *after;
	size_t before_count, after_count;
	bool walsh; /* (a[i] + a[j]) / 2 for i <= j, of `after` */
	double *all; /* the differences, borrowed, where they are few; NULL where they are counted instead */
	size_t groups; /* of `all`, each of which starts here, up to the next one; none is above the next one's */
	uint32_t starts[GROUPS + 1];
	struct counted counted[COUNTED];
	size_t limits; /* of them */
};

/* How many differences (or means of pairs) are at most `limit`. */
static double count_up_to(const struct pairs *pairs, double limit)
{
	double count = 0;
	size_t j;

	if (pairs->walsh) {
		j = pairs->after_count;
		for (size_t i = 0; i < pairs->after_count; i++) {
			while (j > 0 && pairs->after[i] / 2 + pairs->after[j - 1] / 2 > limit)
				j--;
			count += j > i ? (double)(j - i) : 0;
		}
		return count;
	}
	j = 0;
	for (size_t i = 0; i < pairs->after_count; i++) {
		while (j < pairs->before_count && pairs->after[i] - pairs->before[j] > limit)
			j++;
		count += (double)(pairs->before_count - j);
	}
	return count;
}

/* Those above `low` and up to `high`; how many they are. */
static size_t collect(const struct pairs *pairs, double low, double high, double *found)
{
	const double *after = pairs->after, *before = pairs->before;
	size_t count = 0, j = pairs->walsh ? pairs->after_count : 0;

	for (size_t i = 0; i < pairs->after_count && pairs->walsh; i++) {
		while (j > 0 && after[i] / 2 + after[j - 1] / 2 > high)
			j--;
		for (size_t k = j;
		     k > i && count < FEW_LEFT && after[i] / 2 + after[k - 1] / 2 > low; k--)
			found[count++] = after[i] / 2 + after[k - 1] / 2;
	}
	for (size_t i = 0; i < pairs->after_count && !pairs->walsh; i++) {
		while (j < pairs->before_count && after[i] - before[j] > high)
			j++;
		for (size_t k = j;
		     k < pairs->before_count && count < FEW_LEFT && after[i] - before[k] > low; k++)
			found[count++] = after[i] - before[k];
	}
	return count;
}

/* Keys from `low` to `high`, that of the one that is searched among them: what is counted below, and up to the last. */
struct span {
	uint64_t low, high;
	double below; /* the limit before `low` */
	double under, up_to;
};

static void narrow(struct span *span, struct counted counted, double k)
{
	if (counted.up_to >= k && counted.key < span->high) {
		span->high = counted.key;
		span->up_to = counted.up_to;
	}
	if (counted.up_to < k && counted.key >= span->low) {
		span->low = counted.key + 1;
		span->below = from_key(counted.key);
		span->under = counted.up_to;
	}
}

/* All of them, narrowed by what is known. */
static struct span span_of(const struct pairs *pairs, double k)
{
	const double *after = pairs->after, *before = pairs->before;
	double n = (double)pairs->before_count, m = (double)pairs->after_count;
	size_t last = pairs->after_count - 1;
	struct span span = {.below = -INFINITY, .up_to = pairs->walsh ? m * (m + 1) / 2 : n * m};

	span.low = to_key(pairs->walsh ? after[0] : after[0] - before[pairs->before_count - 1]);
	span.high = to_key(pairs->walsh ? after[last] : after[last] - before[0]);
	for (size_t i = 0; i < pairs->limits; i++)
		narrow(&span, pairs->counted[i], k);
	return span;
}

/*
 * The limit to be counted next: where the k-th would be, were all as far apart, or a little beyond it as seen from the
 * end that is further away.
 */
static uint64_t guess(const struct span *span, double k)
{
	double low = from_key(span->low), high = from_key(span->high), value;
	double aim = k - span->under > span->up_to - k ? k - BESIDE : k + BESIDE;
	uint64_t key;

	value = low + (high - low) * (aim - span->under) / (span->up_to - span->under);
	if (!(value >= low && value < high))
		return span->low + (span->high - span->low) / 2;
	key = to_key(value);
	return key < span->low ? span->low : key < span->high ? key : span->high - 1;
}

/* The least one that k of them do not exceed: limits are guessed, and each third time halved, until few are between. */
static double kth_by_limits(struct pairs *pairs, double k)
{
	struct span span = span_of(pairs, k);
	double found[FEW_LEFT];

	for (unsigned round = 1; span.low < span.high && span.up_to - span.under > FEW_LEFT;
	     round++) {
		struct counted now;

		now.key = round % 3 ? guess(&span, k) : span.low + (span.high - span.low) / 2;
		now.up_to = count_up_to(pairs, from_key(now.key));
		narrow(&span, now, k);
		if (pairs->limits < COUNTED)
			pairs->counted[pairs->limits++] = now;
	}
	if (span.low >= span.high)
		return from_key(span.high);
	return perun_select_in_place(found, collect(pairs, span.below, from_key(span.high), found),
				     (size_t)(k - span.under) - 1);
}

/* The k-th of differences in groups. */
static double kth_of_groups(struct pairs *pairs, size_t k)
{
	const uint32_t *starts = pairs->starts;
	size_t low = 0, high = pairs->groups;

	/* The last group that starts before it. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (starts[middle] < k)
			low = middle;
		else
			high = middle;
	}
	return perun_select_in_place(pairs->all + starts[low], starts[low + 1] - starts[low],
				     k - 1 - starts[low]);
}

/* The k-th smallest, k from 1. */
static double kth(struct pairs *pairs, double k)
{
	double value = pairs->all ? kth_of_groups(pairs, (size_t)k) : kth_by_limits(pairs, k);

	return value + 0.0; /* no negative zero */
}

static void take_differences(const struct pairs *pairs, double *all)
{
	size_t n = pairs->before_count, m = pairs->after_count;

	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < m; j++)
			all[i * m + j] = pairs->after[j] - pairs->before[i];
	}
}

/* Room for differences, in their order and in that of their groups, and for the numbers of these. */
struct rooms {
	double all[FEW], grouped[FEW];
	uint16_t groups[FEW];
};

/* All differences: in groups, each as wide as the others, as many as are worth while. */
static void group_differences(struct pairs *pairs, struct rooms *rooms)
{
	size_t n = pairs->before_count, m = pairs->after_count, count = n * m;
	double least = pairs->after[0] - pairs->before[n - 1];
	double most = pairs->after[m - 1] - pairs->before[0];
	size_t groups = count / 3 < GROUPS ? count / 3 : GROUPS;
	double scale = ((double)groups - 0.5) / (most - least);
	uint32_t end = 0;

	take_differences(pairs, rooms->all);
	pairs->all = rooms->all;
	pairs->groups = 1;
	pairs->starts[0] = 0;
	pairs->starts[1] = (uint32_t)count;
	if (count < GROUPED || !(most > least) || !(scale > 0) || !isfinite(most - least) ||
	    !isfinite(scale))
		return;
	memset(pairs->starts, 0, groups * sizeof *pairs->starts);
	for (size_t i = 0; i < count; i++) {
		rooms->groups[i] = (uint16_t)(int32_t)((rooms->all[i] - least) * scale);
		pairs->starts[rooms->groups[i]]++;
	}
	for (size_t i = 0; i < groups; i++)
		pairs->starts[i] = end += pairs->starts[i];
	pairs->all = rooms->grouped;
	pairs->groups = groups;
	/* From the end of each group to its start. */
	for (size_t i = 0; i < count; i++)
		pairs->all[--pairs->starts[rooms->groups[i]]] = rooms->all[i];
	pairs->starts[groups] = (uint32_t)count;
}

static double middle_of(struct pairs *pairs, double count)
{
	double half = floor(count / 2), upper, lower;

	upper = kth(pairs, half + 1);
	if (fmod(count, 2) != 0)
		return upper;
	lower = kth(pairs, half);
	return lower + (upper - lower) / 2;
}

/*
 * The shares of U = 0, 1, ... without ties: of all n + m values, `taken` by `taken`
 * (recurrence of Mann and Whitney: the largest value is of the one or of the other sample).
 */
static double *shares_of_u(size_t n, size_t m)
{
	size_t width = n * m + 1;
	double *now = perun_alloc_zero((n + 1) * width, sizeof *now), *shares;

	for (size_t i = 0; i <= n; i++)
		now[i * width] = 1;
	for (size_t j = 1; j <= m; j++) {
		for (size_t i = 1; i <= n; i++) {
			/* Largest of the second sample: beats all i; else it is of the first. */
			double *row = now + i * width;
			const double *before = row - width;
			double second = (double)j / (double)(i + j);

			for (size_t u = i * j + 1; u-- > 0;)
				row[u] = (u >= i ? second * row[u - i] : 0) +
					 (1 - second) * before[u];
		}
	}
	shares = perun_memdup(now + n * width, width * sizeof *shares);
	perun_free(now);
	return shares;
}

/* Shares of the signed rank sums 0 .. n (n + 1) / 2. */
static double *shares_of_signed_ranks(size_t n)
{
	size_t width = n * (n + 1) / 2 + 1;
	double *shares = perun_alloc_zero(width, sizeof *shares);

	shares[0] = 1;
	for (size_t rank = 1; rank <= n; rank++) {
		for (size_t s = width; s-- > 0;)
			shares[s] = (shares[s] + (s >= rank ? shares[s - rank] : 0)) / 2;
	}
	return shares;
}

/* How many of the smallest differences lie outside; what is left in both tails goes to *out. */
static double exact_cut(const double *shares, double alpha, double *out)
{
	double tail = 0;
	size_t cut = 0;

	while (tail + shares[cut] <= alpha / 2)
		tail += shares[cut++];
	*out = 2 * tail;
	return (double)cut;
}

static void interval(struct pairs *pairs, double count, double mean, double variance,
		     double *shares, double confidence, struct perun_shift *result)
{
	double alpha = 1 - confidence, cut, out = alpha;

	result->exact = shares != NULL;
	if (shares)
		cut = exact_cut(shares, alpha, &out);
	else
		cut = floor(mean - perun_normal_quantile(1 - alpha / 2) * sqrt(variance));
	perun_free(shares);
	result->shift = middle_of(pairs, count);
	result->confidence = 1 - out;
	if (cut < 1) {
		result->low = -INFINITY;
		result->high = INFINITY;
		result->confidence = 1;
		return;
	}
	result->low = kth(pairs, cut);
	result->high = kth(pairs, count + 1 - cut);
}

static double *sorted(const double *values, size_t count)
{
	double *copy = perun_alloc_zero(count + 1, sizeof *copy);

	memcpy(copy, values, count * sizeof *values);
	perun_sort_doubles(copy, count);
	return copy;
}

void sorted_shift(const struct sorted_samples *samples, double confidence, double inflation,
		  struct perun_shift *result)
{
	size_t before_count = samples->before_count, after_count = samples->after_count;
	double n = (double)before_count, m = (double)after_count, *shares = NULL;
	struct pairs pairs = {.before = samples->one,
			      .after = samples->other,
			      .before_count = before_count,
			      .after_count = after_count};
	struct rooms rooms;

	*result = (struct perun_shift){.shift = NAN, .low = -INFINITY, .high = INFINITY};
	if (before_count == 0 || after_count == 0)
		return;
	if (before_count * after_count <= FEW)
		group_differences(&pairs, &rooms);
	if (!(inflation > 1) && before_count <= EXACT_SIDE && after_count <= EXACT_SIDE)
		shares = shares_of_u(before_count, after_count);
	interval(&pairs, n * m, n * m / 2,
		 n * m * (n + m + 1) / 12 * (inflation > 1 ? inflation : 1), shares, confidence,
		 result);
}

void perun_hodges_lehmann(const double *before, size_t before_count, const double *after,
			  size_t after_count, double confidence, double inflation,
			  struct perun_shift *result)
{
	struct sorted_samples samples;

	sorted_samples_make(&samples, before, before_count, after, after_count);
	sorted_shift(&samples, confidence, inflation, result);
	sorted_samples_free(&samples);
}

void perun_walsh_shift(const double *differences, size_t count, double confidence,
		       struct perun_shift *result)
{
	double n = (double)count, *one;
	struct pairs pairs = {.after_count = count, .walsh = true};

	*result = (struct perun_shift){.shift = NAN, .low = -INFINITY, .high = INFINITY};
	if (count == 0)
		return;
	pairs.after = one = sorted(differences, count);
	interval(&pairs, n * (n + 1) / 2, n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24,
		 count <= EXACT_SIDE ? shares_of_signed_ranks(count) : NULL, confidence, result);
	perun_free(one);
}
