/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of processes by perf_event_open(2). */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf.h"

#define PAGES           128  /* of a ring; what the kernel lets a user lock on each processor */
#define DUMP            8192 /* bytes of the stack */
#define MOST_PROCESSORS 1024

#if defined(__x86_64__)
#define REGISTERS ((1u << 6) | (1u << 7) | (1u << 8)) /* bp, sp, ip */
#else
#define REGISTERS 0u
#endif

struct ring {
	struct perf_event_mmap_page *page;
	char *data;
	uint64_t size;
	int event; /* whose it is */
};

/* An event that was read and waits for its turn. */
struct kept {
	uint64_t time;
	size_t at, size; /* in `bytes` */
	size_t number;
};

struct perf {
	struct perf_options options;
	struct ring *rings;
	size_t ring_count;
	int *events;
	size_t event_count, event_capacity;
	struct perun_buffer bytes;
	struct kept *kept;
	size_t kept_count, kept_capacity;
};

/* ---- opening ------------------------------------------------------------------------------------ */

static struct perf_event_attr make_attributes(const struct perf_options *options, bool attach)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attributes,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = options->period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = !options->kernel,
		.exclude_callchain_kernel = !options->kernel,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.enable_on_exec = !attach,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	if (options->dump) {
		attributes.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attributes.sample_regs_user = REGISTERS;
		attributes.sample_stack_user = DUMP;
	}
	return attributes;
}

