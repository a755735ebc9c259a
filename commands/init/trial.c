/* SPDX-License-Identifier: BSD-3-Clause */
/* Building the current commit as proposed, elsewhere, and trying its programs: perun init --detect --run. */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/program.h>

#include "trial.h"

#define SECONDS    10   /* for a program */
#define LAST_BYTES 2000 /* of a failed build's output */
#define LAST_LINES 5

/* The last lines of a file, as one printable text; the caller's. */
static char *last_lines(int file)
{
	char text[LAST_BYTES + 1], *begin = text, *printable;
	off_t size = lseek(file, 0, SEEK_END);
	ssize_t length = pread(file, text, LAST_BYTES, size > LAST_BYTES ? size - LAST_BYTES : 0);
	unsigned lines = 0;

	while (length > 0 && text[length - 1] == '\n')
		length--;
	text[length > 0 ? length : 0] = '\0';
	for (char *at = text + strlen(text); at > text && lines < LAST_LINES; at--) {
		lines += at[-1] == '\n';
		begin = at[-1] == '\n' ? at : begin;
	}
	if (lines < LAST_LINES && size <= LAST_BYTES)
		begin = text;
	printable = perun_printable(begin);
	return printable;
}

static int build(struct perun_ctx *ctx, const struct perun_detection *detected, const char *root,
		 const char *base)
{
	char *path = perun_format("%s/build.log", base);
	struct perun_shell shell = {.directory = root};
	const size_t count = perun_detection_count(detected, PERUN_PROPOSED_BUILD);
	int status = PERUN_OK, code = 0;

	shell.log = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	for (size_t i = 0; !status && code == 0 && i < count; i++) {
		const struct perun_proposal *line =
			perun_detection_at(detected, PERUN_PROPOSED_BUILD, i);

		if (!line->active)
			continue;
		perun_progress(ctx, "building", i, count);
		shell.command = line->text;
		status = perun_shell_run(ctx, &shell, &code);
	}
	if (!status && code != 0) {
		char *last = last_lines(shell.log);

		status = perun_fail(ctx, PERUN_INPUT,
				    "the proposed build does not work: '%s' failed (exit status "
				    "%d): %s",
				    shell.command, code, last);
		perun_free(last);
	}
	if (shell.log >= 0)
		close(shell.log);
	perun_free(path);
	return status;
}

int init_try(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *way,
	     struct perun_detection *detected)
{
	struct perun_scratch base = {.lock = -1};
	char *head = NULL, *root = NULL, *directory = NULL;
	int status = perun_vcs_get_minor_head(ctx, vcs, &head);

	if (!status)
		status = perun_scratch_make(ctx, "perun-init", &base);
	if (!status) {
		root = perun_format("%s/tree", base.path);
		directory = perun_format("%s/%s", root, way && *way ? way : ".");
		status = perun_vcs_export_version(ctx, vcs, head, root);
	}
	if (!status) {
		status = build(ctx, detected, root, base.path);
		if (!status)
			status = perun_detection_try(ctx, detected, directory, SECONDS);
		perun_vcs_remove_export(ctx, vcs, root);
	}
	perun_scratch_remove(&base);
	perun_free(directory);
	perun_free(root);
	perun_free(head);
	return status;
}
