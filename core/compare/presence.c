/* SPDX-License-Identifier: BSD-3-Clause */
/* Where benchmarks are new, though others were measured before, and gone for good, though others are measured on. */
#include <math.h>
#include <string.h>

#include "core/compare/presence.h"
#include "core/history/history.h"
#include "core/history/values.h"
#include "core/profile/pool.h"

/* ---- collectors ------------------------------------------------------------------------------ */

bool check_is_of_command(const struct perun_entry *entry, const char *command)
{
	size_t length = strlen(entry->cmd);

	return strncmp(command, entry->cmd, length) == 0 &&
	       (!command[length] || command[length] == ' ');
}

char *check_collector_of(struct perun_checker *checker, const char *version, const char *command)
{
	struct perun_entries entries = {0};
	char *collector = NULL;
	bool one = perun_store_entries(checker->ctx, checker->store, version, &entries) == PERUN_OK;

	for (size_t i = 0; i < entries.count; i++) {
		const char *name = entries.items[i].collector;

		if (!check_is_of_command(&entries.items[i], command))
			continue;
		one = one && name && (!collector || strcmp(collector, name) == 0);
		if (one && !collector)
			collector = perun_strdup(name);
	}
	perun_entries_free(&entries);
	if (one)
		return collector;
	perun_free(collector);
	perun_ctx_clear(checker->ctx);
	return NULL;
}

/* ---- what is measured together --------------------------------------------------------------- */

/* Strands of a command on a class of machine: of one metric, or all of them. */
struct together {
	bool *measured;    /* by version */
	char **collectors; /* by version, "" = there is none or several; NULL = not asked yet */
};

struct presence {
	struct perun_checker *checker;
	const struct perun_history *history;
	struct perun_pool *keys;
	struct together *items; /* of each key */
	size_t count, capacity;
};

/* Functions of stacks come and go with the samples. */
static bool is_benchmark(const struct perun_strand *strand)
{
	return !strand->stacks && !strand->inclusive && !strand->whole;
}

static perun_id key_of_command(struct perun_pool **keys, const struct perun_strand *strand)
{
	struct perun_buffer key = {0};
	perun_id id;

	perun_bytes_add_text(&key, strand->command);
	perun_bytes_add_text(&key, strand->machine);
	id = perun_pool_add(keys, key.data, key.length);
	perun_buffer_free(&key);
	return id;
}

static void note_measured(struct presence *presence, perun_id id, const struct perun_strand *strand)
{
	size_t versions = presence->history->line->count;

	if (id == presence->count) {
		PERUN_GROW(presence->items, presence->count, presence->capacity);
		presence->items[presence->count++] = (struct together){
			perun_alloc_zero(versions + 1, sizeof(bool)),
			perun_alloc_zero(versions + 1, sizeof(char *)),
		};
	}
	for (size_t i = 0; i < strand->count; i++)
		presence->items[id].measured[i] |= !isnan(strand->values[i]);
}

static struct presence find_presence(struct perun_checker *checker,
				     const struct perun_history *history)
{
	struct presence presence = {
		.checker = checker, .history = history, .keys = perun_pool_new(false)};

	for (size_t s = 0; s < history->shown; s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);

		if (!is_benchmark(strand))
			continue;
		note_measured(&presence, perun_strand_group(&presence.keys, strand), strand);
		note_measured(&presence, key_of_command(&presence.keys, strand), strand);
	}
	return presence;
}

static void presence_free(struct presence *presence)
{
	for (size_t i = 0; i < presence->count; i++) {
		for (size_t v = 0; v < presence->history->line->count; v++)
			perun_free(presence->items[i].collectors[v]);
		perun_free(presence->items[i].collectors);
		perun_free(presence->items[i].measured);
	}
	perun_free(presence->items);
	perun_pool_unref(presence->keys);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* Each version is asked once: strands of all metrics may end anywhere. */
static const char *collector_at(const struct presence *presence, const struct together *all,
				const struct perun_strand *strand, size_t version)
{
	char **collector = &all->collectors[version];

	if (!*collector)
		*collector = check_collector_of(presence->checker,
						presence->history->line->checksums[version],
						strand->command);
	if (!*collector)
		*collector = perun_strdup("");
	return *collector;
}

/*
 * Whether others were measured at a version at which a strand was not; `at` is one where it was. A metric that one of the
 * two lacks altogether was not measured there, unless one collector measures both.
 */
static bool is_absent(const struct presence *presence, const struct together *metric,
		      const struct together *all, const struct perun_strand *strand, size_t version,
		      size_t at)
{
	const char *collector;

	if (metric->measured[version])
		return true;
	if (!all->measured[version])
		return false;
	collector = collector_at(presence, all, strand, version);
	return *collector && strcmp(collector, collector_at(presence, all, strand, at)) == 0;
}

static void find_ends(struct presence *presence, const struct perun_strand *strand,
		      struct check_ends *ends)
{
	const struct together *metric =
		&presence->items[perun_strand_group(&presence->keys, strand)];
	const struct together *all = &presence->items[key_of_command(&presence->keys, strand)];
	size_t first = 0, last = strand->count;

	while (first < strand->count && isnan(strand->values[first]))
		first++;
	while (last > 0 && isnan(strand->values[last - 1]))
		last--;
	for (size_t i = first; last > 0 && i-- > 0;) {
		if (is_absent(presence, metric, all, strand, i, first)) {
			ends->before = i;
			ends->first = first;
			break;
		}
	}
	for (size_t i = last; last > 0 && i < strand->count; i++) {
		if (strand->failed && strand->failed[i])
			break;
		if (is_absent(presence, metric, all, strand, i, last - 1)) {
			ends->last = last - 1;
			ends->after = i;
			break;
		}
	}
}

struct check_ends *check_find_ends(struct perun_checker *checker,
				   const struct perun_history *history)
{
	struct check_ends *ends = perun_alloc_zero(history->shown + 1, sizeof *ends);
	struct presence presence = find_presence(checker, history);

	for (size_t s = 0; s < history->shown; s++) {
		const struct perun_strand *strand = perun_history_strand(history, s);

		ends[s].first = ends[s].after = SIZE_MAX;
		if (is_benchmark(strand))
			find_ends(&presence, strand, &ends[s]);
	}
	presence_free(&presence);
	return ends;
}
