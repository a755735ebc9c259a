/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that the repeats of neighbouring versions show, however short the series is. */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>
#include <perun/lib/verdict.h>

#include "core/changepoint/segments.h"
#include "core/statistics/family.h"
#include "core/statistics/few-runs.h"
#include "core/statistics/sampling.h"

/* From this many differences on versions with a run or two each show how sessions differ. */
#define MIN_SINGLE 7
/* Deviations between sessions that a step exceeds when two versions on each side show it. */
#define CONFIRMED 3.0
/* Versions on each side from which on their own scatter says whether these are apart. */
#define MIN_SIDE 4
/* Versions on each side that the size of a step is measured by. */
#define NEAR 5
/* One of this many neighbouring versions that are equal shows that nothing but changes moves them. */
#define EQUAL 8
/* Degrees of freedom of a noise that is known, as that of counts. */
#define KNOWN 200
/* Repeats that a version between two others must have to be a change by itself. */
#define EXCURSION_RUNS 4

/* ---- noise ------------------------------------------------------------------------------------- */

/* The standard error of the median of `repeats` values whose residuals these are. */
static double error_of_median(double *residuals, size_t count, size_t versions, double repeats)
{
	double sigma = PERUN_MAD_TO_SIGMA * perun_mad(residuals, count, 0), r;

	for (size_t i = 0; i < count; i++)
		residuals[i] = changepoint_limited(residuals[i], 3 * sigma);
	r = perun_autocorrelation(residuals, count, 1);
	r = fmax(changepoint_unbiased(r, (double)versions, count), 0);
	return sigma * sqrt(M_PI / 2 / repeats * (1 + r) / (1 - r));
}

/* Of two in the middle the smaller one: a step is more likely than two versions that are equal by chance. */
static double lower_median(double *values, size_t count)
{
	double median = perun_median(values, count), lower = 0;

	for (size_t i = 0; i < count; i++) {
		if (values[i] <= median)
			lower = fmax(lower, values[i]);
	}
	return lower;
}

/* What a program repeats exactly varies no more than such a change, and not at all where a part of the versions are equal. */
static double limit_exact(const double *differences, size_t count, double between)
{
	size_t equal = 0;

	for (size_t i = 0; i < count; i++)
		equal += differences[i] == 0;
	return EQUAL * equal >= count ? 0 : fmin(between, CHANGEPOINT_EXACT);
}

static double level_of(const struct changepoint_scale *scale, double value)
{
	if (scale->sample > 0)
		return samples_root(fmax(value / scale->sample, 0));
	return scale->typical > 0 ? value / scale->typical : log(fmax(value, scale->zero));
}

/* Distances from a median as shares of it, two at a time. */
static void divide_by(const double *values, size_t count, double median, double *shares)
{
	typedef double pair __attribute__((vector_size(2 * sizeof(double))));
	const pair medians = {median, median};
	size_t i = 0;

	for (; i + 1 < count; i += 2) {
		pair two;

		memcpy(&two, values + i, sizeof two);
		two = (two - medians) / medians;
		memcpy(shares + i, &two, sizeof two);
	}
	if (i < count)
		shares[i] = (values[i] - median) / median;
}

/* The residuals of one version's repeats about their median, without the median itself. */
static size_t add_residuals(const struct changepoint_scale *scale, const double *repeats,
			    size_t count, double median, double *residuals)
{
	size_t at = 0;

	if (scale->typical > 0) {
		for (size_t i = 0; i < count; i++)
			residuals[i] = (repeats[i] - median) / scale->typical;
	} else {
		divide_by(repeats, count, median, residuals);
	}
	if (count % 2 == 0)
		return count;
	while (at < count && repeats[at] != median)
		at++;
	if (at == count)
		return count;
	for (; at + 1 < count; at++)
		residuals[at] = residuals[at + 1];
	return count - 1;
}

