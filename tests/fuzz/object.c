/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: objects. The input is the file of one, and what a file of the right name inflates to. */
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/fuzz/place.h"

/* All ways to look at it agree; the body is what comes after the header. */
static bool read_object(struct perun_ctx *ctx, const char *checksum, struct perun_object *object)
{
	struct perun_object peeked, verified;
	bool peek = perun_object_peek(ctx, fuzz_store(), checksum, &peeked) == PERUN_OK;
	bool whole = perun_object_read(ctx, fuzz_store(), checksum, true, object) == PERUN_OK;
	bool good = perun_object_read(ctx, fuzz_store(), checksum, false, &verified) == PERUN_OK;

	MUST(good == whole);
	MUST(peek || !whole);
	if (whole) {
		MUST(object->length == verified.length && !verified.body && object->body);
		MUST(strcmp(object->type, verified.type) == 0);
		MUST(strcmp(object->type, peeked.type) == 0 && object->kind == peeked.kind);
		perun_object_free(&verified);
	}
	if (peek)
		perun_object_free(&peeked);
	return whole;
}

static void as_file(struct perun_ctx *ctx, const uint8_t *data, size_t size)
{
	struct perun_object object;

	fuzz_store_write(MINOR, "", data, size);
	MUST(!read_object(ctx, MINOR, &object)); /* nothing has this SHA-1 */
}

static void as_content(struct perun_ctx *ctx, const uint8_t *data, size_t size)
{
	uLongf packed_size = compressBound(size);
	Bytef *packed = perun_alloc(packed_size);
	char checksum[PERUN_CHECKSUM_SIZE], path[PERUN_OBJECT_PATH_SIZE];
	struct perun_object object;
	struct perun_facts facts;

	perun_sha_of(data, size, checksum);
	MUST(compress2(packed, &packed_size, data, size, 1) == Z_OK);
	fuzz_store_write(checksum, "", packed, packed_size);
	perun_free(packed);
	if (read_object(ctx, checksum, &object)) {
		MUST(object.length < size);
		MUST(memcmp(object.body, data + size - object.length, object.length) == 0);
		if (perun_facts_read(ctx, object.body, object.length, &facts) == PERUN_OK)
			perun_facts_free(&facts);
		perun_object_free(&object);
	}
	perun_object_path(checksum, "", path);
	MUST(unlinkat(fuzz_store()->directory, path, 0) == 0);
	path[strlen("objects/XX")] = '\0';
	unlinkat(fuzz_store()->directory, path, AT_REMOVEDIR);
}

void fuzz_object(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	as_file(ctx, data, size);
	as_content(ctx, data, size);
	perun_ctx_free(ctx);
}
