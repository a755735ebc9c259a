/* SPDX-License-Identifier: BSD-3-Clause */
/* A plugin for the next major version of the interface. */
#include <perun/plugin.h>

PERUN_PLUGIN(view, major) = {
	.struct_size = sizeof(struct perun_plugin),
	.abi_major = PERUN_ABI_MAJOR + 1,
	.abi_minor = 4,
	.kind = PERUN_KIND_VIEW,
	.name = "major",
	.summary = "from the future",
};
