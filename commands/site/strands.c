/* SPDX-License-Identifier: BSD-3-Clause */
/* Strands: what has a history, and the pages that show it. */
#include <config.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/hash.h>
#include <perun/lib/units.h>

#include "site.h"

#define NONE UINT32_MAX

static uint64_t hash_of(const struct site_strand *strand, const char *location)
{
	uint64_t hash = site_hash_text(0, strand->cmd);

	hash = site_hash_text(hash, strand->workload);
	hash = site_hash_text(hash, strand->machine);
	hash = site_hash_text(hash, strand->metric);
	return site_hash_text(hash, location);
}

/* Of tables: names in profiles cannot be chosen so that they meet there. */
static uint64_t key_of(const struct site_strand *strand, const char *location)
{
	const char *const texts[] = {strand->cmd, strand->workload, strand->machine, strand->metric,
				     location};
	uint64_t key = 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		key = perun_hash_number(key ^ perun_hash_text(texts[i], strlen(texts[i])));
	return key;
}

static void grow_table(struct site *site)
{
	site->table_size = site->table_size ? site->table_size * 2 : 1024;
	site->table = perun_realloc_array(site->table, site->table_size, sizeof *site->table);
	memset(site->table, 0xff, site->table_size * sizeof *site->table);
	for (size_t i = 0; i < site->strand_count; i++) {
		size_t at = site->strands[i].key & (site->table_size - 1);

		while (site->table[at] != NONE)
			at = (at + 1) & (site->table_size - 1);
		site->table[at] = (uint32_t)i;
	}
}

static bool same(const struct site_strand *one, const struct site_strand *other)
{
	return strcmp(one->location, other->location) == 0 &&
	       strcmp(one->metric, other->metric) == 0 && strcmp(one->cmd, other->cmd) == 0 &&
	       strcmp(one->workload, other->workload) == 0 &&
	       strcmp(one->machine, other->machine) == 0 &&
	       perun_unit_factor(one->unit, other->unit) != 0;
}

bool site_is_strand(const struct site *site, uint32_t number, const struct site_strand *like)
{
	return number < site->strand_count && same(&site->strands[number], like);
}

