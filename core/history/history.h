/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of histories share. */
#ifndef PERUN_CORE_HISTORY_HISTORY_H
#define PERUN_CORE_HISTORY_HISTORY_H

#include <perun/lib/history.h>
#include <perun/json.h>

#include "core/hash/hash.h"
#include "core/profile/pool.h"

/* ---- what commits announce (announcements.c) -------------------------------------------------- */

/* A message with a trailer, of a version on the line of first parents, or merged into it. */
struct perun_announcement {
	size_t depth; /* of the version on the line at which it came in; 0 = the newest one */
	char *message;
};

struct perun_announcements {
	struct perun_announcement *items;
	size_t count, capacity;
	size_t line;                /* versions on the line so far */
	struct perun_json *pending; /* parents beside the line: the depth they came in at */
};
/* To be called for each version of a walk, children first. */
void perun_announcements_visit(struct perun_announcements *list,
			       const struct perun_minor_version *version, bool on_line);
void perun_announcements_free(struct perun_announcements *list);
/*
 * The length of the name that a text begins with, when it means the metric: its own, or that of its type
 * ("time" for "time(real)"; also the other way round, as some checks name the type alone). 0 = it does not.
 */
size_t perun_metric_meant(const char *text, const char *metric);
/*
 * The reason in a trailer "Perun-Expected: METRIC [reason]" of a message, where METRIC may be `any`; NULL =
 * it announces no change of the metric. The text is the caller's.
 */
char *perun_announced(const char *message, const char *metric);

/* ---- lines and histories ---------------------------------------------------------------------- */

struct perun_version_line {
	struct perun_minor_version **versions; /* oldest first */
	const char **checksums;
	size_t count, capacity;
	struct perun_announcements announced;
	bool measured;             /* all of them have profiles */
	struct perun_hash *hashes; /* see perun_version_line_hash(); NULL = not made yet */
};

/*
 * Hashes of all that the profiles of a line follow from: of all versions with their indexes, of all but the last one, and so
 * on. For `newer` up to PERUN_LINE_NEWER and the number of versions, else false, as where an index cannot be read.
 */
enum { PERUN_LINE_NEWER = 8 };
bool perun_version_line_hash(struct perun_ctx *ctx, struct perun_store *store,
			     struct perun_version_line *line, size_t newer,
			     char digest[2 * PERUN_SHA256_BYTES + 1]);

/* The place of a version on the line; the number of all if it is not there. */
size_t perun_version_line_find(const struct perun_version_line *line, const char *version);

/* perun_version_line_load() of what is newer than the newest version with profiles, and that. */
int perun_version_line_newest(struct perun_ctx *ctx, struct perun_store *store, const char *text,
			      struct perun_version_line **line);

/*
 * That of the head where `version` was measured on it, so that all commands say the same and later versions may show that a
 * change of it was none; else its own.
 */
int perun_version_line_around(struct perun_ctx *ctx, struct perun_store *store, const char *version,
			      struct perun_version_line **line);
/* Keep the versions that have profiles; what others announced comes in with the next one that has. */
void perun_version_line_keep_measured(struct perun_ctx *ctx, struct perun_store *store,
				      struct perun_version_line *line);

/* A strand that grows. What is public of it points into the rest, once it is complete. */
struct perun_strand_builder {
	struct perun_strand strand;
	char *command, *metric, *unit, *location, *machine;
	size_t versions; /* of the line: values and starts have room for all */
	double *values, *repeats;
	size_t *starts, *sessions;
	double *deviations; /* of each version of the line; NULL = files carry none */
	double *loads; /* that profiles with it state, of each version of the line; NULL = none does */
	char **failed;      /* of each version of the line; NULL = it never did */
	uint32_t *profiles; /* of each session: a number of the profile */
	size_t profile_capacity;
	size_t count, repeat_count, repeat_capacity, session_count, session_capacity;
	size_t namesake; /* the next strand of the same names, in a unit that does not convert; 0 = none */
	bool beside; /* of the strand before it nothing but the location differs */
	/* Versions at which other functions say what a change of this one is, or at which it may change so much. */
	size_t *settled;
	size_t settled_count, settled_capacity;
	struct perun_segmentation changes;
	/* The times of the same, which belong to the history or to its clocks; NULL = there is none, or not looked for yet. */
	const struct perun_strand *real, *cpu;
};
/* Add a value with its repeats (the value is their median; none = not measured). */
void perun_strand_add(struct perun_strand_builder *builder, const double *repeats, size_t count);
/* The same in parts: repeats, times a factor, of the version whose value is the next one; then that value. */
void perun_strand_append(struct perun_strand_builder *builder, const double *repeats, size_t count,
			 double factor);
