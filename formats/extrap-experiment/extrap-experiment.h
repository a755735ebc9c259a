/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments that Extra-P 4 saves: a zip archive with experiment.json, and perhaps all values. */
#ifndef EXTRAP_EXPERIMENT_H
#define EXTRAP_EXPERIMENT_H

#include <perun/lib/experiment.h>
#include <perun/format.h>
#include <perun/json.h>

struct extrapexperiment_options {
	bool no_models;
	uint64_t archive_limit; /* bytes of its members */
};

/* ---- the archive ------------------------------------------------------------------------------ */

struct extrapexperiment_member {
	char *name;
	unsigned char *data;
	size_t size;
};
struct extrapexperiment_archive {
	struct extrapexperiment_member *members;
	size_t count, room;
	struct perun_json *index; /* of members by name */
};
int extrapexperiment_open(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit,
			  struct extrapexperiment_archive *archive);
/* Of all members, decompressed. */
uint64_t extrapexperiment_size(const struct extrapexperiment_archive *archive);
void extrapexperiment_close(struct extrapexperiment_archive *archive);
/* NULL: there is none of this name. */
const struct extrapexperiment_member *
extrapexperiment_find(const struct extrapexperiment_archive *archive, const char *name);

/* ---- values of measurements -------------------------------------------------------------------- */

/*
 * The values that measurement `index` of a chunk has, as numbers; the caller frees `*values`. False when
 * they are missing, damaged, or no plain list of numbers: the statistics say the same then.
 */
bool extrapexperiment_values(const struct extrapexperiment_archive *archive, uint64_t chunk,
			     uint64_t index, double **values, size_t *count);

/* All values of an experiment as the members "values/0.vals" and "values/0.indx". */
void extrapexperiment_pack(const struct perun_repetitions *repetitions, size_t measurements,
			   struct perun_buffer *values, struct perun_buffer *index);

/* ---- the format -------------------------------------------------------------------------------- */

/* What an experiment has besides measurements, as the profile keeps it below extra.extrap. */
#define EXTRAPEXPERIMENT_KEPT                                 \
	{                                                     \
		"scaling", "callpaths", "metrics", "modelers" \
	}

/* The tag of a call path whose cost is no part of that of its caller. */
#define EXTRAPEXPERIMENT_UNUSED "agg__usage_disabled"

int extrapexperiment_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
			  struct perun_builder *builder);
int extrapexperiment_write(void *instance, struct perun_ctx *ctx,
			   const struct perun_profile *profile, struct perun_output *output);
/* The member "modelers": models found again. */
int extrapexperiment_write_models(struct perun_ctx *ctx, const struct perun_experiment *experiment,
				  struct perun_json_writer *json);

#endif
