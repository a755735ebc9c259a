/* SPDX-License-Identifier: BSD-3-Clause */
/* What cells measured becomes part of the store. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/lib/history.h>
#include <perun/lib/path.h>

#include "core/cells/here.h"
#include "core/store/store.h"

/* Profiles that are in memory at a time. */
#define MAX_PROFILES 4096
#define MAX_BYTES    ((size_t)256 << 20)

struct gathering {
	struct perun_ctx *ctx;
	struct perun_store *store;
	const struct perun_run_cells *cells;
	struct perun_collected *result;
	bool *collected;
	struct perun_version_profile *items;
	size_t *numbers; /* of the cells whose last profile it is; 0 = another one is to come */
	size_t count, bytes;
	struct perun_saved *pending; /* profiles of one version */
	size_t pending_count, pending_capacity;
	const char *pending_minor;
};

/* "time-[prog]-20261126-141703-1a2b-17.perf", of one of many "...-17-3.perf": the same whenever it is collected. */
static char *entry_name(const struct gathering *gathering, const struct perun_profile *profile,
			size_t number, int64_t among)
{
	char *names = perun_format("%%collector%%-%%cmd%%-%s-%zu", gathering->cells->id, number);
	char *of = among ? perun_format("%s-%" PRId64, names, among) : perun_strdup(names);
	char *name = perun_expand_template(profile, of, 0);

	perun_free(of);
	perun_free(names);
	return name;
}

/* A profile of a cell, which `entry` names; `last`: then all of the cell is in the store. */
static int take(struct gathering *gathering, size_t number, const struct perun_json *outcome,
		const struct perun_json *entry, bool last)
{
	const struct cells_place place = cells_place_of(gathering->cells, number);
	struct perun_profile *profile = NULL;
	struct perun_buffer text = {0};
	struct perun_input *input;
	double ended = 0;
	int64_t among = 0;
	char *path;
	int status = cells_read_output(gathering->ctx, gathering->cells, number, entry, "profile",
				       &path, &text);

	if (!status) {
		input = perun_input_from_memory(path, text.data, text.length);
		status = perun_read_profile(gathering->ctx, input, "perun", NULL, &profile, NULL);
		perun_input_close(input);
	}
	perun_json_as_int64(perun_json_get(entry, "number"), &among);
	perun_json_as_double(perun_json_get(outcome, "ended"), &ended);
	if (!status) {
		gathering->items[gathering->count] = (struct perun_version_profile){
			.minor = gathering->cells->versions.items[place.version],
			.name = entry_name(gathering, profile, number, among),
			.time = ended > 0 && ended < UINT32_MAX ? (uint32_t)ended : 0,
			.profile = profile};
		gathering->numbers[gathering->count++] = last ? number : 0;
		gathering->bytes += text.length;
	}
	perun_buffer_free(&text);
	perun_free(path);
	return status;
}

static int flush(struct gathering *gathering)
{
	int status = perun_store_add_profiles(gathering->ctx, gathering->store, gathering->items,
					      gathering->count);

	for (size_t i = 0; i < gathering->count; i++) {
		struct perun_version_profile *item = &gathering->items[i];

		if (!status) {
			if (gathering->numbers[i])
				gathering->collected[gathering->numbers[i] - 1] = true;
			gathering->result->already += item->already;
			gathering->result->added += !item->already;
		}
		perun_free((char *)item->name);
		perun_profile_unref((struct perun_profile *)item->profile);
	}
	if (!status && gathering->count)
		status = cells_note_collected(gathering->ctx, gathering->cells,
					      gathering->collected);
	gathering->count = gathering->bytes = 0;
	return status;
}

/* ---- pending ones -------------------------------------------------------------------------------- */

static int flush_pending(struct gathering *gathering)
{
	int status = PERUN_OK;

	if (gathering->pending_count)
		status = perun_store_add_saved(gathering->ctx, gathering->store,
					       gathering->pending_minor, gathering->pending,
					       gathering->pending_count);
	if (!status)
		gathering->result->added += gathering->pending_count;
	while (gathering->pending_count)
		perun_free(gathering->pending[--gathering->pending_count].path);
	return status;
}

/* What perun_run() saved is registered as `perun add` would do it, unless it was since, or nobody knows with which version. */
static int take_pending(struct gathering *gathering, size_t number,
			const struct perun_json *entries)
{
	const struct cells_place place = cells_place_of(gathering->cells, number);
	const char *minor = gathering->cells->versions.items[place.version];
	int status = PERUN_OK;

	if (gathering->pending_minor && strcmp(gathering->pending_minor, minor) != 0)
		status = flush_pending(gathering);
	gathering->pending_minor = minor;
	for (size_t i = 0; !status && i < perun_json_count(entries); i++) {
		char *path;

		if (!here_is_pending(gathering->store, perun_json_at(entries, i), &path) ||
		    !*minor) {
			gathering->result->already++;
			perun_free(path);
			continue;
		}
		PERUN_GROW(gathering->pending, gathering->pending_count,
			   gathering->pending_capacity);
		gathering->pending[gathering->pending_count++] = (struct perun_saved){.path = path};
	}
	return status;
}

