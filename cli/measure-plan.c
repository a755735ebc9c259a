/* SPDX-License-Identifier: BSD-3-Clause */
/* What is to be measured: modules, workloads and their generators, combinations, versions. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "cli/measuring.h"
#include "core/registry/registry.h"

/* ---- modules --------------------------------------------------------------------------------- */

static int check_unit(struct cli *cli, enum perun_kind kind, const struct cli_unit *unit)
{
	static const char *const no_words[] = {NULL};
	const char *const *words = (const char *const *)unit->arguments;
	const struct perun_plugin *plugin;
	struct perun_option_table tables[2];
	struct perun_options *options;
	size_t count = 1;
	int status = perun_registry_load(cli->ctx, kind, unit->name, &plugin);

	if (status)
		return status;
	tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	if (plugin->subcommands)
		tables[count++] = (struct perun_option_table){plugin->subcommands->options,
							      plugin->subcommands->option_size};
	status = perun_options_parse(cli->ctx, tables, count, words ? words : no_words, 0, &options,
				     NULL);
	if (status)
		return perun_fail(cli->ctx, PERUN_OK, "%s", plugin->name), status;
	perun_options_free(options);
	return PERUN_OK;
}

static int check_units(struct cli *cli, enum perun_kind kind, const struct cli_units *units)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < units->count; i++)
		status = check_unit(cli, kind, &units->items[i]);
	return status;
}

static const char *const one_empty[] = {"", NULL};

static const char *const *or_empty(const char *const *texts)
{
	return texts && texts[0] ? texts : one_empty;
}

/* Where no workload is named, no generator is needed. */
static int read_generators(struct cli *cli, const struct cli_measure *what,
			   struct perun_json **generators)
{
	*generators = NULL;
	for (const char *const *name = or_empty(what->workloads); *name; name++) {
		if (**name)
			return perun_config_gather(cli->ctx, cli->store, "generators.workload",
						   generators);
	}
	return PERUN_OK;
}

int measuring_check(struct cli *cli, const struct cli_measure *what)
{
	struct perun_json *generators = NULL;
	int status;

	if (what->collectors.count == 0)
		return perun_fail(cli->ctx, PERUN_USAGE,
				  "no collector is given, and none is configured (collectors in "
				  ".perun/local.yml)");
	/* Whether they may be used is asked before anything is built. */
	status = read_generators(cli, what, &generators);
	perun_json_free(generators);
	if (!status)
		status = check_units(cli, PERUN_KIND_COLLECT, &what->collectors);
	return status ? status : check_units(cli, PERUN_KIND_POSTPROCESS, &what->postprocessors);
}

/* ---- workloads ------------------------------------------------------------------------------- */

static size_t count_texts(const char *const *texts)
{
	size_t count = 0;

	while (or_empty(texts)[count])
		count++;
	return count;
}

static struct measuring_workload *add_workload(struct measuring_workloads *workloads, char *label)
{
	PERUN_GROW(workloads->items, workloads->count, workloads->capacity);
	workloads->items[workloads->count] = (struct measuring_workload){.label = label};
	return &workloads->items[workloads->count++];
}

static int generate(struct measuring *run, const struct perun_json *generator,
		    const char *directory, struct measuring_workloads *workloads)
{
	struct perun_generating place = {directory, workloads->scratch.path};
	struct perun_workloads *made;
	int status = PERUN_OK;

	if (!place.scratch) {
		status = perun_scratch_make(run->cli->ctx, "perun-workloads", &workloads->scratch);
		place.scratch = workloads->scratch.path;
	}
	PERUN_GROW(workloads->generated, workloads->generated_count, workloads->generated_capacity);
	made = &workloads->generated[workloads->generated_count++];
	*made = (struct perun_workloads){0};
	return status ? status : perun_generator_run(run->cli->ctx, generator, &place, made);
}

