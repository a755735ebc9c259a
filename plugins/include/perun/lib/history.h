/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was measured of the versions of a project: the one reader of their values. Of the growing part of the
 * interface: see perun/lib/version.h.
 */
#ifndef PERUN_LIB_HISTORY_H
#define PERUN_LIB_HISTORY_H

#include <perun/check.h>
#include <perun/lib/changepoint.h>
#include <perun/lib/verdict.h>
#include <perun/lib/version.h>
#include <perun/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Nothing here prints. What was read is kept beside the store (.perun/cache) and found again by the
 * checksums of objects and versions, so that work is in proportion to what is new.
 * Threads: a reader belongs to one thread at a time; each thread that reads opens its own, on a store
 * handle of its own (perun_store_reopen()). A reader uses all processors by itself for what is new.
 */

/* ---- values --------------------------------------------------------------------------------- */

/* What the numbers of a value are. Kinds may be added: treat one that is not known as a sum. */
enum perun_value_kind {
	PERUN_VALUE_REPEATS, /* runs of one measurement, numbered by column `order` of the profile */
	PERUN_VALUE_SUM,     /* one number: the rows of a run added up (calls, allocations) */
	PERUN_VALUE_SAMPLED  /* one number: the samples of a profile of stacks added up */
};

/* How measurements vary though nothing changed; perun-check(1) has the table. */
enum perun_noise {
	PERUN_NOISE_TIMED, /* times, rates, memory in use: from run to run */
	PERUN_NOISE_EXACT, /* counts that a program repeats: instructions, calls, allocations, sizes */
	PERUN_NOISE_SAMPLED /* what a profiler's samples add up to: counts of samples */
};

/*
 * How a metric of a profile varies, and what one sample adds to it, in its unit (0: it is not sampled): as the profile says,
 * as its rows show, or as is usual for such a metric. Sums of samples scatter by their square root (Poisson).
 */
PERUN_EXPORT enum perun_noise perun_noise_of(const struct perun_profile *profile,
					     const struct perun_metric *metric, double *sample);
/*
 * Whether two sums of samples, before and after, differ by less than two standard deviations, as chance makes them in one of
 * twenty cases. `samples`: what one sample adds to each.
 */
PERUN_EXPORT bool perun_is_sampling_noise(const double values[2], const double samples[2]);

/*
 * What one profile of a version says about one strand: a metric at a location of a command with a
 * workload. Texts and numbers are the reader's, until its next call.
 */
struct perun_value {
	uint32_t struct_size;
	enum perun_value_kind kind;
	const char *command;  /* with its arguments */
	const char *workload; /* with the case of a sweep: "input (n=100)"; "" = none */
	const char *metric;   /* "time(real)": type and subtype */
	const char *unit;     /* of the repeats; "" = none */
	const char *location; /* flattened uid, or a stack; "" = none */
	/* The value of everything: a total over all locations, or the only one, without a location. */
	bool whole;
	bool total;                  /* added up over several locations, which come as well */
	enum perun_direction better; /* as the profile says */
	/* Finite numbers in their order; none where the profile has no number that is finite. */
	const double *repeats;
	size_t count;
	enum perun_noise noise;
	double sample; /* SAMPLED: what one sample adds; a value by this is a number of samples */
	/* Where the profile does not say it: as the unit or the name says; lower where functions of stacks cost it. */
	enum perun_direction likely;
	bool stacks; /* the location is a function of stacks */
	double deviation; /* the standard error that a file carries of its one value, as a share; 0 = none */
	bool inclusive; /* the cost of a function with all it calls: PERUN_AND_CALLEES follows its name */
	bool recorded; /* the profile is of a run from its start to its end */
	double median; /* of the repeats; NaN = there are none */
};
/*
 * Whether histories have it: sums over benchmarks are nobody's; the whole of a run is the program's, and so is that of a
 * profile of stacks, unless it depends on load.
 */
PERUN_EXPORT bool perun_value_has_history(const struct perun_value *value);
/* Ends the location of what a function costs together with all that it calls. */
#define PERUN_AND_CALLEES " and what it calls"

