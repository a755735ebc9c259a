/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes to standard error: failures, warnings, progress, questions; and interruption. */
#include <config.h>

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"

static volatile sig_atomic_t interrupted; /* the signal's number, 0 = none */

double cli_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- interruption ---------------------------------------------------------------------------- */

static void on_signal(int number)
{
	interrupted = number;
}

/* For the write that passes a limit of the file's size to fail with a reason. */
static void on_file_limit(int number)
{
	(void)number;
}

void cli_catch_signals(void)
{
	/* The second signal of a kind ends the program at once. */
	struct sigaction action = {.sa_handler = on_signal,
				   .sa_flags = SA_RESTART | (int)SA_RESETHAND};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A handler, and not SIG_IGN, which the measured programs would inherit. */
	action = (struct sigaction){.sa_handler = on_file_limit, .sa_flags = SA_RESTART};
	sigemptyset(&action.sa_mask);
	sigaction(SIGXFSZ, &action, NULL);
}

bool cli_interrupted(void)
{
	return interrupted != 0;
}

int cli_signal(void)
{
	return interrupted;
}

static bool on_cancelled(void *data)
{
	(void)data;
	return interrupted != 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* One line, whatever the message holds. */
static void print_line(struct cli *cli, const char *kind, const char *message)
{
	char *safe = perun_printable(message);

	for (char *c = safe; *c; c++)
		*c = *c == '\n' || *c == '\t' ? ' ' : *c;
	cli_progress_clear(cli);
	fflush(stdout);
	fprintf(stderr, "perun: %s%s\n", kind, safe);
	perun_free(safe);
}

static void on_warn(void *data, const char *message)
{
	print_line(data, "warning: ", message);
}

static void on_note(void *data, const char *message)
{
	print_line(data, "", message);
}

void cli_print_error(struct cli *cli, int status)
{
	const char *error = perun_ctx_error(cli->ctx);

	if (status == PERUN_CANCELLED)
		print_line(cli, "", "interrupted");
	else if (error)
		print_line(cli, "", error);
}

/* ---- progress -------------------------------------------------------------------------------- */

void cli_progress_clear(struct cli *cli)
{
	if (cli->progress.shown)
		fputs("\r\033[K", stderr);
	cli->progress.shown = false;
}

static void draw(struct cli *cli, const char *what, uint64_t done, uint64_t total)
{
	enum { WIDTH = 30 };
	char bar[WIDTH + 1];

	fprintf(stderr, "\r\033[K%s", cli->progress.part);
	if (total == 0) {
		fprintf(stderr, "%s: %llu", what, (unsigned long long)done);
	} else if (*cli->progress.part) {
		/* No room for a bar. */
		fprintf(stderr, "%s %3.0f %%", what, 100.0 * (double)done / (double)total);
	} else {
		double share = (double)done / (double)total;
		size_t full = share < 1 ? (size_t)(share * WIDTH) : WIDTH;

		memset(bar, '.', WIDTH);
		memset(bar, '#', full);
		bar[WIDTH] = '\0';
		fprintf(stderr, "%s [%s] %3.0f %%", what, bar, share * 100);
	}
	fflush(stderr);
	cli->progress.shown = true;
}

void cli_progress_part(struct cli *cli, const char *place, const char *collector,
		       const char *command, const char *workload)
{
	struct cli_progress *progress = &cli->progress;
	char *text, *safe;

	if (progress->off || !isatty(STDERR_FILENO))
		return;
	text = perun_format("%s of %.24s%s%.16s", collector, cli_base_name(command),
			    *workload ? " " : "", workload);
	safe = perun_printable(text);
	snprintf(progress->part, sizeof progress->part, "[%s] %s ", place, safe);
	perun_free(safe);
	perun_free(text);
	fprintf(stderr, "\r\033[K%s", progress->part);
	fflush(stderr);
	progress->shown = true;
	progress->what[0] = '\0';
}

static void on_progress(void *data, const char *what, uint64_t done, uint64_t total)
{
	struct cli *cli = data;
	struct cli_progress *progress = &cli->progress;
	double time = cli_now();

	if (progress->off || !isatty(STDERR_FILENO))
		return;
	if (strncmp(progress->what, what, sizeof progress->what - 1) != 0) {
		cli_progress_clear(cli);
		snprintf(progress->what, sizeof progress->what, "%s", what);
		progress->began = time;
		progress->drawn = 0;
	}
	if (total && done >= total) {
		cli_progress_clear(cli);
		progress->what[0] = '\0';
	} else if (time - progress->began >= 0.5 && time - progress->drawn >= 0.1) {
		draw(cli, what, done, total);
		progress->drawn = time;
	}
}

static bool on_confirm(void *data, const char *question)
{
	return cli_confirm(data, "%s", question);
}

struct perun_handlers cli_handlers(struct cli *cli)
{
	return (struct perun_handlers){.data = cli,
				       .warn = on_warn,
				       .note = on_note,
				       .progress = on_progress,
				       .cancelled = on_cancelled,
				       .confirm = on_confirm};
}

/* ---- questions ------------------------------------------------------------------------------- */

bool cli_interactive(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool cli_confirm(struct cli *cli, const char *format, ...)
{
	char answer[64];
	va_list args;
	char *text;
	char *end;

	if (cli->yes)
		return true;
	if (!cli_interactive())
		return false;
	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	cli_progress_clear(cli);
	fflush(stdout);
	fprintf(stderr, "%s [y/N] ", text ? text : "Go on?");
	free(text);
	if (!fgets(answer, sizeof answer, stdin))
		return false;
	end = answer + strcspn(answer, "\r\n");
	*end = '\0';
	return strcmp(answer, "y") == 0 || strcmp(answer, "Y") == 0 || strcmp(answer, "yes") == 0;
}
