/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans: what is measured, of which modules, at which versions. */
#include <config.h>

#include <string.h>

#include <perun/lib/advice.h>
#include <perun/lib/lookup.h>
#include <perun/lib/options.h>
#include <perun/lib/registry.h>
#include <perun/vcs.h>

#include "core/job/variants.h"
#include "core/run/run.h"

/* The setting of a part. */
static const char *const settings[] = {"cmds", "args", "workloads", "collectors", "postprocessors"};

/* ---- parts ----------------------------------------------------------------------------------- */

static bool has_units(enum perun_plan_part part)
{
	return part == PERUN_PLAN_COLLECTORS || part == PERUN_PLAN_POSTPROCESSORS;
}

struct perun_plan *perun_plan_new(void)
{
	return perun_alloc_zero(1, sizeof(struct perun_plan));
}

void perun_plan_free(struct perun_plan *plan)
{
	for (int part = 0; plan && part <= PERUN_PLAN_REVISIONS; part++) {
		perun_words_free(&plan->texts[part]);
		perun_modules_free(&plan->units[part]);
	}
	for (size_t i = 0; plan && i < plan->described_count; i++)
		perun_json_free(plan->described[i]);
	if (plan) {
		perun_free(plan->described);
		perun_json_free(plan->generators);
		perun_json_free(plan->parameters);
	}
	perun_free(plan);
}

void perun_plan_add(struct perun_plan *plan, enum perun_plan_part part, const char *text)
{
	if (has_units(part))
		perun_modules_add(&plan->units[part], text);
	else
		perun_words_add(&plan->texts[part], text, strlen(text));
}

size_t perun_plan_count(const struct perun_plan *plan, enum perun_plan_part part)
{
	return has_units(part) ? plan->units[part].count : plan->texts[part].count;
}

void perun_plan_word(struct perun_plan *plan, enum perun_plan_part part, const char *word)
{
	struct perun_modules *units = &plan->units[part];

	perun_module_word(&units->items[units->count - 1], word);
}

int perun_plan_options(struct perun_ctx *ctx, struct perun_plan *plan, enum perun_plan_part part,
		       const char *name, const char *yaml)
{
	struct perun_modules *units = &plan->units[part];
	bool found = false;
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < units->count; i++) {
		if (!perun_same_name(units->items[i].name, name))
			continue;
		found = true;
		status = perun_module_yaml(ctx, &units->items[i], yaml);
	}
	if (!status && !found)
		status = perun_fail(ctx, PERUN_USAGE, "%s is not among the %s", name,
				    settings[part]);
	return status;
}

/* A text, or a list of texts and of objects that describe one. */
static int add_workloads(struct perun_ctx *ctx, struct perun_store *store, struct perun_plan *plan)
{
	struct perun_json *setting = NULL;
	int status = perun_config_document(ctx, store, PERUN_CONFIG_NEAREST,
					   settings[PERUN_PLAN_WORKLOADS], &setting);
	bool list = perun_json_type(setting) == PERUN_JSON_TYPE_ARRAY;
	bool none = !setting || perun_json_type(setting) == PERUN_JSON_TYPE_NULL;

	for (size_t i = 0; !status && !none && i < (list ? perun_json_count(setting) : 1); i++) {
		status = perun_plan_workload(ctx, plan, list ? perun_json_at(setting, i) : setting);
		if (status)
			perun_fail(ctx, PERUN_OK, "the setting workloads");
	}
	perun_json_free(setting);
	return status;
}

int perun_plan_configured(struct perun_ctx *ctx, struct perun_store *store, struct perun_plan *plan,
			  enum perun_plan_part part)
{
	if (part == PERUN_PLAN_WORKLOADS)
		return add_workloads(ctx, store, plan);
	return has_units(part)
		       ? perun_modules_configured(ctx, store, settings[part], &plan->units[part])
		       : perun_texts_read(ctx, store, settings[part], &plan->texts[part]);
}

int perun_plan_matrix(struct perun_ctx *ctx, struct perun_store *store, struct perun_plan *plan)
{
	struct perun_json *parameters = NULL;
	int status =
		perun_config_document(ctx, store, PERUN_CONFIG_NEAREST, "parameters", &parameters);

	if (!status)
		status = perun_plan_parameters(ctx, plan, parameters);
	perun_json_free(parameters);
	for (enum perun_plan_part part = 0; !status && part < PERUN_PLAN_REVISIONS; part++) {
		status = perun_plan_configured(ctx, store, plan, part);
		if (!status && part == PERUN_PLAN_WORKLOADS &&
		    !plan->texts[PERUN_PLAN_COMMANDS].count)
			status = perun_fail(ctx, PERUN_INPUT,
					    "no commands are configured: list them under cmds in "
					    ".perun/local.yml%s",
					    perun_advice(PERUN_ADVICE_EDIT_SETTINGS));
	}
	return status;
}

