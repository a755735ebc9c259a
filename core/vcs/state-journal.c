/* SPDX-License-Identifier: BSD-3-Clause */
/* What save_state() put aside, for a version control system that cannot recover itself. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/advice.h>
#include <perun/lib/hash.h>
#include <perun/lib/path.h>

#include "core/vcs/state-journal.h"

#define MAX_BYTES (1 << 20)

/* NULL when there is no place that only this user can write. */
static char *path_of(const char *url)
{
	char *folder = perun_state_directory("vcs-states"), *real = realpath(url, NULL), *path;
	const char *name = real ? real : url;

	path = folder ? perun_format("%s/%016" PRIx64, folder,
				     perun_fnv1a(name, strlen(name), PERUN_FNV1A))
		      : NULL;
	perun_free(folder);
	free(real);
	return path;
}

int perun_state_journal_begin(struct perun_ctx *ctx, const char *url,
			      struct perun_state_journal *journal)
{
	int status = PERUN_OK;

	*journal = (struct perun_state_journal){path_of(url), -1};
	if (!journal->path)
		return PERUN_OK;
	journal->lock = perun_path_open_locked(journal->path, O_CREAT, LOCK_EX);
	if (journal->lock < 0 && errno == EWOULDBLOCK)
		status = perun_fail(ctx, PERUN_INPUT, "another run has the work tree of %s", url);
	else if (journal->lock < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make %s", journal->path);
	else if (lseek(journal->lock, 0, SEEK_END) > 0)
		status = perun_fail(ctx, PERUN_INPUT,
				    "an interrupted run left %s at another version%s", url,
				    perun_advice(PERUN_ADVICE_RECOVER));
	if (status)
		perun_state_journal_close(journal, false);
	return status;
}

int perun_state_journal_note(struct perun_ctx *ctx, const struct perun_state_journal *journal,
			     bool saved, const char *state)
{
	struct perun_json *document;
	struct perun_buffer text = {0};
	bool written;

	if (!journal->path)
		return PERUN_OK;
	document = perun_json_object();
	perun_json_set(document, "saved", perun_json_bool(saved));
	perun_json_set(document, "state", perun_json_text(state ? state : ""));
	perun_json_print(document, &text, PERUN_JSON_PYTHON, 0);
	perun_json_free(document);
	written = pwrite(journal->lock, text.data, text.length, 0) == (ssize_t)text.length &&
		  fsync(journal->lock) == 0;
	perun_buffer_free(&text);
	return written ? PERUN_OK
		       : perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s",
					  journal->path);
}

void perun_state_journal_take(const char *url, struct perun_state_journal *journal, bool *saved,
			      char **state)
{
	struct perun_json *document = NULL;
	const char *text = NULL;
	char *room;
	ssize_t size;

	*state = NULL;
	*saved = false;
	*journal = (struct perun_state_journal){path_of(url), -1};
	if (journal->path)
		journal->lock = perun_path_open_locked(journal->path, 0, LOCK_EX);
	if (journal->lock < 0) {
		perun_state_journal_close(journal, false);
		return;
	}
	room = perun_alloc(MAX_BYTES);
	size = pread(journal->lock, room, MAX_BYTES, 0);
	if (size > 0 && !perun_json_parse(NULL, room, (size_t)size, NULL, &document)) {
		text = perun_json_as_string(perun_json_get(document, "state"), NULL);
		perun_json_as_bool(perun_json_get(document, "saved"), saved);
	}
	*state = perun_strdup(text);
	perun_json_free(document);
	perun_free(room);
}

void perun_state_journal_close(struct perun_state_journal *journal, bool done)
{
	if (done && journal->path && journal->lock >= 0)
		perun_path_unlink(journal->path);
	if (journal->lock >= 0)
		close(journal->lock);
	perun_free(journal->path);
	*journal = (struct perun_state_journal){NULL, -1};
}
