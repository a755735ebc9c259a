/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of unchanged programs: breakpoints of the kernel (uprobes), reported by perf_event_open(2) or eBPF. */
#include <config.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "collectors/common/clock.h"
#include "collectors/common/rings.h"
#include "ebpf.h"
#include "tracefs.h"
#include "uprobes.h"

#define PAGES           1024 /* of a ring: some 50 thousand events */
#define FOLDER          "/sys/bus/event_source/devices/uprobe"
#define MIN_NANOSECONDS 1e6        /* that tracing may take in any case */
#define ALL             UINT32_MAX /* targets of an event: it says which */
#define POINTER         7 /* registers of x86_64, by the numbers of perf: the stack pointer */
#define PASSED          ((const unsigned char[]){5, 4, 3, 2, 16, 17}) /* rdi, rsi, rdx, rcx, r8, r9 */

enum direction { ENTRY, RETURN, EXIT /* about to return, or to jump to another function */ };

struct source { /* of events */
	uint64_t id;
	uint32_t target;
	enum direction direction;
	int event;
};

struct pause {
	uint64_t from, until;
};

struct uprobes {
	struct perun_ctx *ctx;
	struct uprobes_options options;
	const struct targets *targets;
	struct calls *calls;
	struct pairing *pairing;
	struct rings *rings; /* with eBPF only of processes */
	struct ebpf *ebpf;
	struct tracefs *tracefs; /* NULL: each breakpoint is an event of its own */
	struct source
		*sources; /* by id; what tracefs made before, too, for what is still in the rings */
	size_t source_count, source_capacity;
	uint32_t *functions;  /* of the calls, by target */
	uint64_t *seen;       /* calls of each target at the last look */
	double looked;        /* when that was, in nanoseconds */
	uint64_t lost_before; /* events, at that time */
	uint32_t *leaving;    /* targets that are traced no longer, but for their breakpoints */
	size_t leaving_count, leaving_capacity;
	int *opened; /* processors that are on */
	size_t opened_count, opened_capacity;
	struct pause *pauses; /* in which the first process was stopped */
	size_t pause_count, pause_capacity;
	pid_t process; /* the program's first */
	int32_t *family;
	size_t family_count, family_capacity;
	uint64_t lost;
	uint32_t type;
	uint64_t return_bit;
};

/* ---- what the kernel offers --------------------------------------------------------------------- */

static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool good = file && fgets(line, (int)size, file);

	if (file)
		fclose(file);
	return good;
}

/* The kernel's number of the kind of events, and the bit of returns; PERUN_MISSING with the reason. */
static int uprobes_find_type(struct perun_ctx *ctx, uint32_t *type, uint64_t *return_bit)
{
	char line[64];

#if !defined(__x86_64__)
	return perun_fail(ctx, PERUN_MISSING, "uprobes are traced on x86_64 only");
#endif
	if (!read_line(FOLDER "/type", line, sizeof line))
		return perun_fail(ctx, PERUN_MISSING,
				  "this kernel has no uprobes (CONFIG_UPROBE_EVENTS; " FOLDER
				  " is missing)");
	*type = (uint32_t)strtoul(line, NULL, 10);
	*return_bit = 1;
	if (read_line(FOLDER "/format/retprobe", line, sizeof line) &&
	    strncmp(line, "config:", 7) == 0)
		*return_bit = (uint64_t)1 << (strtoul(line + 7, NULL, 10) & 63);
	return PERUN_OK;
}

/* Why the kernel refused an event; returns its status. */
static int uprobes_refused(struct perun_ctx *ctx, const char *path, int error)
{
	if (error == EACCES || error == EPERM)
		return perun_fail(
			ctx, PERUN_MISSING,
			"the kernel does not let this user set uprobes "
			"(kernel.perf_event_paranoid is %ld): this needs the capability "
			"CAP_SYS_ADMIN, or root; --engine patchable and --engine compiled "
			"need no privilege",
			rings_paranoia());
	if (error == EMFILE || error == ENFILE)
		return perun_fail(
			ctx, PERUN_INPUT,
			"the functions need more open files than are allowed (ulimit -n): "
			"choose fewer with --func");
	if (error == ENOTSUP || error == EILSEQ || error == EINVAL)
		return perun_fail_errno(ctx, PERUN_INPUT, error,
					"the kernel cannot set a uprobe in %s", path);
	return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot set a uprobe in %s", path);
}

