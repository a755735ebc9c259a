/* SPDX-License-Identifier: BSD-3-Clause */
/* Strands of repeats, and of values that a program repeats exactly. */
#include <math.h>
#include <string.h>

#include <perun/lib/statistics.h>
#include <perun/lib/units.h>

#include "core/compare/compare.h"
#include "core/history/history.h"
#include "core/history/values.h"
#include "core/profile/pool.h"
#include "core/statistics/exact-values.h"
#include "core/statistics/family.h"
#include "core/statistics/few-runs.h"

/* What earlier versions show is that many deviations of a difference. */
#define EARLIER 3

/* How far the medians of several profiles of a version are from their mean: from session to session. */
static double deviation_of(const struct perun_comparisons *all, const struct compare_strand *strand)
{
	double squares = 0, free = 0;

	for (int s = 0; s < SIDES; s++) {
		const double *medians = strand->sides[s].profiles;
		double sum = 0, count = 0, mean;

		for (size_t i = 0; medians && i < all->profiles[s]; i++) {
			if (!isnan(medians[i])) {
				sum += medians[i];
				count++;
			}
		}
		mean = sum / count;
		for (size_t i = 0; medians && i < all->profiles[s]; i++)
			squares +=
				isnan(medians[i]) ? 0 : (medians[i] - mean) * (medians[i] - mean);
		free += count > 0 ? count - 1 : 0;
	}
	return free > 0 ? sqrt(squares / free) : 0;
}

static bool is_of_few(const struct compare_strand *strand)
{
	return strand->found.noise == PERUN_NOISE_TIMED && compare_has(strand, BEFORE) &&
	       compare_has(strand, AFTER) && strand->sides[BEFORE].count < 4 &&
	       strand->sides[AFTER].count < 4;
}

static double log_ratio(const struct compare_strand *strand)
{
	const struct compare_side *sides = strand->sides;
	double before = perun_median(sides[BEFORE].values, sides[BEFORE].count);
	double after = perun_median(sides[AFTER].values, sides[AFTER].count);

	return before > 0 && after > 0 ? log(after / before) : NAN;
}

/* Whether a strand is among those of a metric that show together how much runs differ. */
static bool shows_spread(const struct perun_comparisons *all, size_t first, size_t i)
{
	return is_of_few(&all->strands[i]) &&
	       compare_same_metric(&all->strands[first], &all->strands[i]) &&
	       isfinite(log_ratio(&all->strands[i]));
}

/*
 * Calls of one run are not benchmarks beside each other: what they do together changes all of them, each by another
 * factor. That a busy machine made each wait for others explains this factor at most.
 */
#define BUSY_CALLS 4

/* What the strands of a metric that begins at `first` show together becomes the floor of each. */
static void spread_of_metric(struct perun_comparisons *all, size_t first)
{
	size_t count = 0, end = compare_end(all, first);
	double *changes = perun_alloc((end - first + 1) * sizeof *changes);
	struct few_noise noise;

	for (size_t i = first; i < end; i++) {
		if (shows_spread(all, first, i))
			changes[count++] = log_ratio(&all->strands[i]);
	}
	noise = few_runs_noise(changes, count);
	for (size_t i = first; i < end; i++) {
		struct compare_strand *strand = &all->strands[i];
		const struct compare_side *sides = strand->sides;
		double floor;

		if (!shows_spread(all, first, i))
			continue;
		floor = few_runs_floor(&noise, log_ratio(strand), sides[BEFORE].count,
				       sides[AFTER].count,
				       sides[BEFORE].deviation > 0 || sides[AFTER].deviation > 0);
		if (strand->stacks)
			floor = fmin(floor, BUSY_CALLS - 1);
		strand->options.floor = fmax(strand->options.floor, floor);
	}
	perun_free(changes);
}

/* Whether a strand is among those of a metric whose sessions of some runs show how far the machine moved them. */
static bool is_of_family(const struct perun_comparisons *all, size_t first, size_t i)
{
	const struct compare_strand *strand = &all->strands[i];
	const struct compare_side *sides = strand->sides;

	return strand->found.noise == PERUN_NOISE_TIMED && !strand->stacks &&
	       compare_has(strand, BEFORE) && compare_has(strand, AFTER) &&
	       sides[BEFORE].count >= FEW_RUNS && sides[AFTER].count >= FEW_RUNS &&
	       compare_same_metric(&all->strands[first], strand) && isfinite(log_ratio(strand));
}

