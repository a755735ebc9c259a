/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of a search in a file, for another one that goes on where it was interrupted. */
#include <config.h>

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include <perun/json.h>
#include <perun/lib/hash.h>
#include <perun/lib/path.h>

#include "core/dissect/dissect.h"

static uint64_t add_text(uint64_t hash, const char *text)
{
	return perun_fnv1a(text ? text : "", strlen(text ? text : "") + 1, hash);
}

/* .perun/cache/lines/VERSION-HASH.trials; the hash is of all that trials follow from. */
void kept_name(struct perun_dissect *search, const char *base, const char *head,
	       const struct perun_buffer *diff)
{
	const struct perun_interleave_facts *facts = perun_interleave_facts(search->interleave);
	uint64_t hash = add_text(add_text(PERUN_FNV1A, base), head);

	hash = perun_fnv1a(diff->data ? diff->data : "", diff->length, hash);
	hash = add_text(add_text(hash, facts->command), facts->metric);
	hash = add_text(hash, search->options.test);
	hash ^= search->options.better;
	for (size_t i = 0; i < search->builds->commands.count; i++)
		hash = add_text(hash, search->builds->commands.items[i]);
	search->kept_path =
		perun_format("%s/cache/lines/%.12s-%016" PRIx64 ".trials",
			     perun_store_path(search->store), head ? head : "work-tree", hash);
}

/* ---- writing --------------------------------------------------------------------------------- */

static struct perun_json *describe_set(const struct perun_dissect *search, const bool *set)
{
	struct perun_buffer text = {0};
	struct perun_json *value;

	for (size_t i = 0; i < search->changes.count; i++)
		perun_buffer_add_char(&text, set[i] ? '1' : '0');
	value = perun_json_string(text.data ? text.data : "", text.length);
	perun_buffer_free(&text);
	return value;
}

static struct perun_json *describe_trial(const struct perun_dissect *search,
					 const struct kept_trial *kept)
{
	struct perun_json *object = perun_json_object();

	perun_json_set(object, "set", describe_set(search, kept->set));
	if (kept->trial.reason) {
		perun_json_set(object, "reason", perun_json_text(kept->trial.reason));
	} else {
		perun_json_set(object, "share", perun_json_double(kept->trial.share));
		perun_json_set(object, "uncertain", perun_json_double(kept->trial.uncertain));
		perun_json_set(object, "rounds", perun_json_int64((int64_t)kept->trial.rounds));
		perun_json_set(object, "precise", perun_json_bool(kept->precise));
	}
	return object;
}

void kept_save(const struct perun_dissect *search)
{
	struct perun_json *trials = perun_json_array();
	struct perun_buffer text = {0};
	struct perun_json_writer *writer = perun_json_writer_new(&text, PERUN_JSON_COMPACT, 0);
	char *folder = perun_strndup(search->kept_path,
				     (size_t)(strrchr(search->kept_path, '/') - search->kept_path));

	for (size_t i = 0; i < search->trial_count; i++) {
		const struct kept_trial *kept = &search->trials[i];

		if (kept->trial.number && (kept->trial.reason || isfinite(kept->trial.share)))
			perun_json_append(trials, describe_trial(search, kept));
	}
	perun_json_write_value(writer, trials);
	if (!perun_json_writer_finish(writer)) {
		perun_path_ensure_directory(folder, 0777);
		(void)perun_path_replace(search->kept_path, text.data, text.length, 0666);
	}
	perun_json_free(trials);
	perun_buffer_free(&text);
	perun_free(folder);
}

void kept_forget(const struct perun_dissect *search)
{
	perun_path_unlink(search->kept_path);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_set(const struct perun_dissect *search, const struct perun_json *value, bool *set)
{
	size_t length = 0;
	const char *text = perun_json_as_string(value, &length);

	if (!text || length != search->changes.count)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (text[i] != '0' && text[i] != '1')
			return false;
		set[i] = text[i] == '1';
	}
	return true;
}

static void read_trial(struct perun_dissect *search, const struct perun_json *object)
{
	bool *set = perun_alloc_zero(search->changes.count + 1, sizeof *set);
	const char *reason = perun_json_as_string(perun_json_get(object, "reason"), NULL);
	double share = NAN, uncertain = NAN;
	bool measured = perun_json_as_double(perun_json_get(object, "share"), &share) &&
			perun_json_as_double(perun_json_get(object, "uncertain"), &uncertain) &&
			isfinite(share) && uncertain >= 0;
	struct kept_trial *kept;

	if (read_set(search, perun_json_get(object, "set"), set) && (reason || measured) &&
	    !trial_find(search, set)) {
		kept = trial_add(search, set);
		kept->trial.number = ++search->facts.resumed;
		kept->trial.share = share;
		kept->trial.uncertain = uncertain;
		(void)perun_json_as_bool(perun_json_get(object, "precise"), &kept->precise);
		kept->trial.reason = reason ? perun_strdup(reason) : NULL;
		if (reason)
			kept->trial.answer = PERUN_DISSECT_UNRESOLVED;
	}
	perun_free(set);
}

void kept_load(struct perun_dissect *search)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_buffer text = {0};
	struct perun_json *trials = NULL;

	if (perun_path_read(search->kept_path, &text) == 0 &&
	    !perun_json_parse(quiet, text.data, text.length, NULL, &trials)) {
		for (size_t i = 0; i < perun_json_count(trials); i++)
			read_trial(search, perun_json_at(trials, i));
	}
	perun_json_free(trials);
	perun_buffer_free(&text);
	perun_ctx_free(quiet);
}
