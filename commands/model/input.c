/* SPDX-License-Identifier: BSD-3-Clause */
/* perun model: reading an experiment, or making one of profiles. */
#include <config.h>

#include <string.h>

#include <perun/format.h>
#include <perun/lib/cells.h>
#include <perun/lib/lookup.h>

#include "commands/common/lookup.h"
#include "model.h"

static int read_with(struct model_input *input, const char *path, const char *const *settings,
		     struct perun_profile **profile)
{
	struct perun_input *file;
	int status = perun_input_open(input->ctx, path, &file);

	if (status)
		return status;
	status = perun_read_profile(input->ctx, file, perun_option_string(input->options, "format"),
				    settings, profile, NULL);
	perun_input_close(file);
	return status;
}

/* --scaling also says how values of processes are put together, in formats that have these: they say so. */
static int read_file(struct model_input *input, const char *path, struct perun_profile **profile)
{
	const char *scaling = perun_option_string(input->options, "scaling");
	int status = read_with(input, path, input->settings, profile);
	const char *together = status ? NULL : model_put_together(*profile);
	size_t count = perun_option_count(input->options, "format-option");
	const char **settings;
	char *setting;

	if (!scaling || !together || strcmp(scaling, "auto") == 0 || strcmp(scaling, together) == 0)
		return status;
	perun_profile_unref(*profile);
	*profile = NULL;
	setting = perun_format("scaling=%s", scaling);
	settings = model_strings(input->options, "format-option");
	settings = perun_realloc_array(settings, count + 2, sizeof *settings);
	settings[count] = setting;
	settings[count + 1] = NULL;
	status = read_with(input, path, settings, profile);
	perun_free(settings);
	perun_free(setting);
	return status;
}

/* The run that a word names by its id, "20261126-141703-1a2b": NULL for all other words. */
static struct perun_run_cells *find_run(const char *word)
{
	static const char form[] = "dddddddd-dddddd-";
	struct perun_run_cells *cells = NULL;
	struct perun_ctx *quiet;
	char *runs;

	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'd' ? word[i] < '0' || word[i] > '9' : word[i] != form[i])
			return NULL;
	quiet = perun_ctx_new(NULL);
	runs = perun_run_cells_find_runs(NULL);
	if (!runs || perun_run_cells_open(quiet, runs, word, &cells))
		cells = NULL;
	perun_free(runs);
	perun_ctx_free(quiet);
	return cells;
}

/* What its cells measured, collected or not. */
static int add_run(struct model_input *input, const struct perun_run_cells *cells)
{
	size_t versions = perun_run_cells_versions(cells), found = 0;
	int status = PERUN_OK;

	if (versions > 1)
		return perun_fail(input->ctx, PERUN_USAGE,
				  "the run %s has %zu versions: name one of them, or two as A..B",
				  perun_run_cells_id(cells), versions);
	for (size_t cell = 1; !status && cell <= perun_run_cells_count(cells); cell++) {
		struct perun_words words = {0};

		perun_cell_profiles(cells, cell, &words);
		for (size_t i = 0; !status && i < words.count; i++)
			status = commands_lookup_add(input->ctx, input->lookup, words.items[i]);
		found += words.count;
		perun_words_free(&words);
	}
	if (!status && !found)
		status = perun_fail(input->ctx, PERUN_MISSING, "no cell of the run %s is done",
				    perun_run_cells_id(cells));
	return status;
}

static int add_word(struct model_input *input, const char *word)
{
	struct perun_run_cells *run = find_run(word);
	bool version = !run && perun_lookup_is_version(input->ctx, input->lookup, word);
	int status = run       ? add_run(input, run)
		     : version ? commands_lookup_add_version(input->ctx, input->call, input->lookup,
							     word)
			       : commands_lookup_add(input->ctx, input->lookup, word);

	input->has_many |= run || version;
	perun_run_cells_free(run);
	return status;
}

static int read_profiles(struct model_input *input, const char *const *words, size_t count)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < count && !status; i++)
		status = add_word(input, words[i]);
	if (status)
		return status;
	input->profiles =
		perun_alloc_zero(perun_lookup_count(input->lookup), sizeof *input->profiles);
	input->names = perun_alloc_zero(perun_lookup_count(input->lookup), sizeof *input->names);
	for (size_t i = 0; i < perun_lookup_count(input->lookup) && !status; i++) {
		const struct perun_place *place = perun_lookup_at(input->lookup, i);

		input->names[i] = place->name ? place->name : place->path;
		if (place->kind == PERUN_PLACE_FILE)
			status = read_file(input, place->path, &input->profiles[i]);
		else
			status = perun_lookup_load(input->ctx, input->lookup, place,
						   &input->profiles[i]);
		input->count += !status;
	}
	return status;
}

static bool is_experiment(const struct perun_profile *profile)
{
	const struct perun_column *point = perun_table_column(perun_resources(profile), "point");

	return point && perun_column_info(point)->type == PERUN_TYPE_POINT;
}