int uprobes_allowed(struct perun_ctx *ctx, const char *path)
{
	struct perf_event_attr attributes = {.size = sizeof attributes, .disabled = 1};
	int event, status = uprobes_find_type(ctx, &attributes.type, &(uint64_t){0});

	if (status)
		return status;
	attributes.uprobe_path = (uint64_t)(uintptr_t)path;
	event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return errno == EACCES || errno == EPERM ? uprobes_refused(ctx, path, errno)
							 : PERUN_OK;
	close(event);
	return PERUN_OK;
}

/* ---- opening ------------------------------------------------------------------------------------ */

static struct perf_event_attr base_attributes(void)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

/* What processes belong to the program: they begin, run others, and end. */
static int open_family(struct uprobes *uprobes, pid_t pid, int processor)
{
	struct perf_event_attr attributes = base_attributes();

	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_DUMMY;
	attributes.inherit = 1;
	attributes.task = 1;
	attributes.mmap = 1;
	attributes.mmap2 = 1;
	attributes.comm = 1;
	attributes.comm_exec = 1;
	return rings_open(uprobes->rings, &attributes, pid, processor);
}

static struct perf_event_attr make_attributes(const struct uprobes *uprobes,
					      const struct target *target, enum direction direction)
{
	struct perf_event_attr attributes = base_attributes();

	attributes.type = uprobes->type;
	attributes.config = direction == RETURN ? uprobes->return_bit : 0;
	attributes.uprobe_path = (uint64_t)(uintptr_t)uprobes->targets->files[target->file];
	attributes.probe_offset = target->offset;
	attributes.sample_period = 1;
	attributes.disabled = 1;
	attributes.exclude_kernel = 0;
	attributes.sample_type |= PERF_SAMPLE_REGS_USER;
	attributes.sample_regs_user = 1u << POINTER;
	if (direction == ENTRY && target->kind == TARGET_FUNCTION && !target->exits) {
		attributes.sample_type |= PERF_SAMPLE_STACK_USER;
		attributes.sample_stack_user = 8;
	}
	if (direction == ENTRY && target->size >= 0)
		attributes.sample_regs_user |=
			1u << PASSED[uprobes->targets->sizes[target->size].argument - 1];
	return attributes;
}

static int open_source(struct uprobes *uprobes, uint32_t number, enum direction direction,
		       uint64_t offset, int processor)
{
	const struct target *target = &uprobes->targets->items[number];
	struct perf_event_attr attributes = make_attributes(uprobes, target, direction);
	int event;

	attributes.probe_offset = offset;
	/* The program's processes cannot be given to the kernel one by one: all that run the file. */
	event = rings_open(uprobes->rings, &attributes, -1, processor);
	if (event < 0)
		return uprobes_refused(uprobes->ctx, uprobes->targets->files[target->file], errno);
	PERUN_GROW(uprobes->sources, uprobes->source_count, uprobes->source_capacity);
	uprobes->sources[uprobes->source_count++] =
		(struct source){rings_id(event), number, direction, event};
	return PERUN_OK;
}

static int open_target(struct uprobes *uprobes, uint32_t number, int processor)
{
	const struct target *target = &uprobes->targets->items[number];
	int status = open_source(uprobes, number, ENTRY, target->offset, processor);

	if (!status && target->kind == TARGET_FUNCTION && !target->exits)
		status = open_source(uprobes, number, RETURN, target->offset, processor);
	for (size_t i = 0; !status && i < target->exit_count; i++)
		status = open_source(uprobes, number, EXIT, target->exits[i], processor);
	return status;
}

