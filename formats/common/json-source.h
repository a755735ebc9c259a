/* SPDX-License-Identifier: BSD-3-Clause */
/* An input as the source of a JSON reader. */
#ifndef FORMATS_COMMON_JSON_SOURCE_H
#define FORMATS_COMMON_JSON_SOURCE_H

#include <perun/format.h>
#include <perun/json.h>

struct json_source {
	struct perun_ctx *ctx;
	struct perun_input *input;
};

/* What perun_json_reader_new() calls for more bytes; `data` is a struct json_source. */
static inline int json_source_read(void *data, void *memory, size_t size, size_t *got)
{
	struct json_source *source = data;

	return perun_input_read(source->ctx, source->input, memory, size, got);
}

#endif
