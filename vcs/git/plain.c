/* SPDX-License-Identifier: BSD-3-Clause */
/* Plain repositories: what is one, HEAD, references, loose commits. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "gitvcs.h"
#include "plain.h"

struct gitvcs_plain {
	char *git_dir, *work_dir;
	struct gitvcs_packs *packs; /* once they are needed */
};

/* ---- what is plain --------------------------------------------------------------------------- */

/* Variables that move parts of a repository elsewhere. */
static bool is_moved(void)
{
	static const char *const variables[] = {
		"GIT_DIR",       "GIT_WORK_TREE",        "GIT_COMMON_DIR",
		"GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"};

	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		if (getenv(variables[i]))
			return true;
	}
	return false;
}

/* A directory, not a link, of the user: nobody has to be asked whether it may be trusted. */
static bool is_own_directory(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

static bool has_file(const char *directory, const char *name)
{
	char *path = perun_format("%s/%s", directory, name);
	bool has = access(path, F_OK) == 0;

	perun_free(path);
	return has;
}

/* The text of a file of the repository, NULL when it is not there or not a file. */
static char *read_text(const char *directory, const char *name)
{
	char *path = perun_format("%s/%s", directory, name);
	struct perun_buffer content = {0};
	struct stat status;
	bool found = false;

	if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    gitvcs_file_read(NULL, path, &content, &found) != PERUN_OK || !found ||
	    memchr(content.data, 0, content.length)) {
		perun_buffer_free(&content);
		perun_free(path);
		return NULL;
	}
	perun_free(path);
	return perun_buffer_take(&content);
}

