/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges and merge bases for version control systems that can only walk. */
#include <stdlib.h>
#include <string.h>

#include "core/vcs/fallback.h"

/* Checksums, collected first and then sorted. */
struct checksums {
	char **items;
	size_t count, capacity;
};

static int collect(void *data, const struct perun_minor_version *version)
{
	struct checksums *set = data;

	PERUN_GROW(set->items, set->count, set->capacity);
	set->items[set->count++] = perun_strdup(version->checksum);
	return PERUN_OK;
}

static int compare(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static int collect_reachable(const struct perun_vcs_ops *ops, void *instance, struct perun_ctx *ctx,
			     const char *head, struct checksums *set)
{
	int status = ops->walk_minor_versions(instance, ctx, head, collect, set);

	if (set->count)
		qsort(set->items, set->count, sizeof(*set->items), compare);
	return status;
}

static bool contains(const struct checksums *set, const char *checksum)
{
	return set->count &&
	       bsearch(&checksum, set->items, set->count, sizeof(*set->items), compare);
}

static void checksums_free(struct checksums *set)
{
	for (size_t i = 0; i < set->count; i++)
		perun_free(set->items[i]);
	perun_free(set->items);
}

struct filter {
	struct checksums set;
	perun_minor_version_visit *visit;
	void *data;
	char *found;
};

static int visit_others(void *data, const struct perun_minor_version *version)
{
	struct filter *filter = data;

	if (contains(&filter->set, version->checksum))
		return PERUN_OK;
	return filter->visit(filter->data, version);
}

int perun_vcs_range_by_walks(const struct perun_vcs_ops *ops, void *instance, struct perun_ctx *ctx,
			     const char *exclude, const char *head,
			     perun_minor_version_visit *visit, void *data)
{
	struct filter filter = {.visit = visit, .data = data};
	int status = collect_reachable(ops, instance, ctx, exclude, &filter.set);

	if (status == PERUN_OK)
		status = ops->walk_minor_versions(instance, ctx, head, visit_others, &filter);
	checksums_free(&filter.set);
	return status;
}

static int stop_at_common(void *data, const struct perun_minor_version *version)
{
	struct filter *filter = data;

	if (!contains(&filter->set, version->checksum))
		return PERUN_OK;
	filter->found = perun_strdup(version->checksum);
	return PERUN_STOP;
}

int perun_vcs_merge_base_by_walks(const struct perun_vcs_ops *ops, void *instance,
				  struct perun_ctx *ctx, const char *one, const char *other,
				  char **checksum)
{
	struct filter filter = {0};
	int status = collect_reachable(ops, instance, ctx, one, &filter.set);

	if (status == PERUN_OK)
		status = ops->walk_minor_versions(instance, ctx, other, stop_at_common, &filter);
	if (status == PERUN_OK)
		*checksum = filter.found;
	else
		perun_free(filter.found);
	checksums_free(&filter.set);
	return status;
}
