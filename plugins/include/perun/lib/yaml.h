/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * YAML, as configurations and jobs are written in.
 * Of the growing part of the interface: see perun/lib/version.h.
 * Any thread may call these.
 */
#ifndef PERUN_LIB_YAML_H
#define PERUN_LIB_YAML_H

#include <perun/json.h>
#include <perun/lib/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A YAML text (YAML 1.2, core schema) as a document. `name` begins messages: "local.yml: line
 * 3, column 5: ...". An empty text is an empty object. Anchors and aliases work, within bounds.
 */
PERUN_EXPORT int perun_yaml_parse(struct perun_ctx *ctx, const char *name, const char *text,
				  size_t length, struct perun_json **document);

#ifdef __cplusplus
}
#endif
#endif
