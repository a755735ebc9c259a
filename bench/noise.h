/* SPDX-License-Identifier: BSD-3-Clause */
/* Noise of the kinds that measurements have, made from a seed. */
#ifndef PERUN_BENCH_NOISE_H
#define PERUN_BENCH_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct source {
	uint64_t state;
};

/* xorshift64*: uniform in (0, 1). */
static inline double uniform(struct source *source)
{
	source->state ^= source->state >> 12;
	source->state ^= source->state << 25;
	source->state ^= source->state >> 27;
	return ((double)(source->state * UINT64_C(2685821657736338717) >> 11) + 0.5) /
	       9007199254740992.0;
}

static inline double normal(struct source *source)
{
	double r = sqrt(-2 * log(uniform(source)));

	return r * cos(2 * M_PI * uniform(source));
}

/* The sum of `shape` exponential numbers. */
static inline double gamma_of(struct source *source, unsigned shape)
{
	double sum = 0;

	while (shape--)
		sum -= log(uniform(source));
	return sum;
}

enum noise { NORMAL, LOGNORMAL, ONE_SIDED, BIMODAL, OUTLIERS, AR, WIDER };

/*
 * What is drawn once for a program: how often the second mode comes, how skewed the noise is; and what
 * is set: how much it remembers itself, how many times as wide it is from a share of the values on, how
 * wide each mode is, what an outlier adds at least, how wide one-sided noise is.
 */
struct habit {
	double share;
	unsigned shape;
	double correlation, width, from;
	double mode, outlier, tail;
};

static inline struct habit draw_habit(struct source *source)
{
	double share = 0.2 + 0.15 * uniform(source);

	return (struct habit){share, 1 + (uniform(source) < 0.5), 0.7, 3, 0.5, 0.01, 0.2, 0.017};
}

/* Noise as a share of the level, the n values of a series one after the other. */
static inline void make_noise(struct source *source, enum noise kind, struct habit habit, size_t n,
			      double *noise)
{
	double last = normal(source);

	for (size_t i = 0; i < n; i++) {
		double z = normal(source);

		switch (kind) {
		case NORMAL:
			noise[i] = 0.01 * z;
			break;
		case LOGNORMAL:
			noise[i] = exp(0.05 * z) - 1;
			break;
		case ONE_SIDED:
			noise[i] = habit.tail / sqrt(habit.shape) * gamma_of(source, habit.shape);
			break;
		case BIMODAL:
			noise[i] = habit.mode * z + (uniform(source) < habit.share ? 0.08 : 0);
			break;
		case OUTLIERS:
			noise[i] = 0.01 * z;
			if (uniform(source) < 0.05)
				noise[i] += habit.outlier + (1.5 - habit.outlier) * uniform(source);
			break;
		case AR:
			last = i ? habit.correlation * last +
					       sqrt(1 - habit.correlation * habit.correlation) * z
				 : z;
			noise[i] = 0.02 * last;
			break;
		case WIDER:
			noise[i] =
				((double)i < habit.from * (double)n ? 0.01 : 0.01 * habit.width) *
				z;
			break;
		}
	}
}

#endif