size_t perun_plan_texts(const struct perun_plan *plan, enum perun_plan_part part)
{
	return plan->texts[part].count ? plan->texts[part].count : 1;
}

const char *perun_plan_text(const struct perun_plan *plan, enum perun_plan_part part, size_t i)
{
	return plan->texts[part].count ? plan->texts[part].items[i] : "";
}

int perun_plan_generators(struct perun_ctx *ctx, struct perun_store *store,
			  const struct perun_plan *plan, struct perun_json **generators)
{
	*generators = NULL;
	if (plan->generators) {
		*generators = perun_json_clone(plan->generators);
		return PERUN_OK;
	}
	for (size_t i = 0; i < perun_plan_texts(plan, PERUN_PLAN_WORKLOADS); i++) {
		if (*perun_plan_text(plan, PERUN_PLAN_WORKLOADS, i))
			return perun_config_gather(ctx, store, "generators.workload", generators);
	}
	return PERUN_OK;
}

/* ---- modules --------------------------------------------------------------------------------- */

static int check_unit(struct perun_ctx *ctx, enum perun_kind kind, const struct perun_module *unit)
{
	const char *const *arguments = (const char *const *)unit->arguments;
	const struct perun_plugin *plugin;
	struct perun_option_table tables[2];
	struct perun_options *options;
	size_t count = 1;
	int status = perun_registry_load(ctx, kind, unit->name, &plugin);

	if (status)
		return status;
	tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	if (plugin->subcommands) {
		const struct perun_subcommand *variant;

		status = perun_variant_choose(ctx, plugin, NULL, arguments, &variant);
		if (!status)
			tables[count++] =
				(struct perun_option_table){variant->options, variant->option_size};
	}
	if (!status)
		status = perun_options_parse(ctx, tables, count, arguments, 0, &options, NULL);
	if (status)
		return perun_fail(ctx, PERUN_OK, "%s", plugin->name), status;
	perun_options_free(options);
	return PERUN_OK;
}

static int check_units(struct perun_ctx *ctx, enum perun_kind kind,
		       const struct perun_modules *units)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < units->count; i++)
		status = check_unit(ctx, kind, &units->items[i]);
	return status;
}

int perun_plan_check(struct perun_ctx *ctx, struct perun_store *store,
		     const struct perun_plan *plan)
{
	const struct perun_words *commands = &plan->texts[PERUN_PLAN_COMMANDS];
	struct perun_json *generators = NULL;
	int status;

	/* Without a command its workload would be run instead. */
	for (size_t i = 0; i < commands->count; i++) {
		if (commands->items[i][strspn(commands->items[i], " \t\n")] == '\0')
			return perun_fail(ctx, PERUN_USAGE, "a command is empty");
	}
	if (plan->units[PERUN_PLAN_COLLECTORS].count == 0)
		return perun_fail(ctx, PERUN_USAGE,
				  "no collector is given, and none is configured (collectors in "
				  ".perun/local.yml)");
	status = perun_workload_check(ctx, plan);
	if (status)
		return status;
	/* Whether they may be used is asked before anything is built. */
	status = perun_plan_generators(ctx, store, plan, &generators);
	perun_json_free(generators);
	if (!status)
		status = check_units(ctx, PERUN_KIND_COLLECT, &plan->units[PERUN_PLAN_COLLECTORS]);
	return status ? status
		      : check_units(ctx, PERUN_KIND_POSTPROCESS,
				    &plan->units[PERUN_PLAN_POSTPROCESSORS]);
}

/* ---- the plan as a document ---------------------------------------------------------------------- */

static struct perun_json *texts_document(char *const *texts, size_t count)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < count; i++)
		perun_json_append(list, perun_json_text(texts[i]));
	return list;
}

static struct perun_json *units_document(const struct perun_modules *units)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < units->count; i++) {
		const struct perun_module *unit = &units->items[i];
		struct perun_json *item = perun_json_object();

		perun_json_set(item, "name", perun_json_text(unit->name));
		perun_json_set(item, "arguments", texts_document(unit->arguments, unit->count));
		perun_json_append(list, item);
	}
	return list;
}

/* The generators that the workloads name: with other settings it is another plan. */
static struct perun_json *generators_document(const struct run *run)
{
	struct perun_json *generators = NULL, *list = perun_json_array();

