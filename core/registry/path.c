/* SPDX-License-Identifier: BSD-3-Clause */
/* Where plugins are looked for, and which places are trusted. */
#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/registry/registry-private.h"
#include "perun/lib/hash.h"

/* ---- who may write --------------------------------------------------------------------------- */

/* More links in a path are a circle. */
enum { MAX_LINKS = 40 };

/*
 * Whether a group has the user for its only member, as on systems that make one for each user. Others
 * may have it as their first group without being listed: a group of another name is not asked about.
 */
static bool is_own_group(gid_t group)
{
	const struct passwd *user = getpwuid(geteuid());
	char *name = user && user->pw_gid == group ? perun_strdup(user->pw_name) : NULL;
	const struct group *members = name ? getgrgid(group) : NULL;
	bool own = members && strcmp(members->gr_name, name) == 0;

	for (char **member = own ? members->gr_mem : NULL; own && *member; member++)
		own = strcmp(*member, name) == 0;
	perun_free(name);
	return own;
}

/*
 * One component of a path: PERUN_OK when nobody but root and the user can put something else in its
 * place or into it. Others may write into a directory with the sticky bit, where what they can replace
 * is their own; and the entry that follows has to belong to root or the user, as all have to. What root gives to a group (/usr/local on Debian) is root's decision.
 */
static int check_component(struct perun_ctx *ctx, const char *path, const struct stat *status,
			   bool last, const char *whole)
{
	bool directory = S_ISDIR(status->st_mode), link = S_ISLNK(status->st_mode);
	bool sticky = directory && status->st_mode & S_ISVTX && !last;
	bool itself = strcmp(path, whole) == 0;
	const char *where = itself ? "it" : path, *how = itself ? "" : " on its way";
	int result = PERUN_OK;

	if (status->st_uid != 0 && status->st_uid != geteuid())
		result = perun_fail(ctx, PERUN_MISSING,
				    "%s is refused: %s%s belongs to another user (uid %lu)", whole,
				    where, how, (unsigned long)status->st_uid);
	else if (!link && !sticky && status->st_mode & S_IWOTH)
		result = perun_fail(ctx, PERUN_MISSING,
				    "%s is refused: every user can write to %s%s (chmod o-w)",
				    whole, where, how);
	else if (!link && !sticky && status->st_mode & S_IWGRP && status->st_uid != 0 &&
		 status->st_gid != 0 && !is_own_group(status->st_gid))
		result = perun_fail(ctx, PERUN_MISSING,
				    "%s is refused: the group %lu can write to %s%s (chmod g-w)",
				    whole, (unsigned long)status->st_gid, where, how);
	return result;
}

/*
 * Directories on the way to others that were found good: all plugins have some in common. Nobody but root and the user
 * can change that.
 */
static struct {
	pthread_mutex_t lock;
	struct good_path {
		char *path;
		uint64_t hash;
	} * items;
	size_t count, capacity;
} good = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_good(const char *path)
{
	uint64_t hash = perun_hash_text(path, strlen(path));
	bool found = false;

	pthread_mutex_lock(&good.lock);
	for (size_t i = 0; i < good.count && !found; i++)
		found = good.items[i].hash == hash && strcmp(good.items[i].path, path) == 0;
	pthread_mutex_unlock(&good.lock);
	return found;
}

static void note_good(const char *path)
{
	pthread_mutex_lock(&good.lock);
	PERUN_GROW(good.items, good.count, good.capacity);
	good.items[good.count++] =
		(struct good_path){perun_strdup(path), perun_hash_text(path, strlen(path))};
	pthread_mutex_unlock(&good.lock);
}

/* The path with the text of the link that its first `end` characters name in place of them. */
static char *follow(const char *path, size_t end)
{
	char *link = perun_strndup(path, end), text[4096];
	ssize_t length = readlink(link, text, sizeof text - 1);
	char *next = NULL;

	text[length > 0 ? length : 0] = '\0';
	if (length > 0 && *text == '/')
		next = perun_format("%s%s", text, path + end);
	else if (length > 0)
		next = perun_format("%.*s/%s%s", (int)(strrchr(link, '/') - link), link, text,
				    path + end);
	perun_free(link);
	return next;
}

/*
 * What the first `end` characters name; then `*end` goes on to the next component, or to 0 for a link,
 * whose text is in `*path` now.
 */
