/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings: YAML, precedence, changing single lines. */
#include <perun/json.h>

#include "core/config/config.h"
#include "tests/unit/store-help.h"

static void check_yaml(const char *yaml, const char *expected)
{
	struct perun_json *document = NULL;
	struct perun_buffer text = {0};

	if (perun_yaml_parse(help_ctx, "x.yml", yaml, strlen(yaml), &document))
		perun_buffer_add_text(&text, help_error());
	else
		perun_json_print(document, &text, PERUN_JSON_PYTHON, 0);
	CHECK_STR(text.data, expected);
	perun_buffer_free(&text);
	perun_json_free(document);
}

TEST(test_yaml)
{
	check_yaml("", "{}");
	check_yaml("# nothing\n", "{}");
	check_yaml("a: 1\nb: [x, 1.5, true, ~, \"2\", '3', 0x10, -7, 1e3, 007, yes]\n",
		   "{\"a\": 1, \"b\": [\"x\", 1.5, true, null, \"2\", \"3\", 16, -7, 1000.0, 7, "
		   "\"yes\"]}");
	check_yaml("a:\n  b:\n  - c: d\n    e: |\n      f\n", "{\"a\": {\"b\": [{\"c\": \"d\", "
							      "\"e\": \"f\\n\"}]}}");
	check_yaml("a: &x {b: 1}\nc: *x\n", "{\"a\": {\"b\": 1}, \"c\": {\"b\": 1}}");
	check_yaml("a: .inf\nb: -.INF\nc: +12\nd: 12345678901234567890123\ne: .5\nf: 1.\n",
		   "{\"a\": Infinity, \"b\": -Infinity, \"c\": 12, \"d\": 12345678901234567890123, "
		   "\"e\": 0.5, \"f\": 1.0}");
}

TEST(test_yaml_errors)
{
	check_yaml("a: 1\nb: [\n",
		   "x.yml: line 3, column 1: not valid YAML: did not find expected node content");
	check_yaml(
		"a: b: c\n",
		"x.yml: line 1, column 5: not valid YAML: mapping values are not allowed in this "
		"context");
	check_yaml("a: 1\na: 2\n", "x.yml: line 2, column 1: this key is there twice: a");
	check_yaml("[a]: 1\n", "x.yml: line 1, column 1: a key must be a text");
	check_yaml("a: *x\n", "x.yml: line 1, column 4: not valid YAML: found undefined alias");
	check_yaml("a: \"\xff\"\n", "x.yml: byte 5: invalid leading UTF-8 octet");
	/* Aliases that make 10^9 values of a few lines. */
	check_yaml("a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
		   "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
		   "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"
		   "g: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n",
		   "x.yml: line 1, column 26: too many values");
}

static void check_set(const char *before, const char *key, const char *value, const char *after)
{
	struct perun_buffer out = {0};
	int status = perun_yaml_set(help_ctx, "x.yml", before, strlen(before), key, value, &out);

	if (status) {
		perun_buffer_clear(&out);
		perun_buffer_add_text(&out, help_error());
	}
	CHECK_STR(out.data, after);
	perun_buffer_free(&out);
}

TEST(test_set_replaces)
{
	check_set("a: 1 # one\nb: 2\n", "a", "3", "a: 3 # one\nb: 2\n");
	check_set("# x\na:\n  b: 'old'   # c\n  d: 1\n", "a.b", "new",
		  "# x\na:\n  b: new   # c\n  d: 1\n");
	check_set("a:\n  - x\n  - y # z\nb: 1\n", "a", "[p, q]", "a: [p, q]\nb: 1\n");
	check_set("a: # list\n- x\n- y\n\n# b\nb: 1\n", "a", "s", "a: s # list\n\n# b\nb: 1\n");
	check_set("a: |\n  x\n  y\nb: 1\n", "a", "z", "a: z\nb: 1\n");
	check_set("a:\nb: 1\n", "a", "z", "a: z\nb: 1\n");
	check_set("a: {b: 1, c: [2, 3]} # d\n", "a.c", "4", "a: {b: 1, c: 4} # d\n");
	check_set("a: [1,\n  2]\nb: 3\n", "a", "x", "a: x\nb: 3\n");
	check_set("\xc3\xa4: 1 # \xe2\x94\x83\na: 1", "a", "2", "\xc3\xa4: 1 # \xe2\x94\x83\na: 2");
	check_set("\"a\" : 1\n", "a", "2", "\"a\" : 2\n");
}

