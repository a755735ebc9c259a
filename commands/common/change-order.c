/* SPDX-License-Identifier: BSD-3-Clause */
/* Changes in the order in which people want to read them, without those that say nothing of their own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "change-line.h"

/* Factors of numbers that are made from each other differ by less. */
#define DERIVED 0.002
/* Factors of two clocks of a program that do not say the same differ by more. */
#define APART 1.25
/* A part of a change that is worth a line of its own. */
#define LARGE_PART 0.25

/* ---- what others say ------------------------------------------------------------------------- */

static int compare_places(const struct perun_stored_change *one,
			  const struct perun_stored_change *other)
{
	int order = strcmp(one->change->location, other->change->location);

	return order ? order
		     : strcmp(one->command ? one->command : "",
			      other->command ? other->command : "");
}

static int by_place(const void *one, const void *other)
{
	const struct perun_stored_change *const *a = one, *const *b = other;

	return compare_places(*a, *b);
}

static bool is_real_time(const struct perun_change *change)
{
	const char *metric = commands_change_metric(change);

	return strcmp(metric, "time(real)") == 0 || strcmp(metric, "time") == 0;
}

/* Other clocks of the same run. */
static bool is_other_time(const struct perun_change *change)
{
	return strncmp(commands_change_metric(change), "time(", 5) == 0 && !is_real_time(change);
}

/* Whether a metric is made from the time, as a rate: it changed by the same factor, or its inverse. */
static bool is_derived(const struct perun_change *change, const struct perun_change *time)
{
	double one = commands_change_quotient(change), other = commands_change_quotient(time);

	return fabs(one / other - 1) < DERIVED || fabs(one * other - 1) < DERIVED;
}

static bool knows_interval(const struct perun_change *change)
{
	return change->low != 0 || change->high != 0;
}

/*
 * Whether a clock and the real time say for certain that a program changed by other factors: what it waited for, or a busy machine, is
 * the difference. Of a small part nobody asks.
 */
static bool are_apart(const struct perun_change *clock, const struct perun_change *real)
{
	double quotient = commands_change_quotient(clock) / commands_change_quotient(real);
	double one[2], other[2];

	return knows_interval(clock) && knows_interval(real) &&
	       (clock->low > real->high || real->low > clock->high) &&
	       (quotient > APART || quotient < 1 / APART) &&
	       commands_change_amounts(clock, &one[0], &one[1]) &&
	       commands_change_amounts(real, &other[0], &other[1]) &&
	       fabs(one[1] - one[0]) >= LARGE_PART * fabs(other[1] - other[0]);
}

/* The findings about times, in the order of their places. */
struct times {
	const struct perun_stored_change **items;
	size_t count;
};

static struct times find_times(const struct perun_stored_change *items, size_t count)
{
	struct times times = {.items = perun_alloc_zero(count + 1, sizeof *times.items)};

	for (size_t i = 0; i < count; i++) {
		if (is_real_time(items[i].change) || is_other_time(items[i].change))
			times.items[times.count++] = &items[i];
	}
	if (times.count)
		qsort(times.items, times.count, sizeof *times.items, by_place);
	return times;
}

