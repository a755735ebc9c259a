/* SPDX-License-Identifier: BSD-3-Clause */
/* What checks found in a version and stored: as far as it still holds, and whether it is known. */
#ifndef PERUN_CLI_STORED_H
#define PERUN_CLI_STORED_H

#include <perun/lib/history.h>

#include "cli/cli.h"

struct cli_stored {
	struct perun_stored_changes
		changes; /* without those whose baseline is another one by now */
	char **known;    /* of each: why it is no news, or NULL */
};

/* Keeps what several versions need; begin with the first member set. Free with cli_stored_end(). */
struct cli_stored_reader {
	struct cli *cli;
	struct perun_acknowledgements *known;
	struct perun_between *between;
};

/* Free also after a failure. */
int cli_stored_load(struct cli_stored_reader *reader, const char *minor, struct cli_stored *stored);
void cli_stored_free(struct cli_stored *stored);
void cli_stored_end(struct cli_stored_reader *reader);

#endif
