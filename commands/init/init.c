/* SPDX-License-Identifier: BSD-3-Clause */
/* perun init: make a store of profiles for a project. */
#include <config.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/command.h>
#include <perun/lib/detect.h>
#include <perun/lib/path.h>
#include <perun/lib/trust.h>

#include "commands/common/edit.h"
#include "commands/common/output.h"
#include "commands/common/plugin.h"
#include "paths.h"
#include "proposals.h"
#include "trial.h"

static const struct perun_option options_table[] = {
	{.name = "path",
	 .flags = PERUN_OPTION_POSITIONAL,
	 .type = PERUN_OPTION_PATH,
	 .help = "where .perun is made, the current directory by default"},
	{.name = "vcs-type",
	 .metavar = "TYPE",
	 .type = PERUN_OPTION_STRING,
	 .help = "the version control plugin (default: that of the innermost repository around the "
		 "path, else git)"},
	{.name = "vcs-path",
	 .metavar = "PATH",
	 .type = PERUN_OPTION_PATH,
	 .help = "the repository, by default the one that the path lies in, or a new one there"},
	{.name = "vcs-param",
	 .metavar = "NAME VALUE",
	 .values = 2,
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a parameter for making a new repository"},
	{.name = "vcs-flag",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_STRING,
	 .flags = PERUN_OPTION_REPEATABLE,
	 .help = "a flag for making a new repository"},
	{.name = "configure", .aliases = "-c", .help = "open the new configuration in an editor"},
	{.name = "config-template",
	 .aliases = "-t",
	 .metavar = "NAME",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "master developer user",
	 .default_value = "master",
	 .help = "what the configuration begins with"},
	{.name = "detect",
	 .help = "look at the build files and propose commands, workloads and how to build"},
	{.name = "run",
	 .help = "with --detect: build the current commit in a directory of its own and run its "
		 "programs once, to propose those that work; asked on a terminal"},
	{.name = "json", .help = "print JSON"},
	{0}};

/* Where things are: absolute paths. */
struct place {
	char *path;  /* the directory that gets .perun */
	char *store; /* its .perun */
	char *repository;
	char *type;                       /* its plugin */
	bool existed;                     /* .perun did */
	bool configured;                  /* with its local.yml */
	bool found;                       /* the repository did */
	bool detects;                     /* --detect */
	struct perun_detection *detected; /* NULL = nobody looked */
	bool tried;                       /* its programs were built and run */
	char *untried;                    /* why the trial failed, or NULL */
};

static void free_place(struct place *place)
{
	perun_free(place->path);
	perun_free(place->store);
	perun_free(place->repository);
	perun_free(place->type);
	perun_detection_free(place->detected);
	perun_free(place->untried);
}

static bool is_directory(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static bool has_file(const char *directory, const char *name)
{
	char *path = perun_format("%s/%s", directory, name);
	bool found = access(path, F_OK) == 0;

	perun_free(path);
	return found;
}

/* Of the plugins that know a repository around a path, that of the innermost one; the caller's. */
static char *surrounding_type(const char *path)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	size_t count, deepest = 0;
	char **types = perun_supported_modules(quiet, PERUN_KIND_VCS, &count);
	char *type = perun_strdup("git");

	for (size_t i = 0; i < count; i++) {
		struct perun_vcs *vcs = NULL;
		char *root = NULL, *real = NULL;
		size_t depth = 0;

		if (!perun_vcs_load(quiet, types[i], &vcs) &&
		    !perun_vcs_discover(quiet, vcs, path, &root) && root) {
			real = init_absolute_path(root);
			depth = strlen(real);
		}
		/* Of two in one directory git's counts. */
		if (depth > deepest || (depth && depth == deepest && !strcmp(types[i], "git"))) {
			deepest = depth;
			perun_free(type);
			type = perun_strdup(types[i]);
		}
		perun_ctx_clear(quiet);
		perun_vcs_close(vcs);
		perun_free(root);
		perun_free(real);
	}
	perun_free(types);
	perun_ctx_free(quiet);
	return type;
}

/* The directory, the plugin and the repository. */
static int find_place(struct perun_ctx *ctx, const struct perun_options *options,
		      struct perun_vcs **vcs, struct place *place)
{
	const char *path = perun_option_string(options, "path");
	const char *repository = perun_option_string(options, "vcs-path");
	int status = PERUN_OK;

	place->path = init_absolute_path(path ? path : ".");
	if (perun_path_ensure_directories(place->path, 0777) != 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make the directory %s",
					place->path);
	place->store = perun_format("%s/.perun", strcmp(place->path, "/") ? place->path : "");
	place->existed = is_directory(place->store);
	place->configured = has_file(place->store, "local.yml");
	if (!place->existed && access(place->store, F_OK) == 0)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s is in the way: it is not a directory; remove or rename it",
				  place->store);
	place->type = perun_option_given(options, "vcs-type")
			      ? perun_strdup(perun_option_string(options, "vcs-type"))
			      : surrounding_type(repository ? repository : place->path);
	status = perun_vcs_load(ctx, place->type, vcs);
	if (repository)
		place->repository = init_absolute_path(repository);
	else if (!status)
		status = perun_vcs_discover(ctx, *vcs, place->path, &place->repository);
	place->found = place->repository != NULL;
	if (!status && !place->found)
		place->repository = perun_strdup(place->path);
	return status;
}

