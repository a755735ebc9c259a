/* SPDX-License-Identifier: BSD-3-Clause */
/* Breakpoints of the kernel whose hits a small program in the kernel writes down (eBPF). */
#ifndef PERUN_TRACE_EBPF_H
#define PERUN_TRACE_EBPF_H

#include "targets.h"

struct ebpf;

/* What happened; as it is in the kernel's ring. */
struct ebpf_event {
	uint64_t time; /* nanoseconds of CLOCK_MONOTONIC */
	int32_t thread, process;
	uint64_t cookie; /* see ebpf_target() */
	uint64_t stack, back;
	int64_t size; /* what the target's size says, as 8 bytes */
};

static inline uint32_t ebpf_target(const struct ebpf_event *event)
{
	return event->cookie & 0x3fffffff;
}

/* The function returned (the stack is without the return address), or is about to leave. */
static inline bool ebpf_is_return(const struct ebpf_event *event)
{
	return event->cookie >> 30 & 1;
}

static inline bool ebpf_is_exit(const struct ebpf_event *event)
{
	return event->cookie >> 31 & 1;
}

/*
 * Attach to all targets, in all processes that run their files; `apart`: so that each can be detached
 * alone. Fails with the privilege or the feature of the kernel that is missing (PERUN_MISSING).
 */
int ebpf_open(struct perun_ctx *ctx, const struct targets *targets, bool apart, struct ebpf **ebpf);
/* Whether the kernel lets this user do that; PERUN_MISSING with the reason. */
int ebpf_allowed(struct perun_ctx *ctx);
void ebpf_detach(struct ebpf *ebpf, const uint32_t *targets, size_t count);
/* Hand over events until a time, in their order. */
void ebpf_drain(struct ebpf *ebpf, uint64_t until,
		void (*handler)(void *data, const struct ebpf_event *event), void *data);
/* Read what is there; ebpf_drain() hands it over. */
void ebpf_read(struct ebpf *ebpf);
/* How many events there was no room for. */
uint64_t ebpf_lost(const struct ebpf *ebpf);
void ebpf_close(struct ebpf *ebpf);

#endif