/* The workloads that `id` stands for. The arrays of generators must not grow any more. */
static void add_generated(struct measuring_workloads *workloads, const char *id,
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

int measuring_workloads_open(struct measuring *run, const char *directory,
			     struct measuring_workloads *workloads)
{
	const char *const *names = or_empty(run->what->workloads);
	struct perun_json *generators = NULL;
	int status;

	*workloads = (struct measuring_workloads){.scratch.lock = -1};
	status = read_generators(run->cli, run->what, &generators);
	for (size_t i = 0; !status && names[i]; i++) {
		const struct perun_json *generator = perun_generator_find(generators, names[i]);

		if (generator && (directory || is_plain(generator)))
			status = generate(run, generator, directory, workloads);
	}
	for (size_t i = 0, used = 0; !status && names[i]; i++) {
		const struct perun_json *generator = perun_generator_find(generators, names[i]);

		if (generator && (directory || is_plain(generator)))
			add_generated(workloads, names[i], &workloads->generated[used++]);
		else
			add_workload(workloads, perun_strdup(names[i]));
		workloads->open |= generator && !directory && !is_plain(generator);
	}
	perun_json_free(generators);
	if (status)
		measuring_workloads_close(workloads);
	return status;
}

void measuring_workloads_close(struct measuring_workloads *workloads)
{
	for (size_t i = 0; i < workloads->count; i++)
		perun_free(workloads->items[i].label);
	for (size_t i = 0; i < workloads->generated_count; i++)
		perun_workloads_free(&workloads->generated[i]);
	perun_free(workloads->items);
	perun_free(workloads->generated);
	perun_scratch_remove(&workloads->scratch);
	*workloads = (struct measuring_workloads){.scratch.lock = -1};
}

/* ---- combinations ---------------------------------------------------------------------------- */

size_t measuring_count(const struct cli_measure *what, const struct measuring_workloads *workloads)
{
	return count_texts(what->cmds) * count_texts(what->args) * workloads->count *
	       what->collectors.count;
}

int measuring_each(struct measuring *run, const struct measuring_workloads *workloads,
		   measuring_visit *visit, void *data)
{
	const struct cli_measure *what = run->what;
	size_t collectors = what->collectors.count, args = count_texts(what->args);
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < measuring_count(what, workloads); i++) {
		size_t row = i / collectors, unit = i % collectors;
		struct measuring_job job = {or_empty(what->cmds)[row / workloads->count / args],
					    or_empty(what->args)[row / workloads->count % args],
					    &workloads->items[row % workloads->count],
					    &what->collectors.items[unit], unit};
		bool has = false;

		if (what->has_profile)
			status = what->has_profile(what->data, job.cmd, job.args,
						   job.workload->label, job.collector->name, &has);
		if (!status && !has)
			status = visit(run, &job, data);
	}
	return status;
}

/* ---- the plan as a text ---------------------------------------------------------------------- */

static struct perun_json *texts_document(const char *const *texts)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; texts && texts[i]; i++)
		perun_json_append(list, perun_json_text(texts[i]));
	return list;
}

static struct perun_json *units_document(const struct cli_units *units)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < units->count; i++) {
		const struct cli_unit *unit = &units->items[i];
		struct perun_json *words = texts_document((const char *const *)unit->arguments);
		struct perun_json *item = perun_json_object();

		perun_json_set(item, "name", perun_json_text(unit->name));
		perun_json_set(item, "arguments", words);
		perun_json_append(list, item);
	}
	return list;
}

/* The generators that the workloads name: with other settings it is another plan. */
static struct perun_json *generators_document(struct measuring *run)
{
	const char *const *names = or_empty(run->what->workloads);
	struct perun_json *generators = NULL, *list = perun_json_array();

	if (read_generators(run->cli, run->what, &generators))
		perun_ctx_clear(run->cli->ctx);
	for (size_t i = 0; names[i]; i++) {
		const struct perun_json *generator = perun_generator_find(generators, names[i]);

		if (generator)
			perun_json_append(list, perun_json_clone(generator));
	}
	perun_json_free(generators);
	return list;
}

