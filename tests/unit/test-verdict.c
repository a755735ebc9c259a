/* SPDX-License-Identifier: BSD-3-Clause */
/* Verdicts on samples that are made here: false alarms, shifts that are found, corner cases. */
#include <perun/lib/verdict.h>

#include "bench/noise.h"
#include "tests/unit/check.h"

static const struct perun_verdict_options plain = {.struct_size = sizeof plain};

/* Comparisons of n values a side, of which so many per thousand give a change. */
static double changed(enum noise kind, size_t n, double shift, unsigned rounds)
{
	struct source source = {4711 + n};
	double values[2][512];
	unsigned count = 0;

	for (unsigned round = 0; round < rounds; round++) {
		struct habit habit = draw_habit(&source);
		struct perun_verdict verdict;

		make_noise(&source, kind, habit, n, values[0]);
		make_noise(&source, kind, habit, n, values[1]);
		for (size_t i = 0; i < n; i++)
			values[1][i] += shift;
		/* Noise is a share: a level of 1. */
		for (size_t i = 0; i < n; i++) {
			values[0][i] += 1;
			values[1][i] += 1;
		}
		perun_judge(values[0], n, values[1], n, &plain, &verdict);
		count += verdict.answer == PERUN_VERDICT_INCREASE ||
			 verdict.answer == PERUN_VERDICT_DECREASE;
	}
	return 1000.0 * count / rounds;
}

TEST(test_false_alarms)
{
	static const size_t sizes[] = {3, 5, 10, 20, 60};
	static const enum noise kinds[] = {NORMAL,    LOGNORMAL, OUTLIERS, BIMODAL,
					   ONE_SIDED, AR,        WIDER};

	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			double share = changed(kinds[k], sizes[i], 0, 400);
			/* A dozen values cannot show that they depend on each other, here by 0.7. */
			double most = kinds[k] != AR ? 15 : sizes[i] < 30 ? 80 : 30;

			if (share > most)
				CHECK_FAIL("kind %d, %zu runs: %.1f per thousand", (int)kinds[k],
					   sizes[i], share);
		}
	}
}

TEST(test_power)
{
	CHECK(changed(NORMAL, 20, 0.02, 300) >= 940);
	CHECK(changed(LOGNORMAL, 20, 0.10, 300) >= 940);
	CHECK(changed(AR, 120, 0.04, 200) >= 940);
}

/* Fewer runs than tell their correlation: large shifts are found all the same. */
TEST(test_power_of_few)
{
	CHECK(changed(NORMAL, 10, 0.03, 300) >= 550);
	CHECK(changed(NORMAL, 10, 0.15, 300) >= 950);
	CHECK(changed(NORMAL, 15, 0.02, 300) >= 650);
	CHECK(changed(NORMAL, 5, 0.5, 100) >= 950);
}

/* What is clear stays so among a hundred tests: one shifted function of a large profile. */
TEST(test_power_among_many)
{
	struct source source = {4711};
	unsigned found = 0;

	for (unsigned round = 0; round < 100; round++) {
		double values[2][20];
		struct perun_verdict verdict;

		for (size_t i = 0; i < 40; i++)
			values[i / 20][i % 20] = 100 + normal(&source) + (i < 20 ? 0 : 12);
		perun_judge(values[0], 20, values[1], 20, &plain, &verdict);
		perun_verdict_readjust(&verdict, &plain, 100 * verdict.p);
		found += verdict.answer == PERUN_VERDICT_INCREASE;
	}
	CHECK(found >= 95);
}

