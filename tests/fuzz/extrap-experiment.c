/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: the format extrap-experiment. What is no zip archive is put into one as its
 * experiment.json: in the archive itself hardly any change gets past the checksums.
 */
#include <zlib.h>

#include <perun/context.h>

#include "tests/fuzz/fuzz.h"

static void add(struct perun_buffer *out, uint64_t number, unsigned size)
{
	for (; size > 0; size--, number >>= 8)
		perun_buffer_add_char(out, (char)(number & 0xff));
}

static const char name[] = "experiment.json";

/* What the headings of a member and of its entry in the directory share. */
static void add_facts(struct perun_buffer *out, uint32_t sum, size_t size)
{
	add(out, 20, 2); /* version */
	add(out, 0, 2);  /* flags */
	add(out, 0, 2);  /* stored */
	add(out, 0x210000, 4);
	add(out, sum, 4);
	add(out, size, 4);
	add(out, size, 4);
	add(out, sizeof name - 1, 2);
	add(out, 0, 2);
}

static void put_into_archive(struct perun_buffer *out, const uint8_t *data, size_t size)
{
	uint32_t sum = (uint32_t)crc32(0, data, (uInt)size);
	size_t directory;

	perun_buffer_add(out, "PK\3\4", 4);
	add_facts(out, sum, size);
	perun_buffer_add(out, name, sizeof name - 1);
	perun_buffer_add(out, data, size);
	directory = out->length;
	perun_buffer_add(out, "PK\1\2\24\0", 6);
	add_facts(out, sum, size);
	add(out, 0, 6);
	add(out, 0, 4);
	add(out, 0, 4); /* where the member begins */
	perun_buffer_add(out, name, sizeof name - 1);
	perun_buffer_add(out, "PK\5\6\0\0\0\0\1\0\1\0", 12);
	add(out, out->length - 12 - directory, 4);
	add(out, directory, 4);
	add(out, 0, 2);
}

void fuzz_extrap_experiment(const uint8_t *data, size_t size)
{
	static const struct fuzz_target format = {.name = "extrap-experiment"};
	struct perun_buffer archive = {0};

	if (size >= 2 && memcmp(data, "PK", 2) == 0) {
		fuzz_experiment(&format, data, size);
		return;
	}
	put_into_archive(&archive, data, size);
	fuzz_experiment(&format, (const uint8_t *)archive.data, archive.length);
	perun_buffer_free(&archive);
}
