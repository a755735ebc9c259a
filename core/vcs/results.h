/* SPDX-License-Identifier: BSD-3-Clause */
/* What a version control system's plugin hands over, checked before anyone relies on it. */
#ifndef PERUN_CORE_VCS_RESULTS_H
#define PERUN_CORE_VCS_RESULTS_H

#include <perun/vcs.h>

/* A visit function and its data, for one that checks what it gets before it calls this one. Borrowed. */
struct perun_vcs_visits {
	struct perun_ctx *ctx;
	const char *plugin;
	perun_minor_version_visit *minor;
	perun_major_version_visit *major;
	void *data;
};

/* Visit functions whose data are the above; what is wrong ends the walk with a failure that names the plugin. */
int perun_vcs_visit_minor(void *data, const struct perun_minor_version *version);
int perun_vcs_visit_major(void *data, const struct perun_major_version *version);
/* The same for what has a name, but need not have a version. */
int perun_vcs_visit_name(void *data, const struct perun_major_version *version);

/* Of a result after PERUN_OK, which is freed where it is wrong. `operation` is for the message. */
int perun_vcs_check_name(struct perun_ctx *ctx, const char *plugin, const char *operation,
			 char **name);
int perun_vcs_check_checksum(struct perun_ctx *ctx, const char *plugin, const char *operation,
			     char **checksum);

#endif
