/* SPDX-License-Identifier: BSD-3-Clause */
/* Robust statistics, against tables and against enumerations of all cases done elsewhere. */
#include <perun/lib/statistics.h>

#include "tests/unit/check.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const double small[] = {1.1, 2.3, 2.9, 3.7, 4.2, 5.5}, large[] = {3.1, 4.8, 5.9, 6.4, 7.7};

/* Numbers that look random, the same on every machine. */
static double next_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) / 9007199254740992.0;
}

TEST(test_location)
{
	const double odd[] = {5, 1, 4}, even[] = {3, 9, 1, 7}, same[] = {2, 2, 2, 2, 2};
	double many[1001];
	uint64_t state = 7;

	CHECK_DOUBLE(perun_median(odd, 3), 4, 0);
	CHECK_DOUBLE(perun_median(even, 4), 5, 0);
	CHECK_DOUBLE(perun_median(same, 5), 2, 0);
	CHECK(isnan(perun_median(odd, 0)));
	CHECK_DOUBLE(perun_mad(even, 4, 5), 3, 0);
	for (size_t i = 0; i < LENGTH(many); i++)
		many[i] = (double)((i * 389 + 17) % LENGTH(many));
	CHECK_DOUBLE(perun_median(many, 1001), 500, 0);
	for (size_t round = 0; round < 200; round++) {
		size_t count = 1 + round;
		double copy[200], median;

		for (size_t i = 0; i < count; i++)
			many[i] = floor(next_random(&state) * 20);
		memcpy(copy, many, count * sizeof *copy);
		perun_sort_doubles(copy, count);
		median = (copy[(count - 1) / 2] + copy[count / 2]) / 2;
		CHECK_DOUBLE(perun_median(many, count), median, 0);
	}
}

/* The median of the distances, by sorting them. */
static double sorted_mad(const double *values, size_t count, double center)
{
	double *away = perun_alloc(count * sizeof *away), mad;

	for (size_t i = 0; i < count; i++)
		away[i] = fabs(values[i] - center);
	perun_sort_doubles(away, count);
	mad = away[(count - 1) / 2];
	mad = count % 2 ? mad : mad + (away[count / 2] - mad) / 2;
	perun_free(away);
	return mad;
}

/* Values at random, few different ones, in order, most equal, of two groups. */
static double value_of(size_t form, size_t i, uint64_t *state)
{
	double value = next_random(state);

	switch (form) {
	case 0:
		return value;
	case 1:
		return floor(value * 3);
	case 2:
		return (double)i;
	case 3:
		return value < 0.9 ? 1 : value;
	default:
		return i % 2 ? 1000 + value : value;
	}
}

TEST(test_mad_of_many)
{
	enum { MOST = 3000 };
	double *values = perun_alloc(MOST * sizeof *values);
	uint64_t state = 11;

	for (size_t round = 0; round < 300; round++) {
		size_t count = 1000 + round * 6;

		for (size_t i = 0; i < count; i++)
			values[i] = value_of(round % 5, i, &state);
		CHECK_DOUBLE(perun_mad(values, count, 0), sorted_mad(values, count, 0), 0);
		CHECK_DOUBLE(perun_mad(values, count, 0.5), sorted_mad(values, count, 0.5), 0);
		CHECK_DOUBLE(perun_mad(values, count - 1, 0.5), sorted_mad(values, count - 1, 0.5),
			     0);
	}
	perun_free(values);
}