/* What the repeats show, where there are enough of them. */
static double measure_within(const struct perun_value_series *series,
			     const struct changepoint_scale *scale, const size_t *places,
			     size_t count, double *residuals)
{
	size_t total = 0, added = 0;

	for (size_t i = 0; i < count; i++) {
		size_t first = series->starts[places[i]];
		size_t repeats = series->starts[places[i] + 1] - first;

		added += add_residuals(scale, series->repeats + first, repeats,
				       series->values[places[i]], residuals + added);
		total += repeats;
	}
	return error_of_median(residuals, added, count, (double)total / (double)count);
}

/* The same of counts of samples, whose level is a mean: as they and others that are measured along vary. */
static double measure_samples(const struct perun_value_series *series,
			      const struct changepoint_scale *scale, const size_t *places,
			      size_t count, size_t total, double *freedom)
{
	struct samples_scatter scatter = {series->dispersion, series->dispersion_freedom};
	double squares = 0, own = (double)(total - count);

	if (!(scatter.dispersion > 0))
		scatter = (struct samples_scatter){SAMPLES_DISPERSION, SAMPLES_FREEDOM};
	for (size_t i = 0; i < count; i++)
		samples_mean_root(series->repeats + series->starts[places[i]],
				  series->starts[places[i] + 1] - series->starts[places[i]],
				  scale->sample, &squares);
	*freedom = own + scatter.freedom;
	return sqrt(samples_variance(&scatter, squares, own) * (double)count / (double)total);
}

/* The standard error of a version's level, by its repeats or by what is known of such values. */
static double within_of(const struct perun_value_series *series, const size_t *places, size_t count,
			double *residuals, struct changepoint_noise *noise)
{
	const struct changepoint_scale *scale = &noise->scale;
	bool repeated = noise->repeats >= CHANGEPOINT_REPEATS * count;

	if (series->exact)
		return 0;
	if (scale->sample > 0 && repeated)
		return measure_samples(series, scale, places, count, noise->repeats,
				       &noise->freedom);
	if (scale->sample > 0)
		return sqrt((SAMPLES_DISPERSION +
			     SAMPLES_WANDERING * SAMPLES_WANDERING * scale->typical) *
			    (double)count / (double)noise->repeats);
	return repeated ? measure_within(series, scale, places, count, residuals) : 0;
}

static struct changepoint_scale choose_scale(const struct perun_value_series *series,
					     const double *values, size_t count)
{
	struct changepoint_scale scale = {.sample = series->sample > 0 ? series->sample : 0};
	bool logarithms = true;

	for (size_t i = 0; i < count; i++) {
		logarithms &= values[i] > 0 || (series->exact && values[i] == 0);
		scale.typical = fabs(values[i]) > scale.typical ? fabs(values[i]) : scale.typical;
	}
	if (scale.sample > 0)
		scale.typical /= scale.sample;
	else if (logarithms)
		scale = (struct changepoint_scale){.zero = CHANGEPOINT_ZERO * scale.typical};
	return scale;
}

/* Of counts of a few samples a median says less than a mean. */
static double mean_level(const struct perun_value_series *series, size_t place, double sample)
{
	size_t first = series->starts[place];
	double squares = 0;

	return samples_mean_root(series->repeats + first, series->starts[place + 1] - first, sample,
				 &squares);
}

static bool is_nothing(const double *values, size_t count)
{
	while (count > 0 && values[count - 1] == 0)
		count--;
	return count == 0;
}

/* What others that are measured in the same sessions show counts beside a few differences, or instead of them. */
static void share_between(const struct perun_value_series *series, struct changepoint_noise *noise)
{
	double own = noise->between > 0 ? (double)noise->differences : 0;
	double others = series->dispersion_freedom;

	if (!noise->repeated || noise->sampled || noise->exact || noise->scale.typical > 0 ||
	    !(series->dispersion > 0))
		return;
	noise->between =
		sqrt((own * noise->between * noise->between + others * series->dispersion) /
		     (own + others));
	noise->shared = fmax(own + others - (double)noise->differences, 1);
	noise->dispersion = series->dispersion;
}

