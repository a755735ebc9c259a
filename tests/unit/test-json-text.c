/* SPDX-License-Identifier: BSD-3-Clause */
/* The layouts that the view `raw` gives JSON text. */
#include <config.h>

#include <perun/json.h>

#include "tests/unit/check.h"
#include "views/raw/json-text.h"

static char *pass(const char *json, size_t piece, struct json_text text)
{
	struct perun_buffer result = {0};
	size_t length = strlen(json);

	text.output = perun_output_to_buffer(&result);
	for (size_t at = 0; at < length; at += piece)
		CHECK_INT(
			json_text_add(&text, json + at, at + piece < length ? piece : length - at),
			PERUN_OK);
	CHECK_INT(json_text_finish(&text), PERUN_OK);
	CHECK_INT(perun_output_commit(NULL, text.output), PERUN_OK);
	perun_output_close(text.output);
	return perun_buffer_take(&result);
}

static const char sample[] =
	"{\"a\": {}, \"b\\\"c\": [], \"d\": [1, -2.5e+16, {\"e\": \"x: {y}, [z]\\\\\"}, [[]]], "
	"\"f\": true, \"g\": null, \"h\": NaN}";

/* Text in pieces of any size, indented as the library's writer does it. */
TEST(test_indented)
{
	struct perun_json *parsed;
	struct perun_buffer expected = {0};

	CHECK_INT(perun_json_parse(NULL, sample, strlen(sample), NULL, &parsed), PERUN_OK);
	for (unsigned indent = 0; indent < 5; indent++) {
		perun_buffer_clear(&expected);
		perun_json_print(parsed, &expected, PERUN_JSON_INDENTED, indent);
		perun_buffer_add_char(&expected, '\n');
		perun_buffer_add(&expected, "", 1);
		for (size_t piece = 1; piece < 20; piece++) {
			char *text = pass(sample, piece, (struct json_text){.indent = indent});

			CHECK_STR(text, expected.data);
			perun_free(text);
		}
	}
	perun_json_free(parsed);
	perun_buffer_free(&expected);
}

TEST(test_one_line)
{
	char *text = pass(sample, 7, (struct json_text){.one_line = true});

	CHECK_INT(strncmp(text, sample, strlen(sample)), 0);
	CHECK_STR(text + strlen(sample), "\n");
	perun_free(text);
	text = pass("{ \"a\":[1,2],\n\"b\":\t\"c\" }", 3, (struct json_text){.one_line = true});
	CHECK_STR(text, "{\"a\": [1, 2], \"b\": \"c\"}\n");
	perun_free(text);
	text = pass("17", 1, (struct json_text){.one_line = true});
	CHECK_STR(text, "17\n");
	perun_free(text);
}

TEST(test_color)
{
	char *text = pass("{\"a\": [\"b\", 1, null]}", 2,
			  (struct json_text){.one_line = true, .color = true});

	CHECK_STR(text, "{\033[34;1m\"a\"\033[0m: [\033[32m\"b\"\033[0m, \033[36m1\033[0m, "
			"\033[35mnull\033[0m]}\n");
	perun_free(text);
}

static int refuse(void *data, const void *bytes, size_t size)
{
	(void)data;
	(void)bytes;
	(void)size;
	return PERUN_INPUT;
}

TEST(test_failing_output)
{
	struct json_text text = {.output = perun_output_to_sink(refuse, NULL)};
	char *long_text = perun_alloc(200002);

	memset(long_text, '1', 200001);
	json_text_add(&text, long_text, 200001);
	json_text_finish(&text);
	CHECK_INT(perun_output_commit(NULL, text.output), PERUN_INPUT);
	perun_output_close(text.output);
	perun_free(long_text);
}

CHECK_MAIN(, )
