/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the checksums beside indexes, as they are and with a last line that fits. */
#include "core/store/store.h"
#include "tests/fuzz/fuzz.h"

/* The decoder wants a NUL behind the text, as perun_file_read() gives. */
static void check(const void *data, size_t size)
{
	struct perun_buffer bytes = {0}, again = {0};
	struct perun_sums sums, read;

	perun_buffer_add(&bytes, data, size);
	perun_sums_decode(bytes.data, bytes.length, &sums);
	MUST(sums.exists);
	if (!sums.bad) {
		perun_sums_encode(&sums, &again);
		perun_sums_decode(again.data, again.length, &read);
		MUST(!read.bad);
		MUST(memcmp(&read.current, &sums.current, sizeof read.current) == 0);
		MUST(memcmp(&read.previous, &sums.previous, sizeof read.previous) == 0);
	}
	perun_buffer_free(&again);
	perun_buffer_free(&bytes);
}

void fuzz_sums(const uint8_t *data, size_t size)
{
	struct perun_buffer text = {0};
	char checksum[PERUN_CHECKSUM_SIZE];

	check(data, size);
	perun_buffer_add(&text, data, size);
	perun_sha_of(data, size, checksum);
	perun_buffer_printf(&text, "end %s\n", checksum);
	check(text.data, text.length);
	perun_buffer_free(&text);
}
