/* SPDX-License-Identifier: BSD-3-Clause */
/* The series whose changes are blamed: the sums of commands, and their functions. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/suspects.h"

const char *cli_leaf_of(const char *location)
{
	const char *last = strrchr(location, ';');

	return last && last[1] ? last + 1 : location;
}

static struct cli_strand empty_strand(const struct cli_strand *like, const char *location)
{
	struct cli_strand strand = {.command = perun_strdup(like->command),
				    .location = perun_strdup(location ? location : ""),
				    .whole = !location,
				    .higher = like->higher};

	strand.series.metric = perun_strdup(like->series.metric);
	strand.series.unit = perun_strdup(like->series.unit);
	return strand;
}

/* One strand is taken with its repeats; of several the values are added up. */
static void add_up(const struct cli_history *history, const struct cli_strand *const *parts,
		   size_t count, struct cli_series *series)
{
	for (size_t i = 0; i < history->count; i++) {
		const char *version = history->versions[i]->checksum;
		const struct cli_series *first = &parts[0]->series;
		double sum = 0;
		bool any = false;

		for (size_t k = 0; k < count; k++) {
			const struct cli_series *part = &parts[k]->series;

			if (i >= part->count || isnan(part->values[i]))
				continue;
			sum += part->values[i];
			any = true;
		}
		if (any && count == 1)
			cli_series_add(series, first->repeats + first->starts[i],
				       first->starts[i + 1] - first->starts[i], version);
		else
			cli_series_add(series, &sum, any, version);
	}
}

static void add_strand(const struct cli_history *history, const struct cli_strand *const *parts,
		       size_t count, const char *location, struct cli_history *sums)
{
	struct cli_strand strand = empty_strand(parts[0], location);

	add_up(history, parts, count, &strand.series);
	PERUN_GROW(sums->strands, sums->strand_count, sums->strand_capacity);
	sums->strands[sums->strand_count++] = strand;
}

static int compare_totals(const struct cli_strand *a, const struct cli_strand *b)
{
	int order = strcmp(a->command, b->command);

	return order ? order : strcmp(a->series.metric, b->series.metric);
}

bool cli_strand_in_total(const struct cli_strand *strand, const struct cli_strand *total)
{
	return compare_totals(strand, total) == 0;
}

static int by_function(const void *one, const void *other)
{
	const struct cli_strand *const *a = one, *const *b = other;
	int order = compare_totals(*a, *b);

	return order ? order : strcmp(cli_leaf_of((*a)->location), cli_leaf_of((*b)->location));
}

static size_t end_of(const struct cli_strand *const *strands, size_t start, size_t count,
		     bool function)
{
	size_t end = start + 1;

	while (end < count && (function ? by_function(&strands[start], &strands[end]) == 0
					: compare_totals(strands[start], strands[end]) == 0))
		end++;
	return end;
}

int cli_blame_strands(struct cli *cli, const struct cli_call *call,
		      const struct cli_history *history, struct cli_history *sums)
{
	size_t count = history->strand_count;
	const struct cli_strand **strands =
		perun_alloc_zero(count + 1, sizeof(struct cli_strand *));

	for (size_t s = 0; s < count; s++)
		strands[s] = &history->strands[s];
	if (count)
		qsort(strands, count, sizeof *strands, by_function);
	for (size_t first = 0, end; first < count; first = end) {
		end = end_of(strands, first, count, false);
		add_strand(history, strands + first, end - first, NULL, sums);
		/* A function alone is its command. */
		for (size_t i = first, next; i < end; i = next) {
			next = end_of(strands, i, end, true);
			if (next - i < end - first)
				add_strand(history, strands + i, next - i,
					   cli_leaf_of(strands[i]->location), sums);
		}
	}
	perun_free(strands);
	return cli_history_changes(cli, call, sums);
}
