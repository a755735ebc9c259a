/* SPDX-License-Identifier: BSD-3-Clause */
/* What may be written where a command line has its cursor. */
#include "candidates.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/check.h>
#include <perun/format.h>
#include <perun/lib/cells.h>
#include <perun/lib/changepoint.h>
#include <perun/lib/history.h>
#include <perun/lib/lookup.h>
#include <perun/lib/registry.h>
#include <perun/lib/settings.h>
#include <perun/lib/trust.h>

/* Steps back from a version, and profiles of one, that are offered. */
enum { MAX_STEPS = 9, MAX_PROFILES = 100 };

static void offer(const struct commands_candidates *candidates, const char *value,
		  const char *explanation)
{
	candidates->offer(candidates->data, value, explanation ? explanation : "");
}

/* ---- versions -------------------------------------------------------------------------------- */

/* A version under a name that begins with `before`, explained by its subject; false when there is none. */
static bool offer_version(const struct commands_candidates *candidates, const char *before,
			  const char *revision)
{
	struct perun_minor_version *version = NULL;
	struct perun_vcs *vcs;
	char *checksum = NULL, *name, *subject;
	int status = perun_lookup_version(candidates->ctx, candidates->store, revision, &checksum);

	if (!status)
		status = perun_store_vcs(candidates->ctx, candidates->store, &vcs);
	if (!status)
		status = perun_lookup_version_info(candidates->ctx, vcs, checksum, &version);
	perun_free(checksum);
	if (status)
		return false;
	name = perun_format("%s%s", before, revision);
	subject = perun_version_subject(version);
	offer(candidates, name, subject);
	perun_free(name);
	perun_free(subject);
	perun_minor_version_free(version);
	return true;
}

struct naming {
	const struct commands_candidates *candidates;
	const char *before;
};

static int visit_name(void *data, const struct perun_major_version *version)
{
	const struct naming *naming = data;
	char *name = perun_format("%s%s", naming->before, version->name);

	offer(naming->candidates, name, "");
	perun_free(name);
	return PERUN_OK;
}

/* Branches, tags, the head and steps back from what is written; `text` is this part of the word, after `before`. */
static void offer_revisions(const struct commands_candidates *candidates, const char *before,
			    const char *text)
{
	struct naming naming = {candidates, before};
	const char *tilde = strrchr(text, '~');
	char *base = tilde ? perun_strndup(text, (size_t)(tilde - text)) : perun_strdup("HEAD");
	struct perun_vcs *vcs;
	bool there = true;

	if (!tilde)
		there = offer_version(candidates, before, base);
	for (int i = 1; there && i <= MAX_STEPS; i++) {
		char *name = perun_format("%s~%d", base, i);

		there = offer_version(candidates, before, name);
		perun_free(name);
	}
	perun_free(base);
	if (!tilde && !perun_store_vcs(candidates->ctx, candidates->store, &vcs))
		perun_vcs_walk_names(candidates->ctx, vcs, visit_name, &naming);
}

static void offer_range(const struct commands_candidates *candidates)
{
	const char *dots = strstr(candidates->text, "..");
	char *before;

	if (!dots) {
		offer_revisions(candidates, "", candidates->text);
		return;
	}
	before = perun_strndup(candidates->text, (size_t)(dots - candidates->text) + 2);
	offer_revisions(candidates, before, dots + 2);
	perun_free(before);
}

static bool is_written(const struct commands_candidates *candidates, const char *text)
{
	const char *const *word = candidates->words;

	while (*word && strcmp(*word, text) != 0)
		word++;
	return *word != NULL;
}

/* Versions that are acknowledged; those for one metric or function only once that is written. */
static void offer_acknowledged(const struct commands_candidates *candidates)
{
	static const char *const keys[] = {"metric", "location"};
	struct perun_json *list = NULL;

	(void)perun_store_document(candidates->ctx, candidates->store, PERUN_ACKNOWLEDGED, &list);
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *item = perun_json_at(list, i);
		const char *version = perun_json_as_string(perun_json_get(item, "version"), NULL);
		char *name = perun_format("%.8s", version ? version : "");
		bool fits = *name;

		for (size_t k = 0; k < 2; k++) {
			const char *text =
				perun_json_as_string(perun_json_get(item, keys[k]), NULL);

			fits &= !text || !*text || is_written(candidates, text);
		}
		if (fits)
			offer(candidates, name,
			      perun_json_as_string(perun_json_get(item, "reason"), NULL));
		perun_free(name);
	}
	perun_json_free(list);
}

