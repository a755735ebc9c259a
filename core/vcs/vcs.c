/* SPDX-License-Identifier: BSD-3-Clause */
/* The version control system under a store: a loaded plugin, and what it lacks made up for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/options.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>
#include <perun/vcs.h>

#include "core/registry/guard.h"
#include "core/vcs/fallback.h"
#include "core/vcs/open.h"
#include "core/vcs/results.h"
#include "core/vcs/state-journal.h"

struct perun_vcs {
	struct perun_vcs_ops ops;
	const struct perun_plugin *plugin;
	struct perun_options *options;
	void *instance;
	char *url; /* that it is attached to; NULL = none */
	struct perun_state_journal journal;
};

/* For operations that every plugin has to have. */
#define CALL(operation, ...)                                          \
	((vcs)->ops.operation ? CALL_OPTIONAL(operation, __VA_ARGS__) \
			      : lacks((ctx), (vcs), #operation))
/* For one that is there. */
#define CALL_OPTIONAL(operation, ...)           \
	PERUN_PLUGIN_CALL((ctx), (vcs)->plugin, \
			  (vcs)->ops.operation((vcs)->instance, (ctx), __VA_ARGS__))

/* The data of perun_vcs_visit_*(), which check what they get. */
#define VISITS(...)                  \
	(&(struct perun_vcs_visits){ \
		.ctx = (ctx), .plugin = (vcs)->plugin->name, .data = (data), __VA_ARGS__})

static int lacks(struct perun_ctx *ctx, const struct perun_vcs *vcs, const char *operation)
{
	return perun_fail(ctx, PERUN_MISSING, "the plugin vcs %s cannot do this: it lacks %s",
			  vcs->plugin->name, operation);
}

static int parse_options(struct perun_ctx *ctx, const struct perun_plugin *plugin,
			 const struct perun_json *document, struct perun_options **options)
{
	static const char *const no_words[] = {NULL};
	const struct perun_option_table table = {plugin->options, plugin->option_size};
	int status;

	if (!document)
		return perun_options_parse(ctx, &table, 1, no_words, 0, options, NULL);
	status = perun_options_from_document(ctx, &table, 1, document, options);
	return status ? perun_fail(ctx, status, "vcs.options of %s", plugin->name) : PERUN_OK;
}

static int load(struct perun_ctx *ctx, const char *type, const struct perun_json *document,
		struct perun_vcs **result)
{
	const struct perun_plugin *plugin;
	struct perun_vcs *vcs;
	int status = perun_registry_load(ctx, PERUN_KIND_VCS, type, &plugin);

	*result = NULL;
	if (status != PERUN_OK)
		return status;
	vcs = perun_alloc_zero(1, sizeof(*vcs));
	vcs->plugin = plugin;
	vcs->journal.lock = -1;
	perun_plugin_ops(plugin, &vcs->ops, sizeof(vcs->ops));
	status = parse_options(ctx, plugin, document, &vcs->options);
	if (status == PERUN_OK && vcs->ops.open)
		status = PERUN_PLUGIN_CALL(
			ctx, plugin,
			vcs->ops.open(ctx, vcs->options,
				      plugin->subcommands ? plugin->subcommands->name : NULL,
				      &vcs->instance));
	if (status != PERUN_OK) {
		perun_options_free(vcs->options);
		perun_free(vcs);
		return status;
	}
	*result = vcs;
	return PERUN_OK;
}

int perun_vcs_load(struct perun_ctx *ctx, const char *type, struct perun_vcs **result)
{
	return load(ctx, type, NULL, result);
}

int perun_vcs_open(struct perun_ctx *ctx, const char *type, const char *url,
		   struct perun_vcs **result)
{
	return perun_vcs_open_with(ctx, type, url, NULL, result);
}

int perun_vcs_open_with(struct perun_ctx *ctx, const char *type, const char *url,
			const struct perun_json *options, struct perun_vcs **result)
{
	struct perun_vcs *vcs;
	int status = load(ctx, type, options, &vcs);

	*result = NULL;
	if (status != PERUN_OK)
		return status;
	status = CALL(attach, url);
	vcs->url = perun_strdup(url);
	if (status == PERUN_OK)
		*result = vcs;
	else
		perun_vcs_close(vcs);
	return status;
}

void perun_vcs_close(struct perun_vcs *vcs)
{
	if (!vcs)
		return;
	if (vcs->ops.close)
		PERUN_PLUGIN_CALL_VOID(vcs->plugin, vcs->ops.close(vcs->instance));
	perun_options_free(vcs->options);
	perun_state_journal_close(&vcs->journal, false);
	perun_free(vcs->url);
	perun_free(vcs);
}

/* ---- the specification's functions ----------------------------------------------------------- */

int perun_vcs_init(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *path,
		   const struct perun_vcs_parameter *parameters, size_t count)
{
	return CALL(init, path, parameters, count);
}

int perun_vcs_walk_minor_versions(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *head,
				  perun_minor_version_visit *visit, void *data)
{
	return CALL(walk_minor_versions, head, perun_vcs_visit_minor, VISITS(.minor = visit));
}

int perun_vcs_walk_major_versions(struct perun_ctx *ctx, struct perun_vcs *vcs,
				  perun_major_version_visit *visit, void *data)
{
	return CALL(walk_major_versions, perun_vcs_visit_major, VISITS(.major = visit));
}

int perun_vcs_get_minor_head(struct perun_ctx *ctx, struct perun_vcs *vcs, char **checksum)
{
	int status = perun_vcs_find_minor_head(ctx, vcs, checksum);

	if (!status && !*checksum)
		status = perun_fail(ctx, PERUN_USAGE, "no commit yet: commit something first");
	return status;
}

int perun_vcs_find_minor_head(struct perun_ctx *ctx, struct perun_vcs *vcs, char **checksum)
{
	int status;

	*checksum = NULL;
	status = CALL(get_minor_head, checksum);
	return status || !*checksum ? status
				    : perun_vcs_check_checksum(ctx, vcs->plugin->name,
							       "get_minor_head", checksum);
}

int perun_vcs_get_head_major_version(struct perun_ctx *ctx, struct perun_vcs *vcs, char **name)
{
	int status;

	*name = NULL;
	status = CALL(get_head_major_version, name);
	return status ? status
		      : perun_vcs_check_name(ctx, vcs->plugin->name, "get_head_major_version",
					     name);
}

int perun_vcs_get_minor_version_info(struct perun_ctx *ctx, struct perun_vcs *vcs,
				     const char *checksum, perun_minor_version_visit *visit,
				     void *data)
{
	return CALL(get_minor_version_info, checksum, perun_vcs_visit_minor,
		    VISITS(.minor = visit));
}

int perun_vcs_check_minor_version_validity(struct perun_ctx *ctx, struct perun_vcs *vcs,
					   const char *checksum)
{
	return CALL(check_minor_version_validity, checksum);
}

int perun_vcs_massage_parameter(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *parameter,
				const char *type, char **checksum)
{
	int status;

	*checksum = NULL;
	if (!parameter || !*parameter)
		return perun_vcs_get_minor_head(ctx, vcs, checksum);
	status = CALL(massage_parameter, parameter, type, checksum);
	return status ? status
		      : perun_vcs_check_checksum(ctx, vcs->plugin->name, "massage_parameter",
						 checksum);
}

int perun_vcs_is_dirty(struct perun_ctx *ctx, struct perun_vcs *vcs, bool *dirty)
{
	*dirty = false;
	return CALL(is_dirty, dirty);
}

/* Whether what is put aside is the host's to remember. */
static bool keeps_journal(const struct perun_vcs *vcs)
{
	return !vcs->ops.recover && vcs->url;
}

int perun_vcs_save_state(struct perun_ctx *ctx, struct perun_vcs *vcs, bool *saved, char **state)
{
	int status = PERUN_OK;

	*saved = false;
	*state = NULL;
	if (keeps_journal(vcs))
		status = perun_state_journal_begin(ctx, vcs->url, &vcs->journal);
	if (status)
		return status;
	status = CALL(save_state, saved, state);
	if (status)
		perun_state_journal_close(&vcs->journal, true);
	else if ((status = perun_state_journal_note(ctx, &vcs->journal, *saved, *state)))
		perun_vcs_restore_state(NULL, vcs, *saved, *state);
	return status;
}

int perun_vcs_restore_state(struct perun_ctx *ctx, struct perun_vcs *vcs, bool saved,
			    const char *state)
{
	int status = CALL(restore_state, saved, state);

	perun_state_journal_close(&vcs->journal, status == PERUN_OK);
	return status;
}

int perun_vcs_checkout(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *checksum)
{
	return CALL(checkout, checksum);
}

/* ---- the optional ones, and their fallbacks --------------------------------------------------- */

static int walk_checked(void *instance, struct perun_ctx *ctx, const char *head,
			perun_minor_version_visit *visit, void *data)
{
	return perun_vcs_walk_minor_versions(ctx, instance, head, visit, data);
}

/* What fallbacks walk by; the instance is the struct perun_vcs. */
static const struct perun_vcs_ops checked = {.walk_minor_versions = walk_checked};

int perun_vcs_walk_range(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *exclude,
			 const char *head, perun_minor_version_visit *visit, void *data)
{
	if (vcs->ops.walk_range)
		return CALL_OPTIONAL(walk_range, exclude, head, perun_vcs_visit_minor,
				     VISITS(.minor = visit));
	return perun_vcs_range_by_walks(&checked, vcs, ctx, exclude, head, visit, data);
}

int perun_vcs_merge_base(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *one,
			 const char *other, char **checksum)
{
	int status;

	*checksum = NULL;
	if (vcs->ops.merge_base) {
		status = CALL_OPTIONAL(merge_base, one, other, checksum);
		return status || !*checksum ? status
					    : perun_vcs_check_checksum(ctx, vcs->plugin->name,
								       "merge_base", checksum);
	}
	return perun_vcs_merge_base_by_walks(&checked, vcs, ctx, one, other, checksum);
}

int perun_vcs_export_version(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *checksum,
			     const char *directory)
{
	if (!vcs->ops.remove_export)
		return lacks(ctx, vcs,
			     vcs->ops.export_version ? "remove_export"
						     : "export_version and remove_export");
	return CALL(export_version, checksum, directory);
}

int perun_vcs_remove_export(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *directory)
{
	return CALL(remove_export, directory);
}

int perun_vcs_keep_export(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *directory)
{
	char *aside;
	int status = PERUN_OK;

	if (vcs->ops.keep_export)
		return CALL_OPTIONAL(keep_export, directory);
	aside = perun_format("%s.aside", directory);
	perun_path_remove_tree(aside);
	if (perun_path_rename(directory, aside) < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot keep %s", directory);
	if (!status)
		status = perun_vcs_remove_export(ctx, vcs, directory);
	if (!status && perun_path_rename(aside, directory) < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot keep %s", directory);
	perun_free(aside);
	return status;
}

int perun_vcs_common_directory(struct perun_ctx *ctx, struct perun_vcs *vcs, char **directory)
{
	*directory = NULL;
	return vcs->ops.common_directory ? CALL_OPTIONAL(common_directory, directory) : PERUN_OK;
}

int perun_vcs_is_boundary(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *checksum,
			  bool *is)
{
	*is = false;
	return vcs->ops.is_boundary ? CALL_OPTIONAL(is_boundary, checksum, is) : PERUN_OK;
}

int perun_vcs_ignore(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *name)
{
	return vcs->ops.ignore ? CALL_OPTIONAL(ignore, name) : PERUN_OK;
}

/* The repository that it is attached to, if `path` lies in it. */
static char *surrounding(const struct perun_vcs *vcs, const char *path)
{
	char *root = vcs->url ? realpath(vcs->url, NULL) : NULL, *real = realpath(path, NULL);
	char *found = NULL;
	size_t length = root ? strlen(root) : 0;

	if (root && real && strncmp(real, root, length) == 0 &&
	    (real[length] == '/' || !real[length]))
		found = perun_strdup(root);
	free(root);
	free(real);
	return found;
}

int perun_vcs_discover(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *path, char **root)
{
	*root = NULL;
	if (vcs->ops.discover)
		return CALL_OPTIONAL(discover, path, root);
	*root = surrounding(vcs, path);
	return PERUN_OK;
}

/* By the journal of a run that was killed. */
static int recover_by_journal(struct perun_ctx *ctx, struct perun_vcs *vcs, bool only_report,
			      char **what)
{
	struct perun_state_journal journal;
	char *state;
	bool saved;
	int status = PERUN_OK;

	perun_state_journal_take(vcs->url, &journal, &saved, &state);
	if (!journal.path)
		return PERUN_OK;
	if (!only_report && state)
		status = CALL(restore_state, saved, state);
	if (!status && !state)
		*what = perun_format("an interrupted run began to put changes aside in %s; look "
				     "whether they are there",
				     vcs->url);
	else if (!status)
		*what = perun_format(only_report
					     ? "an interrupted run left %s at another version"
					     : "the state of %s before an interrupted run is back",
				     vcs->url);
	perun_state_journal_close(&journal, !only_report && !status);
	perun_free(state);
	return status;
}

int perun_vcs_recover(struct perun_ctx *ctx, struct perun_vcs *vcs, bool only_report, char **what)
{
	*what = NULL;
	if (vcs->ops.recover)
		return CALL_OPTIONAL(recover, only_report, what);
	return vcs->url && vcs->journal.lock < 0 ? recover_by_journal(ctx, vcs, only_report, what)
						 : PERUN_OK;
}

int perun_vcs_is_tracked(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *path, bool *is)
{
	*is = false;
	return vcs->ops.is_tracked ? CALL_OPTIONAL(is_tracked, path, is) : PERUN_OK;
}

int perun_vcs_walk_names(struct perun_ctx *ctx, struct perun_vcs *vcs,
			 perun_major_version_visit *visit, void *data)
{
	return vcs->ops.walk_names
		       ? CALL_OPTIONAL(walk_names, perun_vcs_visit_name, VISITS(.major = visit))
		       : perun_vcs_walk_major_versions(ctx, vcs, visit, data);
}

/* ---- sharing ---------------------------------------------------------------------------------- */

static int check_sharing(struct perun_ctx *ctx, const struct perun_vcs *vcs)
{
	const struct perun_vcs_ops *ops = &vcs->ops;

	return ops->share_add && ops->share_writers && ops->share_files && ops->share_push &&
			       ops->share_fetch
		       ? PERUN_OK
		       : lacks(ctx, vcs, "sharing");
}

/* Names become parts of references and paths. */
static int check_writer(struct perun_ctx *ctx, const char *writer)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
	size_t length = strlen(writer);

	return length && length <= 64 && *writer != '-' && strspn(writer, allowed) == length
		       ? PERUN_OK
		       : perun_fail(ctx, PERUN_USAGE,
				    "'%s' cannot be the name of a writer: expected up to 64 "
				    "letters, digits and '-'",
				    writer);
}

int perun_vcs_share_add(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *writer,
			perun_vcs_next_file *next, void *data)
{
	int status = check_sharing(ctx, vcs);

	if (!status)
		status = check_writer(ctx, writer);
	return status ? status : CALL_OPTIONAL(share_add, writer, next, data);
}

struct writer_filter {
	perun_vcs_writer_visit *visit;
	void *data;
};

/* A remote may have names that no writer has: they are passed over. */
static int visit_writer(void *data, struct perun_ctx *ctx, const char *remote, const char *writer,
			const char *state)
{
	const struct writer_filter *filter = data;
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	bool valid = check_writer(quiet, writer) == PERUN_OK;

	perun_ctx_free(quiet);
	return valid ? filter->visit(filter->data, ctx, remote, writer, state) : PERUN_OK;
}

int perun_vcs_share_writers(struct perun_ctx *ctx, struct perun_vcs *vcs,
			    perun_vcs_writer_visit *visit, void *data)
{
	struct writer_filter filter = {visit, data};
	int status = check_sharing(ctx, vcs);

	return status ? status : CALL_OPTIONAL(share_writers, visit_writer, &filter);
}

int perun_vcs_share_files(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *since,
			  const char *state, perun_vcs_file_visit *visit, void *data)
{
	int status = check_sharing(ctx, vcs);

	return status ? status : CALL_OPTIONAL(share_files, since, state, visit, data);
}

int perun_vcs_share_push(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *remote,
			 const char *writer)
{
	int status = check_sharing(ctx, vcs);

	if (!status)
		status = check_writer(ctx, writer);
	return status ? status : CALL_OPTIONAL(share_push, remote, writer);
}

int perun_vcs_share_fetch(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *remote)
{
	int status = check_sharing(ctx, vcs);

	return status ? status : CALL_OPTIONAL(share_fetch, remote);
}

int perun_vcs_share_fetch_some(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *remote,
			       const char *const *writers)
{
	int status = check_sharing(ctx, vcs);

	if (status || !vcs->ops.share_fetch_some)
		return status ? status : CALL_OPTIONAL(share_fetch, remote);
	for (size_t i = 0; !status && writers[i]; i++)
		status = check_writer(ctx, writers[i]);
	return status ? status : CALL_OPTIONAL(share_fetch_some, remote, writers);
}

int perun_vcs_share_list(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *remote,
			 perun_vcs_writer_visit *visit, void *data)
{
	struct writer_filter filter = {visit, data};

	return vcs->ops.share_list && vcs->ops.share_drop
		       ? CALL_OPTIONAL(share_list, remote, visit_writer, &filter)
		       : lacks(ctx, vcs, "removing what was shared");
}

int perun_vcs_share_drop(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *remote,
			 const char *writer)
{
	int status = vcs->ops.share_drop ? check_writer(ctx, writer)
					 : lacks(ctx, vcs, "removing what was shared");

	return status ? status : CALL_OPTIONAL(share_drop, remote, writer);
}

int perun_vcs_share_hook(struct perun_ctx *ctx, struct perun_vcs *vcs, bool install, char **path,
			 bool *changed)
{
	*path = NULL;
	*changed = false;
	return vcs->ops.share_hook ? CALL_OPTIONAL(share_hook, install, path, changed)
				   : lacks(ctx, vcs, "hooks");
}

int perun_vcs_walk_remotes(struct perun_ctx *ctx, struct perun_vcs *vcs,
			   perun_major_version_visit *visit, void *data)
{
	return vcs->ops.walk_remotes
		       ? CALL_OPTIONAL(walk_remotes, perun_vcs_visit_name, VISITS(.major = visit))
		       : PERUN_OK;
}

int perun_vcs_diff(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *base, const char *head,
		   struct perun_buffer *out)
{
	return CALL(diff, base, head, out);
}

int perun_vcs_read_file(struct perun_ctx *ctx, struct perun_vcs *vcs, const char *checksum,
			const char *path, struct perun_buffer *out, bool *found)
{
	*found = false;
	return CALL(read_file, checksum, path, out, found);
}
