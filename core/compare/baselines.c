/* SPDX-License-Identifier: BSD-3-Clause */
/* The nearest measured versions before a version, for each of its profiles. */
#include <stdio.h>
#include <string.h>

#include <perun/lib/hash.h>
#include <perun/lib/registry.h>

#include "core/compare/checker.h"
#include "core/compare/kinds.h"
#include "core/history/history.h"

/*
 * The walk keeps for each version that a seen one names as parent two sets of targets: those that
 * look for a baseline on the way there, and those that have found one on a way that leads there.
 */
struct check_pending {
	char *minor;
	uint64_t *wanting, *covered; /* bits: one block of memory, owned by `wanting` */
};

static size_t words_of(const struct check_baselines *search)
{
	return (search->target_count + 63) / 64;
}

/* ---- compatible profiles --------------------------------------------------------------------- */

static bool same(const char *one, const char *other)
{
	return strcmp(one ? one : "", other ? other : "") == 0;
}

/* What follows a word, which is looked for in [words, end); NULL = it is not there. */
static const char *after_word(const char *words, const char *end, const char *word, size_t length)
{
	while (*(words += strspn(words, " ")) && words < end) {
		size_t other = strcspn(words, " ");

		if (other == length && strncmp(words, word, length) == 0)
			return words + other;
		words += other;
	}
	return NULL;
}

/* Every postprocessor of the baseline is among those of the target: most likely where the one before it was found. */
static bool postprocessors_fit(const char *baseline, const char *target)
{
	const char *next = target ? target : "", *end;

	baseline = baseline ? baseline : "";
	target = next;
	end = target + strlen(target);
	while (*(baseline += strspn(baseline, " "))) {
		size_t length = strcspn(baseline, " ");
		const char *after = after_word(next, end, baseline, length);

		if (!after)
			after = after_word(target, next, baseline, length);
		if (!after)
			return false;
		next = after;
		baseline += length;
	}
	return true;
}

static bool same_configuration(const struct perun_entry *one, const struct perun_entry *other)
{
	return same(one->type, other->type) && same(one->cmd, other->cmd) &&
	       same(one->workload, other->workload) && same(one->collector, other->collector) &&
	       (!one->args || !*one->args || !other->args || !*other->args ||
		same(one->args, other->args));
}

bool perun_entries_compatible(const struct perun_entry *baseline, const struct perun_entry *target)
{
	return same_configuration(baseline, target) &&
	       postprocessors_fit(baseline->postprocessors, target->postprocessors);
}

/* Without arguments and postprocessors, which may differ. */
uint64_t perun_entry_key(const struct perun_entry *entry)
{
	const char *words[] = {entry->type, entry->cmd, entry->workload, entry->collector};
	uint64_t key = 0;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		key = perun_hash_number(
			key ^ (words[i] ? perun_fnv1a(words[i], strlen(words[i]), 0) : 0));
	return key;
}

/* The entries of a version that may be baselines. */
struct candidates {
	struct perun_entries entries;
	struct entry_kinds kinds;   /* by all that they measure */
	struct entry_kinds by_kind; /* whatever their workload; made when it is needed */
};

static void free_candidates(struct candidates *candidates)
{
	entry_kinds_clear(&candidates->kinds);
	entry_kinds_clear(&candidates->by_kind);
	perun_entries_free(&candidates->entries);
}

/* ---- files of other names --------------------------------------------------------------------- */

static bool is_of_kind(const struct perun_entry *one, const struct perun_entry *other)
{
	struct perun_entry alike = *one;

	alike.workload = other->workload;
	return same_configuration(&alike, other);
}

/* The names of the two versions; those of the last two are kept. */
static int load_names(struct perun_checker *checker, const char *const versions[2])
{
	char *of = perun_format("%s %s", versions[0], versions[1]);
	struct perun_reader *reader;
	int status;

	if (checker->names_of && strcmp(checker->names_of, of) == 0) {
		perun_free(of);
		return PERUN_OK;
	}
	perun_import_names_free(checker->names);
	perun_free(checker->names_of);
	checker->names = NULL;
	checker->names_of = of;
	status = perun_reader_open(checker->ctx, checker->store, NULL, &reader);
	if (!status)
		status = perun_reader_join_files(checker->ctx, reader, versions, 2);
	if (!status)
		checker->names = perun_reader_take_names(reader);
	perun_reader_close(reader);
	return status;
}