void changepoint_measure(const struct perun_value_series *series, const double *values,
			 const size_t *places, size_t count, struct changepoint_noise *noise)
{
	const struct changepoint_scale scale = choose_scale(series, values, count);
	bool starts = series->repeats && series->starts;
	double *residuals;
	size_t total = 0;

	*noise = (struct changepoint_noise){.levels = perun_alloc_zero(count + 1, sizeof(double)),
					    .scale = scale,
					    .differences = count ? count - 1 : 0,
					    .share = 1,
					    .exact = series->exact};
	for (size_t i = 0; i < count; i++)
		total += starts ? series->starts[places[i] + 1] - series->starts[places[i]] : 1;
	noise->repeats = total;
	noise->has_within = count < 2 || is_nothing(values, count);
	if (noise->has_within)
		return;
	if (scale.sample > 0)
		noise->share = 1 / sqrt(fmax(scale.typical, 1));
	residuals = perun_alloc((count + 1) * sizeof *residuals);
	for (size_t i = 0; i < count; i++)
		noise->levels[i] = scale.sample > 0 && starts
					   ? mean_level(series, places[i], scale.sample)
					   : level_of(&scale, values[i]);
	noise->sampled = scale.sample > 0;
	noise->repeated = series->exact || noise->sampled || total >= CHANGEPOINT_REPEATS * count;
	if (!noise->repeated && scale.typical == 0)
		noise->few = few_runs_change(total / count, few_runs_certain_p(total / count));
	noise->freedom = noise->sampled || total <= count ? KNOWN : (double)(total - count);
	for (size_t i = 1; i < count; i++)
		residuals[i - 1] = fabs(noise->levels[i] - noise->levels[i - 1]);
	if (noise->differences >= CHANGEPOINT_DIFFERENCES)
		noise->between = PERUN_MAD_TO_SIGMA * lower_median(residuals, count - 1) / M_SQRT2;
	share_between(series, noise);
	if (series->exact)
		noise->between = limit_exact(residuals, count - 1, noise->between);
	perun_free(residuals);
}

void changepoint_measure_within(const struct perun_value_series *series, const size_t *places,
				size_t count, struct changepoint_noise *noise)
{
	double *residuals;

	if (noise->has_within)
		return;
	noise->has_within = true;
	residuals = perun_alloc((noise->repeats + 1) * sizeof *residuals);
	noise->within = within_of(series, places, count, residuals, noise);
	perun_free(residuals);
}

void changepoint_noise_free(struct changepoint_noise *noise)
{
	perun_free(noise->levels);
	*noise = (struct changepoint_noise){0};
}

/* Whether others alone say how far versions are apart, of which there are a few. */
static bool knows_by_others(const struct changepoint_noise *noise)
{
	return noise->shared > 0 && noise->differences < CHANGEPOINT_DIFFERENCES;
}

double changepoint_floor(const struct changepoint_noise *noise)
{
	double square = noise->between * noise->between - noise->within * noise->within, floor;

	if (!noise->repeated && noise->differences < MIN_SINGLE)
		return 0;
	floor = square > 0 && !noise->sampled ? CONFIRMED * sqrt(2 * square) : 0;
	return knows_by_others(noise) ? fmin(floor, FAMILY_FARTHEST) : floor;
}

/* Degrees of freedom of the deviation that steps are measured by: of the differences of versions, or of all repeats. */
static double freedom_of(const struct changepoint_noise *noise)
{
	return noise->between > noise->within ? (double)noise->differences + noise->shared
					      : noise->freedom;
}

double changepoint_repeats_p(const struct changepoint_noise *noise, size_t first, size_t at,
			     size_t end, double *width)
{
	size_t from = at - first > NEAR ? at - NEAR : first, to = end - at > NEAR ? at + NEAR : end;
	double step = perun_median(noise->levels + at, to - at) -
		      perun_median(noise->levels + from, at - from);
	double error = fmax(noise->within, noise->between) *
		       sqrt(1 / (double)(at - from) + 1 / (double)(to - at));
	double freedom = freedom_of(noise);

	*width = perun_student_quantile(0.975, freedom) * error * noise->share;
	return error > 0 ? 2 * perun_student_cdf(-fabs(step) / error, freedom) : step == 0;
}

