/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How costs grow with the length of an input. From a find others are made that are longer, by repeating all of it or
 * a part of it in its place, and shorter, by taking its beginning: the way that grows fastest says what it is.
 */
#include <config.h>

#include <math.h>
#include <string.h>

#include <perun/lib/fuzz-runtime.h>
#include <perun/lib/model.h>
#include <perun/lib/regression.h>

#include "core/context/clock.h"
#include "core/fuzz/search.h"

enum { MAX_POINTS = 12, MAX_PARTS = 12, LITTLE = 16 };
/* Points that a formula is found from, at least. */
#define MIN_POINTS 5
/* A run that is longer is the last one. */
#define LONG_RUN 0.5
/* An input that takes so long is not made longer. */
#define SLOW_RUN      0.1
#define LONGEST_INPUT (4u << 20)
/* Of a limit: the power is less than this share of that of the first points. */
#define FLATTER 0.5
/* How much better a curve that multiplies has to be than one that is a power. */
#define EXPONENTIAL_BETTER 0.02
#define LEFT_OPEN          20
/* The least power of beginnings that says how a slow input grows. */
#define MIN_POWER 0.9

/* One way: bytes [first, end) are repeated; `end` 0: the beginning is taken. */
struct way {
	size_t first, end;
	double slope; /* of the logarithms, over the last doubling */
};

struct measuring {
	struct perun_fuzz *search;
	struct fuzz_target *target;
	struct fuzz_bytes input;
	double until;
	bool by_time;
	struct perun_buffer text;
};
/* A run may take this share of the time that is left. */
#define MAX_SHARE 0.3
/* Time below is noise. */
#define MIN_NANOSECONDS 2e5

/* The input of about `size` bytes that a way leads to. */
static void make_input(struct measuring *work, const struct way *way, size_t size)
{
	const struct fuzz_bytes *input = &work->input;
	size_t length = way->end - way->first, copies;

	perun_buffer_clear(&work->text);
	if (!way->end) {
		perun_buffer_add(&work->text, input->bytes,
				 size < input->size ? size : input->size);
		return;
	}
	copies = size > input->size ? (size - input->size + length - 1) / length : 0;
	perun_buffer_add(&work->text, input->bytes, way->end);
	while (copies--)
		perun_buffer_add(&work->text, input->bytes + way->first, length);
	perun_buffer_add(&work->text, input->bytes + way->end, input->size - way->end);
}

/* False: it was not to be measured. `*last`: nothing longer should be tried. */
static int measure(struct perun_ctx *ctx, struct measuring *work, const struct way *way,
		   size_t size, double *bytes, double *cost, bool *last)
{
	double left = work->until - clock_now();
	struct fuzz_run run;
	int status;

	*last = true;
	*cost = NAN;
	if (left <= 0 || perun_cancelled(ctx))
		return PERUN_OK;
	make_input(work, way, size);
	if (work->text.length > PERUN_FUZZ_MAX_INPUT)
		return PERUN_OK;
	/* One that is too long is not to take all the time. */
	status = fuzz_target_run(
		ctx, work->target, work->text.data ? work->text.data : "", work->text.length,
		fmin(work->search->options.run_limit, left * MAX_SHARE), work->until, &run);
	if (status || run.outcome != FUZZ_DONE)
		return status;
	*last = run.seconds > LONG_RUN;
	*bytes = (double)work->text.length;
	/* What every run costs says nothing of growth. */
	*cost = work->by_time ? (run.seconds - work->search->expectation.seconds) * 1e9
			      : (double)run.cost - work->search->expectation.cost;
	return PERUN_OK;
}

/* By what power of the length the cost grows from `size` to about twice that; NaN = not known. */
static int measure_slope(struct perun_ctx *ctx, struct measuring *work, struct way *way,
			 size_t size)
{
	double bytes[2], costs[2];
	bool last = false;
	int status = measure(ctx, work, way, size, &bytes[0], &costs[0], &last);

	if (!status && !last)
		status = measure(ctx, work, way, 2 * size, &bytes[1], &costs[1], &last);
	else
		costs[1] = NAN;
	way->slope = costs[0] > 0 && costs[1] > 0 && bytes[1] > bytes[0]
			     ? log(costs[1] / costs[0]) / log(bytes[1] / bytes[0])
			     : NAN;
	return status;
}

/* The way by which costs grow fastest. */
static int choose_way(struct perun_ctx *ctx, struct measuring *work, double seconds,
		      struct way *best)
{
	size_t size = work->input.size, part = size / MAX_PARTS ? size / MAX_PARTS : 1;
	struct way tried[2 * MAX_PARTS + 3] = {{.first = 0, .end = size}, {.first = 0, .end = 0}};
	size_t count = 2;
	int status = PERUN_OK;