int check_name_entry(struct perun_checker *checker, const char *const versions[2],
		     const struct perun_entry *entry, const char **name)
{
	const struct perun_profile *facts;
	const char *args;
	char *command;
	int status = load_names(checker, versions);

	*name = entry->workload;
	if (status || !checker->names)
		return status;
	status = checker_facts(checker, entry->checksum, &facts);
	if (status)
		return status;
	args = perun_profile_text(facts, "/header/args");
	command = perun_format("%s%s%s", entry->cmd, *args ? " " : "", args);
	*name = perun_import_names_of(checker->names, entry->type, entry->collector, command,
				      entry->workload);
	perun_free(command);
	return PERUN_OK;
}

/*
 * The last profile of the base that has what the head has under the name of another file, where such names are no
 * identity. NULL = there is none. `*name` = the one that counts for both.
 */
static int find_by_kind(struct check_baselines *search, const char *minor,
			const struct candidates *bases, const struct perun_entry *head,
			const struct perun_entry **found, const char **name)
{
	const char *const versions[] = {minor, search->head};
	size_t count;
	const uint32_t *members = entry_kinds_find(&bases->by_kind, head, &count);
	int status = PERUN_OK;

	*found = NULL;
	for (size_t i = count; !status && !*found && i-- > 0;) {
		const struct perun_entry *base = &bases->entries.items[members[i]];
		const char *other;
		bool alike = false;

		if (!is_of_kind(base, head) || same(base->workload, head->workload) ||
		    !postprocessors_fit(base->postprocessors, head->postprocessors))
			continue;
		status = check_name_entry(search->checker, versions, head, name);
		if (!status)
			status = check_name_entry(search->checker, versions, base, &other);
		if (!status && same(*name, other))
			status = checker_alike(search->checker, base, head, &alike);
		if (!status && alike)
			*found = base;
	}
	return status;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static struct check_pending *find_pending(struct check_baselines *search, const char *minor)
{
	for (size_t i = 0; i < search->pending_count; i++) {
		if (strcmp(search->pending[i].minor, minor) == 0)
			return &search->pending[i];
	}
	return NULL;
}

static struct check_pending *add_pending(struct check_baselines *search, const char *minor)
{
	struct check_pending *pending = find_pending(search, minor);

	if (pending)
		return pending;
	PERUN_GROW(search->pending, search->pending_count, search->pending_capacity);
	pending = &search->pending[search->pending_count++];
	pending->minor = perun_strdup(minor);
	pending->wanting = perun_alloc_zero(2 * words_of(search) + 1, sizeof *pending->wanting);
	pending->covered = pending->wanting + words_of(search);
	return pending;
}

static void drop_pending(struct check_pending *pending)
{
	perun_free(pending->minor);
	perun_free(pending->wanting);
}

/*
 * Put an entry in the place of the target that it is a newer profile of, or at the end. `places` of the entries before
 * it are the targets that these became.
 */
static int add_target(struct check_baselines *search, const struct perun_entries *entries,
		      const struct entry_kinds *kinds, size_t number, size_t *places)
{
	const struct perun_entry *entry = &entries->items[number];
	size_t count;
	const uint32_t *members = entry_kinds_find(kinds, entry, &count);

	for (size_t i = 0; i < count && members[i] < number; i++) {
		size_t place = places[members[i]];
		const struct perun_entry *other = search->targets[place];
		bool alike;
		int status;

		if (!same_configuration(other, entry) ||
		    !same(other->postprocessors, entry->postprocessors))
			continue;
		status = checker_alike(search->checker, other, entry, &alike);
		if (status)
			return status;
		if (alike) {
			places[number] = place;
			search->targets[place] = entry;
			return PERUN_OK;
		}
	}
	places[number] = search->target_count;
	search->targets[search->target_count++] = entry;
	return PERUN_OK;
}

static int add_targets(struct check_baselines *search, const struct perun_entries *entries)
{
	size_t *places = perun_alloc((entries->count + 1) * sizeof *places);
	struct entry_kinds kinds;
	int status = PERUN_OK;

	entry_kinds_make(&kinds, entries, true);
	for (size_t i = 0; !status && i < entries->count; i++)
		status = add_target(search, entries, &kinds, i, places);
	entry_kinds_clear(&kinds);
	perun_free(places);
	return status;
}

int check_baselines_start(struct check_baselines *search, struct perun_checker *checker,
			  const char *head, const struct perun_entries *entries,
			  const char *const *parents, size_t parent_count)
{
	int status;

	*search = (struct check_baselines){.checker = checker, .head = head};
	search->targets = perun_alloc_zero(entries->count + 1, sizeof *search->targets);
	search->repeats = perun_alloc_zero(entries->count + 1, sizeof *search->repeats);
	status = add_targets(search, entries);
	if (status)
		return status;
	for (size_t i = 0; i < parent_count && search->target_count; i++) {
		struct check_pending *pending = add_pending(search, parents[i]);

		for (size_t j = 0; j < search->target_count; j++)
			pending->wanting[j / 64] |= UINT64_C(1) << (j % 64);
	}
	return PERUN_OK;
}

void check_baselines_free(struct check_baselines *search)
{
	for (size_t i = 0; i < search->pending_count; i++)
		drop_pending(&search->pending[i]);
	perun_free(search->pending);
	perun_free(search->pairs);
	perun_free((void *)search->targets);
	perun_free(search->repeats);
}

static void add_pair(struct check_baselines *search, size_t target, const char *minor,
		     const struct perun_entry *entry)
{
	struct check_baseline *pair;

	PERUN_GROW(search->pairs, search->pair_count, search->pair_capacity);
	pair = &search->pairs[search->pair_count++];
	*pair = (struct check_baseline){.target = target};
	snprintf(pair->minor, sizeof pair->minor, "%s", minor);
	memcpy(pair->checksum, entry->checksum, PERUN_CHECKSUM_SIZE);
}

/*
 * The baseline in a list of entries: the last one with the same postprocessors, else the last with
 * the most of them. NULL when there is none.
 */
static int best_baseline(struct check_baselines *search, const struct candidates *candidates,
			 const struct perun_entry *target, const struct perun_entry **best)
{
	size_t count;
	const uint32_t *members = entry_kinds_find(&candidates->kinds, target, &count);

	*best = NULL;
	for (size_t i = 0; i < count; i++) {
		const struct perun_entry *entry = &candidates->entries.items[members[i]];
		bool alike;
		int status;

		if (!perun_entries_compatible(entry, target))
			continue;
		if (*best && !same(entry->postprocessors, target->postprocessors) &&
		    (same((*best)->postprocessors, target->postprocessors) ||
		     strlen(entry->postprocessors) < strlen((*best)->postprocessors)))
			continue;
		status = checker_alike(search->checker, entry, target, &alike);
		if (status)
			return status;
		if (alike)
			*best = entry;
	}
	return PERUN_OK;
}

/* Whether the pair of an earlier target of the kind has all profiles of the name: they are its repeats. */
static int is_repeat(const struct check_baselines *search, size_t target, const char *minor,
		     const char *name, bool *is)
{
	const struct perun_entry *entry = search->targets[target];
	const char *const versions[] = {minor, search->head};
	int status = PERUN_OK;

	*is = false;
	for (size_t i = 0; !status && !*is && i < search->pair_count; i++) {
		const struct perun_entry *other = search->targets[search->pairs[i].target];
		const char *other_name;

		if (strcmp(search->pairs[i].minor, minor) != 0 || !is_of_kind(other, entry))
			continue;
		status = check_name_entry(search->checker, versions, other, &other_name);
		if (!status && same(name, other_name))
			status = checker_alike(search->checker, other, entry, is);
	}
	return status;
}

/* A baseline under another name; `*repeat`: the target is compared already. */
static int baseline_by_kind(struct check_baselines *search, const char *minor,
			    struct candidates *candidates, size_t target,
			    const struct perun_entry **entry, bool *repeat)
{
	const char *name = NULL;
	int status;

	if (!candidates->by_kind.keys)
		entry_kinds_make(&candidates->by_kind, &candidates->entries, false);
	status = find_by_kind(search, minor, candidates, search->targets[target], entry, &name);
	if (!status && *entry)
		status = is_repeat(search, target, minor, name, repeat);
	return status;
}

/* Take the baselines that a version has for the targets that want one. */
static int take_baselines(struct check_baselines *search, struct check_pending *pending)
{
	struct perun_checker *checker = search->checker;
	struct candidates candidates = {0};
	int status;

	if (!perun_store_has_index(checker->ctx, checker->store, pending->minor))
		return PERUN_OK;
	status = perun_store_entries(checker->ctx, checker->store, pending->minor,
				     &candidates.entries);
	if (!status)
		entry_kinds_make(&candidates.kinds, &candidates.entries, true);
	for (size_t i = 0; !status && i < search->target_count; i++) {
		uint64_t bit = UINT64_C(1) << (i % 64);
		const struct perun_entry *entry;
		bool repeat = false;

		if (!(pending->wanting[i / 64] & ~pending->covered[i / 64] & bit))
			continue;
		status = best_baseline(search, &candidates, search->targets[i], &entry);
		if (!status && !entry)
			status = baseline_by_kind(search, pending->minor, &candidates, i, &entry,
						  &repeat);
		if (status || !entry)
			continue;
		if (repeat)
			search->repeats[i] = true;
		else
			add_pair(search, i, pending->minor, entry);
		pending->covered[i / 64] |= bit;
	}
	free_candidates(&candidates);
	return status;
}

void check_baselines_note(const struct check_baselines *search, struct perun_findings *findings)
{
	struct check_machines *machines = &search->checker->machines;

	for (size_t i = 0; i < search->target_count; i++) {
		size_t k = 0;

		while (k < search->pair_count && search->pairs[k].target != i)
			k++;
		if (k < search->pair_count || search->repeats[i])
			continue;
		if (machines->refused)
			findings->elsewhere++;
		else
			findings_unpaired(findings, search->targets[i],
					  PERUN_RESULT_NOT_IN_BASELINE);
	}
	if (findings->elsewhere && !findings->difference) {
		findings->difference = machines->difference;
		machines->difference = NULL;
	}
	check_machines_forget(search->checker);
}

static bool wants(const struct check_baselines *search, const struct check_pending *pending)
{
	for (size_t i = 0; i < words_of(search); i++) {
		if (pending->wanting[i] & ~pending->covered[i])
			return true;
	}
	return false;
}

bool check_baselines_wanting(const struct check_baselines *search)
{
	for (size_t i = 0; i < search->pending_count; i++) {
		if (wants(search, &search->pending[i]))
			return true;
	}
	return false;
}

int check_baselines_visit(struct check_baselines *search, const char *minor,
			  const char *const *parents, size_t parent_count)
{
	struct check_pending *found = find_pending(search, minor), pending;
	int status = PERUN_OK;

	if (!found)
		return search->pending_count ? PERUN_OK : PERUN_STOP;
	pending = *found;
	*found = search->pending[--search->pending_count];
	if (wants(search, &pending))
		status = take_baselines(search, &pending);
	for (size_t i = 0; !status && i < parent_count; i++) {
		struct check_pending *parent = add_pending(search, parents[i]);

		for (size_t j = 0; j < words_of(search); j++) {
			parent->wanting[j] |= pending.wanting[j];
			parent->covered[j] |= pending.covered[j];
		}
	}
	drop_pending(&pending);
	if (status)
		return status;
	return check_baselines_wanting(search) ? PERUN_OK : PERUN_STOP;
}