uint32_t site_strand(struct site *site, const struct site_strand *like)
{
	uint64_t key = key_of(like, like->location);
	struct site_strand *strand;
	size_t at;

	if (site->strand_count * 2 >= site->table_size)
		grow_table(site);
	for (at = key & (site->table_size - 1); site->table[at] != NONE;
	     at = (at + 1) & (site->table_size - 1)) {
		strand = &site->strands[site->table[at]];
		if (strand->key == key && same(strand, like))
			return site->table[at];
	}
	PERUN_GROW(site->strands, site->strand_count, site->strand_capacity);
	strand = &site->strands[site->strand_count];
	*strand = (struct site_strand){.cmd = perun_strdup(like->cmd),
				       .workload = perun_strdup(like->workload),
				       .machine = perun_strdup(like->machine),
				       .metric = perun_strdup(like->metric),
				       .unit = perun_strdup(like->unit),
				       .location = perun_strdup(like->location),
				       .better = like->better,
				       .likely = like->likely,
				       .noise = like->noise,
				       .sample = like->sample,
				       .key = key,
				       .hash = hash_of(like, like->location)};
	site->table[at] = (uint32_t)site->strand_count;
	return (uint32_t)site->strand_count++;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int compare_strands(const void *one, const void *other, void *data)
{
	const struct site *site = data;
	const struct site_strand *a = &site->strands[*(const uint32_t *)one];
	const struct site_strand *b = &site->strands[*(const uint32_t *)other];

	if (!*a->location != !*b->location)
		return *a->location ? 1 : -1;
	if (a->largest != b->largest)
		return a->largest < b->largest ? 1 : -1;
	return strcmp(a->location, b->location);
}

static int compare_pages(const void *one, const void *other, void *data)
{
	const struct site *site = data;
	const struct site_strand *a = &site->strands[((const struct site_page *)one)->strands[0]];
	const struct site_strand *b = &site->strands[((const struct site_page *)other)->strands[0]];
	int order = strcmp(a->cmd, b->cmd);

	if (!order)
		order = strcmp(a->workload, b->workload);
	if (!order)
		order = strcmp(a->machine, b->machine);
	return order ? order : strcmp(a->metric, b->metric);
}

static struct site_page *page_of(struct site *site, const struct site_strand *strand,
				 uint32_t *by_hash, size_t size)
{
	uint64_t key = key_of(strand, "");
	size_t at = key & (size - 1);

	for (; by_hash[at] != NONE; at = (at + 1) & (size - 1)) {
		struct site_page *page = &site->pages[by_hash[at]];
		struct site_strand *first = &site->strands[page->strands[0]];

		if (page->key == key && strcmp(first->cmd, strand->cmd) == 0 &&
		    strcmp(first->workload, strand->workload) == 0 &&
		    strcmp(first->machine, strand->machine) == 0 &&
		    strcmp(first->metric, strand->metric) == 0)
			return page;
	}
	PERUN_GROW(site->pages, site->page_count, site->page_capacity);
	by_hash[at] = (uint32_t)site->page_count;
	site->pages[site->page_count] = (struct site_page){.key = key, .hash = hash_of(strand, "")};
	return &site->pages[site->page_count++];
}

static void find_largest(struct site *site)
{
	for (size_t i = 0; i < site->line; i++) {
		const struct site_values *values = &site->versions[i].values;

		for (size_t k = 0; k < values->count; k++) {
			struct site_strand *strand = &site->strands[values->strands[k]];

			strand->largest = fmax(strand->largest, fabs(values->medians[k]));
		}
	}
}

/* The largest ones, and those that changed. */
static void choose_shown(const struct site *site, struct site_page *page, size_t most)
{
	size_t kept = most;

	for (size_t i = most; i < page->count; i++) {
		const struct perun_strand *history = site->strands[page->strands[i]].history;

		if (history && history->changes->count)
			page->strands[kept++] = page->strands[i];
	}
	page->hidden = page->count - kept;
	page->count = kept;
}

void site_make_pages(struct site *site)
{
	size_t size = 1024;
	uint32_t *by_hash;

	while (size < site->strand_count * 2)
		size *= 2;
	by_hash = perun_alloc(size * sizeof *by_hash);
	memset(by_hash, 0xff, size * sizeof *by_hash);
	find_largest(site);
	for (size_t i = 1; i < site->strand_count; i++)
		site->several_machines |=
			strcmp(site->strands[0].machine, site->strands[i].machine) != 0;
	for (size_t i = 0; i < site->strand_count; i++) {
		struct site_page *page = page_of(site, &site->strands[i], by_hash, size);

		PERUN_GROW(page->strands, page->count, page->capacity);
		page->strands[page->count++] = (uint32_t)i;
	}
	perun_free(by_hash);
	for (size_t p = 0; p < site->page_count; p++) {
		struct site_page *page = &site->pages[p];
		size_t most = site->places;

		qsort_r(page->strands, page->count, sizeof *page->strands, compare_strands, site);
		most += !*site->strands[page->strands[0]].location;
		if (page->count > most)
			choose_shown(site, page, most);
	}
	if (site->page_count)
		qsort_r(site->pages, site->page_count, sizeof *site->pages, compare_pages, site);
	for (size_t p = 0; p < site->page_count; p++) {
		for (size_t k = 0; k < site->pages[p].count; k++) {
			struct site_strand *strand = &site->strands[site->pages[p].strands[k]];

			strand->page = (uint32_t)p;
			strand->shown = true;
		}
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

size_t site_find(const struct site_values *values, uint32_t strand, size_t *hint)
{
	size_t low = 0, high = values->count;

	/* Versions have their strands in much the same places. */
	if (*hint < values->count && values->strands[*hint] == strand)
		return *hint;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (values->strands[middle] < strand)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == values->count || values->strands[low] != strand)
		return SIZE_MAX;
	*hint = low;
	return low;
}

void site_values_free(struct site_values *values)
{
	perun_free(values->strands);
	perun_free(values->starts);
	perun_free(values->repeats);
	perun_free(values->medians);
	perun_free(values->profiles);
	*values = (struct site_values){0};
}