/* A profile of a version. Texts are the reader's, until the next profile. */
struct perun_measured_profile {
	uint32_t struct_size;
	const char *checksum; /* of its object */
	const char *name;     /* in the index */
	uint32_t time;        /* seconds since the epoch */
	const char *machine;  /* its class, see perun_machine_name(); "" = not known */
	/* "machine" of its document, as JSON; "" = none. */
	const char *machine_document;
	bool measured;         /* it has the metric that is asked for */
	const char *arguments; /* of the command; "" = none */
	const char *file;      /* the name of the file that was imported; "" = none */
	const char *command;   /* with its arguments, as its values have it */
	const char *workload;  /* without the case of a sweep, as well */
	const char
		*failed; /* "failed" of its document, as JSON: why, by location; "" = nothing did */
};

struct perun_reader_options {
	uint32_t struct_size;
	const char *metric;   /* values of this one alone; NULL = of all. Borrowed. */
	bool first_metric;    /* of the first metric of each profile alone */
	const char *location; /* values of this one alone; NULL = of all. Borrowed. */
	/* Profiles of stacks by function, with what each costs itself; else by path. */
	bool functions;
	bool totals;    /* also what several locations cost together, before or after them */
	bool inclusive; /* also what each function of stacks costs with all that it calls */
};

struct perun_reader;

/* `options` may be NULL. The store is borrowed. Opening reads the list of what is kept. */
PERUN_EXPORT int perun_reader_open(struct perun_ctx *ctx, struct perun_store *store,
				   const struct perun_reader_options *options,
				   struct perun_reader **reader);
/* Keeps what was read, where that is possible. NULL is fine. */
PERUN_EXPORT void perun_reader_close(struct perun_reader *reader);
/*
 * Find the names of files that are not an identity. Imported files may be called anything: of one kind (type, collector,
 * command, arguments), those of a version that contain the same strands are repeats, and those of other names at the
 * next version of a line (the oldest first) that contain mostly the same continue them; all values have the first name.
 * Where files of a version measure mostly the same and names come again in other versions, all names count.
 */
PERUN_EXPORT int perun_reader_join_files(struct perun_ctx *ctx, struct perun_reader *reader,
					 const char *const *versions, size_t count);
/*
 * Read what is not kept yet of several versions at once, on all processors; for callers who are going
 * to walk through them. A profile that cannot be read fails when the walk gets there. PERUN_CANCELLED.
 */
PERUN_EXPORT int perun_reader_prefetch(struct perun_ctx *ctx, struct perun_reader *reader,
				       const char *const *versions, size_t count);
/* Go to a version: its profiles come next, in the order of its index. Without profiles: none. */
PERUN_EXPORT int perun_reader_version(struct perun_ctx *ctx, struct perun_reader *reader,
				      const char *version);
/*
 * The next profile of the version in `*profile`, NULL after the last one. When it cannot be read the
 * status says so, `*profile` names it, and the next call goes on with the next profile.
 */
PERUN_EXPORT int perun_reader_profile(struct perun_ctx *ctx, struct perun_reader *reader,
				      const struct perun_measured_profile **profile);
/* The next value of the profile, NULL after the last one. */
PERUN_EXPORT const struct perun_value *perun_reader_value(struct perun_reader *reader);
/*
 * The same values of a profile that need not be in a store; `options` as for a reader, NULL = all. Texts and
 * numbers of a value live until the next call. Frees with perun_profile_values_free(), which takes NULL, too.
 */
struct perun_profile_values;
PERUN_EXPORT int perun_profile_values_new(struct perun_ctx *ctx, struct perun_profile *profile,
					  const struct perun_reader_options *options,
					  struct perun_profile_values **values);
PERUN_EXPORT const struct perun_value *perun_profile_value(struct perun_profile_values *values);
PERUN_EXPORT void perun_profile_values_free(struct perun_profile_values *values);

/*
 * A number that changes with the profiles of a version, for those who keep what they made of them;
 * 0 = it has none. Costs a look at one file.
 */
PERUN_EXPORT uint64_t perun_version_key(struct perun_ctx *ctx, struct perun_store *store,
					const char *version);
/* The same of what checks found of a version; 0 = nothing. */
PERUN_EXPORT uint64_t perun_version_changes_key(struct perun_store *store, const char *version);
/* Forget what is kept. */
PERUN_EXPORT void perun_history_forget(struct perun_store *store);

/* ---- a history from elsewhere ---------------------------------------------------------------- */

/* A profile for a version; the layout is fixed. The first four are the caller's, the others are filled in. */
struct perun_version_profile {
	const char *minor;
	const char *name; /* of its entry; what has the name in the version's index is replaced */
	uint32_t time;    /* of its entry, seconds since the epoch */
	const struct perun_profile *profile;
	char checksum[PERUN_CHECKSUM_SIZE];
	bool already;  /* its entry had this very profile */
	bool replaced; /* its entry had another profile */
};
/*
 * Register profiles with any number of versions in one durable step; each pair of version and name occurs once. When the
 * process is killed, each version has its profiles of before or those of after.
 */
