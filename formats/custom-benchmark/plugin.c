/* SPDX-License-Identifier: BSD-3-Clause */
/* custom-benchmark: the custom JSON of github-action-benchmark: a list of {name, unit, value, range}. */
#include <string.h>

#include "formats/common/benchmark.h"

static int read_item(struct perun_ctx *ctx, struct benchmark *benchmark,
		     const struct perun_json *item, size_t at)
{
	char *where = perun_format("[%zu]", at);
	const struct perun_json *name;
	const char *unit = perun_json_as_string(perun_json_get(item, "unit"), NULL), *text;
	double value;
	int status = benchmark_member(ctx, item, where, "name", PERUN_JSON_TYPE_STRING, &name);

	text = perun_json_as_string(perun_json_get(item, "value"), NULL);
	if (!status && !perun_json_as_double(perun_json_get(item, "value"), &value) &&
	    !(text && perun_json_parse_double(text, strlen(text), &value)))
		status = perun_fail(ctx, PERUN_INPUT, "expected %s.value to be a number", where);
	if (!status)
		benchmark_in_unit(benchmark, perun_json_as_string(name, NULL), "real", "value",
				  unit ? unit : "", value);
	perun_free(where);
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct benchmark *benchmark;
	struct perun_json *document;
	int status = benchmark_any_document(ctx, input, &document);

	(void)instance;
	if (status)
		return status;
	benchmark = benchmark_begin(ctx, builder, "custom-benchmark", input);
	if (perun_json_type(document) != PERUN_JSON_TYPE_ARRAY)
		status = perun_fail(ctx, PERUN_INPUT, "expected a list of results");
	for (size_t i = 0; !status && i < perun_json_count(document); i++)
		status = read_item(ctx, benchmark, perun_json_at(document, i), i);
	status = benchmark_end(benchmark, status);
	perun_json_free(document);
	return status;
}

/* A list whose first object has these keys. */
static int probe_format(const struct perun_probe *probe)
{
	const char *text = probe->data, *end;
	struct perun_probe first = *probe;

	if (probe->directory)
		return 0;
	while (first.size && strchr(" \t\r\n", *text) && *text) {
		text++;
		first.size--;
	}
	if (!first.size || *text != '[')
		return 0;
	end = memchr(text, '}', first.size);
	first.data = text;
	first.size = end ? (size_t)(end - text) : first.size;
	return probe_has(&first, "\"name\"") && probe_has(&first, "\"unit\"") &&
			       probe_has(&first, "\"value\"") && !probe_has(&first, "\"ph\"")
		       ? 85
		       : 0;
}

static const struct perun_format_ops ops = {
	.probe = probe_format,
	.read = read_format,
};

PERUN_PLUGIN(format, custom_benchmark) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "custom-benchmark",
			  "custom JSON of github-action-benchmark"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPS(ops),
};
