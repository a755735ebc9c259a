/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: inputs with gzip undone. All ways to read give the same bytes, within the limit. */
#include "perun/format.h"
#include "tests/fuzz/fuzz.h"

enum { LIMIT = 1 << 20, PIECE = 777 };

/* In pieces; no more than the limit. True when the end was reached. */
static bool read_pieces(struct perun_input *input, struct perun_buffer *out)
{
	size_t got;

	do {
		char *place = perun_buffer_reserve(out, PIECE);

		if (perun_input_read(NULL, input, place, PIECE, &got) != PERUN_OK)
			return false;
		out->length += got;
	} while (got && out->length <= LIMIT);
	return got == 0;
}

void fuzz_gzip(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_input *pieces = perun_input_from_memory("pieces", data, size);
	struct perun_input *whole = perun_input_from_memory("whole", data, size);
	struct perun_buffer bytes = {0};
	bool ended = read_pieces(pieces, &bytes);
	const void *mapped;
	size_t length;
	int status = perun_input_map(ctx, whole, LIMIT, &mapped, &length);

	MUST(status == PERUN_OK || (status == PERUN_INPUT && perun_ctx_error(ctx)));
	MUST((status == PERUN_OK) == (ended && bytes.length <= LIMIT));
	if (status == PERUN_OK)
		MUST(length == bytes.length &&
		     (!length || memcmp(mapped, bytes.data, length) == 0));
	perun_input_close(pieces);
	perun_input_close(whole);
	perun_buffer_free(&bytes);
	perun_ctx_free(ctx);
}