static int check_step(struct perun_ctx *ctx, char **path, size_t *end, const char *whole)
{
	char *component = perun_strndup(*path, *end), *next;
	size_t from = *end + strspn(*path + *end, "/");
	struct stat status = {0};
	bool last = !(*path)[from];
	int result = PERUN_OK;

	if (!last && is_good(component))
		;
	else if (lstat(component, &status) != 0)
		result = perun_fail_errno(ctx, PERUN_MISSING, errno, "%s", whole);
	else
		result = check_component(ctx, component, &status, last, whole);
	if (result == PERUN_OK && !last && S_ISDIR(status.st_mode))
		note_good(component);
	perun_free(component);
	if (result == PERUN_OK && S_ISLNK(status.st_mode)) {
		next = follow(*path, *end);
		if (!next)
			return perun_fail(ctx, PERUN_MISSING, "%s: a link cannot be read", whole);
		perun_free(*path);
		*path = next;
		*end = 0;
	} else {
		*end = from + strcspn(*path + from, "/");
	}
	return result;
}

/* What the first `end` characters name, then the rest, and all again for each link; `..` comes after the directory that it leaves. */
static int check_from(struct perun_ctx *ctx, const char *path, size_t end)
{
	char *left = perun_strdup(path);
	size_t done = 0;
	unsigned links = 0;
	int result = PERUN_OK;

	if (*path != '/')
		result = perun_fail(ctx, PERUN_MISSING, "%s is not an absolute path", path);
	while (result == PERUN_OK && end > done) {
		done = end;
		result = check_step(ctx, &left, &end, path);
		if (result != PERUN_OK || end > 0)
			continue;
		done = 0;
		end = 1;
		if (++links > MAX_LINKS)
			result = perun_fail(ctx, PERUN_MISSING, "%s is refused: too many links",
					    path);
	}
	perun_free(left);
	return result;
}

int plugin_path_check(struct perun_ctx *ctx, const char *path)
{
	return check_from(ctx, path, 1);
}

int plugin_file_check(struct perun_ctx *ctx, const char *path)
{
	return check_from(ctx, path, strlen(path));
}

/* ---- the search path ------------------------------------------------------------------------- */

struct walk {
	struct perun_ctx *ctx;
	plugin_directory_visit *visit;
	void *data;
	char **seen;
	size_t count, capacity;
};

static void visit_directory(struct walk *walk, const char *directory)
{
	struct perun_ctx *trouble;

	for (size_t i = 0; i < walk->count; i++) {
		if (strcmp(walk->seen[i], directory) == 0)
			return;
	}
	PERUN_GROW(walk->seen, walk->count, walk->capacity);
	walk->seen[walk->count++] = perun_strdup(directory);
	if (access(directory, F_OK) != 0)
		return;
	trouble = perun_ctx_new(NULL);
	if (plugin_path_check(trouble, directory) == PERUN_OK)
		walk->visit(walk->ctx, directory, walk->data);
	else
		perun_warn(walk->ctx, "plugin directory %s", perun_ctx_error(trouble));
	perun_ctx_free(trouble);
}

static void visit_list(struct walk *walk, const char *list)
{
	while (list) {
		const char *colon = strchr(list, ':');
		char *directory =
			colon ? perun_strndup(list, (size_t)(colon - list)) : perun_strdup(list);

		/* A relative one would mean the current directory: cloned code must not run. */
		if (*directory == '/')
			visit_directory(walk, directory);
		else if (*directory == '\0')
			visit_directory(walk, PERUN_PLUGIN_DIR);
		else
			perun_warn(walk->ctx,
				   "PERUN_PLUGIN_PATH: %s is left out: not an absolute path",
				   directory);
		perun_free(directory);
		list = colon ? colon + 1 : NULL;
	}
}

void plugin_path_walk(struct perun_ctx *ctx, plugin_directory_visit *visit, void *data)
{
	struct walk walk = {.ctx = ctx, .visit = visit, .data = data};
	const char *list = secure_getenv("PERUN_PLUGIN_PATH");
	const char *user = secure_getenv("XDG_DATA_HOME");
	const char *home = secure_getenv("HOME");
	char *directory = NULL;

	if (list && *list)
		visit_list(&walk, list);
	if (user && *user == '/')
		directory = perun_format("%s/perun/plugins", user);
	else if (home && *home == '/')
		directory = perun_format("%s/.local/share/perun/plugins", home);
	if (directory)
		visit_directory(&walk, directory);
	perun_free(directory);
	visit_directory(&walk, PERUN_PLUGIN_DIR);
	for (size_t i = 0; i < walk.count; i++)
		perun_free(walk.seen[i]);
	perun_free(walk.seen);
}
