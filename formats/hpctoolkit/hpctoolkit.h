/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Databases of HPCToolkit. Up to version 2022: experiment.xml has the tree, a file of each thread its values. From then on:
 * meta.db has the tree, profile.db the values of all threads.
 */
#ifndef HPCTOOLKIT_H
#define HPCTOOLKIT_H

#include "formats/common/stacks.h"

/* ---- up to version 2022 ---------------------------------------------------------------------- */

enum { HPCTOOLKIT_METRICS = 256 };

struct hpctoolkit_metric {
	uint64_t id;
	unsigned metric; /* of the profile */
	bool used;       /* what a place costs itself */
};

struct hpctoolkit {
	struct perun_ctx *ctx;
	struct stacks *stacks;
	/* metrics of the files of threads, by their place there, and of values in the document */
	struct hpctoolkit_metric in_files[HPCTOOLKIT_METRICS], in_document[HPCTOOLKIT_METRICS];
	size_t in_file_count, in_document_count;
	/* places that cost something: statements, with their number in the files */
	struct hpctoolkit_place {
		uint64_t id;
		perun_id stack;
	} * places;
	size_t place_count, place_room;
	bool in_document_only; /* there are no files: rows are made of the values of the document */
};

/* Read experiment.xml: the metrics and places; rows as well when in_document_only. */
int hpctoolkit_read_tree(struct hpctoolkit *database, struct perun_input *input);
/* A metric by its title, such as "CPUTIME (usec):Sum (E)", which has the name and the unit. */
unsigned hpctoolkit_make_metric(struct stacks *stacks, const char *title);

/* ---- from version 2022 on -------------------------------------------------------------------- */

#define HPCTOOLKIT_META     "meta.db"
#define HPCTOOLKIT_PROFILES "profile.db"

/* Rows of a directory with meta.db and profile.db. */
int hpctoolkit_read_database(struct perun_ctx *ctx, struct perun_input *directory,
			     struct stacks *stacks);

#endif
