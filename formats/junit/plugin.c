/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * junit: the times of test cases in the XML of JUnit; a case that occurs again is a repeat, unless it is in another
 * suite.
 */
#include <math.h>

#include "formats/common/benchmark-xml.h"

/* A case that was read: strings of the profile. */
struct timed {
	double seconds;       /* NaN: it failed */
	perun_id name, suite; /* suite 0: the name has it already */
};

/* Of a name, by its number. */
struct named {
	perun_id suite;    /* of its first case */
	bool met, several; /* several: it occurs in several suites */
};

struct test {
	struct perun_buffer name; /* of the open case */
	perun_id suite;
	bool open;
	struct timed *all;
	size_t count, room;
	struct named *names;
	size_t name_room;
	double seconds;
	bool timed, left_out; /* failed or skipped */
	bool failed;
	size_t failures;
	char *first_failure;
	struct perun_buffer suites;              /* "outer.inner." */
	size_t lengths[BENCHMARK_XML_DEPTH + 1]; /* of it before each of them */
	size_t depth;
};

#define MAX_NAME 4096

/* As GoogleTest and CTest say that a test did not run; its time is 0 then. */
static bool did_not_run(const char **attributes)
{
	static const char *const words[] = {"notrun", "disabled", "suppressed", "skipped"};
	const char *status = xml_attribute(attributes, "status");
	const char *result = xml_attribute(attributes, "result");

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if ((status && strcmp(status, words[i]) == 0) ||
		    (result && strcmp(result, words[i]) == 0))
			return true;
	}
	return false;
}

static void forget(struct test *test)
{
	test->open = test->timed = test->left_out = test->failed = false;
}

static void begin_test(struct benchmark_xml *xml, const char **attributes)
{
	const char *name = xml_attribute(attributes, "name");
	const char *class = xml_attribute(attributes, "classname");
	const char *time = xml_attribute(attributes, "time");
	struct test *test = xml->data;

	forget(test);
	if (!name) {
		benchmark_xml_fail(xml, "a test case with a name", NULL);
		return;
	}
	test->open = true;
	test->suite = 0;
	perun_buffer_clear(&test->name);
	if (class && *class) {
		perun_buffer_add_text(&test->name, class);
		perun_buffer_add_char(&test->name, '.');
		test->suite =
			perun_builder_string(xml->builder, test->suites.data, test->suites.length);
	} else {
		perun_buffer_add(&test->name, test->suites.data, test->suites.length);
	}
	perun_buffer_add_text(&test->name, name);
	test->left_out = did_not_run(attributes);
	test->timed = time && benchmark_xml_number(xml, time, "a time in seconds", &test->seconds);
}

/* Suites are within each other; tests that name no class are distinguished by them. */
static void begin_suite(struct test *test, const char *name)
{
	test->lengths[test->depth++] = test->suites.length;
	if (name && *name && test->suites.length + strlen(name) < MAX_NAME)
		perun_buffer_printf(&test->suites, "%s.", name);
}

static void end_suite(struct test *test)
{
	if (test->depth)
		test->suites.length = test->lengths[--test->depth];
}

static void begin(void *data, const char *element, const char **attributes)
{
	struct benchmark_xml *xml = data;
	struct test *test = xml->data;

	if (++xml->depth > BENCHMARK_XML_DEPTH)
		benchmark_xml_fail(xml, "fewer elements within each other", element);
	else if (strcmp(element, "testcase") == 0)
		begin_test(xml, attributes);
	else if (strcmp(element, "testsuite") == 0)
		begin_suite(test, xml_attribute(attributes, "name"));
	else if (strcmp(element, "failure") == 0 || strcmp(element, "error") == 0 ||
		 strcmp(element, "skipped") == 0)
		test->left_out = true;
	if (strcmp(element, "failure") == 0 || strcmp(element, "error") == 0)
		test->failed = true;
}

static void add_case(struct benchmark_xml *xml, struct test *test, double seconds)
{
	perun_id name = perun_builder_string(xml->builder, test->name.data, test->name.length);
	struct named *named;

	if (name >= test->name_room) {
		size_t room = test->name_room;

		test->name_room = (size_t)name * 2 + 64;
		test->names =
			perun_realloc_array(test->names, test->name_room, sizeof *test->names);
		memset(test->names + room, 0, (test->name_room - room) * sizeof *test->names);
	}
	named = &test->names[name];
	if (!named->met)
		*named = (struct named){.suite = test->suite, .met = true};
	named->several |= named->suite != test->suite;
	PERUN_GROW(test->all, test->count, test->room);
	test->all[test->count++] =
		(struct timed){.name = name, .suite = test->suite, .seconds = seconds};
}

static void end(void *data, const char *element)
{
	struct benchmark_xml *xml = data;
	struct test *test = xml->data;

	xml->depth--;
	if (strcmp(element, "testsuite") == 0)
		end_suite(test);
	if (strcmp(element, "testcase") != 0 || !test->open)
		return;
	if (test->failed && test->failures++ == 0)
		test->first_failure = perun_strdup(test->name.data);
	if (test->failed)
		add_case(xml, test, NAN);
	else if (test->timed && !test->left_out && !xml->status)
		add_case(xml, test, isnan(test->seconds) ? INFINITY : test->seconds);
	forget(test);
}

/* Cases whose names occur in several suites are distinguished by these. */
static void add_all(const struct benchmark_xml *xml, struct test *test)
{
	struct perun_buffer uid = {0};

	for (size_t i = 0; i < test->count; i++) {
		const struct timed *timed = &test->all[i];

		perun_buffer_clear(&uid);
		if (test->names[timed->name].several)
			perun_buffer_add_text(
				&uid, perun_builder_string_at(xml->builder, timed->suite, NULL));
		perun_buffer_add_text(&uid,
				      perun_builder_string_at(xml->builder, timed->name, NULL));
		if (isnan(timed->seconds))
			benchmark_failed(xml->benchmark, uid.data, "");
		else
			benchmark_time(xml->benchmark, uid.data, "real", timed->seconds);
	}
	perun_buffer_free(&uid);
	perun_buffer_free(&test->name);
	perun_free(test->names);
	perun_free(test->all);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct test test = {0};
	struct benchmark_xml xml = {.ctx = ctx, .builder = builder, .data = &test};
	int status;

	(void)instance;
	xml.benchmark = benchmark_begin(ctx, builder, "junit", input);
	status = benchmark_xml_parse(&xml, input, begin, end);
	add_all(&xml, &test);
	if (!status && test.failures)
		perun_warn(ctx, "%s: %zu test%s failed and %s left out, first %s",
			   perun_input_name(input), test.failures, test.failures == 1 ? "" : "s",
			   test.failures == 1 ? "is" : "are", test.first_failure);
	perun_free(test.first_failure);
	perun_buffer_free(&test.suites);
	return benchmark_end(xml.benchmark, status);
}

static int probe_format(const struct perun_probe *probe)
{
	if (probe->directory || !probe_has(probe, "<testsuite"))
		return 0;
	return probe_has(probe, "<testcase") ? 92 : 60;
}

static const char *const marks[] = {"<testsuite", NULL};

FORMAT_PLUGIN(junit, "junit", "times of tests in JUnit's XML", NULL, .contains = marks,
	      .probe = probe_format, .read = read_format);
