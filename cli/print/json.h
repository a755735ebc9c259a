/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts as JSON. */
#ifndef PERUN_CLI_PRINT_JSON_H
#define PERUN_CLI_PRINT_JSON_H

#include <perun/check.h>
#include <perun/json.h>
#include <perun/store.h>
#include <perun/vcs.h>

/* A text, null for NULL. */
struct perun_json *cli_json_text(const char *text);

/*
 * {"source", "checksum", "type", "cmd", "args", "workload", "collector", "postprocessors", "time"},
 * and "id" when it is not NULL.
 */
struct perun_json *cli_json_entry(const struct perun_entry *entry, const char *id);
/* {"checksum", "author", "email", "date", "parents", "description"}. */
struct perun_json *cli_json_version(const struct perun_minor_version *version);
/*
 * {"result", "type", "location", "from_baseline", "to_target", "rate", "confidence_type",
 * "confidence_rate", "relative", "partial_intervals"} and, when they are known, "method", "metric",
 * "explanation", "interval" (of the change, as a share), "baseline", "command".
 */
struct perun_json *cli_json_change(const struct perun_change *change, const char *minor,
				   const char *command);

/* Print a document and a newline to standard output, and free it (take). */
void cli_print_facts(struct perun_json *document);
/*
 * The same for one element of a long array that is not kept in memory: indented by `depth`, without
 * newline after it.
 */
void cli_print_fact(struct perun_json *document, unsigned depth);

#endif