/* Answers are the same in any unit, where squares are no numbers, too. */
TEST(test_units)
{
	static const double units[] = {1e-300, 1e-100, 1, 1e100, 1e300};
	struct perun_verdict verdict;
	double one[20], other[20];

	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		for (size_t i = 0; i < 20; i++) {
			one[i] = units[u] * (100 + (double)(i * 7 % 20) / 10);
			other[i] = units[u] * (102 + (double)(i * 11 % 20) / 10);
		}
		perun_judge(one, 20, other, 20, &plain, &verdict);
		CHECK_INT(verdict.answer, PERUN_VERDICT_INCREASE);
		CHECK(verdict.p > 0 && verdict.p < 0.001);
		CHECK(verdict.effective > 5 && verdict.effective <= 40);
		CHECK_DOUBLE(verdict.low / units[u], 1.6, 0.01);
	}
}

/* Noise that ranks alone are not sharp for. */
TEST(test_power_of_randomization)
{
	CHECK(changed(OUTLIERS, 20, 0.02, 200) >= 930);
	CHECK(changed(BIMODAL, 20, 0.045, 200) >= 930);
	CHECK(changed(ONE_SIDED, 20, 0.025, 200) >= 930);
}

TEST(test_randomization)
{
	const double one[] = {1, 2, 3, 4, 5, 6}, other[] = {7, 8, 9, 10, 11, 12};
	double p = perun_randomization_p(one, 6, other, 6, false);

	/* All pairs on the same side: 2 of the 64 choices of who went first. */
	CHECK_DOUBLE(perun_randomization_p(one, 6, other, 6, true), 2.0 / 64, 1e-15);
	CHECK_DOUBLE(perun_randomization_p(other, 6, one, 6, true), 2.0 / 64, 1e-15);
	/* 2 of the 924 choices of six. */
	CHECK(p > 1.0 / 924 && p < 4.0 / 924);
	CHECK_DOUBLE(perun_randomization_p(one, 6, other, 6, false), p, 0);
	CHECK_DOUBLE(perun_randomization_p(one, 6, one, 6, false), 1, 0);
	CHECK_DOUBLE(perun_randomization_p(one, 6, one, 6, true), 1, 0);
	CHECK(isnan(perun_randomization_p(one, 0, other, 6, false)));
}

TEST(test_constants)
{
	const double one[] = {1000, 1000, 1000}, other[] = {1020, 1020};
	struct perun_verdict_options options = plain;
	struct perun_verdict verdict;

	perun_judge(one, 3, other, 2, &plain, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_INCREASE);
	CHECK_DOUBLE(verdict.shift, 20, 0);
	perun_judge(other, 2, one, 3, &plain, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_DECREASE);
	perun_judge(one, 3, one, 2, &plain, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_SAME);
	options.threshold = 0.05;
	perun_judge(one, 3, other, 2, &options, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_SAME);
}

TEST(test_too_few)
{
	const double one[] = {1, 2, 3}, two[] = {5}, other[] = {50}, zero[] = {0};
	struct perun_buffer words = {0};
	struct perun_verdict verdict;

	perun_judge(one, 0, other, 1, &plain, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_UNDECIDED);
	CHECK(verdict.more > 0);
	perun_judge(zero, 1, other, 1, &plain, &verdict);
	CHECK(verdict.answer != PERUN_VERDICT_INCREASE && verdict.answer != PERUN_VERDICT_DECREASE);
	perun_judge(one, 3, two, 1, &plain, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_UNDECIDED);
	perun_verdict_explain(&verdict, &plain, "s", &words);
	CHECK_CONTAINS(words.data, "n 3 and 1, medians 2 s and 5 s");
	CHECK_CONTAINS(words.data, "about 4 more runs per side");
	perun_buffer_clear(&words);
	verdict.more = PERUN_VERDICT_MAX_MORE_RUNS;
	perun_verdict_explain(&verdict, &plain, "s", &words);
	CHECK_CONTAINS(words.data, "about 1000 more runs per side");
	perun_buffer_clear(&words);
	verdict.more = PERUN_VERDICT_MAX_MORE_RUNS + 1;
	perun_verdict_explain(&verdict, &plain, "s", &words);
	CHECK_CONTAINS(words.data, "no reasonable number of runs would settle it");
	perun_buffer_free(&words);
}