PERUN_EXPORT int perun_store_add_profiles(struct perun_ctx *ctx, struct perun_store *store,
					  struct perun_version_profile *profiles, size_t count);

/* ---- a line of versions --------------------------------------------------------------------- */

/* The first parents of a version, oldest first, with what their commits announce. Read only. */
struct perun_version_line;
/* `range` as for perun_lookup_range(). PERUN_USAGE when its first version is not on the line. */
PERUN_EXPORT int perun_version_line_load(struct perun_ctx *ctx, struct perun_store *store,
					 const char *range, struct perun_version_line **line);
PERUN_EXPORT void perun_version_line_free(struct perun_version_line *line);
PERUN_EXPORT size_t perun_version_line_count(const struct perun_version_line *line);
PERUN_EXPORT const struct perun_minor_version *
perun_version_line_version(const struct perun_version_line *line, size_t i);
/* The checksums of all. */
PERUN_EXPORT const char *const *perun_version_line_checksums(const struct perun_version_line *line);

/* ---- histories ------------------------------------------------------------------------------ */

/* The values of a metric at a location of a command over a line of versions. */
struct perun_strand {
	uint32_t struct_size;
	enum perun_value_kind kind; /* of its first value */
	const char *command;        /* with its arguments and its workload */
	const char *metric, *unit;  /* NULL or "" = not known */
	const char *location;       /* uid; a stack where profiles have stacks */
	bool whole;                 /* the sum of a command: it has no location */
	bool says;                  /* profiles say which values are better */
	bool higher;  /* is better: by profiles, else as was given, else as the store knows */
	size_t count; /* of versions */
	const double *values; /* a median of repeats for each version; NaN = not measured */
	/* Repeats of version i: repeats[starts[i]] ... repeats[starts[i + 1] - 1]. */
	const double *repeats;
	const size_t *starts;
	/* Where in `repeats` the numbers of each profile begin: several of a version are sessions. */
	const size_t *sessions;
	size_t session_count;
	const char *const *labels;                /* the name of each version; NULL = not known */
	const struct perun_segmentation *changes; /* NULL until they are looked for */
	const char *machine; /* its class, where classes are apart; "" = not known */
	enum perun_noise noise;
	double sample; /* SAMPLED: what one sample adds; values are divided by what profiles have in common */
	bool undirected; /* nothing says which values are better */
	bool stacks;     /* the location is a function of stacks */
	const char *const *
		failed; /* of each version why the benchmark has no value: it failed there; NULL = it never did */
	const double *
		deviations; /* of each version as files carry them, see struct perun_value; NULL = none do */
	bool inclusive; /* what a function costs with all that it calls: the location says so */
	bool recorded;  /* all profiles are of runs from start to end: how long they took counts */
	/* With `changes`: a function of stacks whose last two values differ by too little of the whole to matter, or that moved. */
	bool small;
	/* SAMPLED, of functions, and TIMED, of several: see struct perun_value_series. */
	double dispersion, dispersion_freedom;
	/* With `changes`, TIMED: how far the machine moved what was measured together between the last two versions; 0 = not known. */
	double moved; /* as a logarithm */
};

/* A strand as what changes are looked for in. */
PERUN_EXPORT struct perun_value_series perun_strand_series(const struct perun_strand *strand);
/* An interval that holds the median that the repeats of version i are drawn from with 95 %, or all of them when few. */
PERUN_EXPORT void perun_strand_interval(const struct perun_strand *strand, size_t i, double *low,
					double *high);
/* How many of its values are known. */
PERUN_EXPORT size_t perun_strand_measured(const struct perun_strand *strand);
/* How large a change is in relation to the level before; not finite when the level is 0. */
PERUN_EXPORT double perun_relative_change(const struct perun_change_point *point);
/* Whether it is a degradation or an optimization, by the direction that is better. */
PERUN_EXPORT enum perun_result perun_change_point_result(const struct perun_change_point *point,
							 bool higher_is_better);
/* The same of a strand: UNKNOWN where nothing says which values are better. */
PERUN_EXPORT enum perun_result perun_strand_result(const struct perun_strand *strand,
						   const struct perun_change_point *point);