TEST(test_set_adds)
{
	check_set("", "a", "1", "a: 1\n");
	check_set("# c\n", "a.b.c", "1", "# c\na:\n  b:\n    c: 1\n");
	check_set("a: 1", "b.c", "x", "a: 1\nb:\n  c: x\n");
	check_set("a:\n   b: 1 # x\n# y\nc: 2\n", "a.d", "3",
		  "a:\n   b: 1 # x\n   d: 3\n# y\nc: 2\n");
	check_set("a:\n  b:\n    - 1\n    - k: |\n        text\n\nc: 2\n", "a.d.e", "3",
		  "a:\n  b:\n    - 1\n    - k: |\n        text\n  d:\n    e: 3\n\nc: 2\n");
	check_set("a: {}\n", "a.b.c", "1", "a: {b: {c: 1}}\n");
	check_set("a: {x: 1}\n", "a.b", "[1]", "a: {x: 1, b: [1]}\n");
	check_set("{x: 1}\n", "a.b", "c", "{x: 1, a: {b: c}}\n");
	check_set("a: # nothing\nb: 1\n", "a.c", "d", "a: # nothing\n  c: d\nb: 1\n");
	check_set("a: null\nb: 1\n", "a.c", "d", "a: \n  c: d\nb: 1\n");
}

TEST(test_set_quotes)
{
	check_set("a: 1\n", "a", "x # y", "a: \"x # y\"\n");
	check_set("a: 1\n", "a", "", "a: \"\"\n");
	check_set("a: 1\n", "a", "\xe2\x94\x83 %type%", "a: \xe2\x94\x83 %type%\n");
	check_set("a: 1\n", "a", "two\nlines \"q\" \\", "a: \"two\\nlines \\\"q\\\" \\\\\"\n");
	check_set("a: {b: 1}\n", "a.b", "x, y", "a: {b: \"x, y\"}\n");
	check_set("a: 1\n", "a", "k: v", "a: \"k: v\"\n");
	check_set("a: 1\n", "a", "[x", "a: \"[x\"\n");
	check_set("a: 1\n", "a", "*x", "a: \"*x\"\n");
	check_set("a: 1\n", "a", "{b: [1, 'x']}", "a: {b: [1, 'x']}\n");
}

TEST(test_set_refuses)
{
	check_set("a: 1\n", "a.b", "2",
		  "x.yml: a.b cannot be set without changing more; please edit the file");
	check_set("a: &x 1\nb: *x\n", "b", "2",
		  "x.yml: b cannot be set without changing more; please edit the file");
	check_set("a: &x 1\nb: *x\n", "a", "2",
		  "x.yml: a cannot be set without changing more; please edit the file");
	check_set("- a\n", "a", "2", "x.yml: expected keys with values");
	check_set("a: [\n", "a", "2",
		  "x.yml: line 2, column 1: not valid YAML: did not find expected node content");
}

static char *get(struct perun_store *store, enum perun_config_scope scope, const char *key)
{
	static char *text;

	perun_free(text);
	text = NULL;
	if (perun_config_get(help_ctx, store, scope, key, &text))
		text = perun_strdup(help_error());
	return text;
}

