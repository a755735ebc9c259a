/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profile.db: for each thread the values of contexts. meta.db does not list all contexts: instructions of lines are left out of
 * it, and with them most values that are a context's own. So what a context costs is what it costs with all that it calls,
 * less the same of the contexts below it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"

enum { PROFILES = 0 }; /* the section */
/* Sizes of structures. */
enum { PROFILES_SIZE = 13, PROFILE_SIZE = 44, VALUE_SIZE = 10, INDEX_SIZE = 12, TUPLE_SIZE = 8 };
enum { IDENTIFIER_SIZE = 16, MAX_IDENTIFIERS = 64 };
/* What sums of doubles in different orders may differ by, as a share of them. */
#define ROUNDING 1e-12

#define NONE     UINT32_MAX

/* Where the values of a profile are. */
struct block {
	uint64_t values, value_count, indexes, index_count;
};

/* A context that has values in a profile. */
struct entry {
	uint32_t context; /* NONE: it is not in meta.db */
	uint32_t child, sibling;
};

/* The values of one context and metric. */
struct sum {
	double own, total, below;
	bool any;
};

struct reading {
	struct hpctoolkit_meta *meta;
	const struct hpctoolkit_file *file;
	const struct hpctoolkit_value_id *ids;
	bool of_sums;         /* there are no profiles of threads */
	uint64_t left;        /* bytes of values that are not read yet: none is read twice */
	uint32_t *entries_of; /* by context: its entry in the profile, or NONE */
	struct entry *entries;
	size_t entry_room;
	struct sum *sums;  /* by metric */
	uint32_t *touched; /* metrics with a sum */
	size_t touched_count;
};

static double value_at(const struct hpctoolkit_file *file, uint64_t at)
{
	uint64_t bits = hpctoolkit_number(file, at, 8);
	double value;

	memcpy(&value, &bits, sizeof value);
	return isfinite(value) ? value : 0;
}

/* The values of an index: from its start to that of the next one. */
static void range_of(const struct hpctoolkit_file *file, const struct block *block, size_t i,
		     uint64_t *first, uint64_t *end)
{
	uint64_t at = block->indexes + i * INDEX_SIZE + 4;

	*first = hpctoolkit_number(file, at, 8);
	*end = i + 1 < block->index_count ? hpctoolkit_number(file, at + INDEX_SIZE, 8)
					  : block->value_count;
}

static int check_ranges(const struct hpctoolkit_file *file, const struct block *block)
{
	uint64_t first, end;

	for (size_t i = 0; i < block->index_count; i++) {
		range_of(file, block, i, &first, &end);
		if (first > end || end > block->value_count)
			return perun_fail(file->ctx, PERUN_INPUT,
					  "byte %" PRIu64 ": expected the start of values, at most "
					  "%" PRIu64,
					  block->indexes + i * INDEX_SIZE + 4, block->value_count);
	}
	return PERUN_OK;
}

