/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin for the next minor version of the interface. */
#include <perun/plugin.h>

PERUN_PLUGIN(view, minor) = {
	.struct_size = sizeof(struct perun_plugin),
	.abi_major = PERUN_ABI_MAJOR,
	.abi_minor = PERUN_ABI_MINOR + 1,
	.kind = PERUN_KIND_VIEW,
	.name = "minor",
	.summary = "from the near future",
};
