/* SPDX-License-Identifier: BSD-3-Clause */
/* core/registry: texts of plugins, kinds, validation of tables. Hidden functions are called too. */
#include <perun/check.h>
#include <perun/command.h>
#include <perun/format.h>

#include "core/registry/registry-private.h"
#include "tests/unit/check.h"

static int probe(const struct perun_probe *probe)
{
	return probe->size ? 1 : 0;
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

static const struct perun_magic magic[] = {{"\x1f\x8b\0z", 4, 0}, {"x", 1, 257}, {0}};
static const char *const marks[] = {" a\n", "b", NULL};
static const struct perun_format_ops ops = {.patterns = "*.csv  *.tsv",
					    .magic = magic,
					    .contains = marks,
					    .reads_directories = true,
					    .probe = probe,
					    .read = read_nothing};
static const struct perun_option options[] = {
	{.name = "size", .aliases = "-s", .help = "how large"},
	{.name = "depth", .help = "how deep", .type = PERUN_OPTION_INTEGER, .default_value = "3"},
	{0},
};

static struct perun_plugin make(void)
{
	return (struct perun_plugin){
		PERUN_PLUGIN_HEAD(PERUN_KIND_FORMAT, "csv", "comma-separated values"),
		.version = "1.2",
		PERUN_PLUGIN_OPTIONS(options),
		PERUN_PLUGIN_OPS(ops),
	};
}

TEST(test_text)
{
	struct perun_plugin plugin = make();
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_buffer text = {0};
	struct plugin_text facts;

	perun_plugin_describe(&plugin, &text);
	CHECK_STR(text.data, "perun-plugin 1\n"
			     "kind format\n"
			     "name csv\n"
			     "summary comma-separated values\n"
			     "abi 1.0\n"
			     "version 1.2\n"
			     "pattern *.csv\n"
			     "pattern *.tsv\n"
			     "magic 0 1f8b007a\n"
			     "magic 257 78\n"
			     "contains 20610a\n"
			     "contains 62\n"
			     "directories yes\n");
	CHECK_INT(plugin_text_parse(ctx, text.data, &facts), PERUN_OK);
	CHECK_INT(facts.kind, PERUN_KIND_FORMAT);
	CHECK_STR(facts.name, "csv");
	CHECK_STR(facts.summary, "comma-separated values");
	CHECK_STR(facts.patterns[1], "*.tsv");
	CHECK(facts.patterns[2] == NULL);
	CHECK_INT(facts.magic[0].size, 4);
	CHECK(memcmp(facts.magic[0].bytes, "\x1f\x8b\0z", 4) == 0);
	CHECK_INT(facts.magic[1].offset, 257);
	CHECK_INT(facts.magic[2].size, 0);
	CHECK_STR(facts.contains[0], " a\n");
	CHECK_STR(facts.contains[1], "b");
	CHECK(facts.contains[2] == NULL);
	CHECK(facts.reads_directories);
	CHECK(facts.aliases == NULL);
	plugin_text_free(&facts);
	perun_buffer_free(&text);
	perun_ctx_free(ctx);
}

TEST(test_bad_texts)
{
	static const char *const texts[] = {
		"",
		"perun-plugin 2\nkind view\nname x\n",
		"perun-plugin 1\nkind nothing\nname x\n",
		"perun-plugin 1\nname x\n",
		"perun-plugin 1\nkind view\n",
		"perun-plugin 1\nkind view\nname x\nmagic 0 1f8\n",
		"perun-plugin 1\nkind view\nname x\nmagic zz\n",
		"perun-plugin 1\nkind view\nname x\ncontains 6\n",
		"perun-plugin 1\nkind view\nname x\ncontains 6100\n",
		"perun-plugin 1\nkind view\nname x\ndirectories perhaps\n",
		"perun-plugin 1\nkind view\nname x\nabi one\n",
	};
	char good[] = "perun-plugin 1\nkind check\nname x\nfuture thing\nalias y\n"
		      "command c\ncommand d does it\n";
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct plugin_text facts;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *text = perun_strdup(texts[i]);

		CHECK_INT(plugin_text_parse(ctx, text, &facts), PERUN_INPUT);
		perun_free(text);
	}
	perun_ctx_clear(ctx);
	CHECK_INT(plugin_text_parse(ctx, good, &facts), PERUN_OK);
	CHECK_STR(facts.aliases[0], "y");
	CHECK_STR(facts.commands[0], "c");
	CHECK_STR(facts.commands[1], "");
	CHECK_STR(facts.commands[3], "does it");
	plugin_text_free(&facts);
	perun_ctx_free(ctx);
}

TEST(test_kinds)
{
	for (unsigned kind = 0; kind < PERUN_KINDS; kind++)
		CHECK_INT(perun_kind_from_name(perun_kind_name((enum perun_kind)kind)), kind);
	CHECK_INT(perun_kind_from_name("nothing"), PERUN_KINDS);
	CHECK_STR(perun_kind_name(PERUN_KINDS), NULL);
}

