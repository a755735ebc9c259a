/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of all processes, added up by stack. */
#include <config.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "collectors/common/generated.h"
#include "collectors/common/symbols.h"
#include "collectors/common/unwind.h"
#include "samples.h"

#define DEPTH  512
#define NO_ROW UINT32_MAX

/* Instead of the number of an image: code that the program generated. */
#define SAMPLES_GENERATED UINT32_MAX

struct samples_process {
	int32_t pid;
	struct places_process places;
	uint32_t *images; /* of its modules */
	size_t image_capacity;
};

struct samples_thread {
	int32_t thread;
	uint32_t name;
	uint32_t row;   /* of the stack with which it waits, */
	uint64_t since; /* from then on; 0 = it does not */
};

void samples_init(struct samples *samples, bool threads)
{
	const struct places_module kernel = {.start = (uint64_t)1 << 63, .limit = UINT64_MAX};

	*samples = (struct samples){.threads = threads, .table_size = 1024};
	places_init(&samples->places);
	samples->images = images_new();
	samples->table = perun_alloc(samples->table_size * sizeof *samples->table);
	memset(samples->table, 0xff, samples->table_size * sizeof *samples->table);
	places_map(&samples->places, &samples->kernel, true, &kernel, COLLECTORS_KERNEL,
		   strlen(COLLECTORS_KERNEL));
}

void samples_free(struct samples *samples)
{
	for (size_t i = 0; i < samples->name_count; i++)
		perun_free(samples->names[i]);
	for (size_t i = 0; i < samples->process_count; i++) {
		perun_free(samples->processes[i].places.modules);
		perun_free(samples->processes[i].images);
	}
	places_free(&samples->places);
	images_free(samples->images);
	perun_free(samples->kernel.modules);
	perun_free(samples->rows);
	perun_free(samples->table);
	perun_free(samples->names);
	perun_free(samples->processes);
	perun_free(samples->known);
}

/* ---- processes and threads ---------------------------------------------------------------------- */

static struct samples_process *find_process(struct samples *samples, int32_t pid)
{
	for (size_t i = samples->process_count; i-- > 0;)
		if (samples->processes[i].pid == pid)
			return &samples->processes[i];
	PERUN_GROW(samples->processes, samples->process_count, samples->process_capacity);
	samples->processes[samples->process_count] = (struct samples_process){.pid = pid};
	return &samples->processes[samples->process_count++];
}

static uint32_t find_name(struct samples *samples, const char *name)
{
	for (size_t i = 0; i < samples->name_count; i++)
		if (strcmp(samples->names[i], name) == 0)
			return (uint32_t)i;
	PERUN_GROW(samples->names, samples->name_count, samples->name_capacity);
	samples->names[samples->name_count] = perun_strdup(name);
	return (uint32_t)samples->name_count++;
}

static struct samples_thread *find_thread(struct samples *samples, int32_t thread)
{
	for (size_t i = samples->known_count; i-- > 0;)
		if (samples->known[i].thread == thread)
			return &samples->known[i];
	PERUN_GROW(samples->known, samples->known_count, samples->known_capacity);
	samples->known[samples->known_count] =
		(struct samples_thread){.thread = thread, .name = find_name(samples, "")};
	return &samples->known[samples->known_count++];
}

/* A mapping takes the place of what was there before; false: it is there already. */
static bool make_room(struct samples_process *process, const struct places_module *module,
		      uint32_t image, bool generated)
{
	for (size_t i = 0; i < process->places.count; i++) {
		struct places_module *other = &process->places.modules[i];

		/* Each change of rights is reported, of pages that are written and executed in turns. */
		if (generated && process->images[i] == image && other->start <= module->start &&
		    module->limit <= other->limit)
			return false;
	}
	for (size_t i = 0; i < process->places.count; i++) {
		struct places_module *other = &process->places.modules[i];

		if (other->start < module->limit && module->start < other->limit)
			other->limit = other->start;
	}
	return true;
}

static void add_module(struct samples *samples, int32_t pid, uint64_t start, uint64_t length,
		       uint64_t offset, const char *name)
{
	struct samples_process *process = find_process(samples, pid);
	struct places_module module = {.start = start, .limit = start + length};
	bool generated = collectors_is_generated(name);
	char *own = generated ? perun_format(COLLECTORS_GENERATED "%d", (int)pid) : NULL;
	uint32_t image = generated ? SAMPLES_GENERATED : images_find(samples->images, name);

	if (length > 0 && module.limit > start && make_room(process, &module, image, generated)) {
		if (!generated)
			module.bias = start - images_address(samples->images, image, offset);
		PERUN_GROW(process->images, process->places.count, process->image_capacity);
		process->images[process->places.count] = image;
		name = own ? own : name;
		places_map(&samples->places, &process->places, false, &module, name, strlen(name));
	}
	perun_free(own);
}