/* One for each kind; `enabled`: at once, as the program runs already. */
static int open_events(struct uprobes *uprobes, int processor, bool enabled)
{
	static const enum direction directions[] = {
		[TRACEFS_ENTRY] = ENTRY, [TRACEFS_RETURN] = RETURN, [TRACEFS_EXIT] = EXIT};
	struct perf_event_attr attributes = base_attributes();

	attributes.type = PERF_TYPE_TRACEPOINT;
	attributes.sample_period = 1;
	attributes.sample_type |= PERF_SAMPLE_RAW;
	attributes.exclude_kernel = 0;
	attributes.disabled = !enabled;
	for (size_t kind = 0; kind < TRACEFS_KINDS; kind++) {
		uint64_t number;
		int event;

		if (!tracefs_event(uprobes->tracefs, kind, &number))
			continue;
		attributes.config = number;
		event = rings_open(uprobes->rings, &attributes, -1, processor);
		if (event < 0)
			return uprobes_refused(uprobes->ctx, uprobes->targets->files[0], errno);
		PERUN_GROW(uprobes->sources, uprobes->source_count, uprobes->source_capacity);
		uprobes->sources[uprobes->source_count++] =
			(struct source){rings_id(event), ALL, directions[kind], event};
	}
	return PERUN_OK;
}

static int open_processor(struct uprobes *uprobes, pid_t pid, int processor)
{
	int status = PERUN_OK;

	if (open_family(uprobes, pid, processor) < 0) {
		if (errno == ENODEV)
			return PERUN_OK; /* it is off */
		return uprobes_refused(uprobes->ctx, uprobes->targets->files[0], errno);
	}
	PERUN_GROW(uprobes->opened, uprobes->opened_count, uprobes->opened_capacity);
	uprobes->opened[uprobes->opened_count++] = processor;
	if (!status && uprobes->tracefs)
		return open_events(uprobes, processor, false);
	for (uint32_t i = 0; !status && !uprobes->options.ebpf && i < uprobes->targets->count; i++)
		status = open_target(uprobes, i, processor);
	return status;
}

