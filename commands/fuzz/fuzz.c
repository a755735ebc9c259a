/* SPDX-License-Identifier: BSD-3-Clause */
/* perun fuzz: inputs that cost a program more than their length explains. */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include <perun/json.h>
#include <perun/lib/program.h>

#include "collectors/common/library.h"
#include "collectors/common/program.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "commands/fuzz/fuzz.h"

static const struct perun_option options[] = {
	{.name = "command",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REPEATABLE,
	 .help = "the program and its arguments, after --; @@ is the input's file, without it the "
		 "input is "
		 "standard input"},
	{.name = "cmd",
	 .aliases = "-b",
	 .metavar = "COMMAND",
	 .type = PERUN_OPTION_PATH,
	 .help = "the program, which is given the input's file as its last argument"},
	{.name = "args",
	 .aliases = "-a",
	 .type = PERUN_OPTION_STRING,
	 .help = "arguments of --cmd"},
	{.name = "workload",
	 .aliases = "-w --input-sample",
	 .metavar = "PATH",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "an input to begin with, or a directory of them"},
	{.name = "workloads-filter",
	 .aliases = "-wf",
	 .metavar = "REGEX",
	 .type = PERUN_OPTION_STRING,
	 .help = "of directories only files with such names"},
	{.name = "output-dir",
	 .aliases = "-o",
	 .metavar = "DIRECTORY",
	 .type = PERUN_OPTION_PATH,
	 .default_value = "fuzz",
	 .help = "where inputs are kept"},
	{.name = "resume", .help = "continue with the inputs that an earlier search kept there"},
	{.name = "timeout",
	 .aliases = "-t",
	 .metavar = "DURATION",
	 .type = PERUN_OPTION_DURATION,
	 .default_value = "60",
	 .ranged = true,
	 .minimum = 0.1,
	 .maximum = 1e7,
	 .help = "how long all of it takes"},
	{.name = "hang-timeout",
	 .metavar = "DURATION",
	 .type = PERUN_OPTION_DURATION,
	 .ranged = true,
	 .minimum = 1e-3,
	 .maximum = 1e6,
	 .help = "a run that takes longer hangs (default: 20 times the slowest seed, a second at "
		 "least)"},
	{.name = "exec-limit",
	 .aliases = "-e",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .maximum = 1e15,
	 .help = "maximum number of runs"},
	{.name = "max-size",
	 .aliases = "-N",
	 .metavar = "SIZE",
	 .type = PERUN_OPTION_SIZE,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 16777216,
	 .help = "maximum size of an input (default: twice the largest seed, at least 8192)"},
	{.name = "memory",
	 .metavar = "SIZE",
	 .type = PERUN_OPTION_SIZE,
	 .help = "maximum memory of the program"},
	{.name = "ratio",
	 .metavar = "FACTOR",
	 .type = PERUN_OPTION_NUMBER,
	 .default_value = "2",
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1e9,
	 .help = "report inputs that cost at least FACTOR times what their length explains"},
	{.name = "regex-rules",
	 .aliases = "-r",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "further rules: a YAML map of expressions and replacements"},
	{.name = "dictionary",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "words to insert: a line NAME=\"WORD\" each, as for AFL and libFuzzer"},
	{.name = "seed",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "1",
	 .ranged = true,
	 .maximum = 1e15,
	 .help = "seed of the random numbers; where it is given and edges are counted, times are "
		 "not used, and with --jobs 1 a search is the same again"},
	{.name = "jobs",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .ranged = true,
	 .minimum = 1,
	 .maximum = 1024,
	 .help = "runs at the same time (default: one for each processor)"},
	{.name = "runtime",
	 .help = "print the name of the object file that a program is linked with to count its "
		 "edges"},
	{.name = "keep", .help = "add the finds to the workloads of the configuration"},
	{.name = "page",
	 .metavar = "FILE",
	 .type = PERUN_OPTION_PATH,
	 .help = "write a page with the finds, how they grow, the rules, and the search over time"},
	{.name = "json", .help = "print JSON"},
	{0}};

/* ---- what is asked for ----------------------------------------------------------------------- */

/* The words after --, or --cmd with --args and the input. */
static int find_command(struct perun_ctx *ctx, const struct perun_options *given,
			struct perun_words *words)
{
	size_t count = perun_option_count(given, "command");
	const char *program = perun_option_string(given, "cmd");
	int status = PERUN_OK;

	if (count && program)
		return perun_fail(ctx, PERUN_USAGE, "give the program either after -- or by --cmd");
	if (!count && !program)
		return perun_fail(ctx, PERUN_USAGE, "the program is missing: put it after --");
	for (size_t i = 0; i < count; i++) {
		const char *word = perun_option_string_at(given, "command", i);

		perun_words_add(words, word, strlen(word));
	}
	if (!program)
		return PERUN_OK;
	status = perun_split_words(ctx, program, words);
	if (!status && perun_option_string(given, "args"))
		status = perun_split_words(ctx, perun_option_string(given, "args"), words);
	if (!status && !words->count)
		return perun_fail(ctx, PERUN_USAGE, "the program is missing: --cmd is empty");
	perun_words_add(words, "@@", 2);
	return status;
}