/* What varies in a profile that says so: the only column of this role. */
static const char *own_parameter(const struct perun_profile *profile)
{
	const struct perun_table *table = perun_resources(profile);
	const char *found = NULL;

	for (size_t i = 0; i < perun_table_columns(table); i++) {
		const struct perun_column_info *info =
			perun_column_info(perun_table_column_at(table, i));

		if (info->role != PERUN_ROLE_PARAMETER || info->type == PERUN_TYPE_POINT)
			continue;
		if (found)
			return NULL;
		found = info->name;
	}
	return found;
}

/* --parameter SOURCE or NAME=SOURCE */
static void given_parameters(const struct model_input *input, struct perun_varying *varying)
{
	size_t count = perun_option_count(input->options, "parameter");

	varying->parameters = perun_alloc_zero(count, sizeof(char *));
	varying->names = perun_alloc_zero(count, sizeof(char *));
	varying->count = count;
	for (size_t i = 0; i < count; i++) {
		const char *text = perun_option_string_at(input->options, "parameter", i);
		const char *equals = strchr(text, '=');

		varying->parameters[i] = perun_strdup(equals ? equals + 1 : text);
		varying->names[i] =
			perun_strndup(text, equals ? (size_t)(equals - text) : strlen(text));
	}
}

static void one_parameter(struct perun_varying *varying, const char *name)
{
	varying->parameters = perun_alloc_zero(1, sizeof(char *));
	varying->names = perun_alloc_zero(1, sizeof(char *));
	varying->parameters[0] = perun_strdup(name);
	varying->names[0] = perun_strdup(name);
	varying->count = 1;
}

/* What the user says, the profile says, or what varies. */
static int find_parameters(const struct model_input *input, const struct model_kind *kind,
			   struct perun_varying *varying)
{
	struct perun_profile *const *profiles = input->profiles + kind->first;
	const char *own = own_parameter(profiles[0]);
	int status = PERUN_OK;

	if (perun_option_given(input->options, "parameter"))
		given_parameters(input, varying);
	else if (own)
		one_parameter(varying, own);
	else
		status = perun_experiment_varying(input->ctx, profiles, kind->count, varying);
	if (!status && !varying->count)
		one_parameter(varying, "workload");
	return status;
}

static int make_experiment(const struct model_input *input, const struct model_kind *kind,
			   struct perun_profile **profile)
{
	const char *word = perun_option_string(input->options, "rows");
	struct perun_varying varying = {.struct_size = sizeof varying};
	int status = find_parameters(input, kind, &varying);
	struct perun_gathering what = {(const char *const *)varying.parameters,
				       (const char *const *)varying.names, varying.count,
				       PERUN_ROWS_DEFAULT};

	if (word)
		what.rows = strcmp(word, "sum") == 0 ? PERUN_ROWS_SUM : PERUN_ROWS_EACH;
	if (!status)
		status = perun_experiment_gather(input->ctx, &what, input->profiles + kind->first,
						 input->names + kind->first, kind->count, profile);
	perun_varying_free(&varying);
	return status;
}

bool model_is_experiment(const struct perun_profile *profile)
{
	return is_experiment(profile) || own_parameter(profile);
}

static int check_kind(const struct model_input *input, const struct model_kind *kind)
{
	bool given = perun_option_given(input->options, "parameter");
	size_t first = kind->first;

	for (size_t i = first; i < first + kind->count; i++)
		if (is_experiment(input->profiles[i]) && (kind->count > 1 || given))
			return perun_fail(input->ctx, PERUN_USAGE,
					  "%s is an experiment already: model it alone, without "
					  "--parameter",
					  input->names[i]);
	if (kind->count > 1 || given || model_is_experiment(input->profiles[first]))
		return PERUN_OK;
	return perun_fail(input->ctx, PERUN_INPUT,
			  "%s is not an experiment: give several profiles, and --parameter NAME "
			  "for what varies among them",
			  input->names[first]);
}

int model_input_read(struct perun_ctx *ctx, const struct perun_command_call *call,
		     const char *const *words, size_t count, struct model_input **result)
{
	struct model_input *input = perun_alloc_zero(1, sizeof *input);
	int status;

	input->ctx = ctx;
	input->call = call;
	input->options = call->options;
	input->settings = model_strings(call->options, "format-option");
	input->lookup = commands_lookup_new(call);
	status = read_profiles(input, words, count);
	if (!status && input->has_many && !perun_option_given(call->options, "parameter"))
		status = model_input_group(input);
	*result = input;
	return status;
}

void model_input_free(struct model_input *input)
{
	if (!input)
		return;
	for (size_t i = 0; i < input->count; i++)
		perun_profile_unref(input->profiles[i]);
	for (size_t i = 0; i < input->kind_count; i++)
		perun_free(input->kinds[i].words);
	perun_free(input->kinds);
	perun_free(input->profiles);
	perun_free(input->names);
	perun_lookup_free(input->lookup);
	perun_free(input->settings);
	perun_free(input);
}

int model_input_make(const struct model_input *input, size_t which, struct perun_profile **profile,
		     bool *gathered)
{
	const struct model_kind all = {.count = input->count};
	const struct model_kind *kind = input->kind_count ? &input->kinds[which] : &all;
	int status = check_kind(input, kind);

	if (status)
		return status;
	*gathered = !is_experiment(input->profiles[kind->first]);
	if (*gathered)
		return make_experiment(input, kind, profile);
	*profile = perun_profile_ref(input->profiles[kind->first]);
	return PERUN_OK;
}