static int run_count(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	(void)ctx;
	return perun_output_text(call->output, "0\n");
}

static void check_invalid(struct perun_plugin plugin, const char *message)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	CHECK_INT(perun_plugin_validate(ctx, &plugin), message ? PERUN_INPUT : PERUN_OK);
	if (message)
		CHECK_CONTAINS(perun_ctx_error(ctx), message);
	else
		CHECK_STR(perun_ctx_error(ctx), NULL);
	perun_ctx_free(ctx);
}

static void check_invalid_option(struct perun_option option, const char *message)
{
	const struct perun_option table[] = {options[0], option, {0}};
	struct perun_plugin plugin = make();

	plugin.options = table;
	check_invalid(plugin, message);
}

TEST(test_validate)
{
	struct perun_format_ops without_probe = ops;
	struct perun_plugin plugin = make();

	check_invalid(plugin, NULL);
	plugin.name = "Csv";
	check_invalid(plugin, "a name has only lower case");
	plugin = make();
	plugin.summary = "two\nlines";
	check_invalid(plugin, "no summary");
	plugin = make();
	plugin.ops = NULL;
	check_invalid(plugin, "no operations");
	plugin = make();
	without_probe.probe = NULL;
	plugin.ops = &without_probe;
	check_invalid(plugin, "the operation probe is missing");
	plugin.kind = PERUN_KIND_VCS;
	check_invalid(plugin, "is missing");
	check_invalid_option((struct perun_option){.name = "a_b", .help = "x"},
			     "option name 'a_b'");
	check_invalid_option((struct perun_option){.name = "a"}, "no line of help");
	check_invalid_option((struct perun_option){.name = "a", .aliases = "-s", .help = "x"},
			     "options size and a share a spelling");
	check_invalid_option((struct perun_option){.name = "a", .aliases = "b", .help = "x"},
			     "has no dash");
	check_invalid_option(
		(struct perun_option){.name = "a", .help = "x", .type = PERUN_OPTION_CHOICE},
		"choice of nothing");
	check_invalid_option((struct perun_option){.name = "a",
						   .help = "x",
						   .type = PERUN_OPTION_INTEGER,
						   .default_value = "many"},
			     "the default does not fit");
}

/* A plugin of commands has no operations, but at least one command. */
TEST(test_validate_commands)
{
	const struct perun_command none[] = {{0}};
	struct perun_command commands[] = {{.name = "count", .summary = "count", .run = run_count},
					   {0}};
	struct perun_plugin plugin = make();

	plugin.kind = PERUN_KIND_COMMAND;
	plugin.ops = NULL;
	check_invalid(plugin, "it brings no command");
	plugin.commands = none;
	check_invalid(plugin, "it brings no command");
	plugin.commands = commands;
	check_invalid(plugin, NULL);
	commands[0].run = NULL;
	check_invalid(plugin, "command count lacks");
}

/* Members beyond what an older plugin had are zero. */
TEST(test_ops)
{
	struct perun_plugin plugin = make();
	struct perun_format_ops copy;

	plugin.ops_size = offsetof(struct perun_format_ops, read);
	memset(&copy, 0xff, sizeof copy);
	perun_plugin_ops(&plugin, &copy, sizeof copy);
	CHECK(copy.probe == probe);
	CHECK(copy.read == NULL && copy.write == NULL);
}

TEST(test_packages)
{
	const char table[] =
		"vcs git perun-plugin-git;;nonsense;\tcollect  trace_more perun-plugin-collect;"
		"command record perun-plugin-collect";
	char *package = plugin_package(table, PERUN_KIND_VCS, "git");

	CHECK_STR(package, "perun-plugin-git");
	perun_free(package);
	package = plugin_package(table, PERUN_KIND_COLLECT, "trace-more");
	CHECK_STR(package, "perun-plugin-collect");
	perun_free(package);
	package = plugin_package(table, PERUN_KIND_COMMAND, "record");
	CHECK_STR(package, "perun-plugin-collect");
	perun_free(package);
	CHECK(!plugin_package(table, PERUN_KIND_VIEW, "git"));
	CHECK(!plugin_package(table, PERUN_KIND_VCS, "gi"));
	CHECK(!plugin_package(table, PERUN_KIND_VCS, "") &&
	      !plugin_package("", PERUN_KIND_VCS, "git"));
}

TEST(test_safety)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);

	CHECK_INT(plugin_path_check(ctx, "/nonexistent/x.so"), PERUN_MISSING);
	perun_ctx_clear(ctx);
	CHECK_INT(plugin_path_check(ctx, "/tmp"), PERUN_MISSING);
	CHECK_INT(plugin_path_check(NULL, "/usr"), PERUN_OK);
	perun_ctx_free(ctx);
}

CHECK_MAIN(, )
