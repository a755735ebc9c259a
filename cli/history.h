/* SPDX-License-Identifier: BSD-3-Clause */
/* A stored history as series: a value for each version of a branch, for each function. */
#ifndef PERUN_CLI_HISTORY_H
#define PERUN_CLI_HISTORY_H

#include "cli/listing.h"
#include "cli/machines.h"
#include "cli/series.h"

/* The false discovery rate over the changes of all functions and commands. */
#define CLI_DISCOVERIES 0.05

/* ---- what commits announce (announcements.c) -------------------------------------------------- */

/* A message with a trailer, of a version on the line of first parents, or merged into it. */
struct cli_announcement {
	size_t depth; /* of the version on the line at which it came in; 0 = the newest one */
	char *message;
};

struct cli_announcements {
	struct cli_announcement *items;
	size_t count, capacity;
	size_t line;                /* versions on the line so far */
	struct perun_json *pending; /* parents beside the line: the depth they came in at */
};
/* To be called for each version of a walk, children first. */
void cli_announcements_visit(struct cli_announcements *list,
			     const struct perun_minor_version *version, bool on_line);
void cli_announcements_free(struct cli_announcements *list);
/*
 * The length of the name that a text begins with, when it means the metric: its own, or that of its type
 * ("time" for "time(real)"; also the other way round, as some checks tell the type alone). 0 = it does not.
 */
size_t cli_metric_meant(const char *text, const char *metric);
/*
 * The reason in a trailer "Perun-Expected: METRIC [reason]" of a message, where METRIC may be `any`; NULL =
 * it announces no change of the metric. The text is the caller's.
 */
char *cli_announced(const char *message, const char *metric);

/* ---- series ---------------------------------------------------------------------------------- */

/* A metric of a function (or whatever a uid names), of one command. */
struct cli_strand {
	char *command;  /* with its arguments and its workload, as cli_measured_line() has it */
	char *location; /* uid */
	bool whole;     /* the sum of a command: its location is no uid */
	struct cli_series series; /* a value for each version; labels are their checksums */
	bool higher;              /* is better */
	bool says;                /* the profiles say so */
	struct perun_changes changes;
};

struct cli_history {
	struct perun_minor_version **versions; /* oldest first */
	size_t count, capacity;
	struct cli_strand *strands;
	size_t strand_count, strand_capacity;
	size_t measured;              /* versions with a profile that has the metric */
	struct cli_machines machines; /* what was left out */
	char *machine;                /* the class of all others; NULL = any */
	struct cli_announcements announced;
};

struct cli_history_query {
	const char *range;    /* "A..B", both included; "B" = all before, too; NULL = to the head */
	const char *metric;   /* NULL = the first of each profile */
	const char *location; /* NULL = all */
	const char *machine; /* the newest class that has this in its name; NULL = the newest one */
	bool across;         /* values of all classes of machines; else those of the newest one's */
	enum perun_direction told; /* by --better: holds where profiles do not say, and is kept */
};

/*
 * The versions of a range (along first parents) and what their profiles say of the metric. Repeated
 * measurements (column `order`) are repeats, else the rows of a uid are added up. Notes what is left out
 * for it was measured on another class of machine than the newest. Free also after a failure.
 */
int cli_history_load(struct cli *cli, const struct cli_history_query *query,
		     struct cli_history *history);
void cli_history_free(struct cli_history *history);
/* Find the changes of all strands, as the options say, without those that so many show by chance. */
int cli_history_changes(struct cli *cli, const struct cli_call *call, struct cli_history *history);
/* The subject of a version; the caller's. */
char *cli_history_subject(const struct cli_history *history, size_t i);

/* ---- directions of metrics (directions.c) ----------------------------------------------------- */

/* Keep what the query tells of the metrics of the history. Warns when that is impossible. */
void cli_directions_keep(struct cli *cli, const struct cli_history_query *query,
			 const struct cli_history *history);
/* What was kept of a metric: `list` is the store's document PERUN_DIRECTIONS. */
enum perun_direction cli_kept_direction(const struct perun_json *list, const char *metric);

/* ---- pictures (history-draw.c) --------------------------------------------------------------- */

/* A panel for each strand, whose changes are known; the titles of values tell versions and subjects. */
void cli_history_svg(const struct cli_history *history, struct perun_buffer *out);
void cli_history_html(const struct cli_history *history, struct perun_buffer *out);

/* ---- changes that are known (acknowledged.c) ------------------------------------------------- */

/* What people said of changes: read once. Free with cli_known_free(). */
struct cli_known {
	struct perun_json *list; /* of {"version", "metric", "location", "reason", "time", ...} */
};
int cli_known_load(struct cli *cli, struct cli_known *known);
void cli_known_free(struct cli_known *known);
/* Note the version that is acknowledged, and what of it outlives a rebase, where the vcs tells. */
void cli_known_name(struct perun_json *item, const struct perun_minor_version *version);
/* Whether that is the version: the same, or another one of the same author, author's time and subject. */
bool cli_known_is(const struct perun_json *item, const struct perun_minor_version *version);
/*
 * Why a change of a strand is no news: it was acknowledged, or announced by a commit, at its version or up
 * to two measured versions away, and no other change is nearer. NULL = it is news. The text is the
 * caller's.
 */
char *cli_known_reason(const struct cli_known *known, const struct cli_history *history,
		       const struct cli_strand *strand, const struct perun_change_point *point);

/* The versions behind a base, up to a head that is compared with it. Free with cli_between_free(). */
struct cli_between {
	char *base, *head;
	struct perun_minor_version **items;
	size_t count, capacity;
};
int cli_between_load(struct cli *cli, struct perun_vcs *vcs, const char *base, const char *head,
		     struct cli_between *between);
void cli_between_free(struct cli_between *between);
/*
 * Why a change from the base to the head is no news: what was acknowledged or announced at any of the
 * versions between is part of it. NULL = it is news. The text is the caller's.
 */
char *cli_known_between(const struct cli_known *known, const struct cli_between *between,
			const struct perun_change *change);

/* ---- plugins that look at whole histories (series-plugin.c) ----------------------------------- */

/* The check plugin that --method names; NULL when that is one of the methods of perun itself. */
const char *cli_series_plugin(const struct cli_call *call);
/* Print what that plugin finds in these series, those of a command together. */
int cli_series_by_plugin(struct cli *cli, const struct cli_call *call,
			 const struct cli_strand *strands, size_t count, bool *worse);

/* ---- changes that were found before (found.c) ------------------------------------------------ */

/* What became of them. Texts are borrowed from the series. */
struct cli_past {
	bool *known;             /* of each change: it was found at the same version before */
	const char **moved_from; /* of each change: the version it was found at before, or NULL */
	const char **vanished;   /* versions at which there is no change any more */
	size_t vanished_count, vanished_capacity;
};
/* `list`: the store's document "found". Free with cli_past_free(). */
void cli_past_find(const struct perun_json *list, const struct cli_strand *strand,
		   struct cli_past *past);
void cli_past_free(struct cli_past *past);
/* Keep what is found now, for the versions that were looked at. Warns when that is impossible. */
void cli_past_keep(struct cli *cli, const struct perun_json *list,
		   const struct cli_history *history);

#endif
