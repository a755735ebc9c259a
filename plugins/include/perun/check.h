/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `check`: compare profiles of versions and report what changed.
 * Threads: the host makes all calls of an instance on one thread; a report belongs to one thread at a time.
 */
#ifndef PERUN_CHECK_H
#define PERUN_CHECK_H

#include <perun/plugin.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names are those of the Python program's PerformanceChange. */
enum perun_result {
	PERUN_RESULT_NOT_IN_TARGET = 0,
	PERUN_RESULT_SEVERE_OPTIMIZATION,
	PERUN_RESULT_OPTIMIZATION,
	PERUN_RESULT_MAYBE_OPTIMIZATION,
	PERUN_RESULT_TOTAL_OPTIMIZATION,
	PERUN_RESULT_NO_CHANGE,
	PERUN_RESULT_UNKNOWN,
	PERUN_RESULT_TOTAL_DEGRADATION,
	PERUN_RESULT_MAYBE_DEGRADATION,
	PERUN_RESULT_DEGRADATION,
	PERUN_RESULT_SEVERE_DEGRADATION,
	PERUN_RESULT_NOT_IN_BASELINE,
	PERUN_RESULT_INCONCLUSIVE,
	PERUN_RESULTS
};
/* "Degradation", "MaybeOptimization" ... as in .changes files and JSON. */
PERUN_EXPORT const char *perun_result_name(enum perun_result result);
/* For people: "slower", "faster", "no change", "undecided", "changed", "new", "gone". */
PERUN_EXPORT const char *perun_result_words(enum perun_result result);
/* PERUN_RESULTS when unknown. */
PERUN_EXPORT enum perun_result perun_result_from_name(const char *name);
/* Whether it makes `perun check` exit with 1: Degradation, SevereDegradation, TotalDegradation. */
PERUN_EXPORT bool perun_result_fails(enum perun_result result);
PERUN_EXPORT bool perun_result_is_degradation(enum perun_result result);  /* any "-" in a summary */
PERUN_EXPORT bool perun_result_is_optimization(enum perun_result result); /* any "+" */
PERUN_EXPORT bool perun_result_is_change(enum perun_result result);       /* one of these */

/* The change in a part of what was compared. An array of them has its stride beside it. */
struct perun_interval_change {
	enum perun_result result;
	double relative, from, to;
};

/* One finding. Texts given to perun_report_add() are interned by the report. */
struct perun_change {
	uint32_t struct_size;
	enum perun_result result;
	const char *location;      /* flattened uid */
	const char *type;          /* header.type, "model", "constant" ... */
	const char *from_baseline; /* "115.69ms", "linear" */
	const char *to_target;
	double rate;                 /* the method's degree of change: a ratio or percentage */
	const char *confidence_type; /* "no", "r_square" ... */
	double confidence_rate;
	double relative; /* rate in relation to all, 0 = not known */
	const struct perun_interval_change *intervals;
	size_t interval_count;
	uint32_t
		interval_size; /* stride: sizeof(struct perun_interval_change) of whoever made them */
	const char *method;    /* filled by the host */
	const char *metric;    /* name of the metric; "" = the default one */
	const char *explanation; /* for --explain; "" = none */
	bool whole_rate;         /* the rate counts something: stored as an integer */
	/* 95 % interval of the change, as a share of what was before; 0, 0 = not known. */
	double low, high;
	size_t runs; /* of the side with fewer, of what varies from run to run; 0 = not known */
	size_t more; /* INCONCLUSIVE: about how many more runs a side should settle it; 0 = not known */
	/* The version it was compared with, where the one that is compared lacks it; NULL = it is in that. */
	const char *baseline;
};

/* Interval i of a change, whoever made it. */
static inline const struct perun_interval_change *
perun_change_interval(const struct perun_change *change, size_t i)
{
	const char *first = (const char *)change->intervals;

	return (const struct perun_interval_change *)(const void *)(first +
								    i * change->interval_size);
}
/* What a benchmark that failed has instead of a value, in `to_target`; its result is UNKNOWN. */
#define PERUN_CHANGE_FAILED "failed"
PERUN_EXPORT bool perun_change_is_failure(const struct perun_change *change);
/*
 * perun_result_words() of its result, or "failed". What is slower or faster are times and rates; of bytes there are "more" or
 * "less", of what is counted "more" or "fewer", and other amounts are "higher" or "lower".
 */
PERUN_EXPORT const char *perun_change_words(const struct perun_change *change);

struct perun_report;
/* For plugins: add a finding (also NO_CHANGE ones; the host drops them unless asked). */
PERUN_EXPORT void perun_report_add(struct perun_report *report, const struct perun_change *change);
PERUN_EXPORT size_t perun_report_count(const struct perun_report *report);
PERUN_EXPORT const struct perun_change *perun_report_at(const struct perun_report *report,
							size_t i);
/* Change a finding in finish(): its result, and words for --explain (may be NULL = as it was). */
PERUN_EXPORT void perun_report_revise(struct perun_report *report, size_t i,
				      enum perun_result result, const char *explanation);
/* For hosts. */
PERUN_EXPORT struct perun_report *perun_report_new(void);
PERUN_EXPORT void perun_report_free(struct perun_report *report);

/* How models are chosen for checks that compare models (--models-type). */
enum perun_models_type {
	PERUN_MODELS_BEST_MODEL,
	PERUN_MODELS_BEST_PARAM,
	PERUN_MODELS_BEST_NONPARAM,
	PERUN_MODELS_BEST_BOTH,
	PERUN_MODELS_ALL_MODELS,
	PERUN_MODELS_ALL_PARAM,
	PERUN_MODELS_ALL_NONPARAM,
	PERUN_MODELS_ALL_BOTH
};

