/* SPDX-License-Identifier: BSD-3-Clause */
/* catch2: the means of benchmarks in the XML of Catch2's reporter, and in what it prints. */
#include "formats/common/benchmark-xml.h"

#include "console.h"

/* The benchmarks' names begin with those of the open test cases and sections. */
struct places {
	struct perun_buffer name;
	size_t lengths[BENCHMARK_XML_DEPTH + 1]; /* of the name outside of each open element */
	bool in_results;
	struct perun_json *seen; /* how often each benchmark of the open test case was there */
};

static bool is_place(const char *element)
{
	return strcmp(element, "TestCase") == 0 || strcmp(element, "Section") == 0 ||
	       strcmp(element, "BenchmarkResults") == 0;
}

static void read_mean(struct benchmark_xml *xml, const char **attributes)
{
	struct places *places = xml->data;
	double nanoseconds, low, high;

	if (!benchmark_xml_number(xml, xml_attribute(attributes, "value"),
				  "the value of a mean in nanoseconds", &nanoseconds))
		return;
	catch2_number_again(&places->seen, &places->name);
	benchmark_time(xml->benchmark, places->name.data, "real", nanoseconds / 1e9);
	if (xml_attribute(attributes, "lowerBound") && xml_attribute(attributes, "upperBound") &&
	    benchmark_xml_number(xml, xml_attribute(attributes, "lowerBound"),
				 "a bound in nanoseconds", &low) &&
	    benchmark_xml_number(xml, xml_attribute(attributes, "upperBound"),
				 "a bound in nanoseconds", &high))
		benchmark_deviation(xml->benchmark, "time(real)", places->name.data,
				    (high - low) / 2 / BENCHMARK_INTERVAL_Z / nanoseconds);
}

static void begin(void *data, const char *element, const char **attributes)
{
	struct benchmark_xml *xml = data;
	struct places *places = xml->data;
	const char *name = xml_attribute(attributes, "name");

	if (xml->depth >= BENCHMARK_XML_DEPTH) {
		benchmark_xml_fail(xml, "fewer elements within each other", element);
		return;
	}
	places->lengths[xml->depth++] = places->name.length;
	if (strcmp(element, "Catch2TestRun") == 0)
		benchmark_command(xml->benchmark, name);
	if (is_place(element) && name) {
		if (places->name.length)
			perun_buffer_add_char(&places->name, '/');
		perun_buffer_add_text(&places->name, name);
	}
	if (strcmp(element, "BenchmarkResults") == 0) {
		places->in_results = true;
		if (!name)
			benchmark_xml_fail(xml, "results of a benchmark with a name", NULL);
	} else if (places->in_results && strcmp(element, "failed") == 0) {
		perun_buffer_add_char(&places->name, '\0');
		places->name.length--;
		benchmark_failed(xml->benchmark, places->name.data,
				 xml_attribute(attributes, "message"));
	} else if (places->in_results && strcmp(element, "mean") == 0) {
		read_mean(xml, attributes);
	}
}

static void end(void *data, const char *element)
{
	struct benchmark_xml *xml = data;
	struct places *places = xml->data;

	if (xml->depth == 0 || xml->status)
		return;
	places->name.length = places->lengths[--xml->depth];
	if (strcmp(element, "BenchmarkResults") == 0)
		places->in_results = false;
	if (strcmp(element, "TestCase") == 0) {
		perun_json_free(places->seen);
		places->seen = NULL;
	}
}

/* Fails where it is JSON. */
static int check_kind(struct perun_ctx *ctx, struct perun_input *input, bool *console)
{
	char first = '<';
	size_t got;
	int status = perun_input_read(ctx, input, &first, 1, &got);

	*console = first != '<';

	if (!status)
		status = perun_input_skip_to_start(ctx, input);
	if (!status && first == '{')
		status = perun_fail(ctx, PERUN_INPUT,
				    "it is of Catch2's reporter json, which leaves benchmarks out; "
				    "run the tests with --reporter xml");
	return status;
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct places places = {0};
	struct benchmark_xml xml = {.ctx = ctx, .data = &places};
	bool console;
	int status;

	(void)instance;
	status = check_kind(ctx, input, &console);
	if (status)
		return status;
	xml.benchmark = benchmark_begin(ctx, builder, "catch2", input);
	if (console)
		status = catch2_read_console(ctx, input, xml.benchmark);
	else
		status = benchmark_xml_parse(&xml, input, begin, end);
	perun_buffer_free(&places.name);
	perun_json_free(places.seen);
	return benchmark_end(xml.benchmark, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory)
		return 0;
	if (catch2_probe_console(probe))
		return 92;
	if (probe_has(probe, "<BenchmarkResults"))
		return 95;
	if (probe_has(probe, "\"catch2-version\"") && probe_has(probe, "\"rng-seed\""))
		return 90;
	return probe_has(probe, "<Catch2TestRun") ? 90 : 0;
}

static const char *const marks[] = {"\nbenchmark name ", "<BenchmarkResults", "\"catch2-version\"",
				    "<Catch2TestRun", NULL};

FORMAT_PLUGIN(catch2, "catch2", "benchmarks of Catch2", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
