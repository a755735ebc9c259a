/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin compiled against an earlier interface whose structs were shorter: the plugin's ends after
 * `option_size`, an option ends after `help`. What comes after in memory must not be read.
 */
#include <stddef.h>
#include <stdint.h>

struct old_option {
	const char *name, *aliases, *metavar, *help;
};

struct old_plugin {
	uint32_t struct_size;
	uint16_t abi_major, abi_minor;
	int kind;
	unsigned flags;
	const char *name, *summary, *version, *license;
	const struct old_option *options;
	uint32_t option_size;
};

struct old_plugin_and_garbage {
	struct old_plugin plugin;
	uint32_t garbage[16];
};

static const struct old_option options[] = {
	{"first", "-f", NULL, "the first"},
	{"second", "-s", NULL, "the second"},
	{NULL, NULL, NULL, NULL},
};

extern const struct old_plugin_and_garbage perun_plugin_view_short;
__attribute__((visibility("default")))
const struct old_plugin_and_garbage perun_plugin_view_short = {
	.plugin =
		{
			.struct_size = offsetof(struct old_plugin, option_size) + sizeof(uint32_t),
			.abi_major = 1,
			.abi_minor = 0,
			.kind = 3,
			.name = "short",
			.summary = "an old one",
			.options = options,
			.option_size = sizeof *options,
		},
	.garbage = {0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef,
		    0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef,
		    0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef},
};