	if (perun_plan_generators(run->ctx, run->store, run->plan, &generators))
		perun_ctx_clear(run->ctx);
	for (size_t i = 0; i < perun_plan_texts(run->plan, PERUN_PLAN_WORKLOADS); i++) {
		const struct perun_json *generator = perun_generator_find(
			generators, perun_plan_workload_argument(run->plan, i));

		if (generator)
			perun_json_append(list, perun_json_clone(generator));
	}
	perun_json_free(generators);
	return list;
}

static struct perun_json *described_document(const struct perun_plan *plan)
{
	struct perun_json *list = perun_json_array();

	for (size_t i = 0; i < plan->described_count; i++)
		perun_json_append(list, plan->described[i] ? perun_json_clone(plan->described[i])
							   : perun_json_null());
	return list;
}

struct perun_json *perun_plan_document(const struct run *run, const struct perun_words *versions)
{
	struct perun_json *document = perun_json_object();
	char *here = perun_current_directory();

	perun_json_set(document, "directory", perun_json_text(here));
	perun_json_set(document, "apart",
		       perun_json_bool(run->plan->texts[PERUN_PLAN_REVISIONS].count > 0));
	perun_json_set(document, "versions", texts_document(versions->items, versions->count));
	perun_json_set(document, "generators", generators_document(run));
	if (run->plan->described_count)
		perun_json_set(document, "described", described_document(run->plan));
	for (enum perun_plan_part part = 0; part < PERUN_PLAN_REVISIONS; part++) {
		const struct perun_words *texts = &run->plan->texts[part];

		perun_json_set(document, settings[part],
			       has_units(part) ? units_document(&run->plan->units[part])
					       : texts_document(texts->items, texts->count));
	}
	if (run->plan->parameters)
		perun_json_set(document, "parameters", perun_json_clone(run->plan->parameters));
	perun_free(here);
	return document;
}

/* ---- versions -------------------------------------------------------------------------------- */

static void add_version(struct perun_words *versions, const char *checksum)
{
	for (size_t i = 0; i < versions->count; i++) {
		if (strcmp(versions->items[i], checksum) == 0)
			return;
	}
	perun_words_add(versions, checksum, strlen(checksum));
}

static int visit_version(void *data, const struct perun_minor_version *version)
{
	add_version(data, version->checksum);
	return PERUN_OK;
}

/* "A..B", "A..", "..B" */
static int find_range(const struct run *run, const char *range, const char *dots,
		      struct perun_words *versions)
{
	char *first = perun_strndup(range, (size_t)(dots - range));
	char *exclude = NULL, *head = NULL;
	size_t before = versions->count;
	int status = perun_lookup_version(run->ctx, run->store, first, &exclude);

	if (!status)
		status = perun_lookup_version(run->ctx, run->store, dots + 2, &head);
	if (!status)
		status = perun_vcs_walk_range(run->ctx, run->vcs, exclude, head, visit_version,
					      versions);
	if (!status && versions->count == before)
		perun_warn(run->ctx, "the range %s has no versions%s", range,
			   before ? " that were not named before"
				  : "; the older end comes first, as in HEAD~3..HEAD");
	perun_free(first);
	perun_free(exclude);
	perun_free(head);
	return status;
}

static int find_revision(const struct run *run, const char *revision, struct perun_words *versions)
{
	const char *dots = strstr(revision, "..");
	char *checksum = NULL;
	int status;

	if (dots && !run->options.parents)
		return find_range(run, revision, dots, versions);
	/* All before a range is all before its end. */
	status = perun_lookup_version(run->ctx, run->store, dots ? dots + 2 : revision, &checksum);
	if (!status && run->options.parents)
		status = perun_vcs_walk_minor_versions(run->ctx, run->vcs, checksum, visit_version,
						       versions);
	else if (!status)
		add_version(versions, checksum);
	perun_free(checksum);
	return status;
}

int perun_plan_versions(const struct run *run, struct perun_words *versions)
{
	const struct perun_words *revisions = &run->plan->texts[PERUN_PLAN_REVISIONS];
	char *head = NULL;
	int status = PERUN_OK;

	if (revisions->count == 0) {
		status = perun_vcs_find_minor_head(run->ctx, run->vcs, &head);
		if (!status)
			add_version(versions,
				    head ? head : ""); /* the work tree before the first commit */
		perun_free(head);
		return status;
	}
	for (size_t i = 0; !status && i < revisions->count; i++)
		status = find_revision(run, revisions->items[i], versions);
	if (!status && versions->count == 0)
		status = perun_fail(run->ctx, PERUN_USAGE, "there is no version to measure");
	return status;
}
