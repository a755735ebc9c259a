/* SPDX-License-Identifier: BSD-3-Clause */
/* Which samples belong to which thread: labels pid, tid and comm, as pprof and perf name them. */
#include <stdlib.h>
#include <string.h>

#include <perun/lib/hash.h>

#include "firefox.h"

static const char *key_of(const struct perun_profile *profile, const struct perun_label *label)
{
	return perun_profile_string(profile, label->key, NULL);
}

/* A number, or a text that is one. */
static int64_t number_of(const struct perun_profile *profile, const struct perun_label *label)
{
	const char *text;
	char *end;
	long long number;

	if (label->text == PERUN_NO_ID)
		return label->number;
	text = perun_profile_string(profile, label->text, NULL);
	number = strtoll(text, &end, 10);
	return *text && !*end ? number : -1;
}

/* The thread that a label set names; whether it says more than that. */
static struct firefox_thread describe(const struct perun_profile *profile, perun_id labels,
				      bool *more)
{
	struct firefox_thread thread = {.name = PERUN_NO_ID,
					.process = PERUN_NO_ID,
					.pid = -1,
					.tid = -1,
					.pid_text = PERUN_NO_ID};
	const struct perun_label *label;
	size_t count = 0;

	*more = false;
	if (labels == PERUN_NO_ID)
		return thread;
	label = perun_profile_labels(profile, labels, &count);
	for (size_t i = 0; i < count; i++, label++) {
		const char *key = key_of(profile, label);
		bool text = label->text != PERUN_NO_ID;

		if (strcmp(key, "pid") == 0 && thread.pid < 0) {
			thread.pid = number_of(profile, label);
			thread.pid_text = thread.pid < 0 ? label->text : PERUN_NO_ID;
		} else if ((strcmp(key, "tid") == 0 || strcmp(key, "thread_id") == 0) &&
			   thread.tid < 0) {
			thread.tid = number_of(profile, label);
			*more |= thread.tid < 0;
		} else if (text && thread.name == PERUN_NO_ID &&
			   (strcmp(key, "comm") == 0 || strcmp(key, "thread") == 0 ||
			    strcmp(key, "thread_name") == 0)) {
			thread.name = label->text;
		} else if (text && thread.process == PERUN_NO_ID && strcmp(key, "process") == 0) {
			thread.process = label->text;
		} else {
			*more = true;
		}
	}
	return thread;
}

static bool is_same(const struct firefox_thread *one, const struct firefox_thread *other)
{
	return one->pid == other->pid && one->pid_text == other->pid_text &&
	       one->tid == other->tid && one->name == other->name && one->process == other->process;
}

/* The slot of a thread that is there, or a free one. */
static uint32_t *slot_of(const struct firefox_threads *threads, const struct firefox_thread *thread)
{
	const uint64_t parts[] = {(uint64_t)thread->pid, (uint64_t)thread->tid,
				  (uint64_t)thread->pid_text << 32 | thread->name, thread->process};
	uint64_t hash = 0;
	size_t i;

	for (i = 0; i < sizeof parts / sizeof *parts; i++)
		hash = perun_hash_number(hash ^ parts[i]);
	for (i = hash & (threads->slot_count - 1); threads->slots[i];
	     i = (i + 1) & (threads->slot_count - 1)) {
		if (is_same(&threads->threads[threads->slots[i] - 1], thread))
			break;
	}
	return &threads->slots[i];
}

/* At most half of the slots are in use. */
static void grow_slots(struct firefox_threads *threads)
{
	if (threads->count * 2 < threads->slot_count)
		return;
	perun_free(threads->slots);
	threads->slot_count = threads->slot_count ? threads->slot_count * 2 : 16;
	threads->slots = perun_alloc_zero(threads->slot_count, sizeof *threads->slots);
	for (size_t i = 0; i < threads->count; i++)
		*slot_of(threads, &threads->threads[i]) = (uint32_t)i + 1;
}

static size_t place_of(struct firefox_threads *threads, const struct firefox_thread *thread)
{
	uint32_t *slot;

	grow_slots(threads);
	slot = slot_of(threads, thread);
	if (!*slot) {
		PERUN_GROW(threads->threads, threads->count, threads->room);
		threads->threads[threads->count++] = *thread;
		*slot = (uint32_t)threads->count;
	}
	return *slot - 1;
}

void firefox_find_threads(const struct perun_profile *profile, const struct perun_metric *metric,
			  struct firefox_threads *threads)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *labels = perun_table_column(table, "labels");
	size_t sets = perun_profile_label_sets(profile), rows = perun_table_rows(table);
	/* Of each set: its thread + 1, and whether it says more. The last is "no labels". */
	struct {
		size_t thread;
		bool more;
	} *of_set = perun_alloc_zero(sets + 1, sizeof *of_set);

	if (labels && perun_column_info(labels)->type != PERUN_TYPE_LABELS)
		labels = NULL;
	for (size_t row = 0; row < rows; row++) {
		perun_id set = labels ? perun_column_id(labels, row) : PERUN_NO_ID;
		size_t place = set == PERUN_NO_ID ? sets : set;
		struct firefox_thread *thread;

		if (!perun_metric_has_row(metric, row))
			continue;
		if (!of_set[place].thread) {
			struct firefox_thread found = describe(profile, set, &of_set[place].more);

			of_set[place].thread = place_of(threads, &found) + 1;
		}
		thread = &threads->threads[of_set[place].thread - 1];
		PERUN_GROW(thread->rows, thread->count, thread->room);
		thread->rows[thread->count++] = (uint32_t)row;
		threads->labels_left += of_set[place].more;
	}
	perun_free(of_set);
}

void firefox_free_threads(struct firefox_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		perun_free(threads->threads[i].rows);
	perun_free(threads->threads);
	perun_free(threads->slots);
}
