/* SPDX-License-Identifier: BSD-3-Clause */
/* core/options: parsing, validation, help, manual lists, completion. */
#include <perun/json.h>
#include <perun/lib/options.h>

#include "tests/unit/check.h"

static const struct perun_option table[] = {
	{.name = "repeat",
	 .aliases = "-r --runs",
	 .metavar = "N",
	 .help = "number of runs",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "3",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 100},
	{.name = "output-type",
	 .aliases = "-ot",
	 .help = "what to print",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "text json svg html csv",
	 .default_value = "text"},
	{.name = "derived",
	 .aliases = "-d",
	 .metavar = "KEY",
	 .help = "two words",
	 .values = 2,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .type = PERUN_OPTION_STRING},
	{.name = "keys", .aliases = "-k", .help = "columns", .type = PERUN_OPTION_LIST},
	{.name = "limit", .help = "most bytes", .type = PERUN_OPTION_SIZE},
	{.name = "timeout", .help = "longest run", .type = PERUN_OPTION_DURATION},
	{.name = "ratio",
	 .help = "a factor",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .minimum = 0,
	 .maximum = INFINITY},
	{.name = "color",
	 .help = "colours",
	 .default_value = "true",
	 .flags = PERUN_OPTION_NEGATABLE},
	{.name = "all", .aliases = "-a", .help = "everything"},
	{.name = "verbose", .aliases = "-v", .help = "say more", .flags = PERUN_OPTION_COUNTED},
	{.name = "old-spelling", .help = "hidden", .flags = PERUN_OPTION_HIDDEN},
	{0},
};

static const struct perun_option files[] = {
	{.name = "file",
	 .help = "what to read",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE | PERUN_OPTION_REQUIRED},
	{.name = "target",
	 .help = "where to",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED},
	{0},
};

static const struct perun_option_table tables[] = {{table, sizeof *table}, {files, sizeof *files}};

static struct perun_ctx *ctx;

/* Parse blank-separated words by the first `count` tables. */
static struct perun_options *parse(size_t count, const char *line, unsigned flags, size_t *used)
{
	const char *words[32];
	char *copy = perun_strdup(line);
	struct perun_options *options;
	size_t n = 0;

	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		words[n++] = word;
	words[n] = NULL;
	perun_ctx_clear(ctx);
	perun_options_parse(ctx, tables, count, words, flags, &options, used);
	perun_free(copy);
	return options;
}

static void check_error(size_t count, const char *line, const char *message)
{
	struct perun_options *options = parse(count, line, 0, NULL);

	CHECK(options == NULL);
	CHECK_STR(perun_ctx_error(ctx), message);
	CHECK_INT(perun_ctx_status(ctx), PERUN_USAGE);
	perun_options_free(options);
}

static void check_repeat(const char *line, int expected)
{
	struct perun_options *options = parse(1, line, 0, NULL);

	CHECK_STR(perun_ctx_error(ctx), NULL);
	if (options)
		CHECK_INT(perun_option_integer(options, "repeat"), expected);
	perun_options_free(options);
}

TEST(test_spellings)
{
	check_repeat("", 3);
	check_repeat("--repeat 5", 5);
	check_repeat("--repeat=5", 5);
	check_repeat("--runs 5", 5);
	check_repeat("--rep 5", 5);
	check_repeat("-r 5", 5);
	check_repeat("-r5", 5);
	check_repeat("-r=5", 5);
	check_repeat("-ar5", 5);
	check_repeat("-r 5 -r 6", 6);
}

