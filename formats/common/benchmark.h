/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers of benchmark results share: measurements become resources as of `time`. */
#ifndef PERUN_FORMATS_COMMON_BENCHMARK_H
#define PERUN_FORMATS_COMMON_BENCHMARK_H

#include <perun/format.h>
#include <perun/json.h>

#include "formats/common/plugin.h"

/*
 * The profile in the making. Each measurement is a resource with amount, uid (the benchmark's name),
 * order (0, 1, 2 ... of each benchmark and metric), type and subtype. Times are of the type "time", in
 * seconds; other metrics are types of their own whose unit is in header.units.
 */
struct benchmark;

/*
 * Begin: `tool` is what measured ("hyperfine"); the name of the file is the workload. All borrowed until
 * benchmark_end().
 */
struct benchmark *benchmark_begin(struct perun_ctx *ctx, struct perun_builder *builder,
				  const char *tool, const struct perun_input *input);
/*
 * End it with the `status` so far: writes the header; that there is no measurement is then an error.
 * Frees `benchmark`, and returns the status.
 */
int benchmark_end(struct benchmark *benchmark, int status);

/* A time in seconds; `subtype` is "real", "cpu", "user", "sys". False: it is not finite and left out. */
bool benchmark_time(struct benchmark *benchmark, const char *uid, const char *subtype,
		    double seconds);
/* The numbers of an array, `parts` of which make a second; what is not finite is left out, what is no number no error. */
void benchmark_times(struct benchmark *benchmark, const char *uid, const char *subtype,
		     const struct perun_json *times, double parts);
/*
 * Times of a benchmark whose name comes later, `parts` of which make a second: `json` is at the start of their array, and
 * at its end afterwards. No other measurement may be added until they are named or dropped; times that are held already
 * are dropped.
 */
void benchmark_hold_times(struct benchmark *benchmark, struct perun_json_reader *json,
			  double parts);
/* The elements of that array; `*stray`: the first that is not a number, and `*found` what it is, else NULL. */
size_t benchmark_held(const struct benchmark *benchmark, size_t *stray, const char **found);
void benchmark_name_held(struct benchmark *benchmark, const char *uid, const char *subtype);
void benchmark_drop_held(struct benchmark *benchmark);
/* Another metric; `unit` may be "". `rate`: higher is better. The first unit of a metric counts. */
bool benchmark_value(struct benchmark *benchmark, const char *uid, const char *metric,
		     const char *unit, bool rate, double amount);
/* What the tool says of the machine and of itself, put under `key` of extra.TOOL. `value` is taken. */
void benchmark_fact(struct benchmark *benchmark, const char *key, struct perun_json *value);
/*
 * A fact that makes the class of the machine (see perun/machine.h): "host_measured", "build", "toolchain",
 * "architecture", or "model", "total" and "scaling" in "cpu". `inner` may be NULL; nothing where there is no value.
 */
void benchmark_machine(struct benchmark *benchmark, const char *key, const char *inner,
		       const char *value);
/*
 * The uid of a benchmark that may not be the only one of its name; `about` is what others of the name have in another way
 * (a job, a program, parameters): the name with the first of these, "name (about)" with each other one. Valid until the
 * next call.
 */
const char *benchmark_apart(struct benchmark *benchmark, const char *name, const char *about);
/* A benchmark that failed, and why (may be ""): so it is neither gone nor faster. */
void benchmark_failed(struct benchmark *benchmark, const char *uid, const char *why);
/*
 * The standard error of the one value that a file has of a benchmark, as a share of it; `metric` as profiles name it
 * ("time(real)"). Not finite or negative: it is left out.
 */
void benchmark_deviation(struct benchmark *benchmark, const char *metric, const char *uid,
			 double share);
/* The repeats of a metric are samples that one process took in a row: together they are one run. */
void benchmark_samples(struct benchmark *benchmark, const char *metric);
/* A program repeats the metric exactly, though its name does not say so; less of it is better. */
void benchmark_exact(struct benchmark *benchmark, const char *metric);
void benchmark_lower(struct benchmark *benchmark, const char *metric);
/* Half of a 95 % interval, in standard errors. */
#define BENCHMARK_INTERVAL_Z 1.96
/*
 * libtest prints the median of 50 samples, whose outer twentieths it has cut off, and their range, which is 3.29
 * deviations then; of these the median has 0.177.
 */
