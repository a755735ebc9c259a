/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring: commands x workloads x collectors, then postprocessors, at one or more versions. */
#ifndef PERUN_CLI_MEASURE_H
#define PERUN_CLI_MEASURE_H

#include "cli/cli.h"
#include "cli/params.h"

/* Whether a version has a profile of a job already, told in `*has`. */
typedef int cli_has_profile(void *data, const char *cmd, const char *args, const char *workload,
			    const char *collector, bool *has);

struct cli_measure {
	/* NULL-terminated; empty lists count as one empty text. */
	const char *const *cmds, *const *args, *const *workloads;
	struct cli_units collectors, postprocessors;
	/*
	 * Versions to be measured, each in a work tree of its own; NULL = the user's work tree as it
	 * is, which is taken for the head.
	 */
	const char *const *revisions;
	bool parents;     /* and all versions before them */
	bool in_place;    /* versions are checked out in the user's work tree */
	bool force_dirty; /* no warning about uncommitted changes */
	bool json;
	bool resume;                  /* go on with an interrupted run of the same */
	bool no_progress;             /* none on the terminal */
	bool quiet;                   /* no lines on standard output */
	bool registers;               /* as if profiles.register_after_run were set */
	cli_has_profile *has_profile; /* leave out the jobs that it knows; NULL = none */
	void *data;                   /* of has_profile */
	const char *name_template; /* of the pending profiles, NULL = that of the configuration */
};

/* Options that the measuring commands have in common; `crawl` are the short names of one of them. */
#define CLI_MEASURE_OPTIONS(crawl)                                                       \
	{.name = "minor-version",                                                        \
	 .aliases = "-m",                                                                \
	 .metavar = "REV",                                                               \
	 .type = PERUN_OPTION_STRING,                                                    \
	 .flags = PERUN_OPTION_REPEATABLE,                                               \
	 .help = "measure this version, in a work tree of its own"},                     \
		{.name = "crawl-parents",                                                \
		 .aliases = (crawl),                                                     \
		 .help = "measure also all versions before it"},                         \
		{.name = "in-place",                                                     \
		 .help = "check versions out in your own work tree, and back again"},    \
		{.name = "output-filename-template",                                     \
		 .aliases = "-ot",                                                       \
		 .metavar = "TEMPLATE",                                                  \
		 .type = PERUN_OPTION_STRING,                                            \
		 .help = "the name of the new pending profiles"},                        \
		{.name = "force-dirty",                                                  \
		 .aliases = "-f",                                                        \
		 .help = "do not warn about uncommitted changes"},                       \
		{.name = "resume", .help = "go on with an interrupted run of the same"}, \
		{.name = "no-progress", .help = "show no progress on the terminal"},     \
	{                                                                                \
		.name = "json", .help = "print JSON"                                     \
	}

/* Run it; profiles become pending ones, or are registered (profiles.register_after_run). */
int cli_measure(struct cli *cli, const struct cli_measure *measure);
/*
 * Measure one version by the matrix of the configuration, and register the profiles with it; jobs
 * that it has profiles of are left out.
 */
int cli_measure_missing(struct cli *cli, const char *minor, cli_has_profile *has_profile,
			void *data);

#endif