	if (seconds > SLOW_RUN) /* longer ones would hang */
		tried[0] = tried[1], count = 1;
	else if (size > 1)
		tried[count++] = (struct way){.first = size / 2, .end = size};
	for (size_t at = 0;
	     seconds <= SLOW_RUN && at < size && count < sizeof tried / sizeof *tried; at += part)
		tried[count++] =
			(struct way){.first = at, .end = at + part < size ? at + part : size};
	*best = (struct way){.slope = NAN};
	for (size_t i = 0; i < count && !status; i++) {
		status = measure_slope(ctx, work, &tried[i], tried[i].end ? size : size / 2);
		/* A prefix is not made of anything new: it counts as much where it grows as fast. */
		if (!isnan(tried[i].slope) && !(tried[i].slope <= best->slope + (i ? 0.1 : 0)))
			*best = tried[i];
	}
	return status;
}

/* Ascending lengths, from an eighth of the input on; longer ones as long as time allows. */
static int measure_points(struct perun_ctx *ctx, struct measuring *work, const struct way *way,
			  struct perun_fuzz_growth *growth)
{
	double *sizes = perun_alloc(MAX_POINTS * sizeof *sizes);
	double *costs = perun_alloc(MAX_POINTS * sizeof *costs), step = way->end ? 1.6 : 1.35;
	double size = way->end ? (double)work->input.size : (double)work->input.size / 24;
	bool last = false;
	int status = PERUN_OK;

	growth->sizes = sizes;
	growth->costs = costs;
	for (size = size < 4 ? 4 : size;
	     growth->count < MAX_POINTS && !last && !status && size <= LONGEST_INPUT;
	     size *= step) {
		double bytes, cost;

		status = measure(ctx, work, way, (size_t)size, &bytes, &cost, &last);
		if (isnan(cost))
			break;
		if (cost <= (work->by_time ? MIN_NANOSECONDS : 0) ||
		    (growth->count && bytes <= sizes[growth->count - 1]))
			continue;
		sizes[growth->count] = bytes;
		costs[growth->count++] = cost;
	}
	return status;
}

/* The longest input of a way that is done in time: a beginning, or up to twice the input. */
static int find_longest(struct perun_ctx *ctx, struct measuring *work, const struct way *way,
			size_t *longest)
{
	size_t low = way->end ? work->input.size : 1;
	size_t high = way->end ? 2 * work->input.size + LITTLE : work->input.size + 1;
	int status = PERUN_OK;

	while (high - low > 1 && !status && clock_now() < work->until) {
		size_t middle = low + (high - low) / 2;
		double bytes, cost;
		bool last;

		status = measure(ctx, work, way, middle, &bytes, &cost, &last);
		if (isnan(cost))
			high = middle;
		else
			low = middle;
	}
	*longest = low;
	return status;
}

/* Where doubling ends at once, a few bytes less each time; growth has no points before. */
static int measure_steps(struct perun_ctx *ctx, struct measuring *work, const struct way *way,
			 struct perun_fuzz_growth *growth)
{
	double *sizes = (double *)growth->sizes, *costs = (double *)growth->costs;
	size_t longest, shortest = way->end ? work->input.size : 1, step;
	int status = find_longest(ctx, work, way, &longest);

	growth->count = 0;
	step = way->end ? (longest - shortest) / MAX_POINTS : longest / (2 * MAX_POINTS);
	step = step ? step : 1;
	for (size_t i = MAX_POINTS; i-- && !status;) {
		double bytes, cost;
		bool last;

		if (longest < shortest + i * step)
			continue;
		status = measure(ctx, work, way, longest - i * step, &bytes, &cost, &last);
		if (isnan(cost) || cost <= (work->by_time ? MIN_NANOSECONDS : 0) ||
		    (growth->count && bytes <= sizes[growth->count - 1]))
			continue;
		sizes[growth->count] = bytes;
		costs[growth->count++] = cost;
	}
	return status;
}

/* ---- which class ----------------------------------------------------------------------------- */

/* Better by much, or, where both are close, as over few lengths, in what they leave open. */
static bool is_better(const struct perun_fit *fit, const struct perun_fit *other)
{
	return fit->r_square >= other->r_square + EXPONENTIAL_BETTER ||
	       (1 - fit->r_square) * LEFT_OPEN < 1 - other->r_square;
}

