/* SPDX-License-Identifier: BSD-3-Clause */
/* What a profile says: the values of all its metrics, as bytes that a cache can keep. */
#ifndef PERUN_CORE_HISTORY_VALUES_H
#define PERUN_CORE_HISTORY_VALUES_H

#include <perun/lib/history.h>

/* ---- bytes (values-bytes.c) ------------------------------------------------------------------- */

void perun_bytes_add_number(struct perun_buffer *out, uint32_t number);
void perun_bytes_add_text(struct perun_buffer *out, const char *text);

/* What is left to read; `bad` from the first thing on that is not there. */
struct perun_bytes {
	const char *at, *end;
	bool bad;
};
const void *perun_bytes_take(struct perun_bytes *bytes, size_t size);
uint32_t perun_bytes_number(struct perun_bytes *bytes);
/* A buffer that is empty has no data to point beyond. */
struct perun_bytes perun_bytes_of(const struct perun_buffer *buffer);
/* "" when it is not there. */
const char *perun_bytes_text(struct perun_bytes *bytes);

/* ---- what is kept of a profile ---------------------------------------------------------------- */

/* Flags of a group. */
enum {
	PERUN_GROUP_WHOLE = 1,
	PERUN_GROUP_TOTAL = 2,
	PERUN_GROUP_INCLUSIVE = 4,
	PERUN_GROUP_AGAIN = 8 /* a total of the same metric may have come before */
};

/*
 * A profile: stacks without uids, stacks, recorded from start to end (numbers), machine (JSON), machine class,
 * arguments, imported file, what failed (JSON) (texts), number of metrics. A metric: name, unit (texts), direction, kind of value, noise (numbers), what one sample adds (double), number of
 * groups, bytes of the groups (numbers).
 * A group: location, case (texts), flags, number of repeats, deviation, the repeats, of many their median (doubles, not
 * aligned).
 */
struct perun_profile_head {
	bool by_path;  /* its functions are other values than its rows */
	bool stacks;   /* it has samples of stacks */
	bool recorded; /* of a run from its start to its end: how long it took counts */
	const char *machine, *machine_class, *arguments, *file, *failed;
	uint32_t metrics;
};
struct perun_metric_head {
	const char *name, *unit;
	enum perun_direction better;
	enum perun_value_kind kind;
	enum perun_noise noise;
	double sample; /* what one sample of a profiler adds; 0 = it is not sampled */
	uint32_t groups, bytes;
};
struct perun_value_group {
	const char *location, *text; /* the case of a sweep, "" = none */
	uint32_t flags, count;
	double deviation; /* the standard error of its one value that the file carries, as a share; 0 = none */
	double median;
	const void *repeats;
};
void perun_profile_head_read(struct perun_bytes *bytes, struct perun_profile_head *head);
void perun_metric_head_read(struct perun_bytes *bytes, struct perun_metric_head *head);
void perun_value_group_read(struct perun_bytes *bytes, struct perun_value_group *group);
/* Which values are better as the unit or the name says; functions of stacks cost something. */
enum perun_direction perun_metric_head_likely(const struct perun_metric_head *head, bool stacks);

void perun_profile_head_add(struct perun_buffer *out, const struct perun_profile *profile,
			    bool stacks, size_t metrics);
/* Begin a metric, whose groups follow; then note how many they are. */
size_t perun_metric_head_add(struct perun_buffer *out, const struct perun_profile *profile,
			     const struct perun_metric *metric, enum perun_value_kind kind);
void perun_metric_end(struct perun_buffer *out, size_t start, uint32_t groups);
void perun_value_group_add(struct perun_buffer *out, const char *location, const char *text,
			   uint32_t flags, double deviation, const double *repeats, size_t count);

/* ---- the values of a profile, one after the other (value-walk.c) -------------------------------- */

/* A metric of the profile before, by its place among those that were wanted. */
struct perun_known_metric {
	char *name, *unit;
	bool stacks;
	enum perun_direction likely;
};
struct perun_value_walk {
	struct perun_reader_options options; /* its texts are copies */
	struct perun_bytes bytes;
	struct perun_profile_head head;
	struct perun_metric_head metric; /* whose groups come next */
	enum perun_direction likely;     /* what is better, by its name */
	const char *first;               /* the name of the first metric; NULL = not read yet */
	uint32_t metrics, groups;        /* that are left */
	struct perun_known_metric *known;
	size_t known_count, known_capacity;
	size_t place; /* of the next metric among those that are known */
	struct perun_buffer command, workload, location;
	char *plain_workload; /* without the case of a sweep */
	double *repeats;      /* those in `bytes` are not aligned */
	size_t capacity;
	struct perun_value value;
};
/* `options` may be NULL: all values. */
void perun_value_walk_init(struct perun_value_walk *walk,
			   const struct perun_reader_options *options);
void perun_value_walk_free(struct perun_value_walk *walk);
/* Start on the values in `body`, which must live as long; false when the profile has no metric that is wanted. */
bool perun_value_walk_start(struct perun_value_walk *walk, const struct perun_buffer *body,
			    const char *command);
/* What the values are of; before the first of them is asked for. */
void perun_value_walk_workload(struct perun_value_walk *walk, const char *workload);
/* Leave what is left of a profile. */
void perun_value_walk_stop(struct perun_value_walk *walk);
const struct perun_value *perun_value_walk_next(struct perun_value_walk *walk);

/* Which values of a profile are made. */
enum {
	PERUN_VALUES_FUNCTIONS =
		1, /* profiles of stacks by function, with its self cost; else by path */
	PERUN_VALUES_INCLUSIVE =
		2 /* also the total cost of each function of stacks, where that is more */
};
/* Append the values of a profile: the one place where they are made. */
int perun_values_of_profile(struct perun_ctx *ctx, struct perun_profile *profile, unsigned which,
			    struct perun_buffer *out);

/*
 * The same for a profile that is compared with several: they are kept with it unless they are long, so that the next one
 * finds them. `room` is the caller's, empty at first, and what is found is valid as long as that and the profile.
 */
int perun_values_of_compared(struct perun_ctx *ctx, struct perun_profile *profile, unsigned which,
			     struct perun_buffer *room, struct perun_bytes *found);

/* Processes that competed for each processor while a profile was measured, as far as it says; 0 = not known. */
double perun_load_of(const struct perun_profile *profile);
/* Where they were more than one: "load 14.9 on 2 processors", which the caller frees; else NULL. */
char *perun_busy_words(const struct perun_profile *profile);

/* ---- profiles of stacks (values-of-stacks.c) --------------------------------------------------- */

/* Whether the rows of a uid are repeats of one measurement: numbered by column `order`, or intervals. */
bool perun_has_repeats(const struct perun_table *resources);
/* It has samples of stacks, and is not an experiment: the calls of that belong to its points. */
bool perun_has_stacks(const struct perun_table *resources);
/* It has samples of stacks, and no uids, or those that only name where the stacks end. */
bool perun_has_only_stacks(const struct perun_table *resources);
/* Whether a metric counts samples beside the time that they amount to, which says the same: it has no values. */
bool perun_counts_again(const struct perun_profile *profile, const struct perun_metric *metric);
/* The functions of a profile of stacks; `which`: only their totals, or what each costs itself as well. */
int perun_values_of_stacks(struct perun_ctx *ctx, struct perun_profile *profile, unsigned which,
			   struct perun_buffer *out);

#endif
