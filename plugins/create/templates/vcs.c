/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * @NAME@: which version control system this is. It runs the system's own program. Here it is git, so that everything
 * works from the beginning: replace one command line after the other by what your system has.
 */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <perun/vcs.h>

#define PROGRAM "git"

/* Set in a store by perun config set vcs.options.longest_log N. */
static const struct perun_option options[] = {{.name = "longest-log",
					       .metavar = "N",
					       .help = "walk at most that many versions",
					       .default_value = "1000000",
					       .type = PERUN_OPTION_INTEGER,
					       .ranged = true,
					       .minimum = 1,
					       .maximum = 100000000},
					      {.name = NULL}};

struct repository {
	char *path;
	int64_t longest;
};

/* ---- running the program ---------------------------------------------------------------------- */

static void become(const char *directory, int output, int complaints, char *const *words)
{
	if (chdir(directory) == 0 && dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(complaints, STDERR_FILENO) >= 0)
		execvp(words[0], words);
	_exit(127);
}

/* All that there is, without newlines at the end. */
static void read_all(int file, struct perun_buffer *text)
{
	ssize_t got;

	while ((got = read(file, perun_buffer_reserve(text, 65536), 65536)) > 0)
		text->length += (size_t)got;
	while (text->length && text->data[text->length - 1] == '\n')
		text->length--;
	perun_buffer_add_char(text, '\0');
	text->length--;
}

/* Start a command that prints into a pipe, of which `*output` is the end to read from. */
static pid_t start(const char *directory, const char *const *words, int complaints, int *output)
{
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0)
		return -1;
	child = fork();
	if (child == 0) {
		close(ends[0]);
		become(directory, ends[1], complaints, (char *const *)words);
	}
	close(ends[1]);
	*output = ends[0];
	return child;
}

/*
 * Run a command in a directory. `text` gets what it prints, or where it fails what it complains about: nothing goes to
 * the terminal, which is not a plugin's. The caller frees it with perun_buffer_free(). `*code` is its exit code.
 */
static int run(struct perun_ctx *ctx, const char *directory, const char *const *words,
	       struct perun_buffer *text, int *code)
{
	FILE *complaints = tmpfile();
	int output = -1, state = 0;
	pid_t child = complaints ? start(directory, words, fileno(complaints), &output) : -1;

	if (child > 0)
		read_all(output, text);
	if (output >= 0)
		close(output);
	if (child < 0 || waitpid(child, &state, 0) < 0) {
		if (complaints)
			fclose(complaints);
		return perun_fail_errno(ctx, PERUN_MISSING, errno, "cannot start %s", words[0]);
	}
	*code = WIFEXITED(state) ? WEXITSTATUS(state) : 128;
	if (*code) {
		perun_buffer_clear(text);
		lseek(fileno(complaints), 0, SEEK_SET);
		read_all(fileno(complaints), text);
	}
	fclose(complaints);
	return *code == 127 ? perun_fail(ctx, PERUN_MISSING, "cannot run %s", words[0]) : PERUN_OK;
}

static int failed(struct perun_ctx *ctx, const char *const *words, int code,
		  const struct perun_buffer *text)
{
	return perun_fail(ctx, PERUN_INPUT, "%s %s failed with exit code %d: %.*s", words[0],
			  words[1], code, (int)strcspn(text->data, "\n"), text->data);
}

/* The same for PROGRAM with up to 14 words, ended by NULL, that has to succeed. */
static int must(struct perun_ctx *ctx, const char *directory, struct perun_buffer *text, ...)
{
	const char *words[16] = {PROGRAM};
	size_t count = 1;
	int code, status;
	va_list rest;

	va_start(rest, text);
	while (count < 15 && (words[count] = va_arg(rest, const char *)))
		count++;
	va_end(rest);
	status = run(ctx, directory, words, text, &code);
	if (!status && code)
		status = failed(ctx, words, code, text);
	return status;
}
#define RUN(repository, text, ...) \
	must(ctx, (repository)->path, text, __VA_ARGS__, (const char *)NULL)

/* ---- the repository --------------------------------------------------------------------------- */

static int open_vcs(struct perun_ctx *ctx, const struct perun_options *values,
		    const char *subcommand, void **instance)
{
	struct repository *repository =
		(struct repository *)perun_alloc_zero(1, sizeof *repository);

	(void)ctx, (void)subcommand;
	repository->longest = perun_option_integer(values, "longest-log");
	*instance = repository;
	return PERUN_OK;
}

static void close_vcs(void *instance)
{
	struct repository *repository = (struct repository *)instance;

	perun_free(repository->path);
	perun_free(repository);
}

