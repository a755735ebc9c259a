/* SPDX-License-Identifier: BSD-3-Clause */
/* Normal scores: values as their ranks say, so that no distribution of noise matters. */
#include <config.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <perun/statistics.h>

#include "core/changepoint/segments.h"

struct keyed {
	uint64_t key;
	size_t place;
};

static uint64_t key_of(double value)
{
	uint64_t bits;

	value += 0.0; /* no negative zero */
	memcpy(&bits, &value, sizeof bits);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Radix sort by bytes, the lowest first; bytes that all keys share cost nothing. */
static struct keyed *sort_keys(struct keyed *items, struct keyed *spare, size_t count)
{
	for (unsigned shift = 0; shift < 64; shift += 8) {
		size_t starts[256] = {0}, sum = 0;
		struct keyed *kept = items;

		for (size_t i = 0; i < count; i++)
			starts[items[i].key >> shift & 255]++;
		if (starts[items[0].key >> shift & 255] == count)
			continue;
		for (size_t i = 0; i < 256; i++) {
			size_t size = starts[i];

			starts[i] = sum;
			sum += size;
		}
		for (size_t i = 0; i < count; i++)
			spare[starts[items[i].key >> shift & 255]++] = items[i];
		items = spare;
		spare = kept;
	}
	return items;
}

void changepoint_scores(const double *values, size_t count, double *scores)
{
	struct keyed *memory, *order;
	double squares = 0;

	if (count == 0)
		return;
	memory = perun_alloc_zero(2 * count, sizeof *memory);
	for (size_t i = 0; i < count; i++)
		memory[i] = (struct keyed){key_of(values[i]), i};
	order = sort_keys(memory, memory + count, count);
	for (size_t i = 0, end; i < count; i = end) {
		double rank, score;

		for (end = i + 1; end < count && order[end].key == order[i].key;)
			end++;
		rank = (double)(i + end + 1) / 2;
		/* Blom's plotting positions. */
		score = perun_normal_quantile((rank - 0.375) / ((double)count + 0.25));
		for (size_t j = i; j < end; j++)
			scores[order[j].place] = score;
		squares += (double)(end - i) * score * score;
	}
	perun_free(memory);
	squares = squares > 0 ? sqrt((double)count / squares) : 0;
	for (size_t i = 0; i < count; i++)
		scores[i] *= squares;
}

double changepoint_correlation(const double *scores, size_t count)
{
	double one = 0, two = 0, ratio;

	if (count < 6)
		return 0;
	/* Var(x[i] - x[i-1]) = 2 s^2 (1 - r), Var(x[i] - x[i-2]) = 2 s^2 (1 - r^2): 1 + r is the ratio. */
	for (size_t i = 2; i < count; i++) {
		double near = scores[i] - scores[i - 1], far = scores[i] - scores[i - 2];

		one += near * near;
		two += far * far;
	}
	ratio = one > 0 ? two / one - 1 : 0;
	return ratio < 0 ? 0 : ratio > 0.95 ? 0.95 : ratio;
}
