/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls the perun_vcs_* functions from shell scripts: vcs-drive TYPE DIRECTORY OPERATION ARGUMENT... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perun/vcs.h>

/* libgit2 1.5 leaks when it looks for extensions of a repository (git_regexp_match). */
PERUN_EXPORT const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libpcre2\n";
}

PERUN_EXPORT const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

struct call {
	struct perun_ctx *ctx;
	struct perun_vcs *vcs;
	char **arguments; /* NULL-terminated */
	size_t count;
};

static const char *argument(const struct call *call, size_t i)
{
	return i < call->count ? call->arguments[i] : "";
}

/* ---- visitors -------------------------------------------------------------------------------- */

struct listing {
	long limit; /* versions to show, 0 = all */
	bool full;  /* the whole message */
	long quiet; /* count only */
	long shown;
};

static int show_minor(void *data, const struct perun_minor_version *version)
{
	struct listing *listing = data;

	listing->shown++;
	if (!listing->quiet) {
		printf("%s %" PRId64 " %s <%s>", version->checksum, version->date, version->author,
		       version->email);
		for (size_t i = 0; i < version->parent_count; i++)
			printf(" %s", version->parents[i]);
		if (listing->full)
			printf("\n%s", version->description);
		else
			printf(" %.*s\n", (int)strcspn(version->description, "\n"),
			       version->description);
	}
	return listing->limit && listing->shown >= listing->limit ? PERUN_STOP : PERUN_OK;
}

static int show_major(void *data, const struct perun_major_version *version)
{
	(void)data;
	printf("%s %s\n", version->head, version->name);
	return PERUN_OK;
}

/* Print a text that is the caller's. */
static int show_text(int status, char *text)
{
	if (status == PERUN_OK)
		printf("%s\n", text ? text : "(none)");
	perun_free(text);
	return status;
}

/* ---- operations ------------------------------------------------------------------------------ */

static int run_walk(const struct call *call)
{
	struct listing listing = {.limit = strtol(argument(call, 1), NULL, 10)};

	return perun_vcs_walk_minor_versions(call->ctx, call->vcs, argument(call, 0), show_minor,
					     &listing);
}

static int run_diff(const struct call *call)
{
	struct perun_buffer text = {0};
	int status = perun_vcs_diff(call->ctx, call->vcs, argument(call, 0),
				    call->count > 1 ? call->arguments[1] : NULL, &text);

	fputs(text.data ? text.data : "", stdout);
	perun_buffer_free(&text);
	return status;
}

static int run_read(const struct call *call)
{
	struct perun_buffer text = {0};
	bool found;
	int status = perun_vcs_read_file(call->ctx, call->vcs, argument(call, 0), argument(call, 1),
					 &text, &found);

	printf("%s%s", found ? "" : "no such file\n", text.data ? text.data : "");
	perun_buffer_free(&text);
	return status;
}

static int run_count(const struct call *call)
{
	struct listing listing = {.quiet = 1};
	int status = perun_vcs_walk_minor_versions(call->ctx, call->vcs, argument(call, 0),
						   show_minor, &listing);

	printf("%ld\n", listing.shown);
	return status;
}

static int run_range(const struct call *call)
{
	struct listing listing = {0};

	return perun_vcs_walk_range(call->ctx, call->vcs, argument(call, 0), argument(call, 1),
				    show_minor, &listing);
}

static int run_base(const struct call *call)
{
	char *text;
	int status = perun_vcs_merge_base(call->ctx, call->vcs, argument(call, 0),
					  argument(call, 1), &text);

	return show_text(status, text);
}

static int run_branches(const struct call *call)
{
	return perun_vcs_walk_major_versions(call->ctx, call->vcs, show_major, NULL);
}

static int run_head(const struct call *call)
{
	char *text;
	int status = perun_vcs_get_minor_head(call->ctx, call->vcs, &text);

	return show_text(status, text);
}

