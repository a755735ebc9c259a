/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions and ranges of them by name. */

#include "core/context/structs.h"
#include <string.h>

#include <perun/lib/lookup.h>

int perun_lookup_version(struct perun_ctx *ctx, struct perun_store *store, const char *revision,
			 char **checksum)
{
	struct perun_vcs *vcs;
	int status;

	*checksum = NULL;
	status = perun_store_vcs(ctx, store, &vcs);
	return status ? status
		      : perun_vcs_massage_parameter(ctx, vcs, revision, "minor_version", checksum);
}

int perun_lookup_range(struct perun_ctx *ctx, struct perun_store *store, const char *text,
		       struct perun_range *range)
{
	const char *dots = text ? strstr(text, "..") : NULL;
	const char *head = dots ? dots + 2 + strspn(dots + 2, ".") : text;
	char *exclude = dots ? perun_strndup(text, (size_t)(dots - text)) : NULL;
	int status;

	*range = (struct perun_range){.struct_size = sizeof *range};
	status = perun_lookup_version(ctx, store, head, &range->head);
	if (!status && exclude)
		status = perun_lookup_version(ctx, store, exclude, &range->exclude);
	perun_free(exclude);
	return status;
}

void perun_range_free(struct perun_range *range)
{
	perun_free(range->exclude);
	perun_free(range->head);
	*range = (struct perun_range){.struct_size = sizeof *range};
}

char *perun_version_subject(const struct perun_minor_version *version)
{
	return perun_strndup(version->description, strcspn(version->description, "\r\n"));
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct perun_minor_version *perun_minor_version_copy(const struct perun_minor_version *version)
{
	struct perun_minor_version *copy = perun_alloc_zero(1, sizeof *copy);
	const char **parents = perun_alloc_zero(version->parent_count + 1, sizeof *parents);

	for (size_t i = 0; i < version->parent_count; i++)
		parents[i] = perun_strdup(version->parents[i]);
	PERUN_STRUCT_TAKE(copy, version);
	copy->checksum = perun_strdup(version->checksum);
	copy->author = perun_strdup(version->author);
	copy->email = perun_strdup(version->email);
	copy->description = perun_strdup(version->description);
	copy->parents = parents;
	return copy;
}

void perun_minor_version_free(struct perun_minor_version *version)
{
	if (!version)
		return;
	for (size_t i = 0; i < version->parent_count; i++)
		perun_free((char *)version->parents[i]);
	perun_free((void *)version->parents);
	perun_free((char *)version->checksum);
	perun_free((char *)version->author);
	perun_free((char *)version->email);
	perun_free((char *)version->description);
	perun_free(version);
}

static int keep_version(void *data, const struct perun_minor_version *version)
{
	struct perun_minor_version **kept = data;

	perun_minor_version_free(*kept);
	*kept = perun_minor_version_copy(version);
	return PERUN_OK;
}

int perun_lookup_version_info(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *checksum,
			      struct perun_minor_version **version)
{
	int status;

	*version = NULL;
	status = perun_vcs_get_minor_version_info(ctx, vcs, checksum, keep_version, version);
	if (!status && !*version)
		status = perun_fail(ctx, PERUN_INPUT, "no version %s", checksum);
	return status;
}
