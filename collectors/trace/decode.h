/* SPDX-License-Identifier: BSD-3-Clause */
/* The instructions of x86_64: how long they are, and which leave a function. */
#ifndef PERUN_TRACE_DECODE_H
#define PERUN_TRACE_DECODE_H

#include <stddef.h>
#include <stdint.h>

enum decode_kind {
	DECODE_OTHER,
	DECODE_RETURN,
	DECODE_JUMP,   /* unconditional, to a known place */
	DECODE_BRANCH, /* conditional, to a known place */
	DECODE_CALL,   /* of a known place */
	DECODE_AWAY,   /* a call or jump to a place that is computed */
	DECODE_STRING  /* of strings, which prefixes repeat */
};

struct decoded {
	size_t length;
	enum decode_kind kind;
	int64_t target; /* where that is known: from its own start */
};

/*
 * Decode the instruction at the start of the code. The length is 0 for what is none or is cut off.
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A.
 */
struct decoded decode_instruction(const uint8_t *code, size_t size);

#endif
