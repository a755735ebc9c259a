/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The comparison of versions: what is slower, faster or the same, for every kind of profile, of two versions and of
 * all that a store has. Of the growing part of the interface: see perun/lib/version.h.
 * Threads: a list of comparisons or of findings, and a checker, belong to one thread at a time.
 */
#ifndef PERUN_LIB_COMPARE_H
#define PERUN_LIB_COMPARE_H

#include <perun/check.h>
#include <perun/lib/history.h>
#include <perun/lib/verdict.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing here prints. */

/* The method of a store that configures none, and of findings that name none. */
#define PERUN_DEFAULT_METHOD "shift"

/*
 * What a strand (a metric at a location, in a case of a sweep) does from the first version to the second. Values of
 * a version are those of all its profiles, rows that are numbered as repeats, others added up, in one unit. How the
 * change is judged follows from how such values vary though nothing changed:
 * - PERUN_NOISE_TIMED: perun_judge(); where the other strands of the same two profiles, one run each, vary
 *   by more than is usual, a change has to exceed that.
 * - PERUN_NOISE_EXACT: any change beyond `exact_threshold`.
 * - PERUN_NOISE_SAMPLED: counts of samples, of over-dispersed Poisson noise, after division by what most functions have in
 *   common: load, or duration. With four and more profiles a version, by what the roots of their normalized counts differ
 *   from profile to profile, of the function itself and of most functions.
 *   A function's total cost is reported only where the self costs of functions do not explain it.
 * Functions of stacks that appear count from 0, those that are gone to 0; where as much is gone as appears they are
 * taken to be renamed or inlined. Other strands that the first version lacks are compared with the last one before it that
 * has them, else NOT_IN_BASELINE; those that the second one lacks are NOT_IN_TARGET, unless a later one has them; those of
 * benchmarks that failed in the second version ("failed" of its document) are UNKNOWN with no value after, and the
 * explanation says why. Standard errors that files carry ("deviations" of their documents) count where there are fewer than
 * four values.
 */
struct perun_compared {
	uint32_t struct_size;
	enum perun_result
		result; /* UNKNOWN: it changed, and nothing says which values are better */
	enum perun_noise noise;
	const char *metric, *unit;
	const char *location; /* "" = everything */
	const char *workload; /* the case of a sweep; "" = none */
	bool inclusive;       /* a function with what it calls */
	double before, after; /* medians, exact values, or sums per profile; in the unit */
	size_t before_count, after_count; /* values */
	double low, high;                 /* 95 % interval of after / before - 1; NaN = not known */
	double p; /* for all strands together; NaN = it is not a matter of chance */
	const char *explanation;
	size_t more; /* INCONCLUSIVE: about how many more values a side should settle it; 0 = not known */
	bool failed; /* UNKNOWN: the benchmark failed in the second version; the explanation says why */
	const char *
		baseline; /* the version before the first one that has what that lacks; NULL = it has it */
};

struct perun_compare_options {
	uint32_t struct_size;
	const struct perun_verdict_options *verdict;
	double exact_threshold;      /* as a share; 0.005 is usual */
	enum perun_direction better; /* where profiles do not say */
};

struct perun_comparisons;
/* Compare the profiles of two versions: their sessions where a comparison has them. Borrows it only now. */
PERUN_EXPORT int perun_compare_profiles(struct perun_ctx *ctx,
					const struct perun_comparison *comparison,
					const struct perun_compare_options *options,
					struct perun_comparisons **comparisons);
PERUN_EXPORT void perun_comparisons_free(struct perun_comparisons *comparisons);
PERUN_EXPORT size_t perun_comparisons_count(const struct perun_comparisons *comparisons);
PERUN_EXPORT const struct perun_compared *
perun_comparisons_at(const struct perun_comparisons *comparisons, size_t i);
/* What was not compared and why, and functions that were renamed or inlined, a line each. */
PERUN_EXPORT size_t perun_comparisons_notes(const struct perun_comparisons *comparisons);
PERUN_EXPORT const char *perun_comparisons_note(const struct perun_comparisons *comparisons,
						size_t i);

