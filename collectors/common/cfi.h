/* SPDX-License-Identifier: BSD-3-Clause */
/* Unwind tables: how to get from a frame to its caller. Neither allocates nor calls anything. */
#ifndef PERUN_COLLECTORS_CFI_H
#define PERUN_COLLECTORS_CFI_H

#include <stddef.h>
#include <stdint.h>

/* How to get from one frame to its caller, at one return address. */
struct cfi_rule {
	int32_t cfa_offset; /* caller's stack pointer = the base + this */
	int16_t bp_offset;  /* where the caller's frame pointer is, from there; 0 = unchanged */
	uint8_t base;       /* enum cfi_base */
	uint8_t spare;
};

enum cfi_base {
	CFI_NONE, /* not known yet (in caches) */
	CFI_SP,
	CFI_BP,
	CFI_END,    /* the outermost frame */
	CFI_UNKNOWN /* too complicated, or no table */
};

/* Of code that keeps frame pointers. */
#define CFI_FRAME_POINTER ((struct cfi_rule){.base = CFI_BP, .cfa_offset = 16, .bp_offset = -16})

/* The table of a module that is mapped as the dynamic linker does it. Nothing outside of it is read. */
struct cfi_table {
	uintptr_t start, limit; /* the module */
	const uint8_t *frames;  /* .eh_frame_hdr; NULL = it has none */
	size_t frames_size;
	const uint8_t
		*entries; /* .eh_frame, of programs that have no other: searched from its start */
	size_t entries_size;
};

/* The rule at a return address. */
struct cfi_rule cfi_find(const struct cfi_table *table, uintptr_t ip);

#endif