static void read_options(const struct perun_options *given, struct perun_fuzz_options *wanted)
{
	wanted->struct_size = sizeof *wanted;
	wanted->name_pattern = perun_option_string(given, "workloads-filter");
	wanted->directory = perun_option_string(given, "output-dir");
	wanted->resume = perun_option_flag(given, "resume");
	wanted->rules = perun_option_string(given, "regex-rules");
	wanted->dictionary = perun_option_string(given, "dictionary");
	wanted->seconds = perun_option_number(given, "timeout");
	wanted->run_limit = perun_option_number(given, "hang-timeout");
	wanted->most_runs = (uint64_t)perun_option_integer(given, "exec-limit");
	wanted->most_bytes = perun_option_size(given, "max-size");
	wanted->memory = perun_option_size(given, "memory");
	wanted->ratio = perun_option_number(given, "ratio");
	wanted->random_seed = (uint64_t)perun_option_integer(given, "seed");
	wanted->repeatable = perun_option_given(given, "seed");
	wanted->workers = (unsigned)perun_option_integer(given, "jobs");
}

/* ---- finds as workloads ---------------------------------------------------------------------- */

static bool has_text(const struct perun_json *list, const char *text)
{
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const char *other = perun_json_as_string(perun_json_at(list, i), NULL);

		if (other && strcmp(other, text) == 0)
			return true;
	}
	return false;
}

static int keep_finds(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_fuzz_result *result, const char *directory)
{
	struct perun_json *list = NULL;
	struct perun_buffer text = {0};
	int status = perun_config_inspect(ctx, store, PERUN_CONFIG_LOCAL, "workloads", &list);

	if (!status && (!list || perun_json_type(list) != PERUN_JSON_TYPE_ARRAY)) {
		perun_json_free(list);
		list = perun_json_array();
	}
	for (size_t i = 0; i < result->find_count && !status; i++) {
		const struct perun_fuzz_find *find =
			(const struct perun_fuzz_find *)((const char *)result->finds +
							 i * result->find_size);
		char *path = perun_format("%s/slow/%s", directory, find->name),
		     *whole = realpath(path, NULL);

		if (whole && !has_text(list, whole))
			perun_json_append(list, perun_json_text(whole));
		free(whole);
		perun_free(path);
	}
	if (!status) {
		perun_json_print(list, &text, PERUN_JSON_COMPACT, 0);
		status = perun_config_set(ctx, store, PERUN_CONFIG_LOCAL, "workloads", text.data);
	}
	if (!status && result->find_count)
		perun_note(ctx, "%zu workload%s added to the configuration", result->find_count,
			   result->find_count == 1 ? "" : "s");
	perun_json_free(list);
	perun_buffer_free(&text);
	return status;
}

/* ---- the object file of programs that count --------------------------------------------------- */

static int print_runtime(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	char *path = NULL;
	int status = collectors_find_library(ctx, "perun-fuzz.o", "PERUN_FUZZ_RUNTIME", &path);

	if (!status)
		perun_output_printf(call->output, "%s\n", path);
	perun_free(path);
	return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void advise(struct perun_ctx *ctx, const struct perun_fuzz_result *result)
{
	if (result->runs && result->counting != PERUN_FUZZ_EDGES)
		perun_note(ctx,
			   "costs are %s: build the program with "
			   "-fsanitize-coverage=trace-pc-guard (clang) or "
			   "trace-pc (gcc) and $(perun fuzz --runtime), and they are exact and "
			   "each run is faster",
			   result->counting == PERUN_FUZZ_INSTRUCTIONS ? "instructions" : "times");
}

static int run_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	const struct perun_options *given = call->options;
	size_t count = perun_option_count(given, "workload");
	const char **seeds = perun_alloc_zero(count + 1, sizeof *seeds);
	struct perun_fuzz_options wanted = {.seeds = seeds, .seed_count = count};
	struct perun_words words = {0};
	struct perun_store *store = NULL;
	struct perun_fuzz *search = NULL;
	const struct perun_fuzz_result *result;
	int status, searched = PERUN_OK;

	if (perun_option_flag(given, "runtime")) {
		perun_free(seeds);
		return perun_option_flag(given, "json")
			       ? perun_fail(ctx, PERUN_USAGE, "--runtime prints a path, no JSON")
			       : print_runtime(ctx, call);
	}
	status = find_command(ctx, given, &words);
	if (!status && !count)
		status = perun_fail(ctx, PERUN_USAGE,
				    "an input to begin with is missing: --workload FILE");
	for (size_t i = 0; i < count; i++)
		seeds[i] = perun_option_string_at(given, "workload", i);
	read_options(given, &wanted);
	wanted.command = words.items;
	if (!status && perun_option_flag(given, "keep"))
		status = perun_command_store(call, ctx, true, &store);
	if (!status) {
		searched = perun_fuzz_search(ctx, &wanted, &search);
		result = perun_fuzz_result(search);
		if (!searched || (searched == PERUN_CANCELLED && result->struct_size)) {
			if (perun_option_flag(given, "json"))
				fuzz_print_json(call, result, wanted.directory);
			else
				fuzz_print(call, result, wanted.directory);
			advise(ctx, result);
			if (perun_option_given(given, "page"))
				status = fuzz_write_page(ctx, result, wanted.command,
							 wanted.directory,
							 perun_option_string(given, "page"));
		}
		if (!status && !searched && store)
			status = keep_finds(ctx, store, result, wanted.directory);
	}
	perun_fuzz_free(search);
	perun_words_free(&words);
	perun_free(seeds);
	return status ? status : searched;
}

COMMAND_PLUGIN(fuzz, "fuzz", "inputs that a program is slow with",
	       "find inputs that cost a program more than their length explains", options,
	       run_command);
