/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods of Perun's regression analysis: on all points, step by step, or in parts. */
#include <math.h>
#include <string.h>

#include "regression-analysis.h"

enum { FEWEST_POINTS = 3 };

static void append(struct regressionanalysis_results *results,
		   const struct regressionanalysis_result *result)
{
	PERUN_GROW(results->items, results->count, results->room);
	results->items[results->count++] = *result;
}

/* Points [first, first + count) of a group. */
struct part {
	const double *x, *y;
	size_t count;
};

static struct part part_of(const struct part *whole, size_t first, size_t count)
{
	return (struct part){whole->x + first, whole->y + first, count};
}

/* Where part i of `parts` begins: the first ones are longer by one where they do not divide evenly. */
static size_t start_of_part(size_t count, size_t parts, size_t i)
{
	size_t longer = count % parts;

	return count / parts * i + (i < longer ? i : longer);
}

static bool can_split(size_t count, size_t parts, const char **why)
{
	if (count >= 2 * parts)
		return true;
	*why = "has fewer than two points per step and gets no model";
	return false;
}

/* All curves of a part. */
static void fit_all(const struct regressionanalysis_settings *settings, const struct part *part,
		    struct regressionanalysis_result *results, bool *known)
{
	struct perun_fit_sums sums[PERUN_CURVES];

	for (size_t i = 0; i < settings->curve_count; i++)
		perun_fit_start(&sums[i], settings->curves[i]);
	perun_fit_add_to_all(sums, settings->curve_count, part->x, part->y, part->count);
	for (size_t i = 0; i < settings->curve_count; i++) {
		results[i].sums = sums[i];
		known[i] = perun_fit_finish(&sums[i], &results[i].fit);
	}
}

/* The curve of the highest R squared; of equals the one that the Python program's rounding makes first. */
static bool fit_best(const struct regressionanalysis_settings *settings, const struct part *part,
		     struct regressionanalysis_result *best)
{
	struct regressionanalysis_result results[PERUN_CURVES];
	double highest = -INFINITY, plain, best_plain = -INFINITY;
	bool found = false, known[PERUN_CURVES];

	if (part->count < FEWEST_POINTS)
		return false;
	fit_all(settings, part, results, known);
	for (size_t i = 0; i < settings->curve_count; i++) {
		if (known[i])
			highest = fmax(highest, results[i].fit.r_square);
	}
	for (size_t i = 0; i < settings->curve_count; i++) {
		if (!known[i] || results[i].fit.r_square < perun_fit_tie(highest))
			continue;
		plain = perun_fit_plain_r_square(settings->curves[i], part->x, part->y,
						 part->count);
		if (!found || plain > best_plain) {
			*best = results[i];
			best_plain = isnan(plain) ? -INFINITY : plain;
		}
		found = true;
	}
	return found;
}

static bool full(const struct regressionanalysis_settings *settings,
		 struct perun_point_group *group, struct regressionanalysis_results *results,
		 const char **why)
{
	const struct part whole = {group->x, group->y, group->count};
	struct regressionanalysis_result found[PERUN_CURVES];
	bool known[PERUN_CURVES];

	(void)why;
	fit_all(settings, &whole, found, known);
	for (size_t i = 0; i < settings->curve_count; i++) {
		if (known[i])
			append(results, &found[i]);
	}
	return true;
}

/* ---- parts in order of x ---------------------------------------------------------------------- */

static bool interval(const struct regressionanalysis_settings *settings,
		     struct perun_point_group *group, struct regressionanalysis_results *results,
		     const char **why)
{
	const struct part whole = {group->x, group->y, group->count};
	struct regressionanalysis_result best;

	if (!can_split(group->count, settings->steps, why))
		return false;
	perun_points_sort(group, false);
	for (size_t i = 0; i < settings->steps; i++) {
		size_t first = start_of_part(group->count, settings->steps, i);
		size_t end = start_of_part(group->count, settings->steps, i + 1);
		struct part part = part_of(&whole, first, end - first);

		if (fit_best(settings, &part, &best))
			append(results, &best);
	}
	if (results->count < settings->steps)
		*why = "has steps with too few usable points, which get no model";
	return true;
}

/* `best` is the best curve of the part. */
static void bisect(const struct regressionanalysis_settings *settings, const struct part *part,
		   const struct regressionanalysis_result *best,
		   struct regressionanalysis_results *results)
{
	struct regressionanalysis_result halves_best[2];
	size_t middle = start_of_part(part->count, 2, 1);
	const struct part halves[2] = {part_of(part, 0, middle),
				       part_of(part, middle, part->count - middle)};

