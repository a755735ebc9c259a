/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard output: terminal, colours, pager, and errors of writing. */
#include <config.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/base/cli.h"
#include "commands/common/edit.h"

static unsigned terminal_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns && atoi(columns) > 0)
		return (unsigned)atoi(columns);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 80;
}

void cli_screen_start(struct cli *cli)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	cli->terminal = isatty(STDOUT_FILENO);
	cli->color = cli->terminal && !cli->no_color && !(no_color && *no_color) &&
		     !(term && strcmp(term, "dumb") == 0);
	cli->width = terminal_width();
	if (!cli->terminal)
		setvbuf(stdout, NULL, _IOFBF, 1 << 16);
}

bool cli_has_unicode(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/* general.paging: always, never, only-log, only-status. */
static bool paging_wanted(struct cli *cli, const char *command)
{
	char *paging = cli_setting(cli, "general.paging");
	bool wanted = !paging || strcmp(paging, "always") == 0 ||
		      (strncmp(paging, "only-", 5) == 0 && strcmp(paging + 5, command) == 0);

	perun_free(paging);
	return wanted;
}

void cli_page(struct cli *cli, const char *command)
{
	const char *program = getenv("PERUN_PAGER");
	int ends[2];

	if (!cli->terminal || cli->no_pager || cli->pager || !paging_wanted(cli, command))
		return;
	if (!program)
		program = getenv("PAGER");
	if (program && *program && !commands_is_installed(program)) {
		perun_warn(cli->ctx, "the pager %s is not installed; PERUN_PAGER=cat does without",
			   program);
		return;
	}
	/* A small system has no less: the output goes straight to the terminal. */
	if (!program)
		program = commands_is_installed("less") ? "less -R" : "";
	if (!*program || strcmp(program, "cat") == 0 || pipe(ends) != 0)
		return;
	fflush(stdout);
	cli->pager = fork();
	if (cli->pager == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		setenv("LESS", "FRX", 0); /* leaves at once when all fits on the screen */
		execl("/bin/sh", "sh", "-c", program, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (cli->pager > 0)
		cli_pager_started(cli->pager);
	if (cli->pager > 0)
		dup2(ends[1], STDOUT_FILENO);
	else
		cli->pager = 0;
	close(ends[1]);
	setvbuf(stdout, NULL, _IOFBF, 1 << 14);
}

int cli_flush(struct cli *cli)
{
	cli->printed = cli->printed || __fpending(stdout);
	return fflush(stdout);
}

int cli_screen_end(struct cli *cli, int status)
{
	bool failed = ferror(stdout), good = status == PERUN_OK || status == PERUN_DEGRADED;

	cli_progress_clear(cli);
	errno = 0;
	failed |= cli_flush(cli) != 0;
	/* What failed before did so for the same reason: ask again. */
	if (failed && errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1)
		errno = EIO;
	/* A reader that has seen enough, head or the pager, is not a failure. */
	if (failed && good && errno != EPIPE && !cli->pager) {
		perun_ctx_clear(cli->ctx);
		status = perun_fail_errno(cli->ctx, PERUN_INPUT, errno,
					  "cannot write to standard output");
	}
	if (cli->pager) {
		cli_pager_waits();
		close(STDOUT_FILENO);
		while (waitpid(cli->pager, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return status;
}

const char *cli_color(const struct cli *cli, enum cli_color color)
{
	static const char *const sequences[] = {
		[CLI_PLAIN] = "\033[0m",   [CLI_RED] = "\033[31m",  [CLI_GREEN] = "\033[32m",
		[CLI_YELLOW] = "\033[33m", [CLI_BLUE] = "\033[34m", [CLI_MAGENTA] = "\033[35m",
		[CLI_CYAN] = "\033[36m",   [CLI_BOLD] = "\033[1m",  [CLI_DIM] = "\033[2m"};

	return cli->color ? sequences[color] : "";
}

const char *cli_color_end(const struct cli *cli)
{
	return cli->color ? "\033[0m" : "";
}

void cli_print_safe(const char *text)
{
	char *safe = perun_printable(text);

	fputs(safe, stdout);
	perun_free(safe);
}

void cli_repeat(const char *character, size_t count)
{
	while (count--)
		fputs(character, stdout);
}

void cli_title(struct cli *cli, const char *format, ...)
{
	va_list args;

	printf("\n%s", cli_color(cli, CLI_BOLD));
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("%s\n", cli_color_end(cli));
}