void samples_know_process(struct samples *samples, pid_t pid)
{
	char *path = perun_format("/proc/%d/maps", (int)pid), line[8192], name[64];
	FILE *file = fopen(path, "re");

	perun_free(path);
	while (file && fgets(line, sizeof line, file)) {
		unsigned long start, end, offset;
		char rights[8];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, rights, &offset,
			   &at) >= 4 &&
		    at && rights[2] == 'x')
			add_module(samples, pid, start, end - start, offset, line + at);
	}
	if (file)
		fclose(file);
	path = perun_format("/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof name, file)) {
		name[strcspn(name, "\n")] = '\0';
		find_thread(samples, pid)->name = find_name(samples, name);
	}
	if (file)
		fclose(file);
	perun_free(path);
}

static void fork_process(struct samples *samples, const struct perf_event *event)
{
	uint32_t name = find_thread(samples, event->parent)->name;
	struct samples_process *parent, *child;

	find_thread(samples, event->thread)->name = name;
	if (event->pid == event->parent)
		return;
	find_process(samples, event->pid);
	parent = find_process(samples, event->parent);
	child = find_process(samples, event->pid);
	for (size_t i = 0; i < parent->places.count; i++) {
		PERUN_GROW(child->places.modules, i, child->places.capacity);
		PERUN_GROW(child->images, i, child->image_capacity);
		child->places.modules[i] = parent->places.modules[i];
		child->images[i] = parent->images[i];
	}
	child->places.count = parent->places.count;
}

/* ---- stacks ------------------------------------------------------------------------------------- */

/* The module of an address in a process, or -1. */
static ssize_t find_module(const struct places_process *places, uint64_t address)
{
	for (size_t i = places->count; i-- > 0;)
		if (address - places->modules[i].start <
		    places->modules[i].limit - places->modules[i].start)
			return (ssize_t)i;
	return -1;
}

struct unwinding {
	struct samples *samples;
	const struct samples_process *process;
};

/* Generated code has no tables; most of it keeps frame pointers. */
static struct cfi_rule rule_at(void *data, uint64_t back)
{
	const struct unwinding *unwinding = data;
	const struct samples_process *process = unwinding->process;
	ssize_t module = find_module(&process->places, back - 1);

	if (module < 0)
		return (struct cfi_rule){.base = CFI_UNKNOWN};
	if (process->images[module] == SAMPLES_GENERATED)
		return CFI_FRAME_POINTER;
	return images_rule(unwinding->samples->images, process->images[module],
			   back - process->places.modules[module].bias);
}

/* The stack from its copy, by the rules of unwind tables. Gives how many frames there are. */
static size_t unwind(struct samples *samples, const struct perf_event *event, uint64_t *frames)
{
	struct unwinding unwinding = {samples, find_process(samples, event->pid)};
	const struct unwind_copy copy = {.ip = event->pc,
					 .sp = event->sp,
					 .bp = event->bp,
					 .stack = event->stack,
					 .stack_size = event->stack_size};

	return collectors_unwind(&copy, rule_at, &unwinding, frames, DEPTH);
}

/* The part of the chain for the kernel, or for the program. */
static size_t chain_part(const struct perf_event *event, uint64_t wanted, uint64_t *frames)
{
	uint64_t part = PERF_CONTEXT_USER;
	size_t count = 0;

	for (uint64_t i = 0; i < event->chain_count && count < DEPTH; i++) {
		uint64_t ip = event->chain[i];

		if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			part = ip;
		else if (part == wanted)
			frames[count] = count ? ip : ip + 1, count++;
	}
	return count;
}

/* Without frame pointers a chain soon leaves all code. */
static size_t trim(const struct places_process *places, const uint64_t *frames, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (find_module(places, frames[i] - 1) < 0)
			return i;
	return count;
}

/*
 * Two stacks of places, the second after the first: the kernel's and the program's that called it. Their
 * numbers are joined to one stack.
 */
static uint32_t find_stack(struct samples *samples, const struct perf_event *event)
{
	const struct places_process *places = &find_process(samples, event->pid)->places;
	uint64_t frames[2 * DEPTH], user[DEPTH], unwound[DEPTH];
	size_t kernel_count = chain_part(event, (uint64_t)PERF_CONTEXT_KERNEL, frames);
	size_t count = chain_part(event, (uint64_t)PERF_CONTEXT_USER, user), other;
	struct places_process both = *places;
	uint32_t stack;

	/* The longer is the better one: a copy that was too small against missing frame pointers. */
	other = event->has_stack ? unwind(samples, event, unwound) : 0;
	if (other > 1 || other >= count) {
		memcpy(user, unwound, other * sizeof *user);
		count = other;
	}
	count = trim(places, user, count);
	memcpy(frames + kernel_count, user, count * sizeof *user);
	both.modules = perun_alloc((places->count + 1) * sizeof *both.modules);
	if (places->count)
		memcpy(both.modules, places->modules, places->count * sizeof *both.modules);
	both.modules[both.count++] = samples->kernel.modules[0];
	stack = places_stack(&samples->places, &both, frames, kernel_count + count);
	perun_free(both.modules);
	return stack;
}