	if (part->count < 4 || !fit_best(settings, &halves[0], &halves_best[0]) ||
	    !fit_best(settings, &halves[1], &halves_best[1]) ||
	    (halves_best[0].fit.curve == best->fit.curve &&
	     halves_best[1].fit.curve == best->fit.curve)) {
		append(results, best);
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		if (halves_best[i].fit.curve == best->fit.curve)
			append(results, &halves_best[i]);
		else
			bisect(settings, &halves[i], &halves_best[i], results);
	}
}

static bool bisection(const struct regressionanalysis_settings *settings,
		      struct perun_point_group *group, struct regressionanalysis_results *results,
		      const char **why)
{
	const struct part whole = {group->x, group->y, group->count};
	struct regressionanalysis_result best;

	(void)why;
	perun_points_sort(group, false);
	if (fit_best(settings, &whole, &best))
		bisect(settings, &whole, &best, results);
	return true;
}

/* ---- parts by chance -------------------------------------------------------------------------- */

/* Shuffle (R. Durstenfeld, Algorithm 235, 1964), always in the same way: results repeat. */
static void shuffle(struct perun_point_group *group)
{
	uint64_t state = 0x9e3779b97f4a7c15;

	for (size_t i = group->count; i > 1; i--) {
		size_t k;
		double x, y;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		k = (size_t)(state % i);
		x = group->x[i - 1];
		y = group->y[i - 1];
		group->x[i - 1] = group->x[k];
		group->y[i - 1] = group->y[k];
		group->x[k] = x;
		group->y[k] = y;
	}
}

/* All curves as they grow from part to part. */
struct race {
	const struct regressionanalysis_settings *settings;
	struct part whole;
	struct regressionanalysis_result curves[PERUN_CURVES];
	size_t done[PERUN_CURVES]; /* parts */
	bool known[PERUN_CURVES];
};

static void advance(struct race *race, size_t i, size_t parts)
{
	size_t steps = race->settings->steps;
	size_t from = start_of_part(race->whole.count, steps, race->done[i]);
	size_t to = start_of_part(race->whole.count, steps, parts);

	perun_fit_add(&race->curves[i].sums, race->whole.x + from, race->whole.y + from, to - from);
	race->done[i] = parts;
	race->known[i] = perun_fit_finish(&race->curves[i].sums, &race->curves[i].fit);
}

static bool start_race(const struct regressionanalysis_settings *settings,
		       struct perun_point_group *group, struct race *race, const char **why)
{
	if (!can_split(group->count, settings->steps, why))
		return false;
	shuffle(group);
	*race = (struct race){.settings = settings, .whole = {group->x, group->y, group->count}};
	for (size_t i = 0; i < settings->curve_count; i++) {
		perun_fit_start(&race->curves[i].sums, settings->curves[i]);
		advance(race, i, 1);
	}
	return true;
}

/* The number of the best one; that of curves when none could be fitted. */
static size_t leader(const struct race *race)
{
	size_t best = race->settings->curve_count;

	for (size_t i = 0; i < race->settings->curve_count; i++) {
		if (race->known[i] &&
		    (best == race->settings->curve_count ||
		     race->curves[i].fit.r_square > race->curves[best].fit.r_square))
			best = i;
	}
	return best;
}

static bool initial_guess(const struct regressionanalysis_settings *settings,
			  struct perun_point_group *group,
			  struct regressionanalysis_results *results, const char **why)
{
	struct race race;
	size_t best;

	if (!start_race(settings, group, &race, why))
		return false;
	best = leader(&race);
	if (best == settings->curve_count)
		return true;
	if (settings->steps > 1)
		advance(&race, best, settings->steps);
	append(results, &race.curves[best]);
	return true;
}

static bool iterative(const struct regressionanalysis_settings *settings,
		      struct perun_point_group *group, struct regressionanalysis_results *results,
		      const char **why)
{
	struct race race;
	size_t best;

	if (!start_race(settings, group, &race, why))
		return false;
	while ((best = leader(&race)) < settings->curve_count) {
		if (race.done[best] == settings->steps) {
			append(results, &race.curves[best]);
			break;
		}
		advance(&race, best, race.done[best] + 1);
	}
	return true;
}

regressionanalysis_method *regressionanalysis_find_method(const char *name)
{
	static const struct {
		const char *name;
		regressionanalysis_method *method;
	} methods[] = {{"full", full},
		       {"iterative", iterative},
		       {"interval", interval},
		       {"initial_guess", initial_guess},
		       {"bisection", bisection}};

	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
		if (strcmp(methods[i].name, name) == 0)
			return methods[i].method;
	}
	return NULL;
}
