/* SPDX-License-Identifier: BSD-3-Clause */
/* Breakpoints of the kernel whose hits a small program in the kernel writes down (eBPF). */
#include <config.h>

#include <errno.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/common/closing.h"
#include "ebpf.h"

#define RING         (16u << 20) /* bytes; a power of two */
#define UPROBE_MULTI 48          /* BPF_TRACE_UPROBE_MULTI, which older headers do not have */
#define ON_RETURN    1           /* BPF_F_UPROBE_MULTI_RETURN */

/* A link of many uprobes, as newer headers have it in union bpf_attr. */
struct link_request {
	uint32_t program, target, type, flags;
	uint64_t path, offsets, counters, cookies;
	uint32_t count, uprobe_flags, pid, spare;
};

struct link {
	int descriptor;
	uint32_t target;
};

struct ebpf {
	struct perun_ctx *ctx;
	const struct targets *targets;
	bool apart;
	int ring, losses, program;
	uint64_t *consumed;       /* in the page that we write */
	const uint64_t *produced; /* in the one that the kernel writes */
	const char *data;         /* mapped twice, one after the other */
	struct link *links;
	size_t link_count, link_capacity;
	struct ebpf_event *events; /* read and waiting */
	size_t event_count, event_capacity;
};

/* ---- the program in the kernel ------------------------------------------------------------------ */

#define CODE(CODE, DESTINATION, SOURCE, OFFSET, VALUE) \
	((struct bpf_insn){.code = (CODE),             \
			   .dst_reg = (DESTINATION),   \
			   .src_reg = (SOURCE),        \
			   .off = (int16_t)(OFFSET),   \
			   .imm = (int32_t)(VALUE)})
#define SET(TO, FROM)                 CODE(BPF_ALU64 | BPF_MOV | BPF_X, TO, FROM, 0, 0)
#define SET_NUMBER(TO, VALUE)         CODE(BPF_ALU64 | BPF_MOV | BPF_K, TO, 0, 0, VALUE)
#define OPERATE(OPERATION, TO, VALUE) CODE(BPF_ALU64 | (OPERATION) | BPF_K, TO, 0, 0, VALUE)
#define ADD(TO, FROM)                 CODE(BPF_ALU64 | BPF_ADD | BPF_X, TO, FROM, 0, 0)
#define LOAD(TO, FROM, OFFSET)        CODE(BPF_LDX | BPF_MEM | BPF_DW, TO, FROM, OFFSET, 0)
#define STORE(TO, OFFSET, FROM)       CODE(BPF_STX | BPF_MEM | BPF_DW, TO, FROM, OFFSET, 0)
#define CALL(HELPER)                  CODE(BPF_JMP | BPF_CALL, 0, 0, 0, HELPER)
#define UNLESS(REGISTER, VALUE, SKIP) CODE(BPF_JMP | BPF_JNE | BPF_K, REGISTER, 0, SKIP, VALUE)
#define WHEN(REGISTER, VALUE, SKIP)   CODE(BPF_JMP | BPF_JEQ | BPF_K, REGISTER, 0, SKIP, VALUE)
#define END()                         CODE(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FRAME };

/* Where registers of x86_64 are in struct pt_regs. */
enum { AT_R9 = 64, AT_R8 = 72, AT_CX = 88, AT_DX = 96, AT_SI = 104, AT_DI = 112, AT_SP = 152 };

/* Above the number of the target and the two bits of ends: where its size is. */
#define COOKIE_ARGUMENT 32 /* three bits, 0 = it has none */
#define COOKIE_MEMORY   35
#define COOKIE_OFFSET   36 /* the rest, signed */

struct code {
	struct bpf_insn items[128];
	unsigned count;
};

static void emit(struct code *code, struct bpf_insn instruction)
{
	code->items[code->count++] = instruction;
}

/* A number of 64 bits, or (`kind` BPF_PSEUDO_MAP_FD) a map. */
static void emit_wide(struct code *code, unsigned to, unsigned kind, uint64_t value)
{
	emit(code, CODE(BPF_LD | BPF_DW | BPF_IMM, to, kind, 0, value));
	emit(code, CODE(0, 0, 0, 0, value >> 32));
}