/* The same of those with more runs. */
static void family_of_metric(struct perun_comparisons *all, size_t first)
{
	size_t count = 0, end = compare_end(all, first);
	double *changes = perun_alloc((end - first + 1) * sizeof *changes);
	double *spreads = perun_alloc((end - first + 1) * sizeof *spreads), floor;

	for (size_t i = first; i < end; i++) {
		const struct compare_side *sides = all->strands[i].sides;

		if (!is_of_family(all, first, i))
			continue;
		changes[count] = log_ratio(&all->strands[i]);
		spreads[count++] = fmax(family_spread(sides[BEFORE].values, sides[BEFORE].count),
					family_spread(sides[AFTER].values, sides[AFTER].count));
	}
	floor = family_floor(changes, spreads, count);
	for (size_t i = first; floor > 0 && i < end; i++) {
		struct compare_strand *strand = &all->strands[i];

		if (is_of_family(all, first, i))
			strand->options.floor = fmax(strand->options.floor,
						     family_share(floor, log_ratio(strand) > 0));
	}
	perun_free(changes);
	perun_free(spreads);
}

/* A timer goes on while others have the processor: a call may be longer by a turn of theirs, and by several, in seconds. */
#define TURNS 0.03
/* A factor that nothing exceeds. */
#define NEVER 1e9

/* The same as the factor, less 1, that a call of a few runs has to exceed, up or down; 0 of what is no call. */
static double turns_of(const struct compare_strand *strand, double level)
{
	double share;

	if (!strand->stacks || strand->found.noise != PERUN_NOISE_TIMED || !is_of_few(strand) ||
	    perun_unit_of(strand->found.unit).kind != PERUN_UNIT_TIME)
		return 0;
	share = TURNS * (double)perun_unit_factor("s", strand->found.unit) / level;
	if (log_ratio(strand) >= 0)
		return share;
	return share < 1 ? share / (1 - share) : NEVER;
}

/* What earlier versions show; the host knows them. */
static double earlier_deviation(const struct perun_comparison *comparison,
				const struct compare_strand *strand)
{
	const struct perun_compared *found = &strand->found;

	if (found->noise != PERUN_NOISE_TIMED || !comparison->deviation)
		return 0;
	return comparison->deviation(comparison->deviation_data, found->metric, found->location,
				     found->workload);
}

void compare_spread(const struct perun_comparison *comparison, struct perun_comparisons *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		const struct compare_side *sides = strand->sides;
		double level = 0;

		if (compare_has(strand, BEFORE))
			level = fabs(perun_median(sides[BEFORE].values, sides[BEFORE].count));
		if (level > 0)
			strand->options.floor =
				fmax(strand->options.floor, fmax(deviation_of(all, strand) / level,
								 turns_of(strand, level)));
		strand->options.usual =
			fmax(earlier_deviation(comparison, strand) / EARLIER,
			     few_runs_carried(sides[BEFORE].deviation, sides[AFTER].deviation,
					      sides[BEFORE].count, sides[AFTER].count));
		strand->options.floor =
			fmax(strand->options.floor, EARLIER * strand->options.usual);
	}
	for (size_t i = 0; i < all->count; i = compare_end(all, i)) {
		spread_of_metric(all, i);
		family_of_metric(all, i);
	}
}

void compare_timed(struct compare_strand *strand)
{
	const struct compare_side *sides = strand->sides;
	struct perun_verdict *verdict = &strand->verdict;

	perun_judge(sides[BEFORE].values, sides[BEFORE].count, sides[AFTER].values,
		    sides[AFTER].count, &strand->options, verdict);
	strand->judged = true;
	if (verdict->before != 0) {
		strand->found.low = verdict->low / fabs(verdict->before);
		strand->found.high = verdict->high / fabs(verdict->before);
	}
}

/* ---- clocks ---------------------------------------------------------------------------------- */

/* Strands of one metric of the comparison, by what they are of. */
struct clocks {
	struct perun_pool *keys;
	const struct compare_strand **strands; /* of each key */
	size_t count;
	struct perun_buffer key;
};

static void set_key(struct clocks *clocks, const struct perun_compared *of)
{
	perun_buffer_clear(&clocks->key);
	perun_bytes_add_text(&clocks->key, of->location);
	perun_bytes_add_text(&clocks->key, of->workload);
}

static void find_clocks(const struct perun_comparisons *all, const char *metric,
			struct clocks *clocks)
{
	*clocks = (struct clocks){
		.keys = perun_pool_new(false),
		.strands = perun_alloc_zero(all->count + 1, sizeof(struct compare_strand *))};
	for (size_t i = 0; i < all->count; i++) {
		const struct compare_strand *strand = &all->strands[i];

		if (strcmp(strand->found.metric, metric) != 0 || !strand->judged)
			continue;
		set_key(clocks, &strand->found);
		if (perun_pool_add(&clocks->keys, clocks->key.data, clocks->key.length) ==
		    clocks->count)
			clocks->strands[clocks->count++] = strand;
	}
}