static int open_event(const struct perf_event_attr *attributes, pid_t thread, int processor)
{
	return (int)syscall(SYS_perf_event_open, attributes, thread, processor, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* The value of a file of the kernel, for messages. */
static long paranoia(void)
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

static int fail_open(struct perun_ctx *ctx, pid_t pid, int error)
{
	if (error == EACCES || error == EPERM)
		return perun_fail(
			ctx, PERUN_MISSING,
			"the kernel does not let this user sample process %d "
			"(kernel.perf_event_paranoid is %ld): this needs the capability "
			"CAP_PERFMON, or as root: sysctl kernel.perf_event_paranoid=2, and the "
			"same user as the process; containers may forbid it altogether",
			(int)pid, paranoia());
	if (error == ENOSYS || error == ENOENT || error == EOPNOTSUPP)
		return perun_fail_errno(ctx, PERUN_MISSING, error,
					"this kernel has no sampling by perf_event_open");
	if (error == ESRCH)
		return perun_fail(ctx, PERUN_INPUT, "there is no process %d", (int)pid);
	return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot sample process %d", (int)pid);
}

static int map_ring(struct perun_ctx *ctx, struct ring *ring, int event)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = PAGES;
	void *memory = MAP_FAILED;

	/* Less, where others of this user hold memory too. */
	for (; memory == MAP_FAILED && pages >= 8; pages /= 2)
		memory = mmap(NULL, (pages + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, event,
			      0);
	if (memory == MAP_FAILED)
		return perun_fail_errno(
			ctx, PERUN_MISSING, errno,
			"cannot map a ring of samples (kernel.perf_event_mlock_kb and the "
			"limit of locked memory bound them)");
	ring->page = memory;
	ring->data = (char *)memory + page;
	ring->size = pages * 2 * page; /* the loop halved it once more */
	ring->event = event;
	return PERUN_OK;
}

/* One thread on one processor. */
static int add_event(struct perun_ctx *ctx, struct perf *perf,
		     const struct perf_event_attr *attributes, pid_t thread, int processor)
{
	struct ring *ring = &perf->rings[processor];
	int event = open_event(attributes, thread, processor), error = errno;

	/* Processors that are off; threads that ended in this moment. */
	if (event < 0 && (error == ENODEV || (error == ESRCH && perf->event_count)))
		return PERUN_OK;
	if (event < 0)
		return fail_open(ctx, thread, error);
	PERUN_GROW(perf->events, perf->event_count, perf->event_capacity);
	perf->events[perf->event_count++] = event;
	if (!ring->page)
		return map_ring(ctx, ring, event);
	if (ioctl(event, PERF_EVENT_IOC_SET_OUTPUT, ring->event) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot join rings of samples");
	return PERUN_OK;
}

static int add_thread(struct perun_ctx *ctx, struct perf *perf,
		      const struct perf_event_attr *attributes, pid_t thread)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < perf->ring_count && !status; i++)
		status = add_event(ctx, perf, attributes, thread, (int)i);
	return status;
}

static int add_process(struct perun_ctx *ctx, struct perf *perf,
		       const struct perf_event_attr *attributes, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	int status = PERUN_OK;
	DIR *folder;

	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	folder = opendir(path);
	if (!folder)
		return fail_open(ctx, pid, ESRCH);
	while (!status && (entry = readdir(folder))) {
		pid_t thread = (pid_t)atoi(entry->d_name);

		if (thread > 0)
			status = add_thread(ctx, perf, attributes, thread);
	}
	closedir(folder);
	for (size_t i = 0; !status && i < perf->event_count; i++)
		ioctl(perf->events[i], PERF_EVENT_IOC_ENABLE, 0);
	return status;
}

int perf_open(struct perun_ctx *ctx, const struct perf_options *options, pid_t pid, bool attach,
	      struct perf **result)
{
	struct perf *perf = perun_alloc_zero(1, sizeof *perf);
	struct perf_event_attr attributes;
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	int probe;

	*result = perf;
	perf->options = *options;
	perf->options.dump = options->dump && REGISTERS;
	perf->ring_count = processors > 0 && processors <= MOST_PROCESSORS ? (size_t)processors : 1;
	perf->rings = perun_alloc_zero(perf->ring_count, sizeof *perf->rings);
	attributes = make_attributes(&perf->options, attach);
	/* Users without privileges get what their own programs do, without the kernel. */
	probe = open_event(&attributes, pid, -1);
	if (probe >= 0) {
		close(probe);
	} else if ((errno == EACCES || errno == EPERM) && options->kernel) {
		perf->options.kernel = false;
		attributes = make_attributes(&perf->options, attach);
	}
	return attach ? add_process(ctx, perf, &attributes, pid)
		      : add_thread(ctx, perf, &attributes, pid);
}

void perf_close(struct perf *perf)
{
	if (!perf)
		return;
	for (size_t i = 0; i < perf->ring_count; i++)
		if (perf->rings[i].page)
			munmap(perf->rings[i].page,
			       perf->rings[i].size + (size_t)sysconf(_SC_PAGESIZE));
	for (size_t i = 0; i < perf->event_count; i++)
		close(perf->events[i]);
	perun_free(perf->rings);
	perun_free(perf->events);
	perun_free(perf->kept);
	perun_buffer_free(&perf->bytes);
	perun_free(perf);
}

bool perf_has_kernel(const struct perf *perf)
{
	return perf->options.kernel;
}

/* ---- reading ------------------------------------------------------------------------------------ */

static uint64_t word_at(const char *record, size_t at)
{
	uint64_t word;

	memcpy(&word, record + at, sizeof word);
	return word;
}

/* Samples have their time behind the address and the thread, all others at their end. */
static uint64_t time_of(const char *record, const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SAMPLE)
		return header->size >= 32 ? word_at(record, 24) : 0;
	return header->size >= 16 ? word_at(record, header->size - 8u) : 0;
}

static void copy_out(const struct ring *ring, uint64_t at, char *to, size_t size)
{
	size_t first = (size_t)(at % ring->size), part = (size_t)ring->size - first;

	part = part < size ? part : size;
	memcpy(to, ring->data + first, part);
	memcpy(to + part, ring->data, size - part);
}

static void read_ring(struct perf *perf, struct ring *ring)
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
		record = perun_buffer_reserve(&perf->bytes, header.size);
		copy_out(ring, tail, record, header.size);
		PERUN_GROW(perf->kept, perf->kept_count, perf->kept_capacity);
		kept = &perf->kept[perf->kept_count];
		*kept = (struct kept){.time = time_of(record, &header),
				      .at = perf->bytes.length,
				      .size = header.size,
				      .number = perf->kept_count};
		perf->kept_count++;
		perf->bytes.length += header.size;
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

/* ---- events ------------------------------------------------------------------------------------- */

/* A part of a record: `size` bytes at `*at`; false when they are not there. */
static bool take(const struct perf_event_header *header, size_t *at, uint64_t size)
{
	if (size > header->size - *at)
		return false;
	*at += (size_t)size;
	return true;
}

