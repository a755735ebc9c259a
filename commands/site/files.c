/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a site: written under their names when complete, and only when they changed. */
#include <config.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <perun/lib/hash.h>

#include <perun/lib/path.h>

#include "site.h"

#define STATE SITE_STATE "/files"
#define FIRST "perun-site 2 "
/* What is written has such a name until it is complete. */
#define TEMPORARY "new-"

#define LARGEST   ((size_t)1 << 30) /* bytes of a file that is read */
#define READ_SIZE ((size_t)256 << 10)

struct file {
	char *path;
	uint64_t key;
	uint64_t content; /* the hash of what was written, 0 = no file */
	bool listed;      /* was there before this run */
	bool kept;        /* belongs to the site of this run */
};

struct site_files {
	int directory, locked;
	char *name;
	uint64_t stamp;
	struct file *items;
	size_t count, capacity;
	uint32_t *table;
	size_t table_size, written;
	bool changed; /* the list itself */
	/* The directory of the file that was looked for last; -1 = none. */
	int parent;
	char *parent_name;
	pthread_mutex_t lock;
};

/* ---- the list -------------------------------------------------------------------------------- */

static size_t place_of(const char *path)
{
	return (size_t)perun_hash_text(path, strlen(path));
}

static void grow_table(struct site_files *files)
{
	files->table_size = files->table_size ? files->table_size * 2 : 4096;
	files->table = perun_realloc_array(files->table, files->table_size, sizeof *files->table);
	memset(files->table, 0xff, files->table_size * sizeof *files->table);
	for (size_t i = 0; i < files->count; i++) {
		size_t at = place_of(files->items[i].path) & (files->table_size - 1);

		while (files->table[at] != UINT32_MAX)
			at = (at + 1) & (files->table_size - 1);
		files->table[at] = (uint32_t)i;
	}
}

/* The file of a path; with key 0 when it is new. */
static struct file *find(struct site_files *files, const char *path)
{
	size_t at;

	if (files->count * 2 >= files->table_size)
		grow_table(files);
	for (at = place_of(path) & (files->table_size - 1); files->table[at] != UINT32_MAX;
	     at = (at + 1) & (files->table_size - 1)) {
		if (strcmp(files->items[files->table[at]].path, path) == 0)
			return &files->items[files->table[at]];
	}
	PERUN_GROW(files->items, files->count, files->capacity);
	files->table[at] = (uint32_t)files->count;
	files->items[files->count] = (struct file){.path = perun_strdup(path)};
	return &files->items[files->count++];
}

/* Paths of the list become names of files that are removed: only those a site has. */
static bool is_ours(const char *path)
{
	static const char *const places[] = {"data/",         "metric/",      "version/",
					     "view/",         SITE_STATE "/", "index.html",
					     "versions.html", "site.",        "chart."};

	if (strstr(path, "..") || strstr(path, "//"))
		return false;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (strncmp(path, places[i], strlen(places[i])) == 0)
			return true;
	}
	return false;
}

