/* SPDX-License-Identifier: BSD-3-Clause */
/* The members of an experiment's zip archive. */
#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#include "extrap-experiment.h"

static int read_member(struct perun_ctx *ctx, struct archive *zip, const char *name, uint64_t limit,
		       struct extrapexperiment_archive *archive, size_t *total)
{
	struct extrapexperiment_member member = {0};
	size_t room = 0;

	for (;;) {
		la_ssize_t got;

		if (room - member.size < 65536) {
			room = room ? room * 2 : 65536;
			member.data = perun_realloc(member.data, room);
		}
		got = archive_read_data(zip, member.data + member.size, room - member.size);
		if (got <= 0) {
			if (got == 0)
				break;
			perun_free(member.data);
			return perun_fail(ctx, PERUN_INPUT, "member %s: %s", name,
					  archive_error_string(zip));
		}
		member.size += (size_t)got;
		*total += (size_t)got;
		if (*total > limit) {
			perun_free(member.data);
			return perun_fail(ctx, PERUN_INPUT,
					  "the archive holds more than %llu MiB, the limit of the "
					  "option archive-limit",
					  (unsigned long long)limit >> 20);
		}
		if (perun_cancelled(ctx)) {
			perun_free(member.data);
			return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
		}
	}
	member.name = perun_strdup(name);
	/* An archive may have many small members. */
	member.data = perun_realloc(member.data, member.size + 1);
	PERUN_GROW(archive->members, archive->count, archive->room);
	if (!perun_json_get(archive->index, name))
		perun_json_set(archive->index, name, perun_json_int64((int64_t)archive->count));
	archive->members[archive->count++] = member;
	return PERUN_OK;
}

static bool is_wanted(const char *name)
{
	return name && (strcmp(name, "experiment.json") == 0 || strncmp(name, "values/", 7) == 0);
}

int extrapexperiment_open(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit,
			  struct extrapexperiment_archive *archive)
{
	struct archive *zip = archive_read_new();
	struct archive_entry *entry;
	const void *data;
	size_t size, total = 0;
	int status = perun_input_map(ctx, input, 0, &data, &size), result;

	archive->index = perun_json_object();
	archive_read_support_format_zip(zip);
	if (!status && archive_read_open_memory(zip, data, size) != ARCHIVE_OK)
		status = perun_fail(ctx, PERUN_INPUT, "expected a zip archive: %s",
				    archive_error_string(zip));
	while (!status && (result = archive_read_next_header(zip, &entry)) != ARCHIVE_EOF) {
		const char *name = archive_entry_pathname(entry);

		if (result != ARCHIVE_OK && result != ARCHIVE_WARN)
			status = perun_fail(ctx, PERUN_INPUT, "the archive is damaged: %s",
					    archive_error_string(zip));
		else if (is_wanted(name))
			status = read_member(ctx, zip, name, limit, archive, &total);
	}
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