/* What a history says of two of its versions. */
enum perun_step {
	PERUN_STEP_UNKNOWN, /* too few versions were measured */
	PERUN_STEP_NONE,    /* no change of the level between them */
	PERUN_STEP_UP,
	PERUN_STEP_DOWN
};

/* Values of a version before those that are compared. Texts and numbers are the host's. The layout is fixed. */
struct perun_earlier_values {
	const char *version, *unit;
	const double *repeats;
	size_t count;
	double deviation; /* the standard error that its file carries, as a share; 0 = none */
};

/* What is compared, besides the profiles themselves. */
struct perun_comparison {
	uint32_t struct_size;
	struct perun_profile *const *baselines; /* at least one */
	size_t baseline_count;
	struct perun_profile *const *targets; /* at least one */
	size_t target_count;
	enum perun_models_type models_type;
	/*
	 * All profiles of each version that measured the same, those compared among them: what differs
	 * between them is no change. Given to checks that declare `wants_sessions`, where there are
	 * several; else absent (count 0).
	 */
	struct perun_profile *const *baseline_sessions;
	size_t baseline_session_count;
	struct perun_profile *const *target_sessions;
	size_t target_session_count;
	/*
	 * By how much, as a share of the level, versions differ though nothing changed, as earlier ones show: of a metric at
	 * a location, in a case of a sweep ("" = none); 0 = not known. For the thread of compare() alone; absent like sessions.
	 */
	double (*deviation)(void *data, const char *metric, const char *location,
			    const char *sweep_case);
	void *deviation_data;
	/*
	 * What the history of the two versions says of a change between them, for the same callers and `deviation_data`;
	 * `p` (NaN = not known) of the change. May be absent.
	 */
	enum perun_step (*step)(void *data, const char *metric, const char *location,
				const char *sweep_case, double *p);
	/*
	 * Of such a change, in `unit`: the levels before and after it that the history shows, and the 95 % interval of
	 * their difference. False where there is not one change between the two versions. May be absent.
	 */
	bool (*levels)(void *data, const char *metric, const char *location, const char *sweep_case,
		       const char *unit, double levels[2], double interval[2]);
	/*
	 * What the first of the two versions lacks, for the same callers: the values of the last one before it that has
	 * them. False where none has. May be absent.
	 */
	bool (*earlier)(void *data, const char *metric, const char *location,
			const char *sweep_case, struct perun_earlier_values *values);
	/* Whether what the second version lacks is measured again after it. May be absent. */
	bool (*returns)(void *data, const char *metric, const char *location,
			const char *sweep_case);
};

struct perun_check_ops {
	PERUN_INSTANCE_OPS;
	const char *aliases; /* short names, blank-separated: "aat". Fallback: none */
	/*
	 * Compare two versions; findings go to the report. PERUN_NOT_COMPARED, with the reason, where the profiles have
	 * nothing that it looks at. Required unless there is series; fallback: PERUN_USAGE.
	 */
	int (*compare)(void *instance, struct perun_ctx *ctx,
		       const struct perun_comparison *comparison, struct perun_report *report);
	/* After all comparisons of a run: corrections over all findings. Fallback: they stay as they are. */
	int (*finish)(void *instance, struct perun_ctx *ctx, struct perun_report *report);
	/*
	 * Findings over a whole history: a profile whose table "versions" lists the versions and whose
	 * table "resources" has a column `version` (a row of "versions"). Fallback: it looks at no history (PERUN_USAGE).
	 */
	int (*series)(void *instance, struct perun_ctx *ctx, struct perun_profile *history,
		      struct perun_report *report);
	bool wants_sessions; /* compare() looks at the sessions of a comparison. Fallback: it is given none */
	/*
	 * Rates of its findings are quotients of values, and intervals are of them less 1: then the thresholds of benchmarks
	 * (degradation.thresholds) apply. Fallback: they do not.
	 */
	bool quotients;
	/*
	 * What the histories of strands show (perun/lib/history.h) is the method's answer for a whole history: `check all`
	 * reports their changes under its name. Fallback: compare() of each version with those before it.
	 */
	bool history_decides;
};

/*
 * Run one method (name or alias, dashes or underscores) on a comparison, finish() included. For
 * hosts. `arguments` are option words, NULL-terminated, may be NULL.
 */
PERUN_EXPORT int perun_check(struct perun_ctx *ctx, const char *method,
			     const char *const *arguments,
			     const struct perun_comparison *comparison,
			     struct perun_report *report);
/* The same for a method that looks at whole histories: see `series` above. */
PERUN_EXPORT int perun_check_series(struct perun_ctx *ctx, const char *method,
				    const char *const *arguments, struct perun_profile *history,
				    struct perun_report *report);
/* The proper name of a method given by name or alias, interned; NULL and an error when unknown. */
PERUN_EXPORT const char *perun_check_method(struct perun_ctx *ctx, const char *name);

/* Whether a method, by its proper name, wants the sessions of a comparison. False when it cannot be loaded. */
PERUN_EXPORT bool perun_check_wants_sessions(struct perun_ctx *ctx, const char *method);
/* Whether its rates are quotients, likewise. */
PERUN_EXPORT bool perun_check_has_quotients(struct perun_ctx *ctx, const char *method);

#ifdef __cplusplus
}
#endif
#endif
