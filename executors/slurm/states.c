/* SPDX-License-Identifier: BSD-3-Clause */
/* What Slurm says of the jobs of this user: squeue, and sacct where there is accounting. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executors/common/engine.h"
#include "executors/slurm/states.h"

#define MAX_ARRAY 4000001 /* elements that an array of Slurm may have */

struct element {
	unsigned long job, index;
	enum perun_executor_state state;
};

struct slurm_states {
	struct element *items; /* sorted when all are there */
	size_t count, capacity;
};

/* ---- words --------------------------------------------------------------------------------------- */

/* "CANCELLED by 1000" is CANCELLED. As of squeue(1) and sacct(1) of Slurm 22.05. */
static enum perun_executor_state state_of(const char *word)
{
	static const struct {
		const char *word;
		enum perun_executor_state state;
	} words[] = {{"PENDING", PERUN_EXECUTOR_WAITING},
		     {"REQUEUED", PERUN_EXECUTOR_WAITING},
		     {"REQUEUE_HOLD", PERUN_EXECUTOR_WAITING},
		     {"REQUEUE_FED", PERUN_EXECUTOR_WAITING},
		     {"RESV_DEL_HOLD", PERUN_EXECUTOR_WAITING},
		     {"SPECIAL_EXIT", PERUN_EXECUTOR_WAITING},
		     {"CONFIGURING", PERUN_EXECUTOR_WAITING},
		     {"RUNNING", PERUN_EXECUTOR_RUNNING},
		     {"COMPLETING", PERUN_EXECUTOR_RUNNING},
		     {"RESIZING", PERUN_EXECUTOR_RUNNING},
		     {"SIGNALING", PERUN_EXECUTOR_RUNNING},
		     {"STAGE_OUT", PERUN_EXECUTOR_RUNNING},
		     {"STOPPED", PERUN_EXECUTOR_RUNNING},
		     {"SUSPENDED", PERUN_EXECUTOR_RUNNING},
		     {"NODE_FAIL", PERUN_EXECUTOR_NODE_FAILED},
		     {"BOOT_FAIL", PERUN_EXECUTOR_NODE_FAILED},
		     {"PREEMPTED", PERUN_EXECUTOR_NODE_FAILED},
		     {"REVOKED", PERUN_EXECUTOR_NODE_FAILED},
		     {"TIMEOUT", PERUN_EXECUTOR_TIMED_OUT},
		     {"DEADLINE", PERUN_EXECUTOR_TIMED_OUT},
		     {"OUT_OF_MEMORY", PERUN_EXECUTOR_OUT_OF_MEMORY},
		     {"CANCELLED", PERUN_EXECUTOR_KILLED}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t length = strlen(words[i].word);

		if (strncmp(word, words[i].word, length) == 0 &&
		    (word[length] == '\0' || word[length] == ' ' || word[length] == '+'))
			return words[i].state;
	}
	return PERUN_EXECUTOR_ENDED; /* COMPLETED, FAILED, and what is new */
}

static void add(struct slurm_states *states, unsigned long job, unsigned long index,
		const char *word)
{
	PERUN_GROW(states->items, states->count, states->capacity);
	states->items[states->count++] = (struct element){job, index, state_of(word)};
}

static int compare(const void *one, const void *other)
{
	const struct element *a = one, *b = other;

	if (a->job != b->job)
		return a->job < b->job ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void sort(struct slurm_states *states)
{
	if (states->count)
		qsort(states->items, states->count, sizeof *states->items, compare);
}

static const struct element *find(const struct slurm_states *states, unsigned long job,
				  unsigned long index)
{
	const struct element wanted = {job, index, PERUN_EXECUTOR_UNKNOWN};

	return states->count ? bsearch(&wanted, states->items, states->count, sizeof *states->items,
				       compare)
			     : NULL;
}

/* Lines "JOB INDEX STATE" of squeue; anything else is not about our arrays. */
static void take_queue(struct slurm_states *states, struct perun_buffer *text)
{
	char *rest = text->data, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		unsigned long job, index;
		char word[64];

		if (sscanf(line, "%lu %lu %63s", &job, &index, word) == 3)
			add(states, job, index, word);
	}
	sort(states);
}