TEST(test_precedence)
{
	struct perun_store *store = help_store("precedence");
	struct perun_json *list;
	struct perun_buffer text = {0};

	CHECK_STR(get(store, PERUN_CONFIG_NEAREST, "format.sort_profiles_by"), "time");
	CHECK_STR(get(store, PERUN_CONFIG_LOCAL, "format.sort_profiles_by"), NULL);
	CHECK_INT(perun_config_set(help_ctx, store, PERUN_CONFIG_SHARED, "format.sort_profiles_by",
				   "source"),
		  PERUN_OK);
	CHECK_STR(get(store, PERUN_CONFIG_NEAREST, "format.sort_profiles_by"), "source");
	CHECK_STR(get(NULL, PERUN_CONFIG_NEAREST, "format.sort_profiles_by"), "source");
	CHECK_INT(perun_config_set(help_ctx, store, PERUN_CONFIG_NEAREST, "format.sort_profiles_by",
				   "type"),
		  PERUN_OK);
	CHECK_STR(get(store, PERUN_CONFIG_NEAREST, "format.sort_profiles_by"), "type");
	CHECK_STR(get(store, PERUN_CONFIG_LOCAL, "format.sort_profiles_by"), "type");
	CHECK_INT(perun_config_set_runtime(help_ctx, store, "format.sort_profiles_by", "cmd"),
		  PERUN_OK);
	CHECK_STR(get(store, PERUN_CONFIG_NEAREST, "format.sort_profiles_by"), "cmd");
	CHECK_STR(get(store, PERUN_CONFIG_SHARED, "format.sort_profiles_by"), "source");
	CHECK_STR(get(store, PERUN_CONFIG_NEAREST, "vcs.url"), "..");
	CHECK_STR(get(store, PERUN_CONFIG_NEAREST, "no.such"), NULL);
	CHECK_CONTAINS(get(store, PERUN_CONFIG_NEAREST, "no..such"), "is not a key");

	CHECK_INT(perun_config_set(help_ctx, store, PERUN_CONFIG_LOCAL, "degradation.strategies",
				   "[{method: bmoe}]"),
		  PERUN_OK);
	perun_config_set_runtime(help_ctx, store, "degradation.strategies", "x");
	CHECK_INT(perun_config_gather(help_ctx, store, "degradation.strategies", &list), PERUN_OK);
	perun_json_print(list, &text, PERUN_JSON_PYTHON, 0);
	CHECK_STR(text.data, "[\"x\", {\"method\": \"bmoe\"}, {\"method\": \"shift\"}]");
	perun_buffer_free(&text);
	perun_json_free(list);
	get(NULL, PERUN_CONFIG_SHARED, "no.such");
	perun_store_close(store);
}

TEST(test_broken_file)
{
	struct perun_store *store = help_store("broken");
	size_t size;
	char *text;

	help_text("broken/.perun/local.yml", "vcs:\n  type: [git\n");
	CHECK_CONTAINS(get(store, PERUN_CONFIG_NEAREST, "vcs.type"),
		       "broken/.perun/local.yml: line 3, column 1: ");
	CHECK(perun_config_set(help_ctx, store, PERUN_CONFIG_LOCAL, "a", "b") == PERUN_INPUT);
	help_error();
	text = help_read("broken/.perun/local.yml", &size);
	CHECK_STR(text, "vcs:\n  type: [git\n");
	free(text);
	help_text("broken/.perun/local.yml", "just text\n");
	CHECK_CONTAINS(get(store, PERUN_CONFIG_NEAREST, "vcs.type"),
		       "expected keys with values, found a string");
	get(NULL, PERUN_CONFIG_SHARED, "no.such");
	perun_store_close(store);
}

TEST(test_shared_file)
{
	char *path;

	setenv("PERUN_CONFIG_DIR", "/proc/nowhere", 1);
	CHECK_STR(get(NULL, PERUN_CONFIG_NEAREST, "general.editor"), "vim");
	CHECK(perun_config_path(help_ctx, NULL, PERUN_CONFIG_SHARED, &path) == PERUN_INPUT);
	CHECK_CONTAINS(help_error(), "/proc/nowhere/shared.yml");
	setenv("PERUN_CONFIG_DIR", "new/deep", 1);
	CHECK_INT(perun_config_path(help_ctx, NULL, PERUN_CONFIG_SHARED, &path), PERUN_OK);
	CHECK_STR(path, "new/deep/shared.yml");
	perun_free(path);
	CHECK(access("new/deep/shared.yml", R_OK) == 0);
	unsetenv("PERUN_CONFIG_DIR");
	setenv("XDG_CONFIG_HOME", help_directory, 1);
	CHECK_INT(perun_config_path(help_ctx, NULL, PERUN_CONFIG_SHARED, &path), PERUN_OK);
	CHECK_CONTAINS(path, "/perun/shared.yml");
	perun_free(path);
	setenv("PERUN_CONFIG_DIR", help_directory, 1);
	get(NULL, PERUN_CONFIG_SHARED, "no.such");
}

