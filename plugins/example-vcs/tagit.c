/* SPDX-License-Identifier: BSD-3-Clause */
/* tagit: a light-weight version control for projects without git. Versions are names in a list. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perun/command.h>
#include <perun/format.h>
#include <perun/vcs.h>

#include "copy.h"
#include "versions.h"

struct tagit {
	char *root;
	struct tagit_versions versions;
	bool loaded;
};

static int tagit_open(struct perun_ctx *ctx, const struct perun_options *options,
		      const char *subcommand, void **instance)
{
	(void)ctx;
	(void)options;
	(void)subcommand;
	*instance = perun_alloc_zero(1, sizeof(struct tagit));
	return PERUN_OK;
}

static void tagit_close(void *instance)
{
	struct tagit *tagit = instance;

	tagit_free(&tagit->versions);
	perun_free(tagit->root);
	perun_free(tagit);
}

/* Read the list at first use, and again after it was changed. */
static int load(struct tagit *tagit, struct perun_ctx *ctx)
{
	int status;

	if (tagit->loaded)
		return PERUN_OK;
	tagit_free(&tagit->versions);
	status = tagit_read(ctx, tagit->root, &tagit->versions);
	tagit->loaded = !status;
	return status;
}

static int find(struct tagit *tagit, struct perun_ctx *ctx, const char *what,
		const struct tagit_version **version)
{
	int status = load(tagit, ctx);

	if (status)
		return status;
	*version = tagit_find(&tagit->versions, what);
	if (*version)
		return PERUN_OK;
	if (!tagit->versions.count)
		return perun_fail(ctx, PERUN_USAGE,
				  "there is no version yet: name one with: perun tagit add NAME");
	return perun_fail(ctx, PERUN_USAGE, "there is no version %s in %s/" TAGIT_FILE, what,
			  tagit->root);
}

static int attach(void *instance, struct perun_ctx *ctx, const char *url)
{
	struct tagit *tagit = instance;
	char *root = tagit_discover(url);

	if (!root)
		return perun_fail(ctx, PERUN_INPUT,
				  "%s has no list of versions (" TAGIT_FILE "): make one with: "
				  "perun init --vcs-type tagit",
				  url);
	perun_free(tagit->root);
	tagit->root = root;
	tagit->loaded = false;
	return PERUN_OK;
}

static int init(void *instance, struct perun_ctx *ctx, const char *path,
		const struct perun_vcs_parameter *parameters, size_t count)
{
	(void)instance;
	if (count)
		return perun_fail(ctx, PERUN_USAGE, "tagit has no parameter %s",
				  parameters[0].name);
	return tagit_create(ctx, path);
}

static int visit_version(const struct tagit_versions *versions, size_t i,
			 perun_minor_version_visit *visit, void *data)
{
	const struct tagit_version *version = &versions->items[i];
	const char *parent = i ? versions->items[i - 1].checksum : NULL;
	char *description = perun_format("%s%s%s\n", version->name,
					 *version->description ? ": " : "", version->description);
	struct perun_minor_version minor = {
		.struct_size = sizeof minor,
		.checksum = version->checksum,
		.author = version->author,
		.email = "",
		.date = version->date,
		.description = description,
		.parents = &parent,
		.parent_count = parent ? 1 : 0,
	};
	int status = visit(data, &minor);

	perun_free(description);
	return status;
}

static int walk_minor_versions(void *instance, struct perun_ctx *ctx, const char *head,
			       perun_minor_version_visit *visit, void *data)
{
	struct tagit *tagit = instance;
	const struct tagit_version *version;
	int status = find(tagit, ctx, head, &version);

	if (status)
		return status;
	for (size_t i = (size_t)(version - tagit->versions.items) + 1; !status && i > 0; i--)
		status = visit_version(&tagit->versions, i - 1, visit, data);
	return status == PERUN_STOP ? PERUN_OK : status;
}