static int by_id(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static void allow_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The functions of the calls; the two places of a pair are one. */
static void add_functions(struct uprobes *uprobes)
{
	const struct targets *targets = uprobes->targets;

	uprobes->functions = perun_alloc_zero(targets->count, sizeof *uprobes->functions);
	uprobes->seen = perun_alloc_zero(targets->count, sizeof *uprobes->seen);
	for (size_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->items[i];
		const struct calls_function function = {
			.address = target->address,
			.file = calls_file(uprobes->calls, targets->files[target->file]),
			.name = target->kind == TARGET_FUNCTION ? NULL : target->name,
		};

		uprobes->functions[i] = target->kind == TARGET_END
						? uprobes->functions[i - 1]
						: calls_add_function(uprobes->calls, &function);
	}
}

static void open_state(struct uprobes *uprobes, pid_t pid)
{
	const struct rings_layout layout = {.pages = PAGES, .sample_time = 16, .other_time = 16};

	uprobes->rings = rings_new(&layout);
	add_functions(uprobes);
	PERUN_GROW(uprobes->family, uprobes->family_count, uprobes->family_capacity);
	uprobes->family[uprobes->family_count++] = pid;
	uprobes->options.pairing.base = collectors_clock(0);
	uprobes->pairing = pairing_new(&uprobes->options.pairing, uprobes->calls);
}

/* Of tracefs where that is allowed, and the kernel is not older than 5.4. */
static int choose_events(struct uprobes *uprobes)
{
	const struct targets *targets = uprobes->targets;

#if defined(__x86_64__)
	if (tracefs_open(targets, NULL, &uprobes->tracefs))
		return PERUN_OK;
#endif
	for (size_t i = 0; i < targets->size_count; i++)
		if (targets->sizes[i].memory)
			return perun_fail(uprobes->ctx, PERUN_INPUT,
					  "--size %s: sizes in memory cannot be read by uprobes, "
					  "only arguments: use --engine ebpf or patchable",
					  targets->sizes[i].pattern);
	return uprobes_find_type(uprobes->ctx, &uprobes->type, &uprobes->return_bit);
}

int uprobes_open(struct perun_ctx *ctx, const struct uprobes_options *options,
		 const struct targets *targets, pid_t pid, struct calls *calls,
		 struct uprobes **result)
{
	struct uprobes *uprobes = perun_alloc_zero(1, sizeof *uprobes);
	int status;

	*result = uprobes;
	*uprobes = (struct uprobes){.ctx = ctx,
				    .options = *options,
				    .targets = targets,
				    .calls = calls,
				    .process = pid};
	status = options->ebpf ? PERUN_OK : choose_events(uprobes);
	if (status)
		return status;
	allow_files();
	open_state(uprobes, pid);
	for (size_t i = 0; !status && i < rings_count(uprobes->rings); i++)
		status = open_processor(uprobes, pid, (int)i);
	if (uprobes->source_count)
		qsort(uprobes->sources, uprobes->source_count, sizeof *uprobes->sources, by_id);
	if (!status)
		rings_enable(uprobes->rings);
	if (!status && options->ebpf)
		status = ebpf_open(ctx, targets, options->exclusion.below || options->cost > 0,
				   &uprobes->ebpf);
	return status;
}

/* ---- events ------------------------------------------------------------------------------------- */

static bool in_family(const struct uprobes *uprobes, int32_t pid)
{
	for (size_t i = uprobes->family_count; i-- > 0;)
		if (uprobes->family[i] == pid)
			return true;
	return false;
}

static const struct source *find_source(const struct uprobes *uprobes, uint64_t id)
{
	const struct source wanted = {.id = id};

	return bsearch(&wanted, uprobes->sources, uprobes->source_count, sizeof wanted, by_id);
}

/* The value of a register in a sample that has those of `mask`. */
static uint64_t register_of(const char *record, uint64_t mask, unsigned number)
{
	uint64_t before = mask & (((uint64_t)1 << number) - 1);

	return rings_word(record, 40 + 8 * (size_t)__builtin_popcountll(before));
}

static int64_t size_of(const struct uprobes *uprobes, const struct target *target, int64_t value)
{
	if (target->size < 0)
		return TRACE_NO_SIZE;
	return uprobes->targets->sizes[target->size].bytes == 4 ? (int32_t)value : value;
}

/* Time as the program had it: not what passed while it was stopped. */
static uint64_t own_time(const struct uprobes *uprobes, int32_t process, uint64_t time)
{
	uint64_t stopped = 0;

	for (size_t i = 0; process == uprobes->process && i < uprobes->pause_count; i++) {
		const struct pause *pause = &uprobes->pauses[i];

		if (time > pause->from)
			stopped += (time < pause->until ? time : pause->until) - pause->from;
	}
	return time - stopped;
}

/* A target was hit; the event's size is the raw value. */
static void take_hit(struct uprobes *uprobes, uint32_t number, enum direction direction,
		     struct pairing_event *event)
{
	const struct target *target = &uprobes->targets->items[number];

	event->time = own_time(uprobes, event->process, event->time);
	event->function = uprobes->functions[number];
	event->hooked = !target->exits;
	if (direction == RETURN)
		event->stack -= 8; /* the return address was taken from it */
	if (direction != ENTRY) {
		pairing_leave(uprobes->pairing, event);
		return;
	}
	event->size = size_of(uprobes, target, event->size);
	if (target->kind == TARGET_START)
		pairing_start(uprobes->pairing, event);
	else if (target->kind == TARGET_FUNCTION)
		pairing_enter(uprobes->pairing, event);
	else
		pairing_point(uprobes->pairing, event, target->kind == TARGET_END);
}

/* After the words that all samples have there is the size of the rest, and the rest. */
static void take_raw(struct uprobes *uprobes, const struct source *source,
		     const struct perf_event_header *header, const char *record,
		     struct pairing_event *event)
{
	static const enum tracefs_kind kinds[] = {
		[ENTRY] = TRACEFS_ENTRY, [RETURN] = TRACEFS_RETURN, [EXIT] = TRACEFS_EXIT};
	struct tracefs_hit hit;
	uint32_t size;

	memcpy(&size, record + 32, sizeof size);
	if (!uprobes->tracefs || size > header->size - 36u ||
	    !tracefs_read(uprobes->tracefs, kinds[source->direction], record + 36, size, &hit))
		return;
	event->stack = hit.stack;
	event->size = hit.size;
	if (source->direction == ENTRY &&
	    uprobes->targets->items[hit.target].kind == TARGET_FUNCTION &&
	    !uprobes->targets->items[hit.target].exits)
		event->back = hit.back;
	take_hit(uprobes, (uint32_t)hit.target, source->direction, event);
}

static void take_sample(struct uprobes *uprobes, uint64_t time,
			const struct perf_event_header *header, const char *record)
{
	struct pairing_event event = {.time = time};
	const struct source *source;
	const struct target *target;
	struct perf_event_attr attributes;
	size_t registers;

	memcpy(&event.process, record + 8, 4);
	memcpy(&event.thread, record + 12, 4);
	source = header->size >= 48 ? find_source(uprobes, rings_word(record, 24)) : NULL;
	if (!source || !in_family(uprobes, event.process) || !rings_word(record, 32))
		return;
	if (source->target == ALL) {
		take_raw(uprobes, source, header, record, &event);
		return;
	}
	target = &uprobes->targets->items[source->target];
	attributes = make_attributes(uprobes, target, source->direction);
	registers = (size_t)__builtin_popcountll(attributes.sample_regs_user);
	if (header->size < 40 + 8 * registers)
		return;
	event.stack = register_of(record, attributes.sample_regs_user, POINTER);
	if (source->direction == ENTRY && target->size >= 0)
		event.size = (int64_t)register_of(
			record, attributes.sample_regs_user,
			PASSED[uprobes->targets->sizes[target->size].argument - 1]);
	if (attributes.sample_stack_user && header->size >= 40 + 8 * registers + 16 &&
	    rings_word(record, 40 + 8 * registers) == 8)
		event.back = rings_word(record, 48 + 8 * registers);
	take_hit(uprobes, source->target, source->direction, &event);
}

static void take_written(void *data, const struct ebpf_event *written)
{
	struct uprobes *uprobes = data;
	struct pairing_event event = {.time = written->time,
				      .process = written->process,
				      .thread = written->thread,
				      .stack = written->stack,
				      .back = written->back,
				      .size = written->size};

	if (in_family(uprobes, written->process))
		take_hit(uprobes, ebpf_target(written),
			 ebpf_is_return(written) ? RETURN
			 : ebpf_is_exit(written) ? EXIT
						 : ENTRY,
			 &event);
}

/* The page where the kernel lets functions return to. */
static void take_mapping(struct uprobes *uprobes, const struct perf_event_header *header,
			 const char *record)
{
	if (header->size > 82 && strncmp(record + 72, "[uprobes]", 10) == 0)
		pairing_trampoline(uprobes->pairing, rings_word(record, 16));
}

static void take_record(void *data, uint64_t time, const struct perf_event_header *header,
			const char *record)
{
	struct uprobes *uprobes = data;
	int32_t numbers[4];
	uint64_t own;

	if (header->size < 24)
		return;
	if (uprobes->ebpf)
		ebpf_drain(uprobes->ebpf, time, take_written, uprobes);
	memcpy(numbers, record + 8, sizeof numbers);
	own = own_time(uprobes, numbers[0], time);
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(uprobes, time, header, record);
		break;
	case PERF_RECORD_MMAP2:
		take_mapping(uprobes, header, record);
		break;
	case PERF_RECORD_FORK: /* process, its parent, thread, its parent */
		pairing_end(uprobes->pairing, numbers[2], own);
		if (!in_family(uprobes, numbers[1]) || in_family(uprobes, numbers[0]))
			break;
		PERUN_GROW(uprobes->family, uprobes->family_count, uprobes->family_capacity);
		uprobes->family[uprobes->family_count++] = numbers[0];
		break;
	case PERF_RECORD_EXIT:
		pairing_end(uprobes->pairing, numbers[2], own);
		break;
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			pairing_end(uprobes->pairing, numbers[1], own);
		break;
	case PERF_RECORD_LOST:
		uprobes->lost += rings_word(record, 16);
		break;
	default:
		break;
	}
}

