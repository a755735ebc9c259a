/* SPDX-License-Identifier: BSD-3-Clause */
/* What the checks of a store share: methods, profiles in memory, baselines, findings. */
#ifndef PERUN_CORE_COMPARE_CHECKER_H
#define PERUN_CORE_COMPARE_CHECKER_H

#include <perun/json.h>
#include <perun/lib/compare.h>
#include <perun/lib/module.h>

/* ---- strategies.c: which methods a profile is compared by ------------------------------------- */

struct check_rule {
	const char *method;                   /* proper name, interned in the registry */
	const struct perun_json *conditions;  /* keys that a profile must have; NULL = any */
	struct perun_module *unit;            /* its option words */
	bool wants_sessions, history_decides; /* as the method declares */
	const char *origin; /* the file that names it; NULL = the caller, or the default */
};

struct check_strategies {
	struct perun_store *store;
	struct check_rule *rules;
	size_t count, capacity;
	struct perun_modules units;
	struct perun_json *lists[2]; /* what the rules point to */
	bool first;                  /* only the first rule that fits */
	struct perun_json *given;    /* options of the caller */
	bool *used;                  /* of each of these: a method has it */
};

/*
 * The methods that are given, or else the rules of degradation.strategies: the run's, else the store's, else PERUN_DEFAULT_METHOD and the user's. Methods of the
 * configuration that are not installed are warned about. Options that are given come before what is configured.
 */
int check_strategies_load(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_check_options *options,
			  struct check_strategies *strategies);
void check_strategies_free(struct check_strategies *strategies);
/* Whether whole histories are judged strand by strand for a rule, and by which method they are. */
bool check_rule_is_by_history(const struct check_rule *rule);
const char *check_history_method(const struct check_strategies *strategies);
/* Whether a rule is meant for a profile. */
bool check_rule_fits(const struct check_rule *rule, const struct perun_profile *profile);

/* ---- checker.c -------------------------------------------------------------------------------- */

/* Profiles that are kept in memory for the next comparisons: small ones, and large ones. */
enum { CHECK_KEPT_SMALL = 96, CHECK_KEPT_PROFILES = 8 };

struct check_kept_profile {
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_profile *profile;
	size_t rows;
};

/* Pairs that were not compared, for the machines differ. */
struct check_machines {
	size_t refused;
	char *difference; /* of the first of them */
};

/* The profiles of a version, also in an order that has those of one kind side by side, older ones first. */
struct check_listing {
	char *minor;
	struct perun_entries entries;
	const struct perun_entry **sorted;
};

struct perun_checker {
	struct perun_ctx *ctx;
	struct perun_store *store; /* NULL = none */
	struct perun_check_options options;
	struct check_strategies strategies;
	struct check_machines machines;
	bool given;   /* methods or options are the caller's */
	bool history; /* the history of each metric is judged apart: no method compares for it */
	struct check_kept_profile kept[CHECK_KEPT_SMALL]; /* the oldest one first */
	size_t kept_count, kept_rows;
	struct check_listing listings[2]; /* of the versions whose sessions were asked for last */
	size_t listings_next;
	struct perun_deviations
		*deviations; /* of the versions before `deviations_of`; NULL = not known */
	char *deviations_of;
	struct perun_version_line
		*line; /* of the history of `line_of`; NULL = not loaded, or a history's by now */
	char *line_of;
	struct perun_json *thresholds; /* of benchmarks; NULL = none */
	struct perun_acknowledgements *known;
	struct perun_profile_facts *facts; /* NULL = none was asked for yet */
	struct perun_between *between;     /* of the last two versions asked for */
	struct perun_import_names *names;  /* of the last two compared by these; NULL = all count */
	char *names_of;
};

/* Keep the line of a version's history (NULL = none) for who reads that next. */
void checker_keep_line(struct perun_checker *checker, const char *version,
		       struct perun_version_line *line);
/* The arguments and the machine of a registered profile, without loading it; borrowed from the checker. */
int checker_facts(struct perun_checker *checker, const char *checksum,
		  const struct perun_profile **facts);
/* Whether these are known: else they come with the profile where that is fetched. */
bool checker_knows(struct perun_checker *checker, const char *checksum);
/* A registered profile; a new reference. */
int checker_load(struct perun_checker *checker, const char *checksum,
		 struct perun_profile **profile);
/* Load registered profiles on all processors, to be kept. What cannot be read fails when it is asked for. */
void checker_fetch(struct perun_checker *checker, const char *const *checksums, size_t count);
/* Whether two profiles may be compared; a refusal is kept. Forget what was refused so far. */
void check_machines_forget(struct perun_checker *checker);
/*
 * Whether two profiles that are alike as far as their entries show were measured with the same arguments, which most
 * indexes do not hold.
 */
int checker_same_arguments(struct perun_checker *checker, const struct perun_entry *one,
			   const struct perun_entry *other, bool *are);
/* The same, and on machines of one class. */
int checker_alike(struct perun_checker *checker, const struct perun_entry *one,
		  const struct perun_entry *other, bool *are);

/* ---- compare-pair.c ---------------------------------------------------------------------------- */

/* All profiles that a version has of what another profile measures: one for each session. */
struct check_sessions {
	struct perun_profile **profiles;
	size_t count;
};
/*
 * The newest registered profiles of a version, `like` among them where it is registered, that are of the
 * same type, command, arguments, workload and collector. None for a version "" or without an index. Where the
 * two `versions` are given, names of files do not identify them: the workload is the name that counts in them.
 */
int check_sessions_load(struct perun_checker *checker, const char *minor,
			const struct perun_profile *like, const char *const versions[2],
			struct check_sessions *sessions);