/* ---- the checks of a store ------------------------------------------------------------------- */

/*
 * The methods that the configuration or the caller names, on the versions of a store: what `perun check` and `perun
 * ci` report. A checker keeps what several comparisons need, and belongs to the thread of its context.
 */
struct perun_check_options {
	uint32_t struct_size;
	const char *const *methods; /* NULL-terminated; NULL = those of degradation.strategies */
	const char *const
		*params; /* options of the methods as YAML: texts or files, NULL-terminated */
	enum perun_models_type models_type;
	bool across_machines; /* compare also what different classes of machines measured */
	bool unchanged;       /* keep findings that say: no change */
};
struct perun_checker;
/*
 * PERUN_USAGE when none of the methods has an option that is given. `store` may be NULL: then there are profiles
 * only. All borrowed but the options.
 */
PERUN_EXPORT int perun_checker_new(struct perun_ctx *ctx, struct perun_store *store,
				   const struct perun_check_options *options,
				   struct perun_checker **checker);
PERUN_EXPORT void perun_checker_free(struct perun_checker *checker);
/* Method i, NULL after the last one; `*origin` is the file that names it, NULL = the caller, or the default. */
PERUN_EXPORT const char *perun_checker_method(const struct perun_checker *checker, size_t i,
					      const char **origin);

/* A profile that one of two versions alone has. */
struct perun_unpaired {
	enum perun_result result; /* PERUN_RESULT_NOT_IN_BASELINE or PERUN_RESULT_NOT_IN_TARGET */
	char *what;               /* "./prog in.txt (time, by time)" */
};

/* Why nothing was compared. */
enum perun_nothing {
	PERUN_NOTHING_NONE,     /* something was compared */
	PERUN_NOTHING_MEASURED, /* a version has no profiles: `unmeasured` */
	PERUN_NOTHING_ALIKE, /* no profile has a counterpart of its kind, command, workload, collector */
	PERUN_NOTHING_ON_MACHINE, /* those that have one were measured on another class of machine */
	PERUN_NOTHING_COMMON      /* profiles have no function or model in common */
};

/* What was found about a version. {0} is empty; texts live as long as this. */
struct perun_findings {
	struct perun_stored_change *items;
	size_t count, capacity;
	char **known;       /* of each item: why it is no news, or NULL */
	size_t known_count; /* items of which that was found out already */
	size_t pairs;       /* of profiles that were compared */
	size_t compared;    /* strands and models that both versions have, changed or not */
	size_t unchanged;   /* of these */
	size_t runs;        /* the fewest that one of them has on a side; 0 = not known */
	double excluded; /* the largest change that one of these may hide, as a share; 0 = not known */
	struct perun_unpaired *unpaired;
	size_t unpaired_count, unpaired_capacity;
	size_t elsewhere; /* profiles left out: their like is of another class of machine alone */
	char *difference; /* of the machines of the first of these */
	enum perun_nothing nothing;
	char *unmeasured;    /* the version that has no profiles; NULL = both have */
	const char **judged; /* commands of which everything was judged */
	size_t judged_count, judged_capacity;
	struct perun_pool *judged_names; /* what holds and finds these; NULL = there are none */
	struct perun_report **reports;
	size_t report_count, report_capacity;
	char **texts;
	size_t text_count, text_capacity;
	const char *runs_by; /* the collector or format that has `runs`; NULL = not known */
	const char *reason;  /* why a method had nothing to compare; NULL = none said so */
	/* How busy the machine was: "load 14.9 on 2 processors"; NULL = it was not, or not known. */
	const char *busy;
};
PERUN_EXPORT void perun_findings_free(struct perun_findings *findings);
/* Whether item i is worse, and news; whether any is. */
PERUN_EXPORT bool perun_finding_fails(const struct perun_findings *findings, size_t i);
PERUN_EXPORT bool perun_findings_fail(const struct perun_findings *findings);

/* Compare a version with the nearest ones before it that measured the same. */
PERUN_EXPORT int perun_check_version(struct perun_checker *checker, const char *version,
				     struct perun_findings *findings);