static void clocks_free(struct clocks *clocks)
{
	perun_pool_unref(clocks->keys);
	perun_free((void *)clocks->strands);
	perun_buffer_free(&clocks->key);
}

static const struct compare_strand *find_clock(struct clocks *clocks,
					       const struct compare_strand *strand)
{
	perun_id id;

	set_key(clocks, &strand->found);
	id = perun_pool_find(clocks->keys, clocks->key.data, clocks->key.length);
	return id < clocks->count ? clocks->strands[id] : NULL;
}

/* Whether the whole leaves the change of a part in doubt. */
static bool is_doubtful_part(const struct perun_compared *real, const struct perun_compared *part)
{
	const double parts[2] = {part->before, part->after};
	const double wholes[2] = {real->before, real->after};

	return !perun_part_exceeds(parts, wholes) && !perun_whole_moved_along(parts, wholes);
}

static bool has_changed(const struct compare_strand *strand)
{
	return strand->found.result != PERUN_RESULT_NO_CHANGE &&
	       strand->found.result != PERUN_RESULT_INCONCLUSIVE;
}

/* The load of both sides. */
static void find_loads(struct clocks *reals, struct clocks *cpus, struct perun_load loads[SIDES])
{
	for (size_t i = 0; i < reals->count; i++) {
		const struct perun_compared *real = &reals->strands[i]->found;
		const struct compare_strand *cpu = find_clock(cpus, reals->strands[i]);

		if (!cpu)
			continue;
		perun_load_add(&loads[BEFORE], real->before, cpu->found.before);
		perun_load_add(&loads[AFTER], real->after, cpu->found.after);
	}
}

/*
 * Whether a change of a real time is one that the processor time does not share, and the machine's load is enough to
 * explain the longer one.
 */
static bool was_busy(struct clocks *cpus, const struct perun_load loads[SIDES],
		     const struct compare_strand *strand)
{
	const struct perun_compared *real = &strand->found;
	const struct compare_strand *cpu =
		strcmp(real->metric, "time(real)") == 0 ? find_clock(cpus, strand) : NULL;

	if (!cpu || has_changed(cpu))
		return false;
	return real->after > real->before
		       ? perun_load_explains(&loads[AFTER], real->after, cpu->found.after)
		       : perun_load_explains(&loads[BEFORE], real->before, cpu->found.before);
}

/* Whether the machine made a real time longer that the times of the processor, which are its parts, did not move along with. */
static bool waited_for_processor(struct clocks *users, struct clocks *kernels,
				 const struct perun_load loads[SIDES],
				 const struct compare_strand *strand)
{
	const struct perun_compared *real = &strand->found;
	const struct compare_strand *user =
		strcmp(real->metric, "time(real)") == 0 ? find_clock(users, strand) : NULL;
	const struct compare_strand *kernel = user ? find_clock(kernels, strand) : NULL;

	if (!user)
		return false;
	return perun_waited_for_processor(
		(const double[]){real->before, real->after},
		(const double[]){user->found.before + (kernel ? kernel->found.before : 0),
				 user->found.after + (kernel ? kernel->found.after : 0)},
		loads[real->after > real->before ? AFTER : BEFORE].stated);
}

/* Whether the machine may have made a real time longer of which no processor time is known. */
static bool may_be_load(struct clocks *cpus, struct clocks *users,
			const struct perun_load loads[SIDES], const struct compare_strand *strand)
{
	const struct perun_compared *real = &strand->found;
	bool slower = real->after > real->before;
	double load = loads[slower ? AFTER : BEFORE].stated;
	double usual = loads[slower ? BEFORE : AFTER].stated;
	double longer = fmax(real->before, real->after);

	return load > 1 && strcmp(real->metric, "time(real)") == 0 && !find_clock(cpus, strand) &&
	       !find_clock(users, strand) &&
	       perun_busy_machine_explains(fmin(real->before, real->after), longer, longer, load,
					   usual);
}

/* Whether a part of a processor time changed that the whole of it did not move along with. */
static bool was_divided(struct clocks *users, struct clocks *kernels,
			const struct compare_strand *strand)
{
	const struct perun_compared *part = &strand->found;
	const struct compare_strand *user = NULL, *kernel = NULL;

	if (perun_is_part_of_time(part->metric)) {
		user = find_clock(users, strand);
		kernel = find_clock(kernels, strand);
	}
	return user && kernel &&
	       !perun_sum_moved_along(part->after - part->before,
				      user->found.after - user->found.before + kernel->found.after -
					      kernel->found.before);
}