/* ---- exclusion ---------------------------------------------------------------------------------- */

static void exclude(struct uprobes *uprobes, size_t target)
{
	uprobes->calls->functions[uprobes->functions[target]].excluded =
		collectors_clock(0) - uprobes->options.pairing.base;
	PERUN_GROW(uprobes->leaving, uprobes->leaving_count, uprobes->leaving_capacity);
	uprobes->leaving[uprobes->leaving_count++] = (uint32_t)target;
}

static bool is_leaving(const struct uprobes *uprobes, uint32_t target)
{
	for (size_t i = 0; i < uprobes->leaving_count; i++)
		if (uprobes->leaving[i] == target)
			return true;
	return false;
}

/* The events of tracefs end, and others without what is excluded begin: what is in the rings stays readable. */
static void replace_events(struct uprobes *uprobes)
{
	bool *left_out = perun_alloc_zero(uprobes->targets->count, sizeof *left_out);
	int *events = perun_alloc_zero(uprobes->source_count, sizeof *events);
	size_t count = 0;
	int status = PERUN_OK;

	for (size_t i = 0; i < uprobes->source_count; i++)
		if (uprobes->sources[i].event >= 0) {
			events[count++] = uprobes->sources[i].event;
			uprobes->sources[i].event = -1;
		}
	rings_close(uprobes->rings, events, count);
	tracefs_close(uprobes->tracefs);
	for (size_t i = 0; i < uprobes->targets->count; i++)
		left_out[i] = uprobes->calls->functions[uprobes->functions[i]].excluded != 0;
	if (!tracefs_open(uprobes->targets, left_out, &uprobes->tracefs))
		status = PERUN_INPUT;
	for (size_t i = 0; !status && i < uprobes->opened_count; i++)
		status = open_events(uprobes, uprobes->opened[i], true);
	if (status)
		perun_warn(uprobes->ctx,
			   "the kernel set no breakpoints again: what follows is not traced");
	qsort(uprobes->sources, uprobes->source_count, sizeof *uprobes->sources, by_id);
	perun_free(events);
	perun_free(left_out);
}