static void offer_to_acknowledge(const struct commands_candidates *candidates)
{
	if (is_written(candidates, "--undo"))
		offer_acknowledged(candidates);
	else
		offer_revisions(candidates, "", candidates->text);
}

/* ---- profiles -------------------------------------------------------------------------------- */

static void offer_entries(const struct commands_candidates *candidates, const char *before,
			  const struct perun_entries *entries, char tag)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct perun_entry *entry = perun_entries_at(entries, i);
		char *name = perun_format("%s%zu@%c", before, i, tag);
		char *explanation = perun_format("%s of %s %s", entry->type ? entry->type : "",
						 entry->cmd ? entry->cmd : "",
						 entry->workload ? entry->workload : "");

		if (i < MAX_PROFILES)
			offer(candidates, name, explanation);
		perun_free(name);
		name = perun_format("%s%s", before, entry->path);
		if (*candidates->text && i < MAX_PROFILES)
			offer(candidates, name, explanation);
		perun_free(name);
		perun_free(explanation);
	}
}

/* Tags of profiles, and their names as soon as something is written; those of another version after REV^. */
static void offer_profiles(const struct commands_candidates *candidates, bool registered)
{
	const char *hat = strrchr(candidates->text, '^');
	char *before =
		perun_strndup(candidates->text, hat ? (size_t)(hat - candidates->text) + 1 : 0);
	char *revision = perun_strndup(before, hat ? strlen(before) - 1 : 0), *checksum = NULL;
	struct perun_entries entries = {0};

	if (!hat && !perun_store_pending(candidates->ctx, candidates->store, &entries))
		offer_entries(candidates, "", &entries, 'p');
	perun_entries_free(&entries);
	entries = (struct perun_entries){0};
	if (registered &&
	    !perun_lookup_version(candidates->ctx, candidates->store, revision, &checksum) &&
	    !perun_store_entries(candidates->ctx, candidates->store, checksum, &entries))
		offer_entries(candidates, before, &entries, 'i');
	perun_entries_free(&entries);
	perun_free(checksum);
	perun_free(revision);
	perun_free(before);
}

static void offer_pending(const struct commands_candidates *candidates)
{
	offer_profiles(candidates, false);
}

static void offer_all_profiles(const struct commands_candidates *candidates)
{
	offer_profiles(candidates, true);
}

/* The first profile that the words of the line name, or NULL. */
static struct perun_profile *load_profile(const struct commands_candidates *candidates)
{
	const struct perun_lookup_options options = {.struct_size = sizeof options,
						     .store = candidates->store};
	struct perun_lookup *lookup = perun_lookup_new(&options);
	struct perun_profile *profile = NULL;

	for (const char *const *word = candidates->words; *word && !profile; word++) {
		if (**word == '-' || (!perun_lookup_is_tag(*word) && access(*word, R_OK) != 0))
			continue;
		if (!perun_lookup_add(candidates->ctx, lookup, *word, PERUN_PLACE_ANY) &&
		    perun_lookup_count(lookup))
			(void)perun_lookup_load(candidates->ctx, lookup, perun_lookup_at(lookup, 0),
						&profile);
	}
	perun_lookup_free(lookup);
	return profile;
}

static void offer_columns(const struct commands_candidates *candidates)
{
	struct perun_profile *profile = load_profile(candidates);
	const struct perun_table *table = profile ? perun_resources(profile) : NULL;

	for (size_t i = 0; table && i < perun_table_columns(table); i++)
		offer(candidates, perun_column_info(perun_table_column_at(table, i))->name, "");
	perun_profile_unref(profile);
}

/* ---- metrics --------------------------------------------------------------------------------- */

static void offer_history_metrics(const struct commands_candidates *candidates)
{
	char **names = NULL;
	size_t count = 0;

	(void)perun_history_metrics(candidates->ctx, candidates->store, NULL, &names, &count);
	for (size_t i = 0; i < count; i++)
		offer(candidates, names[i], "");
	perun_history_metrics_free(names, count);
}

