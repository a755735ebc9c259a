/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a repository, and having .perun ignored by it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gitvcs.h"

enum { MAX_PARAMETERS = 32 };

/* "--initial-branch", "initial_branch" and "initial-branch" are one name. */
static char *plain_name(const char *name)
{
	char *plain;

	name += strspn(name, "-");
	plain = perun_strdup(name);
	for (char *p = plain; *p; p++)
		if (*p == '_')
			*p = '-';
	return plain;
}

static int check_parameter(struct perun_ctx *ctx, const char *name, const char *value)
{
	for (const char *p = name; *p; p++)
		if (!islower((unsigned char)*p) && !(*p == '-' && p != name))
			return perun_fail(ctx, PERUN_USAGE,
					  "--vcs-flag and --vcs-param: \"%s\" is not an option of "
					  "git init; expected a name such as initial-branch",
					  name);
	if (!*name)
		return perun_fail(ctx, PERUN_USAGE, "--vcs-flag and --vcs-param: a name is empty");
	if (!strcmp(name, "object-format") && value && strcmp(value, "sha1") != 0)
		return perun_fail(ctx, PERUN_USAGE,
				  "--object-format=%s: only repositories with SHA-1 checksums are "
				  "supported",
				  value);
	if (!strcmp(name, "ref-format") && value && strcmp(value, "files") != 0)
		return perun_fail(ctx, PERUN_USAGE,
				  "--ref-format=%s: only references in files are supported", value);
	return PERUN_OK;
}

static int run_init(struct gitvcs *vcs, struct perun_ctx *ctx, const char *path, char **options,
		    size_t count)
{
	const char *arguments[MAX_PARAMETERS + 8], **next = arguments;
	struct gitvcs_run run = {.directory = ".", .flags = GITVCS_PLAIN_PLACE};
	git_repository *made = NULL;
	int status;

	*next++ = "init";
	*next++ = "--quiet";
	for (size_t i = 0; i < count; i++)
		*next++ = options[i];
	*next++ = "--";
	*next++ = path;
	*next = NULL;
	status = gitvcs_git_argv(vcs, ctx, &run, arguments);
	gitvcs_run_free(&run);
	/* Without the program, libgit2 makes the same repository when nothing special is wanted. */
	if (status == PERUN_MISSING && !count) {
		perun_ctx_clear(ctx);
		status = gitvcs_need_libgit2(vcs, ctx);
		if (status == PERUN_OK && git_repository_init(&made, path, 0) < 0)
			status = gitvcs_fail(ctx, PERUN_INPUT, "cannot make a repository at %s",
					     path);
		if (made) /* else libgit2 may not be loaded */
			git_repository_free(made);
	}
	return status;
}

/* A repository with or without a work tree is at `path` itself, not above it. */
static bool is_repository(const char *path)
{
	static const char *const bare[] = {"HEAD", "objects", "refs"};
	char *inner = perun_format("%s/.git", path);
	size_t found = 0;
	bool is = !access(inner, F_OK);

	perun_free(inner);
	for (size_t i = 0; i < 3; i++) {
		inner = perun_format("%s/%s", path, bare[i]);
		found += !access(inner, F_OK);
		perun_free(inner);
	}
	return is || found == 3;
}

int gitvcs_init(void *instance, struct perun_ctx *ctx, const char *path,
		const struct perun_vcs_parameter *parameters, size_t count)
{
	char *options[MAX_PARAMETERS] = {0};
	int status = PERUN_OK;
	bool exists;

	if (count > MAX_PARAMETERS)
		return perun_fail(ctx, PERUN_USAGE, "more than %d options for git init",
				  (int)MAX_PARAMETERS);
	for (size_t i = 0; status == PERUN_OK && i < count; i++) {
		char *name = plain_name(parameters[i].name);
		const char *value = parameters[i].value;

		status = check_parameter(ctx, name, value);
		if (!value)
			options[i] = perun_format(name[0] && !name[1] ? "-%s" : "--%s", name);
		else if (name[0] && !name[1])
			options[i] = perun_format("-%s%s", name, value);
		else
			options[i] = perun_format("--%s=%s", name, value);
		perun_free(name);
	}
	/* Not even git's harmless second init: it copies new templates and hooks. */
	exists = is_repository(path);
	if (status == PERUN_OK && exists && count)
		perun_warn(ctx, "%s is a git repository already; its options stay as they are",
			   path);
	if (status == PERUN_OK && !exists)
		status = run_init(instance, ctx, path, options, count);
	for (size_t i = 0; i < count; i++)
		perun_free(options[i]);
	return status;
}

/* Whether one of the lines is `name`. */
static bool has_line(const char *text, const char *name)
{
	size_t wanted = strlen(name);

	for (const char *p = text; p && *p;) {
		size_t length = strcspn(p, "\n"), trimmed = length;

		while (trimmed && (p[trimmed - 1] == ' ' || p[trimmed - 1] == '\r'))
			trimmed--;
		if (trimmed == wanted && !memcmp(p, name, wanted))
			return true;
		p += length + (p[length] == '\n');
	}
	return false;
}

/* A file of the repository to append to; a link is not followed, neither for the directory. */
static int open_exclude(const char *common_dir)
{
	int top = open(common_dir, O_PATH | O_DIRECTORY | O_CLOEXEC), directory, fd, error;
	struct stat info;

	if (top < 0)
		return -1;
	mkdirat(top, "info", 0777);
	directory = openat(top, "info", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	close(top);
	if (directory < 0)
		return -1;
	fd = openat(directory, "exclude",
		    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
	error = errno;
	close(directory);
	errno = error;
	if (fd >= 0 && (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_nlink != 1)) {
		close(fd);
		fd = -1;
		errno = ELOOP;
	}
	return fd;
}

/* One write at the end: what is in the file stays. */
static int append_line(struct perun_ctx *ctx, const struct gitvcs *vcs, const char *path,
		       const char *name, const char *line)
{
	int fd = open_exclude(vcs->common_dir), status = PERUN_OK;

	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR || errno == ENXIO)) {
		perun_warn(ctx,
			   "%s leads elsewhere and is left as it is; add %s where git looks for "
			   "ignored files",
			   path, name);
		return PERUN_OK;
	}
	if (fd < 0 || write(fd, line, strlen(line)) != (ssize_t)strlen(line))
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot write %s", path);
	if (fd >= 0)
		close(fd);
	return status;
}

int gitvcs_ignore(void *instance, struct perun_ctx *ctx, const char *name)
{
	struct gitvcs *vcs = instance;
	struct perun_buffer content = {0};
	char *path, *line;
	int status = gitvcs_need_repository(vcs, ctx);
	bool found;

	if (status != PERUN_OK)
		return status;
	if (!*name || strchr(name, '\n'))
		return perun_fail(ctx, PERUN_USAGE, "cannot ignore a name with a newline");
	path = perun_format("%s/info/exclude", vcs->common_dir);
	status = gitvcs_file_read(ctx, path, &content, &found);
	if (status == PERUN_OK && !has_line(content.data, name)) {
		bool open_end = content.length && content.data[content.length - 1] != '\n';

		line = perun_format("%s%s\n", open_end ? "\n" : "", name);
		status = append_line(ctx, vcs, path, name, line);
		perun_free(line);
	}
	perun_buffer_free(&content);
	perun_free(path);
	return status;
}
