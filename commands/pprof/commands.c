/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of reports. */
#include <string.h>

#include "report.h"

#define NEEDS_A_VIEWER                                                              \
	"it opens another program; write a file instead: -svg -output=FILE, -dot, " \
	"-callgrind"

/* In the order of -help. */
const struct pprof_command pprof_commands[] = {
	{.name = "top",
	 .help = "the functions that cost most",
	 .run = pprof_report_top,
	 .all_nodes = true},
	{.name = "text", .help = "the same as -top", .run = pprof_report_top, .all_nodes = true},
	{.name = "tree",
	 .help = "each function with its callers and callees",
	 .run = pprof_report_tree},
	{.name = "peek",
	 .help = "the same for the functions that match REGEX",
	 .run = pprof_report_tree,
	 .pattern = true,
	 .untrimmed = true},
	{.name = "list",
	 .help = "annotated source of the functions that match REGEX",
	 .run = pprof_report_list,
	 .pattern = true,
	 .untrimmed = true,
	 .lines = true},
	{.name = "weblist",
	 .help = "the same as a page of HTML, with machine code",
	 .run = pprof_report_weblist,
	 .pattern = true,
	 .untrimmed = true,
	 .lines = true,
	 .code = true},
	{.name = "disasm",
	 .help = "annotated machine code of the functions that match REGEX",
	 .run = pprof_report_disasm,
	 .pattern = true,
	 .untrimmed = true,
	 .code = true},
	{.name = "traces", .help = "every sample with its stack", .run = pprof_report_traces},
	{.name = "tags", .help = "the labels and what they cost", .run = pprof_report_tags},
	{.name = "comments", .help = "the comments of the profile", .run = pprof_report_comments},
	{.name = "raw",
	 .help = "all that the profile holds, as text",
	 .run = pprof_report_raw,
	 .addresses = true},
	{.name = "proto",
	 .help = "the profile as profile.proto, gzipped",
	 .run = pprof_report_proto,
	 .addresses = true,
	 .binary = true},
	{.name = "topproto",
	 .help = "the values of -top as profile.proto",
	 .run = pprof_report_topproto,
	 .all_nodes = true,
	 .binary = true},
	{.name = "callgrind",
	 .help = "the graph for KCachegrind",
	 .run = pprof_report_callgrind,
	 .addresses = true},
	{.name = "dot", .help = "the graph for graphviz", .run = pprof_report_dot},
	{.name = "svg",
	 .help = "the graph drawn by graphviz, as SVG",
	 .run = pprof_report_image,
	 .dot = "svg"},
	{.name = "png",
	 .help = "the same as PNG",
	 .run = pprof_report_image,
	 .dot = "png",
	 .binary = true},
	{.name = "gif",
	 .help = "the same as GIF",
	 .run = pprof_report_image,
	 .dot = "gif",
	 .binary = true},
	{.name = "pdf",
	 .help = "the same as PDF",
	 .run = pprof_report_image,
	 .dot = "pdf",
	 .binary = true},
	{.name = "ps", .help = "the same as PostScript", .run = pprof_report_image, .dot = "ps"},
	{.name = "web", .refusal = NEEDS_A_VIEWER},
	{.name = "gv", .refusal = NEEDS_A_VIEWER},
	{.name = "eog", .refusal = NEEDS_A_VIEWER},
	{.name = "evince", .refusal = NEEDS_A_VIEWER},
	{.name = "kcachegrind", .refusal = NEEDS_A_VIEWER},
	{.name = NULL},
};

const struct pprof_command *pprof_find_command(const char *name)
{
	for (const struct pprof_command *command = pprof_commands; command->name; command++) {
		if (strcmp(command->name, name) == 0)
			return command;
	}
	return NULL;
}
