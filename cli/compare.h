/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparing profiles of two versions by the strategies, and what is found. */
#ifndef PERUN_CLI_COMPARE_H
#define PERUN_CLI_COMPARE_H

#include <perun/check.h>
#include <perun/lib/history.h>
#include <perun/store.h>

#include "cli/machines.h"
#include "cli/strategy.h"

/* Findings about one version; the texts live as long as this. */
struct cli_findings {
	struct perun_stored_change *items;
	size_t count, capacity;
	struct perun_report **reports;
	size_t report_count, report_capacity;
	char **texts;
	size_t text_count, text_capacity;
	size_t compared;  /* strands and models that both versions have, changed or not */
	size_t unchanged; /* of these */
	/* Commands of which everything was judged; texts as above. */
	const char **judged;
	size_t judged_count, judged_capacity;
	char **known;       /* of each item: why it is no news, or NULL; NULL = all are news */
	size_t known_count; /* items of which that was found out already */
};
void cli_findings_free(struct cli_findings *findings);
/* Keep a text as long as the findings, which own it then. */
const char *cli_findings_keep(struct cli_findings *findings, char *text);
/* Note that everything of a command was judged. */
void cli_findings_judged(struct cli_findings *findings, const char *command);
/* Whether item i is worse, and news. */
bool cli_finding_fails(const struct cli_findings *findings, size_t i);
/* Append the changes, and a line for what is undecided unless all is asked for (--explain, --unchanged). */
void cli_add_findings(struct cli *cli, const struct cli_call *call,
		      const struct cli_findings *findings, struct perun_buffer *text);
/* Say that nothing was compared and why; the status of that. */
int cli_fail_not_compared(struct cli *cli, const char *reason);
/* Whether any of them makes perun check exit with 1. */
bool cli_findings_fail(const struct cli_findings *findings);
/* How many profiles are kept in memory for the next comparisons: small ones, and large ones. */
enum { CLI_KEPT_SMALL = 96, CLI_KEPT_PROFILES = 8 };

struct cli_kept_profile {
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_profile *profile;
	size_t rows;
};

/* A run of perun check. */
struct cli_checker {
	struct cli *cli;
	struct cli_strategies strategies;
	enum perun_models_type models_type;
	struct cli_machines machines;
	bool methods_given; /* on the command line */
	bool history;   /* the history of each metric is judged apart: `shift` compares nothing */
	bool unchanged; /* keep findings that say: no change */
	struct cli_kept_profile kept[CLI_KEPT_SMALL]; /* the oldest one first */
	size_t kept_count, kept_rows;
	struct perun_deviations
		*deviations; /* of the versions before `deviations_of`, NULL = not known */
	char *deviations_of;
};

/* All profiles that a version has of what another profile measures: one for each session. */
struct cli_sessions {
	struct perun_profile **profiles;
	size_t count;
};

/* Two profiles that are to be compared: references of its own. The texts are borrowed. */
struct cli_comparing {
	struct perun_profile *baseline, *target;
	const char *minor;
	struct cli_sessions sessions[2];
	struct perun_deviations *deviations; /* borrowed; NULL = not known */
};

/* The options that a checker reads. */
#define CLI_CHECKER_OPTIONS                                                                      \
	{.name = "models-type",                                                                  \
	 .aliases = "-m",                                                                        \
	 .metavar = "TYPE",                                                                      \
	 .type = PERUN_OPTION_CHOICE,                                                            \
	 .choices = "best-model best-param best-nonparam best-both all-models all-param "        \
		    "all-nonparam all-both",                                                     \
	 .default_value = "best-model",                                                          \
	 .help = "which models are compared by checks that compare models"},                     \
		{.name = "method",                                                               \
		 .type = PERUN_OPTION_STRING,                                                    \
		 .flags = PERUN_OPTION_REPEATABLE,                                               \
		 .help = "a check method, instead of degradation.strategies of the "             \
			 "configuration"},                                                       \
	{                                                                                        \
		.name = "params", .aliases = "-p", .metavar = "YAML", .type = PERUN_OPTION_PATH, \
		.flags = PERUN_OPTION_REPEATABLE,                                                \
		.help = "options of the methods, as a file or as text such as 'threshold: 5'"    \
	}

/* `call` has CLI_CHECKER_OPTIONS and CLI_MACHINES_OPTION. Free also after a failure. */
int cli_checker_start(struct cli *cli, const struct cli_call *call, struct cli_checker *checker);
void cli_checker_free(struct cli_checker *checker);
/* A registered profile; a new reference. */
int cli_checker_load(struct cli_checker *checker, const char *checksum,
		     struct perun_profile **profile);
/* Load registered profiles on all processors, to be kept. What cannot be read fails when it is asked for. */
void cli_checker_fetch(struct cli_checker *checker, const char *const *checksums, size_t count);
/* For cli_baselines_start(), with the checker as data: the same arguments, the same class of machine. */
int cli_checker_alike(void *data, const struct perun_entry *one, const struct perun_entry *other,
		      bool *are);
/*
 * A comparison in two steps. The first one loads what the second, which changes the findings alone and may
 * run on any thread, with its context, looks at. `minor` and `target_minor` as below. Free also after a failure.
 */
int cli_comparing_start(struct cli_checker *checker, struct perun_profile *baseline,
			const char *minor, struct perun_profile *target, const char *target_minor,
			struct cli_comparing *comparing);
int cli_comparing_run(const struct cli_checker *checker, struct perun_ctx *ctx,
		      const struct cli_comparing *comparing, struct cli_findings *findings);
void cli_comparing_free(struct cli_comparing *comparing);
/* Print in how many metrics nothing changed, and which methods judged, on whose word. */
void cli_print_compared(const struct cli_checker *checker, const struct cli_findings *findings);
/* Compare two profiles; `minor` and `target_minor` are their versions ("" = unknown). */
int cli_compare(struct cli_checker *checker, struct perun_profile *baseline, const char *minor,
		struct perun_profile *target, const char *target_minor,
		struct cli_findings *findings);

#endif