/* Whether a strand's values are the same but for its changes: these are no matter of chance. */
PERUN_EXPORT bool perun_strand_is_certain(const struct perun_strand *strand);

/* What a change was judged by, and what was assumed, for --explain. The caller frees it. */
PERUN_EXPORT char *perun_strand_explain(const struct perun_strand *strand,
					const struct perun_change_point *point);

/*
 * The history of all strands of the command that the first of them is of, as perun_check_series() takes it: a row for
 * each repeat, a table "versions" with their names, and which values are better.
 */
PERUN_EXPORT int perun_strands_profile(struct perun_ctx *ctx,
				       const struct perun_strand *const *strands, size_t count,
				       struct perun_profile **profile);

/*
 * Values of a file, one for each version, the oldest first: JSON (a number, an array of repeats or null
 * for each) or CSV, of which `column` is the one by name or number from 1, NULL = the last. "-" is standard input.
 * Free with perun_value_file_free() also after a failure.
 */
struct perun_value_file;
PERUN_EXPORT int perun_value_file_read(struct perun_ctx *ctx, const char *path, const char *column,
				       struct perun_value_file **file);
PERUN_EXPORT const struct perun_strand *
perun_value_file_strand(const struct perun_value_file *file);
PERUN_EXPORT void perun_value_file_free(struct perun_value_file *file);

struct perun_history_options {
	uint32_t struct_size;
	const char *range;    /* see perun_lookup_range() */
	const char *metric;   /* NULL = the first one of each profile */
	const char *location; /* NULL = all */
	const char *machine;  /* the newest class with this in its name; NULL = the newest one */
	bool across_machines; /* values of all classes, else of that one alone */
	enum perun_direction better; /* where profiles do not say */
	bool every_metric;           /* of each profile; `metric` is NULL then */
	bool machines_apart;         /* values of each class are strands of their own */
	size_t last; /* only that many of the newest versions with profiles; 0 = all */
	/* The line has only versions with profiles: thousands of strands over few of many versions stay small. */
	bool measured;
	/*
	 * Is shown each profile that is read of the version with this number on the line, with NULL, and then its values, also those
	 * that the history does not take; NULL = nobody.
	 */
	void (*visit)(void *data, size_t version, const struct perun_measured_profile *profile,
		      const struct perun_value *value);
	void *data;
};

/*
 * The metrics of the newest measured version of a range (as for perun_history_load()), in the order of its profiles;
 * none where nothing was measured. Free them with perun_history_metrics_free() also after a failure.
 */
PERUN_EXPORT int perun_history_metrics(struct perun_ctx *ctx, struct perun_store *store,
				       const char *range, char ***names, size_t *count);
PERUN_EXPORT void perun_history_metrics_free(char **names, size_t count);

struct perun_history;
/*
 * Read the values of a line of versions. PERUN_USAGE when no version has the metric (with the names of
 * those there are), no profile the location, or no machine the name.
 */
PERUN_EXPORT int perun_history_load(struct perun_ctx *ctx, struct perun_store *store,
				    const struct perun_history_options *options,
				    struct perun_history **history);
/* The same of a line that is there already, which becomes the history's, also after a failure; NULL = that of the range. */
PERUN_EXPORT int perun_history_load_line(struct perun_ctx *ctx, struct perun_store *store,
					 const struct perun_history_options *options,
					 struct perun_version_line *line,
					 struct perun_history **history);
PERUN_EXPORT void perun_history_free(struct perun_history *history);
/* The command of a strand as the profile of a version has it: a file may be called otherwise there. The caller frees it. */
PERUN_EXPORT char *perun_strand_command(const struct perun_history *history,
					const struct perun_strand *strand, size_t version);
PERUN_EXPORT const struct perun_version_line *
perun_history_line(const struct perun_history *history);
PERUN_EXPORT size_t perun_history_count(const struct perun_history *history);
/* Strand i, in the order in which profiles have them. Owned by the history. */
PERUN_EXPORT const struct perun_strand *perun_history_strand(const struct perun_history *history,
							     size_t i);
/* Versions with a profile that has the metric. */
PERUN_EXPORT size_t perun_history_measured(const struct perun_history *history);
/* The class of machine that was taken; NULL = all, or not known. */
PERUN_EXPORT const char *perun_history_machine(const struct perun_history *history);
/* How many profiles of other classes were left out, and how the first of them differs. */
PERUN_EXPORT size_t perun_history_left_out(const struct perun_history *history,
					   const char **difference);