static void read_list(struct site_files *files, char *text)
{
	uint64_t stamp = 0;
	char *line = text, *end;
	bool same;

	if (strncmp(line, FIRST, sizeof FIRST - 1) != 0)
		return;
	stamp = strtoull(line + sizeof FIRST - 1, &end, 16);
	same = stamp == files->stamp;
	files->changed = !same;
	for (line = strchr(line, '\n'); line && line[1]; line = end) {
		uint64_t key = strtoull(++line, &line, 16), content = 0;

		if (*line == ' ')
			content = strtoull(line + 1, &line, 16);
		end = strchr(line, '\n');
		if (!end || *line != ' ')
			return;
		*end = '\0';
		if (is_ours(line + 1)) {
			struct file *file = find(files, line + 1);

			file->key = same ? key : 0;
			file->content = content;
			file->listed = true;
		} else {
			files->changed = true;
		}
		*end = '\n';
	}
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool is_there(int directory, const char *path)
{
	struct stat info;

	return perun_beneath_stat(directory, path, &info) == 0;
}

static void leave_parent(struct site_files *files)
{
	if (files->parent >= 0)
		close(files->parent);
	perun_free(files->parent_name);
	files->parent = -1;
	files->parent_name = NULL;
}

/* The same of a file of the site: thousands follow each other in one directory. */
static bool has_file(struct site_files *files, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (!length)
		return is_there(files->directory, path);
	if (!files->parent_name || strncmp(files->parent_name, path, length) != 0 ||
	    files->parent_name[length]) {
		leave_parent(files);
		files->parent_name = perun_strndup(path, length);
		files->parent = perun_beneath_open(files->directory, files->parent_name,
						   O_PATH | O_DIRECTORY, 0);
	}
	return files->parent >= 0 && is_there(files->parent, slash + 1);
}

/* A directory with other things in it is somebody's; a site has its state. */
static int check_free(struct perun_ctx *ctx, const struct site_files *files)
{
	if (is_there(files->directory, SITE_STATE) ||
	    (!is_there(files->directory, ".perun") && !is_there(files->directory, "index.html")))
		return PERUN_OK;
	return perun_fail(ctx, PERUN_USAGE,
			  "%s is not a directory of a site; name one that is empty or new",
			  files->name);
}

/* At most LARGEST bytes of a file below a directory; ENOENT leaves the buffer empty. 0 or an errno. */
static int read_beneath(int directory, const char *path, struct perun_buffer *data)
{
	int fd = perun_beneath_open(directory, path, O_RDONLY | O_NONBLOCK, 0);
	int error = fd < 0 && errno != ENOENT ? errno : 0;
	struct stat info;
	ssize_t got = 0;

	perun_buffer_clear(data);
	if (fd < 0)
		return error;
	if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
		do {
			char *to = perun_buffer_reserve(data, READ_SIZE);

			got = read(fd, to, READ_SIZE);
			data->length += got > 0 ? (size_t)got : 0;
		} while ((got > 0 && data->length <= LARGEST) || (got < 0 && errno == EINTR));
		*perun_buffer_reserve(data, 1) = '\0';
	}
	if (got != 0)
		error = got < 0 ? errno : EFBIG;
	close(fd);
	return error;
}

int site_read_file(struct perun_ctx *ctx, const char *directory, const char *path,
		   struct perun_buffer *data)
{
	int root = perun_path_open(directory, O_PATH | O_DIRECTORY, 0);
	int error = root < 0 ? errno : read_beneath(root, path, data);

	if (root >= 0)
		close(root);
	if (!error)
		return PERUN_OK;
	perun_buffer_clear(data);
	return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot read %s/%s", directory, path);
}

/* What was being written when another run was killed. */
static void sweep(const struct site_files *files)
{
	int fd = perun_beneath_open(files->directory, SITE_STATE, O_RDONLY | O_DIRECTORY, 0);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (stream && (entry = readdir(stream))) {
		const char *digits = entry->d_name + sizeof TEMPORARY - 1;

		if (strncmp(entry->d_name, TEMPORARY, sizeof TEMPORARY - 1) == 0 &&
		    strlen(digits) == PERUN_RANDOM_SIZE - 1)
			unlinkat(fd, entry->d_name, 0);
	}
	if (stream)
		closedir(stream);
}

/* Open the directory and its parts, and lock it: two at once would take each other's files. */
static int open_directory(struct perun_ctx *ctx, struct site_files *files)
{
	static const char *const parts[] = {SITE_STATE, "data", "metric", "version"};
	int status = PERUN_OK;
	bool fresh;

	if (perun_path_check_output(ctx, files->name))
		return PERUN_INPUT;
	if (perun_path_ensure_directory(files->name, 0777) != 0 ||
	    (files->directory = perun_path_open(files->name, O_RDONLY | O_DIRECTORY, 0)) < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make the directory %s",
					files->name);
	status = check_free(ctx, files);
	fresh = !is_there(files->directory, SITE_STATE);
	for (size_t i = 0; !status && i < sizeof parts / sizeof *parts; i++) {
		if (perun_beneath_ensure_directory(files->directory, parts[i], 0777) != 0)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno,
						  "cannot make the directory %s/%s", files->name,
						  parts[i]);
	}
	/* After a power cut no page may be there without the mark that it is a site's. */
	if (!status && fresh && fsync(files->directory) != 0 && errno != EINVAL)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot flush %s", files->name);
	if (status)
		return status;
	files->locked =
		perun_beneath_open_locked(files->directory, SITE_STATE "/lock", O_CREAT, LOCK_EX);
	if (files->locked < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot lock %s", files->name);
	return status;
}

