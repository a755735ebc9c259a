/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of an experiment's zip archive. */
#include <string.h>

#include "extrap-experiment.h"
#include "formats/common/archive-members.h"

struct loading {
	struct perun_ctx *ctx;
	struct archive *zip;
	struct extrapexperiment_archive *archive;
	uint64_t left;
};

static bool is_wanted(const char *name)
{
	return name && (strcmp(name, "experiment.json") == 0 || strncmp(name, "values/", 7) == 0);
}

static int read_member(void *data, struct archive_entry *entry)
{
	struct loading *loading = data;
	struct extrapexperiment_archive *archive = loading->archive;
	struct extrapexperiment_member member = {0};
	const char *name = archive_entry_pathname(entry);
	int status;

	if (!is_wanted(name))
		return PERUN_OK;
	status = formats_archive_read(loading->ctx, loading->zip, name, &loading->left,
				      &member.data, &member.size);
	if (status)
		return status;
	member.name = perun_strdup(name);
	PERUN_GROW(archive->members, archive->count, archive->room);
	if (!perun_json_get(archive->index, name))
		perun_json_set(archive->index, name, perun_json_int64((int64_t)archive->count));
	archive->members[archive->count++] = member;
	return PERUN_OK;
}

int extrapexperiment_open(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit,
			  struct extrapexperiment_archive *archive)
{
	struct archive *zip = archive_read_new();
	struct loading loading = {ctx, zip, archive, limit};
	int status;

	archive->index = perun_json_object();
	archive_read_support_format_zip(zip);
	status = formats_archive_each(ctx, input, zip, "zip", read_member, &loading);
	archive_read_free(zip);
	return status;
}

uint64_t extrapexperiment_size(const struct extrapexperiment_archive *archive)
{
	uint64_t size = 0;

	for (size_t i = 0; i < archive->count; i++)
		size += archive->members[i].size;
	return size;
}

void extrapexperiment_close(struct extrapexperiment_archive *archive)
{
	for (size_t i = 0; i < archive->count; i++) {
		perun_free(archive->members[i].name);
		perun_free(archive->members[i].data);
	}
	perun_free(archive->members);
	perun_json_free(archive->index);
	*archive = (struct extrapexperiment_archive){0};
}

const struct extrapexperiment_member *
extrapexperiment_find(const struct extrapexperiment_archive *archive, const char *name)
{
	int64_t place;

	return perun_json_as_int64(perun_json_get(archive->index, name), &place)
		       ? &archive->members[place]
		       : NULL;
}
