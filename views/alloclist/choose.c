/* SPDX-License-Identifier: BSD-3-Clause */
/* Which allocations are in the list, and in what order. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/regex.h>

#include "alloclist.h"

/* ---- one by one ------------------------------------------------------------------------------ */

/* Of option `func`: a function of this name, else an expression that names match. */
struct wanted {
	const char *name;
	struct perun_regex *regex; /* NULL = the name */
	bool partial;              /* it need not allocate itself, only take part */
};

static bool is_wanted_name(const struct wanted *wanted, const char *name)
{
	return wanted->regex ? perun_regex_matches(wanted->regex, name, strlen(name))
			     : strcmp(wanted->name, name) == 0;
}

static bool takes_part(const struct alloclist *list, const struct wanted *wanted,
		       const struct views_allocation *one)
{
	struct views_frame *frames;
	bool found;
	size_t count;

	found = is_wanted_name(wanted, one->place.function);
	if (found || !wanted->partial)
		return found;
	frames = views_allocation_frames(&list->allocations, one, &count);
	for (size_t i = 0; i < count && !found; i++)
		found = is_wanted_name(wanted, frames[i].function);
	perun_free(frames);
	return found;
}

static bool in_window(const struct perun_options *options, const struct views_allocation *one)
{
	if (perun_option_given(options, "from-time") &&
	    !(one->time >= perun_option_number(options, "from-time")))
		return false;
	return !perun_option_given(options, "to-time") ||
	       one->time <= perun_option_number(options, "to-time");
}

static size_t keep(struct alloclist *list, const struct wanted *wanted)
{
	size_t kept = 0;

	list->amount = list->count = list->whole = 0;
	list->freed = 0;
	for (size_t i = 0; i < list->allocations.count; i++) {
		const struct views_allocation *one = &list->allocations.items[i];

		if (!one->freed)
			list->whole += one->amount;
		if (!in_window(list->options, one) ||
		    (list->mode == ALLOCLIST_FUNC && !takes_part(list, wanted, one)))
			continue;
		if (one->freed) {
			list->freed++;
			if (list->mode != ALLOCLIST_ALL)
				continue;
		} else {
			list->amount += one->amount;
			list->count += one->count;
		}
		list->members[kept++] = (uint32_t)i;
	}
	return kept;
}

/* When no function has the name it is an expression. */
static int keep_wanted(struct perun_ctx *ctx, struct alloclist *list, size_t *kept)
{
	struct wanted wanted = {.name = perun_option_string(list->options, "name"),
				.partial = perun_option_flag(list->options, "partial")};
	int status = PERUN_OK;

	*kept = keep(list, &wanted);
	if (!*kept && list->mode == ALLOCLIST_FUNC) {
		status = perun_regex_new(ctx, wanted.name, 0, &wanted.regex);
		if (!status)
			*kept = keep(list, &wanted);
		perun_regex_free(wanted.regex);
		if (!status && !*kept)
			status = perun_fail(ctx, PERUN_INPUT,
					    "%s: no allocation is made by a function %s%s",
					    list->name, wanted.name,
					    wanted.partial ? ", nor by what it calls"
							   : "; --partial finds those of what it "
							     "calls, too");
	} else if (!*kept) {
		status = perun_fail(ctx, PERUN_INPUT, "%s: no allocation in this time", list->name);
	}
	return status;
}

/* The larger first, equal ones as they were made. */
static int compare_amounts(const void *a, const void *b, void *data)
{
	const struct alloclist *list = data;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const double left = list->allocations.items[i].amount,
		     right = list->allocations.items[k].amount;

	if (left != right)
		return left < right ? 1 : -1;
	return i < k ? -1 : i > k;
}

