/* SPDX-License-Identifier: BSD-3-Clause */
/* perun site: a static site of the whole store. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "commands/common/lookup.h"
#include "commands/common/plugin.h"
#include "page.h"

static const struct perun_option options[] = {
	{.name = "directory",
	 .metavar = "DIR",
	 .type = PERUN_OPTION_PATH,
	 .flags = PERUN_OPTION_POSITIONAL,
	 .help = "where the site is written; made when it does not exist"},
	{.name = "functions",
	 .aliases = "-n",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "50",
	 .ranged = true,
	 .maximum = 1e6,
	 .help = "show up to N functions of each metric, the costliest ones"},
	{.name = "better",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "lower higher",
	 .default_value = "lower",
	 .help = "which values are better, where a profile does not say"},
	{.name = "threshold",
	 .metavar = "PERCENT",
	 .type = PERUN_OPTION_NUMBER,
	 .ranged = true,
	 .maximum = 1e6,
	 .help = "the least difference that counts at the latest version, in percent"},
	{.name = "full", .help = "write pages of all views that can show a profile, too"},
	{.name = "serve",
	 .help = "show the site to browsers on this machine, and keep it up to date"},
	{.name = "port",
	 .metavar = "N",
	 .type = PERUN_OPTION_INTEGER,
	 .default_value = "8765",
	 .ranged = true,
	 .maximum = 65535,
	 .help = "with --serve: where; 0 takes any that is free"},
	{.name = "title",
	 .metavar = "TEXT",
	 .type = PERUN_OPTION_STRING,
	 .help = "the name of the project, by default that of its directory"},
	{.name = "commit-link",
	 .metavar = "URL",
	 .type = PERUN_OPTION_STRING,
	 .help = "where commits are shown to people: an address with %s for the checksum"},
	{.name = "json", .help = "print the changes as JSON"},
	{0}};

/* Under this name the key of what the site was made of is noted; it is no file. */
#define MADE_OF SITE_STATE "/made-of"

static int write_all(struct site *site)
{
	int status = site_write_assets(site);

	if (!status)
		status = site_write_versions(site);
	if (!status)
		status = site_write_version_pages(site);
	if (!status)
		status = site_write_pages(site);
	if (!status)
		status = site_write_catalog(site);
	if (!status)
		status = site_write_places(site);
	return status;
}

/* Read, search and write everything. */
static int make_all(struct site *site)
{
	int status = site_read_versions(site);

	if (!status)
		status = site_find_history(site);
	if (!status) {
		site_make_pages(site);
		status = site_find_directions(site);
	}
	if (!status)
		status = site_find_all(site);
	return status ? status : write_all(site);
}

/* `facts`: the history itself is asked for as well. */
static int make(struct site *site, bool facts)
{
	int status = site_files_open(site->ctx, site->directory, site_stamp(site), &site->files);
	uint64_t made_of = 0;

	if (!status && site->full)
		status = site_list_views(site);
	if (!status)
		status = site_load_versions(site);
	if (!status)
		made_of = site_made_of(site);
	/* With a list that says more or else than what was written, everything is looked at. */
	if (!status && (facts || !made_of ||
			!site_is_noted(site->files, MADE_OF,
				       made_of ^ site_files_digest(site->files, false)) ||
			!site_files_keep(site->files))) {
		status = make_all(site);
		if (!status && made_of && !site->damaged)
			site_note(site->files, MADE_OF,
				  made_of ^ site_files_digest(site->files, true));
	}
	return status ? status : site_files_close(site->ctx, site->files);
}

static void release(struct site *site)
{
	for (size_t s = 0; s < site->strand_count; s++) {
		struct site_strand *strand = &site->strands[s];

		if (site->found)
			site_found_free(&site->found[s]);
		perun_free(strand->cmd);
		perun_free(strand->workload);
		perun_free(strand->machine);
		perun_free(strand->metric);
		perun_free(strand->unit);
		perun_free(strand->location);
	}
	for (size_t p = 0; p < site->page_count; p++)
		perun_free(site->pages[p].strands);
	for (size_t i = 0; i < site->count; i++) {
		perun_minor_version_free(site->versions[i].info);
		site_values_free(&site->versions[i].values);
	}
	for (size_t i = 0; i < site->view_count; i++)
		perun_free(site->views[i]);
	perun_acknowledgements_free(site->known);
	if (!site->history)
		perun_version_line_free(site->parents);
	perun_history_free(site->history);
	perun_free(site->views);
	perun_free(site->found);
	perun_free(site->pages);
	perun_free(site->table);
	perun_free(site->strands);
	perun_free(site->versions);
	perun_free(site->branch);
	perun_free(site->name);
	site_files_free(site->files);
}