void perun_strand_end_value(struct perun_strand_builder *builder, double value);
/* Repeats that were appended since the last value. */
size_t perun_strand_appended(const struct perun_strand_builder *builder);
/* Add versions at which it was not measured until there are `count` in all. */
void perun_strand_pad(struct perun_strand_builder *builder, size_t count);

/* ---- what failed (failures.c) -------------------------------------------------------------------- */

/* What "failed" of a document says of names that end in '*', which have more after it; the caller frees it. */
struct perun_json *perun_failure_patterns(const struct perun_json *failed);
/* Why a benchmark failed, by "failed" of a document and its patterns; NULL = it did not. */
const char *perun_failure_of(const struct perun_json *failed, const struct perun_json *patterns,
			     const char *location);

/* ---- what profiles say of their measurements (facts.c) ------------------------------------------ */

/*
 * The arguments and the machine of registered profiles, which no index has: read without rows, and kept in the cache of
 * histories, so that each profile is read once. A handle belongs to one thread at a time.
 */
struct perun_profile_facts;
struct perun_profile_facts *perun_profile_facts_open(struct perun_store *store);
void perun_profile_facts_close(struct perun_profile_facts *facts); /* NULL is fine */
/* `*profile` has header.args and machine alone; it is borrowed until the handle is closed. */
int perun_profile_facts_find(struct perun_ctx *ctx, struct perun_profile_facts *facts,
			     const char *checksum, const struct perun_profile **profile);
/* Whether they are known without reading the profile. */
bool perun_profile_facts_known(struct perun_profile_facts *facts, const char *checksum);
/* Keep those of a profile that was read: what perun_store_load_with_facts() gave, which is borrowed. */
void perun_profile_facts_add(struct perun_profile_facts *facts, const char *checksum,
			     const struct perun_json *document);

/* ---- names of files that are not an identity (import-names.c) --------------------------------------- */

struct perun_import_names;
/* A profile in the index of a version. */
struct perun_reader_item {
	const char *checksum, *name, *command, *workload, *type, *collector;
	uint32_t time;
};
/* The profiles of the version that the reader is at, until its next call. */
const struct perun_reader_item *perun_reader_items(const struct perun_reader *reader,
						   size_t *count);
/* What its values follow from, of the profile that the reader is at. */
void perun_reader_hash_profile(const struct perun_reader *reader, struct perun_hash *hash);
/* See perun_reader_join_files(). NULL where all names count. `lists` reads what versions have. */
int perun_import_names_find(struct perun_ctx *ctx, struct perun_store *store,
			    struct perun_reader *lists, const char *const *versions, size_t count,
			    struct perun_import_names **names);
/* Whether the versions from `fresh` on have kinds of profiles that none before has, of which names were compared with none. */
int perun_import_names_meet_new(struct perun_ctx *ctx, struct perun_reader *lists,
				const char *const *versions, size_t count, size_t fresh,
				bool *meet);
void perun_import_names_free(struct perun_import_names *names);
/*
 * The name that counts for that of a profile: the workload itself unless it was joined. `type` and `collector` may be
 * NULL (any); the command has its arguments. `names` may be NULL.
 */
const char *perun_import_names_of(struct perun_import_names *names, const char *type,
				  const char *collector, const char *command, const char *workload);
/* The command of a strand as a version names it; NULL = as the strand does. The caller frees it. */
char *perun_import_names_command(const struct perun_import_names *names, size_t version,
				 const char *command);
/* The names that a reader found, which are the caller's then. */
struct perun_import_names *perun_reader_take_names(struct perun_reader *reader);

/* What was looked at last, and what all of them need: many changes are between the same two versions. */
enum { PERUN_RECENT = 4, PERUN_RECENT_ROWS = 100000 };
struct perun_recent {
	struct {
		char checksum[PERUN_CHECKSUM_SIZE];
		struct perun_profile *profile; /* NULL = none yet */
	} profiles[PERUN_RECENT];
	struct {
		char *version; /* NULL = none yet */
		struct perun_entries entries;
	} versions[PERUN_RECENT];
	struct perun_history_cache *cache; /* NULL = none yet */
	const struct perun_strand **
		parts; /* of sums, in the order of their sums and functions; NULL = not sorted yet */
	size_t part_count;
};
/* NULL is fine. */
void perun_recent_free(struct perun_recent *recent);