/* The thread and the process as this pid namespace numbers them, at FRAME - 8; others end here. */
static void emit_identity(struct code *code)
{
	struct stat facts = {0};

	stat("/proc/self/ns/pid", &facts);
	emit_wide(code, R1, 0, facts.st_dev);
	emit_wide(code, R2, 0, facts.st_ino);
	emit(code, SET(R3, FRAME));
	emit(code, OPERATE(BPF_ADD, R3, -8));
	emit(code, SET_NUMBER(R4, 8));
	emit(code, CALL(BPF_FUNC_get_ns_current_pid_tgid));
	emit(code, WHEN(R0, 0, 1));
	emit(code, END());
}

/* Room in the ring, in R7; without it one more is lost. */
static void emit_reservation(struct code *code, const struct ebpf *ebpf)
{
	emit_wide(code, R1, BPF_PSEUDO_MAP_FD, (uint32_t)ebpf->ring);
	emit(code, SET_NUMBER(R2, sizeof(struct ebpf_event)));
	emit(code, SET_NUMBER(R3, 0));
	emit(code, CALL(BPF_FUNC_ringbuf_reserve));
	emit(code, SET(R7, R0));
	emit(code, UNLESS(R7, 0, 11));
	emit(code, CODE(BPF_ST | BPF_MEM | BPF_W, FRAME, 0, -16, 0));
	emit_wide(code, R1, BPF_PSEUDO_MAP_FD, (uint32_t)ebpf->losses);
	emit(code, SET(R2, FRAME));
	emit(code, OPERATE(BPF_ADD, R2, -16));
	emit(code, CALL(BPF_FUNC_map_lookup_elem));
	emit(code, WHEN(R0, 0, 2));
	emit(code, SET_NUMBER(R1, 1));
	emit(code, CODE(BPF_STX | BPF_ATOMIC | BPF_DW, R0, R1, 0, BPF_ADD));
	emit(code, SET_NUMBER(R0, 0));
	emit(code, END());
}

/* The size, in R9, as the cookie in R8 says; the program's registers are in R6. */
static void emit_size(struct code *code)
{
	static const int16_t arguments[] = {AT_DI, AT_SI, AT_DX, AT_CX, AT_R8, AT_R9};

	emit(code, SET(R1, R8));
	emit(code, OPERATE(BPF_RSH, R1, COOKIE_ARGUMENT));
	emit(code, OPERATE(BPF_AND, R1, 7));
	emit(code, SET_NUMBER(R9, 0));
	for (int i = 0; i < 6; i++) {
		emit(code, UNLESS(R1, i + 1, 1));
		emit(code, LOAD(R9, R6, arguments[i]));
	}
	emit(code, SET(R1, R8));
	emit(code, OPERATE(BPF_RSH, R1, COOKIE_MEMORY));
	emit(code, OPERATE(BPF_AND, R1, 1));
	emit(code, WHEN(R1, 0, 8));
	emit(code, SET(R3, R8));
	emit(code, OPERATE(BPF_ARSH, R3, COOKIE_OFFSET));
	emit(code, ADD(R3, R9));
	emit(code, SET(R1, FRAME));
	emit(code, OPERATE(BPF_ADD, R1, -16));
	emit(code, SET_NUMBER(R2, 8));
	emit(code, CALL(BPF_FUNC_probe_read_user));
	emit(code, LOAD(R9, FRAME, -16));
}