static int read_block(const struct hpctoolkit_file *file, uint64_t profile, struct block *block)
{
	int status;

	block->value_count = hpctoolkit_number(file, profile, 8);
	block->values = hpctoolkit_number(file, profile + 8, 8);
	block->index_count = hpctoolkit_number(file, profile + 16, 4);
	block->indexes = hpctoolkit_number(file, profile + 24, 8);
	status = hpctoolkit_expect(file, block->values, block->value_count, VALUE_SIZE, VALUE_SIZE,
				   "values");
	if (!status)
		status = hpctoolkit_expect(file, block->indexes, block->index_count, INDEX_SIZE,
					   INDEX_SIZE, "contexts with values");
	return status ? status : check_ranges(file, block);
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* The first look at a profile: which metrics have values. */
static int note_used(struct reading *reading, uint64_t profile)
{
	const struct hpctoolkit_file *file = reading->file;
	struct block block;
	uint64_t size;
	int status = read_block(file, profile, &block);

	if (status)
		return status;
	size = block.value_count * VALUE_SIZE + block.index_count * INDEX_SIZE;
	if (size > reading->left)
		return perun_fail(file->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": expected values of one profile only",
				  block.values);
	reading->left -= size;
	for (uint64_t i = 0; i < block.value_count; i++) {
		uint64_t at = block.values + i * VALUE_SIZE;
		const struct hpctoolkit_value_id *id =
			&reading->ids[hpctoolkit_number(file, at, 2)];

		if (id->title && value_at(file, at + 2) != 0)
			reading->meta->titles[id->title - 1].used = true;
	}
	return PERUN_OK;
}

/* Databases of one program list metrics in any order: the time of the processor is first, then times, then others by name. */
static int rank_of(const char *text)
{
	static const char *const first[] = {"CPUTIME (sec)", "REALTIME (sec)", "GPUOP (sec)"};
	enum { FIRST = sizeof first / sizeof *first };

	for (int i = 0; i < FIRST; i++)
		if (strcmp(text, first[i]) == 0)
			return i;
	return strstr(text, "sec)") ? FIRST : FIRST + 1;
}

static int compare_titles(const void *a, const void *b)
{
	const char *left = (*(struct hpctoolkit_title *const *)a)->text;
	const char *right = (*(struct hpctoolkit_title *const *)b)->text;
	int difference = rank_of(left) - rank_of(right);

	return difference ? difference : strcmp(left, right);
}

static void make_metrics(struct hpctoolkit_meta *meta)
{
	struct hpctoolkit_title **used = perun_alloc((meta->title_count + 1) * sizeof *used);
	size_t count = 0;

	for (size_t i = 0; i < meta->title_count; i++)
		if (meta->titles[i].used)
			used[count++] = &meta->titles[i];
	qsort(used, count, sizeof *used, compare_titles);
	for (size_t i = 0; i < count; i++)
		used[i]->metric = hpctoolkit_make_metric(meta->stacks, used[i]->text);
	perun_free(used);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* "rank", "thread": a label for each identifier of a profile. */
static int read_labels(const struct reading *reading, uint64_t at, perun_id *labels)
{
	const struct hpctoolkit_file *file = reading->file;
	struct perun_builder *builder = stacks_builder(reading->meta->stacks);
	struct perun_label made[MAX_IDENTIFIERS];
	size_t count = 0, k;
	uint64_t total;
	int status = hpctoolkit_expect(file, at, 1, TUPLE_SIZE, TUPLE_SIZE, "identifiers");

	if (status)
		return status;
	total = hpctoolkit_number(file, at, 2);
	status = hpctoolkit_expect(file, at + TUPLE_SIZE, total, IDENTIFIER_SIZE, IDENTIFIER_SIZE,
				   "identifiers");
	if (!status && total > MAX_IDENTIFIERS)
		status = perun_fail(file->ctx, PERUN_INPUT,
				    "byte %" PRIu64 ": expected at most %d identifiers", at,
				    MAX_IDENTIFIERS);
	for (uint64_t i = 0; !status && i < total; i++) {
		uint64_t identifier = at + TUPLE_SIZE + i * IDENTIFIER_SIZE;
		perun_id key = reading->meta->kinds[hpctoolkit_number(file, identifier, 1)];
		char text[24];

		for (k = 0; k < count && made[k].key != key; k++)
			;
		if (!key || k < count)
			continue;
		perun_snprintf(text, sizeof text, "%" PRIu64,
			       hpctoolkit_number(file, identifier + 4, 4));
		made[count++] =
			(struct perun_label){.key = key, .text = perun_builder_text(builder, text)};
	}
	*labels = count ? perun_builder_labels(builder, made, count) : PERUN_NO_ID;
	return status;
}

/* Add the values of an entry to the sums: as its own, or as those of what is below. */
static void add_values(struct reading *reading, const struct block *block, size_t entry, bool below)
{
	const struct hpctoolkit_file *file = reading->file;
	uint64_t first, end;

	range_of(file, block, entry, &first, &end);
	for (uint64_t i = first; i < end; i++) {
		uint64_t at = block->values + i * VALUE_SIZE;
		const struct hpctoolkit_value_id *id =
			&reading->ids[hpctoolkit_number(file, at, 2)];
		double value = value_at(file, at + 2);
		struct sum *sum;

		if (!id->title || value == 0 || (below && !id->total))
			continue;
		sum = &reading->sums[id->title - 1];
		if (!sum->any)
			reading->touched[reading->touched_count++] = id->title - 1;
		sum->any = true;
		*(below ? &sum->below : id->total ? &sum->total : &sum->own) += value;
	}
}

/* What a context costs itself: what the file says, where that is the same but for rounding. */
static double cost_of(const struct hpctoolkit_title *title, const struct sum *sum)
{
	double cost = sum->total - sum->below, rounding = ROUNDING * fabs(sum->total);

	if (!title->total || fabs(cost - sum->own) <= rounding)
		return sum->own;
	return fabs(cost) <= rounding ? 0 : cost;
}

static int add_row(struct reading *reading, uint32_t context, perun_id labels)
{
	struct hpctoolkit_meta *meta = reading->meta;
	bool any = false;
	perun_id stack;
	int status;

	for (size_t i = 0; i < reading->touched_count; i++) {
		const struct hpctoolkit_title *title = &meta->titles[reading->touched[i]];
		struct sum *sum = &reading->sums[reading->touched[i]];
		double cost = cost_of(title, sum);

		if (cost != 0)
			stacks_value(meta->stacks, title->metric, cost);
		any |= cost != 0;
		*sum = (struct sum){0};
	}
	reading->touched_count = 0;
	if (!any)
		return PERUN_OK;
	status = hpctoolkit_context_stack(meta, context, &stack);
	if (status)
		return status;
	if (labels != PERUN_NO_ID)
		stacks_label_set(meta->stacks, labels);
	stacks_add(meta->stacks, stack);
	return PERUN_OK;
}

/* Find the contexts of the entries, and put each among those of the context around it. */
static void link_entries(struct reading *reading, const struct block *block)
{
	struct hpctoolkit_meta *meta = reading->meta;
	size_t count = (size_t)block->index_count;

	if (count > reading->entry_room) {
		reading->entry_room = count;
		reading->entries =
			perun_realloc_array(reading->entries, count, sizeof *reading->entries);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t at = block->indexes + i * INDEX_SIZE;
		uint32_t context =
			stacks_numbers_find(&meta->by_id, hpctoolkit_number(reading->file, at, 4));

		reading->entries[i] = (struct entry){context, NONE, NONE};
		if (context != NONE)
			reading->entries_of[context] = (uint32_t)i;
	}
	for (size_t i = 0; i < count; i++) {
		struct entry *entry = &reading->entries[i];
		uint32_t parent =
			entry->context == NONE ? NONE : meta->contexts[entry->context].parent;
		uint32_t around = parent == NONE ? NONE : reading->entries_of[parent];

		if (around == NONE)
			continue;
		entry->sibling = reading->entries[around].child;
		reading->entries[around].child = (uint32_t)i;
	}
}

static int add_rows(struct reading *reading, const struct block *block, perun_id labels)
{
	int status = PERUN_OK;

	link_entries(reading, block);
	for (size_t i = 0; !status && i < block->index_count; i++) {
		const struct entry *entry = &reading->entries[i];

		if (entry->context == NONE)
			continue;
		add_values(reading, block, i, false);
		for (uint32_t k = entry->child; k != NONE; k = reading->entries[k].sibling)
			add_values(reading, block, k, true);
		status = add_row(reading, entry->context, labels);
	}
	for (size_t i = 0; i < block->index_count; i++)
		if (reading->entries[i].context != NONE)
			reading->entries_of[reading->entries[i].context] = NONE;
	return status;
}

/* ---- profiles -------------------------------------------------------------------------------- */

static bool is_chosen(const struct reading *reading, uint64_t profile)
{
	return (hpctoolkit_number(reading->file, profile + 40, 4) & 1) == reading->of_sums;
}

static int read_profile(struct reading *reading, uint64_t profile)
{
	uint64_t tuple = hpctoolkit_number(reading->file, profile + 32, 8);
	perun_id labels = PERUN_NO_ID;
	struct block block;
	int status = read_block(reading->file, profile, &block);

	if (!status && tuple)
		status = read_labels(reading, tuple, &labels);
	if (!status)
		status = add_rows(reading, &block, labels);
	return !status && perun_cancelled(reading->file->ctx) ? PERUN_CANCELLED : status;
}

/* Whether there are profiles of threads: without any the sums over all of them are read, which are the first profile. */
static void choose(struct reading *reading, uint64_t profile, uint64_t count, uint64_t stride)
{
	for (uint64_t i = 0; i < count; i++)
		if (is_chosen(reading, profile + i * stride))
			return;
	reading->of_sums = true;
	reading->ids = reading->meta->of_sums;
}

static int read_all(struct reading *reading, uint64_t profile, uint64_t count, uint64_t stride)
{
	int status = PERUN_OK;

	choose(reading, profile, count, stride);
	if (reading->of_sums && count > 1)
		count = 1;
	for (uint64_t i = 0; !status && i < count; i++)
		if (is_chosen(reading, profile + i * stride))
			status = note_used(reading, profile + i * stride);
	make_metrics(reading->meta);
	for (uint64_t i = 0; !status && i < count; i++)
		if (is_chosen(reading, profile + i * stride))
			status = read_profile(reading, profile + i * stride);
	return status;
}

int hpctoolkit_read_profiles(struct hpctoolkit_meta *meta, const struct hpctoolkit_file *file)
{
	struct reading reading = {
		.meta = meta, .file = file, .ids = meta->of_threads, .left = file->size};
	uint64_t at, profile, count, stride;
	int status = hpctoolkit_section(file, PROFILES, PROFILES_SIZE, &at);

	if (status)
		return status;
	profile = hpctoolkit_number(file, at, 8);
	count = hpctoolkit_number(file, at + 8, 4);
	stride = hpctoolkit_number(file, at + 12, 1);
	status = hpctoolkit_expect(file, profile, count, stride, PROFILE_SIZE, "profiles");
	if (status)
		return status;
	reading.entries_of = perun_alloc(meta->context_count * sizeof *reading.entries_of);
	memset(reading.entries_of, 0xff, meta->context_count * sizeof *reading.entries_of);
	reading.sums = perun_alloc_zero(meta->title_count + 1, sizeof *reading.sums);
	reading.touched = perun_alloc((meta->title_count + 1) * sizeof *reading.touched);
	status = read_all(&reading, profile, count, stride);
	perun_free(reading.entries_of);
	perun_free(reading.entries);
	perun_free(reading.sums);
	perun_free(reading.touched);
	return status;
}
