/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of a run by time: each lies in another or beside it; who is whose parent. */
#include <stdlib.h>

#include "file.h"

static int64_t region_end(const struct afperf_region *region)
{
	return region->end == AFPERF_OPEN ? INT64_MAX : region->end;
}

/* By start; of those that start at once, the longest first; then by their order in the file. */
static int compare_regions(const void *one, const void *other, void *data)
{
	const struct afperf_region *regions = data;
	uint32_t i = *(const uint32_t *)one, k = *(const uint32_t *)other;
	const struct afperf_region *a = &regions[i], *b = &regions[k];

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (region_end(a) != region_end(b))
		return region_end(a) > region_end(b) ? -1 : 1;
	return i < k ? -1 : i > k;
}

static void sort_regions(struct afperf_file *file, uint32_t *order, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (compare_regions(&order[i - 1], &order[i], file->regions) > 0) {
			qsort_r(order, count, sizeof *order, compare_regions, file->regions);
			return;
		}
	}
}

static void cross(struct afperf_file *file, uint32_t inner, uint32_t outer)
{
	struct afperf_region *region = &file->regions[inner];
	struct afperf_problem problem;

	afperf_report(&problem, region->line, "RegionStart", NULL,
		      "AFPerf Format Version 1.x: regions",
		      "the region begins inside that of line %u and ends after its end",
		      (unsigned)file->regions[outer].line);
	afperf_violation(file, &problem);
	region->end = AFPERF_OPEN;
	region->left_out = true;
}

/* `open`: room for as many entries. An open region ends, as far as we know, with what it lies in. */
struct open_region {
	uint32_t index;
	int64_t end;
};

static void nest_run(struct afperf_file *file, const uint32_t *order, size_t count,
		     struct open_region *open)
{
	size_t depth = 0;

	for (size_t i = 0; i < count; i++) {
		struct afperf_region *region = &file->regions[order[i]];
		int64_t end = region_end(region);

		while (depth > 0 && open[depth - 1].end <= region->start)
			depth--;
		region->parent = depth > 0 ? open[depth - 1].index : AFPERF_NONE;
		if (depth > 0 && end > open[depth - 1].end) {
			if (region->end != AFPERF_OPEN) {
				cross(file, order[i], open[depth - 1].index);
				continue;
			}
			end = open[depth - 1].end;
		}
		open[depth++] = (struct open_region){order[i], end};
	}
}

/* The regions of each run together: `order`, and where each run begins in `firsts`. */
static void order_by_run(const struct afperf_file *file, uint32_t *order, uint32_t *firsts)
{
	memset(firsts, 0, (file->run_count + 1) * sizeof *firsts);
	for (uint32_t i = 0; i < file->region_count; i++)
		firsts[afperf_group_run(&file->groups[file->regions[i].group]) + 1]++;
	for (uint32_t i = 0; i < file->run_count; i++)
		firsts[i + 1] += firsts[i];
	for (uint32_t i = 0; i < file->region_count; i++)
		order[firsts[afperf_group_run(&file->groups[file->regions[i].group])]++] = i;
	for (uint32_t i = file->run_count; i > 0; i--)
		firsts[i] = firsts[i - 1];
	firsts[0] = 0;
}

void afperf_nest_regions(struct afperf_file *file)
{
	uint32_t *order, *firsts;
	struct open_region *open;

	if (!file->region_count)
		return;
	order = perun_alloc_zero(file->region_count, sizeof *order);
	firsts = perun_alloc_zero(file->run_count + 1u, sizeof *firsts);
	open = perun_alloc_zero(file->region_count, sizeof *open);
	order_by_run(file, order, firsts);
	for (uint32_t i = 0; i < file->run_count; i++) {
		size_t count = firsts[i + 1] - firsts[i];

		sort_regions(file, order + firsts[i], count);
		nest_run(file, order + firsts[i], count, open);
	}
	perun_free(order);
	perun_free(firsts);
	perun_free(open);
}