double changepoint_versions_p(const struct changepoint_noise *noise, size_t first, size_t at,
			      size_t end, double *width)
{
	if (noise->differences < MIN_SINGLE || at - first < 2 || end - at < 2)
		return 1;
	return changepoint_repeats_p(noise, first, at, end, width);
}

double changepoint_samples_p(const struct perun_value_series *series, const size_t *places,
			     const struct changepoint_noise *noise, size_t first, size_t at,
			     size_t end)
{
	double means[2] = {0}, profiles[2] = {0};

	for (size_t i = first; i < end; i++) {
		means[i >= at] += noise->levels[i] / (double)(i < at ? at - first : end - at);
		profiles[i >= at] += series->repeats && series->starts
					     ? (double)(series->starts[places[i] + 1] -
							series->starts[places[i]])
					     : 1;
	}
	return 2 * perun_normal_cdf(-fabs(means[1] - means[0]) /
				    sqrt(1 / profiles[0] + 1 / profiles[1]));
}

/* ---- steps ------------------------------------------------------------------------------------- */

/*
 * The deviation of the difference of the value `at` and the one before, of `runs` and `others`, as files carry it; 0 =
 * they do not.
 */
static double carried_between(const struct perun_value_series *series, const size_t *places,
			      size_t at, size_t runs, size_t others)
{
	const double *known = series->deviations;

	return known ? few_runs_carried(known[places[at - 1]], known[places[at]], runs, others) : 0;
}

double changepoint_neighbours_p(const struct perun_value_series *series, const size_t *places,
				size_t at, const struct changepoint_noise *noise,
				struct perun_verdict *verdict)
{
	const double floor = changepoint_floor(noise);
	struct perun_verdict_options options = {.struct_size = sizeof options, .floor = floor};
	const double *repeats[2];
	size_t counts[2];

	for (size_t side = 0; side < 2; side++) {
		size_t place = places[at - 1 + side];

		if (series->repeats && series->starts) {
			repeats[side] = series->repeats + series->starts[place];
			counts[side] = series->starts[place + 1] - series->starts[place];
		} else {
			repeats[side] = series->values + place;
			counts[side] = 1;
		}
	}
	options.usual =
		fmax(floor / CONFIRMED, carried_between(series, places, at, counts[0], counts[1]));
	perun_judge(repeats[0], counts[0], repeats[1], counts[1], &options, verdict);
	return verdict->answer == PERUN_VERDICT_INCREASE ||
			       verdict->answer == PERUN_VERDICT_DECREASE
		       ? verdict->p
		       : 1;
}

/* The mean of levels, and the sum of squares about it. */
static double mean_of(const double *levels, size_t count, double *squares)
{
	double mean = 0;

	for (size_t i = 0; i < count; i++)
		mean += levels[i] / (double)count;
	for (size_t i = 0; i < count; i++)
		*squares += (levels[i] - mean) * (levels[i] - mean);
	return mean;
}

/* Whether two groups of levels overlap, of which the upper one has a level above one of the lower one. */
static bool overlap(const double *lower, size_t count, const double *upper, size_t others)
{
	double highest = lower[0];

	for (size_t i = 1; i < count; i++)
		highest = lower[i] > highest ? lower[i] : highest;
	for (size_t i = 0; i < others; i++) {
		if (upper[i] <= highest)
			return true;
	}
	return false;
}

/*
 * Whether several versions on each side, none of which overlaps with those of the other, are apart by more than they
 * scatter about their own means: in a short series the step itself is among the differences that `between` is made of.
 * Where others that are measured in the same sessions say how far versions scatter, one version on a side is enough.
 * `quantiles` of each freedom are found once, at first 0.
 */