TEST(test_types)
{
	struct perun_options *o = parse(1,
					"-ot json --derived a b -d c d --keys x,y,,z --limit 1.5k "
					"--timeout 20ms --no-color -vva --output_type=svg",
					0, NULL);

	CHECK_STR(perun_ctx_error(ctx), NULL);
	REQUIRE(o);
	CHECK_STR(perun_option_string(o, "output-type"), "svg");
	CHECK_STR(perun_option_string(o, "output_type"), "svg");
	CHECK_INT(perun_option_count(o, "derived"), 4);
	CHECK_STR(perun_option_string_at(o, "derived", 2), "c");
	CHECK_STR(perun_option_string_at(o, "derived", 4), NULL);
	CHECK_INT(perun_option_count(o, "keys"), 3);
	CHECK_STR(perun_option_string_at(o, "keys", 2), "z");
	CHECK_INT(perun_option_size(o, "limit"), 1536);
	CHECK_DOUBLE(perun_option_number(o, "timeout"), 0.02, 1e-12);
	CHECK(!perun_option_flag(o, "color"));
	CHECK(perun_option_flag(o, "all"));
	CHECK_INT(perun_option_integer(o, "verbose"), 2);
	CHECK(perun_option_given(o, "limit"));
	CHECK(!perun_option_given(o, "repeat"));
	CHECK(!perun_option_given(o, "ratio"));
	CHECK_DOUBLE(perun_option_number(o, "ratio"), 0, 0);
	CHECK_STR(perun_option_string(o, "ratio"), NULL);
	perun_options_free(o);
	o = parse(1, "--limit 2GiB --timeout 5m", 0, NULL);
	REQUIRE(o);
	CHECK(perun_option_flag(o, "color"));
	CHECK_INT(perun_option_size(o, "limit"), 2LL << 30);
	CHECK_DOUBLE(perun_option_number(o, "timeout"), 300, 0);
	perun_options_free(o);
}

TEST(test_errors)
{
	check_error(1, "--repat 3", "unknown option --repat; did you mean --repeat?");
	check_error(1, "--zzzzz", "unknown option --zzzzz");
	check_error(1, "-z", "unknown option -z");
	check_error(1, "--repeat", "option --repeat needs a value");
	check_error(1, "--derived a", "option --derived needs 2 values, got 1");
	check_error(1, "--repeat x", "option --repeat: 'x' is not an integer");
	check_error(1, "--repeat 99999999999999999999",
		    "option --repeat: '99999999999999999999' is not an integer");
	check_error(1, "--repeat 0", "option --repeat: '0' is out of range; expected a number from 1 to 100");
	check_error(1, "--ratio -1", "option --ratio: '-1' is too small; expected a number from 0");
	check_error(1, "--limit 5x", "option --limit: '5x' is not a size such as 4096, 10k or 5M");
	check_error(1, "--timeout 5y",
		    "option --timeout: '5y' is not a duration such as 0.5, 10s or 5m");
	check_error(1, "-ot jsn",
		    "option --output-type: 'jsn' is not one of text, json, svg, html, csv; "
		    "did you mean json?");
	check_error(1, "--all=3", "option --all takes no value");
	check_error(1, "stray", "unexpected argument 'stray'");
	check_error(2, "", "argument FILE is missing: what to read");
	check_error(2, "a", "argument FILE is missing: what to read");
	check_error(1, "--r 5", "option --r is ambiguous: --repeat or --ratio");
}

TEST(test_positionals)
{
	struct perun_options *o = parse(2, "a -a b -- -c", 0, NULL);
	size_t used;

	REQUIRE(o);
	CHECK_INT(perun_option_count(o, "file"), 2);
	CHECK_STR(perun_option_string_at(o, "file", 1), "b");
	CHECK_STR(perun_option_string(o, "target"), "-c");
	perun_options_free(o);
	o = parse(1, "-a sub -x --what", PERUN_PARSE_STOP_AT_POSITIONAL, &used);
	REQUIRE(o);
	CHECK_INT(used, 1);
	perun_options_free(o);
	o = parse(2, "-5 - x", 0, NULL);
	REQUIRE(o);
	CHECK_STR(perun_option_string_at(o, "file", 0), "-5");
	CHECK_STR(perun_option_string_at(o, "file", 1), "-");
	perun_options_free(o);
}

/* A table of a later version, whose entries are longer than ours; and an earlier, shorter one. */
TEST(test_strides)
{
	struct {
		struct perun_option option;
		const char *later;
	} longer[] = {{table[0], "x"}, {table[8], "y"}, {{0}, NULL}};
	struct {
		const char *name, *aliases, *metavar, *help, *default_value, *choices;
		enum perun_option_type type;
		unsigned flags;
	} shorter[] = {{"size", "-s", "N", "h", "7", NULL, PERUN_OPTION_INTEGER, 0}, {0}};
	struct perun_option_table both[] = {{&longer[0].option, sizeof longer[0]},
					    {(struct perun_option *)shorter, sizeof shorter[0]}};
	const char *words[] = {"-a", "-r", "8", NULL};
	struct perun_options *o;

	perun_ctx_clear(ctx);
	CHECK_INT(perun_options_parse(ctx, both, 2, words, 0, &o, NULL), PERUN_OK);
	REQUIRE(o);
	CHECK_INT(perun_option_integer(o, "repeat"), 8);
	CHECK(perun_option_flag(o, "all"));
	CHECK_INT(perun_option_integer(o, "size"), 7);
	perun_options_free(o);
}