int site_files_open(struct perun_ctx *ctx, const char *directory, uint64_t stamp,
		    struct site_files **result)
{
	struct site_files *files = perun_alloc_zero(1, sizeof *files);
	struct perun_buffer text = {0};
	int status, error;

	files->name = perun_strdup(directory);
	files->stamp = stamp;
	files->directory = files->locked = files->parent = -1;
	files->changed = true;
	pthread_mutex_init(&files->lock, NULL);
	*result = files;
	status = open_directory(ctx, files);
	if (!status) {
		sweep(files);
		error = read_beneath(files->directory, STATE, &text);
		if (error)
			status = perun_fail_errno(ctx, PERUN_INPUT, error, "cannot read %s/" STATE,
						  directory);
	}
	if (!status && text.length) {
		files->changed = false;
		read_list(files, text.data);
	}
	perun_buffer_free(&text);
	return status;
}

void site_files_free(struct site_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->count; i++)
		perun_free(files->items[i].path);
	leave_parent(files);
	if (files->locked >= 0)
		close(files->locked);
	if (files->directory >= 0)
		close(files->directory);
	pthread_mutex_destroy(&files->lock);
	perun_free(files->items);
	perun_free(files->table);
	perun_free(files->name);
	perun_free(files);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool is_known(struct site_files *files, const char *path, uint64_t key, bool exists)
{
	struct file *file;
	bool current;

	pthread_mutex_lock(&files->lock);
	file = find(files, path);
	current = file->key == key && (!exists || has_file(files, path));
	file->kept |= current;
	pthread_mutex_unlock(&files->lock);
	return current;
}

bool site_is_current(struct site_files *files, const char *path, uint64_t key)
{
	return is_known(files, path, key, true);
}

bool site_is_noted(struct site_files *files, const char *path, uint64_t key)
{
	return is_known(files, path, key, false);
}

void site_note(struct site_files *files, const char *path, uint64_t key)
{
	struct file *file;

	pthread_mutex_lock(&files->lock);
	file = find(files, path);
	file->key = key;
	file->kept = files->changed = true;
	pthread_mutex_unlock(&files->lock);
}

