/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins until core/format is there: its own functions go before these weak ones. */
#include <perun/format.h>

#define WEAK __attribute__((weak))

WEAK struct perun_input *perun_input_from_memory(const char *name, const void *data, size_t size)
{
	(void)name, (void)data, (void)size;
	return NULL;
}

WEAK int perun_input_open(struct perun_ctx *ctx, const char *path, struct perun_input **input)
{
	(void)path;
	*input = NULL;
	return perun_fail(ctx, PERUN_MISSING, "no formats yet");
}

WEAK void perun_input_close(struct perun_input *input)
{
	(void)input;
}

WEAK int perun_input_map(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit,
			 const void **data, size_t *size)
{
	(void)input, (void)limit, (void)data, (void)size;
	return perun_fail(ctx, PERUN_MISSING, "no formats yet");
}

WEAK bool perun_input_is_directory(const struct perun_input *input)
{
	(void)input;
	return false;
}

WEAK int perun_read_profile(struct perun_ctx *ctx, struct perun_input *input, const char *format,
			    const char *const *options, struct perun_profile **profile,
			    const char **used)
{
	(void)input, (void)format, (void)options, (void)used;
	*profile = NULL;
	return perun_fail(ctx, PERUN_MISSING, "no formats yet");
}

WEAK int perun_read_profile_file(struct perun_ctx *ctx, const char *path,
				 struct perun_profile **profile)
{
	(void)path;
	*profile = NULL;
	return perun_fail(ctx, PERUN_MISSING, "no formats yet");
}

WEAK int perun_write_profile(struct perun_ctx *ctx, const struct perun_profile *profile,
			     const char *format, const char *const *options,
			     struct perun_output *output)
{
	(void)profile, (void)format, (void)options, (void)output;
	return perun_fail(ctx, PERUN_MISSING, "no formats yet");
}

WEAK struct perun_output *perun_output_to_buffer(struct perun_buffer *buffer)
{
	(void)buffer;
	return NULL;
}

WEAK struct perun_output *
perun_output_to_sink(int (*sink)(void *data, const void *bytes, size_t size), void *data)
{
	(void)sink, (void)data;
	return NULL;
}

WEAK int perun_output_commit(struct perun_ctx *ctx, struct perun_output *output)
{
	(void)ctx, (void)output;
	return PERUN_OK;
}

WEAK void perun_output_close(struct perun_output *output)
{
	(void)output;
}
