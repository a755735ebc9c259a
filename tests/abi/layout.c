/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The layouts of version 1.0 of the interface, as compilers for 64-bit Linux have them: that this file compiles is the
 * test. A struct that grows keeps the place of what was its last member; one that is fixed keeps its size.
 */
#include <perun/check.h>
#include <perun/collect.h>
#include <perun/command.h>
#include <perun/json.h>
#include <perun/postprocess.h>
#include <perun/query.h>
#include <perun/regex.h>
#include <perun/store.h>
#include <perun/view.h>

#ifdef __LP64__
#define GROWS(NAME, MEMBER, PLACE) \
	_Static_assert(offsetof(struct perun_##NAME, MEMBER) == (PLACE), "struct perun_" #NAME)
#define FIXED(NAME, SIZE) \
	_Static_assert(sizeof(struct perun_##NAME) == (SIZE), "struct perun_" #NAME)

GROWS(interval_change, to, 24);
GROWS(change, more, 152);
GROWS(comparison, step, 96);
GROWS(check_ops, history_decides, 50);
GROWS(collect_job, quick, 64);
GROWS(collect_ops, once, 56);
GROWS(command_call, verbose, 72);
GROWS(command, run, 32);
GROWS(handlers, confirm, 48);
FIXED(buffer, 24);
GROWS(probe, inner_count, 64);
FIXED(magic, 16);
GROWS(format_ops, writes_directory, 56);
FIXED(json_token, 40);
GROWS(json_options, sequence, 32);
FIXED(json_error, 288);
FIXED(json_batch, 40);
GROWS(option, maximum, 72);
GROWS(subcommand, option_size, 24);
GROWS(plugin, ops_size, 104);
GROWS(postprocess_ops, describe, 48);
FIXED(column_info, 48);
FIXED(function, 32);
FIXED(mapping, 48);
FIXED(line, 24);
FIXED(location, 40);
FIXED(label, 24);
FIXED(span, 40);
GROWS(metric, rows, 88);
GROWS(groups, texts, 72);
FIXED(sort_key, 16);
FIXED(model, 72);
FIXED(regex_group, 16);
GROWS(entry, postprocessors, 128);
FIXED(entries, 32);
GROWS(add_options, expand, 7);
GROWS(added, error, 88);
GROWS(stored_change, command, 24);
FIXED(stored_changes, 32);
GROWS(gc_options, dry_run, 16);
GROWS(minor_version, authored, 64);
GROWS(major_version, head, 16);
FIXED(vcs_parameter, 16);
GROWS(vcs_ops, is_tracked, 192);
GROWS(canvas, screen, 26);
GROWS(view_ops, interactive, 40);

#endif