static int attach(void *instance, struct perun_ctx *ctx, const char *url)
{
	struct repository *repository = (struct repository *)instance;

	(void)ctx;
	perun_free(repository->path);
	repository->path = perun_strdup(url);
	return PERUN_OK;
}

/*
 * Parameters are those of perun init --vcs-param and --vcs-flag; what is not known is an error. A repository that is there
 * already stays as it is.
 */
static int init(void *instance, struct perun_ctx *ctx, const char *path,
		const struct perun_vcs_parameter *parameters, size_t count)
{
	struct perun_buffer text = {0};
	int status;

	(void)instance;
	if (count)
		return perun_fail(ctx, PERUN_USAGE, "unknown parameter %s", parameters[0].name);
	status = must(ctx, path, &text, "init", "-q", (const char *)NULL);
	perun_buffer_free(&text);
	return status;
}

/* Optional, called without attach(), too: the root of the repository that holds a path, or NULL. */
static int discover(void *instance, struct perun_ctx *ctx, const char *path, char **root)
{
	const char *const words[] = {"sh", "-c", PROGRAM " rev-parse --show-toplevel 2>/dev/null",
				     NULL};
	struct perun_buffer text = {0};
	int code, status = run(ctx, path, words, &text, &code);

	(void)instance;
	*root = !status && !code && text.length ? perun_strdup(text.data) : NULL;
	perun_buffer_free(&text);
	return status;
}

/* ---- versions --------------------------------------------------------------------------------- */

/* A version for each record: checksum, parents, author, email, both times, message. */
#define RECORD "--format=%H%x1f%P%x1f%an%x1f%ae%x1f%ct%x1f%at%x1f%B%x1e"

static int visit_record(char *record, perun_minor_version_visit *visit, void *data)
{
	struct perun_minor_version version = {.struct_size = sizeof version};
	const char *parents[16];
	char *fields[7] = {record}, *parent, *rest = NULL;

	for (size_t i = 1; i < 7; i++) {
		fields[i] = strchr(fields[i - 1], '\x1f');
		if (!fields[i])
			return PERUN_OK;
		*fields[i]++ = '\0';
	}
	for (parent = strtok_r(fields[1], " ", &rest); parent && version.parent_count < 16;
	     parent = strtok_r(NULL, " ", &rest))
		parents[version.parent_count++] = parent;
	version.checksum = fields[0];
	version.parents = parents;
	version.author = fields[2];
	version.email = fields[3];
	version.date = strtoll(fields[4], NULL, 10);
	version.authored = strtoll(fields[5], NULL, 10);
	version.description = fields[6];
	return visit(data, &version);
}

/* PERUN_STOP of a visit ends the walk with PERUN_OK; any other status is returned as it is. */
static int visit_records(char *text, perun_minor_version_visit *visit, void *data)
{
	int status = PERUN_OK;

	for (char *record = text, *end; !status && (end = strchr(record, '\x1e'));
	     record = end + 1) {
		*end = '\0';
		status = visit_record(record + strspn(record, "\n"), visit, data);
	}
	return status == PERUN_STOP ? PERUN_OK : status;
}

/* Children before parents. Optional is walk_range, the same without what is reachable from a version. */
static int walk_minor_versions(void *instance, struct perun_ctx *ctx, const char *head,
			       perun_minor_version_visit *visit, void *data)
{
	const struct repository *repository = (struct repository *)instance;
	char *most = perun_format("--max-count=%lld", (long long)repository->longest);
	struct perun_buffer text = {0};
	int status = RUN(repository, &text, "log", "--topo-order", RECORD, most, head);

	if (!status && text.length)
		status = visit_records(text.data, visit, data);
	perun_buffer_free(&text);
	perun_free(most);
	return status;
}

static int get_minor_version_info(void *instance, struct perun_ctx *ctx, const char *checksum,
				  perun_minor_version_visit *visit, void *data)
{
	struct perun_buffer text = {0};
	int status = RUN((struct repository *)instance, &text, "log", "-1", RECORD, checksum);

	if (!status && text.length)
		status = visit_records(text.data, visit, data);
	perun_buffer_free(&text);
	return status;
}

/* Branches: each with the version that it leads to. */
static int walk_major_versions(void *instance, struct perun_ctx *ctx,
			       perun_major_version_visit *visit, void *data)
{
	struct perun_major_version major = {.struct_size = sizeof major};
	struct perun_buffer text = {0};
	char *rest = NULL, *line, *blank;
	int status = RUN((struct repository *)instance, &text, "for-each-ref",
			 "--format=%(objectname) %(refname:short)", "refs/heads");

	for (line = status ? NULL : strtok_r(text.data, "\n", &rest); line && !status;
	     line = strtok_r(NULL, "\n", &rest)) {
		blank = strchr(line, ' ');
		if (blank)
			*blank = '\0';
		major.name = blank ? blank + 1 : line;
		major.head = line;
		status = visit(data, &major);
	}
	perun_buffer_free(&text);
	return status == PERUN_STOP ? PERUN_OK : status;
}

