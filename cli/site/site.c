/* SPDX-License-Identifier: BSD-3-Clause */
/* perun site: a static site of the whole store. */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/site/page.h"
#include "core/path/path.h"

const struct perun_option cli_site_options[] = {
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
	 .help = "show so many functions of each metric, the costliest ones"},
	{.name = "better",
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "lower higher",
	 .default_value = "lower",
	 .help = "which values are better, where a profile does not say"},
	{.name = "threshold",
	 .metavar = "PERCENT",
	 .type = PERUN_OPTION_NUMBER,
	 .default_value = "5",
	 .ranged = true,
	 .maximum = 1e6,
	 .help = "the least difference that counts in verdicts on the latest version, in percent"},
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

static int make(struct site *site)
{
	int status =
		site_files_open(site->cli->ctx, site->directory, site_stamp(site), &site->files);

	if (!status && site->full)
		status = site_list_views(site);
	if (!status)
		status = site_load_versions(site);
	if (!status)
		status = site_read_versions(site);
	if (!status) {
		site_make_pages(site);
		status = site_find_directions(site);
	}
	if (!status)
		status = site_find_all(site);
	if (!status)
		status = write_all(site);
	if (!status)
		status = site_files_close(site->cli->ctx, site->files);
	return status;
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
	perun_free(site->views);
	perun_version_line_free(site->parents);
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
static int check_link(struct cli *cli, const char *link)
{
	if (!link || ((strncmp(link, "https://", 8) == 0 || strncmp(link, "http://", 7) == 0) &&
		      strstr(link, "%s")))
		return PERUN_OK;
	return perun_fail(cli->ctx, PERUN_USAGE,
			  "--commit-link: expected https://... with %%s for the checksum, not '%s'",
			  link);
}

/* What a command asks for; the directory is the caller's. */
struct asked {
	struct cli *cli;
	const struct perun_options *options;
	char *directory;
	unsigned port; /* with --serve */
	bool quiet;
};

static int write_site(void *data)
{
	struct asked *asked = data;
	const struct perun_options *options = asked->options;
	const char *title = perun_option_string(options, "title");
	struct site site = {.cli = asked->cli,
			    .directory = asked->directory,
			    .places = (size_t)perun_option_integer(options, "functions"),
			    .threshold = perun_option_number(options, "threshold") / 100,
			    .full = perun_option_flag(options, "full"),
			    .link = perun_option_string(options, "commit-link")};
	int status;

	if (perun_option_given(options, "better"))
		site.told = perun_direction_of(perun_option_string(options, "better"));
	site.name =
		perun_strdup(title ? title : cli_base_name(perun_store_root(asked->cli->store)));
	status = make(&site);
	if (!status && !asked->quiet && perun_option_flag(options, "json"))
		site_print_facts(&site);
	else if (!status && !asked->quiet)
		printf("%s/index.html: %zu metrics, %zu versions; %zu of %zu files written\n",
		       site.directory, site.page_count, site.count, site_files_written(site.files),
		       site_files_count(site.files));
	release(&site);
	return status;
}

/* What is only served may lie in the store, where it can be made again at any time. */
static int choose_directory(struct asked *asked, const char *given, bool serve)
{
	const char *store = perun_store_path(asked->cli->store);
	struct stat info;
	char *cache;

	asked->port = (unsigned)perun_option_integer(asked->options, "port");
	if (given && serve && given[strspn(given, "0123456789")] == '\0' && strlen(given) <= 5 &&
	    stat(given, &info) != 0) {
		asked->port = (unsigned)strtoul(given, NULL, 10);
		if (asked->port > 65535)
			return perun_fail(asked->cli->ctx, PERUN_USAGE,
					  "%s is no port: expected 0 to 65535", given);
	} else if (given) {
		asked->directory = perun_strdup(given);
		return PERUN_OK;
	}
	if (!serve)
		return perun_fail(asked->cli->ctx, PERUN_USAGE,
				  "expected the directory that the site is written to, or --serve");
	cache = perun_format("%s/cache", store);
	perun_path_ensure_directory(cache, 0777);
	asked->directory = perun_format("%s/site", cache);
	perun_free(cache);
	return PERUN_OK;
}

int cli_site(struct cli *cli, const struct cli_call *call)
{
	bool serve = perun_option_flag(call->options, "serve");
	struct asked asked = {.cli = cli, .options = call->options};
	int status = check_link(cli, perun_option_string(call->options, "commit-link"));

	if (!status)
		status = cli_open_store(cli);
	if (!status)
		status = choose_directory(&asked, perun_option_string(call->options, "directory"),
					  serve);
	if (!status)
		status = write_site(&asked);
	asked.quiet = true;
	if (!status && serve)
		status = site_serve(cli, asked.directory, asked.port, write_site, &asked);
	perun_free(asked.directory);
	return status;
}