static int init_repository(struct perun_ctx *ctx, const struct perun_options *options,
			   struct perun_vcs *vcs, const struct place *place)
{
	size_t params = perun_option_count(options, "vcs-param") / 2;
	size_t flags = perun_option_count(options, "vcs-flag");
	struct perun_vcs_parameter *parameters =
		perun_alloc_zero(params + flags + 1, sizeof *parameters);
	int status;

	for (size_t i = 0; i < params; i++) {
		parameters[i].name = perun_option_string_at(options, "vcs-param", 2 * i);
		parameters[i].value = perun_option_string_at(options, "vcs-param", 2 * i + 1);
	}
	for (size_t i = 0; i < flags; i++)
		parameters[params + i].name = perun_option_string_at(options, "vcs-flag", i);
	status = perun_vcs_init(ctx, vcs, place->repository, parameters, params + flags);
	perun_free(parameters);
	return status;
}

/*
 * The template with what was detected in the place of its examples: from "# The programs to measure" to the
 * postprocessors, what registers profiles, and the commands at its end. Takes `text`.
 */
static char *with_proposals(const struct place *place, char *text)
{
	struct perun_buffer out = {0};
	char *from = strstr(text, "# The programs to measure"), *rest, *registers, *format, *build;

	rest = from ? strstr(from, "# What to do with each profile") : NULL;
	registers = rest ? strstr(rest, "# Register new profiles") : NULL;
	format = registers ? strstr(registers, "# How profiles are sorted") : NULL;
	build = format ? strstr(format, "# Commands that build a version") : NULL;
	if (!build)
		return text;
	if (!perun_detection_count(place->detected, PERUN_PROPOSED_BUILD))
		build = text + strlen(text);
	perun_buffer_add(&out, text, (size_t)(from - text));
	perun_detection_yaml(place->detected, &out);
	perun_buffer_add_char(&out, '\n');
	perun_buffer_add(&out, rest, (size_t)(registers - rest));
	perun_buffer_add(&out, format, (size_t)(build - format));
	perun_free(text);
	return perun_buffer_take(&out);
}

/* The new configuration, and the store in its place. */
static int make_store(struct perun_ctx *ctx, const struct perun_options *options,
		      const struct place *place, struct perun_store **store)
{
	char *url = init_relative_path(place->store, place->repository), *text = NULL;
	int status = perun_config_template(ctx, perun_option_string(options, "config-template"),
					   place->type, url, &text);

	if (!status && place->detects)
		text = with_proposals(place, text);
	if (!status)
		status = perun_store_init(ctx, place->path, text, store);
	perun_free(text);
	perun_free(url);
	return status;
}

