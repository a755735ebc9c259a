/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes to standard error: failures, warnings, progress, questions; and interruption. */
#include <config.h>

#include <alloca.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "cli/base/cli.h"
#include "commands/common/failure.h"

static volatile sig_atomic_t interrupted; /* the signal's number, 0 = none */
static atomic_bool noticed;               /* the work saw it, and is about to end */
static volatile sig_atomic_t pager;       /* the process that shows the output, 0 = none */

/* Seconds of CLOCK_MONOTONIC. */
static double cli_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- interruption ---------------------------------------------------------------------------- */

/* How long after a signal the work may go on unaware of it, and how long it may take to end. */
#define UNAWARE_MICROSECONDS 700000
#define ENDING_MICROSECONDS  5000000

static void wake_after(long microseconds)
{
	struct itimerval time = {
		.it_value = {microseconds / 1000000, (suseconds_t)(microseconds % 1000000)}};

	setitimer(ITIMER_REAL, &time, NULL);
}

/* Writes without stdio, which may be what was interrupted. */
static void write_line(const char *line)
{
	size_t length = strlen(line);

	while (length) {
		ssize_t count = write(STDERR_FILENO, line, length);

		if (count <= 0)
			return;
		line += count;
		length -= (size_t)count;
	}
}

/*
 * The work did not end: something in it never looks, such as a library or a write that nobody reads.
 * Everything in a store is written so that an end at any moment does no harm; temporary files of outputs
 * go now, and those in a store with the next writer.
 */
static void on_overdue(int number)
{
	static bool waited;

	(void)number;
	if (atomic_load(&noticed) && !waited) {
		waited = true;
		wake_after(ENDING_MICROSECONDS - UNAWARE_MICROSECONDS);
		return;
	}
	perun_unlink_leftovers();
	write_line("perun: interrupted\n");
	/* The pager has the terminal: without us, two would read from it. */
	if (pager && interrupted == SIGINT) {
		close(STDOUT_FILENO);
		while (waitpid((pid_t)pager, NULL, 0) < 0 && errno == EINTR)
			;
	}
	_exit(128 + interrupted);
}

/* The first signal asks the work to end, the second ends the program. */
static void on_signal(int number)
{
	struct sigaction action = {.sa_handler = on_overdue, .sa_flags = SA_RESTART};

	if (interrupted) {
		perun_unlink_leftovers();
		signal(number, SIG_DFL);
		raise(number); /* it ends us when the handler is left */
		return;
	}
	interrupted = number;
	sigemptyset(&action.sa_mask);
	sigaction(SIGALRM, &action, NULL);
	wake_after(UNAWARE_MICROSECONDS);
}

void cli_pager_started(pid_t process)
{
	pager = process;
}

/* Everything is said; a key for the pager is not meant for us. */
void cli_pager_waits(void)
{
	wake_after(0);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
}

/* No memory: neither stdio nor anything that may allocate. */
static void on_out_of_memory(const char *reading)
{
	char line[512] = "perun: out of memory";
	size_t length = strlen(line);

	perun_unlink_leftovers();
	if (reading && *reading) {
		snprintf(line + length, sizeof line - length, " while reading %.400s", reading);
		for (char *c = line; *c; c++)
			*c = (unsigned char)*c < 32 || *c == 127 ? '?' : *c;
	}
	strcat(line, "\n");
	write_line(line);
	_exit(PERUN_INPUT);
}

/* For the write that passes a limit of the file's size to fail with a reason. */
static void on_file_limit(int number)
{
	(void)number;
}

void cli_catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* A handler, and not SIG_IGN, which the measured programs would inherit. */
	action = (struct sigaction){.sa_handler = on_file_limit, .sa_flags = SA_RESTART};
	sigemptyset(&action.sa_mask);
	sigaction(SIGXFSZ, &action, NULL);
}

/* Where the stack may grow to without asking, when no memory is left for anything. */
#define STACK_RESERVE (512 * 1024)

static void reserve_stack(void)
{
	volatile char *reserve = alloca(STACK_RESERVE);

	*reserve = 0;
}

void cli_catch_memory(void)
{
	reserve_stack();
	perun_on_out_of_memory(on_out_of_memory);
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
	if (!interrupted)
		return false;
	atomic_store(&noticed, true);
	return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* One line, whatever the message holds. */
static void print_line(struct cli *cli, const char *kind, const char *message)
{
	char *safe = perun_printable(message);

	for (char *c = safe; *c; c++)
		*c = *c == '\n' || *c == '\t' ? ' ' : *c;
	cli_progress_clear(cli);
	cli_flush(cli);
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
		error = "interrupted";
	if (!error)
		return;
	print_line(cli, "", error);
	if (cli->json && !cli->printed) {
		char *document = commands_failure(error, status);

		fputs(document, stdout);
		perun_free(document);
	}
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
	text = perun_format("%s of %.24s%s%.16s", collector, perun_path_base_name(command),
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

/* Seconds between lines of progress where standard error is not a terminal. */
#define LINE_SECONDS 10

/* A line now and then, of work that takes long and has made progress. */
static void print_progress(struct cli *cli, const char *what, uint64_t done, uint64_t total)
{
	double time = cli_now(), *last = &cli->progress.drawn;

	if (*last == 0)
		*last = time;
	if (time - *last < LINE_SECONDS || done == 0 || (total && done >= total))
		return;
	*last = time;
	cli_flush(cli);
	if (total)
		fprintf(stderr, "perun: %s: %llu of %llu\n", what, (unsigned long long)done,
			(unsigned long long)total);
	else
		fprintf(stderr, "perun: %s: %llu\n", what, (unsigned long long)done);
}

static void on_progress(void *data, const char *what, uint64_t done, uint64_t total)
{
	struct cli *cli = data;
	struct cli_progress *progress = &cli->progress;
	double time;

	if (progress->off)
		return;
	if (!isatty(STDERR_FILENO)) {
		print_progress(cli, what, done, total);
		return;
	}
	time = cli_now();
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
	return (struct perun_handlers){.struct_size = sizeof(struct perun_handlers),
				       .data = cli,
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
