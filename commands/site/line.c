/* SPDX-License-Identifier: BSD-3-Clause */
/* The versions of a site: the first parents of the head, and all others that have profiles. */
#include <config.h>

#include <string.h>

#include "site.h"

/* What is known of a version: it was met, and with it all before it; or it comes before one that was met just now. */
enum state { UNKNOWN, AWAITED, MET };

struct walk {
	struct site *site;
	struct perun_builder *texts; /* its strings are checksums */
	uint8_t *states;             /* of the versions of these */
	size_t room;
	size_t awaited; /* versions */
};

static uint8_t *state_of(struct walk *walk, const char *checksum)
{
	perun_id id = perun_builder_text(walk->texts, checksum);
	size_t room = walk->room;

	if (id >= room) {
		walk->room = (size_t)id * 2 + 64;
		walk->states = perun_realloc_array(walk->states, walk->room, sizeof *walk->states);
		memset(walk->states + room, UNKNOWN, (walk->room - room) * sizeof *walk->states);
	}
	return &walk->states[id];
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
	uint8_t *state = state_of(walk, version->checksum);

	if (*state != MET && perun_store_has_index(site->ctx, site->store, version->checksum))
		add_version(site, version, false);
	*state = MET;
	return PERUN_OK;
}

static void await(struct walk *walk, const char *checksum)
{
	uint8_t *state = state_of(walk, checksum);

	if (*state != UNKNOWN)
		return;
	*state = AWAITED;
	walk->awaited++;
}

/* Of a branch, up to where all that follows was met before. */
static int visit_branch(void *data, const struct perun_minor_version *version)
{
	struct walk *walk = data;

	if (*state_of(walk, version->checksum) == AWAITED) {
		visit_other(data, version);
		for (size_t i = 0; i < version->parent_count; i++)
			await(walk, version->parents[i]);
		walk->awaited--;
	}
	return walk->awaited ? PERUN_OK : PERUN_STOP;
}

static int walk_branch(struct walk *walk, struct perun_vcs *vcs, const char *head)
{
	walk->awaited = 0;
	await(walk, head);
	return walk->awaited ? perun_vcs_walk_minor_versions(walk->site->ctx, vcs, head,
							     visit_branch, walk)
			     : PERUN_OK;
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

	for (size_t i = 0; i < site->line; i++)
		*state_of(walk, site->versions[i].info->checksum) = MET;
	if (has_merges(site))
		status = perun_vcs_walk_minor_versions(site->ctx, vcs, head, visit_other, walk);
	if (!status)
		status = perun_vcs_walk_major_versions(site->ctx, vcs, visit_head, &heads);
	for (size_t i = 0; !status && i < heads.count; i++)
		status = walk_branch(walk, vcs, heads.checksums[i]);
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
	walk.texts = perun_builder_new();
	if (site->line)
		status = load_others(&walk, vcs, site->versions[site->line - 1].info->checksum);
	perun_builder_free(walk.texts);
	perun_free(walk.states);
	return status;
}