/* One, two, three runs: what unchanged programs hardly ever show is a change, what they often show is none. */
TEST(test_few)
{
	static const struct {
		size_t runs;
		double factor;
		enum perun_answer answer;
	} cases[] = {{1, 1.6, PERUN_VERDICT_INCREASE}, {1, 10, PERUN_VERDICT_INCREASE},
		     {1, 0.1, PERUN_VERDICT_DECREASE}, {1, 1.2, PERUN_VERDICT_UNDECIDED},
		     {1, 1.05, PERUN_VERDICT_SAME},    {2, 1.45, PERUN_VERDICT_INCREASE},
		     {2, 1.04, PERUN_VERDICT_SAME},    {3, 1.35, PERUN_VERDICT_INCREASE},
		     {3, 0.7, PERUN_VERDICT_DECREASE}, {3, 1.12, PERUN_VERDICT_UNDECIDED}};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double one[] = {100, 101, 99}, other[3];
		struct perun_verdict verdict;

		for (size_t k = 0; k < 3; k++)
			other[k] = one[k] * cases[i].factor;
		perun_judge(one, cases[i].runs, other, cases[i].runs, &plain, &verdict);
		if (verdict.answer != cases[i].answer)
			CHECK_FAIL("%zu runs, factor %g: answer %d", cases[i].runs, cases[i].factor,
				   (int)verdict.answer);
		CHECK((verdict.p <= 0.05) == (verdict.low > 0 || verdict.high < 0));
	}
}

/* However many others are tested: 1.6 on one run is a change; 1.4 is one only where the others leave p small. */
TEST(test_few_of_many)
{
	const double one[] = {100}, large[] = {160}, small[] = {140};
	struct perun_verdict verdict;

	perun_judge(one, 1, large, 1, &plain, &verdict);
	perun_verdict_readjust(&verdict, &plain, 0.1);
	CHECK_INT(verdict.answer, PERUN_VERDICT_INCREASE);
	CHECK(verdict.p <= 0.01);
	perun_judge(one, 1, small, 1, &plain, &verdict);
	perun_verdict_readjust(&verdict, &plain, 0.005);
	CHECK_INT(verdict.answer, PERUN_VERDICT_INCREASE);
	perun_verdict_readjust(&verdict, &plain, 0.02);
	CHECK_INT(verdict.answer, PERUN_VERDICT_UNDECIDED);
}

/* However far apart, and whatever the noise: p and the interval say the same. */
TEST(test_consistent)
{
	struct source source = {99};

	for (unsigned round = 0; round < 400; round++) {
		size_t n = 4 + round % 21;
		struct habit habit = draw_habit(&source);
		double values[2][32];
		struct perun_verdict verdict;

		make_noise(&source, (enum noise)(round % 7), habit, n, values[0]);
		make_noise(&source, (enum noise)(round % 7), habit, n, values[1]);
		for (size_t i = 0; i < n; i++) {
			values[0][i] += 1;
			values[1][i] += 1 + 0.005 * (round % 10);
		}
		perun_judge(values[0], n, values[1], n, &plain, &verdict);
		if ((verdict.p <= 0.05) != (verdict.low > 0 || verdict.high < 0))
			CHECK_FAIL("%zu runs: p %g, interval %g to %g", n, verdict.p, verdict.low,
				   verdict.high);
	}
}