static void offer_profile_metrics(const struct commands_candidates *candidates)
{
	struct perun_profile *profile = load_profile(candidates);
	size_t count = 0;
	const struct perun_metric *const *metrics = profile ? perun_metrics(profile, &count) : NULL;

	for (size_t i = 0; i < count; i++)
		offer(candidates, metrics[i]->name, "");
	perun_profile_unref(profile);
}

/* The functions of the newest measured version. */
static void offer_locations(const struct commands_candidates *candidates)
{
	const struct perun_history_options options = {.struct_size = sizeof options, .last = 1};
	struct perun_history *history = NULL;
	size_t count = 0;

	if (!perun_history_load(candidates->ctx, candidates->store, &options, &history))
		count = perun_history_count(history);
	for (size_t i = 0; i < count; i++)
		offer(candidates, perun_history_strand(history, i)->location, "");
	perun_history_free(history);
}

/* ---- other repositories, runs ---------------------------------------------------------------- */

static int visit_remote(void *data, const struct perun_major_version *remote)
{
	offer(data, remote->name, "");
	return PERUN_OK;
}

static void offer_remotes(const struct commands_candidates *candidates)
{
	struct perun_vcs *vcs;

	if (!perun_store_vcs(candidates->ctx, candidates->store, &vcs))
		(void)perun_vcs_walk_remotes(candidates->ctx, vcs, visit_remote,
					     (void *)candidates);
}

static void offer_runs(const struct commands_candidates *candidates)
{
	char *runs = perun_format("%s/runs", perun_store_path(candidates->store));
	size_t count = 0;
	char **ids = perun_run_cells_list(runs, &count);

	for (size_t i = 0; i < count; i++)
		offer(candidates, ids[i], "");
	perun_free(ids);
	perun_free(runs);
}

/* ---- plugins --------------------------------------------------------------------------------- */

static void offer_formats(const struct commands_candidates *candidates, bool written)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(candidates->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin *plugin;
		struct perun_format_ops ops;

		if (infos[i].kind != PERUN_KIND_FORMAT ||
		    perun_registry_load(candidates->ctx, infos[i].kind, infos[i].name, &plugin))
			continue;
		perun_plugin_ops(plugin, &ops, sizeof ops);
		if (written ? ops.write != NULL : ops.read != NULL)
			offer(candidates, infos[i].name, infos[i].summary);
	}
}

static void offer_written_formats(const struct commands_candidates *candidates)
{
	offer_formats(candidates, true);
}

static void offer_read_formats(const struct commands_candidates *candidates)
{
	offer_formats(candidates, false);
}

static void offer_plugins(const struct commands_candidates *candidates, enum perun_kind kind)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(candidates->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		if (infos[i].kind == kind && !infos[i].problem)
			offer(candidates, infos[i].name, infos[i].summary);
	}
}

static void offer_collectors(const struct commands_candidates *candidates)
{
	offer_plugins(candidates, PERUN_KIND_COLLECT);
}

static void offer_postprocessors(const struct commands_candidates *candidates)
{
	offer_plugins(candidates, PERUN_KIND_POSTPROCESS);
}

static void offer_executors(const struct commands_candidates *candidates)
{
	offer_plugins(candidates, PERUN_KIND_EXECUTOR);
}

static void offer_vcs(const struct commands_candidates *candidates)
{
	offer_plugins(candidates, PERUN_KIND_VCS);
}

/* Checks of whole histories, or of two versions. */
static void offer_checks_of(const struct commands_candidates *candidates, bool series)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(candidates->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		const struct perun_plugin *plugin;
		struct perun_check_ops ops;

		if (infos[i].kind != PERUN_KIND_CHECK ||
		    perun_registry_load(candidates->ctx, infos[i].kind, infos[i].name, &plugin))
			continue;
		perun_plugin_ops(plugin, &ops, sizeof ops);
		if (series == (ops.series != NULL))
			offer(candidates, infos[i].name, infos[i].summary);
	}
}

static void offer_checks(const struct commands_candidates *candidates)
{
	offer_checks_of(candidates, false);
}