static int walk_major_versions(void *instance, struct perun_ctx *ctx,
			       perun_major_version_visit *visit, void *data)
{
	struct tagit *tagit = instance;
	struct perun_major_version major = {.struct_size = sizeof major, .name = "main"};
	int status = load(tagit, ctx);

	if (status || !tagit->versions.count)
		return status;
	major.head = tagit->versions.items[tagit->versions.count - 1].checksum;
	status = visit(data, &major);
	return status == PERUN_STOP ? PERUN_OK : status;
}

static int massage_parameter(void *instance, struct perun_ctx *ctx, const char *parameter,
			     const char *type, char **checksum)
{
	const struct tagit_version *version;
	int status = find(instance, ctx, parameter && *parameter ? parameter : "HEAD", &version);

	(void)type;
	if (!status)
		*checksum = perun_strdup(version->checksum);
	return status;
}

static int get_minor_head(void *instance, struct perun_ctx *ctx, char **checksum)
{
	struct tagit *tagit = instance;
	int status = load(tagit, ctx);

	if (status || !tagit->versions.count)
		return status;
	return massage_parameter(instance, ctx, "HEAD", NULL, checksum);
}

static int get_head_major_version(void *instance, struct perun_ctx *ctx, char **name)
{
	(void)instance;
	(void)ctx;
	*name = perun_strdup("main");
	return PERUN_OK;
}

static int get_minor_version_info(void *instance, struct perun_ctx *ctx, const char *checksum,
				  perun_minor_version_visit *visit, void *data)
{
	struct tagit *tagit = instance;
	const struct tagit_version *version;
	int status = find(tagit, ctx, checksum, &version);

	if (status)
		return status;
	status = visit_version(&tagit->versions, (size_t)(version - tagit->versions.items), visit,
			       data);
	return status == PERUN_STOP ? PERUN_OK : status;
}

static int check_minor_version_validity(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	const struct tagit_version *version;

	return find(instance, ctx, checksum, &version);
}

/* Nothing is tracked, so nothing can be changed, put aside or brought back. */
static int is_dirty(void *instance, struct perun_ctx *ctx, bool *dirty)
{
	(void)instance;
	(void)ctx;
	*dirty = false;
	return PERUN_OK;
}

static int save_state(void *instance, struct perun_ctx *ctx, bool *saved, char **state)
{
	*saved = false;
	return get_minor_head(instance, ctx, state);
}

static int checkout(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	struct tagit *tagit = instance;
	const struct tagit_version *version;
	int status = find(tagit, ctx, checksum, &version);

	if (!status)
		status = tagit_set_head(ctx, tagit->root, version->name);
	tagit->loaded = false;
	return status;
}

static int restore_state(void *instance, struct perun_ctx *ctx, bool saved, const char *state)
{
	(void)saved;
	return checkout(instance, ctx, state);
}

static int export_version(void *instance, struct perun_ctx *ctx, const char *checksum,
			  const char *directory)
{
	struct tagit *tagit = instance;
	const struct tagit_version *version;
	char *source;
	int status = find(tagit, ctx, checksum, &version);

	if (status)
		return status;
	if (!*version->directory)
		return perun_fail(ctx, PERUN_INPUT,
				  "the version %s is only a name: its files are not kept "
				  "(perun tagit add --directory DIR keeps them)",
				  version->name);
	source = *version->directory == '/'
			 ? perun_strdup(version->directory)
			 : perun_format("%s/%s", tagit->root, version->directory);
	status = tagit_copy_directory(ctx, source, directory);
	perun_free(source);
	return status;
}

static int remove_export(void *instance, struct perun_ctx *ctx, const char *directory)
{
	(void)instance;
	return tagit_remove_directory(ctx, directory);
}

static int discover(void *instance, struct perun_ctx *ctx, const char *path, char **root)
{
	(void)instance;
	(void)ctx;
	*root = tagit_discover(path);
	return PERUN_OK;
}

/* ---- the command: perun tagit add|list ---- */

