/* SPDX-License-Identifier: BSD-3-Clause */
/* Giving back what was imported, as it came. */
#include <perun/format.h>
#include <perun/json.h>

#include "core/format/archive.h"
#include "core/store/original.h"

/* What callers see is its first member. */
struct kept {
	struct perun_imported seen;
	char *name, *format, *reader;
	struct perun_object object;
	struct perun_archive archive; /* its bytes are the object's */
};

static char *text_of(const struct perun_json *attachment, const char *key)
{
	const char *text = perun_json_as_string(perun_json_get(attachment, key), NULL);

	return text ? perun_strdup(text) : NULL;
}

int perun_imported_open(struct perun_ctx *ctx, const struct perun_store *store,
			const struct perun_json *attachment, struct perun_imported **imported)
{
	const char *checksum = perun_json_as_string(perun_json_get(attachment, "object"), NULL);
	struct kept *kept = perun_alloc_zero(1, sizeof *kept);
	int status = perun_object_read(ctx, store, checksum, true, &kept->object);

	kept->name = text_of(attachment, "name");
	if (!kept->name)
		kept->name = perun_strdup("");
	kept->format = text_of(attachment, "format");
	kept->reader = text_of(attachment, "reader");
	kept->seen = (struct perun_imported){.struct_size = sizeof kept->seen,
					     .name = kept->name,
					     .format = kept->format,
					     .reader = kept->reader};
	if (!status && kept->object.kind != PERUN_OBJECT_ATTACHMENT)
		status = perun_fail(ctx, PERUN_INPUT, "object %s is not an attachment", checksum);
	if (!status)
		status = perun_original_is_archive(ctx, attachment, &kept->seen.directory);
	if (!status && kept->seen.directory)
		status = perun_archive_read(ctx, kept->object.body, (size_t)kept->object.length,
					    &kept->archive);
	*imported = &kept->seen;
	if (status) {
		perun_imported_free(*imported);
		*imported = NULL;
	}
	return status;
}

int perun_imported_write(struct perun_ctx *ctx, const struct perun_imported *imported,
			 struct perun_output *output)
{
	const struct kept *kept = (const struct kept *)(const void *)imported;

	if (imported->directory)
		return perun_archive_unpack(ctx, &kept->archive, output);
	perun_output_write(output, kept->object.body, (size_t)kept->object.length);
	return PERUN_OK;
}

void perun_imported_free(struct perun_imported *imported)
{
	struct kept *kept = (struct kept *)(void *)imported;

	if (!kept)
		return;
	perun_archive_free(&kept->archive);
	perun_object_free(&kept->object);
	perun_free(kept->name);
	perun_free(kept->format);
	perun_free(kept->reader);
	perun_free(kept);
}