TEST(test_help)
{
	struct perun_buffer text = {0};

	perun_options_help(tables, 2, 60, &text);
	CHECK_STR(text.data, "Arguments:\n"
			     "  FILE...                   what to read\n"
			     "  TARGET                    where to\n"
			     "\n"
			     "Options:\n"
			     "  -r, --repeat N            number of runs [default: 3]\n"
			     "  -ot, --output-type OUTPUT_TYPE\n"
			     "                            what to print (text, json, svg,\n"
			     "                            html, csv) [default: text]\n"
			     "  -d, --derived KEY KEY     two words [may be repeated]\n"
			     "  -k, --keys KEYS           columns\n"
			     "      --limit LIMIT         most bytes\n"
			     "      --timeout TIMEOUT     longest run\n"
			     "      --ratio RATIO         a factor\n"
			     "      --[no-]color          colours [default: on]\n"
			     "  -a, --all                 everything\n"
			     "  -v, --verbose             say more\n");
	perun_buffer_clear(&text);
	perun_options_usage(tables, 2, &text);
	CHECK_STR(text.data, "[OPTION...] FILE... TARGET");
	perun_buffer_clear(&text);
	perun_options_usage(tables + 1, 1, &text);
	CHECK_STR(text.data, "FILE... TARGET");
	perun_buffer_clear(&text);
	perun_options_manual(tables, 1, &text);
	CHECK_CONTAINS(text.data, ".It Fl r , Fl -runs , Fl -repeat Ar \\&n\nNumber of runs.\n");
	CHECK_CONTAINS(text.data, "One of: text, json, svg, html, csv.\n");
	CHECK(!strstr(text.data, "old-spelling"));
	perun_buffer_free(&text);
}

/* A metavar of several words is not repeated for each value. */
TEST(test_metavar_of_several_words)
{
	static const struct perun_option pair[] = {{.name = "param",
						    .metavar = "NAME VALUE",
						    .help = "a parameter",
						    .values = 2,
						    .type = PERUN_OPTION_STRING},
						   {0}};
	const struct perun_option_table one = {pair, sizeof *pair};
	struct perun_buffer text = {0};

	perun_options_help(&one, 1, 60, &text);
	CHECK_CONTAINS(text.data, "--param NAME VALUE    a parameter\n");
	perun_buffer_clear(&text);
	perun_options_manual(&one, 1, &text);
	CHECK_CONTAINS(text.data, ".It Fl -param Ar name Ar value\n");
	perun_buffer_free(&text);
}

/* mandoc finds nothing to warn about. */
TEST(test_manual)
{
	static const struct perun_option odd[] = {
		{.name = "file",
		 .metavar = ".Ar \\x",
		 .help = "'tis a \\ line that begins oddly. It has \"two\" sentences",
		 .default_value = "No.",
		 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
		 .type = PERUN_OPTION_PATH},
		{.name = "plain",
		 .help = ".Sh is no section",
		 .default_value = "yes",
		 .flags = PERUN_OPTION_NEGATABLE},
		{0},
	};
	const struct perun_option_table both[] = {{odd, sizeof *odd}, {table, sizeof *table}};
	struct perun_buffer text = {0};
	FILE *lint;

	if (system("command -v mandoc >/dev/null 2>&1") != 0)
		SKIP("needs mandoc");
	perun_options_manual(both, 2, &text);
	lint = popen("mandoc -Tlint -W warning", "w");
	REQUIRE(lint);
	fprintf(lint, ".Dd $Mdocdate$\n.Dt X 1\n.Os\n.Sh NAME\n.Nm x\n.Nd y\n.Sh OPTIONS\n%s",
		text.data);
	CHECK_INT(pclose(lint), 0);
	perun_buffer_free(&text);
}

static void check_complete(const char *line, const char *expected)
{
	struct perun_buffer text = {0};
	const char *words[16];
	char *copy = perun_strdup(line);
	size_t n = 0;

	for (char *at = copy, *word; (word = strsep(&at, " "));)
		words[n++] = word;
	words[n] = NULL;
	perun_options_complete(tables, 2, words, &text);
	CHECK_STR(text.data ? text.data : "", expected);
	perun_buffer_free(&text);
	perun_free(copy);
}