#define BENCHMARK_ERROR_OF_RANGE (0.177 / 3.29)
/* The measurements so far. */
size_t benchmark_count(const struct benchmark *benchmark);

/* Make an amount seconds; false: `unit` is none of "ns", "us", "ms", "s", "m" or their words. */
bool benchmark_to_seconds(double *amount, const char *unit);

/*
 * The first byte of a file that is not blank, '\0' = there is none: which form of a tool's results it is.
 * A directory is an error; the input is at its start afterwards.
 */
int benchmark_first_byte(struct perun_ctx *ctx, struct perun_input *input, char *first);
/*
 * A whole file of JSON as a document (the caller frees it with perun_json_free()): "line 3, column 9:
 * expected ..." when it is none, or no object.
 */
int benchmark_document(struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_json **document);
/*
 * Large files are never a document as a whole: each element of the array `key` of the document goes to a function, and
 * is freed afterwards; "files/groups" are those of the arrays "groups" in the objects of the array "files". Without a `key` these are the elements or members of the document itself, which is an array or
 * an object. The first status that is not PERUN_OK ends it, and is returned. `key` of an element: that of a member, else
 * NULL.
 */
#define BENCHMARK_ENOUGH 1 /* no status */
typedef int benchmark_element(void *data, const struct perun_json *element, const char *key,
			      size_t i);
/*
 * In one pass: `take` is called for the elements while the file is read, before what follows them is known. The caller
 * frees `*document`, which has an empty array in their place. A document that is not an object is an error where there
 * is a `key`; without one a document that is neither an array nor an object is read as it is.
 */
int benchmark_read(struct perun_ctx *ctx, struct perun_input *input, const char *key,
		   benchmark_element *take, void *data, struct perun_json **document);
/* The same with arrays in the elements that are not kept either: `array` is offered each (see perun/json.h). */
int benchmark_read_around(struct perun_ctx *ctx, struct perun_input *input, const char *key,
			  benchmark_element *take, perun_json_take_array *array, void *data,
			  struct perun_json **document);
/* In two: the document without its elements, and all elements, as often as they are needed. */
int benchmark_document_around(struct perun_ctx *ctx, struct perun_input *input, const char *key,
			      struct perun_json **document);
int benchmark_each(struct perun_ctx *ctx, struct perun_input *input, const char *key,
		   benchmark_element *take, void *data);
/* Both in one, of an input that was read before, or will be again. */
int benchmark_each_around(struct perun_ctx *ctx, struct perun_input *input, const char *key,
			  benchmark_element *take, void *data, struct perun_json **document);
/* A text of the header, besides those that all have; "package". */
void benchmark_header(struct benchmark *benchmark, const char *key, const char *text);
/* The program that was run, by its file, whose folder is no part of its name; NULL or "" = it is not known. */
void benchmark_command(struct benchmark *benchmark, const char *program);
/*
 * The metric of values that have a unit alone: "size" and "rate" in any unit of bytes, else the unit itself, "value"
 * without one. So what is counted in two units is never one metric.
 */
const char *benchmark_metric_of_unit(const char *unit);
/*
 * A measurement in a unit of a tool: times ("ns", "us/op", "ms/iter") become seconds, rates ("ops/sec", "op/ms", "MB/s")
 * operations per second or stay as they are, and are better higher; anything else is the metric `otherwise` with its
 * unit (NULL: the metric of that unit). `subtype` is that of times. False: it is not finite and left out.
 */
bool benchmark_in_unit(struct benchmark *benchmark, const char *uid, const char *subtype,
		       const char *otherwise, const char *unit, double amount);
/* The standard error of such a measurement, as a share of it. */
void benchmark_deviation_in_unit(struct benchmark *benchmark, const char *uid, const char *subtype,
				 const char *otherwise, const char *unit, double share);
/* "1,234.5": a number with commas between thousands; the bytes it has, 0 = none. */
size_t benchmark_grouped(const char *text, double *number);

/*
 * The member of a document that has to be there: fails with "expected WHERE.KEY to be an array,
 * found a string" (`where` may be "").
 */
int benchmark_member(struct perun_ctx *ctx, const struct perun_json *object, const char *where,
		     const char *key, enum perun_json_type type, const struct perun_json **member);

#endif
