/* SPDX-License-Identifier: BSD-3-Clause */
/* Fallbacks of the optional operations of a version control system. */
#ifndef PERUN_CORE_VCS_FALLBACK_H
#define PERUN_CORE_VCS_FALLBACK_H

#include <perun/vcs.h>

/* walk_range by a walk over all that `exclude` reaches, whose checksums are kept in memory. */
int perun_vcs_range_by_walks(const struct perun_vcs_ops *ops, void *instance, struct perun_ctx *ctx,
			     const char *exclude, const char *head,
			     perun_minor_version_visit *visit, void *data);
/* merge_base: the first version of `other`'s walk that `one` reaches, too. */
int perun_vcs_merge_base_by_walks(const struct perun_vcs_ops *ops, void *instance,
				  struct perun_ctx *ctx, const char *one, const char *other,
				  char **checksum);

#endif