static const struct perun_option command_options[] = {
	{.name = "action",
	 .help = "what to do",
	 .choices = "add list",
	 .type = PERUN_OPTION_CHOICE,
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED},
	{.name = "name",
	 .help = "name of the version to add",
	 .flags = PERUN_OPTION_POSITIONAL,
	 .type = PERUN_OPTION_STRING},
	{.name = "message",
	 .aliases = "-m",
	 .metavar = "TEXT",
	 .default_value = "",
	 .help = "what is new in it",
	 .type = PERUN_OPTION_STRING},
	{.name = "author",
	 .metavar = "NAME",
	 .default_value = "",
	 .help = "who made it",
	 .type = PERUN_OPTION_STRING},
	{.name = "directory",
	 .aliases = "-d",
	 .metavar = "DIR",
	 .default_value = "",
	 .help = "where its files are kept, if they are",
	 .type = PERUN_OPTION_PATH},
	{0}};

static int add_version(struct perun_ctx *ctx, const char *root,
		       const struct tagit_versions *versions, const struct perun_options *options)
{
	struct tagit_version version = {
		.name = (char *)perun_option_string(options, "name"),
		.date = time(NULL),
		.author = (char *)perun_option_string(options, "author"),
		.directory = (char *)perun_option_string(options, "directory"),
		.description = (char *)perun_option_string(options, "message"),
	};
	char *kept = NULL;
	int status;

	if (!version.name)
		return perun_fail(ctx, PERUN_USAGE, "tagit add needs the name of the version");
	if (tagit_find(versions, version.name))
		return perun_fail(ctx, PERUN_USAGE, "there is a version %s already", version.name);
	if (*version.directory) {
		char *path = realpath(version.directory, NULL);

		if (!path)
			return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot find %s",
						version.directory);
		kept = perun_strdup(strncmp(path, root, strlen(root)) == 0 &&
						    path[strlen(root)] == '/'
					    ? path + strlen(root) + 1
					    : path);
		free(path);
		version.directory = kept;
	}
	status = tagit_append(ctx, root, &version);
	perun_free(kept);
	return status;
}

static int list_versions(const struct tagit_versions *versions, struct perun_output *output)
{
	for (size_t i = 0; i < versions->count; i++) {
		const struct tagit_version *version = &versions->items[i];
		char *name = perun_printable(version->name);
		char *description = perun_printable(version->description);

		perun_output_printf(output, "%c %.8s %s %s\n", i == versions->head ? '*' : ' ',
				    version->checksum, name, description);
		perun_free(name);
		perun_free(description);
	}
	return PERUN_OK;
}

static int tagit_command(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	struct tagit_versions versions;
	char *root = tagit_discover(".");
	int status;

	if (!root)
		return perun_fail(ctx, PERUN_USAGE,
				  "no list of versions here: make one with: "
				  "perun init --vcs-type tagit");
	status = tagit_read(ctx, root, &versions);
	if (!status && strcmp(perun_option_string(call->options, "action"), "add") == 0)
		status = add_version(ctx, root, &versions, call->options);
	else if (!status)
		status = list_versions(&versions, call->output);
	tagit_free(&versions);
	perun_free(root);
	return status;
}

static const struct perun_command commands[] = {
	{.name = "tagit",
	 .summary = "name and list versions of a project without git",
	 .options = command_options,
	 .option_size = sizeof(struct perun_option),
	 .run = tagit_command},
	{0}};

static const struct perun_vcs_ops tagit_ops = {
	.open = tagit_open,
	.close = tagit_close,
	.attach = attach,
	.init = init,
	.walk_minor_versions = walk_minor_versions,
	.walk_major_versions = walk_major_versions,
	.get_minor_head = get_minor_head,
	.get_head_major_version = get_head_major_version,
	.get_minor_version_info = get_minor_version_info,
	.check_minor_version_validity = check_minor_version_validity,
	.massage_parameter = massage_parameter,
	.is_dirty = is_dirty,
	.save_state = save_state,
	.restore_state = restore_state,
	.checkout = checkout,
	.export_version = export_version,
	.remove_export = remove_export,
	.discover = discover,
};

PERUN_PLUGIN(vcs, tagit) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VCS, "tagit", "versions named in a text file"),
	.version = "1.0",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_COMMANDS(commands),
	PERUN_PLUGIN_OPS(tagit_ops),
};