/* "O(1.9^n)" where each further byte multiplies the cost; NULL where a power explains it as well. */
static char *exponential_class(const struct perun_fuzz_growth *growth)
{
	struct perun_fit power, exponential;
	size_t n = growth->count;

	if (growth->costs[n - 1] < 16 * growth->costs[0] ||
	    !perun_fit_curve(PERUN_CURVE_POWER, growth->sizes, growth->costs, n, &power) ||
	    !perun_fit_curve(PERUN_CURVE_EXPONENTIAL, growth->sizes, growth->costs, n,
			     &exponential) ||
	    !is_better(&exponential, &power) || exponential.b[1] < 1.05)
		return NULL;
	return perun_format("O(%.2g^n)", exponential.b[1]);
}

/* Beginnings are not alike in all: the power that fits them is said as what it is. */
static char *power_class(const struct perun_fuzz_growth *growth)
{
	struct perun_fit power;

	/* Where the slow part is not at the beginning, the power is that of nothing. */
	return perun_fit_curve(PERUN_CURVE_POWER, growth->sizes, growth->costs, growth->count,
			       &power) &&
			       power.b[1] >= MIN_POWER
		       ? perun_format("about O(n^%.2g)", power.b[1])
		       : NULL;
}

/* The power by which costs grow from one point to another. */
static double slope_between(const struct perun_fuzz_growth *growth, size_t from, size_t to)
{
	return log(growth->costs[to] / growth->costs[from]) /
	       log(growth->sizes[to] / growth->sizes[from]);
}

/* How many points there are before a limit of the program, from which on costs hardly grow: those say nothing of what is before. */
static size_t count_before_limit(const struct perun_fuzz_growth *growth)
{
	double least = FLATTER * slope_between(growth, 0, MIN_POINTS - 1);
	size_t count = growth->count;

	while (count > MIN_POINTS && slope_between(growth, count - 2, count - 1) < least)
		count--;
	return count;
}

static void classify(struct perun_ctx *ctx, struct perun_fuzz_growth *growth, bool beginnings)
{
	struct perun_fuzz_growth used = *growth;
	static const char *const names[] = {"n"};
	/* The classes that people have a picture of. */
	struct perun_modeler_options options = {.kind = PERUN_MODELER_BASIC,
						.poly_exponents = "0,1/2,1,3/2,2,3",
						.log_exponents = "0,1"};
	struct perun_modeler *modeler;
	struct perun_scaling_model model;
	struct perun_buffer text = {0};

	if (growth->count < MIN_POINTS)
		return;
	used.count = count_before_limit(growth);
	growth->class_name = exponential_class(&used);
	if (!growth->class_name && beginnings)
		growth->class_name = power_class(&used);
	if (growth->class_name || beginnings ||
	    perun_modeler_new(ctx, &options, used.sizes, used.count, 1, &modeler))
		return;
	perun_modeler_fit(modeler, growth->costs, &model);
	perun_formula_print_class(perun_scaling_model_last(&model), names, &text);
	growth->class_name = perun_buffer_take(&text);
	perun_scaling_model_clear(&model);
	perun_modeler_free(modeler);
}

static int measure_growth(struct perun_ctx *ctx, struct measuring *work, double seconds,
			  struct perun_fuzz_growth *growth)
{
	struct way way;
	double until = work->until;
	int status;

	work->until = clock_now() + (until - clock_now()) / 2;
	status = choose_way(ctx, work, seconds, &way);
	work->until = until;
	if (status)
		return status;
	if (isnan(way.slope))
		way.end = seconds > SLOW_RUN ? 0 : work->input.size;
	status = measure_points(ctx, work, &way, growth);
	if (!status && growth->count < MIN_POINTS)
		status = measure_steps(ctx, work, &way, growth);
	if (!status)
		classify(ctx, growth, !way.end);
	return status;
}

void fuzz_repeat(const struct fuzz_entry *entry, size_t size, struct perun_buffer *out)
{
	perun_buffer_clear(out);
	while (out->length < size && entry->size)
		perun_buffer_add(out, entry->bytes,
				 entry->size < size - out->length ? entry->size
								  : size - out->length);
}

int fuzz_measure_growth(struct perun_ctx *ctx, struct perun_fuzz *search,
			struct fuzz_target *target, struct fuzz_find *find)
{
	const struct fuzz_entry *seed = search->entries[0];
	double now = clock_now(), time = find->until - now;
	struct measuring work = {.search = search,
				 .target = target,
				 .input = find->input,
				 .until = now + time * 0.4,
				 .by_time = find->found->by_time};
	struct way whole = {.end = seed->size};
	int status = find->input.size ? measure_growth(ctx, &work, find->seconds, &find->growth)
				      : PERUN_OK;

	work.input = (struct fuzz_bytes){seed->bytes, seed->size};
	work.until = clock_now() + time * 0.15;
	if (!status && seed->size) {
		status = measure_points(ctx, &work, &whole, &find->usual_growth);
		if (!status)
			classify(ctx, &find->usual_growth, false);
	}
	perun_buffer_free(&work.text);
	return status;
}
