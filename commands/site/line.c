/* SPDX-License-Identifier: BSD-3-Clause */
/* The versions of a site: the first parents of the head, and all others that have profiles. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "site.h"

struct seen {
	const char **checksums; /* of versions that are in the list, sorted */
	size_t count;
};

struct walk {
	struct site *site;
	struct seen seen;
};

static int compare_texts(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void add_version(struct site *site, const struct perun_minor_version *version, bool on_line)
{
	uint64_t key = perun_version_key(site->ctx, site->store, version->checksum);

	PERUN_GROW(site->versions, site->count, site->capacity);
	site->versions[site->count++] = (struct site_version){
		.info = perun_minor_version_copy(version),
		.key = key,
		.checks = key ? perun_version_changes_key(site->store, version->checksum) : 0,
		.on_line = on_line};
}

static int visit_other(void *data, const struct perun_minor_version *version)
{
	struct walk *walk = data;
	struct site *site = walk->site;

	if (!perun_store_has_index(site->ctx, site->store, version->checksum) ||
	    bsearch(&version->checksum, walk->seen.checksums, walk->seen.count, sizeof(char *),
		    compare_texts))
		return PERUN_OK;
	add_version(site, version, false);
	return PERUN_OK;
}

struct heads {
	char **checksums;
	size_t count, capacity;
};

static int visit_head(void *data, const struct perun_major_version *version)
{
	struct heads *heads = data;

	PERUN_GROW(heads->checksums, heads->count, heads->capacity);
	heads->checksums[heads->count++] = perun_strdup(version->head);
	return PERUN_OK;
}

static void note_seen(struct walk *walk)
{
	struct site *site = walk->site;

	walk->seen.checksums =
		perun_realloc_array(walk->seen.checksums, site->count + 1, sizeof(char *));
	walk->seen.count = site->count;
	for (size_t i = 0; i < site->count; i++)
		walk->seen.checksums[i] = site->versions[i].info->checksum;
	qsort(walk->seen.checksums, walk->seen.count, sizeof(char *), compare_texts);
}

/* Whether the head reaches more than the line. */
static bool has_merges(const struct site *site)
{
	bool has = false;

	for (size_t i = 0; !has && i < site->line; i++)
		has = site->versions[i].info->parent_count > 1;
	return has;
}

/* What the head does not reach is found from the heads of all branches. */
static int load_others(struct walk *walk, struct perun_vcs *vcs, const char *head)
{
	struct site *site = walk->site;
	struct heads heads = {0};
	int status = PERUN_OK;

	note_seen(walk);
	if (has_merges(site))
		status = perun_vcs_walk_minor_versions(site->ctx, vcs, head, visit_other, walk);
	if (!status)
		status = perun_vcs_walk_major_versions(site->ctx, vcs, visit_head, &heads);
	for (size_t i = 0; !status && i < heads.count; i++) {
		if (strcmp(heads.checksums[i], head) == 0)
			continue;
		note_seen(walk);
		status = perun_vcs_walk_range(site->ctx, vcs, head, heads.checksums[i], visit_other,
					      walk);
	}
	for (size_t i = 0; i < heads.count; i++)
		perun_free(heads.checksums[i]);
	perun_free(heads.checksums);
	return status == PERUN_STOP ? PERUN_OK : status;
}

int site_load_versions(struct site *site)
{
	struct walk walk = {.site = site};
	struct perun_ctx *ctx = site->ctx;
	struct perun_vcs *vcs;
	int status = perun_store_vcs(ctx, site->store, &vcs);

	if (!status)
		status = perun_vcs_get_head_major_version(ctx, vcs, &site->branch);
	if (!status)
		status = perun_version_line_load(ctx, site->store, NULL, &site->parents);
	if (status)
		return status;
	site->line = perun_version_line_count(site->parents);
	for (size_t i = 0; i < site->line; i++)
		add_version(site, perun_version_line_version(site->parents, i), true);
	if (site->line)
		status = load_others(&walk, vcs, site->versions[site->line - 1].info->checksum);
	perun_free(walk.seen.checksums);
	return status;
}