/* Only the web: a link of another kind could be a script. */
static int check_link(struct perun_ctx *ctx, const char *link)
{
	if (!link || ((strncmp(link, "https://", 8) == 0 || strncmp(link, "http://", 7) == 0) &&
		      strstr(link, "%s")))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE,
			  "--commit-link: expected https://... with %%s for the checksum, not '%s'",
			  link);
}

/* What a command asks for; the directory is the caller's. */
struct request {
	const struct perun_command_call *call;
	char *directory;
	unsigned port; /* with --serve */
	bool quiet;
};

static void print_made(const struct request *request, const struct site *site)
{
	size_t metrics = site_files_below(site->files, "metric/");

	perun_output_printf(
		request->call->output,
		"%s/index.html: %zu metric%s, %zu version%s; %zu of %zu files written\n",
		site->directory, metrics, metrics == 1 ? "" : "s", site->count,
		site->count == 1 ? "" : "s", site_files_written(site->files),
		site_files_count(site->files));
}

static int write_site(struct perun_ctx *ctx, struct perun_store *store, void *data)
{
	struct request *request = data;
	const struct perun_options *options = request->call->options;
	const char *title = perun_option_string(options, "title");
	struct site site = {.ctx = ctx,
			    .store = store,
			    .directory = request->directory,
			    .places = (size_t)perun_option_integer(options, "functions"),
			    .threshold = perun_option_number(options, "threshold") / 100,
			    .full = perun_option_flag(options, "full"),
			    .link = perun_option_string(options, "commit-link")};
	bool facts = !request->quiet && perun_option_flag(options, "json");
	int status;

	if (perun_option_given(options, "better"))
		site.user_better = perun_direction_of(perun_option_string(options, "better"));
	site.name = perun_strdup(title ? title : perun_path_base_name(perun_store_root(store)));
	status = make(&site, facts);
	if (!status && facts)
		site_print_facts(&site, request->call);
	else if (!status && !request->quiet)
		print_made(request, &site);
	release(&site);
	return status;
}

/* What is only served may lie in the store, where it can be made again at any time. */
static int choose_directory(struct perun_ctx *ctx, struct request *request,
			    struct perun_store *store, bool serve)
{
	const char *given = perun_option_string(request->call->options, "directory");
	char *cache;

	request->port = (unsigned)perun_option_integer(request->call->options, "port");
	if (given && serve && given[strspn(given, "0123456789")] == '\0' && strlen(given) <= 5 &&
	    access(given, F_OK) != 0) {
		request->port = (unsigned)strtoul(given, NULL, 10);
		if (request->port > 65535)
			return perun_fail(ctx, PERUN_USAGE, "%s is not a port: expected 0 to 65535",
					  given);
	} else if (given) {
		request->directory = perun_strdup(given);
		return PERUN_OK;
	}
	if (!serve)
		return perun_fail(ctx, PERUN_USAGE,
				  "expected the directory that the site is written to, or --serve");
	cache = perun_format("%s/cache", perun_store_path(store));
	perun_path_ensure_directory(cache, 0777);
	request->directory = perun_format("%s/site", cache);
	perun_free(cache);
	return PERUN_OK;
}

static int run_site(struct perun_ctx *ctx, const struct perun_command_call *call)
{
	bool serve = perun_option_flag(call->options, "serve");
	struct request request = {.call = call};
	struct perun_store *store;
	struct perun_vcs *vcs;
	int status = check_link(ctx, perun_option_string(call->options, "commit-link"));

	if (!status)
		status = commands_open_vcs(ctx, call, &store, &vcs);
	if (!status)
		status = choose_directory(ctx, &request, store, serve);
	if (!status)
		status = write_site(ctx, store, &request);
	request.quiet = true;
	if (!status && serve) {
		const struct site_service service = {.directory = request.directory,
						     .store = store,
						     .output = call->output,
						     .port = request.port,
						     .make = write_site,
						     .data = &request};

		status = site_serve(ctx, &service);
	}
	perun_free(request.directory);
	return status;
}

COMMAND_PLUGIN(site, "site", "a static site of the whole store",
	       "write the whole store as a site that needs no server", options, run_site);