static bool read_stack(const char *record, const struct perf_event_header *header, size_t at,
		       struct perf_event *event)
{
	uint64_t size, used;

	/* Kernel threads have no registers of a user. */
	if (header->size - at < 8 || word_at(record, at) == 0)
		return true;
	if (header->size - at < 40)
		return false;
	event->bp = word_at(record, at + 8);
	event->sp = word_at(record, at + 16);
	event->pc = word_at(record, at + 24);
	size = word_at(record, at + 32);
	at += 40;
	event->stack = record + at;
	if (size == 0)
		return true;
	if (size > header->size - at || header->size - at - size < 8)
		return false;
	used = word_at(record, at + (size_t)size);
	event->stack_size = used < size ? used : size;
	event->has_stack = true;
	return true;
}

static bool read_sample(const struct perf *perf, const char *record,
			const struct perf_event_header *header, struct perf_event *event)
{
	size_t at = 48;

	if (header->size < 48)
		return false;
	event->kind = PERF_SAMPLE;
	event->ip = word_at(record, 8);
	memcpy(&event->pid, record + 16, 4);
	memcpy(&event->thread, record + 20, 4);
	event->period = word_at(record, 32);
	event->chain_count = word_at(record, 40);
	event->chain = (const uint64_t *)(const void *)(record + at);
	if (event->chain_count > header->size / 8 || !take(header, &at, event->chain_count * 8))
		return false;
	return !perf->options.dump || read_stack(record, header, at, event);
}

static bool read_record(const struct perf *perf, const char *record,
			const struct perf_event_header *header, struct perf_event *event)
{
	if (header->type == PERF_RECORD_SAMPLE)
		return read_sample(perf, record, header, event);
	if (header->size < 24)
		return false;
	memcpy(&event->pid, record + 8, 4);
	memcpy(&event->thread, record + 12, 4);
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		event->kind = PERF_MAP;
		event->start = word_at(record, 16);
		event->length = word_at(record, 24);
		event->offset = word_at(record, 32);
		event->name = record + 72;
		return header->size > 80 && memchr(record + 72, '\0', header->size - 72u);
	case PERF_RECORD_COMM:
		event->kind = header->misc & PERF_RECORD_MISC_COMM_EXEC ? PERF_EXEC : PERF_NAME;
		event->name = record + 16;
		return memchr(record + 16, '\0', header->size - 16u);
	case PERF_RECORD_FORK:
		event->kind = PERF_FORK;
		memcpy(&event->parent, record + 12, 4);
		memcpy(&event->thread, record + 16, 4);
		return true;
	case PERF_RECORD_LOST:
		event->kind = PERF_LOST;
		event->lost = word_at(record, 16);
		return true;
	default:
		return false;
	}
}

void perf_drain(struct perf *perf, bool all, perf_handler *handler, void *data)
{
	struct timespec time;
	uint64_t limit = UINT64_MAX;
	struct perun_buffer rest = {0};
	size_t done = 0;

	/* What other processors tell later of this moment has a later time. */
	clock_gettime(CLOCK_MONOTONIC, &time);
	if (!all)
		limit = (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec - 1000000;
	for (size_t i = 0; i < perf->ring_count; i++)
		if (perf->rings[i].page)
			read_ring(perf, &perf->rings[i]);
	if (perf->kept_count)
		qsort(perf->kept, perf->kept_count, sizeof *perf->kept, by_time);
	for (; done < perf->kept_count && perf->kept[done].time <= limit; done++) {
		const char *record = perf->bytes.data + perf->kept[done].at;
		struct perf_event event = {.time = perf->kept[done].time};
		struct perf_event_header header;

		memcpy(&header, record, sizeof header);
		if (read_record(perf, record, &header, &event))
			handler(data, &event);
	}
	for (size_t i = done; i < perf->kept_count; i++) {
		struct kept kept = perf->kept[i];
		size_t at = rest.length;

		perun_buffer_add(&rest, perf->bytes.data + kept.at, kept.size);
		kept.at = at;
		kept.number = i - done;
		perf->kept[i - done] = kept;
	}
	perf->kept_count -= done;
	perun_buffer_free(&perf->bytes);
	perf->bytes = rest;
}
