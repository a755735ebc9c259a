/* SPDX-License-Identifier: BSD-3-Clause */
/* The views `raw` and `tableof` on a small profile. */
#include <config.h>

#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/options.h>
#include <perun/lib/registry.h>
#include <perun/view.h>

#include "tests/unit/check.h"

static const char source[] =
	"{\"origin\": \"\", \"header\": {\"type\": \"memory\", \"cmd\": \"./a\", \"workload\": "
	"\"\", "
	"\"units\": {\"memory\": \"B\"}}, \"collector_info\": {\"name\": \"memory\", \"params\": "
	"{}}, "
	"\"postprocessors\": [], \"global\": {\"time\": \"1\", \"resources\": ["
	"{\"amount\": 8, \"type\": \"memory\", \"subtype\": \"malloc\", "
	"\"uid\": {\"source\": \"m.c\", \"function\": \"main\", \"line\": 3}}, "
	"{\"amount\": 0.5, \"type\": \"memory\", \"subtype\": \"free\", "
	"\"uid\": {\"source\": \"m.c\", \"function\": \"<b>\", \"line\": 9}}, "
	"{\"amount\": 120, \"type\": \"memory\", \"subtype\": \"malloc\", "
	"\"uid\": {\"source\": \"n.c\", \"function\": \"f\", \"line\": 7}}], \"models\": ["
	"{\"model\": \"linear\", \"uid\": \"f\", \"method\": \"full\", \"r_square\": 0.75, "
	"\"x_start\": 1, \"x_end\": 9, \"coeffs\": [{\"name\": \"b0\", \"value\": 1.5}, "
	"{\"name\": \"b1\", \"value\": 2}]}, "
	"{\"model\": \"constant\", \"uid\": \"g\", \"method\": \"full\", \"r_square\": 0.25, "
	"\"x_start\": 1, \"x_end\": 9, \"coeffs\": [{\"name\": \"b0\", \"value\": 4}]}]}}";

static struct perun_profile *profile;

static struct perun_profile *read_text(struct perun_ctx *ctx, const char *text)
{
	struct perun_input *input = perun_input_from_memory("x.perf", text, strlen(text));
	struct perun_profile *read = NULL;

	CHECK_INT(perun_read_profile(ctx, input, "perun", NULL, &read, NULL), PERUN_OK);
	if (!read)
		CHECK_FAIL("%s", perun_ctx_error(ctx));
	perun_input_close(input);
	return read;
}

/* What a view draws; NULL after a failure, whose words are in `error`. */
static char *error;
static char *show(const char *name, const char *subcommand, enum perun_form form, bool color,
		  const char *const *words)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	const struct perun_plugin *plugin = NULL;
	struct perun_option_table tables[2] = {{0}};
	size_t table_count = 1;
	struct perun_options *options = NULL;
	struct perun_view_ops ops;
	struct perun_buffer text = {0};
	struct perun_canvas canvas = {.struct_size = sizeof canvas,
				      .form = form,
				      .color = color,
				      .width = 80,
				      .output = perun_output_to_buffer(&text)};
	const char *path = "x.perf";
	void *instance = NULL;
	int status = perun_registry_load(ctx, PERUN_KIND_VIEW, name, &plugin);

	if (!status) {
		perun_plugin_ops(plugin, &ops, sizeof ops);
		CHECK(ops.forms & form);
		table_count = 0;
		for (const struct perun_subcommand *s = plugin->subcommands; s && s->name; s++)
			if (subcommand && strcmp(s->name, subcommand) == 0)
				tables[table_count++] =
					(struct perun_option_table){s->options, s->option_size};
		tables[table_count++] =
			(struct perun_option_table){plugin->options, plugin->option_size};
		status = perun_options_parse(ctx, tables, table_count, words, 0, &options, NULL);
	}
	if (!status)
		status = ops.open(ctx, options, subcommand, &instance);
	if (!status) {
		status = ops.show(instance, ctx, &profile, &path, 1, &canvas);
		ops.close(instance);
	}
	if (!status)
		status = perun_output_commit(ctx, canvas.output);
	perun_output_close(canvas.output);
	perun_options_free(options);
	perun_free(error);
	error = perun_strdup(perun_ctx_error(ctx));
	perun_ctx_free(ctx);
	if (status) {
		perun_buffer_free(&text);
		return NULL;
	}
	return perun_buffer_take(&text);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define NO_WORDS   ((const char *const[]){NULL})

