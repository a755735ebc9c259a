/* SPDX-License-Identifier: BSD-3-Clause */
/* Directories of Cube files, as Score-P and Scalasca write them. */
#ifndef CUBE_H
#define CUBE_H

#include <perun/lib/experiment.h>
#include <perun/format.h>

enum cube_scaling { CUBE_WEAK, CUBE_WEAK_THREADED, CUBE_STRONG };

struct cube_options {
	enum cube_scaling scaling;
	bool inclusive; /* values with those of callees */
	bool all_metrics;
	uint64_t archive_limit;   /* bytes of an archive and all that is decompressed of it */
	uint64_t expansion_limit; /* bytes of names of call paths, and of summaries at points */
	uint64_t frame_limit;     /* of stacks_options */
};

/* ---- one file -------------------------------------------------------------------------------- */

enum cube_number {
	CUBE_UNKNOWN,
	CUBE_DOUBLE,
	CUBE_MINIMUM, /* a double that is combined by its least value, or its largest */
	CUBE_MAXIMUM,
	CUBE_SIGNED,
	CUBE_UNSIGNED
};

struct cube_metric {
	long id;
	char *name, *type, *unit;
	bool inclusive, top; /* top: not below another metric */
	enum cube_number number;
	unsigned size; /* bytes of a value */
};

/* A node of the call tree; a parent is before its children. */
struct cube_node {
	long callee;
	uint32_t parent, first_child, next_sibling; /* UINT32_MAX = none */
	bool overlaps;                              /* as its parameter CUBE_OVERLAP says */
};

/* The parameter of a node whose values other nodes have, too. */
#define CUBE_OVERLAP "overlap"

struct cube_region {
	long id;
	char *name;
};

/* What anchor.xml says. */
struct cube_anchor {
	struct cube_metric *metrics;
	size_t metric_count, metric_room;
	struct cube_region *regions;
	size_t region_count, region_room;
	struct cube_node *nodes; /* in the order of a walk from the root, parents first */
	size_t node_count, node_room, roots;
	size_t locations;
	uint32_t *wide_order, *ends; /* made when they are needed (values.c) */
};
int cube_read_anchor(struct perun_ctx *ctx, const char *text, size_t size,
		     struct cube_anchor *anchor);
void cube_clear_anchor(struct cube_anchor *anchor);
/* What a node calls. PERUN_INPUT when it is not among the regions. */
int cube_callee(struct perun_ctx *ctx, const struct cube_anchor *anchor,
		const struct cube_node *node, const char **name);
/* Whether a metric is read, which has values and a name. */
bool cube_is_chosen(const struct cube_metric *metric, const struct cube_options *options);

/* A member of the archive. */
struct cube_member {
	char *name;
	unsigned char *data;
	size_t size, place; /* place: among the members as they come */
};
struct cube_archive {
	struct cube_member *members; /* sorted by name */
	size_t count, room;
	uint64_t left; /* bytes that it may still have */
};
/* `archive->left` is the limit. */
int cube_open_archive(struct perun_ctx *ctx, struct perun_input *input,
		      struct cube_archive *archive);
void cube_close_archive(struct cube_archive *archive);
const struct cube_member *cube_find(const struct cube_archive *archive, const char *name);
/* What anchor.xml says, which is a member. */
int cube_read_archived_anchor(struct perun_ctx *ctx, struct cube_archive *archive,
			      struct cube_anchor *anchor);
/* Undo gzip or zlib. The caller frees `*out`. */
int cube_inflate(struct perun_ctx *ctx, const char *what, const unsigned char *data, size_t size,
		 bool gzip, size_t limit, unsigned char **out, size_t *length);

/* Values of a metric: a number of each location, for each node that the file has. */
struct cube_values {
	uint32_t *nodes; /* ascending */
	double *numbers;
	size_t count;
};
/* Exclusive or inclusive as `inclusive` asks. The caller frees both arrays; the file may have none. */
int cube_read_values(struct perun_ctx *ctx, struct cube_archive *archive,
		     struct cube_anchor *anchor, const struct cube_metric *metric, bool inclusive,
		     struct cube_values *values);

/* ---- one run --------------------------------------------------------------------------------- */

/* What Score-P calls the file in a directory of its own. */
#define CUBE_PROFILE "profile.cubex"

/* The costs of call paths in a file, or in the file CUBE_PROFILE of a directory. */
int cube_read_profile(const struct cube_options *options, struct perun_ctx *ctx,
		      struct perun_input *input, struct perun_builder *builder);

/* ---- the experiment --------------------------------------------------------------------------- */

int cube_read_experiment(const struct cube_options *options, struct perun_ctx *ctx,
			 struct perun_input *input, struct perun_builder *builder);
/* A directory for each point and repetition. */
int cube_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
	       struct perun_output *output);
/* Write an archive of members to a file. */
int cube_write_archive(struct perun_ctx *ctx, const struct cube_member *members, size_t count,
		       struct perun_output *output);

#endif
