/* SPDX-License-Identifier: BSD-3-Clause */
/* What the documents of Extra-P have in common: {"parameters": [...], "measurements": {CALL PATH: {METRIC: [...]}}}. */
#ifndef FORMATS_COMMON_EXPERIMENT_JSON_H
#define FORMATS_COMMON_EXPERIMENT_JSON_H

#include <perun/json.h>
#include <perun/lib/experiment.h>
#include <perun/profile.h>

enum { PARAMETERS = 64 };

/* ---- reading ---------------------------------------------------------------------------------- */

/* A document that is read; the first member of what a reader knows. */
struct experiment_json {
	struct perun_json_reader *json;
	const struct perun_json_token *token;
	struct perun_builder *builder;
	/* A measurement, at whose first token the reader is. */
	int (*measurement)(struct experiment_json *reading, perun_id callpath, perun_id metric);
	bool tagged; /* names of call paths have tags after a byte 3, as older versions wrote them */
	perun_id name;                 /* of the call path that is read, without those */
	size_t parameters, dimensions; /* 0 = not known yet */
	uint32_t *seen;                /* of each point: the list that has it */
	size_t seen_room;
	uint32_t list; /* number of the list of measurements that is read */
};

/* The status of what went wrong in the document, PERUN_OK when nothing did. */
int experiment_json_status(const struct experiment_json *reading);
/*
 * The rest of a list of names of parameters up to its end: all different, and as many with those before as points have
 * numbers.
 */
int experiment_json_parameters(struct experiment_json *reading);
/* The measurements, from the token after the start of their object on. */
int experiment_json_measurements(struct experiment_json *reading);
/*
 * The point of a measurement: a number for each parameter. `what` is its name in messages: "coordinate". Whether it is the
 * first one in its list says experiment_json_once().
 */
int experiment_json_point(struct experiment_json *reading, const char *what, const double *numbers,
			  size_t count, perun_id *point);
int experiment_json_once(struct experiment_json *reading, perun_id point);
/* The members of the document, each by `member`, at whose key the reader is; nothing may follow. */
int experiment_json_document(struct experiment_json *reading,
			     int (*member)(struct experiment_json *reading));
/* Frees the reader, too. */
void experiment_json_clear(struct experiment_json *reading);

/* ---- writing ---------------------------------------------------------------------------------- */

void experiment_json_write_parameters(struct perun_json_writer *json,
				      const struct perun_experiment *experiment);
/* Writes what has the number `i`: a series or a measurement. */
typedef void experiment_json_writer(void *data, struct perun_json_writer *json, size_t i);
/* An object of this key with the series by call path, then metric, but for those `left_out` (NULL: none). */
void experiment_json_write_series(struct perun_json_writer *json, const char *key,
				  const struct perun_experiment *experiment, const bool *left_out,
				  experiment_json_writer *write, void *data);
/* Likewise "measurements": of each series the list of what `write` writes. */
void experiment_json_write_measurements(struct perun_json_writer *json,
					const struct perun_experiment *experiment,
					experiment_json_writer *write, void *data);

#endif
