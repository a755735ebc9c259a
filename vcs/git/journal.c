/* SPDX-License-Identifier: BSD-3-Clause */
/* The journal of where the user was, written before a run changes the work tree. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "gitvcs.h"

#define JOURNAL_HEAD "perun-state 1\n"

static char *journal_path(const struct gitvcs *vcs)
{
	return perun_format("%s/perun-state", vcs->git_dir);
}

char *gitvcs_saved_reference(const struct gitvcs *vcs)
{
	/* Not below refs/worktree/: git gc of another work tree would not see it there. */
	if (!strcmp(vcs->git_dir, vcs->common_dir))
		return perun_strdup("refs/perun/saved-state/main");
	return perun_format("refs/perun/saved-state/worktrees/%s",
			    perun_path_base_name(vcs->git_dir));
}

void gitvcs_journal_free(struct gitvcs_journal *journal)
{
	perun_free(journal->branch);
	journal->branch = NULL;
}

/* The value of the next line, "key value\n", cut off from the text; NULL when it is another key. */
static char *take_value(char **text, const char *key)
{
	size_t length = strlen(key);
	char *value = *text + length + 1, *end;

	if (strncmp(*text, key, length) != 0 || (*text)[length] != ' ')
		return NULL;
	end = strchr(value, '\n');
	if (!end)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return strcmp(value, "-") != 0 ? value : "";
}

static bool take_hex(char **text, const char *key, char hex[GIT_OID_HEXSZ + 1], bool needed)
{
	const char *value = take_value(text, key);
	git_oid id;

	if (!value || (!*value && needed))
		return false;
	if (*value && (strlen(value) != GIT_OID_HEXSZ || git_oid_fromstr(&id, value) < 0))
		return false;
	strcpy(hex, value);
	return true;
}

/* A full name that git allows (git-check-ref-format(1)), or none: it becomes an argument of git. */
static bool is_reference(const char *name)
{
	if (!*name)
		return true;
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p <= ' ' || strchr("~^:?*[\\\177", *p))
			return false;
	return !strncmp(name, "refs/", 5) && strncmp(name, "refs/heads/-", 12) != 0 &&
	       !strstr(name, "..") && !strstr(name, "@{");
}

static bool parse_journal(char *text, struct gitvcs_journal *journal)
{
	const char *branch;

	if (strncmp(text, JOURNAL_HEAD, strlen(JOURNAL_HEAD)) != 0)
		return false;
	text += strlen(JOURNAL_HEAD);
	if (!take_hex(&text, "head", journal->head, true) ||
	    !(branch = take_value(&text, "branch")) || !is_reference(branch))
		return false;
	journal->branch = perun_strdup(branch);
	return take_hex(&text, "saved", journal->saved, false) &&
	       take_hex(&text, "target", journal->target, false) && !strcmp(text, "end\n");
}

int gitvcs_journal_read(struct gitvcs *vcs, struct perun_ctx *ctx, struct gitvcs_journal *journal,
			bool *found)
{
	char *path = journal_path(vcs);
	struct perun_buffer content = {0};
	int status;

	*journal = (struct gitvcs_journal){0};
	status = gitvcs_file_read(ctx, path, &content, found);
	if (status == PERUN_OK && *found && !parse_journal(content.data, journal)) {
		char *reference = gitvcs_saved_reference(vcs);

		status = perun_fail(ctx, PERUN_INPUT,
				    "%s: not a journal of this version; uncommitted changes that "
				    "were put aside are in %s; remove the file when all is well",
				    path, reference);
		perun_free(reference);
		gitvcs_journal_free(journal);
	}
	perun_buffer_free(&content);
	perun_free(path);
	return status;
}

static const char *or_dash(const char *text)
{
	return text && *text ? text : "-";
}

int gitvcs_journal_write(struct gitvcs *vcs, struct perun_ctx *ctx,
			 const struct gitvcs_journal *journal)
{
	char *path = journal_path(vcs);
	struct perun_buffer text = {0};
	int status;

	perun_buffer_printf(&text, JOURNAL_HEAD "head %s\nbranch %s\nsaved %s\ntarget %s\nend\n",
			    journal->head, or_dash(journal->branch), or_dash(journal->saved),
			    or_dash(journal->target));
	status = gitvcs_file_write(ctx, path, text.data, text.length);
	perun_buffer_free(&text);
	perun_free(path);
	return status;
}

int gitvcs_journal_remove(struct gitvcs *vcs, struct perun_ctx *ctx)
{
	char *path = journal_path(vcs);
	int status = gitvcs_file_remove(ctx, path);

	gitvcs_file_sweep(path);
	perun_free(path);
	return status;
}

int gitvcs_state_lock(struct gitvcs *vcs, struct perun_ctx *ctx, bool *busy)
{
	char *path;
	int status;

	*busy = false;
	if (vcs->state_lock >= 0)
		return PERUN_OK;
	path = perun_format("%s/perun-state.lock", vcs->git_dir);
	status = gitvcs_lock(ctx, path, &vcs->state_lock, busy);
	perun_free(path);
	return status;
}

void gitvcs_state_unlock(struct gitvcs *vcs)
{
	char *path;

	if (vcs->state_lock < 0)
		return;
	path = perun_format("%s/perun-state.lock", vcs->git_dir);
	unlink(path);
	perun_free(path);
	close(vcs->state_lock);
	vcs->state_lock = -1;
}