/* Compare a version with one other. */
PERUN_EXPORT int perun_check_versions(struct perun_checker *checker, const char *base,
				      const char *head, struct perun_findings *findings);
/* Compare two profiles; of versions, "" = not known. Nothing is asked about machines and kinds. */
PERUN_EXPORT int perun_check_profiles(struct perun_checker *checker, struct perun_profile *baseline,
				      const char *base, struct perun_profile *target,
				      const char *head, struct perun_findings *findings);
/* How the machines of two profiles differ, where the checker cares; NULL = it does not. The caller frees it. */
PERUN_EXPORT char *perun_checker_difference(const struct perun_checker *checker,
					    const struct perun_profile *one,
					    const struct perun_profile *other);
/* Whether "slower" and "faster" are words for a change: its amounts are times or rates, or are none. */
PERUN_EXPORT bool perun_change_is_timed(const struct perun_change *change);
/* Whether the profile of an entry can be the baseline of another's, as far as the entries say. */
PERUN_EXPORT bool perun_entries_compatible(const struct perun_entry *baseline,
					   const struct perun_entry *target);
/* The same number for all that can be baselines of each other, so that many are paired by a table. */
PERUN_EXPORT uint64_t perun_entry_key(const struct perun_entry *entry);
/* Keep what was found in the place of what the store has of the version. */
PERUN_EXPORT int perun_findings_save(struct perun_checker *checker, const char *version,
				     const struct perun_findings *findings);

/* How many undecided metrics are named; of the others only the number is given. */
#define PERUN_MAX_OPEN_NAMES 3

/* A metric of which the answer is open. */
struct perun_open_metric {
	char *command, *location, *metric;
};

/* What a check of a whole history counts; what it points to is freed by perun_history_findings_clear(). */
struct perun_history_findings {
	uint32_t struct_size;
	size_t strands; /* with at least two measured versions */
	size_t changed; /* of these */
	size_t open;    /* of these: without a change, but one of more than 5 % may hide */
	size_t more;    /* about how many more runs should settle these; 0 = not known */
	struct perun_open_metric open_metrics[PERUN_MAX_OPEN_NAMES]; /* the first of these */
	size_t runs;      /* the fewest that the newest version has of one; 0 = not known */
	double excluded;  /* the largest change that an unchanged one may hide, as a share */
	size_t pairs;     /* versions that were compared with one before, of all strands */
	size_t elsewhere; /* as in perun_findings */
	char *difference;
	char *runs_by;   /* the collector or format that has `runs`; NULL = not known */
	char *busy;      /* as in perun_findings, of the last two measured versions */
	size_t compared; /* as in perun_findings, of pairs of versions */
	char *reason;    /* as in perun_findings */
};
/* Called with each version of which something was found, newest first. */
typedef int perun_check_visit(void *data, const struct perun_minor_version *version,
			      const struct perun_findings *findings);
/*
 * Check all versions up to `head`: by the histories of all metrics, as perun_history_find_changes(), unless methods
 * are given, which compare each version with those before it, as do rules for some profiles. What is found is stored.
 */
PERUN_EXPORT int perun_check_history(struct perun_checker *checker, const char *head,
				     perun_check_visit *visit, void *data,
				     struct perun_history_findings *found);
PERUN_EXPORT void perun_history_findings_clear(struct perun_history_findings *found);

/* What is stored of a version, as far as it still holds, and whether it is known. */
struct perun_stored_findings {
	struct perun_stored_changes
		changes; /* without those whose baseline is another one by now */
	char **known;    /* of each: why it is no news, or NULL */
};
/* Keeps what several versions need; begin with the first two members set, and {0} else. */
struct perun_stored_reader {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_acknowledgements *known;
	struct perun_between *between;
	struct perun_reader *values;
};
/* Free also after a failure. */
PERUN_EXPORT int perun_stored_findings_load(struct perun_stored_reader *reader, const char *version,
					    struct perun_stored_findings *stored);
PERUN_EXPORT void perun_stored_findings_free(struct perun_stored_findings *stored);
PERUN_EXPORT void perun_stored_reader_end(struct perun_stored_reader *reader);

#ifdef __cplusplus
}
#endif
#endif