/* A function of stacks that is gone at a version, and the one that costs as much more. */
struct perun_moved_function {
	size_t version;
	char *from, *to;
	bool renamed; /* else inlined */
};

/* Of fewer versions nothing is kept of what they show so far, and sessions of others count (sessions.c). */
#define HISTORY_FEW 12

struct perun_history {
	struct perun_version_line *line;
	struct perun_history *clocks; /* what a metric alone is judged with; NULL = none */
	struct perun_history *
		sums; /* processor times that are the sums of their parts (clock-sums.c); NULL = none */
	struct perun_import_names *names; /* NULL = all names count */
	struct perun_strand_builder *strands;
	size_t count, capacity;
	size_t shown; /* those asked for, the first ones; all are judged together */
	size_t measured;
	bool few; /* fewer than HISTORY_FEW versions of the line have profiles */
	char *machine, *difference;
	size_t left_out;
	struct perun_recent *recent;
	struct perun_json *thresholds; /* of benchmarks; NULL = none */
	double *loads;                 /* of each version, stated by its profiles; NULL = none */
	struct perun_hash profiles;    /* of all that the values follow from */
	struct perun_moved_function *moved; /* in the order of the versions of each metric */
	size_t moved_count, moved_capacity;
	char *facts; /* of the machine of the newest profile; NULL = there is none */
	bool unclear; /* of the last versions alone: names may be others than in the history of all */
};
/*
 * perun_history_load_line() of the versions of the line from `first` on alone; of those from `fresh` on nothing is known yet.
 * Strands have no values before, and names of files that are no identity are not joined.
 */
int perun_history_load_last(struct perun_ctx *ctx, struct perun_store *store,
			    const struct perun_history_options *options,
			    struct perun_version_line *line, size_t first, size_t fresh,
			    struct perun_history **history);
/* A new strand without values; texts are copied. */
struct perun_strand_builder *perun_history_add_strand(struct perun_history *history,
						      const char *command, const char *metric,
						      const char *unit, const char *location,
						      const char *machine);
/* Point what is public to what is there. */
void perun_history_complete(struct perun_history *history);

/*
 * Divide the samples of each profile by what it has in common with the others, so that load and duration do not
 * count (normalize.c). Where a metric has profiles that lack a function, it costs 0.
 */
void perun_history_normalize(struct perun_history *history);

/*
 * Whether a real time moved with a part of it that changed by more than others on the machine may cost it: then it scatters
 * too much to show the change, and does not deny it.
 */
bool perun_whole_moved_along(const double part[2], const double whole[2]);
/* Whether the sum of user and system time moved at least half as far as one of them: else ticks divided it otherwise. */
bool perun_sum_moved_along(double part, double sum);
/*
 * Whether a time moved along with the processor time, the sum of its parts, from level to level of so many `sessions`: by half as
 * much as the `sum` at least, a `part` not by more than twice as much; and by more than what runs beside a program costs it, which
 * of several sessions is less, as they differ.
 */
bool perun_moved_with_sum(const double levels[2], double sessions, double sum, bool part);
/* Whether a part of a time is longer than the whole, before or after, as it may be on several processors. */
bool perun_part_exceeds(const double part[2], const double whole[2]);
/* Whether two values differ by the factor of two times of the same, or its inverse, as what is counted by time does. */
bool perun_is_made_of_time(const double values[2], const double times[2]);
/* The time that a strand is made of, where its values at two versions are: that has the answer. NULL = of none. */
const struct perun_strand *perun_strand_made_of(const struct perun_strand *strand, size_t before,
						size_t index);
/* Any clock: "time(real)", "time(cpu)" ... */
bool perun_is_clock(const char *metric);
/* User and system time are parts of what real time says, of which tools keep means where they keep its runs. */
bool perun_is_part_of_time(const char *metric);
/*
 * How many times their processor time benchmarks that were measured together took, at least: what a busy machine does to all
 * of them (clocks.c). Begin with {0} and add each of them.
 */