static void make_program(struct code *code, const struct ebpf *ebpf)
{
	emit(code, SET(R6, R1));
	emit_identity(code);
	emit_reservation(code, ebpf);
	emit(code, CALL(BPF_FUNC_ktime_get_ns));
	emit(code, STORE(R7, offsetof(struct ebpf_event, time), R0));
	emit(code, LOAD(R1, FRAME, -8));
	emit(code, STORE(R7, offsetof(struct ebpf_event, thread), R1));
	emit(code, SET(R1, R6));
	emit(code, CALL(BPF_FUNC_get_attach_cookie));
	emit(code, SET(R8, R0));
	emit(code, STORE(R7, offsetof(struct ebpf_event, cookie), R8));
	emit(code, LOAD(R3, R6, AT_SP));
	emit(code, STORE(R7, offsetof(struct ebpf_event, stack), R3));
	emit(code, SET(R1, R7));
	emit(code, OPERATE(BPF_ADD, R1, offsetof(struct ebpf_event, back)));
	emit(code, SET_NUMBER(R2, 8));
	emit(code, CALL(BPF_FUNC_probe_read_user));
	emit_size(code);
	emit(code, STORE(R7, offsetof(struct ebpf_event, size), R9));
	emit(code, SET(R1, R7));
	emit(code, SET_NUMBER(R2, 0));
	emit(code, CALL(BPF_FUNC_ringbuf_submit));
	emit(code, SET_NUMBER(R0, 0));
	emit(code, END());
}

/* ---- opening ------------------------------------------------------------------------------------ */

static int call_bpf(int command, void *request, size_t size)
{
	return (int)syscall(SYS_bpf, command, request, size);
}

static int make_map(uint32_t type, uint32_t key, uint32_t value, uint32_t entries)
{
	union bpf_attr request = {
		.map_type = type, .key_size = key, .value_size = value, .max_entries = entries};

	return call_bpf(BPF_MAP_CREATE, &request, sizeof request);
}

static int refused(struct perun_ctx *ctx, const char *what, int error)
{
	if (error == EPERM || error == EACCES)
		return perun_fail(
			ctx, PERUN_MISSING,
			"the kernel does not let this user load programs into it (%s): this "
			"needs the capabilities CAP_BPF and CAP_PERFMON, or root",
			what);
	return perun_fail_errno(
		ctx, PERUN_MISSING, error,
		"this kernel cannot trace with eBPF (%s; links of uprobes are there "
		"since Linux 6.6)",
		what);
}

static int load_program(struct perun_ctx *ctx, struct ebpf *ebpf)
{
	struct code code = {.count = 0};
	union bpf_attr request = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.expected_attach_type = UPROBE_MULTI,
		.license = (uint64_t)(uintptr_t) "Dual BSD/GPL",
	};

	ebpf->ring = make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, RING);
	if (ebpf->ring < 0)
		return refused(ctx, "a ring", errno);
	ebpf->losses = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1);
	if (ebpf->losses < 0)
		return refused(ctx, "an array", errno);
	make_program(&code, ebpf);
	request.insns = (uint64_t)(uintptr_t)code.items;
	request.insn_cnt = code.count;
	ebpf->program = call_bpf(BPF_PROG_LOAD, &request, sizeof request);
	return ebpf->program < 0 ? refused(ctx, "a program", errno) : PERUN_OK;
}

static int map_ring(struct perun_ctx *ctx, struct ebpf *ebpf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *ours = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, ebpf->ring, 0);
	void *theirs =
		mmap(NULL, page + 2 * (size_t)RING, PROT_READ, MAP_SHARED, ebpf->ring, (off_t)page);

	if (ours != MAP_FAILED)
		ebpf->consumed = ours;
	if (theirs != MAP_FAILED) {
		ebpf->produced = theirs;
		ebpf->data = (const char *)theirs + page;
	}
	if (!ebpf->consumed || !ebpf->produced)
		return perun_fail_errno(ctx, PERUN_MISSING, errno, "cannot map a ring of events");
	return PERUN_OK;
}

static int start(struct perun_ctx *ctx, const struct targets *targets, struct ebpf **result)
{
	struct ebpf *ebpf = perun_alloc_zero(1, sizeof *ebpf);
	int status;

	*result = ebpf;
	*ebpf = (struct ebpf){
		.ctx = ctx, .targets = targets, .ring = -1, .losses = -1, .program = -1};
#if !defined(__x86_64__)
	return perun_fail(ctx, PERUN_MISSING, "eBPF is used for tracing on x86_64 only");
#endif
	status = load_program(ctx, ebpf);
	return status ? status : map_ring(ctx, ebpf);
}

/* ---- links -------------------------------------------------------------------------------------- */

