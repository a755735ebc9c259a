/* SPDX-License-Identifier: BSD-3-Clause */
/* Versions, and the names that they have. */
#include <stdlib.h>
#include <string.h>

#include "hg.h"

/* Objects of JSON, one a line: a message may have any characters. */
#define VERSION                                                         \
	"{dict(node=node,one=p1node,two=p2node,author=(author|person)," \
	"email=(author|email),date=(date|hgdate),text=desc)|json}\n"
#define NAME(KEY) "{dict(name=" KEY ",node=node)|json}\n"

bool hg_is_null(const char *node)
{
	return node[strspn(node, "0")] == '\0';
}

/* ---- what hg prints, line by line -------------------------------------------------------------- */

typedef int take_line(void *data, const struct perun_json *object);

/* Take all whole lines of a text, and leave the rest. */
static int take_lines(struct perun_ctx *ctx, struct perun_buffer *text, take_line *take, void *data)
{
	size_t start = 0;
	char *end;
	int status = PERUN_OK;

	while (!status && (end = memchr(text->data + start, '\n', text->length - start))) {
		struct perun_json *object = NULL;
		size_t length = (size_t)(end - text->data) - start;

		status = perun_json_parse(ctx, text->data + start, length, NULL, &object);
		if (!status)
			status = take(data, object);
		perun_json_free(object);
		start += length + 1;
	}
	if (start) {
		memmove(text->data, text->data + start, text->length - start);
		text->length -= start;
	}
	return status;
}

/* Run hg and take what it prints as it comes; a visit that has seen enough ends it. */
static int each_line(struct perun_ctx *ctx, const struct hg *hg, const char *const *words,
		     take_line *take, void *data)
{
	struct perun_buffer text = {0};
	struct hg_child child;
	int taken = PERUN_OK, status = hg_start(ctx, hg, words, &child);

	if (status)
		return status;
	while (!taken && hg_read(&child, &text))
		taken = perun_cancelled(ctx) ? perun_fail(ctx, PERUN_CANCELLED, "interrupted")
					     : take_lines(ctx, &text, take, data);
	if (taken)
		hg_stop(&child);
	else
		status = hg_end(ctx, &child, NULL);
	perun_buffer_free(&text);
	return status ? status : taken == PERUN_STOP ? PERUN_OK : taken;
}

/* ---- minor versions ---------------------------------------------------------------------------- */

struct minor_visit {
	perun_minor_version_visit *visit;
	void *data;
	size_t count;
};

static int take_version(void *data, const struct perun_json *object)
{
	struct minor_visit *visit = data;
	const char *parents[2] = {perun_json_get_text(object, "one"),
				  perun_json_get_text(object, "two")};
	const char *email = perun_json_get_text(object, "email");
	struct perun_minor_version version = {.struct_size = sizeof version,
					      .checksum = perun_json_get_text(object, "node"),
					      .author = perun_json_get_text(object, "author"),
					      .email = strchr(email, '@') ? email : "",
					      .description = perun_json_get_text(object, "text"),
					      .parents = parents};

	/* One date, which a rebase keeps: seconds and the zone. */
	version.date = version.authored = strtoll(perun_json_get_text(object, "date"), NULL, 10);
	if (hg_is_null(version.checksum))
		return PERUN_OK;
	while (version.parent_count < 2 && !hg_is_null(parents[version.parent_count]))
		version.parent_count++;
	visit->count++;
	return visit->visit(visit->data, &version);
}

static int walk(struct perun_ctx *ctx, const struct hg *hg, char *set, struct minor_visit *visit)
{
	int status = each_line(ctx, hg, HG("log", "-r", set, "-T", VERSION), take_version, visit);

	perun_free(set);
	return status;
}

/* What is no full checksum is a name. The caller frees it. */
static int complete(struct perun_ctx *ctx, struct hg *hg, const char *version, char **checksum)
{
	if (strlen(version) == 40 && version[strspn(version, "0123456789abcdef")] == '\0') {
		*checksum = perun_strdup(version);
		return PERUN_OK;
	}
	return hg_resolve(hg, ctx, version, NULL, checksum);
}

