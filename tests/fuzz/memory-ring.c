/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the rings that the library of the collector memory writes in measured programs. */
#include <unistd.h>

#include "collectors/memory/drain.h"
#include "tests/fuzz/place.h"

/*
 * The input: 16 bytes about the ring (its size in pages, what its header says of size and magic, how much was
 * written, how much was lost, whether the session's file is overwritten, too), then its events; the second half of them is another ring's.
 */
#define MAX_EVENTS 16384

static const char *folder;

/* The measured program maps this file as well and may write anything. */
static void spoil_session(const uint8_t *data, size_t size)
{
	char *path = perun_format("%s/session", folder);
	FILE *file = fopen(path, "r+b");

	MUST(file != NULL);
	size = size < sizeof(struct memory_session) ? size : sizeof(struct memory_session);
	MUST(fwrite(data, 1, size, file) == size && fclose(file) == 0);
	perun_free(path);
}

static size_t write_ring(const char *name, const uint8_t *about, const uint8_t *events, size_t size)
{
	static _Alignas(64) uint8_t image[MEMORY_HEADER + MAX_EVENTS];
	struct memory_ring *header = (struct memory_ring *)(void *)image;
	size_t room = (size_t)(about[0] % 5) * 4096;
	uint64_t head;

	memset(image, 0, sizeof image);
	memcpy(&head, about + 8, 4);
	header->magic = about[1] == 1 ? 1 : MEMORY_MAGIC;
	header->size = room;
	if (about[7] & 1)
		memcpy(&header->size, about + 8, 8);
	header->process = about[2];
	header->pid = (int32_t)getpid();
	head = about[3] % 4 ? size / 8 * 8 : head & UINT32_MAX;
	atomic_store(&header->head, head);
	atomic_store(&header->lost, about[4] % 4);
	atomic_store(&header->busy, about[5] == 1);
	memcpy(image + MEMORY_HEADER, events, size < room ? size : room);
	fuzz_write(folder, name, image, MEMORY_HEADER + room);
	return room;
}

void fuzz_memory_ring(const uint8_t *data, size_t size)
{
	const struct memory_session session = {.magic = MEMORY_MAGIC, .depth = 16};
	const struct heap_options options = {.interval = 1000, .blocks = 50};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct drain *drain;
	struct heap heap;
	struct places places;
	size_t half;

	if (size < 16) {
		perun_ctx_free(ctx);
		return;
	}
	half = (size - 16) / 16 * 8;
	if (!folder)
		folder = fuzz_folder();
	fuzz_empty(folder);
	heap_init(&heap, &options);
	places_init(&places);
	MUST(drain_open(ctx, folder, &session, &drain) == PERUN_OK);
	if (data[7] & 2)
		spoil_session(data + 16, size - 16);
	write_ring("ring-1-1-0", data, data + 16, half);
	if (data[6] % 2)
		write_ring("ring-1-1-1", data, data + 16 + half, size - 16 - half);
	drain_stop(drain);
	while (drain_pass(drain, &heap, &places, true))
		;
	heap_finish(&heap);
	MUST(heap.frees <= heap.events && heap.block_count <= 50);
	MUST(drain_facts(drain).threads <= 2);
	drain_close(drain);
	heap_free(&heap);
	places_free(&places);
	perun_ctx_free(ctx);
}