/* Whether a part of a real time changed and the whole did not; on several processors a part may exceed it. */
static bool is_hidden(struct clocks *reals, const struct compare_strand *strand)
{
	const struct perun_compared *part = &strand->found;
	const struct compare_strand *real =
		perun_is_part_of_time(part->metric) ? find_clock(reals, strand) : NULL;

	return real && !has_changed(real) && is_doubtful_part(&real->found, part);
}

/* The time of the same which a number is made of; NULL = it is made of none. */
static const struct compare_strand *time_of(struct clocks *times,
					    const struct compare_strand *strand)
{
	const struct perun_compared *found = &strand->found;
	const struct compare_strand *time =
		found->noise == PERUN_NOISE_TIMED && !perun_is_clock(found->metric)
			? find_clock(times, strand)
			: NULL;

	return time && perun_is_made_of_time(
			       (const double[2]){found->before, found->after},
			       (const double[2]){time->found.before, time->found.after})
		       ? time
		       : NULL;
}

/* Whether a time of the same, which a number is made of, did not change. */
static bool repeats_unchanged_time(struct clocks *times, const struct compare_strand *strand)
{
	const struct compare_strand *time = time_of(times, strand);

	return time && !has_changed(time);
}

/* Other clocks of a run that may have changed, and what is made of a time, say nothing: the time has the answer. */
static bool is_answered(struct clocks *reals, struct clocks *cpus,
			const struct compare_strand *strand)
{
	if (!strand->judged || strand->found.result != PERUN_RESULT_INCONCLUSIVE)
		return false;
	if (perun_is_clock(strand->found.metric))
		return strcmp(strand->found.metric, "time(real)") != 0 && find_clock(reals, strand);
	return time_of(reals, strand) || time_of(cpus, strand);
}

/* ---- the sum of the parts of a processor time ------------------------------------------------- */

static bool has_sums(const struct compare_strand *user, const struct compare_strand *kernel)
{
	for (int s = 0; user && kernel && s < SIDES; s++) {
		if (user->sides[s].count < FEW_RUNS ||
		    user->sides[s].count != kernel->sides[s].count)
			return false;
	}
	return user && kernel && strcmp(user->found.unit, kernel->found.unit) == 0;
}

/* The verdict of the sums of the runs of both sides. */
static void judge_sums(const struct compare_strand *user, const struct compare_strand *kernel,
		       struct perun_verdict *verdict)
{
	double *sums[SIDES];

	for (int s = 0; s < SIDES; s++) {
		const struct compare_side *side = &user->sides[s];

		sums[s] = perun_alloc((side->count + 1) * sizeof *sums[s]);
		for (size_t i = 0; i < side->count; i++)
			sums[s][i] = side->values[i] + kernel->sides[s].values[i];
	}
	perun_judge(sums[BEFORE], user->sides[BEFORE].count, sums[AFTER], user->sides[AFTER].count,
		    &user->options, verdict);
	perun_free(sums[BEFORE]);
	perun_free(sums[AFTER]);
}

/* What is undecided of a time that doubled or halved along with the sum, as histories have it. */
static void take_sum(struct compare_strand *strand, const struct perun_verdict *sum)
{
	const double levels[SIDES] = {strand->found.before, strand->found.after};

	if (!perun_moved_with_sum(levels, 1, sum->after - sum->before,
				  perun_is_part_of_time(strand->found.metric)))
		return;
	strand->found.result = compare_result(strand, levels[AFTER] > levels[BEFORE]);
	strand->found.p = sum->p;
	strand->found.low = strand->found.high = 0;
	strand->found.explanation =
		"the processor time, which is the sum of its parts, changed by as much";
}

void compare_sums(struct perun_comparisons *all)
{
	struct clocks users, kernels;

	find_clocks(all, "time(user)", &users);
	find_clocks(all, "time(sys)", &kernels);
	for (size_t i = 0; users.count && kernels.count && i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		const struct compare_strand *user, *kernel;
		struct perun_verdict sum;

		if (!strand->judged || strand->found.result != PERUN_RESULT_INCONCLUSIVE ||
		    (strcmp(strand->found.metric, "time(real)") != 0 &&
		     !perun_is_part_of_time(strand->found.metric)))
			continue;
		user = find_clock(&users, strand);
		kernel = find_clock(&kernels, strand);
		if (!has_sums(user, kernel))
			continue;
		judge_sums(user, kernel, &sum);
		if (sum.answer == PERUN_VERDICT_INCREASE || sum.answer == PERUN_VERDICT_DECREASE)
			take_sum(strand, &sum);
	}
	clocks_free(&kernels);
	clocks_free(&users);
}

