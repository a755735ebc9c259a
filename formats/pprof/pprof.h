/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the plugin share. */
#ifndef PERUN_FORMAT_PPROF_H
#define PERUN_FORMAT_PPROF_H

#include <perun/format.h>

/* The options of the format; {0} are the defaults. */
struct pprof_options {
	uint64_t limit;      /* bytes to read at most, after gzip is decompressed; 0 = 16 GiB */
	bool plain;          /* write the bare message, without gzip */
	uint64_t zero_limit; /* zeros that are written for metrics that samples do not have */
	bool paths;          /* stacks may be paths of their callers, see write-paths.c */
};

/* Fill the builder from a profile.proto, gzipped or bare. Messages begin at "byte N: ...". */
int pprof_read(struct perun_ctx *ctx, const struct pprof_options *options,
	       struct perun_input *input, struct perun_builder *builder);

/*
 * Write any profile as profile.proto in the canonical form: fields ascending, the strings in the order of
 * their first use, ids as in the file that was read (1..n where there are none).
 */
int pprof_write(struct perun_ctx *ctx, const struct pprof_options *options,
		const struct perun_profile *profile, struct perun_output *output);

/* How sure it is that these are the first bytes of a profile.proto, 0..100. */
int pprof_probe(const struct perun_probe *probe);

#endif
