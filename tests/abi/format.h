/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A format for the tests of probing, for files that define FORMAT (its name), LETTER (the first byte that it
 * knows) and SURE (its answer).
 */
#include <perun/format.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

static int probe(const struct perun_probe *probe)
{
	return probe->size && *(const char *)probe->data == LETTER ? SURE : 0;
}

static int read_nothing(void *instance, struct perun_ctx *ctx, struct perun_input *input,
			struct perun_builder *builder)
{
	(void)instance;
	(void)ctx;
	(void)input;
	(void)builder;
	return PERUN_OK;
}

static const struct perun_format_ops ops = {
	.patterns = "*." TEXT(FORMAT), .probe = probe, .read = read_nothing};

#define DEFINE(name) PERUN_PLUGIN(format, name)
DEFINE(FORMAT) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, TEXT(FORMAT), "a test"),
	PERUN_PLUGIN_OPS(ops),
};
