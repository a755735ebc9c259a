/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a database from version 2022 on: their start, their sections, and what is where it should be. */
#include <inttypes.h>
#include <string.h>

#include "database.h"

#define MAGIC "HPCTOOLKIT"
enum { MAJOR = 4, MAJOR_AT = 14, SECTIONS_AT = 16, SECTION = 16, FOOTER = 8 };

int hpctoolkit_open(struct perun_ctx *ctx, struct perun_input *input, const char *kind,
		    struct hpctoolkit_file *file)
{
	char footer[FOOTER + 1];
	const void *data;
	size_t size;
	int status = perun_input_map(ctx, input, 0, &data, &size);

	if (status)
		return status;
	*file = (struct hpctoolkit_file){ctx, data, size};
	if (size < SECTIONS_AT || memcmp(data, MAGIC, 10) != 0 ||
	    memcmp(file->bytes + 10, kind, 4) != 0)
		return perun_fail(ctx, PERUN_INPUT, "byte 0: expected " MAGIC "%s", kind);
	if (file->bytes[MAJOR_AT] != MAJOR)
		return perun_fail(ctx, PERUN_INPUT,
				  "its layout has the version %u.%u, those that are read are 4.x",
				  file->bytes[MAJOR_AT], file->bytes[MAJOR_AT + 1]);
	perun_snprintf(footer, sizeof footer, "_%s.db", kind);
	if (size < SECTIONS_AT + FOOTER || memcmp(file->bytes + size - FOOTER, footer, FOOTER) != 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "byte %zu: expected %s at the end: it is cut off", size, footer);
	return PERUN_OK;
}

int hpctoolkit_expect(const struct hpctoolkit_file *file, uint64_t at, uint64_t count,
		      uint64_t stride, uint64_t size, const char *what)
{
	if (count == 0)
		return PERUN_OK;
	if (stride < size)
		return perun_fail(file->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": expected %s of at least %" PRIu64
				  " bytes, found %" PRIu64,
				  at, what, size, stride);
	if (at <= file->size && count <= (file->size - at) / stride)
		return PERUN_OK;
	return perun_fail(file->ctx, PERUN_INPUT,
			  "byte %" PRIu64 ": expected %" PRIu64 " %s, the file has %" PRIu64
			  " bytes",
			  at, count, what, file->size);
}

int hpctoolkit_section(const struct hpctoolkit_file *file, unsigned number, uint64_t size,
		       uint64_t *at)
{
	uint64_t entry = SECTIONS_AT + (uint64_t)number * SECTION, length;
	int status = hpctoolkit_expect(file, entry, 1, SECTION, SECTION, "section of the file");

	if (status)
		return status;
	length = hpctoolkit_number(file, entry, 8);
	*at = hpctoolkit_number(file, entry + 8, 8);
	return hpctoolkit_expect(file, *at, 1, length, size, "section");
}

uint64_t hpctoolkit_number(const struct hpctoolkit_file *file, uint64_t at, unsigned size)
{
	uint64_t number = 0;

	for (unsigned i = size; i-- > 0;)
		number = number << 8 | file->bytes[at + i];
	return number;
}

int hpctoolkit_text(const struct hpctoolkit_file *file, uint64_t at, uint64_t limit,
		    const char **text)
{
	uint64_t room = at < file->size ? file->size - at : 0;

	if (!memchr(file->bytes + (room ? at : 0), '\0', room < limit ? room : limit))
		return perun_fail(file->ctx, PERUN_INPUT,
				  "byte %" PRIu64 ": expected a text of less than %" PRIu64
				  " bytes",
				  at, limit);
	*text = (const char *)file->bytes + at;
	return PERUN_OK;
}

/* Open a file of the directory, which the caller closes. */
static int open_file(struct perun_ctx *ctx, struct perun_input *directory, const char *name,
		     const char *kind, struct perun_input **input, struct hpctoolkit_file *file)
{
	int status = perun_input_open_child(ctx, directory, name, input);

	if (!status)
		status = hpctoolkit_open(ctx, *input, kind, file);
	return status ? perun_fail(ctx, status, "%s", name) : PERUN_OK;
}

int hpctoolkit_read_database(struct perun_ctx *ctx, struct perun_input *directory,
			     struct stacks *stacks)
{
	struct perun_input *tree = NULL, *values = NULL;
	struct hpctoolkit_meta meta = {.stacks = stacks};
	struct hpctoolkit_file profiles;
	int status = open_file(ctx, directory, HPCTOOLKIT_META, "meta", &tree, &meta.file);

	if (!status)
		status = open_file(ctx, directory, HPCTOOLKIT_PROFILES, "prof", &values, &profiles);
	if (!status && (status = hpctoolkit_read_meta(&meta)))
		perun_fail(ctx, status, HPCTOOLKIT_META);
	if (!status && (status = hpctoolkit_read_profiles(&meta, &profiles)))
		perun_fail(ctx, status, HPCTOOLKIT_PROFILES);
	hpctoolkit_free_meta(&meta);
	perun_input_close(values);
	perun_input_close(tree);
	return status;
}
