/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of an address as the lines of a location. */
#include "collectors/common/symbol-lines.h"

bool collectors_symbol_lines(struct perun_builder *builder, const struct symbol *symbol,
			     symbol_name *name, void *data, struct perun_location *location)
{
	struct perun_line *lines;

	if (!symbol->count || !*symbol->lines[0].function)
		return false;
	lines = perun_alloc_zero(symbol->count, sizeof *lines);
	for (size_t i = 0; i < symbol->count; i++) {
		const struct symbol_line *line = &symbol->lines[i];
		struct perun_function function = {
			.name = name ? name(data, line->function)
				     : perun_builder_text(builder, line->function),
			.file = perun_builder_text(builder, line->source)};

		function.system_name = function.name;
		lines[i] =
			(struct perun_line){.function = perun_builder_function(builder, &function),
					    .line = line->line,
					    .column = line->column};
	}
	location->lines = lines;
	location->line_count = (uint32_t)symbol->count;
	return true;
}
