/* SPDX-License-Identifier: BSD-3-Clause */
/* The checksums beside an index: their text. */
#include <stdio.h>
#include <string.h>

#include "core/store/store.h"

/*
 *	perun-sum 1
 *	CHECKSUM SIZE SECONDS.NANOSECONDS         of the index that is about to be written
 *	CHECKSUM SIZE SECONDS.NANOSECONDS         of the one before, if there was one
 *	end CHECKSUM                              of the lines above
 */
#define FIRST_LINE "perun-sum 1\n"
#define LAST_WORD  "end "

static void put_sum(const struct perun_sum *sum, struct perun_buffer *out)
{
	if (sum->checksum[0])
		perun_buffer_printf(out, "%s %ju %jd.%09ld\n", sum->checksum, (uintmax_t)sum->size,
				    (intmax_t)sum->time.tv_sec, sum->time.tv_nsec);
}

void perun_sums_encode(const struct perun_sums *sums, struct perun_buffer *out)
{
	char checksum[PERUN_CHECKSUM_SIZE];

	perun_buffer_clear(out);
	perun_buffer_add_text(out, FIRST_LINE);
	put_sum(&sums->current, out);
	put_sum(&sums->previous, out);
	perun_sha_of(out->data, out->length, checksum);
	perun_buffer_printf(out, LAST_WORD "%s\n", checksum);
}

static bool get_sum(const char *line, struct perun_sum *sum)
{
	uintmax_t size;
	intmax_t seconds;
	int used = 0;

	if (sscanf(line, "%40[0-9a-f] %ju %jd.%9ld\n%n", sum->checksum, &size, &seconds,
		   &sum->time.tv_nsec, &used) != 4 ||
	    used == 0 || !perun_is_checksum(sum->checksum))
		return false;
	sum->size = size;
	sum->time.tv_sec = (time_t)seconds;
	return true;
}

/* The text is whole: its own checksum says so. */
static bool is_whole(const char *text, size_t length)
{
	const size_t tail = strlen(LAST_WORD) + PERUN_SHA1_DIGITS + 1;
	char checksum[PERUN_CHECKSUM_SIZE];

	if (length < strlen(FIRST_LINE) + tail || memchr(text, 0, length))
		return false;
	perun_sha_of(text, length - tail, checksum);
	return strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0 && text[length - 1] == '\n' &&
	       strncmp(text + length - tail, LAST_WORD, strlen(LAST_WORD)) == 0 &&
	       strncmp(text + length - PERUN_SHA1_DIGITS - 1, checksum, PERUN_SHA1_DIGITS) == 0;
}

void perun_sums_decode(const char *text, size_t length, struct perun_sums *sums)
{
	const char *line;

	memset(sums, 0, sizeof *sums);
	sums->exists = true;
	sums->bad = !is_whole(text, length);
	if (sums->bad)
		return;
	line = strchr(text, '\n') + 1;
	sums->bad = !get_sum(line, &sums->current);
	line = strchr(line, '\n') + 1;
	if (!sums->bad && strncmp(line, LAST_WORD, strlen(LAST_WORD)) != 0)
		sums->bad = !get_sum(line, &sums->previous);
}