static bool are_disjoint(const struct changepoint_noise *noise, size_t count, size_t at,
			 double *quantiles)
{
	const double *levels = noise->levels;
	size_t first = at > NEAR ? at - NEAR : 0, end = count - at > NEAR ? at + NEAR : count;
	size_t before = at - first, after = end - at, freedom = before + after - 2;
	size_t least = noise->shared > 0 ? 1 : MIN_SIDE;
	double squares = noise->shared * noise->dispersion, shift, error;
	const double *const one = levels + first, *const other = levels + at;

	if (!noise->repeated || noise->exact || before < least || after < least ||
	    (other[0] > levels[at - 1] ? overlap(one, before, other, after)
				       : overlap(other, after, one, before)))
		return false;
	shift = -mean_of(one, before, &squares);
	shift += mean_of(other, after, &squares);
	error = fmax(sqrt(squares / ((double)freedom + noise->shared)), noise->within) *
		sqrt(1 / (double)before + 1 / (double)after);
	if (quantiles[freedom] == 0)
		quantiles[freedom] =
			perun_student_quantile(1 - CHANGEPOINT_ALONE_P / 2 / (double)count,
					       (double)freedom + noise->shared);
	return fabs(shift) > error * quantiles[freedom];
}

/* Of samples it is known how far they scatter: a step may be smaller than what single values would have to show. */
#define SAMPLED_P 1e-3

static bool is_step_of_samples(const struct changepoint_noise *noise, size_t count, size_t at)
{
	const double *levels = noise->levels;
	double step = fabs(levels[at] - levels[at - 1]), width;

	return noise->sampled && step > fabs(levels[at - 1] - levels[at - 2]) &&
	       step > fabs(levels[at + 1] - levels[at]) &&
	       changepoint_repeats_p(noise, 0, at, count, &width) < SAMPLED_P / (double)count;
}

/* Levels are numbers, so these need not ask as fmin() and fmax() do. */
static double smaller(double one, double other)
{
	return one < other ? one : other;
}

static double larger(double one, double other)
{
	return one > other ? one : other;
}

/* How far the values up to `at` and from there on are apart, of one on each side or two; below 0 they are not. */
static double step_between(const double *levels, size_t before, size_t at, size_t after)
{
	double up = smaller(levels[at], levels[after]) - larger(levels[before], levels[at - 1]);
	double down = smaller(levels[before], levels[at - 1]) - larger(levels[at], levels[after]);

	return fmax(up, down);
}

/* What steps are measured by. */
struct measure {
	const struct perun_value_series *series;
	const size_t *places;
	size_t count;
	const struct changepoint_noise *noise;
	double error, alone, least;
	double quantiles[2 * NEAR - 1];
	/* Of many versions with a run or two each only those at the ends need this: others have levels around them. */
	bool ends;
};

/* `alone`: how many errors one value at an end must be away. */
static struct measure start_measure(const struct perun_value_series *series, const size_t *places,
				    size_t count, const struct changepoint_noise *noise,
				    double alone)
{
	double error = M_SQRT2 * fmax(noise->within, noise->between);

	return (struct measure){.series = series,
				.places = places,
				.count = count,
				.noise = noise,
				.error = error,
				.alone = error * alone,
				.least = noise->exact ? CHANGEPOINT_EXACT : 0,
				.ends = !noise->repeated && count >= CHANGEPOINT_FEW};
}

/* Whether the value i and those beside it are further apart than sessions are; `confirmed`: two on each side are. */
static bool is_apart(struct measure *measure, size_t i, bool *confirmed)
{
	const struct changepoint_noise *noise = measure->noise;
	const double *levels = noise->levels;
	size_t count = measure->count;
	size_t before = i > 1 ? i - 2 : i - 1, after = i + 1 < count ? i + 1 : i;
	double limit, step;

	*confirmed = before < i - 1 && after > i;
	limit = fmax(*confirmed ? CONFIRMED * measure->error : measure->alone, measure->least);
	if (measure->ends && i >= CHANGEPOINT_EDGE && i + 1 < count)
		return false;
	if (knows_by_others(noise))
		limit = fmin(limit, FAMILY_FARTHEST);
	/* Where most versions differ by their changes they do not show how far unchanged ones do. */
	if (*confirmed && noise->few > 0)
		limit = fmin(limit, noise->few);
	if (*confirmed && !noise->repeated)
		limit = fmax(limit, CONFIRMED * carried_between(measure->series, measure->places, i,
								2, 2));
	step = step_between(levels, before, i, after);
	if (step > limit)
		return true;
	/* Of exact values each version speaks for itself. */
	if (noise->exact &&
	    step_between(levels, i - 1, i, i) > fmax(measure->alone, measure->least))
		return true;
	if (noise->shared > 0 && are_disjoint(noise, count, i, measure->quantiles))
		return true;
	/* The nearest two on each side are among those that must not overlap. */
	return *confirmed && step > 0 &&
	       (are_disjoint(noise, count, i, measure->quantiles) ||
		is_step_of_samples(noise, count, i));
}

