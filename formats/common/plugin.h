/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a format plugin, and what probes look for. */
#ifndef FORMATS_COMMON_PLUGIN_H
#define FORMATS_COMMON_PLUGIN_H

#include <string.h>

#include <perun/format.h>

/* A whole plugin: its symbol, name, summary and options (or NULL), then members of struct perun_format_ops. */
#define FORMAT_PLUGIN(SYMBOL, NAME, SUMMARY, OPTIONS, ...)                 \
	static const struct perun_format_ops SYMBOL##_ops = {__VA_ARGS__}; \
	PERUN_PLUGIN(format, SYMBOL) = {                                   \
		PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, NAME, SUMMARY),       \
		.version = "1.0",                                          \
		.license = "BSD-3-Clause",                                 \
		PERUN_PLUGIN_OPTIONS(OPTIONS),                             \
		PERUN_PLUGIN_OPS(SYMBOL##_ops),                            \
	}

/* Whether a text is in what a probe sees. */
static inline bool probe_has(const struct perun_probe *probe, const char *text)
{
	return memmem(probe->data, probe->size, text, strlen(text)) != NULL;
}

/* Whether what a probe sees begins with a text. */
static inline bool probe_starts(const struct perun_probe *probe, const char *text)
{
	return probe->size >= strlen(text) && memcmp(probe->data, text, strlen(text)) == 0;
}

/*
 * At the start of an input that is to be read twice: one that cannot be read again, or would have to be inflated again, is
 * kept in memory from now on.
 */
static inline int keep_for_twice(struct perun_ctx *ctx, struct perun_input *input)
{
	const void *data;
	size_t size;

	return perun_input_size(input) >= 0 ? PERUN_OK
					    : perun_input_map(ctx, input, 0, &data, &size);
}

#endif