/* Places of one file, for one link. */
struct places_wanted {
	uint64_t *offsets, *cookies;
	size_t count;
	bool returns; /* by changed return addresses */
};

static uint64_t cookie_of(const struct targets *targets, uint32_t number, unsigned ends)
{
	const struct target *target = &targets->items[number];
	uint64_t cookie = number | (uint64_t)ends << 30;
	const struct target_size *size;

	if (target->size < 0 || ends)
		return cookie;
	size = &targets->sizes[target->size];
	cookie |= (uint64_t)size->argument << COOKIE_ARGUMENT;
	cookie |= (uint64_t)size->memory << COOKIE_MEMORY;
	return cookie | (uint64_t)size->offset << COOKIE_OFFSET;
}

static int attach(struct ebpf *ebpf, const struct places_wanted *wanted, uint32_t target)
{
	const char *path = ebpf->targets->files[ebpf->targets->items[target].file];
	struct link_request request = {
		.program = (uint32_t)ebpf->program,
		.type = UPROBE_MULTI,
		.path = (uint64_t)(uintptr_t)path,
		.offsets = (uint64_t)(uintptr_t)wanted->offsets,
		.cookies = (uint64_t)(uintptr_t)wanted->cookies,
		.count = (uint32_t)wanted->count,
		.uprobe_flags = wanted->returns ? ON_RETURN : 0,
	};
	int link;

	if (!wanted->count)
		return PERUN_OK;
	link = call_bpf(BPF_LINK_CREATE, &request, sizeof request);
	if (link < 0)
		return refused(ebpf->ctx, path, errno);
	PERUN_GROW(ebpf->links, ebpf->link_count, ebpf->link_capacity);
	ebpf->links[ebpf->link_count++] = (struct link){link, target};
	return PERUN_OK;
}

static void want(struct places_wanted *wanted, uint64_t offset, uint64_t cookie)
{
	wanted->offsets[wanted->count] = offset;
	wanted->cookies[wanted->count++] = cookie;
}

/* Targets from `first` to before `limit`, all of one file. */
static int attach_range(struct ebpf *ebpf, uint32_t first, uint32_t limit)
{
	struct places_wanted here = {0}, returns = {.returns = true};
	size_t most = limit - first;
	int status;

	for (uint32_t i = first; i < limit; i++)
		most += ebpf->targets->items[i].exit_count;
	here.offsets = perun_alloc_zero(most, sizeof *here.offsets);
	here.cookies = perun_alloc_zero(most, sizeof *here.cookies);
	returns.offsets = perun_alloc_zero(most, sizeof *returns.offsets);
	returns.cookies = perun_alloc_zero(most, sizeof *returns.cookies);
	for (uint32_t i = first; i < limit; i++) {
		const struct target *target = &ebpf->targets->items[i];

		want(&here, target->offset, cookie_of(ebpf->targets, i, 0));
		if (target->kind == TARGET_FUNCTION && !target->exits)
			want(&returns, target->offset, cookie_of(ebpf->targets, i, 1));
		for (size_t j = 0; j < target->exit_count; j++)
			want(&here, target->exits[j], cookie_of(ebpf->targets, i, 2));
	}
	/* The ends first: else calls would begin that are not seen to end. */
	status = attach(ebpf, &returns, first);
	if (!status)
		status = attach(ebpf, &here, first);
	perun_free(here.offsets);
	perun_free(here.cookies);
	perun_free(returns.offsets);
	perun_free(returns.cookies);
	return status;
}

int ebpf_open(struct perun_ctx *ctx, const struct targets *targets, bool apart,
	      struct ebpf **result)
{
	int status = start(ctx, targets, result);

	for (uint32_t first = 0, limit; !status && first < targets->count; first = limit) {
		limit = first + 1;
		while (!apart && limit < targets->count &&
		       targets->items[limit].file == targets->items[first].file)
			limit++;
		status = attach_range(*result, first, limit);
	}
	return status;
}

int ebpf_allowed(struct perun_ctx *ctx)
{
	const struct targets none = {0};
	struct ebpf *ebpf;
	int status = start(ctx, &none, &ebpf);

	ebpf_close(ebpf);
	return status;
}

