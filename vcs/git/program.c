/* SPDX-License-Identifier: BSD-3-Clause */
/* Running the git program: without a shell, and in the repository we mean. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gitvcs.h"

enum { MAX_ARGUMENTS = 48, MAX_COMPLAINT = 65536, SHOWN_COMPLAINT = 600 };

/*
 * What ties git to a repository (git rev-parse --local-env-vars). Inside a hook they are set, and
 * name a repository or an index that need not be ours.
 */
static const char *const local_variables[] = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
					      "GIT_CONFIG",
					      "GIT_OBJECT_DIRECTORY",
					      "GIT_DIR",
					      "GIT_WORK_TREE",
					      "GIT_IMPLICIT_WORK_TREE",
					      "GIT_GRAFT_FILE",
					      "GIT_INDEX_FILE",
					      "GIT_NO_REPLACE_OBJECTS",
					      "GIT_REPLACE_REF_BASE",
					      "GIT_PREFIX",
					      "GIT_SHALLOW_FILE",
					      "GIT_COMMON_DIR",
					      "GIT_INTERNAL_SUPER_PREFIX",
					      "GIT_QUARANTINE_PATH",
					      "GIT_NAMESPACE",
					      "GIT_TERMINAL_PROMPT",
					      "GIT_OPTIONAL_LOCKS",
					      "GIT_LITERAL_PATHSPECS",
					      "GIT_GLOB_PATHSPECS",
					      "GIT_NOGLOB_PATHSPECS",
					      "GIT_ICASE_PATHSPECS"};

extern char **environ;

static bool is_local(const char *variable)
{
	for (size_t i = 0; i < sizeof(local_variables) / sizeof(*local_variables); i++) {
		size_t length = strlen(local_variables[i]);

		if (!strncmp(variable, local_variables[i], length) && variable[length] == '=')
			return true;
	}
	return false;
}

/* The environment for git; the array is the caller's, and its strings from `owned` on. */
static char **make_environment(const struct gitvcs *vcs, const struct gitvcs_run *run,
			       size_t *owned)
{
	char **environment;
	size_t count = 0, n = 0;

	while (environ[count])
		count++;
	environment = perun_alloc_zero(count + 8, sizeof(*environment));
	for (size_t i = 0; i < count; i++)
		if (!is_local(environ[i]))
			environment[n++] = environ[i];
	*owned = n;
	environment[n++] = perun_strdup("GIT_TERMINAL_PROMPT=0");
	environment[n++] = perun_strdup("GIT_LITERAL_PATHSPECS=1");
	if (run->flags & GITVCS_READ_ONLY)
		environment[n++] = perun_strdup("GIT_OPTIONAL_LOCKS=0");
	if (run->flags & GITVCS_NO_FETCH)
		environment[n++] = perun_strdup("GIT_NO_LAZY_FETCH=1");
	if (vcs->from_environment && !(run->flags & GITVCS_PLAIN_PLACE)) {
		environment[n++] = perun_format("GIT_DIR=%s", vcs->git_dir);
		if (vcs->work_dir)
			environment[n++] = perun_format("GIT_WORK_TREE=%s", vcs->work_dir);
	}
	return environment;
}

/* What git said, as one line: labels and hints gone, lines joined. */
static void tidy_complaint(struct perun_buffer *err)
{
	struct perun_buffer line = {0};
	char *printable;

	for (char *p = err->data ? err->data : ""; *p;) {
		size_t length = strcspn(p, "\n");
		char *next = p + length + (p[length] == '\n');

		for (size_t i = 0; i < 2; i++) {
			static const char *const labels[] = {"fatal: ", "error: "};
			size_t label = strlen(labels[i]);

			if (length >= label && !strncmp(p, labels[i], label)) {
				p += label;
				length -= label;
			}
		}
		while (length && (*p == ' ' || *p == '\t')) {
			p++;
			length--;
		}
		if (length && strncmp(p, "hint:", 5) != 0 && strncmp(p, "Aborting", length) != 0 &&
		    line.length < SHOWN_COMPLAINT) {
			if (line.length)
				perun_buffer_add_char(&line, ' ');
			perun_buffer_add(&line, p, length);
		}
		p = next;
	}
	printable = perun_printable(line.length ? line.data : "no reason given");
	perun_buffer_clear(err);
	perun_buffer_add_text(err, printable);
	perun_free(printable);
	perun_buffer_free(&line);
}

