/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * junit: the times of test cases in the XML of JUnit; a case that occurs again is a repeat, unless it is in another
 * suite.
 */
#include "formats/common/benchmark-xml.h"

/* A case that was read. */
struct timed {
	char *name;
	const char *suite; /* "" where the name has it already */
	double seconds;
	bool several; /* the name occurs in several suites */
};

struct test {
	char *name;
	const char *suite;
	struct timed *all;
	size_t count, room;
	char **kept; /* names of suites: many cases have the last one */
	size_t kept_count, kept_room;
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
	perun_free(test->name);
	test->name = NULL;
	test->timed = test->left_out = test->failed = false;
}

static const char *keep_suite(struct test *test)
{
	const char *suite = test->suites.length ? test->suites.data : "";
	char *last = test->kept_count ? test->kept[test->kept_count - 1] : NULL;

	if (last && strlen(last) == test->suites.length &&
	    memcmp(last, suite, test->suites.length) == 0)
		return last;
	PERUN_GROW(test->kept, test->kept_count, test->kept_room);
	return test->kept[test->kept_count++] = perun_strndup(suite, test->suites.length);
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
	if (class && *class) {
		test->name = perun_format("%s.%s", class, name);
		test->suite = keep_suite(test);
	} else {
		test->name = perun_format("%.*s%s", (int)test->suites.length,
					  test->suites.length ? test->suites.data : "", name);
		test->suite = "";
	}
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

static void end(void *data, const char *element)
{
	struct benchmark_xml *xml = data;
	struct test *test = xml->data;

	xml->depth--;
	if (strcmp(element, "testsuite") == 0)
		end_suite(test);
	if (strcmp(element, "testcase") != 0 || !test->name)
		return;
	if (test->failed && test->failures++ == 0)
		test->first_failure = perun_strdup(test->name);
	if (test->failed)
		benchmark_failed(xml->benchmark, test->name, "");
	if (test->timed && !test->left_out && !xml->status) {
		PERUN_GROW(test->all, test->count, test->room);
		test->all[test->count++] = (struct timed){
			.name = test->name, .suite = test->suite, .seconds = test->seconds};
		test->name = NULL;
	}
	forget(test);
}

static int by_name(const void *one, const void *other)
{
	const struct timed *const *a = one, *const *b = other;

	return strcmp((*a)->name, (*b)->name);
}

/* Cases whose names occur in several suites are distinguished by these. */
static void mark_several(struct test *test)
{
	struct timed **order = perun_alloc_zero(test->count + 1, sizeof(struct timed *));

	for (size_t i = 0; i < test->count; i++)
		order[i] = &test->all[i];
	qsort(order, test->count, sizeof *order, by_name);
	for (size_t i = 0, end; i < test->count; i = end) {
		bool several = false;

		for (end = i + 1; end < test->count && by_name(&order[i], &order[end]) == 0; end++)
			several |= strcmp(order[i]->suite, order[end]->suite) != 0;
		for (size_t k = i; k < end; k++)
			order[k]->several = several;
	}
	perun_free(order);
}

static void add_all(struct benchmark *benchmark, struct test *test)
{
	mark_several(test);
	for (size_t i = 0; i < test->count; i++) {
		struct timed *timed = &test->all[i];
		char *uid = perun_format("%s%s", timed->several ? timed->suite : "", timed->name);

		benchmark_time(benchmark, uid, "real", timed->seconds);
		perun_free(uid);
		perun_free(timed->name);
	}
	for (size_t i = 0; i < test->kept_count; i++)
		perun_free(test->kept[i]);
	perun_free(test->kept);
	perun_free(test->all);
}

static int read_format(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		       struct perun_builder *builder)
{
	struct test test = {0};
	struct benchmark_xml xml = {.ctx = ctx, .data = &test};
	int status;

	(void)instance;
	xml.benchmark = benchmark_begin(ctx, builder, "junit", input);
	status = benchmark_xml_parse(&xml, input, begin, end);
	forget(&test);
	add_all(xml.benchmark, &test);
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
