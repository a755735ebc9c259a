/* SPDX-License-Identifier: BSD-3-Clause */
/* A change in a line: the same words wherever one is printed. */
#ifndef PERUN_COMMANDS_COMMON_CHANGE_LINE_H
#define PERUN_COMMANDS_COMMON_CHANGE_LINE_H

#include <perun/command.h>
#include <perun/lib/compare.h>

#include "views/common/bars.h"
#include "wrapped.h"

/* What a line says; texts may be NULL or "". */
struct commands_change_line {
	const struct perun_change *change;
	const char *version, *subject; /* what the line begins with, and ends with */
	const char *command;           /* with its workload; NULL = all lines are of one */
	const char *of;                /* the same: a location that is called so needs no name */
	const char *known;             /* why it is no news */
	unsigned indent;               /* blanks that the line begins with */
};

/*
 * "1a2b3c4d  slower  parse  time(real)  124 ms → 641 ms  +417 %, 5.2× (95 % CI +409…+441 %)  p = 0.01  $ ./prog in.txt
 * subject": a line, which a terminal too narrow for it makes several of.
 */
void commands_add_change_line(const struct commands_screen *screen,
			      const struct commands_change_line *line, struct perun_buffer *text);
/* Lines that may follow it (change-notes.c): parts of a range that changed, */
void commands_add_intervals(const struct commands_screen *screen, const struct perun_change *change,
			    struct perun_buffer *text);
/* how the finding came about, where that is known, */
void commands_add_explanation(const struct commands_screen *screen,
			      const struct perun_change *change, struct perun_buffer *text);
/* and how to say which values of its metric are better. */
void commands_add_direction(const struct perun_change *change, struct perun_buffer *text);
/* "judged by shift": the methods of stored changes; nothing where none is stored, as by earlier programs. */
void commands_add_methods(const struct perun_stored_change *items, size_t count,
			  struct perun_buffer *text);
/* The same without a newline, for the changes of one version after another. */
void commands_collect_methods(const struct perun_stored_change *items, size_t count,
			      struct perun_buffer *text);
/* The metric of a change, which what is stored has as its type. */
const char *commands_change_metric(const struct perun_change *change);
/* "124 ms" of "124ms" and "1,064,730" of "1064730", printable. */
void commands_add_amount(struct perun_buffer *text, const char *amount);
void commands_add_value(struct perun_buffer *text, double value, const char *unit);
/* What was before and what is after in the unit of that; false = they are not such numbers. */
bool commands_change_amounts(const struct perun_change *change, double *before, double *after);
/* What the number of an amount ("4.518ms") is multiplied with to be one of the unit that others are based on (nanoseconds). */
double commands_amount_scale(const char *amount);
/* The second divided by the first; NaN = it cannot be. */
double commands_change_quotient(const struct perun_change *change);
/* "+417 %, 5.2×" and "95 % CI +409…+441 %"; false where the change is not a matter of numbers. */
bool commands_add_size(struct perun_buffer *text, const struct perun_change *change, bool unicode);
bool commands_add_interval(struct perun_buffer *text, const struct perun_change *change,
			   bool unicode);
/* "p = 0.01"; false where it is not a matter of chance. */
bool commands_add_p(struct perun_buffer *text, const struct perun_change *change);
/*
 * What people call a location: the function alone where stored profiles have a placeholder for its unknown source and
 * line, "main" of "unreachable:main:0" and "read [kernel]" of "[kernel]:read:0". The caller's.
 */
char *commands_place(const char *location);
/*
 * "undecided: 2 metrics (parse time(real), print time(real)): about 4 more runs per side should settle them". `names` has
 * up to PERUN_MAX_OPEN_NAMES of them, each added by commands_add_open_name(); `more` runs: 0 = not known.
 * A `version` begins the line, where there are several; or NULL.
 */
void commands_add_open(const struct commands_screen *screen, const char *version, size_t count,
		       const char *names, size_t more, struct perun_buffer *out);
/*
 * "parse time(real)", after a comma if it is not the first; what is measured of a whole program has no location. With
 * `several` commands in what is reported, " of COMMAND" follows.
 */
void commands_add_open_name(const char *command, const char *location, const char *metric,
			    bool several, struct perun_buffer *names);
/* The same of items[order[...]]. */
void commands_add_undecided(const struct commands_screen *screen, const char *version,
			    const struct perun_stored_change *items, const size_t *order,
			    size_t count, struct perun_buffer *out);
/* Whether a location is the command itself, as what is measured of a whole program has it. */
bool commands_is_program(const char *location, const char *command);

/*
 * Order findings for people (change-order.c): worse, better, changed, new and gone, the real time first, undecided and
 * unchanged last; what a whole program costs before its functions, and of counted ones the largest change first.
 * What says nothing of its own is left out: user and system time, and rates, where the real time of the same says it.
 * Returns how many are left of `order`, numbers of items.
 */
size_t commands_order_changes(const struct perun_stored_change *items, size_t count, size_t *order);

/*
 * Lists in that order have up to 10 lines of functions that are counted and became worse, as many of better ones, and
 * of what is new or gone, or unchanged. Whether a change comes after these; `counted` is zeroed before the first.
 */
enum { COMMANDS_CHANGE_KINDS = 5 };
bool commands_leave_out(const struct perun_change *change, size_t counted[COMMANDS_CHANGE_KINDS]);
/* "... 93 more are worse: perun check --unchanged lists all", a line for each kind that has more. */
void commands_add_left_out(const size_t counted[COMMANDS_CHANGE_KINDS], struct perun_buffer *text);

#endif