struct perun_load {
	double least;
	size_t count;
	double stated; /* processes for each processor, as the profiles say; 0 = they do not */
};
void perun_load_add(struct perun_load *load, double real, double cpu);
/* Whether a real time is no more than its processor time and the machine's load explain; longer ones wait by their nature. */
bool perun_load_explains(const struct perun_load *load, double real, double cpu);
/*
 * Whether the machine made a real time longer, as the load shows that a program felt which waited for nothing but its turn, and its
 * processor time at the same levels: that moved by less than half as much, from one level to the other.
 */
bool perun_waited_for_processor(const double real[2], const double cpu[2], double load);
/*
 * Whether the machine may have made the longer of two real times of which no processor time is known: `calm` is what it was while
 * the machine was calmest, under `load`, `usual` the load of the shorter one. What other programs cost is their turns, and as much
 * again of what processors share.
 */
bool perun_busy_machine_explains(double shorter, double longer, double calm, double load,
				 double usual);
/* There was a change at the version, which is not reported: two versions alone may show it. */
void perun_strand_settle(struct perun_strand_builder *strand, size_t version);
/*
 * Drop changes that a busy machine makes, of parts of a time that did not change, and of what is made of one; add those that
 * another clock shows (relevance.c). `level` is that of one test.
 */
int perun_history_drop_irrelevant(struct perun_ctx *ctx, struct perun_history *history,
				  const struct perun_change_options *options, double level);
/*
 * Give a history the sums of user and system times, of it or of its clocks, run by run (clock-sums.c). The system divides what it
 * measures exactly among the two by where its ticks fell, so that of a run of a few milliseconds either may have all: neither shows
 * what the sum does.
 */
void history_sum_clocks(struct perun_history *history);
void history_sums_free(struct perun_history *sums); /* NULL is fine */
/* Drop changes of functions that hardly matter or only moved, and totals that others explain (related.c). */
void perun_history_relate_functions(struct perun_history *history);

/* The innermost function of a stack as text; else the location itself. */
const char *perun_leaf_of(const char *location);
/* What a comparison of version `index` with an earlier one must exceed: see perun_deviations_find(). */
double history_floor_before(const struct perun_strand *strand, size_t index);
/* What a comparison of two of its versions knows besides their repeats, as compare_spread() has it (newest.c). */
struct perun_verdict_options history_pair_options(const struct perun_strand *strand, size_t before,
						  size_t index);
/* Whether two versions with a few runs may show a change by themselves, whatever the others say; `before` is the last before `index`. */
bool history_may_be_certain(const struct perun_strand *strand, size_t before, size_t index);
/* Add changes of the newest versions, of this share and more, that no unchanged program shows in a few runs (newest.c). */
void history_add_certain(struct perun_history *history, double threshold);
/*
 * Whether a value that should be exact goes up and down from version to version, as no program changes: begin with {0} and
 * add each with the one before it (NaN = none).
 */
struct history_wandering {
	uint32_t measured, rises, falls;
};
void history_wandering_add(struct history_wandering *wandering, double last, double value);
bool history_wanders(const struct history_wandering *wandering);
/* The median of what was measured in [first, end); NaN = nothing. */
double history_level(const struct perun_strand *strand, size_t first, size_t end);
/* A change is between other levels now; its interval moves with them. */
void history_move_levels(struct perun_change_point *point, double before, double after);

/* Set how far sessions differ (`dispersion`) of repeats that were measured along others (sessions.c). */
void history_measure_sessions(struct perun_history *history);
/* The number among `groups` of what is measured together: one metric of a command on a class of machine. */
perun_id perun_strand_group(struct perun_pool **groups, const struct perun_strand *strand);
/* The same of all commands: the machine is as busy for one as for the next. */
perun_id perun_strand_session_group(struct perun_pool **groups, const struct perun_strand *strand);

/* ---- stacks of candidates (candidate-paths.c) --------------------------------------------------- */

struct perun_candidates {
	struct perun_candidate *items; /* the models are owned, the rest is the history's */
	char **paths;                  /* of each, where its text is not the history's */
	size_t count;
	struct perun_candidate_stack *stacks; /* of the profiles on both sides of the change */
	size_t stack_count, stack_capacity;
};

/* Note what stacks cost in a profile; then, of both sides, find the one of each function that changed most. */
int perun_candidates_take_stacks(struct perun_ctx *ctx, const struct perun_profile *profile,
				 const char *metric_name, bool after,
				 struct perun_candidates *candidates);
void perun_candidates_choose_paths(struct perun_candidates *candidates);
void perun_candidates_free_stacks(struct perun_candidates *candidates);

#endif
