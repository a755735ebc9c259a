/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: a deep copy is text with tabs, an export of xctrace is XML. */
#include "formats/common/plugin.h"
#include "instruments.h"

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct stacks *stacks = stacks_begin(ctx, builder, "instruments", NULL);
	char first = 0;
	size_t got;
	int status = perun_input_read(ctx, input, &first, 1, &got);

	(void)instance;
	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	if (!status)
		status = first == '<' ? instruments_read_xml(ctx, input, stacks)
				      : instruments_read_copy(ctx, input, stacks);
	return stacks_end(stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (stacks_begins(probe, "<") && probe_has(probe, "<trace-query-result"))
		return 95;
	return probe_has(probe, "\tSymbol Name") && (stacks_begins(probe, "Running Time") ||
						     stacks_begins(probe, "Bytes Used") ||
						     stacks_begins(probe, "Weight"))
		       ? 95
		       : 0;
}

static const char *const marks[] = {"<trace-query-result", "\tSymbol Name", NULL};

FORMAT_PLUGIN(instruments, "instruments", "exports of Xcode's Instruments", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
