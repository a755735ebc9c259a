/* SPDX-License-Identifier: BSD-3-Clause */
/* The workloads of a version, and what generators make of them. */
#include <config.h>

#include <string.h>

#include "core/run/run.h"

/* ---- workloads ------------------------------------------------------------------------------- */

static struct run_workload *add_workload(struct run_workloads *workloads, char *label)
{
	PERUN_GROW(workloads->items, workloads->count, workloads->capacity);
	workloads->items[workloads->count] = (struct run_workload){.label = label};
	return &workloads->items[workloads->count++];
}

static int generate(const struct run *run, const struct perun_json *generator,
		    const char *directory, struct run_workloads *workloads)
{
	struct perun_generating place = {directory, workloads->scratch.path};
	struct perun_workloads *made;
	int status = PERUN_OK;

	if (!place.scratch) {
		status = perun_scratch_make(run->ctx, "perun-workloads", &workloads->scratch);
		place.scratch = workloads->scratch.path;
	}
	PERUN_GROW(workloads->generated, workloads->generated_count, workloads->generated_capacity);
	made = &workloads->generated[workloads->generated_count++];
	*made = (struct perun_workloads){0};
	return status ? status : perun_generator_run(run->ctx, generator, &place, made);
}

/* The workloads that `id` represents. The arrays of generators must not grow any more. */
static void add_generated(struct run_workloads *workloads, const char *id,
			  const struct perun_workloads *made)
{
	if (!made->apart) {
		add_workload(workloads, perun_strdup(id))->sweep = made;
		return;
	}
	for (size_t i = 0; i < made->count; i++)
		add_workload(workloads, perun_format("%s_%s", id, made->items[i].name))->single =
			&made->items[i];
}

/* Whether a generator can be asked without running a program and without the files of a version. */
static bool is_plain(const struct perun_json *generator)
{
	const char *type = perun_json_as_string(perun_json_get(generator, "type"), NULL);

	return !type || strcmp(type, "external") != 0;
}

/* Those from `first` on are text `i` of the plan, which has one for all where it does not know what a program makes. */
static void number(const struct run *run, size_t i, bool unknown, size_t first,
		   struct run_workloads *workloads)
{
	for (size_t at = first; at < workloads->count; at++) {
		struct run_workload *workload = &workloads->items[at];

		workload->described = perun_plan_described(run->plan, i);
		workload->planned = workloads->planned;
		workload->among = unknown && workload->single;
		workloads->planned += !workload->among;
	}
	workloads->planned += workloads->count > first && workloads->items[first].among;
}

int run_workloads_open(const struct run *run, const char *directory,
		       struct run_workloads *workloads)
{
	size_t count = perun_plan_texts(run->plan, PERUN_PLAN_WORKLOADS);
	struct perun_json *generators = NULL;
	int status;

	*workloads = (struct run_workloads){.scratch.lock = -1};
	status = perun_plan_generators(run->ctx, run->store, run->plan, &generators);
	for (size_t i = 0; !status && i < count; i++) {
		const struct perun_json *generator = perun_generator_find(
			generators, perun_plan_workload_argument(run->plan, i));

		if (generator && (directory || is_plain(generator)))
			status = generate(run, generator, directory, workloads);
	}
	for (size_t i = 0, used = 0; !status && i < count; i++) {
		const char *name = perun_plan_text(run->plan, PERUN_PLAN_WORKLOADS, i);
		const struct perun_json *generator = perun_generator_find(
			generators, perun_plan_workload_argument(run->plan, i));
		size_t before = workloads->count;

		if (generator && (directory || is_plain(generator)))
			add_generated(workloads, name, &workloads->generated[used++]);
		else
			add_workload(workloads, perun_strdup(name));
		number(run, i, generator && !is_plain(generator), before, workloads);
		workloads->open |= generator && !directory && !is_plain(generator);
	}
	perun_json_free(generators);
	if (status)
		run_workloads_close(workloads);
	return status;
}

void run_workloads_close(struct run_workloads *workloads)
{
	for (size_t i = 0; i < workloads->count; i++)
		perun_free(workloads->items[i].label);
	for (size_t i = 0; i < workloads->generated_count; i++)
		perun_workloads_free(&workloads->generated[i]);
	perun_free(workloads->items);
	perun_free(workloads->generated);
	perun_scratch_remove(&workloads->scratch);
	*workloads = (struct run_workloads){.scratch.lock = -1};
}