void compare_clocks(struct perun_comparisons *all)
{
	struct perun_load loads[SIDES] = {{.stated = all->loads[BEFORE]},
					  {.stated = all->loads[AFTER]}};
	struct clocks cpus, reals, users, kernels;

	find_clocks(all, "time(user)", &users);
	find_clocks(all, "time(sys)", &kernels);
	find_clocks(all, "time(cpu)", &cpus);
	find_clocks(all, "time(real)", &reals);
	find_loads(&reals, &cpus, loads);
	for (size_t i = 0; i < all->count; i++) {
		struct compare_strand *strand = &all->strands[i];
		const char *explanation = NULL;

		strand->answered = is_answered(&reals, &cpus, strand);
		if (!strand->judged || !has_changed(strand))
			continue;
		if (was_busy(&cpus, loads, strand) ||
		    waited_for_processor(&users, &kernels, loads, strand))
			explanation = "undecided: the processor time did not change, so the "
				      "machine was busy, or the program waits; measure again";
		else if (may_be_load(&cpus, &users, loads, strand))
			explanation = "undecided: the machine was busy while the longer one was "
				      "measured; measure again";
		else if (was_divided(&users, &kernels, strand))
			explanation = "undecided: the processor time, which it is a part of, did "
				      "not change";
		else if (is_hidden(&reals, strand))
			explanation = "undecided: the real time, which it is a part of, did "
				      "not change";
		else if (repeats_unchanged_time(&reals, strand) ||
			 repeats_unchanged_time(&cpus, strand))
			explanation = "undecided: the time, which it is made of, did not change";
		if (explanation) {
			strand->found.result = PERUN_RESULT_INCONCLUSIVE;
			strand->found.explanation = explanation;
		}
	}
	clocks_free(&kernels);
	clocks_free(&users);
	clocks_free(&reals);
	clocks_free(&cpus);
}

/* ---- exact values ---------------------------------------------------------------------------- */

static bool is_constant(const struct compare_side *side)
{
	for (size_t i = 1; i < side->count; i++) {
		if (side->values[i] != side->values[0])
			return false;
	}
	return true;
}

static bool is_exact(const struct compare_strand *strand)
{
	const struct compare_side *sides = strand->sides;

	return strand->found.noise == PERUN_NOISE_EXACT && !strand->stacks && !strand->judged &&
	       compare_has(strand, BEFORE) && compare_has(strand, AFTER) &&
	       sides[BEFORE].values[0] != 0;
}

void compare_exact_spread(struct perun_comparisons *all, size_t first)
{
	size_t count = 0, end = compare_end(all, first);
	double *changes = perun_alloc((end - first + 1) * sizeof *changes);
	struct exact_noise noise;

	for (size_t i = first; i < end; i++) {
		const struct compare_side *sides = all->strands[i].sides;

		if (is_exact(&all->strands[i]))
			changes[count++] = sides[AFTER].values[0] / sides[BEFORE].values[0] - 1;
	}
	noise = exact_noise_of(changes, count);
	for (size_t i = first; i < end; i++) {
		struct perun_compared *found = &all->strands[i].found;

		if (!is_exact(&all->strands[i]) || found->result == PERUN_RESULT_NO_CHANGE ||
		    !exact_is_noise(&noise, found->before, found->after, found->unit))
			continue;
		found->result = PERUN_RESULT_NO_CHANGE;
		found->explanation = "others vary by as much, up and down";
	}
	perun_free(changes);
}

void compare_exact(struct compare_strand *strand, const struct perun_compare_options *options)
{
	const struct compare_side *sides = strand->sides;
	struct perun_compared *found = &strand->found;
	double change;

	/* Values that vary all the same are judged as such. */
	if (!is_constant(&sides[BEFORE]) || !is_constant(&sides[AFTER])) {
		strand->options.threshold =
			fmin(strand->options.threshold, options->exact_threshold);
		compare_timed(strand);
		return;
	}
	found->before = sides[BEFORE].values[0];
	found->after = sides[AFTER].values[0];
	change = fabs(found->after - found->before);
	if (change > options->exact_threshold * fabs(found->before))
		found->result = compare_result(strand, found->after > found->before);
	if (found->before != 0)
		found->low = found->high = found->after / found->before - 1;
}