/* The false discovery rate of commands that show changes: over those of all functions and commands. */
#define PERUN_HISTORY_DISCOVERIES 0.01
/*
 * Find the changes of all strands; those that this number of strands shows by chance are dropped at a false
 * discovery rate of `rate` (perun_correct_changes()). `options` may be NULL.
 */
PERUN_EXPORT int perun_history_find_changes(struct perun_ctx *ctx, struct perun_history *history,
					    const struct perun_change_options *options,
					    double rate);
/* Name the functions of stacks that were renamed or inlined, a note for each version: their changes are none. */
PERUN_EXPORT void perun_history_note_moved(struct perun_ctx *ctx,
					   const struct perun_history *history);
/* What the history says of the latest measured version of a strand. */
struct perun_latest {
	size_t version; /* the latest measured one; SIZE_MAX = none */
	size_t before; /* the measured one before it; SIZE_MAX = none, and then nothing below counts */
	double level; /* what the version is compared with: the median of up to 20 since the level changed */
	double excluded; /* without a change: the largest one that may hide, as a share; 0 = not known */
	size_t more; /* UNDECIDED: about how many more values a version should settle it; 0 = not known */
	/*
	 * INCREASE and DECREASE where the level changes at the version; else SAME, or UNDECIDED where more runs
	 * would be needed to exclude a change that matters.
	 */
	enum perun_answer answer;
};
/*
 * Of a strand of the history whose changes were found, or of one of sums that the caller made of them (no change, its
 * noise NaN). A difference within `threshold`, a share, is not a change, nor one within that of degradation.thresholds.
 */
PERUN_EXPORT void perun_history_latest(const struct perun_history *history,
				       const struct perun_strand *strand, double threshold,
				       struct perun_latest *latest);
/*
 * What sampled profiles have in common: load, and how long they took. `counts` of samples, of each function a row
 * with all profiles; `factors` of each profile. It is the factor at which most functions (at least three) cost what
 * they cost in most profiles, within the noise of counts; else 1.
 */
PERUN_EXPORT void perun_common_factors(const double *counts, size_t functions, size_t profiles,
				       double *factors);
/*
 * The same for the function that has more than half of all samples, whose number is returned: what the others have in
 * common, as by itself it would never change. SIZE_MAX, and no factors: there is none. The others may have few samples:
 * what chance alone explains is in no factor, and for what remains unknown of them a sample of the function counts as
 * `*sample`, so that it varies as if it had fewer.
 */
PERUN_EXPORT size_t perun_leading_factors(const double *counts, size_t functions, size_t profiles,
					  double *factors, double *sample);
/* What the store knows of a metric: `list` is its document PERUN_DIRECTIONS. */
PERUN_EXPORT enum perun_direction perun_directions_find(const struct perun_json *list,
							const char *metric);
/* Keep in the store that `better` holds for the metrics of which profiles do not say it. */
PERUN_EXPORT int perun_directions_keep(struct perun_ctx *ctx, struct perun_store *store,
				       const struct perun_history *history,
				       enum perun_direction better);

/* ---- changes that are known ----------------------------------------------------------------- */

/* The document of the store with what people said of changes, see perun_store_document(). */
#define PERUN_ACKNOWLEDGED "acknowledged"
/* Note the version that an item is about, and what of it outlives a rebase where the vcs says it. */
PERUN_EXPORT void perun_acknowledgement_name(struct perun_json *item,
					     const struct perun_minor_version *version);
/* Whether that is the version: the same, or another of the same author, author time and subject. */
PERUN_EXPORT bool perun_acknowledgement_is(const struct perun_json *item,
					   const struct perun_minor_version *version);

struct perun_acknowledgements;
/* `store` may be NULL: then there are none. */
PERUN_EXPORT int perun_acknowledgements_load(struct perun_ctx *ctx, struct perun_store *store,
					     struct perun_acknowledgements **acknowledgements);
PERUN_EXPORT void perun_acknowledgements_free(struct perun_acknowledgements *acknowledgements);
/*
 * Why a change of a strand is no news: it was acknowledged, or announced by a commit ("Perun-Expected:
 * METRIC [reason]"), at its version or up to two measured versions away, and no other change of the
 * strand is nearer. NULL = it is news. The caller frees it. Any number of threads may ask.
 */
