/* SPDX-License-Identifier: BSD-3-Clause */
/* A store over a real git repository, for tests of what libperun says about histories. */
#ifndef PERUN_TESTS_UNIT_GIT_HELP_H
#define PERUN_TESTS_UNIT_GIT_HELP_H

#include <perun/lib/lookup.h>

#include "tests/unit/store-help.h"

static struct perun_store *git_store;

/* Run a command line; the test fails when that fails. */
__attribute__((unused)) static void git_run(const char *format, ...)
{
	char command[1000];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof command, format, args);
	va_end(args);
	if (system(command) != 0)
		CHECK_FAIL("failed: %s", command);
}

/* A commit that changes nothing, at `day` days after the epoch of the test. */
__attribute__((unused)) static void git_commit(const char *message, unsigned day)
{
	git_run("GIT_COMMITTER_DATE='%u +0000' GIT_AUTHOR_DATE='%u +0000' git -c user.name=A "
		"-c user.email=a@b -c commit.gpgsign=false commit -q --allow-empty -m '%s'",
		1700000000 + day * 86400, 1700000000 + day * 86400, message);
}

/* The current directory becomes a repository with a store, which is open. False without git. */
__attribute__((unused)) static bool git_begin(void)
{
	help_begin();
	if (system("git --version >/dev/null 2>&1") != 0)
		return false;
	git_run("git init -q -b main .");
	git_store = help_store(".");
	return git_store != NULL;
}

__attribute__((unused)) static void git_end(void)
{
	perun_store_close(git_store);
	help_end();
}

/* The checksum of a revision, in one of a few static buffers; "" when there is none. */
__attribute__((unused)) static const char *git_version(const char *revision)
{
	static char texts[4][100];
	static int next;
	char *checksum = NULL;

	next = (next + 1) % 4;
	texts[next][0] = '\0';
	if (perun_lookup_version(help_ctx, git_store, revision, &checksum) == PERUN_OK)
		snprintf(texts[next], sizeof texts[next], "%s", checksum);
	perun_free(checksum);
	return texts[next];
}

/* Register the text of a profile with a revision. The file keeps that name in the index. */
__attribute__((unused)) static void git_add(const char *revision, const char *name,
					    const char *text)
{
	const struct perun_add_options options = {.struct_size = sizeof options, .force = true};
	struct perun_additions *added = NULL;

	help_text(name, text);
	if (perun_store_add(help_ctx, git_store, git_version(revision), &name, 1, &options, &added))
		CHECK_FAIL("add: %s", perun_ctx_error(help_ctx));
	perun_additions_free(added);
}

#endif
