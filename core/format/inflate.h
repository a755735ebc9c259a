/* SPDX-License-Identifier: BSD-3-Clause */
/* Undoing gzip, one member at a time, by ISA-L where it was built in, else by zlib; and zstd, one frame at a time. */
#ifndef PERUN_CORE_FORMAT_INFLATE_H
#define PERUN_CORE_FORMAT_INFLATE_H

#include <stddef.h>

struct perun_inflate;

enum perun_inflate_state {
	PERUN_INFLATE_MORE,   /* give more bytes, or more room */
	PERUN_INFLATE_END,    /* the member ended, its checksum is right */
	PERUN_INFLATE_DAMAGED /* see perun_inflate_damage() */
};

/* Ready for the header of a gzip member; the caller frees it. NULL when the library refuses. */
struct perun_inflate *perun_inflate_new(void);
void perun_inflate_free(struct perun_inflate *inflate);
/* Begin with a new member. */
void perun_inflate_again(struct perun_inflate *inflate);

/* Take from the `*left` bytes at `*in`, which it moves on, and put at most `size` bytes into `out`;
 * `*got` says how many. At the end of a member `*in` is just after it. */
enum perun_inflate_state perun_inflate_run(struct perun_inflate *inflate, const unsigned char **in,
					   size_t *left, void *out, size_t size, size_t *got);
/* What was wrong: a few words that live as long as the program. */
const char *perun_inflate_damage(const struct perun_inflate *inflate);

/* The same for zstd's frames. NULL also when the build has no libzstd. */
struct perun_unzstd;
struct perun_unzstd *perun_unzstd_new(void);
void perun_unzstd_free(struct perun_unzstd *unzstd);
void perun_unzstd_again(struct perun_unzstd *unzstd);
enum perun_inflate_state perun_unzstd_run(struct perun_unzstd *unzstd, const unsigned char **in,
					  size_t *left, void *out, size_t size, size_t *got);
const char *perun_unzstd_damage(const struct perun_unzstd *unzstd);

#endif