/* Methods that find changes in a series: those of the library, and checks of whole histories. */
static void offer_series_methods(const struct commands_candidates *candidates)
{
	for (unsigned i = 0; i < PERUN_CHANGE_METHODS; i++)
		offer(candidates, perun_change_method_name((enum perun_change_method)i), "");
	offer_checks_of(candidates, true);
}

static void offer_plugin_names(const struct commands_candidates *candidates)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(candidates->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		char *name = perun_format("%s-%s", perun_kind_name(infos[i].kind), infos[i].name);

		offer(candidates, name, infos[i].summary);
		perun_free(name);
	}
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Whether a command takes the setting: get one that has a value, add a list, set all but groups. */
static bool takes_setting(const struct commands_candidates *candidates,
			  const struct perun_setting *setting)
{
	enum perun_setting_origin origin = PERUN_ORIGIN_NOWHERE;
	struct perun_json *value = NULL;

	if (setting->has_parts && strcmp(setting->key, "degradation") == 0)
		return false;
	if (strcmp(candidates->command, "config add") == 0)
		return setting->type == PERUN_OPTION_LIST;
	if (strcmp(candidates->command, "config get") != 0)
		return true;
	(void)perun_setting_read(candidates->ctx, candidates->store, setting->key, &value, &origin);
	perun_json_free(value);
	return origin != PERUN_ORIGIN_NOWHERE;
}

static void offer_settings(const struct commands_candidates *candidates)
{
	const struct perun_setting *setting;

	for (size_t i = 0; (setting = perun_setting_at(i)); i++) {
		if (takes_setting(candidates, setting))
			offer(candidates, setting->key, setting->help);
	}
}

/* Values of a setting, each after `before`. */
static void offer_setting_values(const struct commands_candidates *candidates,
				 const struct perun_setting *setting, const char *before)
{
	const char *choices = setting->type == PERUN_OPTION_FLAG ? "true false" : setting->choices;

	if (strcmp(setting->key, "vcs.type") == 0 && !*before)
		offer_vcs(candidates);
	while (choices && *choices) {
		size_t length = strcspn(choices, " ");
		char *value = perun_format("%s%.*s", before, (int)length, choices);

		offer(candidates, value, "");
		perun_free(value);
		choices += length + (choices[length] == ' ');
	}
}

/* The value of the setting that the words before name. */
static void offer_value(const struct commands_candidates *candidates)
{
	for (const char *const *word = candidates->words; *word; word++) {
		const struct perun_setting *setting = perun_setting_find(*word);

		if (setting)
			offer_setting_values(candidates, setting, "");
	}
}

static void offer_assignments(const struct commands_candidates *candidates)
{
	const char *equals = strchr(candidates->text, '=');
	const struct perun_setting *setting;
	char *before, *key;

	for (size_t i = 0; !equals && (setting = perun_setting_at(i)); i++) {
		before = perun_format("%s=", setting->key);
		if (takes_setting(candidates, setting))
			offer(candidates, before, setting->help);
		perun_free(before);
	}
	if (!equals)
		return;
	key = perun_strndup(candidates->text, (size_t)(equals - candidates->text));
	before = perun_format("%s=", key);
	setting = perun_setting_find(key);
	if (setting)
		offer_setting_values(candidates, setting, before);
	perun_free(before);
	perun_free(key);
}

/* ---- which option takes what ----------------------------------------------------------------- */

static void offer_written_revision(const struct commands_candidates *candidates)
{
	offer_revisions(candidates, "", candidates->text);
}

static void offer_either(const struct commands_candidates *candidates)
{
	offer_all_profiles(candidates);
	if (!strchr(candidates->text, '^'))
		offer_written_revision(candidates);
}

/*
 * By command ("" = any), and metavar or --option where several share one; the first that fits counts, NULL = nothing is
 * offered. `store`: it needs one.
 */