/* ---- cells --------------------------------------------------------------------------------------- */

/* What is damaged keeps nothing else from being collected. */
static int note_damage(struct gathering *gathering, size_t number, int status, bool *whole)
{
	if (!status || status == PERUN_CANCELLED)
		return status;
	perun_warn(gathering->ctx, "cell %zu: %s", number, perun_ctx_error(gathering->ctx));
	perun_ctx_clear(gathering->ctx);
	gathering->result->damaged++;
	*whole = false;
	return PERUN_OK;
}

/* Of a cell that has many, also of one that failed: what is there is not measured again. */
static int take_many(struct gathering *gathering, size_t number, const struct perun_json *outcome,
		     bool whole)
{
	const struct perun_json *profiles = perun_json_get(outcome, "profiles");
	size_t count = perun_json_count(profiles);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < count; i++) {
		if (gathering->count == MAX_PROFILES || gathering->bytes >= MAX_BYTES)
			status = flush(gathering);
		if (!status)
			status = note_damage(gathering, number,
					     take(gathering, number, outcome,
						  perun_json_at(profiles, i),
						  whole && i + 1 == count),
					     &whole);
	}
	return status;
}

static int look(struct gathering *gathering, size_t number)
{
	struct perun_json *outcome = NULL;
	int64_t failed = PERUN_INPUT;
	int status = cells_outcome(gathering->ctx, gathering->cells, number, &outcome);
	bool whole;

	if (status == PERUN_MISSING)
		return PERUN_OK;
	perun_json_as_int64(perun_json_get(outcome, "exit"), &failed);
	whole = !failed;
	/* The values of a comparison and merged files are not for the store. */
	if (!status && perun_json_get(outcome, "pending")) {
		status = take_pending(gathering, number, perun_json_get(outcome, "pending"));
		gathering->result->cells += whole;
	} else if (!status && perun_json_get(outcome, "profiles")) {
		status = take_many(gathering, number, outcome, whole);
	} else if (!status && whole && !cells_comparison(gathering->cells) &&
		   !cells_merging(gathering->cells)) {
		status = note_damage(gathering, number,
				     take(gathering, number, outcome, outcome, true), &whole);
	} else {
		status = note_damage(gathering, number, status, &whole);
	}
	perun_json_free(outcome);
	return status;
}

static int gather(struct gathering *gathering)
{
	size_t all = perun_run_cells_count(gathering->cells);
	int status = PERUN_OK;

	for (size_t number = 1; !status && number <= all; number++) {
		if (gathering->collected[number - 1]) {
			gathering->result->already++;
			continue;
		}
		if (number % 256 == 0)
			perun_progress(gathering->ctx, "cells", number, all);
		status = look(gathering, number);
		if (!status && perun_cancelled(gathering->ctx))
			status = perun_fail(gathering->ctx, PERUN_CANCELLED, "interrupted");
		if (!status && (gathering->count == MAX_PROFILES || gathering->bytes >= MAX_BYTES))
			status = flush(gathering);
	}
	perun_progress(gathering->ctx, "cells", all, all);
	return status;
}

static void drop(struct gathering *gathering)
{
	for (size_t i = 0; i < gathering->count; i++) {
		perun_free((char *)gathering->items[i].name);
		perun_profile_unref((struct perun_profile *)gathering->items[i].profile);
	}
	gathering->count = 0;
	while (gathering->pending_count)
		perun_free(gathering->pending[--gathering->pending_count].path);
}

int perun_run_cells_collect(struct perun_ctx *ctx, struct perun_store *store,
			    struct perun_run_cells *cells, struct perun_collected *collected)
{
	struct gathering gathering = {
		.ctx = ctx, .store = store, .cells = cells, .result = collected};
	int lock, status;

	*collected = (struct perun_collected){0};
	status = cells_lock(ctx, cells->path, "collect.lock", &lock);
	if (status)
		return status;
	if (!*cells->versions.items[0] && !cells->inlined)
		status = perun_fail(ctx, PERUN_USAGE,
				    "what was measured before the first version cannot be "
				    "registered with one");
	gathering.collected = cells_collected(cells);
	gathering.items = perun_alloc_zero(MAX_PROFILES, sizeof *gathering.items);
	gathering.numbers = perun_alloc_zero(MAX_PROFILES, sizeof *gathering.numbers);
	if (!status)
		status = gather(&gathering);
	if (!status)
		status = flush(&gathering);
	if (!status)
		status = flush_pending(&gathering);
	drop(&gathering);
	for (size_t i = 0; i < perun_run_cells_count(cells); i++)
		collected->cells += gathering.collected[i];
	perun_free(gathering.pending);
	perun_free(gathering.items);
	perun_free(gathering.numbers);
	perun_free(gathering.collected);
	if (lock >= 0)
		close(lock);
	if (status)
		perun_fail(ctx, PERUN_OK, "cannot collect run %s", cells->id);
	return status;
}