static void close_sources(struct uprobes *uprobes)
{
	int *events = perun_alloc_zero(uprobes->source_count, sizeof *events);
	size_t count = 0;

	for (size_t i = 0; i < uprobes->source_count; i++)
		if (is_leaving(uprobes, uprobes->sources[i].target))
			events[count++] = uprobes->sources[i].event;
	rings_close(uprobes->rings, events, count);
	perun_free(events);
}

/* The breakpoints of all that leave go at once. */
static void let_leave(struct uprobes *uprobes)
{
	struct pause pause;

	if (!uprobes->leaving_count)
		return;
	/*
	 * The kernel waits until no breakpoint is being handled, which may never be while the program meets one after the
	 * other: so the program is stopped. If Perun is killed here the system kills the program too (end-with.h), stopped
	 * or not.
	 */
	pause.from = collectors_clock(0);
	kill(uprobes->process, SIGSTOP);
	if (uprobes->ebpf)
		ebpf_detach(uprobes->ebpf, uprobes->leaving, uprobes->leaving_count);
	else if (uprobes->tracefs)
		replace_events(uprobes);
	else
		close_sources(uprobes);
	kill(uprobes->process, SIGCONT);
	pause.until = collectors_clock(0);
	PERUN_GROW(uprobes->pauses, uprobes->pause_count, uprobes->pause_capacity);
	uprobes->pauses[uprobes->pause_count++] = pause;
	uprobes->leaving_count = 0;
}

static void exclude_small(struct uprobes *uprobes)
{
	const struct trace_exclusion *exclusion = &uprobes->options.exclusion;

	for (size_t i = 0; exclusion->below && i < uprobes->targets->count; i++) {
		const struct calls_function *function =
			&uprobes->calls->functions[uprobes->functions[i]];

		if (uprobes->targets->items[i].kind == TARGET_FUNCTION && !function->excluded &&
		    function->count >= exclusion->after &&
		    function->inclusive / function->count < exclusion->below)
			exclude(uprobes, i);
	}
}