/* It runs code of the project: a script that answers every question with yes has not been asked this one. */
static bool wants_trial(struct perun_ctx *ctx, const struct perun_command_call *call,
			const struct place *place)
{
	const struct perun_options *options = call->options;

	if (perun_option_flag(options, "run"))
		return true;
	return call->terminal && isatty(STDIN_FILENO) && !perun_option_flag(options, "json") &&
	       place->found && !place->existed &&
	       perun_detection_count(place->detected, PERUN_PROPOSED_BUILD) &&
	       perun_confirm(ctx,
			     "Build the current commit elsewhere and run its programs once, to "
			     "propose those that work?");
}

/* A build that fails is reported at the end: the store is made, with what the build files say. */
static int detect(struct perun_ctx *ctx, const struct perun_command_call *call,
		  struct perun_vcs *vcs, struct place *place)
{
	char *way = init_relative_path(place->repository, place->path);
	int status = PERUN_OK;

	place->detected = perun_detect(ctx, place->path, way);
	if (wants_trial(ctx, call, place)) {
		status = init_try(ctx, vcs, way, place->detected);
		place->tried = !status;
	}
	if (status == PERUN_INPUT) {
		place->untried = perun_strdup(perun_ctx_error(ctx));
		perun_ctx_clear(ctx);
		status = PERUN_OK;
	}
	perun_free(way);
	return status;
}

static void print_facts(const struct perun_command_call *call, const struct place *place)
{
	struct perun_json *document = perun_json_object();

	perun_json_set(document, "store", commands_text(place->store));
	perun_json_set(document, "existed", perun_json_bool(place->existed));
	perun_json_set(document, "repository", commands_text(place->repository));
	perun_json_set(document, "vcs_type", commands_text(place->type));
	if (place->detects)
		perun_json_set(document, "detected", init_proposals_json(place->detected));
	commands_print_json(call, document);
}

static void print_text(const struct perun_command_call *call, const struct place *place)
{
	if (!place->found)
		perun_output_printf(call->output,
				    "Initialized a new %s repository in %s; profiles belong to "
				    "commits, so make a first one\n",
				    place->type, place->repository);
	perun_output_printf(call->output, "%s Perun in %s\n",
			    place->existed ? "Reinitialized the existing" : "Initialized",
			    place->store);
	if (place->detects)
		init_print_proposals(call, place->detected,
				     place->existed ? INIT_EXISTED
				     : place->tried ? INIT_TRIED
						    : INIT_PROPOSED);
	else if (!place->existed && call->terminal)
		perun_output_text(call->output,
				  "Measure a program with perun collect -c COMMAND time, keep the "
				  "profile with perun add 0@p.\n");
}

static int check_options(struct perun_ctx *ctx, const struct perun_options *options)
{
	if (perun_option_flag(options, "run") && !perun_option_flag(options, "detect"))
		return perun_fail(ctx, PERUN_USAGE,
				  "--run tries what --detect proposes; give both");
	if (perun_option_flag(options, "detect") &&
	    strcmp(perun_option_string(options, "config-template"), "master") != 0)
		return perun_fail(ctx, PERUN_USAGE,
				  "--detect makes a configuration of its own; leave out "
				  "--config-template");
	return PERUN_OK;
}

/* A repository is made where one was asked for, not where somebody is in the wrong directory. */
static int check_new_repository(struct perun_ctx *ctx, const struct perun_options *options,
				const struct place *place)
{
	static const char *const asking[] = {"vcs-type", "vcs-path", "vcs-param", "vcs-flag"};

	if (place->found)
		return PERUN_OK;
	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++) {
		if (perun_option_given(options, asking[i]))
			return PERUN_OK;
	}
	if (perun_confirm(ctx, "There is no repository here. Make a new one of %s in %s?",
			  place->type, place->repository))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE,
			  "%s is not in a repository; perun init --vcs-type %s makes one",
			  place->repository, place->type);
}