static const struct {
	const char *command, *what;
	bool store;
	void (*offer)(const struct commands_candidates *candidates);
} values[] = {
	{"convert", "--to", false, offer_written_formats},
	{"run job", "--collector-params", false, offer_collectors},
	{"run job", "--postprocessor", false, offer_postprocessors},
	{"run job", "--postprocessor-params", false, offer_postprocessors},
	{"init", "--vcs-flag", false, NULL},
	{"show", "--root-label", false, NULL},
	{"show", "--leaf-label", false, NULL},
	{"show", "--values", false, NULL},
	{"show", "--parameter", false, NULL},
	{"import", "--commit", false, NULL},
	{"add", "PROFILE", true, offer_pending},
	{"", "PROFILE", true, offer_all_profiles},
	{"", "BASELINE", true, offer_all_profiles},
	{"", "TARGET", true, offer_all_profiles},
	{"convert", "IN", true, offer_all_profiles},
	{"model", "INPUT", true, offer_all_profiles},
	{"showdiff", "BASE", true, offer_either},
	{"showdiff", "NEW", true, offer_either},
	{"run", "REV", true, offer_range},
	{"collect", "REV", true, offer_range},
	{"bisect", "GOOD", true, offer_range},
	{"changes ack", "REV", true, offer_to_acknowledge},
	{"", "REV", true, offer_written_revision},
	{"", "BASE", true, offer_written_revision},
	{"", "HEAD", true, offer_written_revision},
	{"", "GOOD", true, offer_written_revision},
	{"", "BAD", true, offer_written_revision},
	{"", "REV..REV", true, offer_range},
	{"", "METRIC", true, offer_history_metrics},
	{"", "UID", true, offer_locations},
	{"", "REMOTE", true, offer_remotes},
	{"", "RUN", true, offer_runs},
	{"run", "--executor", false, offer_executors},
	{"compare", "--executor", false, offer_executors},
	{"merge", "--executor", false, offer_executors},
	{"show", "NAME", false, offer_profile_metrics},
	{"show", "COLUMN", false, offer_columns},
	{"show", "KEY", false, offer_columns},
	{"show", "COLUMN VALUE", false, offer_columns},
	{"postprocessby", "COLUMN", false, offer_columns},
	{"convert", "FORMAT", false, offer_read_formats},
	{"import", "FORMAT", false, offer_read_formats},
	{"model", "FORMAT", false, offer_read_formats},
	{"check series", "METHOD", false, offer_series_methods},
	{"", "METHOD", false, offer_checks},
	{"run job", "NAME", false, offer_collectors},
	{"init", "TYPE", false, offer_vcs},
	{"plugin", "NAME", false, offer_plugin_names},
	{"config", "KEY", false, offer_settings},
	{"config", "VALUE", false, offer_value},
	{"", "KEY=VALUE", false, offer_assignments},
};

/* "config" fits "config get". */
static bool is_command(const struct commands_candidates *candidates, const char *command)
{
	size_t length = strlen(command);

	return length == 0 || (strncmp(candidates->command, command, length) == 0 &&
			       strchr(" ", candidates->command[length]));
}

static bool is_named(const struct perun_option *option, const char *metavar)
{
	const char *name = option->name;

	if (metavar[0] == '-')
		return strcmp(name, metavar + 2) == 0;
	if (option->metavar)
		return strcmp(option->metavar, metavar) == 0;
	while (*name && toupper((unsigned char)*name) == *metavar)
		name++, metavar++;
	return !*name && !*metavar;
}

void commands_offer_values(const struct commands_candidates *candidates,
			   const struct perun_option *option)
{
	size_t i = 0;
	const size_t count = sizeof values / sizeof *values;

	if (option->choices || option->type == PERUN_OPTION_FLAG)
		return;
	while (i < count &&
	       !(is_named(option, values[i].what) && is_command(candidates, values[i].command) &&
		 (!values[i].store || candidates->store)))
		i++;
	if (i < count && values[i].offer)
		values[i].offer(candidates);
	perun_ctx_clear(candidates->ctx);
}

void commands_offer_pages(const char *directory,
			  void (*offer_topic)(void *data, const char *topic,
					      const char *explanation),
			  void *data)
{
	static const char program[] = "perun-", format[] = "format-";
	const char *manuals = getenv("PERUN_MANUALS");
	char *pattern = perun_format("%s/man[57]/%s*.[57]*",
				     manuals && *manuals ? manuals : directory, program);
	glob_t found;

	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++) {
			const char *name = strrchr(found.gl_pathv[i], '/') + sizeof program;
			char *topic = perun_strndup(name, strcspn(name, "."));

			if (strncmp(topic, format, strlen(format)) != 0)
				offer_topic(data, topic, "");
			perun_free(topic);
		}
		globfree(&found);
	}
	perun_free(pattern);
}
