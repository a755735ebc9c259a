/* SPDX-License-Identifier: BSD-3-Clause */
/* speedscope's file format (https://www.speedscope.app/file-format-schema.json). */
#ifndef SPEEDSCOPE_H
#define SPEEDSCOPE_H

#include <perun/format.h>
#include <perun/json.h>

#include "formats/common/numbers.h"

/* The exporter of a file of Perun whose profiles have the names of threads; where it is "perun", those of metrics. */
#define SPEEDSCOPE_THREADS "perun-threads"

struct speedscope_options {
	char *profile;       /* a name or number, NULL = all */
	int64_t frame_limit; /* of the stacks of all intervals together */
	int64_t copy_limit;  /* of samples written again for a further metric */
	uint64_t zero_limit; /* cells of metrics, most of which few samples have */
};

/* One of "shared.frames"; strings of the builder. */
struct speedscope_frame {
	perun_id name, file;
	int64_t line, column;
};

/* Stacks of events: the frame called from another stack. The first is the empty one. */
struct speedscope_stack {
	uint32_t caller, frame, depth;
};

/* One of "profiles": samples, or the intervals between events as such. */
struct speedscope_profile {
	char *name, *unit;
	bool evented, sampled;
	/* Of all samples, each from the root to the leaf; evented: their stacks. */
	struct ids frames;
	struct ids counts;               /* of each sample: its frames */
	struct speedscope_stack *stacks; /* evented */
	size_t stack_count, stack_room;
	struct numbers weights, times; /* times: where an interval starts */
	size_t empty;                  /* evented: frames that were closed when they were opened */
};

struct speedscope_file {
	struct speedscope_frame *frames;
	size_t frame_count, frame_room;
	struct speedscope_profile *profiles;
	size_t profile_count, profile_room;
	char *exporter, *name;
	size_t frame_limit; /* how many frames the stacks of intervals may still have */
};

/* Read the document; the caller frees what is there also after a failure. */
int speedscope_parse(struct perun_ctx *ctx, struct perun_input *input,
		     struct perun_builder *builder, struct speedscope_file *file);
void speedscope_free(struct speedscope_file *file);

/*
 * "events": [{"type": "O", "frame": 0, "at": 1.5}, ...]; the token is the array's start. The frames of
 * all intervals are taken from `*limit`, to which each event adds some.
 */
int speedscope_read_events(struct perun_json_reader *json, struct speedscope_profile *profile,
			   size_t *limit);
int speedscope_number(struct perun_json_reader *json, const char *what, double *number);
int speedscope_index(struct perun_json_reader *json, const char *what, uint32_t *index);

/* What the names and units of all profiles say of each; made of texts, so that it takes linear time. */
struct speedscope_metrics {
	const struct speedscope_file *file;
	struct perun_json *names, *families; /* how many profiles have them */
	struct perun_json *columns;          /* of a metric with a unit: the name of its column */
	struct perun_json *numbers;          /* the last one that a metric's column got */
	struct perun_buffer text;            /* scratch */
};

void speedscope_metrics_begin(struct speedscope_metrics *metrics,
			      const struct speedscope_file *file);
void speedscope_metrics_free(struct speedscope_metrics *metrics);
/* "" for none. */
const char *speedscope_unit(const struct speedscope_profile *profile);
/* Whether no other profile has its name, and columns may have it. */
bool speedscope_has_own_name(const struct speedscope_metrics *metrics,
			     const struct speedscope_profile *profile);
/* The column for the values of a profile, which there may be already; freed by the caller. */
char *speedscope_column_name(struct speedscope_metrics *metrics,
			     const struct speedscope_profile *profile,
			     struct perun_table_builder *table);

int speedscope_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder);
int speedscope_write(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output);

#endif