/* Whether a setting of the store is this text; of `base` not NULL, a path from there. */
static bool is_set(struct perun_store *store, const char *key, const char *base, const char *wanted)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *value = NULL;
	const char *text;
	char *absolute = NULL;
	bool same;

	if (perun_config_inspect(quiet, store, PERUN_CONFIG_LOCAL, key, &value))
		value = NULL;
	text = perun_json_as_string(value, NULL);
	if (text && base) {
		char *path =
			text[0] == '/' ? perun_strdup(text) : perun_format("%s/%s", base, text);

		absolute = init_absolute_path(path);
		text = absolute;
		perun_free(path);
	}
	same = text && strcmp(text, wanted) == 0;
	perun_free(absolute);
	perun_json_free(value);
	perun_ctx_free(quiet);
	return same;
}

/* Options that describe a new store are not ignored where there is one, unless it is as they say. */
static int check_existing(struct perun_ctx *ctx, const struct perun_options *options,
			  const struct place *place)
{
	static const char *const new_only[] = {"config-template", "vcs-param", "vcs-flag"};
	struct perun_store *store = NULL;
	const char *refused = NULL;

	if (!place->configured)
		return PERUN_OK;
	for (size_t i = 0; i < sizeof new_only / sizeof *new_only; i++) {
		if (perun_option_given(options, new_only[i]))
			refused = new_only[i];
	}
	if (perun_option_given(options, "vcs-type") || perun_option_given(options, "vcs-path")) {
		int status = perun_store_open(ctx, place->path, &store);

		if (status)
			return status;
		if (perun_option_given(options, "vcs-type") &&
		    !is_set(store, "vcs.type", NULL, place->type))
			refused = "vcs-type";
		if (perun_option_given(options, "vcs-path") &&
		    !is_set(store, "vcs.url", place->store, place->repository))
			refused = "vcs-path";
		perun_store_close(store);
	}
	if (refused)
		return perun_fail(ctx, PERUN_USAGE,
				  "%s has its configuration already, so --%s would change nothing; "
				  "perun config edit changes it",
				  place->store, refused);
	return PERUN_OK;
}

static int edit_configuration(struct perun_ctx *ctx, struct perun_store *store, const char *file)
{
	const bool trusted = perun_trust_may_follow(store);
	int status = commands_edit_file(ctx, store, file);

	if (!status)
		perun_trust_follow(ctx, store, trusted);
	return status;
}

static int run_init(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct perun_store *store = NULL;
	const struct perun_options *options = call->options;
	struct perun_vcs *vcs = NULL, *attached = NULL;
	struct place place = {0};
	char *file = NULL;
	int status = check_options(ctx, options);

	place.detects = perun_option_flag(options, "detect");
	if (!status)
		status = find_place(ctx, options, &vcs, &place);
	if (!status)
		status = check_existing(ctx, options, &place);
	if (!status)
		status = check_new_repository(ctx, options, &place);
	if (!status)
		status = init_repository(ctx, options, vcs, &place);
	if (!status)
		status = perun_vcs_open(ctx, place.type, place.repository, &attached);
	if (!status && place.detects)
		status = detect(ctx, call, attached, &place);
	if (!status)
		status = perun_vcs_ignore(ctx, attached, ".perun/");
	if (!status)
		status = make_store(ctx, options, &place, &store);
	if (!status && perun_option_flag(options, "json"))
		print_facts(call, &place);
	else if (!status)
		print_text(call, &place);
	/* The store is made, even where the editor fails. */
	if (!status)
		perun_output_flush(call->output);
	if (!status && perun_option_flag(options, "configure"))
		status = perun_config_path(ctx, store, PERUN_CONFIG_LOCAL, &file);
	if (!status && file)
		status = edit_configuration(ctx, store, file);
	if (!status && place.untried)
		status = perun_fail(ctx, PERUN_INPUT, "%s", place.untried);
	perun_free(file);
	perun_store_close(store);
	perun_vcs_close(attached);
	perun_vcs_close(vcs);
	free_place(&place);
	return status;
}

COMMAND_PLUGIN(init, "init", "makes stores", "make a store of profiles for a project",
	       options_table, run_init);