static int run_major(const struct call *call)
{
	char *text;
	int status = perun_vcs_get_head_major_version(call->ctx, call->vcs, &text);

	return show_text(status, text);
}

static int run_info(const struct call *call)
{
	struct listing listing = {.full = true};

	return perun_vcs_get_minor_version_info(call->ctx, call->vcs, argument(call, 0), show_minor,
						&listing);
}

static int run_valid(const struct call *call)
{
	return perun_vcs_check_minor_version_validity(call->ctx, call->vcs, argument(call, 0));
}

static int run_massage(const struct call *call)
{
	char *text;
	int status =
		perun_vcs_massage_parameter(call->ctx, call->vcs, argument(call, 0), NULL, &text);

	return show_text(status, text);
}

static int run_dirty(const struct call *call)
{
	bool dirty;
	int status = perun_vcs_is_dirty(call->ctx, call->vcs, &dirty);

	if (status == PERUN_OK)
		printf("%s\n", dirty ? "dirty" : "clean");
	return status;
}

static int run_save(const struct call *call)
{
	bool saved;
	char *state;
	int status = perun_vcs_save_state(call->ctx, call->vcs, &saved, &state);

	if (status == PERUN_OK)
		printf("%d %s\n", saved, state);
	perun_free(state);
	return status;
}

static int run_restore(const struct call *call)
{
	return perun_vcs_restore_state(call->ctx, call->vcs, strcmp(argument(call, 0), "1") == 0,
				       argument(call, 1));
}

static int run_checkout(const struct call *call)
{
	return perun_vcs_checkout(call->ctx, call->vcs, argument(call, 0));
}

/* What a run does: save, check each version out (with a command in between), restore. */
static int run_round(const struct call *call)
{
	bool saved;
	char *state;
	int status = perun_vcs_save_state(call->ctx, call->vcs, &saved, &state);

	for (size_t i = 1; status == PERUN_OK && i < call->count; i++) {
		status = perun_vcs_checkout(call->ctx, call->vcs, call->arguments[i]);
		if (status == PERUN_OK && *call->arguments[0] && system(call->arguments[0]) != 0)
			status = perun_fail(call->ctx, PERUN_INPUT, "the command failed");
	}
	if (state) {
		int restored = perun_vcs_restore_state(call->ctx, call->vcs, saved, state);

		status = status == PERUN_OK ? restored : status;
	}
	perun_free(state);
	return status;
}

/* Export, run a command in the directory, remove. */
static int run_export(const struct call *call)
{
	const char *directory = argument(call, 1);
	int status = perun_vcs_export_version(call->ctx, call->vcs, argument(call, 0), directory);

	if (status != PERUN_OK)
		return status;
	if (*argument(call, 2)) {
		char *command = perun_format("cd '%s' && { %s\n}", directory, argument(call, 2));

		if (system(command) != 0)
			status = perun_fail(call->ctx, PERUN_INPUT, "the command failed");
		perun_free(command);
	}
	if (status == PERUN_OK)
		status = perun_vcs_remove_export(call->ctx, call->vcs, directory);
	return status;
}

/* Export DIRECTORY, keep it, rename it to KEPT. */
static int run_keep(const struct call *call)
{
	const char *directory = argument(call, 1);
	int status = perun_vcs_export_version(call->ctx, call->vcs, argument(call, 0), directory);

	if (!status)
		status = perun_vcs_keep_export(call->ctx, call->vcs, directory);
	if (!status && rename(directory, argument(call, 2)) != 0)
		status = perun_fail(call->ctx, PERUN_INPUT, "cannot rename %s", directory);
	return status;
}

static int run_common(const struct call *call)
{
	char *text;
	int status = perun_vcs_common_directory(call->ctx, call->vcs, &text);

	return show_text(status, text);
}

