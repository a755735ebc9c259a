/* SPDX-License-Identifier: BSD-3-Clause */
/* Finding the profiles that the words of a command line name. */
#ifndef PERUN_CLI_LOOKUP_H
#define PERUN_CLI_LOOKUP_H

#include <perun/profile.h>
#include <perun/store.h>

#include "cli/cli.h"
#include "cli/directory-names.h"

/* Where a profile may be. */
enum cli_source {
	CLI_REGISTERED = 1, /* in the index of a minor version: tags 0@i, names, checksums */
	CLI_PENDING = 2,    /* in .perun/jobs: tags 0@p, names */
	CLI_FILE = 4        /* a path; and by asking, files below the current directory */
};

/* A profile that was found. Texts are owned by the lookup. */
struct cli_place {
	enum cli_source source;
	const struct perun_entry *entry; /* REGISTERED, PENDING */
	const char *minor;               /* REGISTERED: the minor version's checksum */
	const char *path;                /* FILE, PENDING: where the file is */
	const char *name;                /* for people: base name of the profile */
};

struct cli_index; /* the entries of one minor version */

struct cli_lookup {
	struct cli *cli;
	const char *revision; /* as the user gave it, NULL = head */
	struct cli_index *indexes;
	size_t index_count, index_capacity;
	struct perun_entries pending;
	bool have_pending;
	char *directory; /* the last one asked about, and whether it is .perun/jobs */
	bool is_jobs;
	size_t in_directory; /* so many words in a row were paths in it */
	struct cli_names names;
	struct cli_place *places;
	size_t count, capacity;
	char **texts; /* memory that places point to */
	size_t text_count, text_capacity;
};

/* `revision` (borrowed, may be NULL) is where tags and names without REV^ look. */
void cli_lookup_start(struct cli_lookup *lookup, struct cli *cli, const char *revision);
void cli_lookup_free(struct cli_lookup *lookup);

/*
 * Find what `word` names among `sources` (bits) and append it to the places. Order: REV^ before
 * anything, N@i and N@p (and ranges of them), a name or checksum in the index, a path, a name in
 * jobs, then files whose name matches the word as a regular expression: asked for on a terminal,
 * listed in the error elsewhere.
 */
int cli_lookup_add(struct cli_lookup *lookup, const char *word, unsigned sources);

/* Append all profiles that are registered with a version, in the order of their tags. */
int cli_lookup_add_version(struct cli_lookup *lookup, const char *revision);

/* Leave out what is found more than once: `0@p 0@p-3@p`. */
void cli_lookup_unique(struct cli_lookup *lookup);

/* Load what was found. `*profile` is a new reference. */
int cli_lookup_load(struct cli_lookup *lookup, const struct cli_place *place,
		    struct perun_profile **profile);

#endif