/* "[name]" or "[name "words"]": sections that say where things are or how they are stored are not plain. */
static bool is_plain_section(const char *line)
{
	size_t length =
		strspn(line + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0-9-.");
	const char *rest = line + 1 + length;

	if (!length || strncasecmp(line + 1, "include", 7) == 0 ||
	    strncasecmp(line + 1, "extensions", 10) == 0)
		return false;
	if (strncmp(rest, " \"", 2) == 0) {
		rest += 2;
		rest += strcspn(rest, "\"\\");
		if (*rest++ != '"')
			return false;
	}
	return strcmp(rest, "]") == 0;
}

/* "name = value" without quotes or continuations. */
static bool is_plain_setting(const char *line)
{
	size_t length = 0;
	const char *value;

	while (isalnum((unsigned char)line[length]) || line[length] == '-')
		length++;
	value = line + length + strspn(line + length, " \t");
	if (!length || !isalpha((unsigned char)*line) || (*value && *value != '=') ||
	    strpbrk(value, "\"\\"))
		return false;
	value += *value == '=';
	value += strspn(value, " \t");
	if (length == 23 && strncasecmp(line, "repositoryformatversion", 23) == 0)
		return strcmp(value, "0") == 0;
	if (length == 4 && strncasecmp(line, "bare", 4) == 0)
		return strcmp(value, "false") == 0;
	return length != 8 || strncasecmp(line, "worktree", 8) != 0;
}

static bool is_plain_config(char *text)
{
	bool plain = true;

	for (char *line; plain && (line = strsep(&text, "\n"));) {
		size_t length = strlen(line);

		while (length && strchr(" \t\r", line[length - 1]))
			line[--length] = '\0';
		line += strspn(line, " \t");
		if (*line == '[')
			plain = is_plain_section(line);
		else if (*line && *line != '#' && *line != ';')
			plain = is_plain_setting(line);
	}
	return plain;
}

struct gitvcs_plain *gitvcs_plain_open(const char *url)
{
	char *work_dir = is_moved() ? NULL : realpath(url, NULL);
	char *git_dir = work_dir ? perun_format("%s/.git", work_dir) : NULL, *config = NULL;
	struct gitvcs_plain *plain = NULL;

	if (git_dir && strcmp(work_dir, "/") != 0 && is_own_directory(work_dir) &&
	    is_own_directory(git_dir) && has_file(git_dir, "objects") &&
	    has_file(git_dir, "refs") && !has_file(git_dir, "commondir"))
		config = read_text(git_dir, "config");
	if (config && is_plain_config(config)) {
		plain = perun_alloc_zero(1, sizeof *plain);
		plain->git_dir = git_dir;
		plain->work_dir = perun_strdup(work_dir);
		git_dir = NULL;
	}
	perun_free(config);
	perun_free(git_dir);
	free(work_dir);
	return plain;
}

void gitvcs_plain_free(struct gitvcs_plain *plain)
{
	if (!plain)
		return;
	gitvcs_packs_free(plain->packs);
	perun_free(plain->git_dir);
	perun_free(plain->work_dir);
	perun_free(plain);
}

const char *gitvcs_plain_git_dir(const struct gitvcs_plain *plain)
{
	return plain->git_dir;
}

const char *gitvcs_plain_work_dir(const struct gitvcs_plain *plain)
{
	return plain->work_dir;
}

/* ---- references ------------------------------------------------------------------------------ */

/* A line of 40 digits and nothing else. */
static bool is_id_line(const char *text, git_oid *id)
{
	return gitvcs_oid_fromstrn(id, text, strlen(text)) == 0 &&
	       (!text[GIT_OID_HEXSZ] || strcmp(text + GIT_OID_HEXSZ, "\n") == 0);
}

/* No name that leads out of refs/heads. */
static bool is_branch(const char *name)
{
	return strncmp(name, "refs/heads/", 11) == 0 && name[11] && !strstr(name, "..") &&
	       !strstr(name, "//");
}

bool gitvcs_plain_head(struct gitvcs_plain *plain, char **branch, git_oid *id)
{
	char *text = read_text(plain->git_dir, "HEAD");
	bool good = text && is_id_line(text, id);

	*branch = NULL;
	if (text && strncmp(text, "ref: ", 5) == 0) {
		size_t length = strcspn(text + 5, "\n");

		*branch = perun_strndup(text + 5, length);
		good = is_branch(*branch) && (!text[5 + length] || !text[6 + length]);
		if (!good) {
			perun_free(*branch);
			*branch = NULL;
		}
	}
	perun_free(text);
	return good;
}

/* "HEX refs/heads/main" among the packed references. */
static bool find_packed(const char *text, const char *name, git_oid *id)
{
	char *wanted = perun_format(" %s\n", name);
	const char *at = strstr(text, wanted);
	bool found = at && at - text >= GIT_OID_HEXSZ &&
		     (at - text == GIT_OID_HEXSZ || at[-GIT_OID_HEXSZ - 1] == '\n') &&
		     gitvcs_oid_fromstrn(id, at - GIT_OID_HEXSZ, GIT_OID_HEXSZ) == 0;

	perun_free(wanted);
	return found;
}

bool gitvcs_plain_reference(struct gitvcs_plain *plain, const char *name, git_oid *id)
{
	char *text = read_text(plain->git_dir, name), *packed;
	bool found = text && is_id_line(text, id);

	/* A file that says something else counts before the packed references. */
	if (!text && !has_file(plain->git_dir, name)) {
		packed = read_text(plain->git_dir, "packed-refs");
		found = packed && find_packed(packed, name, id);
		perun_free(packed);
	}
	perun_free(text);
	return found;
}

/* ---- branches -------------------------------------------------------------------------------- */

static int compare_names(const void *one, const void *other)
{
	return strcmp(*(char *const *)one, *(char *const *)other);
}

static void add_name(struct gitvcs_names *names, char *name)
{
	PERUN_GROW(names->items, names->count, names->capacity);
	names->items[names->count++] = name;
}

/* The files below a directory of references; false where one is a link, or cannot be looked at. */
static bool list_loose(const struct gitvcs_plain *plain, const char *directory,
		       struct gitvcs_names *names)
{
	char *path = perun_format("%s/%s", plain->git_dir, directory);
	DIR *stream = opendir(path);
	bool good = stream != NULL;

	for (struct dirent *entry; good && (entry = readdir(stream));) {
		char *name = perun_format("%s/%s", directory, entry->d_name);
		struct stat status;

		good = fstatat(dirfd(stream), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
		if (entry->d_name[0] != '.' && good && S_ISREG(status.st_mode)) {
			add_name(names, name);
			continue;
		}
		if (entry->d_name[0] != '.' && good)
			good = S_ISDIR(status.st_mode) && list_loose(plain, name, names);
		perun_free(name);
	}
	if (stream)
		closedir(stream);
	perun_free(path);
	return good;
}

static void list_packed(const struct gitvcs_plain *plain, struct gitvcs_names *names)
{
	char *text = read_text(plain->git_dir, "packed-refs");

	for (char *at = text; at && (at = strstr(at, " refs/heads/"));) {
		size_t length = strcspn(++at, "\n");

		add_name(names, perun_strndup(at, length));
		at += length;
	}
	perun_free(text);
}

bool gitvcs_plain_branches(struct gitvcs_plain *plain, struct gitvcs_names *names)
{
	size_t kept = 0;
	bool good = list_loose(plain, "refs/heads", names);

	list_packed(plain, names);
	if (names->count)
		qsort(names->items, names->count, sizeof *names->items, compare_names);
	for (size_t i = 0; i < names->count; i++) {
		if (kept && strcmp(names->items[kept - 1], names->items[i]) == 0)
			perun_free(names->items[i]);
		else
			names->items[kept++] = names->items[i];
	}
	names->count = kept;
	return good;
}

void gitvcs_names_free(struct gitvcs_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		perun_free(names->items[i]);
	perun_free(names->items);
	*names = (struct gitvcs_names){0};
}

/* ---- objects --------------------------------------------------------------------------------- */

/* "commit SIZE" and NUL, at the start of `size` bytes; the header's length, 0 when it is not that. */
static size_t parse_header(const char *data, size_t size, size_t *content)
{
	const char *end = memchr(data, 0, size < 32 ? size : 32);
	char *rest;

	if (!end || strncmp(data, "commit ", 7) != 0 || !isdigit((unsigned char)data[7]))
		return 0;
	*content = strtoul(data + 7, &rest, 10);
	return rest == end ? (size_t)(end - data) + 1 : 0;
}

/* Inflate the rest into `bytes`; true when that is `size` bytes and the end. */
static bool finish(z_stream *stream, char *bytes, size_t size)
{
	stream->next_out = (unsigned char *)bytes;
	stream->avail_out = (unsigned)size;
	return inflate(stream, Z_FINISH) == Z_STREAM_END && !stream->avail_out;
}

static bool inflate_loose(const struct perun_buffer *file, size_t most, char **bytes, size_t *size)
{
	z_stream stream = {.next_in = (unsigned char *)file->data,
			   .avail_in = (unsigned)file->length};
	char start[1024];
	size_t got, head = 0;
	int code;
	bool good = false;

	if (inflateInit(&stream) != Z_OK)
		return false;
	stream.next_out = (unsigned char *)start;
	stream.avail_out = sizeof start;
	code = inflate(&stream, Z_SYNC_FLUSH);
	got = sizeof start - stream.avail_out;
	if (code == Z_OK || code == Z_STREAM_END)
		head = parse_header(start, got, size);
	if (head && *size <= most && got - head <= *size) {
		*bytes = perun_alloc(*size + 1);
		memcpy(*bytes, start + head, got - head);
		good = code == Z_STREAM_END
			       ? got - head == *size
			       : finish(&stream, *bytes + (got - head), *size - (got - head));
		if (!good)
			perun_free(*bytes);
	}
	inflateEnd(&stream);
	return good;
}

static bool inflate_packed(const unsigned char *data, size_t available, char *bytes, size_t size)
{
	z_stream stream = {.next_in = (unsigned char *)data,
			   .avail_in = available > 1u << 30 ? 1u << 30 : (unsigned)available};
	bool good;

	if (inflateInit(&stream) != Z_OK)
		return false;
	good = finish(&stream, bytes, size);
	inflateEnd(&stream);
	return good;
}

static bool read_packed(struct gitvcs_plain *plain, const git_oid *id, size_t most, char **bytes,
			size_t *size)
{
	const unsigned char *data;
	size_t available;
	uint64_t length;

	if (!gitvcs_packs_find(plain->packs, id, &data, &available, &length) || length > most)
		return false;
	*size = (size_t)length;
	*bytes = perun_alloc(*size + 1);
	if (inflate_packed(data, available, *bytes, *size))
		return true;
	perun_free(*bytes);
	return false;
}

bool gitvcs_plain_commit(struct gitvcs_plain *plain, const git_oid *id, size_t most, char **bytes,
			 size_t *size)
{
	char hex[GIT_OID_HEXSZ + 1], *path;
	struct perun_buffer file = {0};
	bool found, good;

	*bytes = NULL;
	/* Where one was packed most are. */
	if (plain->packs && read_packed(plain, id, most, bytes, size))
		return true;
	gitvcs_oid_tostr(hex, sizeof hex, id);
	path = perun_format("%s/objects/%.2s/%s", plain->git_dir, hex, hex + 2);
	good = gitvcs_file_read(NULL, path, &file, &found) == PERUN_OK;
	if (good && found) {
		good = inflate_loose(&file, most, bytes, size);
	} else if (good && !plain->packs) {
		plain->packs = gitvcs_packs_open(plain->git_dir);
		good = read_packed(plain, id, most, bytes, size);
	} else {
		good = false;
	}
	if (!good)
		*bytes = NULL;
	perun_buffer_free(&file);
	perun_free(path);
	return good;
}