static int ascending(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

TEST(test_sort)
{
	enum { MOST = 3000 };
	double *values = perun_alloc(MOST * sizeof *values), *other;
	uint64_t state = 23;

	for (size_t round = 0; round < 300; round++) {
		size_t count = round < 100 ? round : round * 10;

		for (size_t i = 0; i < count; i++)
			values[i] = round % 6 == 5 ? (double)(i < count / 2 ? i : count - i)
						   : value_of(round % 6, i, &state);
		other = perun_memdup(values, count * sizeof *values);
		perun_sort_doubles(values, count);
		qsort(other, count, sizeof *other, ascending);
		CHECK(memcmp(values, other, count * sizeof *values) == 0);
		perun_free(other);
	}
	perun_free(values);
}

/* Against tables of the binomial distribution: n = 10 gives the 2nd and 9th, 6 the ends, 5 too few. */
TEST(test_median_interval)
{
	double values[2000], low, high;

	for (size_t i = 0; i < LENGTH(values); i++)
		values[i] = (double)(LENGTH(values) - i);
	CHECK(perun_median_interval(values, 10, 0.95, &low, &high));
	CHECK_DOUBLE(low, 1992, 0);
	CHECK_DOUBLE(high, 1999, 0);
	CHECK(perun_median_interval(values, 6, 0.95, &low, &high));
	CHECK_DOUBLE(high - low, 5, 0);
	CHECK(!perun_median_interval(values, 5, 0.95, &low, &high));
	CHECK_DOUBLE(high - low, 4, 0);
	CHECK(!perun_median_interval(values, 0, 0.95, &low, &high));
	CHECK(isnan(low));
	CHECK(perun_median_interval(values, 1000, 0.95, &low, &high)); /* exact */
	CHECK_DOUBLE(high - low, 999 - 2 * 468, 0);
	CHECK(perun_median_interval(values, 2000, 0.95, &low, &high)); /* normal */
	CHECK_DOUBLE(high - low, 1999 - 2 * 955, 0);
}

TEST(test_ranks)
{
	const double values[] = {10, 20, 10, 30, 20, 20};
	double ranks[6];

	CHECK_DOUBLE(perun_ranks(values, 6, ranks), 6 + 24, 0);
	CHECK_DOUBLE(ranks[0], 1.5, 0);
	CHECK_DOUBLE(ranks[1], 4, 0);
	CHECK_DOUBLE(ranks[3], 6, 0);
}

TEST(test_distributions)
{
	CHECK_DOUBLE(perun_normal_quantile(0.975), 1.9599639845400545, 1e-14);
	CHECK_DOUBLE(perun_normal_quantile(1e-6), -4.753424308822899, 1e-13);
	CHECK_DOUBLE(perun_normal_cdf(1.3), 0.9031995154143897, 1e-15);
	CHECK_DOUBLE(perun_student_quantile(0.975, 1), 12.706204736174698, 1e-11);
	CHECK_DOUBLE(perun_student_quantile(0.975, 5), 2.5705818356363146, 1e-13);
	CHECK_DOUBLE(perun_student_quantile(0.025, 10), -2.2281388519862744, 1e-12);
	CHECK_DOUBLE(perun_student_quantile(0.975, INFINITY), 1.9599639845400545, 1e-13);
	CHECK_DOUBLE(perun_student_cdf(1.5, 3.5), 0.8910909064923245, 1e-12);
	CHECK_DOUBLE(perun_student_cdf(-2.2, 17), 1 - 0.9790376717919707, 1e-12);
	CHECK_DOUBLE(perun_student_quantile(0.5, 3), 0, 0);
	CHECK(isnan(perun_student_quantile(0.9, 0)));
	for (double p = 0.001; p < 1; p += 0.0371)
		CHECK_DOUBLE(perun_student_cdf(perun_student_quantile(p, 2.5), 2.5), p, 1e-12);
}

TEST(test_mann_whitney)
{
	const double one[] = {1, 2, 2, 3, 4, 4, 5}, other[] = {3, 4, 4, 5, 6, 7};
	double before[200], after[200];
	struct perun_mann_whitney test;

	perun_mann_whitney(small, 6, large, 5, &test);
	CHECK(test.exact);
	CHECK_DOUBLE(test.u, 26, 0);
	CHECK_DOUBLE(test.p, 0.05194805194805195, 1e-14);
	perun_mann_whitney(large, 5, small, 6, &test);
	CHECK_DOUBLE(test.p, 0.05194805194805195, 1e-14);
	CHECK_DOUBLE(test.u, 4, 0);
	perun_mann_whitney(one, 7, other, 6, &test);
	CHECK_DOUBLE(test.u, 34, 0);
	CHECK_DOUBLE(test.p, 0.07459207459207459, 1e-14);
	perun_mann_whitney(one, 0, other, 6, &test);
	CHECK(isnan(test.p));
	/* All the same: nothing to tell. */
	perun_mann_whitney(one + 1, 2, one + 1, 2, &test);
	CHECK_DOUBLE(test.p, 1, 0);
	for (size_t i = 0; i < 200; i++) {
		before[i] = (double)i;
		after[i] = (double)i + 30.5;
	}
	perun_mann_whitney(before, 200, after, 200, &test);
	CHECK(!test.exact);
	/* 14365 = 169 + 168 + ... + 1 pairs of 40000 are the other way around. */
	CHECK_DOUBLE(test.u, 40000 - 14365, 0);
	CHECK_DOUBLE(test.z, (5635 - 0.5) / sqrt(40000.0 * 401 / 12), 1e-12);
}

TEST(test_shift)
{
	const double differences[] = {-0.4, 1.2, 0.8, 2.1, 1.7, 0.3, 1.9, -0.1};
	struct perun_shift shift;

	perun_hodges_lehmann(small, 6, large, 5, 0.95, 1, &shift);
	CHECK_DOUBLE(shift.shift, 2.2, 1e-14);
	CHECK_DOUBLE(shift.low, -0.6, 1e-14);
	CHECK_DOUBLE(shift.high, 4.8, 1e-14);
	CHECK_DOUBLE(shift.confidence, 0.9696969696969697, 1e-14);
	CHECK(shift.exact);
	perun_hodges_lehmann(small, 2, large, 2, 0.95, 1, &shift);
	CHECK(isinf(shift.low) && isinf(shift.high));
	CHECK_DOUBLE(shift.shift, 2.25, 1e-14);
	perun_walsh_shift(differences, 8, 0.95, &shift);
	CHECK_DOUBLE(shift.shift, 0.95, 1e-14);
	CHECK_DOUBLE(shift.low, -0.05, 1e-14);
	CHECK_DOUBLE(shift.high, 1.9, 1e-14);
	CHECK_DOUBLE(shift.confidence, 0.9609375, 1e-14);
}

/* Selection without the list of all differences gives what the list gives. */
TEST(test_shift_by_list)
{
	uint64_t state = 3;

	for (size_t round = 0; round < 100; round++) {
		size_t n = 1 + round % 13, m = 1 + round % 7;
		double before[13], after[7], all[91];
		struct perun_shift shift;

		for (size_t i = 0; i < n; i++)
			before[i] = floor(next_random(&state) * 9) - 4;
		for (size_t i = 0; i < m; i++)
			after[i] = floor(next_random(&state) * 9) - 4;
		for (size_t i = 0; i < n * m; i++)
			all[i] = after[i % m] - before[i / m];
		perun_hodges_lehmann(before, n, after, m, 0.9, round % 2 ? 1 : 2, &shift);
		CHECK_DOUBLE(shift.shift, perun_median(all, n * m), 0);
		CHECK(shift.low <= shift.shift && shift.shift <= shift.high);
	}
}

/* Where differences are counted, the same as of all of them in order; U the same as counted pair by pair. */
TEST(test_many_differences)
{
	enum { MOST = 150 };
	double before[MOST], after[MOST], *all = perun_alloc((size_t)MOST * MOST * sizeof *all);
	uint64_t state = 5;

	for (size_t round = 0; round < 60; round++) {
		size_t n = 30 + (round * 7) % 120, m = 70 + (round * 11) % 80, count = n * m;
		double variance = (double)(n * m * (n + m + 1)) / 12, cut, u = 0;
		struct perun_mann_whitney test;
		struct perun_shift shift;

		for (size_t i = 0; i < n; i++)
			before[i] = value_of(round % 5, i, &state);
		for (size_t i = 0; i < m; i++)
			after[i] = value_of(round % 5, i, &state) + (double)(round % 3);
		for (size_t i = 0; i < count; i++) {
			all[i] = after[i % m] - before[i / m];
			u += all[i] > 0 ? 1 : all[i] == 0 ? 0.5 : 0;
		}
		qsort(all, count, sizeof *all, ascending);
		cut = floor((double)count / 2 - perun_normal_quantile(0.975) * sqrt(variance));
		perun_hodges_lehmann(before, n, after, m, 0.95, 1, &shift);
		CHECK_DOUBLE(shift.shift, perun_median(all, count), 0);
		CHECK_DOUBLE(shift.low, all[(size_t)cut - 1], 0);
		CHECK_DOUBLE(shift.high, all[count - (size_t)cut], 0);
		perun_mann_whitney_below(before, n, after, m, 0, &test);
		CHECK_DOUBLE(test.u, u, 0);
	}
	perun_free(all);
}

TEST(test_dependence)
{
	const double values[] = {1, 3, 2, 5, 4, 6, 8, 7, 9, 12}, flat[10] = {0};
	double series[4000], noise[4000], size;
	uint64_t state = 11;

	CHECK_DOUBLE(perun_autocorrelation(values, 10, 1), 0.525552353506244, 1e-14);
	CHECK_DOUBLE(perun_autocorrelation(values, 10, 2), 0.3613832853025936, 1e-14);
	CHECK_DOUBLE(perun_autocorrelation(flat, 10, 1), 0, 0);
	CHECK_DOUBLE(perun_effective_size(flat, 10), 10, 0);
	for (size_t i = 0; i < 4000; i++) {
		noise[i] = next_random(&state) - 0.5;
		series[i] = noise[i] + (i ? 0.7 * series[i - 1] : 0);
	}
	/* AR(1) with 0.7: n (1 - 0.7) / (1 + 0.7) = 706. */
	size = perun_effective_size(series, 4000);
	CHECK(size > 500 && size < 950);
	CHECK(perun_effective_size(noise, 4000) > 3200);
}

TEST(test_many_tests)
{
	/* The first ten p-values of the example in Benjamini and Hochberg (1995), and a missing one. */
	const double p[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278,
			    0.0298, 0.0344, NAN,    0.0459, 0.3240};
	double adjusted[11];

	perun_benjamini_hochberg(p, 11, adjusted);
	CHECK_DOUBLE(adjusted[0], 0.001, 1e-12);
	CHECK_DOUBLE(adjusted[1], 0.002, 1e-12);
	CHECK_DOUBLE(adjusted[4], 0.0402, 1e-12);
	CHECK_DOUBLE(adjusted[5], 0.0298 * 10 / 7, 1e-12);
	CHECK_DOUBLE(adjusted[7], 0.043, 1e-12);
	CHECK(isnan(adjusted[8]));
	CHECK_DOUBLE(adjusted[10], 0.324, 1e-12);
}

CHECK_MAIN(, )