/*
 * The function with most calls since the last look, in all if `lost`: when events are lost, calls are not seen to end.
 * SIZE_MAX = none has any.
 */
static size_t busiest(const struct uprobes *uprobes, bool lost, uint64_t *since)
{
	size_t found = SIZE_MAX;

	*since = 0;
	for (size_t i = 0; i < uprobes->targets->count; i++) {
		const struct calls_function *function =
			&uprobes->calls->functions[uprobes->functions[i]];
		uint64_t calls = function->count - (lost ? 0 : uprobes->seen[i]);

		if (uprobes->targets->items[i].kind == TARGET_FUNCTION && !function->excluded &&
		    calls > *since)
			*since = calls, found = i;
	}
	return found;
}

/*
 * While tracing takes more than its share of the time, functions that are called often go, until the rest of the calls since the last
 * look would not have taken that much.
 */
static void exclude_costly(struct uprobes *uprobes)
{
	const struct trace_exclusion *exclusion = &uprobes->options.exclusion;
	double elapsed = (double)(collectors_clock(0) - uprobes->options.pairing.base);
	double share = (double)exclusion->share / 1000, cost = uprobes->options.cost, rest = 0;
	uint64_t all = 0, since, lost = (uprobes_lost(uprobes) - uprobes->lost_before) / 2;
	size_t at;

	if (cost <= 0 || share <= 0)
		return;
	for (size_t i = 0; i < uprobes->targets->count; i++) {
		uint64_t count = uprobes->calls->functions[uprobes->functions[i]].count;

		all += count;
		rest += (double)(count - uprobes->seen[i]);
	}
	/* What was lost was paid for as well. */
	all += uprobes_lost(uprobes) / 2;
	rest += (double)lost;
	if ((double)all * cost > MIN_NANOSECONDS + elapsed * share)
		while (rest * cost > (elapsed - uprobes->looked) * share &&
		       (at = busiest(uprobes, lost > 0, &since)) != SIZE_MAX) {
			exclude(uprobes, at);
			rest -= (double)since + (double)lost;
			lost = 0;
		}
	for (size_t i = 0; i < uprobes->targets->count; i++)
		uprobes->seen[i] = uprobes->calls->functions[uprobes->functions[i]].count;
	uprobes->looked = elapsed;
	uprobes->lost_before = uprobes_lost(uprobes);
}

void uprobes_drain(struct uprobes *uprobes, bool all)
{
	/* Both kinds of events by time: what came in this moment may not be there as a whole. */
	uint64_t until = collectors_clock(0) - 2000000;

	if (uprobes->ebpf)
		ebpf_read(uprobes->ebpf);
	rings_drain(uprobes->rings, all, take_record, uprobes);
	if (uprobes->ebpf)
		ebpf_drain(uprobes->ebpf, all ? UINT64_MAX : until, take_written, uprobes);
	if (!all) {
		exclude_small(uprobes);
		exclude_costly(uprobes);
		let_leave(uprobes);
	}
}

uint64_t uprobes_lost(const struct uprobes *uprobes)
{
	return uprobes->lost + (uprobes->ebpf ? ebpf_lost(uprobes->ebpf) : 0);
}

void uprobes_close(struct uprobes *uprobes)
{
	if (!uprobes)
		return;
	pairing_free(uprobes->pairing);
	calls_sort(uprobes->calls);
	rings_free(uprobes->rings);
	tracefs_close(uprobes->tracefs);
	ebpf_close(uprobes->ebpf);
	perun_free(uprobes->opened);
	perun_free(uprobes->pauses);
	perun_free(uprobes->sources);
	perun_free(uprobes->functions);
	perun_free(uprobes->seen);
	perun_free(uprobes->leaving);
	perun_free(uprobes->family);
	perun_free(uprobes);
}
