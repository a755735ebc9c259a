/* SPDX-License-Identifier: BSD-3-Clause */
/* The binary experiments of Extra-P 3.0: records of a name and a body, one after the other. */
#ifndef EXTRAP3_H
#define EXTRAP3_H

#include <perun/lib/experiment.h>
#include <perun/format.h>
#include <perun/json.h>

/* ---- bytes ------------------------------------------------------------------------------------ */

/* The file. The first failure stays, and all that is read after it is 0 or "". */
struct extrap3_bytes {
	struct perun_ctx *ctx;
	const unsigned char *data;
	size_t size, at;
	bool big;    /* the most significant byte comes first */
	bool trying; /* failures are not reported */
	int status;
};
struct extrap3_text {
	const char *text; /* not terminated; points into the file */
	size_t length;
};
int64_t extrap3_integer(struct extrap3_bytes *bytes);
double extrap3_number(struct extrap3_bytes *bytes);
struct extrap3_text extrap3_text(struct extrap3_bytes *bytes);
/* A text that is one of those, else that is an error. Its number. */
int extrap3_word(struct extrap3_bytes *bytes, const char *const *words, size_t count);
bool extrap3_is(struct extrap3_text text, const char *word);
/* Fail at the byte `at`. */
int extrap3_fail(struct extrap3_bytes *bytes, size_t at, const char *format, ...)
	PERUN_PRINTF(3, 4);

/* ---- the experiment --------------------------------------------------------------------------- */

/* The ids of things, which are numbered as they come. Nearly always each is one more, or less, than the one before: no list then. */
struct extrap3_ids {
	int64_t first, step;
	int64_t *list; /* of each thing, or NULL */
	uint32_t *
		slots; /* things + 1 by the hash of their id; twice as many as things at least, a power of two */
	size_t count, room, size;
};

struct extrap3_callpath {
	perun_id name, path, stack; /* name: of the region */
	uint32_t parent;            /* UINT32_MAX = none */
	uint32_t depth;
	uint32_t length; /* bytes of all names and arrows */
};

struct extrap3_generator {
	struct perun_json *modeler; /* as Extra-P 4 has it */
	bool median;
	size_t models;
};

struct extrap3_reading {
	struct extrap3_bytes bytes;
	struct perun_builder *builder;
	struct perun_experiment_rows rows;
	struct perun_column_builder *median, *minimum, *maximum, *std, *repetitions;
	size_t parameters;
	struct extrap3_ids parameter_ids, metric_ids, region_ids, callpath_ids, point_ids,
		comment_ids;
	perun_id *metrics, *regions, *points;
	size_t metric_count, metric_room, region_count, region_room, point_count, point_room;
	uint32_t *same_name; /* of each string: regions that are called so */
	size_t same_room;
	struct extrap3_callpath *callpaths;
	size_t callpath_count, callpath_room;
	struct extrap3_text *comments;
	size_t comment_count, comment_room;
	struct extrap3_generator *generators;
	size_t generator_count, generator_room;
	bool sparse; /* models have one more number */
	size_t measurements;
};
/* What has an id; reads the id. Fails when there is none. `what`: "metric". */
size_t extrap3_find(struct extrap3_reading *reading, const struct extrap3_ids *ids,
		    const char *what);
/* Appends the names from the root. */
void extrap3_print_callpath(const struct extrap3_reading *reading, size_t callpath,
			    struct perun_buffer *out);
/* The bodies of records. */
void extrap3_read_generator(struct extrap3_reading *reading, bool several, bool terms);
void extrap3_read_model(struct extrap3_reading *reading);
/* The list of modelers that have models, as Extra-P 4 has it, or NULL. */
struct perun_json *extrap3_take_models(struct extrap3_reading *reading);

int extrap3_read(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		 struct perun_builder *builder);

#endif
