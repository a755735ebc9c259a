/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target: the diff of a commit, which perun bisect --lines takes apart, and what compilers say of its changes. */
#include "core/dissect/needs.h"

#include "tests/fuzz/fuzz.h"

static size_t count_lines(const char *text)
{
	size_t count = 0;

	for (; *text; text += strcspn(text, "\n") + (text[strcspn(text, "\n")] == '\n'))
		count++;
	return count;
}

static void check_changes(const struct changes *changes)
{
	size_t next = 0;

	for (size_t i = 0; i < changes->file_count; i++) {
		MUST(changes->files[i].old_path && changes->files[i].new_path);
		MUST(changes->files[i].first == next);
		next += changes->files[i].count;
	}
	MUST(next == changes->count);
	for (size_t i = 0; i < changes->count; i++) {
		const struct perun_dissect_change *change = &changes->items[i];

		MUST(changes->file_of[i] < changes->file_count);
		/* Lines may have a byte 0, where their text ends. */
		MUST(count_lines(change->removed) <= change->old_lines);
		MUST(count_lines(change->added) <= change->new_lines);
		change_is_plain(change);
	}
}

/* What a set needs is in it once it is closed, and nothing needs what was left out. */
static void check_needs(const struct changes *changes, const char *text)
{
	struct needs needs, copy;
	bool *all = perun_alloc_zero(changes->count + 1, sizeof *all);
	bool *set = perun_alloc_zero(changes->count + 1, sizeof *set);

	memset(all, true, changes->count);
	for (size_t i = 0; i < changes->count; i += 2)
		set[i] = true;
	needs_find(changes, &needs);
	needs_learn(changes, set, text, &needs);
	needs_copy(&needs, &copy);
	needs_close(&needs, all, false, set);
	for (size_t i = 0; i < changes->count; i++) {
		for (size_t k = 0; set[i] && k < copy.of[i].count; k++)
			MUST(set[copy.of[i].items[k].change]);
	}
	if (changes->count)
		needs_leave_out(&needs, 0, set);
	for (size_t i = 0; i < changes->count; i++) {
		for (size_t k = 0; set[i] && k < needs.of[i].count; k++)
			MUST(needs.of[i].items[k].change != 0);
	}
	needs_free(&needs);
	needs_free(&copy);
	perun_free(all);
	perun_free(set);
}

void fuzz_diff(const uint8_t *data, size_t size)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	char *text = perun_strndup((const char *)data, size);
	struct changes changes;
	int status = changes_read(ctx, (const char *)data, size, &changes);

	MUST(status == PERUN_OK || (status == PERUN_INPUT && perun_ctx_error(ctx)));
	if (status == PERUN_OK) {
		check_changes(&changes);
		/* The work grows with the square of the changes. */
		if (changes.count <= 200)
			check_needs(&changes, text);
	}
	changes_free(&changes);
	perun_free(text);
	perun_ctx_free(ctx);
}
