/* SPDX-License-Identifier: BSD-3-Clause */
/* The texts of new configuration files. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "perun/lib/advice.h"
#include "perun/lib/compare.h"

const char perun_config_defaults[] =
	"# Settings of this user for all projects; a project's .perun/local.yml goes before them.\n"
	"general:\n"
	"  editor: vim\n"
	"  paging: only-log\n"
	"\n"
	"format:\n"
	"  status: \"\xe2\x94\x83 %type% \xe2\x94\x83 %collector%  \xe2\x94\x83 (%time%) "
	"\xe2\x94\x83 %source% \xe2\x94\x83\"\n"
	"  shortlog: \"%checksum:6% (%stats%) %desc% %changes%\"\n"
	"  output_profile_template: \"%collector%-%cmd%-%workload%-%date%\"\n"
	"  output_show_template: \"%collector%-%cmd%-%workload%-%date%\"\n"
	"  sort_profiles_by: time\n"
	"\n"
	"degradation:\n"
	"  apply: all\n"
	"  strategies:\n"
	"    - method: " PERUN_DEFAULT_METHOD "\n"
	"\n"
	"generators:\n"
	"  workload:\n"
	"    - id: basic_strings\n"
	"      type: string\n"
	"      min_len: 8\n"
	"      max_len: 128\n"
	"      step: 8\n"
	"    - id: basic_integers\n"
	"      type: integer\n"
	"      min_range: 100\n"
	"      max_range: 10000\n"
	"      step: 200\n"
	"    - id: basic_files\n"
	"      type: textfile\n"
	"      min_lines: 10\n"
	"      max_lines: 10000\n"
	"      step: 1000\n";

/* ---- finding programs and workloads for the template "user" ---------------------------------- */

#define FOUND_LIMIT 32

struct found {
	char *paths[FOUND_LIMIT];
	size_t count;
};

static int compare_paths(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

/* The files of a directory, only executable ones if asked; nothing below it. */
static void find_files(const char *base, const char *directory, bool executable,
		       struct found *found)
{
	char *path = perun_format("%s/%s", base, directory);
	DIR *handle = opendir(path);
	struct dirent *entry;

	while (handle && (entry = readdir(handle)) && found->count < FOUND_LIMIT) {
		char *file = perun_format("%s/%s", path, entry->d_name);
		struct stat info;

		if (entry->d_name[0] != '.' && stat(file, &info) == 0 && S_ISREG(info.st_mode) &&
		    (!executable || access(file, X_OK) == 0))
			found->paths[found->count++] =
				perun_format("%s/%s", directory, entry->d_name);
		perun_free(file);
	}
	if (handle)
		closedir(handle);
	perun_free(path);
}

static void put_found(struct perun_buffer *text, const char *key, const char *example,
		      struct found *found)
{
	if (found->count)
		qsort(found->paths, found->count, sizeof *found->paths, compare_paths);
	if (found->count == 0)
		perun_buffer_printf(text, "# %s:\n#   - %s\n\n", key, example);
	else
		perun_buffer_printf(text, "%s:\n", key);
	for (size_t i = 0; i < found->count; i++) {
		struct perun_buffer quoted = {0};

		/* JSON's quoting is YAML's, as far as file names go. */
		perun_json_quote(&quoted, found->paths[i], strlen(found->paths[i]));
		perun_buffer_printf(text, "  - %s\n", quoted.data);
		perun_buffer_free(&quoted);
		perun_free(found->paths[i]);
	}
	if (found->count)
		perun_buffer_add_char(text, '\n');
}

static void put_units(struct perun_buffer *text, const char *base)
{
	static const char *const programs[] = {"build", "_build", "dist"};
	static const char *const workloads[] = {"workload",  "workloads", "payload",    "payloads",
						"examples",  "_workload", "_workloads", "_payload",
						"_payloads", "_examples"};
	struct found found = {.count = 0};

	perun_buffer_add_text(text, "# The programs to measure, and what they are given.\n");
	for (size_t i = 0; base && i < sizeof programs / sizeof *programs; i++)
		find_files(base, programs[i], true, &found);
	put_found(text, "cmds", "./program --option", &found);
	found.count = 0;
	for (size_t i = 0; base && i < sizeof workloads / sizeof *workloads; i++)
		find_files(base, workloads[i], false, &found);
	put_found(text, "workloads", "input.txt", &found);
}

/* ---- templates for local.yml ----------------------------------------------------------------- */

static void put_collectors(struct perun_buffer *text, bool active)
{
	const char *mark = active ? "" : "# ";

	perun_buffer_printf(text, "# How to measure: collectors and their parameters%s.\n",
			    perun_advice(PERUN_ADVICE_HELP_COLLECTORS));
	perun_buffer_printf(text,
			    "%scollectors:\n%s  - name: time\n%s    params:\n%s      warmup: 3\n"
			    "%s      repeat: 10\n\n",
			    mark, mark, mark, mark, mark);
	perun_buffer_add_text(text, "# What to do with each profile afterwards, in this order.\n"
				    "# postprocessors:\n#   - name: normalizer\n\n");
}

static void put_format(struct perun_buffer *text, bool user)
{
	const char *mark = user ? "" : "# ";

	perun_buffer_printf(text,
			    "# Register new profiles with the current version at once.\n"
			    "%sprofiles:\n%s  register_after_run: true\n\n"
			    "# How profiles are sorted, and how new ones are named.\n"
			    "format:\n  sort_profiles_by: time\n"
			    "%s  output_profile_template: \"%%collector%%-of-%%cmd%%-%%workload%%-"
			    "%%date%%\"\n\n",
			    mark, mark, mark);
}

static void put_checks(struct perun_buffer *text, bool active)
{
	const char *mark = active ? "" : "# ";

	perun_buffer_printf(
		text,
		"# Checks for changes of performance: measure versions without profiles "
		"first,\n# keep a log of it in .perun/logs, apply the first fitting "
		"strategy or all.\n"
		"%sdegradation:\n%s  collect_before_check: true\n%s  log_collect: true\n"
		"#   apply: all\n#   strategies:\n"
		"#     - method: average_amount_threshold\n\n",
		mark, mark, mark);
	perun_buffer_printf(text,
			    "# Commands that build a version before it is measured.\n"
			    "%sexecute:\n%s  pre_run:\n%s    - make\n",
			    mark, mark, mark);
}

int perun_config_template(struct perun_ctx *ctx, const char *name, const char *vcs_type,
			  const char *vcs_url, char **text)
{
	static const char *const names[] = {"master", "developer", "user"};
	struct perun_buffer out = {0}, url = {0};
	size_t rank = 0;

	*text = NULL;
	while (rank < 3 && strcmp(name ? name : "master", names[rank]) != 0)
		rank++;
	if (rank == 3)
		return perun_fail(ctx, PERUN_USAGE,
				  "there is no template '%s'; choose master, developer or user",
				  name);
	perun_json_quote(&url, vcs_url, strlen(vcs_url));
	/* Quotes only where they are needed: the place is ".." nearly always. */
	perun_buffer_printf(&out, "vcs:\n  type: %s\n  url: %s\n\n", vcs_type,
			    strcmp(vcs_url, "..") == 0 ? ".." : url.data);
	put_units(&out, rank == 2 ? (vcs_url[0] == '/' ? vcs_url : ".") : NULL);
	put_collectors(&out, rank == 2);
	put_format(&out, rank == 2);
	put_checks(&out, rank >= 1);
	perun_buffer_free(&url);
	*text = perun_buffer_take(&out);
	return PERUN_OK;
}