/* ---- rows --------------------------------------------------------------------------------------- */

static size_t place_of(const struct samples *samples, const struct samples_row *row)
{
	uint64_t hash = row->stack;

	hash = perun_hash_number(hash ^ (uint64_t)row->name << 32);
	hash = perun_hash_number(hash ^ (uint32_t)row->thread);
	return (size_t)hash & (samples->table_size - 1);
}

static uint32_t *find_row(const struct samples *samples, const struct samples_row *row)
{
	size_t at = place_of(samples, row);

	for (; samples->table[at] != NO_ROW; at = (at + 1) & (samples->table_size - 1)) {
		const struct samples_row *known = &samples->rows[samples->table[at]];

		if (known->stack == row->stack && known->name == row->name &&
		    known->thread == row->thread)
			break;
	}
	return &samples->table[at];
}

/* The number of the row of an event. */
static uint32_t row_of(struct samples *samples, const struct perf_event *event)
{
	struct samples_row row = {.stack = find_stack(samples, event),
				  .name = find_thread(samples, event->thread)->name,
				  .thread = samples->threads ? event->thread : 0};
	uint32_t *place;

	if (samples->row_count * 2 >= samples->table_size) {
		samples->table_size *= 2;
		samples->table = perun_realloc_array(samples->table, samples->table_size,
						     sizeof *samples->table);
		memset(samples->table, 0xff, samples->table_size * sizeof *samples->table);
		for (size_t i = 0; i < samples->row_count; i++)
			*find_row(samples, &samples->rows[i]) = (uint32_t)i;
	}
	place = find_row(samples, &row);
	if (*place == NO_ROW) {
		PERUN_GROW(samples->rows, samples->row_count, samples->row_capacity);
		samples->rows[samples->row_count] = row;
		*place = (uint32_t)samples->row_count++;
	}
	return *place;
}

static void add_sample(struct samples *samples, const struct perf_event *event)
{
	uint32_t number = row_of(samples, event);
	struct samples_row *row = &samples->rows[number];

	row->count++;
	row->period += event->period;
	samples->count++;
	if (!samples->first)
		samples->first = event->time;
	samples->last = event->time;
}

/* ---- waits -------------------------------------------------------------------------------------- */

static void begin_wait(struct samples *samples, const struct perf_event *event)
{
	uint32_t row = row_of(samples, event);
	struct samples_thread *thread = find_thread(samples, event->thread);

	thread->row = row;
	thread->since = event->time;
}

static void end_wait(struct samples *samples, struct samples_thread *thread, uint64_t now)
{
	struct samples_row *row;

	if (!thread->since)
		return;
	row = &samples->rows[thread->row];
	row->waits++;
	row->waited += now > thread->since ? now - thread->since : 0;
	samples->waits++;
	thread->since = 0;
}

void samples_end_waits(struct samples *samples, uint64_t now)
{
	for (size_t i = 0; i < samples->known_count; i++)
		end_wait(samples, &samples->known[i], now);
}

void samples_handle(void *data, const struct perf_event *event)
{
	struct samples *samples = data;

	switch (event->kind) {
	case PERF_SAMPLE:
		add_sample(samples, event);
		break;
	case PERF_MAP:
		add_module(samples, event->pid, event->start, event->length, event->offset,
			   event->name);
		break;
	case PERF_FORK:
		fork_process(samples, event);
		break;
	case PERF_EXEC:
		find_process(samples, event->pid)->places.count = 0;
		find_thread(samples, event->thread)->name = find_name(samples, event->name);
		break;
	case PERF_NAME:
		find_thread(samples, event->thread)->name = find_name(samples, event->name);
		break;
	case PERF_WAIT:
		begin_wait(samples, event);
		break;
	case PERF_LEFT:
		/* Its stack came just before, if it is permitted. */
		if (!find_thread(samples, event->thread)->since)
			begin_wait(samples, event);
		break;
	case PERF_BACK:
		end_wait(samples, find_thread(samples, event->thread), event->time);
		break;
	case PERF_END:
		find_thread(samples, event->thread)->since = 0;
		break;
	case PERF_LOST:
		samples->lost += event->lost;
		break;
	}
}