static void add_entries(struct alloclist *list, size_t kept, size_t limit)
{
	list->chosen = list->chosen_allocations = kept;
	if (list->mode != ALLOCLIST_ALL)
		qsort_r(list->members, kept, sizeof *list->members, compare_amounts, list);
	list->entry_count = limit && limit < kept ? limit : kept;
	list->entries = perun_alloc_zero(list->entry_count + 1, sizeof *list->entries);
	for (size_t i = 0; i < list->entry_count; i++) {
		const struct views_allocation *one = &list->allocations.items[list->members[i]];

		list->entries[i] = (struct alloclist_entry){.first = one,
							    .members = &list->members[i],
							    .member_count = 1,
							    .amount = one->amount,
							    .count = one->count,
							    .largest = one->amount};
	}
}

/* ---- places ---------------------------------------------------------------------------------- */

static int compare_places(const struct views_frame *a, const struct views_frame *b)
{
	int order = strcmp(a->function, b->function);

	if (!order)
		order = strcmp(a->file, b->file);
	return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

/* Those of one place together, as they were made. */
static int compare_members(const void *a, const void *b, void *data)
{
	const struct alloclist *list = data;
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	int order = compare_places(&list->allocations.items[i].place,
				   &list->allocations.items[k].place);

	return order ? order : i < k ? -1 : i > k;
}

static int compare_entries(const void *a, const void *b, void *data)
{
	const struct alloclist *list = data;
	const struct alloclist_entry *left = a, *right = b;
	const bool most = list->mode == ALLOCLIST_MAX;

	for (int k = 0; k < 2; k++) {
		double x = most != (k == 1) ? left->count : left->amount;
		double y = most != (k == 1) ? right->count : right->amount;

		if (x != y)
			return x < y ? 1 : -1;
	}
	return compare_places(&left->first->place, &right->first->place);
}

static void add_places(struct alloclist *list, size_t kept, size_t limit)
{
	struct alloclist_entry *entries = NULL;
	size_t count = 0, capacity = 0;

	qsort_r(list->members, kept, sizeof *list->members, compare_members, list);
	for (size_t i = 0; i < kept; i++) {
		const struct views_allocation *one = &list->allocations.items[list->members[i]];
		struct alloclist_entry *entry = count ? &entries[count - 1] : NULL;

		if (!entry || compare_places(&entry->first->place, &one->place) != 0) {
			PERUN_GROW(entries, count, capacity);
			entry = &entries[count++];
			*entry = (struct alloclist_entry){.first = one,
							  .members = &list->members[i]};
		}
		entry->member_count++;
		entry->amount += one->amount;
		entry->count += one->count;
		entry->largest = fmax(entry->largest, one->amount / fmax(one->count, 1));
	}
	if (count)
		qsort_r(entries, count, sizeof *entries, compare_entries, list);
	list->entries = entries;
	list->chosen = count;
	list->chosen_allocations = kept;
	list->entry_count = limit && limit < count ? limit : count;
}

/* ---- all ------------------------------------------------------------------------------------- */

int alloclist_choose(struct perun_ctx *ctx, struct alloclist *list)
{
	const size_t limit = (size_t)perun_option_integer(list->options, "limit");
	const unsigned depth = (unsigned)perun_option_integer(list->options, "depth");
	const bool window = perun_option_given(list->options, "from-time") ||
			    perun_option_given(list->options, "to-time");
	size_t kept;
	int status;

	if (window && !list->allocations.timed)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s does not say when memory was allocated: --from-time and "
				  "--to-time make no sense",
				  list->name);
	list->members = perun_alloc_zero(list->allocations.count + 1, sizeof *list->members);
	status = keep_wanted(ctx, list, &kept);
	if (status)
		return status;
	if (list->grouped)
		add_places(list, kept, limit);
	else
		add_entries(list, kept, limit);
	for (size_t i = 0; i < list->entry_count; i++)
		alloclist_add_calls(list, &list->entries[i], depth);
	return PERUN_OK;
}

void alloclist_clear(struct alloclist *list)
{
	for (size_t i = 0; i < list->entry_count; i++)
		perun_free(list->entries[i].calls);
	perun_free(list->entries);
	perun_free(list->members);
	views_allocations_close(&list->allocations);
}