TEST(test_complete)
{
	check_complete("--re", "--repeat\tnumber of runs\n");
	check_complete("--no", "--no-color\tcolours\n");
	check_complete("-r 3 --re", "");
	check_complete("-ot s", "svg\t\n");
	check_complete("--output-type=h", "--output-type=html\t\n");
	check_complete("x", "<file>\n");
	check_complete("-d a ", "");
	check_complete("-- --re", "<file>\n");
}

static void check_document(const char *text, const char *expected)
{
	struct perun_json *document = NULL, *back;
	struct perun_buffer buffer = {0};
	struct perun_options *options;

	perun_ctx_clear(ctx);
	perun_json_parse(ctx, text, strlen(text), NULL, &document);
	if (perun_options_from_document(ctx, tables, 1, document, &options) == PERUN_OK) {
		back = perun_options_document(options);
		perun_json_print(back, &buffer, PERUN_JSON_PYTHON, 0);
		CHECK_STR(buffer.data, expected);
		perun_json_free(back);
	} else {
		CHECK_STR(perun_ctx_error(ctx), expected);
	}
	perun_options_free(options);
	perun_json_free(document);
	perun_buffer_free(&buffer);
}

TEST(test_documents)
{
	check_document("{}", "{\"repeat\": 3, \"output_type\": \"text\", \"color\": true, "
			     "\"all\": false, \"verbose\": 0}");
	check_document(
		"{\"repeat\": 5.0, \"ot\": \"svg\", \"derived\": [[\"a\", 1], [\"b\", 2]], "
		"\"keys\": [\"x\", \"y\"], \"limit\": \"2k\", \"timeout\": 1.5, "
		"\"ratio\": 2, \"color\": false, \"verbose\": 2}",
		"{\"repeat\": 5, \"output_type\": \"svg\", \"derived\": [\"a\", \"1\", \"b\", "
		"\"2\"], \"keys\": [\"x\", \"y\"], \"limit\": 2048, \"timeout\": 1.5, "
		"\"ratio\": 2.0, \"color\": false, \"all\": false, \"verbose\": 2}");
	check_document("{\"repaet\": 5}", "unknown option repaet; did you mean repeat?");
	check_document("{\"repeat\": {}}", "option repeat: expected a value, found an object");
	check_document("{\"repeat\": [1, 2]}", "option repeat: expected one value, found 2");
	check_document("{\"derived\": [\"a\"]}", "option derived needs 2 values, got 1");
	check_document("{\"color\": \"maybe\"}",
		       "option color: expected true or false, found a string");
	check_document("[1]", "options: expected an object of names and values, found an array");
}

TEST(test_absent)
{
	const struct perun_option_table tables[] = {{table, sizeof *table}};
	const char *const words[] = {NULL};
	struct perun_options *options;

	REQUIRE(perun_options_parse(ctx, tables, 1, words, 0, &options, NULL) == PERUN_OK);
	CHECK_INT(perun_options_check(ctx), PERUN_OK);
	CHECK(!perun_option_flag(options, "wider"));
	CHECK_INT(perun_option_integer(options, "other"), 0);
	CHECK_STR(perun_option_string(options, "other"), NULL);
	CHECK_STR(perun_option_string_at(options, "other", 0), NULL);
	CHECK_INT(perun_options_check(ctx), PERUN_INPUT);
	CHECK(strstr(perun_ctx_error(ctx), "wider"));
	perun_ctx_clear(ctx);
	CHECK_INT(perun_options_check(ctx), PERUN_OK);
	perun_options_free(options);
}

TEST(test_suggest)
{
	static const char *const names[] = {"time", "memory", "normalizer", "average-amount"};

	CHECK_INT(perun_word_distance("time", "tmie"), 1);
	CHECK_INT(perun_word_distance("a_b", "a-b"), 0);
	CHECK_INT(perun_word_distance("", "abc"), 3);
	CHECK_STR(perun_suggest("tme", names, 4), "time");
	CHECK_STR(perun_suggest("norm", names, 4), "normalizer");
	CHECK_STR(perun_suggest("average_amuont", names, 4), "average-amount");
	CHECK_STR(perun_suggest("xyzzy", names, 4), NULL);
}

CHECK_MAIN(ctx = perun_ctx_new(NULL), perun_ctx_free(ctx))