PERUN_EXPORT char *perun_acknowledged_change(const struct perun_acknowledgements *acknowledgements,
					     const struct perun_version_line *line,
					     const struct perun_strand *strand,
					     const struct perun_change_point *point);

/* The versions after a base, up to a head that is compared with it. */
struct perun_between;
PERUN_EXPORT int perun_between_load(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *base,
				    const char *head, struct perun_between **between);
PERUN_EXPORT void perun_between_free(struct perun_between *between);
/* Whether it is of these two; `between` may be NULL. */
PERUN_EXPORT bool perun_between_is(const struct perun_between *between, const char *base,
				   const char *head);
/* How many they are, and number i, children before parents. */
PERUN_EXPORT size_t perun_between_count(const struct perun_between *between);
PERUN_EXPORT const struct perun_minor_version *perun_between_at(const struct perun_between *between,
								size_t i);
/*
 * Why a change from the base to the head is no news: what was acknowledged or announced at any of the
 * versions between is part of it. NULL = it is news. The caller frees it.
 */
PERUN_EXPORT char *perun_acknowledged_between(const struct perun_acknowledgements *acknowledgements,
					      const struct perun_between *between,
					      const struct perun_change *change);

/* ---- changes that were found before --------------------------------------------------------- */

/* What became of the changes of a strand that were found before. Free with perun_earlier_free(). */
struct perun_earlier {
	uint32_t struct_size;
	bool *known; /* of each change now: it was found at that version before */
	const char *
		*moved_from;   /* of each: the version it was found at before, or NULL; borrowed */
	const char **vanished; /* versions at which there is no change any more; borrowed */
	size_t vanished_count;
};
/* The document of the store with what was found. */
#define PERUN_FOUND "found"
/* `list` is that document; texts in `earlier` are those of the strand. */
PERUN_EXPORT void perun_earlier_find(const struct perun_json *list,
				     const struct perun_strand *strand,
				     struct perun_earlier *earlier);
PERUN_EXPORT void perun_earlier_free(struct perun_earlier *earlier);
/* Keep what is found now in the place of what was. */
PERUN_EXPORT int perun_earlier_keep(struct perun_ctx *ctx, struct perun_store *store,
				    const struct perun_json *list,
				    const struct perun_history *history);

/* ---- candidates ----------------------------------------------------------------------------- */

/* A function that may explain a change of a sum. */
struct perun_candidate {
	uint32_t struct_size;
	const char *location; /* the innermost function of a stack */
	const char *path;     /* the stack with the greatest part in it; else the location */
	double before, after; /* medians, in the unit of the strand */
	double p;             /* of Mann and Whitney's test, corrected for all functions */
	const char *model_before, *model_after; /* kinds of the best models; NULL = none */
};
struct perun_candidates;
/*
 * Up to `most` functions that explain `point`, a change of `total` (all of a command, or one function), those with
 * the greatest differences first, without those of less than 1 % of it. Functions that only seem to have
 * changed, by Benjamini and Hochberg over all functions of the total, are left out; unless none is
 * certain, which a few versions cannot make any. What a function did at versions apart from the change
 * does not count. Models and paths come from the profiles on both sides.
 */
PERUN_EXPORT int perun_candidates_find(struct perun_ctx *ctx, struct perun_store *store,
				       const struct perun_history *history,
				       const struct perun_strand *total,
				       const struct perun_change_point *point, size_t most,
				       struct perun_candidates **candidates);
PERUN_EXPORT void perun_candidates_free(struct perun_candidates *candidates);
PERUN_EXPORT size_t perun_candidates_count(const struct perun_candidates *candidates);
PERUN_EXPORT const struct perun_candidate *
perun_candidates_at(const struct perun_candidates *candidates, size_t i);
/* The part of the change that a function made; negative when it went the other way. */
PERUN_EXPORT double perun_candidate_share(const struct perun_candidate *candidate,
					  const struct perun_change_point *point);
/* The last measured version before a change. */
PERUN_EXPORT size_t perun_last_measured_before(const struct perun_strand *strand, size_t index);

/* ---- thresholds ------------------------------------------------------------------------------ */

/*
 * The smallest change that counts, as a share, by the setting degradation.thresholds: the entry with the longest name that
 * is a word of `location` or `command` (NULL = ""), or a pattern of one. `*share` is 0 where none is.
 */
PERUN_EXPORT int perun_threshold(struct perun_ctx *ctx, struct perun_store *store,
				 const char *location, const char *command, double *share);

#ifdef __cplusplus
}
#endif
#endif
