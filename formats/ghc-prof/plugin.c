/* SPDX-License-Identifier: BSD-3-Clause */
/* The plugin: which of the two forms a file has, and the names of cost centres. */
#include <stdlib.h>
#include <string.h>

#include "formats/common/plugin.h"
#include "ghc-prof.h"

/* "src/Main.hs:12:5-30", "Main.hs:(12,1)-(20,5)"; others, "<built-in>", are not places. */
perun_id ghc_location(struct stacks *stacks, struct perun_buffer *name, const char *module,
		      const char *label, const char *source)
{
	const char *colon = source ? strchr(source, ':') : NULL;
	struct stacks_frame frame = {0};

	perun_buffer_clear(name);
	perun_buffer_add_text(name, module);
	perun_buffer_add_text(name, *module ? "." : "");
	perun_buffer_add_text(name, label);
	frame.name = name->data;
	frame.length = name->length;
	if (colon && colon > source && *source != '<') {
		frame.file = source;
		frame.file_length = (size_t)(colon - source);
		frame.line = strtoll(colon + 1 + (colon[1] == '('), NULL, 10);
		frame.start_line = frame.line;
	}
	return stacks_frame(stacks, &frame);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct stacks *stacks = stacks_begin(ctx, builder, "ghc-prof", instance);
	char first = 0;
	size_t got;
	int status = perun_input_read(ctx, input, &first, 1, &got);

	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	if (!status)
		status = first == '{' ? ghc_read_json(ctx, input, stacks)
				      : ghc_read_text(ctx, input, stacks);
	return stacks_end(stacks, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (probe_has(probe, "Allocation Profiling Report"))
		return 95;
	return stacks_begins(probe, "{") && probe_has(probe, "\"cost_centres\"") ? 95 : 0;
}

static const char *const marks[] = {"Allocation Profiling Report", "\"cost_centres\"", NULL};

FORMAT_PLUGIN(ghc_prof, "ghc-prof", "cost centres of Haskell's GHC", stacks_option_table,
	      .open = stacks_open, .close = stacks_close, .patterns = "*.prof", .contains = marks,
	      .probe = probe_format, .read = read_format);
