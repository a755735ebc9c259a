/* SPDX-License-Identifier: BSD-3-Clause */
/* The perun command: global options, and finding the command that is meant. */
#include <config.h>

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/trust.h"
#include "commands/common/advice.h"
#include <perun/lib/registry.h>

/* ---- the start ------------------------------------------------------------------------------- */

static int apply_global(struct cli *cli, const struct perun_options *options)
{
	for (size_t i = 0; i < perun_option_count(options, "directory"); i++) {
		const char *directory = perun_option_string_at(options, "directory", i);

		if (chdir(directory) != 0)
			return perun_fail_errno(cli->ctx, PERUN_USAGE, errno,
						"cannot change to the directory %s", directory);
	}
	for (size_t i = 0; i < perun_option_count(options, "config"); i++) {
		const char *setting = perun_option_string_at(options, "config", i);

		if (!strchr(setting, '=') || *setting == '=')
			return perun_fail(cli->ctx, PERUN_USAGE,
					  "-c %s: expected KEY=VALUE, such as "
					  "format.sort_profiles_by=type",
					  setting);
	}
	cli->settings = cli_strings(options, "config");
	cli->no_pager = perun_option_flag(options, "no-pager");
	cli->no_color = perun_option_flag(options, "no-color");
	cli->yes = perun_option_flag(options, "say-yes");
	cli->verbose = (unsigned)perun_option_integer(options, "verbose");
	return PERUN_OK;
}

static int run_word(struct cli *cli, const char *const *words)
{
	const struct cli_command *command = cli_find_command(cli_commands, words[0]);
	struct cli_command found;
	int status;

	if (command)
		return cli_run_command(cli, command, words + 1);
	status = cli_find_plugin_command(cli, words[0], &found);
	if (status)
		return status;
	return found.name ? cli_run_command(cli, &found, words + 1)
			  : cli_unknown_command(cli, NULL, cli_commands, words[0]);
}

static int run_line(struct cli *cli, const char *const *words)
{
	struct perun_option_table table = {cli_global_options, 0};
	struct perun_options *options;
	size_t used;
	int status = perun_options_parse(cli->ctx, &table, 1, words, PERUN_PARSE_STOP_AT_POSITIONAL,
					 &options, &used);

	if (!status)
		status = apply_global(cli, options);
	cli_screen_start(cli);
	if (!status && perun_option_flag(options, "version")) {
		printf("perun %s\n", perun_version());
	} else if (!status && perun_option_flag(options, "help")) {
		cli_print_overview(cli, stdout);
	} else if (!status && !words[used]) {
		cli_print_overview(cli, stderr);
		perun_options_free(options);
		return PERUN_USAGE;
	} else if (!status) {
		status = run_word(cli, words + used);
		if (!status)
			status = perun_options_check(cli->ctx);
	}
	perun_options_free(options);
	return status;
}

/*
 * Arrays that grow leave gaps on the heap, which stay unused. Once glibc has freed a large one, it takes others of up to 32 MB from
 * there. A process may change that; a library may not.
 */
static void keep_arrays_off_the_heap(void)
{
#ifdef M_MMAP_THRESHOLD
	enum { LARGE = 1 << 20 };

	mallopt(M_MMAP_THRESHOLD, LARGE);
	mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}

int main(int argc, char **argv)
{
	struct cli cli = {0};
	struct perun_handlers handlers = cli_handlers(&cli);
	const char *none[] = {NULL};
	int status;

	/* pprof's options have one dash. */
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		cli.json =
			cli.json || strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "-json") == 0;
	keep_arrays_off_the_heap();
	cli_catch_memory();
	commands_advise();
	cli.ctx = perun_ctx_new(&handlers);
	cli_catch_signals();
	perun_plugin_report_crashes();
	status = run_line(&cli, argc > 0 ? (const char *const *)argv + 1 : none);
	if (cli_interrupted() && status != PERUN_OK)
		status = PERUN_CANCELLED;
	status = cli_screen_end(&cli, status);
	if (status != PERUN_OK && status != PERUN_DEGRADED)
		cli_trust_explain(&cli);
	if (status != PERUN_OK && status != PERUN_DEGRADED)
		cli_print_error(&cli, status);
	perun_store_close(cli.store);
	perun_free((void *)cli.settings);
	perun_ctx_free(cli.ctx);
	/* As a shell reports it: 130 after SIGINT, 143 after SIGTERM. */
	return status == PERUN_CANCELLED && cli_interrupted() ? 128 + cli_signal() : status;
}