/* One value differs among many equal ones: no noise by the MAD, but some all the same. */
/* The step between the medians, which is printed, is within the interval that is printed beside it. */
TEST(test_interval_holds_medians)
{
	struct source source = {99};
	double values[2][40];

	for (unsigned round = 0; round < 3000; round++) {
		size_t n = 4 + round % 36;
		struct habit habit = draw_habit(&source);
		struct perun_verdict verdict;

		make_noise(&source, round % 2 ? BIMODAL : LOGNORMAL, habit, n, values[0]);
		make_noise(&source, round % 2 ? BIMODAL : LOGNORMAL, habit, n, values[1]);
		for (size_t i = 0; i < n; i++) {
			values[0][i] += 1;
			values[1][i] += 1.1;
		}
		perun_judge(values[0], n, values[1], n, &plain, &verdict);
		if (verdict.answer != PERUN_VERDICT_INCREASE)
			continue;
		CHECK(verdict.after <= verdict.before ||
		      (verdict.low <= verdict.after - verdict.before &&
		       verdict.after - verdict.before <= verdict.high));
	}
}

TEST(test_mostly_equal)
{
	double one[20], other[20];
	struct perun_verdict verdict;

	for (size_t i = 0; i < 20; i++)
		one[i] = other[i] = 7;
	one[3] = other[8] = 9;
	perun_judge(one, 20, other, 20, &plain, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_SAME);
	CHECK(verdict.noise > 0);
}

TEST(test_adjusted)
{
	double one[20], other[20];
	struct perun_verdict verdict;

	for (size_t i = 0; i < 20; i++) {
		one[i] = 100 + (double)(i * 7 % 20) / 10;
		other[i] = 103 + (double)(i * 11 % 20) / 10;
	}
	perun_judge(one, 20, other, 20, &plain, &verdict);
	CHECK_INT(verdict.answer, PERUN_VERDICT_INCREASE);
	perun_verdict_readjust(&verdict, &plain, 0.2);
	CHECK(verdict.answer != PERUN_VERDICT_INCREASE);
	CHECK_DOUBLE(verdict.p, 0.2, 0);
}

/* Six runs of each of a dozen benchmarks: one that doubled is found, though the ranks of as few never are beyond doubt. */
TEST(test_factors_apart)
{
	static const double before[] = {3.7, 3.6, 3.9, 3.7, 3.8, 3.7};
	static const double after[] = {8.7, 7.5, 8.9, 9.6, 8.0, 8.8};
	double nearer[6], overlapping[6];
	struct perun_verdict verdict;

	for (size_t i = 0; i < 6; i++) {
		nearer[i] = after[i] * 0.9;
		overlapping[i] = i == 1 ? 5 : after[i];
	}
	perun_judge(before, 6, after, 6, &plain, &verdict);
	perun_verdict_readjust(&verdict, &plain, 0.02);
	CHECK_INT(verdict.answer, PERUN_VERDICT_INCREASE);
	perun_judge(after, 6, before, 6, &plain, &verdict);
	perun_verdict_readjust(&verdict, &plain, 0.02);
	CHECK_INT(verdict.answer, PERUN_VERDICT_DECREASE);
	/* Below a factor of 2.2, and where the nearest runs are not far from each other, it takes more runs. */
	perun_judge(before, 6, nearer, 6, &plain, &verdict);
	perun_verdict_readjust(&verdict, &plain, 0.02);
	CHECK_INT(verdict.answer, PERUN_VERDICT_UNDECIDED);
	perun_judge(before, 6, overlapping, 6, &plain, &verdict);
	perun_verdict_readjust(&verdict, &plain, 0.02);
	CHECK_INT(verdict.answer, PERUN_VERDICT_UNDECIDED);
}

TEST(test_signed_ranks)
{
	const double differences[] = {-0.4, 1.2, 0.8, 2.1, 1.7, 0.3, 1.9, -0.1, 0};
	struct perun_mann_whitney test;

	/* The sum of the positive ranks is 32 of 36: 7 of the 256 choices of signs reach it. */
	perun_signed_ranks(differences, 9, &test);
	CHECK(test.exact);
	CHECK_DOUBLE(test.u, 32, 0);
	CHECK_DOUBLE(test.p, 2 * 7.0 / 256, 1e-15);
	perun_signed_ranks(differences + 8, 1, &test);
	CHECK_DOUBLE(test.p, 1, 0);
}

CHECK_MAIN(, )
