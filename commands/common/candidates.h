/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What may be written where a command line has its cursor: versions, profiles, settings, metrics, formats,
 * columns. The metavar of an option (its name in capitals where it has none) says what its values are.
 */
#ifndef PERUN_COMMANDS_COMMON_CANDIDATES_H
#define PERUN_COMMANDS_COMMON_CANDIDATES_H

#include <perun/lib/options.h>
#include <perun/store.h>

struct commands_candidates {
	struct perun_ctx *ctx;
	struct perun_store *store; /* NULL where there is none */
	const char *command;       /* "check series", "show", ...; "" for the program itself */
	const char *const
		*words; /* those of the command before the one under the cursor, NULL-terminated */
	const char *text; /* what is written of the value so far */
	void (*offer)(void *data, const char *value, const char *explanation);
	void *data;
};

/* Offer what the option takes, of which the caller drops what does not begin with `text`. Failures offer nothing. */
void commands_offer_values(const struct commands_candidates *candidates,
			   const struct perun_option *option);
/*
 * Offer the topics of sections 5 and 7 of the manual in $PERUN_MANUALS, else in `directory`: "json" of perun-json(7).
 * Those of formats are left out.
 */
void commands_offer_pages(const char *directory,
			  void (*offer)(void *data, const char *topic, const char *explanation),
			  void *data);

#endif