static int run_boundary(const struct call *call)
{
	bool is;
	int status = perun_vcs_is_boundary(call->ctx, call->vcs, argument(call, 0), &is);

	if (status == PERUN_OK)
		printf("%s\n", is ? "yes" : "no");
	return status;
}

static int run_ignore(const struct call *call)
{
	return perun_vcs_ignore(call->ctx, call->vcs, argument(call, 0));
}

static int run_recover(const struct call *call)
{
	char *text;
	int status = perun_vcs_recover(call->ctx, call->vcs, strcmp(argument(call, 0), "tell") == 0,
				       &text);

	return show_text(status, text);
}

/* The directory is a place to look from or to make a repository at, not one to open. */
static int run_discover(const struct call *call)
{
	char *text;
	int status = perun_vcs_discover(call->ctx, call->vcs, argument(call, 0), &text);

	return show_text(status, text);
}

/* init PATH NAME=VALUE|NAME... */
static int run_init(const struct call *call)
{
	struct perun_vcs_parameter parameters[64];
	size_t count = 0;

	for (size_t i = 1; i < call->count && count < 64; i++) {
		char *equals = strchr(call->arguments[i], '=');

		if (equals)
			*equals = '\0';
		parameters[count].name = call->arguments[i];
		parameters[count++].value = equals ? equals + 1 : NULL;
	}
	return perun_vcs_init(call->ctx, call->vcs, argument(call, 0), parameters, count);
}

static const struct {
	const char *name;
	int (*run)(const struct call *call);
	bool nowhere; /* works without a repository: the directory is its first argument */
} operations[] = {
	{"walk", run_walk, false},         {"count", run_count, false},
	{"range", run_range, false},       {"base", run_base, false},
	{"branches", run_branches, false}, {"head", run_head, false},
	{"major", run_major, false},       {"info", run_info, false},
	{"read", run_read, false},         {"diff", run_diff, false},
	{"valid", run_valid, false},       {"massage", run_massage, false},
	{"dirty", run_dirty, false},       {"save", run_save, false},
	{"restore", run_restore, false},   {"checkout", run_checkout, false},
	{"round", run_round, false},       {"export", run_export, false},
	{"keep", run_keep, false},         {"common", run_common, false},
	{"boundary", run_boundary, false}, {"ignore", run_ignore, false},
	{"recover", run_recover, false},   {"discover", run_discover, true},
	{"init", run_init, true},
};

static void print_warning(void *data, const char *message)
{
	(void)data;
	fprintf(stderr, "warning: %s\n", message);
}

int main(int argc, char **argv)
{
	const struct perun_handlers handlers = {.struct_size = sizeof handlers,
						.warn = print_warning};
	struct call call = {.ctx = perun_ctx_new(&handlers)};
	int status = PERUN_USAGE;
	bool known = false;

	if (argc < 4)
		return fputs("usage: vcs-drive TYPE DIRECTORY OPERATION ARGUMENT...\n", stderr), 2;
	for (size_t i = 0; !known && i < sizeof(operations) / sizeof(*operations); i++) {
		known = strcmp(argv[3], operations[i].name) == 0;
		if (!known)
			continue;
		if (operations[i].nowhere) {
			argv[3] = argv[2];
			call.arguments = argv + 3;
			status = perun_vcs_load(call.ctx, argv[1], &call.vcs);
		} else {
			call.arguments = argv + 4;
			status = perun_vcs_open(call.ctx, argv[1], argv[2], &call.vcs);
		}
		while (call.arguments[call.count])
			call.count++;
		if (status == PERUN_OK)
			status = operations[i].run(&call);
	}
	fflush(stdout);
	if (!known)
		fprintf(stderr, "unknown operation %s\n", argv[3]);
	if (perun_ctx_error(call.ctx))
		fprintf(stderr, "%s\n", perun_ctx_error(call.ctx));
	perun_vcs_close(call.vcs);
	perun_ctx_free(call.ctx);
	return status;
}