static void expect_table(const char *subcommand, const char *const *words, const char *expected)
{
	char *text = show("tableof", subcommand, PERUN_FORM_TERMINAL, false, words);

	if (!text)
		CHECK_FAIL("%s", error);
	CHECK_STR(text, expected);
	perun_free(text);
}

static void expect_error(const char *subcommand, const char *const *words, const char *part)
{
	char *text = show("tableof", subcommand, PERUN_FORM_TERMINAL, false, words);

	CHECK(!text);
	CHECK_CONTAINS(error, part);
	perun_free(text);
}

TEST(test_all_columns)
{
	char *text = show("tableof", "resources", PERUN_FORM_CSV, false, NO_WORDS);

	CHECK_STR(text, "amount,snapshots,subtype,time,type,uid,uid:function,uid:line,uid:source\n"
			"8,0,malloc,1,memory,m.c:main:3,main,3,m.c\n"
			"0.5,0,free,1,memory,m.c:<b>:9,<b>,9,m.c\n"
			"120,0,malloc,1,memory,n.c:f:7,f,7,n.c\n");
	perun_free(text);
}

TEST(test_choice)
{
	expect_table("resources", WORDS("-h", "uid,amount", "-s", "amount", "-r"),
		     "uid           amount\n"
		     "----------  --------\n"
		     "n.c:f:7        120\n"
		     "m.c:main:3       8\n"
		     "m.c:<b>:9        0.5\n");
	expect_table("resources",
		     WORDS("-h", "amount", "-h", "uid:line", "-f", "subtype", "malloc", "-f",
			   "uid:line", "9", "-f", "uid:line", "7"),
		     "  amount    uid:line\n"
		     "--------  ----------\n"
		     "     120           7\n");
	expect_table("resources", WORDS("-h", "amount", "--where", "amount < 100", "-n", "1"),
		     "  amount\n"
		     "--------\n"
		     "       8\n");
	expect_table("resources", WORDS("-h", "subtype,amount", "-s", "subtype,amount"),
		     "subtype      amount\n"
		     "---------  --------\n"
		     "free            0.5\n"
		     "malloc          8\n"
		     "malloc        120\n");
}

TEST(test_models)
{
	expect_table("models", WORDS("-h", "uid,model,r_square,coeffs:b0,coeffs:b1"),
		     "uid    model       r_square    coeffs:b0    coeffs:b1\n"
		     "-----  --------  ----------  -----------  -----------\n"
		     "f      linear          0.75          1.5            2\n"
		     "g      constant        0.25          4\n");
}

TEST(test_errors)
{
	expect_error("resources", WORDS("-h", "amuont"), "no amuont, only: amount, ");
	expect_error("resources", WORDS("-s", "x"), "no x, only");
	expect_error("resources", WORDS("-f", "x", "1"), "no x, only");
	expect_error("models", WORDS("-h", "amount"), "no amount, only: ");
	expect_error("resources", WORDS("--format", "simpel"), "simpel");
	expect_error("resources", WORDS("-w", "amount >"), "amount >");
}

