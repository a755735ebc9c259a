/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions and places of programs and libraries that are to be traced, by name. */
#ifndef PERUN_TRACE_TARGETS_H
#define PERUN_TRACE_TARGETS_H

#include <perun/context.h>

/* What a target is. */
enum target_kind {
	TARGET_FUNCTION, /* from its entry to its return */
	TARGET_POINT,    /* a place: the time since it was passed before */
	TARGET_START,    /* from here ... */
	TARGET_END       /* ... to here; it follows its start */
};

struct target {
	enum target_kind kind;
	uint32_t file;
	uint64_t address, offset; /* as the file has it, and where that is in the file */
	uint64_t length;          /* of a function, in bytes; 0 = not known */
	char *name;               /* as patterns see it: without parameters */
	uint64_t *
		exits; /* offsets in the file of the instructions that leave it; NULL = not sought */
	size_t exit_count;
	int size; /* which of `sizes` has the size of its structure; -1 = none */
};

/* Where a size is at a function's entry. */
struct target_size {
	const char *pattern; /* of functions; borrowed, its length follows */
	size_t length;
	unsigned argument; /* 1..6 */
	bool memory;       /* the argument points to it, `offset` bytes further */
	int64_t offset;
	unsigned bytes; /* 4 or 8 */
};

struct targets {
	char **files;
	size_t file_count, file_capacity;
	struct target *items;
	size_t count, capacity;
	struct target_size *sizes;
	size_t size_count, size_capacity;
	struct kept **kept; /* by file: what was read before (kept.h); NULL = nothing can be kept */
	size_t unclear;     /* functions that were left out, as their ends are not known */
};

struct targets_wanted {
	const char *const *files;     /* paths, NULL-terminated */
	const char *const *functions; /* patterns, NULL-terminated; empty = all */
	const char *const *probes;    /* NAME=PLACE or NAME=PLACE..PLACE, NULL-terminated */
	const char *const *sizes;     /* FUNCTION=WHERE, NULL-terminated */
	/*
	 * Find where functions are left, instead of having the kernel change return addresses, which no
	 * exception gets past. Functions where that cannot be found are left out.
	 */
	bool exits;
	const char *kept; /* the folder of what was read before; NULL = there is none */
};

/*
 * Find them. Fails with the reason: files without symbols, names that no file has.
 * `targets` is to be freed also after a failure.
 */
int targets_find(struct perun_ctx *ctx, const struct targets_wanted *wanted,
		 struct targets *targets);
void targets_free(struct targets *targets);
/* Whether a function's name matches a pattern, which may leave out the parameters. */
bool targets_match(const char *pattern, const char *name);

#endif