/* Read both streams until they end. */
static void drain(struct gitvcs_run *run, int out, int err)
{
	struct pollfd streams[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
	struct perun_buffer *buffers[2] = {&run->out, &run->err};

	while (streams[0].fd >= 0 || streams[1].fd >= 0) {
		if (poll(streams, 2, -1) < 0 && errno != EINTR)
			break;
		for (int i = 0; i < 2; i++) {
			char *room;
			ssize_t got;

			if (streams[i].fd < 0 || !streams[i].revents)
				continue;
			room = perun_buffer_reserve(buffers[i], 4096);
			got = read(streams[i].fd, room, 4096);
			if (got > 0 && (i == 0 || buffers[i]->length < MAX_COMPLAINT))
				buffers[i]->length += (size_t)got;
			else if (got == 0 || (got < 0 && errno != EINTR))
				streams[i].fd = -1;
		}
	}
	for (int i = 0; i < 2; i++)
		perun_buffer_add(buffers[i], "", 0);
}

/* Start git with its output on two pipes; returns an errno value. */
static int spawn(const char *const *arguments, char **environment, int in, int out, int err,
		 pid_t *child)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t signals;
	int error;

	posix_spawn_file_actions_init(&actions);
	if (in)
		posix_spawn_file_actions_adddup2(&actions, in, 0);
	else
		posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, err, 2);
	posix_spawnattr_init(&attributes);
	/* The host may ignore or block signals that git counts on. */
	sigemptyset(&signals);
	posix_spawnattr_setsigmask(&attributes, &signals);
	sigaddset(&signals, SIGPIPE);
	sigaddset(&signals, SIGCHLD);
	posix_spawnattr_setsigdefault(&attributes, &signals);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	error = posix_spawnp(child, "git", &actions, &attributes, (char *const *)arguments,
			     environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static int run_program(struct perun_ctx *ctx, struct gitvcs_run *run, const char *const *arguments,
		       char **environment)
{
	int out[2], err[2], state = 0, error;
	pid_t child;

	if (pipe2(out, O_CLOEXEC) < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot run git");
	if (pipe2(err, O_CLOEXEC) < 0) {
		error = errno;
		close(out[0]);
		close(out[1]);
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot run git");
	}
	error = spawn(arguments, environment, run->input, run->output ? run->output : out[1],
		      err[1], &child);
	close(out[1]);
	close(err[1]);
	if (!error)
		drain(run, out[0], err[0]);
	close(out[0]);
	close(err[0]);
	if (error == ENOENT)
		return perun_fail(ctx, PERUN_MISSING,
				  "the program git is needed for this and not installed");
	if (error)
		return perun_fail_errno(ctx, PERUN_MISSING, error, "cannot run the program git");
	while (waitpid(child, &state, 0) < 0)
		if (errno != EINTR)
			return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot wait for git");
	run->code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
	if (run->code)
		tidy_complaint(&run->err);
	return PERUN_OK;
}

int gitvcs_git_argv(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_run *run,
		    const char *const *arguments)
{
	const char *words[MAX_ARGUMENTS + 16], **word = words;
	const char *directory = run->directory;
	char **environment;
	size_t owned;
	int status;

	if (!directory)
		directory = vcs->work_dir ? vcs->work_dir : vcs->git_dir;
	*word++ = "git";
	*word++ = "-C";
	*word++ = directory ? directory : ".";
	/* A killed machine must not lose what is put aside. */
	*word++ = "-c";
	*word++ = "core.fsync=committed,loose-object,reference";
	*word++ = "-c";
	*word++ = "advice.detachedHead=false";
	if (run->flags & GITVCS_NO_HOOKS) {
		*word++ = "-c";
		*word++ = "core.hooksPath=/dev/null";
	}
	for (size_t i = 0; arguments[i]; i++) {
		if (i == MAX_ARGUMENTS)
			return perun_fail(ctx, PERUN_USAGE, "too many arguments for git");
		*word++ = arguments[i];
	}
	*word = NULL;
	perun_buffer_clear(&run->out);
	perun_buffer_clear(&run->err);
	environment = make_environment(vcs, run, &owned);
	status = run_program(ctx, run, words, environment);
	for (size_t i = owned; environment[i]; i++)
		perun_free(environment[i]);
	perun_free(environment);
	if (status == PERUN_OK && run->code && !(run->flags & GITVCS_MAY_FAIL))
		status = perun_fail(ctx, PERUN_INPUT, "git %s: %s", arguments[0], run->err.data);
	return status;
}

int gitvcs_git(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_run *run, ...)
{
	const char *arguments[MAX_ARGUMENTS + 1];
	size_t count = 0;
	va_list list;

	va_start(list, run);
	while (count < MAX_ARGUMENTS && (arguments[count] = va_arg(list, const char *)))
		count++;
	va_end(list);
	arguments[count] = NULL;
	return gitvcs_git_argv(vcs, ctx, run, arguments);
}

void gitvcs_run_free(struct gitvcs_run *run)
{
	perun_buffer_free(&run->out);
	perun_buffer_free(&run->err);
}

const char *gitvcs_run_line(struct gitvcs_run *run)
{
	if (!run->out.data)
		return "";
	run->out.data[strcspn(run->out.data, "\n")] = '\0';
	return run->out.data;
}