/* Numbers of revisions are in the order of a walk: children have larger ones than their parents. */
int hg_walk(void *instance, struct perun_ctx *ctx, const char *head,
	    perun_minor_version_visit *visit, void *data)
{
	struct minor_visit each = {visit, data, 0};
	char *last;
	int status = complete(ctx, instance, head, &last);

	if (!status)
		status = walk(ctx, instance, perun_format("reverse(::%s)", last), &each);
	perun_free(last);
	return status;
}

int hg_walk_range(void *instance, struct perun_ctx *ctx, const char *exclude, const char *head,
		  perun_minor_version_visit *visit, void *data)
{
	struct minor_visit each = {visit, data, 0};
	char *first = NULL, *last = NULL;
	int status = complete(ctx, instance, exclude, &first);

	if (!status)
		status = complete(ctx, instance, head, &last);
	if (!status)
		status = walk(ctx, instance, perun_format("reverse(only(%s, %s))", last, first),
			      &each);
	perun_free(first);
	perun_free(last);
	return status;
}

int hg_info(void *instance, struct perun_ctx *ctx, const char *checksum,
	    perun_minor_version_visit *visit, void *data)
{
	struct minor_visit each = {visit, data, 0};
	int status = walk(ctx, instance, perun_format("present('%s')", checksum), &each);

	return status || each.count
		       ? status
		       : perun_fail(ctx, PERUN_USAGE, "there is no version %s", checksum);
}

/* ---- names ------------------------------------------------------------------------------------- */

struct major_visit {
	perun_major_version_visit *visit;
	void *data;
	bool stopped;
};

static int take_name(void *data, const struct perun_json *object)
{
	struct major_visit *visit = data;
	const struct perun_major_version version = {.struct_size = sizeof version,
						    .name = perun_json_get_text(object, "name"),
						    .head = perun_json_get_text(object, "node")};
	int status = hg_is_null(version.head) ? PERUN_OK : visit->visit(visit->data, &version);

	visit->stopped = status != PERUN_OK;
	return status;
}

/* Bookmarks move as the branches of git do, so they count as branches, too. */
static int walk_names(struct perun_ctx *ctx, const struct hg *hg, bool tags,
		      struct major_visit *visit)
{
	int status = each_line(ctx, hg, HG("branches", "-T", NAME("branch")), take_name, visit);

	if (!status && !visit->stopped)
		status = each_line(ctx, hg, HG("bookmarks", "-T", NAME("bookmark")), take_name,
				   visit);
	if (!status && !visit->stopped && tags)
		status = each_line(ctx, hg, HG("tags", "-T", NAME("tag")), take_name, visit);
	return status;
}

int hg_walk_branches(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
		     void *data)
{
	struct major_visit each = {visit, data, false};

	return walk_names(ctx, instance, false, &each);
}

int hg_walk_names(void *instance, struct perun_ctx *ctx, perun_major_version_visit *visit,
		  void *data)
{
	struct major_visit each = {visit, data, false};

	return walk_names(ctx, instance, true, &each);
}

static int keep_object(void *data, const struct perun_json *object)
{
	*(struct perun_json **)data = perun_json_clone(object);
	return PERUN_STOP;
}

int hg_place(struct perun_ctx *ctx, const struct hg *hg, struct perun_json **place)
{
	int status;

	*place = NULL;
	status = each_line(ctx, hg,
			   HG("log", "-r", "wdir()", "-T",
			      "{dict(node=p1node,branch=branch,bookmark=activebookmark,"
			      "committed=join(revset('.') % '{branch}', ''))|json}\n"),
			   keep_object, place);
	return status || *place
		       ? status
		       : perun_fail(ctx, PERUN_INPUT, "hg does not say where %s is", hg->root);
}