void check_sessions_free(struct check_sessions *sessions);
void check_listing_free(struct check_listing *listing);

/* Two profiles that are to be compared: references of its own. The texts are borrowed. */
struct check_pair {
	struct perun_profile *baseline, *target;
	const char *minor;
	struct check_sessions sessions[2];
	char *command; /* of the target, with its arguments, as histories name it */
	struct perun_deviations *deviations; /* borrowed; NULL = not known */
	bool follow;                         /* these decide */
};
/*
 * A comparison in two steps. The first one loads what the second, which changes the findings alone and may
 * run on any thread, with its context, looks at. "" = a version that is not known. Free also after a failure.
 */
int check_pair_start(struct perun_checker *checker, struct perun_profile *baseline,
		     const char *minor, struct perun_profile *target, const char *target_minor,
		     struct check_pair *pair);
/* Whether a method of any profile is asked for what their history says. */
bool checker_follows(const struct perun_checker *checker);
/* Two profiles in one go; `follow`: what their history says of a change decides. */
int check_pair(struct perun_checker *checker, struct perun_profile *baseline, const char *base,
	       struct perun_profile *target, const char *head, bool follow,
	       struct perun_findings *findings);
int check_pair_run(const struct perun_checker *checker, struct perun_ctx *ctx,
		   const struct check_pair *pair, struct perun_findings *findings);
void check_pair_free(struct check_pair *pair);

/* ---- findings.c ------------------------------------------------------------------------------- */

/* Keep a text (taken) as long as the findings. */
const char *findings_keep(struct perun_findings *findings, char *text);
/* Note that everything of a command was judged. */
void findings_judged(struct perun_findings *findings, const char *command);
struct perun_report *findings_report(struct perun_findings *findings);
/* Add what was found of two profiles, which is empty then. */
void findings_join(struct perun_findings *findings, struct perun_findings *others);
/* Note a profile that has none to be compared with: each command once, whatever number of sessions it has. */
void findings_unpaired(struct perun_findings *findings, const struct perun_entry *entry,
		       enum perun_result result);
/* Find out which changes of a version are known, once all of them are found. */
int findings_know(struct perun_checker *checker, const char *minor,
		  struct perun_findings *findings);

/* ---- baselines.c ------------------------------------------------------------------------------ */

/* A profile of the version under check, and a profile that it can be compared with. */
struct check_baseline {
	size_t target; /* number in the targets */
	char minor[PERUN_CHECKSUM_SIZE + 24];
	char checksum[PERUN_CHECKSUM_SIZE];
};

struct check_pending; /* a version that is still to be seen */

struct check_baselines {
	struct perun_checker *checker;
	const char *head; /* the version under check; borrowed */
	/* One entry for each kind of profile (type, command, workload ...): the last wins. */
	const struct perun_entry **targets;
	bool *repeats; /* the targets that are repeats of another: files of other names */
	size_t target_count;
	struct check_pending *pending;
	size_t pending_count, pending_capacity;
	struct check_baseline *pairs;
	size_t pair_count, pair_capacity;
};

/* `entries` (borrowed) are those of the version, `parents` its parents. Free also after a failure. */
int check_baselines_start(struct check_baselines *search, struct perun_checker *checker,
			  const char *head, const struct perun_entries *entries,
			  const char *const *parents, size_t parent_count);
void check_baselines_free(struct check_baselines *search);
/*
 * Look at a version; versions come children before parents. PERUN_STOP when all is found. What an
 * ancestor of a version already found holds does not count.
 */
int check_baselines_visit(struct check_baselines *search, const char *minor,
			  const char *const *parents, size_t parent_count);
/* After a search: note the profiles that have baselines on other classes of machines alone, or none. */
void check_baselines_note(const struct check_baselines *search, struct perun_findings *findings);
/* Whether further versions may matter. */
bool check_baselines_wanting(const struct check_baselines *search);
/*
 * The name that counts for the workload of an entry of one of two versions (perun_reader_join_files()); borrowed until
 * the names of two others are asked for.
 */
int check_name_entry(struct perun_checker *checker, const char *const versions[2],
		     const struct perun_entry *entry, const char **name);

/* ---- strand-findings.c: what the histories of all metrics say of each version ------------------ */

/* What is undecided at a version, which is kept with it and is not listed. */
struct check_undecided {
	const struct perun_strand *strand;
	size_t version, before, more;
};

struct check_strands {
	struct perun_history *history;
	struct perun_findings *versions; /* of each version of the line */
	size_t left;                     /* versions of the line that were not asked for yet */
	struct perun_history_findings *counts;
	const char *method;                      /* whose findings these are */
	bool has_real;                           /* a real time is among them */
	const struct perun_strand *open_samples; /* one of samples that is undecided; NULL = none */
	double open[PERUN_MAX_OPEN_NAMES];       /* how much each of counts->open_metrics changed */
	struct check_undecided *undecided;       /* unless it is listed; by version once all are */
	size_t undecided_count, undecided_capacity;
};
/* Find the changes of all histories up to `head`. Free it also after a failure. */
int check_strands_load(struct perun_checker *checker, const char *head,
		       struct check_strands *strands);
void check_strands_free(struct check_strands *strands);
/* What was found at a version, for versions from the newest to the oldest; NULL = it is not on the line. */
struct perun_findings *check_strands_of(struct check_strands *strands, const char *checksum);
/* Add what is undecided at a version to its findings, where these are from check_strands_of(). */
void check_strands_add_undecided(struct check_strands *strands, struct perun_findings *findings);

#endif