static int put(struct perun_ctx *ctx, struct site_files *files, const char *path, const void *data,
	       size_t size)
{
	char temporary[] = SITE_STATE "/" TEMPORARY "0123456789abcdef";
	const char *slash = strrchr(path, '/');
	int fd, error = 0;

	perun_random_digits(temporary + sizeof temporary - PERUN_RANDOM_SIZE);
	fd = perun_beneath_open(files->directory, temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
	if (fd < 0)
		error = errno;
	for (const char *rest = data; !error && size > 0;) {
		ssize_t written = write(fd, rest, size);

		if (written <= 0 && errno != EINTR)
			error = written ? errno : EIO;
		if (written > 0) {
			rest += written;
			size -= (size_t)written;
		}
	}
	if (fd >= 0 && close(fd) != 0 && !error)
		error = errno;
	if (!error && perun_beneath_rename(files->directory, temporary, path, 0) != 0)
		error = errno;
	if (error == ENOENT && slash) {
		char *parent = perun_strndup(path, (size_t)(slash - path));

		error = perun_beneath_ensure_directory(files->directory, parent, 0777) != 0 ||
					perun_beneath_rename(files->directory, temporary, path,
							     0) != 0
				? errno
				: 0;
		perun_free(parent);
	}
	if (error && fd >= 0)
		perun_beneath_unlink(files->directory, temporary, 0);
	return error ? perun_fail_errno(ctx, PERUN_INPUT, error, "cannot write %s/%s", files->name,
					path)
		     : PERUN_OK;
}

/* Never 0. */
static uint64_t content_of(const void *data, size_t size)
{
	return site_hash(3, data, size) | 1;
}

uint64_t site_read_back(struct site_files *files, const char *path, struct perun_buffer *text)
{
	uint64_t key, content;

	pthread_mutex_lock(&files->lock);
	key = find(files, path)->key;
	content = find(files, path)->content;
	pthread_mutex_unlock(&files->lock);
	perun_buffer_clear(text);
	return key && content && read_beneath(files->directory, path, text) == 0 && text->length &&
			       content_of(text->data, text->length) == content
		       ? key
		       : 0;
}

int site_write(struct perun_ctx *ctx, struct site_files *files, const char *path, uint64_t key,
	       const void *data, size_t size)
{
	struct file *file;
	int status;

	if (!key)
		key = site_hash(0, data, size) | 1;
	if (site_is_current(files, path, key))
		return PERUN_OK;
	status = put(ctx, files, path, data, size);
	pthread_mutex_lock(&files->lock);
	file = find(files, path);
	file->key = status ? 0 : key;
	file->content = status ? 0 : content_of(data, size);
	file->kept = true;
	files->written += !status;
	files->changed = true;
	pthread_mutex_unlock(&files->lock);
	return status;
}

/* The list may be forged, so a file goes only as it was written. */
static void remove_unkept(const struct site_files *files, const struct file *file)
{
	struct perun_buffer data = {0};

	if (file->content && read_beneath(files->directory, file->path, &data) == 0 &&
	    data.length > 0 && content_of(data.data, data.length) == file->content)
		perun_beneath_unlink(files->directory, file->path, 0);
	perun_buffer_free(&data);
}

int site_files_close(struct perun_ctx *ctx, struct site_files *files)
{
	struct perun_buffer list = {0};
	int status = PERUN_OK;

	for (size_t i = 0; i < files->count; i++) {
		if (files->items[i].kept || !files->items[i].listed)
			continue;
		remove_unkept(files, &files->items[i]);
		files->changed = true;
	}
	if (files->changed) {
		perun_buffer_printf(&list, FIRST "%016" PRIx64 "\n", files->stamp);
		for (size_t i = 0; i < files->count; i++) {
			if (files->items[i].kept)
				perun_buffer_printf(&list, "%" PRIx64 " %" PRIx64 " %s\n",
						    files->items[i].key, files->items[i].content,
						    files->items[i].path);
		}
		/* What the list says must be true after a crash: one flush for all files. */
		if (syncfs(files->directory) != 0)
			status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot flush %s",
						  files->name);
		if (!status)
			status = put(ctx, files, STATE, list.data, list.length);
	}
	perun_buffer_free(&list);
	return status;
}

uint64_t site_files_digest(const struct site_files *files, bool kept)
{
	uint64_t digest = 0;

	for (size_t i = 0; i < files->count; i++) {
		const struct file *file = &files->items[i];

		if (file->content && (kept ? file->kept : file->listed))
			digest += site_hash_text(file->content, file->path);
	}
	return digest;
}

bool site_files_keep(struct site_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		if (files->items[i].content && !has_file(files, files->items[i].path))
			return false;
	}
	for (size_t i = 0; i < files->count; i++)
		files->items[i].kept = true;
	return true;
}

size_t site_files_below(const struct site_files *files, const char *beginning)
{
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++)
		count += files->items[i].kept &&
			 strncmp(files->items[i].path, beginning, strlen(beginning)) == 0;
	return count;
}

size_t site_files_written(const struct site_files *files)
{
	return files->written;
}

size_t site_files_count(const struct site_files *files)
{
	size_t count = 0;

	for (size_t i = 0; i < files->count; i++)
		count += files->items[i].kept && files->items[i].content;
	return count;
}