/* Whether all repeats of a version are below those of another one. */
static bool is_below(const struct measure *measure, size_t i, size_t other)
{
	const double *repeats = measure->series->repeats;
	const size_t *one = measure->series->starts + measure->places[i];
	const size_t *two = measure->series->starts + measure->places[other];
	double highest = -INFINITY, lowest = INFINITY;

	for (size_t k = one[0]; k < one[1]; k++)
		highest = larger(highest, repeats[k]);
	for (size_t k = two[0]; k < two[1]; k++)
		lowest = smaller(lowest, repeats[k]);
	return highest < lowest;
}

/*
 * Whether the version i alone is so far from both of its neighbours that no disturbance of its session explains it: a change
 * that the next version took back.
 */
static bool is_excursion(const struct measure *measure, size_t i)
{
	const struct changepoint_noise *noise = measure->noise;
	const double *levels = noise->levels;
	size_t place = measure->places[i];
	double step, limit;

	if (i == 0 || i + 1 == measure->count || !noise->repeated || noise->exact ||
	    noise->sampled || noise->scale.typical > 0 ||
	    measure->series->starts[place + 1] - measure->series->starts[place] < EXCURSION_RUNS)
		return false;
	step = levels[i] - levels[i - 1];
	limit = larger(measure->alone,
		       step < 0 ? CHANGEPOINT_LOWER_ALONE : CHANGEPOINT_HIGHER_ALONE);
	if ((step < 0) != (levels[i] < levels[i + 1]) ||
	    smaller(fabs(step), fabs(levels[i] - levels[i + 1])) <= limit)
		return false;
	return step < 0 ? is_below(measure, i, i - 1) && is_below(measure, i, i + 1)
			: is_below(measure, i - 1, i) && is_below(measure, i + 1, i);
}

bool changepoint_may_step(const struct perun_value_series *series, const size_t *places,
			  size_t count, const struct changepoint_noise *noise)
{
	struct changepoint_noise least = *noise;
	struct measure measure;
	bool may = false, confirmed;

	/* The more degrees of freedom, the less a step must be; a normal variable has the most. */
	least.freedom = fmax(noise->freedom, (double)noise->differences + noise->shared);
	least.differences = (size_t)least.freedom;
	measure = start_measure(series, places, count, &least,
				perun_normal_quantile(1 - CHANGEPOINT_ALONE_P / 2 / (double)count));
	for (size_t i = 1; !may && i < count; i++)
		may = is_apart(&measure, i, &confirmed) || is_excursion(&measure, i);
	return may;
}

void changepoint_repeats(const struct perun_value_series *series, const size_t *places,
			 size_t count, const struct changepoint_noise *noise,
			 struct changepoint_list *list)
{
	struct measure measure =
		start_measure(series, places, count, noise,
			      perun_student_quantile(1 - CHANGEPOINT_ALONE_P / 2 / (double)count,
						     freedom_of(noise)));
	struct perun_verdict verdict;
	bool away = false, was_away, confirmed;

	for (size_t i = 1; i < count; i++) {
		was_away = away;
		away = is_excursion(&measure, i);
		if (away || was_away ||
		    (is_apart(&measure, i, &confirmed) &&
		     ((confirmed && noise->repeated) || noise->exact || noise->sampled ||
		      changepoint_neighbours_p(series, places, i, noise, &verdict) < 1)))
			changepoint_list_add(list, i);
	}
}
