/* SPDX-License-Identifier: BSD-3-Clause */
/* What profiles of other tools are of: by which name, command and workload they make one history. */
#ifndef COMMANDS_COMMON_IMPORT_IDENTITY_H
#define COMMANDS_COMMON_IMPORT_IDENTITY_H

#include <perun/json.h>
#include <perun/profile.h>

/* Set a key of the header, which is made where a format has none; NULL = leave it. */
void commands_set_header(struct perun_json *document, const char *key, const char *text);
/*
 * Say in the document of a profile what makes files of one kind a history: the format, the program that samples are of,
 * and the name of the file where nothing else distinguishes them. `format` may be NULL.
 */
void commands_identify(struct perun_ctx *ctx, const struct perun_profile *profile,
		       struct perun_json *document, const char *file, const char *format);

#endif