void ebpf_detach(struct ebpf *ebpf, const uint32_t *targets, size_t count)
{
	int *files = perun_alloc_zero(ebpf->link_count, sizeof *files);
	size_t used = 0;

	for (size_t i = 0; i < ebpf->link_count; i++)
		for (size_t k = 0; k < count && ebpf->links[i].descriptor >= 0; k++)
			if (ebpf->links[i].target == targets[k]) {
				files[used++] = ebpf->links[i].descriptor;
				ebpf->links[i].descriptor = -1;
			}
	collectors_close_together(files, used);
	perun_free(files);
}

/* ---- reading ------------------------------------------------------------------------------------ */

/* Each record has a head of eight bytes: its length with two bits, and a number of the kernel's own. */
void ebpf_read(struct ebpf *ebpf)
{
	uint64_t produced = __atomic_load_n(ebpf->produced, __ATOMIC_ACQUIRE);
	uint64_t at = *ebpf->consumed;

	while (at < produced) {
		const char *record = ebpf->data + (at & (RING - 1));
		uint32_t length =
			__atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);

		if (length & BPF_RINGBUF_BUSY_BIT)
			break; /* it is being written */
		if (!(length & BPF_RINGBUF_DISCARD_BIT) && length >= sizeof(struct ebpf_event)) {
			PERUN_GROW(ebpf->events, ebpf->event_count, ebpf->event_capacity);
			memcpy(&ebpf->events[ebpf->event_count++], record + BPF_RINGBUF_HDR_SZ,
			       sizeof(struct ebpf_event));
		}
		length &= ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
		at += (length + BPF_RINGBUF_HDR_SZ + 7) & ~(uint64_t)7;
	}
	__atomic_store_n(ebpf->consumed, at, __ATOMIC_RELEASE);
	/* Processors write side by side: an event may be after a slightly later one. */
	for (size_t i = 1; i < ebpf->event_count; i++) {
		struct ebpf_event event = ebpf->events[i];
		size_t place = i;

		for (; place && ebpf->events[place - 1].time > event.time; place--)
			ebpf->events[place] = ebpf->events[place - 1];
		ebpf->events[place] = event;
	}
}

void ebpf_drain(struct ebpf *ebpf, uint64_t until,
		void (*handler)(void *data, const struct ebpf_event *event), void *data)
{
	size_t done = 0;

	while (done < ebpf->event_count && ebpf->events[done].time <= until)
		handler(data, &ebpf->events[done++]);
	if (done == 0)
		return;
	ebpf->event_count -= done;
	memmove(ebpf->events, ebpf->events + done, ebpf->event_count * sizeof *ebpf->events);
}

uint64_t ebpf_lost(const struct ebpf *ebpf)
{
	uint64_t lost = 0;
	uint32_t key = 0;
	union bpf_attr request = {.map_fd = (uint32_t)ebpf->losses,
				  .key = (uint64_t)(uintptr_t)&key,
				  .value = (uint64_t)(uintptr_t)&lost};

	call_bpf(BPF_MAP_LOOKUP_ELEM, &request, sizeof request);
	return lost;
}

static void close_links(const struct ebpf *ebpf)
{
	int *files = perun_alloc_zero(ebpf->link_count, sizeof *files);

	for (size_t i = 0; i < ebpf->link_count; i++)
		files[i] = ebpf->links[i].descriptor;
	collectors_close_together(files, ebpf->link_count);
	perun_free(files);
}

void ebpf_close(struct ebpf *ebpf)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (!ebpf)
		return;
	close_links(ebpf);
	if (ebpf->consumed)
		munmap(ebpf->consumed, page);
	if (ebpf->produced)
		munmap((void *)(uintptr_t)ebpf->produced, page + 2 * (size_t)RING);
	if (ebpf->program >= 0)
		close(ebpf->program);
	if (ebpf->losses >= 0)
		close(ebpf->losses);
	if (ebpf->ring >= 0)
		close(ebpf->ring);
	perun_free(ebpf->links);
	perun_free(ebpf->events);
	perun_free(ebpf);
}