/* Each setting of the built-in ones is found, and no word of theirs where it is none. */
static void check_defaults(const struct perun_json *document, const char *above)
{
	for (size_t i = 0; i < perun_json_count(document); i++) {
		const struct perun_json *value = perun_json_at(document, i);
		char *key = perun_format("%s%s%s", above, *above ? "." : "",
					 perun_json_key_at(document, i, NULL));
		struct perun_json *found = NULL;

		CHECK_INT(perun_config_document(help_ctx, NULL, PERUN_CONFIG_NEAREST, key, &found),
			  PERUN_OK);
		CHECK(found && perun_json_equal(found, value));
		perun_json_free(found);
		if (perun_json_type(value) == PERUN_JSON_TYPE_OBJECT)
			check_defaults(value, key);
		perun_free(key);
	}
}

TEST(test_defaults)
{
	static const char *const none[] = {"format.time", "general.format",     "step",
					   "format.stat", "format.status.step", "formats"};
	struct perun_json *document = NULL, *value = NULL;

	setenv("PERUN_CONFIG_DIR", "none", 1);
	REQUIRE(perun_yaml_parse(help_ctx, "t", perun_config_defaults,
				 strlen(perun_config_defaults), &document) == 0);
	CHECK(perun_json_count(document) >= 4);
	check_defaults(document, "");
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		CHECK_INT(perun_config_document(help_ctx, NULL, PERUN_CONFIG_NEAREST, none[i],
						&value),
			  PERUN_OK);
		CHECK(!value);
	}
	perun_json_free(document);
	setenv("PERUN_CONFIG_DIR", help_directory, 1);
}

TEST(test_templates)
{
	static const char *const names[] = {"master", "developer", "user"};

	for (size_t i = 0; i < 3; i++) {
		struct perun_json *document = NULL;
		char *text;
		bool log = false;

		CHECK_INT(perun_config_template(help_ctx, names[i], "git", "..", &text), PERUN_OK);
		CHECK_INT(perun_yaml_parse(help_ctx, "t", text, strlen(text), &document), PERUN_OK);
		CHECK_STR(perun_json_as_string(perun_json_path(document, "/vcs/url"), NULL), "..");
		CHECK(!strstr(text, "strategy:"));
		CHECK(perun_json_as_bool(perun_json_path(document, "/degradation/log_collect"),
					 &log) == (i > 0));
		CHECK((perun_json_path(document, "/collectors/0/params/repeat") != NULL) ==
		      (i == 2));
		perun_json_free(document);
		perun_free(text);
	}
	char *text;

	CHECK_INT(perun_config_template(help_ctx, "none", "git", "..", &text), PERUN_USAGE);
	CHECK_CONTAINS(help_error(), "there is no template 'none'");
}

TEST(test_active_examples)
{
	/* What the templates have as comments is right when the marks are taken away. */
	struct perun_json *document = NULL;
	struct perun_buffer plain = {0};
	char *text;

	CHECK_INT(perun_config_template(help_ctx, "master", "git", "..", &text), PERUN_OK);
	for (char *line = text; *line;) {
		size_t length = strcspn(line, "\n");
		bool code = strncmp(line, "# ", 2) == 0 &&
			    (line[2] == ' ' || line[length - 1] == ':') && line[2] >= ' ' &&
			    (line[2] < 'A' || line[2] > 'Z');

		if (code)
			perun_buffer_add(&plain, line + 2, length - 1);
		else if (line[0] != '#')
			perun_buffer_add(&plain, line, length + 1);
		line += length + 1;
	}
	if (perun_yaml_parse(help_ctx, "t", plain.data, plain.length, &document))
		CHECK_FAIL("%s in\n%s", help_error(), plain.data);
	CHECK(perun_json_path(document, "/degradation/strategies/0/method") != NULL);
	CHECK(perun_json_path(document, "/execute/pre_run/0") != NULL);
	perun_json_free(document);
	perun_buffer_free(&plain);
	perun_free(text);
}

int main(void)
{
	help_begin();
	check_all();
	/* The last text of get(). */
	get(NULL, PERUN_CONFIG_SHARED, "no.such");
	help_end();
	return check_done();
}