char *measuring_describe(struct measuring *run, char *const *versions, size_t count)
{
	const struct cli_measure *what = run->what;
	struct perun_json *plan = perun_json_object(), *list = perun_json_array();
	struct perun_buffer text = {0};
	char *here = cli_absolute_path(".");

	for (size_t i = 0; i < count; i++)
		perun_json_append(list, perun_json_text(versions[i]));
	perun_json_set(plan, "directory", perun_json_text(here));
	perun_json_set(plan, "apart", perun_json_bool(what->revisions && what->revisions[0]));
	perun_json_set(plan, "versions", list);
	perun_json_set(plan, "cmds", texts_document(what->cmds));
	perun_json_set(plan, "args", texts_document(what->args));
	perun_json_set(plan, "workloads", texts_document(what->workloads));
	perun_json_set(plan, "generators", generators_document(run));
	perun_json_set(plan, "collectors", units_document(&what->collectors));
	perun_json_set(plan, "postprocessors", units_document(&what->postprocessors));
	perun_json_print(plan, &text, PERUN_JSON_PYTHON, 0);
	perun_json_free(plan);
	perun_free(here);
	return perun_buffer_take(&text);
}

/* ---- versions -------------------------------------------------------------------------------- */

static void add_version(struct measuring_versions *versions, const char *checksum)
{
	for (size_t i = 0; i < versions->count; i++) {
		if (strcmp(versions->checksums[i], checksum) == 0)
			return;
	}
	PERUN_GROW(versions->checksums, versions->count, versions->capacity);
	versions->checksums[versions->count++] = perun_strdup(checksum);
}

static int visit_version(void *data, const struct perun_minor_version *version)
{
	add_version(data, version->checksum);
	return PERUN_OK;
}

/* "A..B", "A..", "..B" */
static int find_range(struct measuring *run, const char *range, const char *dots,
		      struct measuring_versions *versions)
{
	struct cli *cli = run->cli;
	char *first = perun_strndup(range, (size_t)(dots - range));
	char *exclude = NULL, *head = NULL;
	size_t before = versions->count;
	int status = cli_minor(cli, first, &exclude);

	if (!status)
		status = cli_minor(cli, dots + 2, &head);
	if (!status)
		status = perun_vcs_walk_range(cli->ctx, run->vcs, exclude, head, visit_version,
					      versions);
	if (!status && versions->count == before)
		perun_warn(cli->ctx, "the range %s has no versions%s", range,
			   before ? " that were not named before" : "");
	perun_free(first);
	perun_free(exclude);
	perun_free(head);
	return status;
}

int measuring_versions_find(struct measuring *run, struct measuring_versions *versions)
{
	const char *const *revision = run->what->revisions;
	int status = PERUN_OK;

	for (; !status && *revision; revision++) {
		const char *dots = strstr(*revision, "..");
		char *checksum = NULL;

		if (dots && !run->what->parents) {
			status = find_range(run, *revision, dots, versions);
			continue;
		}
		/* All before a range is all before its end. */
		status = cli_minor(run->cli, dots ? dots + 2 : *revision, &checksum);
		if (!status && run->what->parents)
			status = perun_vcs_walk_minor_versions(run->cli->ctx, run->vcs, checksum,
							       visit_version, versions);
		else if (!status)
			add_version(versions, checksum);
		perun_free(checksum);
	}
	if (!status && versions->count == 0)
		status = perun_fail(run->cli->ctx, PERUN_USAGE, "there is no version to measure");
	return status;
}

void measuring_versions_free(struct measuring_versions *versions)
{
	for (size_t i = 0; i < versions->count; i++)
		perun_free(versions->checksums[i]);
	perun_free(versions->checksums);
	*versions = (struct measuring_versions){0};
}
