/* SPDX-License-Identifier: BSD-3-Clause */
/* The two files of a database from version 2022 on, whose layout HPCToolkit puts into each as FORMATS.md. */
#ifndef HPCTOOLKIT_DATABASE_H
#define HPCTOOLKIT_DATABASE_H

#include "hpctoolkit.h"

/* A whole file: numbers are little endian, pointers are offsets in it. */
struct hpctoolkit_file {
	struct perun_ctx *ctx;
	const unsigned char *bytes;
	uint64_t size;
};

/* Borrow the content of the input, and check its start and its end. `kind`: four letters, "meta" or "prof". */
int hpctoolkit_open(struct perun_ctx *ctx, struct perun_input *input, const char *kind,
		    struct hpctoolkit_file *file);
/* Where a section begins, which has the first `size` bytes of its header. */
int hpctoolkit_section(const struct hpctoolkit_file *file, unsigned number, uint64_t size,
		       uint64_t *at);
/* Whether `count` structures of `stride` bytes each, which is at least `size`, are in the file; `what` names them in the error. */
int hpctoolkit_expect(const struct hpctoolkit_file *file, uint64_t at, uint64_t count,
		      uint64_t stride, uint64_t size, const char *what);
/* A number of `size` bytes, which are in the file. */
uint64_t hpctoolkit_number(const struct hpctoolkit_file *file, uint64_t at, unsigned size);
/* A text that ends with NUL within `limit` bytes, borrowed. */
int hpctoolkit_text(const struct hpctoolkit_file *file, uint64_t at, uint64_t limit,
		    const char **text);

/* ---- meta.db --------------------------------------------------------------------------------- */

/* What is known of a frame before its line is. */
struct hpctoolkit_frame {
	perun_id name, file, module; /* 0: unknown; without a name it is no frame */
	uint32_t line, start_line;
	uint64_t address;
};

/* A context: a function, or a loop, line or instruction in it. A parent is before its children. */
struct hpctoolkit_context {
	uint32_t parent; /* UINT32_MAX: none */
	perun_id caller; /* the path of the frames around the last one */
	perun_id stack;  /* STACKS_NEW_PATH: not made yet */
	struct hpctoolkit_frame frame;
};

/* The name of a metric, and which of its values are in the files. */
struct hpctoolkit_title {
	const char *text;
	bool own, total, used; /* used: there is a value */
	unsigned metric;       /* of the profile, when used */
};

/* How a number in profile.db is called there: that of a metric, with or without all that is called. */
struct hpctoolkit_value_id {
	uint32_t title; /* + 1; 0: of no use here */
	bool total;
};

enum { HPCTOOLKIT_VALUE_IDS = UINT16_MAX + 1, HPCTOOLKIT_KINDS = UINT8_MAX + 1 };

struct hpctoolkit_meta {
	struct hpctoolkit_file file;
	struct stacks *stacks;
	struct hpctoolkit_title *titles;
	size_t title_count;
	/* those of threads, and of sums over all of them */
	struct hpctoolkit_value_id *of_threads, *of_sums;
	perun_id kinds[HPCTOOLKIT_KINDS]; /* labels: "rank", "thread"; 0: unknown */
	struct hpctoolkit_context *contexts;
	size_t context_count, context_room;
	struct stacks_numbers by_id; /* contexts */
};

int hpctoolkit_read_meta(struct hpctoolkit_meta *meta);
/* The contexts of meta.db, which are a part of it. */
int hpctoolkit_read_contexts(struct hpctoolkit_meta *meta);
/* The stack of a context. Statuses as of stacks_of_path(). */
int hpctoolkit_context_stack(struct hpctoolkit_meta *meta, size_t number, perun_id *stack);
void hpctoolkit_free_meta(struct hpctoolkit_meta *meta);

/* ---- profile.db ------------------------------------------------------------------------------ */

int hpctoolkit_read_profiles(struct hpctoolkit_meta *meta, const struct hpctoolkit_file *file);

#endif
