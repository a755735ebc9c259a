/* SPDX-License-Identifier: BSD-3-Clause */
/* Running hg. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hg.h"

enum { MAX_WORDS = 24, SHOWN_COMPLAINT = 600 };

extern char **environ;

/* HGPLAIN: no aliases, no defaults, no colors, no pager, English. shelve was an extension before Mercurial 5.1. */
static const char *const settings[] = {"HGPLAIN=1", "HGENCODING=UTF-8", "HGENCODINGMODE=replace"};
static const char *const first_words[] = {"hg", "--noninteractive", "--config",
					  "extensions.shelve="};

/* The user's environment, in which the settings have other values or none. The caller frees the array. */
static char **make_environment(void)
{
	char **environment;
	size_t count = 0, n = 0;

	while (environ[count])
		count++;
	environment = perun_alloc_zero(count + 4, sizeof *environment);
	for (size_t i = 0; i < 3; i++)
		environment[n++] = (char *)settings[i];
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "HGPLAIN", 7) != 0 &&
		    strncmp(environ[i], "HGENCODING", 10) != 0)
			environment[n++] = environ[i];
	return environment;
}

/* An errno value. */
static int spawn(const char *const *words, int output, int complaint, pid_t *process)
{
	char **environment = make_environment();
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, output, 1);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, complaint, 2);
	if (!error)
		error = posix_spawnp(process, words[0], &actions, &attributes, (char **)words,
				     environment);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	perun_free(environment);
	return error;
}

int hg_start(struct perun_ctx *ctx, const struct hg *hg, const char *const *words,
	     struct hg_child *child)
{
	const char *all[MAX_WORDS + 8];
	size_t count = 0;
	int ends[2], error;

	for (size_t i = 0; i < sizeof first_words / sizeof *first_words; i++)
		all[count++] = first_words[i];
	if (hg->root) {
		all[count++] = "-R";
		all[count++] = hg->root;
	}
	for (size_t i = 0; words[i] && i < MAX_WORDS; i++)
		all[count++] = words[i];
	all[count] = NULL;
	*child = (struct hg_child){.command = words[0], .complaint = tmpfile()};
	if (!child->complaint)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a temporary file");
	error = pipe2(ends, O_CLOEXEC) < 0 ? errno : 0;
	if (!error) {
		error = spawn(all, ends[1], fileno(child->complaint), &child->process);
		close(ends[1]);
		child->output = ends[0];
		if (error)
			close(ends[0]);
	}
	if (!error)
		return PERUN_OK;
	fclose(child->complaint);
	return error == ENOENT
		       ? perun_fail(ctx, PERUN_MISSING, "cannot run hg: Mercurial is not installed")
		       : perun_fail_errno(ctx, PERUN_MISSING, error, "cannot run hg");
}

bool hg_read(const struct hg_child *child, struct perun_buffer *text)
{
	ssize_t got;

	do
		got = read(child->output, perun_buffer_reserve(text, 65536), 65535);
	while (got < 0 && errno == EINTR);
	if (got > 0)
		text->length += (size_t)got;
	perun_buffer_add_char(text, '\0');
	text->length--;
	return got > 0;
}

/* What hg said, as one line without its label. The caller frees it. */
static char *read_complaint(FILE *file)
{
	char text[SHOWN_COMPLAINT + 1], *start = text;
	size_t length;

	rewind(file);
	length = fread(text, 1, SHOWN_COMPLAINT, file);
	while (length && strchr("\n ", text[length - 1]))
		length--;
	text[length] = '\0';
	if (strncmp(text, "abort: ", 7) == 0)
		start += 7;
	for (char *c = start; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	return perun_printable(*start ? start : "no reason given");
}

int hg_end(struct perun_ctx *ctx, struct hg_child *child, int *code)
{
	int state = 0, status = PERUN_OK, number;

	close(child->output);
	while (waitpid(child->process, &state, 0) < 0 && errno == EINTR)
		;
	number = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
	if (code)
		*code = number;
	if (number > (code ? 1 : 0)) {
		char *complaint = read_complaint(child->complaint);

		status = perun_fail(ctx, PERUN_INPUT, "hg %s: %s", child->command, complaint);
		perun_free(complaint);
	}
	fclose(child->complaint);
	return status;
}

void hg_stop(struct hg_child *child)
{
	kill(child->process, SIGTERM);
	hg_end(NULL, child, NULL);
}

int hg_run(struct perun_ctx *ctx, const struct hg *hg, struct perun_buffer *text, int *code,
	   const char *const *words)
{
	struct perun_buffer own = {0};
	struct hg_child child;
	int status = hg_start(ctx, hg, words, &child);

	if (!status) {
		while (hg_read(&child, text ? text : &own))
			;
		status = hg_end(ctx, &child, code);
	}
	perun_buffer_free(&own);
	return status;
}