int hg_head(void *instance, struct perun_ctx *ctx, char **checksum)
{
	struct perun_json *place;
	int status = hg_place(ctx, instance, &place);
	const char *node = perun_json_get_text(place, "node");

	*checksum = status || hg_is_null(node) ? NULL : perun_strdup(node);
	perun_json_free(place);
	return status;
}

int hg_branch(void *instance, struct perun_ctx *ctx, char **name)
{
	struct perun_json *place;
	int status = hg_place(ctx, instance, &place);
	const char *bookmark = perun_json_get_text(place, "bookmark");

	*name = status ? NULL
		       : perun_strdup(*bookmark ? bookmark : perun_json_get_text(place, "branch"));
	perun_json_free(place);
	return status;
}

/* ---- from a name to a version ------------------------------------------------------------------ */

/* HEAD~2^ and the like: how far the name goes. */
static size_t name_length(const char *parameter)
{
	size_t length = strcspn(parameter, "^~");

	return parameter[length + strspn(parameter + length, "^~0123456789")] ? strlen(parameter)
									      : length;
}

/*
 * The revset for what a user wrote: as git says it, as hg says it, or, where it has parentheses, a revset. A name is
 * quoted, and one that is not there is an empty set. The caller frees it.
 */
static char *make_revset(const char *parameter)
{
	size_t length = name_length(parameter);
	struct perun_buffer set = {0};

	if (strchr(parameter, '('))
		return perun_strdup(parameter);
	if (length == 4 && strncmp(parameter, "HEAD", 4) == 0) {
		perun_buffer_add_char(&set, '.');
	} else {
		perun_buffer_add_text(&set, "present('");
		for (size_t i = 0; i < length; i++) {
			if (strchr("\\'", parameter[i]))
				perun_buffer_add_char(&set, '\\');
			perun_buffer_add_char(&set, parameter[i]);
		}
		perun_buffer_add_text(&set, "')");
	}
	for (const char *rest = parameter + length; *rest; rest++) {
		perun_buffer_add_char(&set, *rest);
		if (*rest == '~' && !strspn(rest + 1, "0123456789"))
			perun_buffer_add_char(&set, '1');
	}
	return perun_buffer_take(&set);
}

struct found {
	char *node;
	size_t count;
};

static int keep_node(void *data, const struct perun_json *object)
{
	struct found *found = data;
	const char *node = perun_json_get_text(object, "node");

	/* The working directory is no version. */
	if (hg_is_null(node) || node[strspn(node, "f")] == '\0')
		return PERUN_OK;
	if (found->count++ == 0)
		found->node = perun_strdup(node);
	return PERUN_OK;
}

static int find(struct perun_ctx *ctx, const struct hg *hg, char *set, struct found *found)
{
	int status = each_line(ctx, hg,
			       HG("log", "-l", "2", "-r", set, "-T", "{dict(node=node)|json}\n"),
			       keep_node, found);

	perun_free(set);
	return status;
}

int hg_resolve(void *instance, struct perun_ctx *ctx, const char *parameter, const char *type,
	       char **checksum)
{
	struct found found = {0};
	int status = PERUN_OK;

	(void)type;
	if (*parameter && *parameter != '-')
		status = find(ctx, instance, make_revset(parameter), &found);
	if (!status && found.count > 1)
		status = perun_fail(ctx, PERUN_USAGE, "%s names more than one version", parameter);
	else if (!status && !found.node)
		status = perun_fail(ctx, PERUN_USAGE, "there is no version %s", parameter);
	*checksum = status ? NULL : perun_strdup(found.node);
	perun_free(found.node);
	return status;
}

int hg_check(void *instance, struct perun_ctx *ctx, const char *checksum)
{
	char *found;
	int status = hg_resolve(instance, ctx, checksum, NULL, &found);

	perun_free(found);
	return status;
}

int hg_merge_base(void *instance, struct perun_ctx *ctx, const char *one, const char *other,
		  char **checksum)
{
	struct found found = {0};
	int status = find(ctx, instance, perun_format("ancestor(%s, %s)", one, other), &found);

	*checksum = found.node;
	return status;
}