/* The first one that is not before an item. */
static size_t first_at(const struct times *times, const struct perun_stored_change *item)
{
	size_t low = 0, high = times->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_places(times->items[middle], item) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether the real time of the same says it already, or of what is no time, any clock. */
static bool is_said(const struct times *times, const struct perun_stored_change *item)
{
	const struct perun_change *change = item->change;

	/* What did not change is counted whatever it is made of, and is listed as often. */
	if (is_real_time(change) || change->result == PERUN_RESULT_NO_CHANGE)
		return false;
	for (size_t k = first_at(times, item);
	     k < times->count && compare_places(times->items[k], item) == 0; k++) {
		const struct perun_change *time = times->items[k]->change;

		if (is_other_time(change) && !is_real_time(time))
			continue;
		if (is_other_time(change) && time->result == change->result &&
		    !are_apart(change, time))
			return true;
		if ((time->result == change->result || change->result == PERUN_RESULT_UNKNOWN) &&
		    (is_derived(change, time) ||
		     (perun_change_is_failure(change) && perun_change_is_failure(time))))
			return true;
	}
	return false;
}

static int rank_of(const struct perun_stored_change *item)
{
	const struct perun_change *change = item->change;
	int rank = 4;

	if (perun_result_is_degradation(change->result))
		rank = 0;
	else if (perun_result_is_optimization(change->result))
		rank = 1;
	else if (change->result == PERUN_RESULT_UNKNOWN)
		rank = 2;
	else if (change->result == PERUN_RESULT_INCONCLUSIVE)
		rank = 5;
	else if (change->result == PERUN_RESULT_NO_CHANGE)
		rank = 6;
	return 2 * rank + !is_real_time(change);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A change among those of its rank: the whole of a program comes before its functions, of which the largest are first. */
struct placed {
	const struct perun_stored_change *item;
	size_t number, group; /* among the items; the first one of its metric and command */
	bool part;
	double weight;
};

/* Whether it is about what is counted, the same in each run. */
static bool is_exact(const struct perun_change *change)
{
	return !change->confidence_type || strcmp(change->confidence_type, "no") == 0;
}

static int compare_groups(const struct placed *one, const struct placed *other)
{
	int order = strcmp(commands_change_metric(one->item->change),
			   commands_change_metric(other->item->change));

	return order ? order
		     : strcmp(one->item->command ? one->item->command : "",
			      other->item->command ? other->item->command : "");
}

static int by_group(const void *one, const void *other)
{
	const struct placed *a = one, *b = other;
	int order = compare_groups(a, b);

	return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int by_weight(const void *one, const void *other)
{
	const struct placed *a = one, *b = other;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->part != b->part)
		return a->part ? 1 : -1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* The change, in the unit that others of its kind are based on: which may be the largest. */
static double weight_of_undecided(const struct perun_change *change)
{
	double before, after;

	if (!commands_change_amounts(change, &before, &after))
		return 0;
	return fabs(after - before) * commands_amount_scale(change->from_baseline);
}

/*
 * Of what is counted, and of what is undecided, the change, else the cost; what else varies from run to run stays as it was
 * found.
 */
static double weight_of(const struct perun_change *change)
{
	double before, after;

	if (change->result == PERUN_RESULT_INCONCLUSIVE)
		return weight_of_undecided(change);
	if (!is_exact(change) || !commands_change_amounts(change, &before, &after))
		return 0;
	return change->result == PERUN_RESULT_NO_CHANGE ? fabs(before) : fabs(after - before);
}

static void order_rank(const struct perun_stored_change *items, size_t count, size_t *order)
{
	struct placed *placed = perun_alloc_zero(count + 1, sizeof *placed);

	for (size_t i = 0; i < count; i++) {
		const struct perun_stored_change *item = &items[order[i]];
		const char *command = item->command ? item->command : "";

		placed[i] = (struct placed){
			.item = item,
			.number = order[i],
			.part = *item->change->location &&
				!commands_is_program(item->change->location, command),
			.weight = weight_of(item->change)};
	}
	if (count)
		qsort(placed, count, sizeof *placed, by_group);
	for (size_t i = 0; i < count; i++)
		placed[i].group = i > 0 && compare_groups(&placed[i - 1], &placed[i]) == 0
					  ? placed[i - 1].group
					  : placed[i].number;
	/* Of what is undecided the first few are named, whatever they are of. */
	for (size_t i = 0; i < count; i++) {
		if (placed[i].item->change->result == PERUN_RESULT_INCONCLUSIVE) {
			placed[i].group = 0;
			placed[i].part = false;
		}
	}
	if (count)
		qsort(placed, count, sizeof *placed, by_weight);
	for (size_t i = 0; i < count; i++)
		order[i] = placed[i].number;
	perun_free(placed);
}

size_t commands_order_changes(const struct perun_stored_change *items, size_t count, size_t *order)
{
	enum { RANKS = 14 };
	bool *said = perun_alloc_zero(count + 1, sizeof *said);
	struct times times = find_times(items, count);
	size_t starts[RANKS + 1] = {0}, kept = 0;

	for (size_t i = 0; i < count; i++) {
		said[i] = is_said(&times, &items[i]);
		starts[rank_of(&items[i]) + 1] += !said[i];
	}
	for (size_t r = 0; r < RANKS; r++)
		starts[r + 1] += starts[r];
	for (size_t i = 0; i < count; i++) {
		if (!said[i]) {
			order[starts[rank_of(&items[i])]++] = i;
			kept++;
		}
	}
	/* Each start is where the next rank begins by now. */
	for (size_t r = 0, first = 0; r < RANKS; first = starts[r++])
		order_rank(items, starts[r] - first, order + first);
	perun_free((void *)times.items);
	perun_free(said);
	return kept;
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* Lines of one kind. */
#define MAX_LINES 10

enum { ALWAYS, NEW_OR_GONE, WORSE, BETTER, SAME };

/* A profile has hundreds of functions that are counted, of which one change of a program moves many. */
static int kind_of(const struct perun_change *change)
{
	if (change->result == PERUN_RESULT_NOT_IN_BASELINE ||
	    change->result == PERUN_RESULT_NOT_IN_TARGET)
		return NEW_OR_GONE;
	if (!*change->location || !is_exact(change))
		return ALWAYS;
	if (change->result == PERUN_RESULT_NO_CHANGE)
		return SAME;
	if (perun_result_is_degradation(change->result))
		return WORSE;
	return perun_result_is_optimization(change->result) ? BETTER : ALWAYS;
}

bool commands_leave_out(const struct perun_change *change, size_t counted[COMMANDS_CHANGE_KINDS])
{
	int kind = kind_of(change);

	return ++counted[kind] > MAX_LINES && kind != ALWAYS;
}

void commands_add_left_out(const size_t counted[COMMANDS_CHANGE_KINDS], struct perun_buffer *text)
{
	static const char *const words[] = {[WORSE] = "worse",
					    [BETTER] = "better",
					    [NEW_OR_GONE] = "new or gone",
					    [SAME] = "unchanged"};
	static const int kinds[] = {WORSE, BETTER, NEW_OR_GONE, SAME};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t count = counted[kinds[i]];

		if (count > MAX_LINES)
			perun_buffer_printf(
				text, "... %zu more %s %s: perun check --unchanged lists all\n",
				count - MAX_LINES, count == MAX_LINES + 1 ? "is" : "are",
				words[kinds[i]]);
	}
}