TEST(test_forms)
{
	const char *const *words = WORDS("-h", "uid:function,amount", "-n", "2");
	char *text = show("tableof", "resources", PERUN_FORM_JSON, false, words);

	CHECK_STR(text, "[\n {\"uid:function\": \"main\", \"amount\": 8},\n"
			" {\"uid:function\": \"<b>\", \"amount\": 0.5}\n]\n");
	perun_free(text);
	text = show("tableof", "resources", PERUN_FORM_MARKDOWN, false, words);
	CHECK_STR(text, "| uid:function   |   amount |\n|:---------------|---------:|\n"
			"| main           |      8   |\n| <b>            |      0.5 |\n");
	perun_free(text);
	text = show("tableof", "resources", PERUN_FORM_HTML, false, words);
	CHECK_CONTAINS(text, "<td>&#60;b&#62;</td><td class=\"n\">0.5</td>");
	perun_free(text);
	text = show("tableof", "resources", PERUN_FORM_TERMINAL, true, words);
	CHECK_CONTAINS(text, "\033[1muid:function\033[0m");
	perun_free(text);
	/* What the user names goes before the form. */
	text = show("tableof", "resources", PERUN_FORM_CSV, false,
		    WORDS("--format", "tsv", "-h", "amount,type", "-n", "1"));
	CHECK_STR(text, "amount\ttype\n8\tmemory\n");
	perun_free(text);
}

TEST(test_file)
{
	char path[] = "/tmp/perun-test-XXXXXX";
	char *text, line[64] = "";
	FILE *file;

	REQUIRE(mkdtemp(path));
	REQUIRE(chdir(path) == 0);
	text = show("tableof", "resources", PERUN_FORM_TERMINAL, true,
		    WORDS("-of", "t.txt", "-h", "type"));
	CHECK_STR(text, "");
	perun_free(text);
	file = fopen("t.txt", "r");
	REQUIRE(file);
	CHECK(fgets(line, sizeof line, file));
	fclose(file);
	CHECK_STR(line, "type\n"); /* and no colours */
	text = show("tableof", "resources", PERUN_FORM_TERMINAL, false,
		    WORDS("-tf", "-of", "t.txt", "-ts", "-h", "type"));
	CHECK_CONTAINS(text, "memory\n");
	perun_free(text);
	unlink("t.txt");
	CHECK_INT(chdir("/"), 0);
	rmdir(path);
}

/* All in one line, it is what the format writes but for the white space. */
TEST(test_raw_one_line)
{
	char *text = show("raw", NULL, PERUN_FORM_JSON, true, WORDS("--one-line"));
	struct perun_buffer written = {0}, expected = {0};
	struct perun_output *output = perun_output_to_buffer(&written);
	struct perun_json *parsed;

	REQUIRE(text);
	CHECK_INT(perun_write_profile(NULL, profile, "perun", NULL, output), PERUN_OK);
	CHECK_INT(perun_output_commit(NULL, output), PERUN_OK);
	perun_output_close(output);
	CHECK_INT(perun_json_parse(NULL, written.data, written.length, NULL, &parsed), PERUN_OK);
	perun_json_print(parsed, &expected, PERUN_JSON_PYTHON, 0);
	perun_buffer_add_text(&expected, "\n");
	CHECK_STR(text, expected.data);
	perun_json_free(parsed);
	perun_buffer_free(&written);
	perun_buffer_free(&expected);
	perun_free(text);
}

TEST(test_raw)
{
	char *text;

	text = show("raw", NULL, PERUN_FORM_TERMINAL, false, WORDS("-i", "2"));
	CHECK_CONTAINS(text, "\n  \"header\": {\n    \"type\": \"memory\",\n");
	perun_free(text);
	text = show("raw", NULL, PERUN_FORM_TERMINAL, true, NO_WORDS);
	CHECK_CONTAINS(text, "\n    \033[34;1m\"header\"\033[0m: {\n");
	perun_free(text);
}

int main(void)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	profile = read_text(ctx, source);
	if (profile)
		check_all();
	perun_profile_unref(profile);
	perun_free(error);
	perun_ctx_free(ctx);
	return check_done() || !profile;
}
