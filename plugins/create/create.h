/* SPDX-License-Identifier: BSD-3-Clause */
/* New plugins: a folder that builds at once. The files are those of plugins/create/templates. */
#ifndef PERUN_PLUGINS_CREATE_CREATE_H
#define PERUN_PLUGINS_CREATE_CREATE_H

#include <perun/plugin.h>

/*
 * Write the folder `directory`, which must not exist, with a plugin of a kind and a name (lower-case letters, digits and
 * dashes; PERUN_USAGE for others), in C or, with `cpp`, C++20. It appears when it is complete, or not at all.
 */
int plugin_create(struct perun_ctx *ctx, enum perun_kind kind, const char *name,
		  bool cpp, const char *directory);

/* The embedded files: `templates` lists all. */
struct template_file {
	const char *name; /* that of the file in plugins/create/templates */
	const unsigned char *bytes;
	const unsigned long *size;
};
extern const struct template_file templates[];

#endif
