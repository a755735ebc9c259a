/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles by labels and time, in the versions of all branches. */
#include <string.h>

#include "core/context/structs.h"
#include "core/lookup/lookup.h"
#include "core/profile/pool.h"
#include "core/store/labels.h"

struct querying {
	struct perun_ctx *ctx;
	struct perun_lookup *lookup;
	struct perun_lookup_query query;
	struct perun_labels *labels;
	char *head;              /* its line is walked first; others as far as they differ */
	struct perun_pool *seen; /* versions with profiles */
	size_t seen_count;
};

static bool is_seen(struct querying *querying, const char *version)
{
	if (perun_pool_add(&querying->seen, version, strlen(version)) < querying->seen_count)
		return true;
	querying->seen_count++;
	return false;
}

static bool is_wanted(void *data, const struct perun_entry *entry, int *status)
{
	struct querying *querying = data;
	bool matches = false;

	if (entry->time >= querying->query.since && entry->time <= querying->query.until)
		*status = perun_labels_match(querying->ctx, querying->labels, entry->checksum,
					     &matches);
	return matches;
}

static int on_version(void *data, const struct perun_minor_version *version)
{
	struct querying *querying = data;
	struct perun_ctx *ctx = querying->ctx;
	struct perun_lookup *lookup = querying->lookup;
	const struct perun_lookup_index *index;
	int status;

	if (!perun_store_has_index(ctx, lookup->store, version->checksum) ||
	    is_seen(querying, version->checksum))
		return PERUN_OK;
	status = perun_lookup_part(ctx, lookup, version->checksum, is_wanted, querying, &index);
	for (size_t i = 0; !status && i < index->entries.count; i++)
		perun_lookup_add_registered(lookup, index->version, &index->entries.items[i]);
	return status;
}

static int on_branch(void *data, const struct perun_major_version *branch)
{
	struct querying *querying = data;
	struct perun_ctx *ctx = querying->ctx;
	struct perun_vcs *vcs;
	int status = perun_store_vcs(ctx, querying->lookup->store, &vcs);

	if (status || strcmp(branch->head, querying->head) == 0)
		return status;
	return perun_vcs_walk_range(ctx, vcs, querying->head, branch->head, on_version, querying);
}

static int walk_all(struct querying *querying)
{
	struct perun_ctx *ctx = querying->ctx;
	struct perun_vcs *vcs;
	int status = perun_store_vcs(ctx, querying->lookup->store, &vcs);

	if (!status)
		status = perun_lookup_version(ctx, querying->lookup->store, NULL, &querying->head);
	if (!status)
		status = perun_vcs_walk_minor_versions(ctx, vcs, querying->head, on_version,
						       querying);
	return status ? status : perun_vcs_walk_major_versions(ctx, vcs, on_branch, querying);
}

int perun_lookup_add_query(struct perun_ctx *ctx, struct perun_lookup *lookup,
			   const struct perun_lookup_query *query)
{
	struct querying querying = {.ctx = ctx, .lookup = lookup, .seen = perun_pool_new(false)};
	int status = perun_lookup_need_store(ctx, lookup);

	PERUN_STRUCT_TAKE(&querying.query, query);
	if (!status)
		status = perun_labels_open(ctx, lookup->store, querying.query.labels,
					   querying.query.label_count, &querying.labels);
	if (!status)
		status = walk_all(&querying);
	perun_labels_close(querying.labels);
	perun_pool_unref(querying.seen);
	perun_free(querying.head);
	return status;
}