/* The indexes of "3", or "[0-2,5%4]" of tasks that never started. */
static void add_indexes(struct slurm_states *states, unsigned long job, const char *indexes,
			const char *word)
{
	unsigned long first, last;
	int length;

	for (const char *at = *indexes == '[' ? indexes + 1 : indexes;
	     sscanf(at, "%lu%n", &first, &length) == 1; at++) {
		at += length;
		last = first;
		if (sscanf(at, "-%lu%n", &last, &length) == 1)
			at += length;
		for (; first <= last && last - first < MAX_ARRAY; first++)
			add(states, job, first, word);
		if (*at != ',')
			break;
	}
}

/* Lines "JOB_INDEXES|STATE" of sacct; others as above. */
static void take_accounts(struct slurm_states *states, struct perun_buffer *text)
{
	char *rest = text->data, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		char *indexes = strchr(line, '_'), *bar = strchr(line, '|');
		char word[64];

		if (indexes && bar && indexes < bar && sscanf(bar + 1, "%63[A-Z_]", word) == 1)
			add_indexes(states, strtoul(line, NULL, 10), indexes + 1, word);
	}
	sort(states);
}

/* ---- asking -------------------------------------------------------------------------------------- */

int slurm_states_ask(struct perun_ctx *ctx, struct slurm_states **states)
{
	struct perun_buffer text = {0};
	struct engine_words words = {0};
	int status;

	engine_add(&words, "squeue");
	engine_add(&words, "--me");
	engine_add(&words, "--noheader");
	engine_add(&words, "--array");
	engine_add(&words, "--states=all");
	engine_add(&words, "--format=%%F %%K %%T");
	status = engine_run(ctx, &words, &text);
	*states = perun_alloc_zero(1, sizeof **states);
	if (!status)
		take_queue(*states, &text);
	engine_words_free(&words);
	perun_buffer_free(&text);
	return status;
}

/* The next number of "SIZE:ID,ID". */
static bool next_id(const char **at, unsigned long *id)
{
	char *end;

	*id = strtoul(*at, &end, 10);
	if (end == *at)
		return false;
	*at = *end == ',' ? end + 1 : end;
	return true;
}

static size_t size_of(const char *handle, const char **ids)
{
	char *end;
	unsigned long size = strtoul(handle, &end, 10);

	*ids = *end == ':' ? end + 1 : "";
	return size ? size : 1;
}

int slurm_states_ask_accounting(struct perun_ctx *ctx, struct slurm_states *states,
				struct perun_executor_job *jobs, size_t count, size_t stride)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_buffer list = {0}, text = {0};
	struct engine_words words = {0};

	for (size_t i = 0; i < count; i++) {
		const struct perun_executor_job *job = engine_job(jobs, i, stride);
		const char *ids;
		unsigned long id;

		for (size_of(job->handle, &ids); next_id(&ids, &id);)
			if (!find(states, id, 0))
				perun_buffer_printf(&list, "%s%lu", list.length ? "," : "", id);
	}
	if (list.length) {
		/* Of tasks that never started it names all in one line, and shortens that otherwise. */
		engine_add(&words, "env");
		engine_add(&words, "SLURM_BITSTR_LEN=0");
		engine_add(&words, "sacct");
		engine_add(&words, "--noheader");
		engine_add(&words, "--parsable2");
		engine_add(&words, "--allocations");
		engine_add(&words, "--jobs=%s", list.data);
		engine_add(&words, "--format=JobID,State");
		if (engine_run(quiet, &words, &text) == PERUN_OK)
			take_accounts(states, &text);
	}
	engine_words_free(&words);
	perun_buffer_free(&list);
	perun_buffer_free(&text);
	perun_ctx_free(quiet);
	return perun_cancelled(ctx) ? perun_fail(ctx, PERUN_CANCELLED, "interrupted") : PERUN_OK;
}

void slurm_states_apply(const struct slurm_states *states, struct perun_executor_job *job)
{
	const char *ids;
	size_t size = size_of(job->handle, &ids), task = 0;
	unsigned long id;

	while (task < job->count && next_id(&ids, &id)) {
		for (size_t i = 0; i < size && task < job->count; i++, task++) {
			const struct element *element = find(states, id, i);

			job->states[task] = element ? element->state : PERUN_EXECUTOR_UNKNOWN;
		}
	}
	for (; task < job->count; task++)
		job->states[task] = PERUN_EXECUTOR_UNKNOWN;
}

void slurm_states_free(struct slurm_states *states)
{
	if (states)
		perun_free(states->items);
	perun_free(states);
}
