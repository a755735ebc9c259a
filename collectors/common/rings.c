/* SPDX-License-Identifier: BSD-3-Clause */
/* Rings that perf_event_open(2) fills. */
#include <config.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collectors/common/closing.h"
#include "collectors/common/rings.h"

#define FEWEST_PAGES   8
#define MAX_PROCESSORS 1024

struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size;
	int event; /* whose it is */
};

/* A record that was read and waits for its turn. */
struct kept {
	uint64_t time;
	size_t at, size; /* in `bytes` */
	size_t number;
};

struct rings {
	struct rings_layout layout;
	struct ring *rings;
	size_t count;
	int *events;
	size_t event_count, event_capacity;
	struct perun_buffer bytes;
	struct kept *kept;
	size_t kept_count, kept_capacity;
};

/* ---- opening ------------------------------------------------------------------------------------ */

struct rings *rings_new(const struct rings_layout *layout)
{
	struct rings *rings = perun_alloc_zero(1, sizeof *rings);
	long processors = sysconf(_SC_NPROCESSORS_CONF);

	rings->layout = *layout;
	rings->count = processors > 0 && processors <= MAX_PROCESSORS ? (size_t)processors : 1;
	rings->rings = perun_alloc_zero(rings->count, sizeof *rings->rings);
	return rings;
}

void rings_free(struct rings *rings)
{
	if (!rings)
		return;
	for (size_t i = 0; i < rings->count; i++)
		if (rings->rings[i].page)
			munmap(rings->rings[i].page,
			       rings->rings[i].size + (size_t)sysconf(_SC_PAGESIZE));
	collectors_close_together(rings->events, rings->event_count);
	perun_free(rings->rings);
	perun_free(rings->events);
	perun_free(rings->kept);
	perun_buffer_free(&rings->bytes);
	perun_free(rings);
}

size_t rings_count(const struct rings *rings)
{
	return rings->count;
}

/* Less, where others of this user hold memory too. */
static bool map_ring(struct ring *ring, int event, size_t pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory = MAP_FAILED;

	for (;; pages /= 2) {
		memory = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, event,
			      0);
		if (memory != MAP_FAILED || pages / 2 < FEWEST_PAGES)
			break;
	}
	if (memory == MAP_FAILED)
		return false;
	ring->page = memory;
	ring->data = (char *)memory + page;
	ring->size = pages * page;
	ring->event = event;
	return true;
}

int rings_open(struct rings *rings, const struct perf_event_attr *attributes, pid_t thread,
	       int processor)
{
	struct ring *ring = &rings->rings[processor];
	int event = (int)syscall(SYS_perf_event_open, attributes, thread, processor, -1,
				 PERF_FLAG_FD_CLOEXEC);

	if (event < 0)
		return -1;
	PERUN_GROW(rings->events, rings->event_count, rings->event_capacity);
	rings->events[rings->event_count++] = event;
	if (ring->page ? ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring->event) != 0
		       : !map_ring(ring, event, rings->layout.pages))
		return -1;
	return event;
}

void rings_close(struct rings *rings, const int *events, size_t count)
{
	int *found = perun_alloc_zero(count, sizeof *found);
	size_t found_count = 0;

	for (size_t k = 0; k < count; k++)
		for (size_t i = 0; i < rings->event_count; i++)
			if (rings->events[i] == events[k]) {
				rings->events[i] = rings->events[--rings->event_count];
				found[found_count++] = events[k];
				break;
			}
	collectors_close_together(found, found_count);
	perun_free(found);
}

void rings_enable(const struct rings *rings)
{
	for (size_t i = 0; i < rings->event_count; i++)
		ioctl(rings->events[i], PERF_EVENT_IOC_ENABLE, 0);
}

uint64_t rings_id(int event)
{
	uint64_t id = 0;

	ioctl(event, PERF_EVENT_IOC_ID, &id);
	return id;
}

long rings_paranoia(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	long value = -2;

	if (file) {
		if (fscanf(file, "%ld", &value) != 1)
			value = -2;
		fclose(file);
	}
	return value;
}

/* ---- reading ------------------------------------------------------------------------------------ */

uint64_t rings_word(const char *record, size_t at)
{
	uint64_t word;

	memcpy(&word, record + at, sizeof word);
	return word;
}

static uint64_t time_of(const struct rings_layout *layout, const char *record,
			const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SAMPLE)
		return header->size >= layout->sample_time + 8
			       ? rings_word(record, layout->sample_time)
			       : 0;
	return header->size >= layout->other_time + 8
		       ? rings_word(record, header->size - layout->other_time)
		       : 0;
}

static void copy_out(const struct ring *ring, uint64_t at, char *to, size_t size)
{
	size_t first = (size_t)(at % ring->size), part = (size_t)ring->size - first;

	part = part < size ? part : size;
	memcpy(to, ring->data + first, part);
	memcpy(to + part, ring->data, size - part);
}

static void read_ring(struct rings *rings, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header header;
		struct kept *kept;
		char *record;

		copy_out(ring, tail, (char *)&header, sizeof header);
		if (header.size < sizeof header || header.size > head - tail)
			break;
		record = perun_buffer_reserve(&rings->bytes, header.size);
		copy_out(ring, tail, record, header.size);
		PERUN_GROW(rings->kept, rings->kept_count, rings->kept_capacity);
		kept = &rings->kept[rings->kept_count];
		*kept = (struct kept){.time = time_of(&rings->layout, record, &header),
				      .at = rings->bytes.length,
				      .size = header.size,
				      .number = rings->kept_count};
		rings->kept_count++;
		rings->bytes.length += header.size;
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* What is left waits for the next time. */
static void keep_rest(struct rings *rings, size_t done)
{
	struct perun_buffer rest = {0};

	for (size_t i = done; i < rings->kept_count; i++) {
		struct kept kept = rings->kept[i];
		size_t at = rest.length;

		perun_buffer_add(&rest, rings->bytes.data + kept.at, kept.size);
		kept.at = at;
		kept.number = i - done;
		rings->kept[i - done] = kept;
	}
	rings->kept_count -= done;
	perun_buffer_free(&rings->bytes);
	rings->bytes = rest;
}

void rings_drain(struct rings *rings, bool all, rings_handler *handler, void *data)
{
	struct timespec time;
	uint64_t limit = UINT64_MAX;
	size_t done = 0;

	/* What other processors report later of this moment has a later time. */
	clock_gettime(CLOCK_MONOTONIC, &time);
	if (!all)
		limit = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec - 1000000;
	for (size_t i = 0; i < rings->count; i++)
		if (rings->rings[i].page)
			read_ring(rings, &rings->rings[i]);
	if (rings->kept_count)
		qsort(rings->kept, rings->kept_count, sizeof *rings->kept, by_time);
	for (; done < rings->kept_count && rings->kept[done].time <= limit; done++) {
		const char *record = rings->bytes.data + rings->kept[done].at;
		struct perf_event_header header;

		memcpy(&header, record, sizeof header);
		handler(data, rings->kept[done].time, &header, record);
	}
	keep_rest(rings, done);
}