/* From all ways to name a version, HEAD~2 included, to its checksum. The caller frees it. */
static int massage_parameter(void *instance, struct perun_ctx *ctx, const char *parameter,
			     const char *type, char **checksum)
{
	const struct repository *repository = (struct repository *)instance;
	char *commit = perun_format("%s^{commit}", parameter);
	const char *const words[] = {PROGRAM, "rev-parse", "--verify", "-q", commit, NULL};
	struct perun_buffer text = {0};
	int code = 1, status = PERUN_OK;

	(void)type; /* "minor_version" or NULL */
	if (*parameter != '-')
		status = run(ctx, repository->path, words, &text, &code);
	if (!status && code)
		status = perun_fail(ctx, PERUN_USAGE, "there is no version %s", parameter);
	*checksum = status ? NULL : perun_strdup(text.data);
	perun_buffer_free(&text);
	perun_free(commit);
	return status;
}

static int check_minor_version_validity(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	char *found = NULL;
	int status = massage_parameter(instance, ctx, checksum, NULL, &found);

	perun_free(found);
	return status;
}

/* PERUN_OK and NULL while there is no version yet: status, log and collect work without one. */
static int get_minor_head(void *instance, struct perun_ctx *ctx, char **checksum)
{
	const char *const words[] = {PROGRAM, "rev-parse", "--verify", "-q", "HEAD", NULL};
	struct perun_buffer text = {0};
	int code, status = run(ctx, ((struct repository *)instance)->path, words, &text, &code);

	*checksum = !status && !code ? perun_strdup(text.data) : NULL;
	if (!status && code > 1) /* 1: there is none */
		status = failed(ctx, words, code, &text);
	perun_buffer_free(&text);
	return status;
}

static int get_head_major_version(void *instance, struct perun_ctx *ctx, char **name)
{
	const char *const words[] = {PROGRAM, "symbolic-ref", "--short", "-q", "HEAD", NULL};
	struct perun_buffer text = {0};
	int code, status = run(ctx, ((struct repository *)instance)->path, words, &text, &code);

	*name = !status && !code ? perun_strdup(text.data) : NULL;
	perun_buffer_free(&text);
	return status || *name ? status : get_minor_head(instance, ctx, name); /* detached */
}

/* ---- the work tree ---------------------------------------------------------------------------- */

static int is_dirty(void *instance, struct perun_ctx *ctx, bool *dirty)
{
	struct perun_buffer text = {0};
	int status = RUN((struct repository *)instance, &text, "status", "--porcelain", "-uno");

	*dirty = !status && text.length > 0;
	perun_buffer_free(&text);
	return status;
}

/* What is saved here is given to restore_state() later, after a crash by another process. */
static int save_state(void *instance, struct perun_ctx *ctx, bool *saved, char **state)
{
	struct perun_buffer text = {0};
	int status = get_head_major_version(instance, ctx, state);

	if (!status)
		status = is_dirty(instance, ctx, saved);
	if (!status && *saved)
		status = RUN((struct repository *)instance, &text, "stash", "push", "-q");
	perun_buffer_free(&text);
	return status;
}

static int checkout(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	struct perun_buffer text = {0};
	int status =
		RUN((struct repository *)instance, &text, "checkout", "-q", "--detach", checksum);

	perun_buffer_free(&text);
	return status;
}

static int restore_state(void *instance, struct perun_ctx *ctx, bool saved, const char *state)
{
	struct perun_buffer text = {0};
	int status = RUN((struct repository *)instance, &text, "checkout", "-q", state);

	if (!status && saved)
		status = RUN((struct repository *)instance, &text, "stash", "pop", "-q", "--index");
	perun_buffer_free(&text);
	return status;
}

static const struct perun_vcs_ops operations = {
	.open = open_vcs,
	.close = close_vcs,
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
	.discover = discover,
	/*
	 * Optional: .walk_range, .merge_base, .export_version with .remove_export (else past versions are measured in
	 * the user's work tree), .common_directory, .is_boundary, .ignore, .recover, .is_tracked, .walk_names.
	 */
};

PERUN_PLUGIN(vcs, @SYMBOL@) = {
	PERUN_PLUGIN_HEAD(PERUN_KIND_VCS, "@NAME@", "one line for lists of plugins"),
	.version = "0.1",
	.license = "BSD-3-Clause",
	PERUN_PLUGIN_OPTIONS(options),
	PERUN_PLUGIN_OPS(operations),
};
