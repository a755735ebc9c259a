/* SPDX-License-Identifier: BSD-3-Clause */
/* Sending what a store has and nobody has sent yet. */
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <perun/lib/lookup.h>
#include <perun/machine.h>

#include "core/context/structs.h"
#include "core/store/scan.h"
#include "core/store/share.h"

/* Bytes of lines in a file. */
enum { MAX_LINES = 1 << 20 };

struct push {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_vcs *vcs;
	struct perun_shared *shared;
	char *writer, *generation; /* whose files are profiles */
	struct share_set known; /* "MINOR CHECKSUM" of what is there, and paths of our own files */
	struct share_set own;   /* names of our references, which are visited first */
	struct perun_scan scan;
	size_t at;                    /* of the scan */
	struct perun_entries entries; /* of the index at hand */
	size_t entry;
	bool has_entries;
	int64_t date;              /* of its version */
	struct perun_buffer lines; /* not given yet */
	struct perun_json *statements;
	size_t document, statement; /* of share_documents */
	bool said;                  /* statements are given, not profiles */
	/* The file that is given: lives until the next one is asked for. */
	struct perun_buffer path, data;
	char attachment[PERUN_CHECKSUM_SIZE]; /* to be given next; "" = none */
	/* The series of the object that was given last, for a file of SHARE_LATEST; and those that have one in this push. */
	char series[PERUN_CHECKSUM_SIZE + 1];
	struct share_set given;
	bool named; /* the object that was given is the first of its series */
};

/* ---- what is there ---------------------------------------------------------------------------- */

static void know_lines(struct push *push, const struct perun_vcs_file *file)
{
	char *text = perun_strndup(file->data, file->size), *rest = text, *line;
	struct share_line parsed;

	while ((line = strsep(&rest, "\n"))) {
		char *key;

		if (!share_line_parse(line, &parsed))
			continue;
		key = perun_format("%s %s", parsed.minor, parsed.checksum);
		share_set_add(&push->known, key);
		perun_free(key);
	}
	perun_free(text);
}

static int know_file(void *data, struct perun_ctx *ctx, const struct perun_vcs_file *file)
{
	struct push *push = data;

	(void)ctx;
	if (strncmp(file->path, SHARE_ENTRIES, strlen(SHARE_ENTRIES)) == 0)
		know_lines(push, file);
	return PERUN_OK;
}

/* A generation has all objects that it names, since others may be dropped. */
static int know_own_file(void *data, struct perun_ctx *ctx, const struct perun_vcs_file *file)
{
	struct push *push = data;

	if (strncmp(file->path, SHARE_LATEST, strlen(SHARE_LATEST)) == 0)
		return PERUN_OK;
	share_set_add(&push->known, file->path);
	return know_file(data, ctx, file);
}

static int know_own_statement(void *data, struct perun_ctx *ctx, const struct perun_vcs_file *file)
{
	return strncmp(file->path, SHARE_STATEMENTS, strlen(SHARE_STATEMENTS)) == 0
		       ? know_own_file(data, ctx, file)
		       : know_file(data, ctx, file);
}

static int know_writer(void *data, struct perun_ctx *ctx, const char *remote, const char *writer,
		       const char *state)
{
	struct push *push = data;
	perun_vcs_file_visit *visit = know_file;

	/* What a remote has of us is a part of what we have, but for generations that were dropped. */
	if (remote && share_set_find(&push->own, writer))
		return PERUN_OK;
	if (!remote)
		share_set_add(&push->own, writer);
	if (!remote && strcmp(writer, push->generation) == 0)
		visit = know_own_file;
	else if (!remote && strcmp(writer, push->writer) == 0)
		visit = know_own_statement;
	return perun_vcs_share_files(ctx, push->vcs, NULL, state, visit, push);
}

/* ---- files, one after the other --------------------------------------------------------------- */

/* The bytes that an object's checksum is of. The Python program's header counts characters. */
static int object_content(struct push *push, const char *checksum, struct perun_buffer *out)
{
	struct perun_object object;
	char made[PERUN_CHECKSUM_SIZE];
	uint64_t characters = 0;
	int status = perun_object_read(push->ctx, push->store, checksum, true, &object);

	if (status)
		return status;
	for (uint64_t i = 0; i < object.length; i++)
		characters += ((unsigned char)object.body[i] & 0xc0) != 0x80;
	for (unsigned attempt = 0; attempt < 2; attempt++) {
		perun_buffer_clear(out);
		perun_buffer_printf(out, "%s %s %llu",
				    object.kind == PERUN_OBJECT_PROFILE ? "profile" : "attachment",
				    object.type,
				    (unsigned long long)(attempt ? characters : object.length));
		perun_buffer_add(out, "", 1);
		perun_buffer_add(out, object.body, (size_t)object.length);
		perun_sha_of(out->data, out->length, made);
		if (strcmp(made, checksum) == 0)
			break;
	}
	perun_object_free(&object);
	return strcmp(made, checksum) == 0
		       ? PERUN_OK
		       : perun_fail(push->ctx, PERUN_INPUT, "object %s is damaged", checksum);
}

static char *machine_name(struct push *push, const char *checksum)
{
	struct perun_json *facts = NULL;
	const struct perun_json *machine;
	struct perun_builder *builder;
	struct perun_profile *profile = NULL;
	char *name = NULL;

	if (perun_store_read_facts(push->ctx, push->store, checksum, &facts)) {
		perun_ctx_clear(push->ctx);
		return perun_strdup("");
	}
	machine = perun_json_get(facts, "machine");
	if (machine) {
		builder = perun_builder_new();
		perun_json_set(perun_builder_document(builder), "machine",
			       perun_json_clone(machine));
		if (perun_builder_finish(push->ctx, builder, &profile) == PERUN_OK)
			name = perun_machine_name(profile);
		perun_profile_unref(profile);
	}
	perun_json_free(facts);
	return name ? name : perun_strdup("");
}

/*
 * Profiles of one series are alike, and so are the files that they were imported from, whose names may have a date or a
 * number. One name for what is not alike does no harm.
 */
static void name_series(struct push *push, const struct perun_facts *facts)
{
	const char *const texts[] = {facts->type,     facts->cmd,       facts->args,
				     facts->workload, facts->collector, facts->postprocessors};
	struct perun_buffer key = {0};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		for (const char *c = texts[i] ? texts[i] : ""; *c; c++)
			if (*c < '0' || *c > '9')
				perun_buffer_add_char(&key, *c);
		perun_buffer_add_char(&key, '\n');
	}
	share_name(key.data, key.length, push->series);
	perun_buffer_free(&key);
}

/* Note the line of an entry, and give its object. */
static int give_entry(struct push *push, const struct perun_entry *entry)
{
	struct share_line line = {.time = entry->time, .date = push->date, .name = entry->path};
	struct perun_facts facts = {0};
	char *machine = machine_name(push, entry->checksum);
	const char *body;
	int status = object_content(push, entry->checksum, &push->data);

	line.machine = machine;
	memcpy(line.minor, push->scan.items[push->at].checksum, sizeof line.minor);
	memcpy(line.checksum, entry->checksum, sizeof line.checksum);
	body = status ? "" : push->data.data + strlen(push->data.data) + 1;
	if (!status)
		status = perun_facts_read(push->ctx, body,
					  push->data.length - (size_t)(body - push->data.data),
					  &facts);
	if (!status && facts.attachment)
		memcpy(line.attachment, facts.attachment, PERUN_SHA1_DIGITS + 1);
	memcpy(push->attachment, line.attachment, sizeof push->attachment);
	if (!status) {
		share_line_add(&push->lines, &line);
		name_series(push, &facts);
	}
	perun_facts_free(&facts);
	perun_free(machine);
	return status;
}

static int find_date(void *data, const struct perun_minor_version *version)
{
	struct push *push = data;

	push->date = version->date > 0 ? version->date : 0;
	return PERUN_OK;
}

/* Go to the next index with entries; the end of the scan is its count. */
static int next_index(struct push *push)
{
	int status = PERUN_OK;

	if (push->has_entries) {
		perun_entries_free(&push->entries);
		push->has_entries = false;
		push->at++;
	}
	while (push->at < push->scan.count && push->scan.items[push->at].kind != PERUN_SCAN_INDEX)
		push->at++;
	if (push->at == push->scan.count)
		return PERUN_OK;
	push->entry = 0;
	push->date = 0;
	status = perun_index_load(push->ctx, push->store, push->scan.items[push->at].checksum,
				  &push->entries, NULL);
	push->has_entries = !status;
	/* A version that the repository does not know any more has no date. */
	if (!status &&
	    perun_vcs_get_minor_version_info(push->ctx, push->vcs,
					     push->scan.items[push->at].checksum, find_date, push))
		perun_ctx_clear(push->ctx);
	return status;
}

/* The next entry that nobody has sent; NULL after the last one. */
static int next_entry(struct push *push, const struct perun_entry **entry)
{
	int status = PERUN_OK;

	*entry = NULL;
	while (!status) {
		while (push->has_entries && push->entry < push->entries.count) {
			const struct perun_entry *own = &push->entries.items[push->entry++];
			char *key = perun_format("%s %s", push->scan.items[push->at].checksum,
						 own->checksum);
			bool fresh = share_set_add(&push->known, key);

			perun_free(key);
			if (fresh) {
				*entry = own;
				return PERUN_OK;
			}
		}
		status = next_index(push);
		if (!push->has_entries)
			return status;
	}
	return status;
}

static void set_path(struct push *push, const char *folder, const char *checksum)
{
	perun_buffer_clear(&push->path);
	perun_buffer_printf(&push->path, "%s%.2s/%s", folder, checksum, checksum + 2);
}

/* Name an object; false where it was given already. */
static bool give_object(struct push *push, const char *checksum)
{
	set_path(push, SHARE_OBJECTS, checksum);
	return share_set_add(&push->known, push->path.data);
}

static void give_lines(struct push *push)
{
	char name[PERUN_CHECKSUM_SIZE + 1];

	share_name(push->lines.data, push->lines.length, name);
	perun_buffer_clear(&push->path);
	perun_buffer_printf(&push->path, SHARE_ENTRIES "%s", name);
	perun_buffer_clear(&push->data);
	perun_buffer_add(&push->data, push->lines.data, push->lines.length);
	perun_buffer_clear(&push->lines);
}

/* The next thing of our own that somebody said; the end is a document without a name. */
static int next_statement(struct push *push, bool *given)
{
	int status = PERUN_OK;

	for (*given = false; !status && share_documents[push->document];) {
		const char *name = share_documents[push->document];
		char hash[PERUN_CHECKSUM_SIZE + 1];
		struct perun_json *item;

		if (!push->statements) {
			status = perun_store_document(push->ctx, push->store, name,
						      &push->statements);
			push->statement = 0;
			continue;
		}
		if (push->statement == perun_json_count(push->statements)) {
			perun_json_free(push->statements);
			push->statements = NULL;
			push->document++;
			continue;
		}
		item = perun_json_at(push->statements, push->statement++);
		if (perun_json_get(item, SHARE_WRITER))
			continue;
		perun_buffer_clear(&push->data);
		perun_json_print(item, &push->data, PERUN_JSON_COMPACT, 0);
		share_name(push->data.data, push->data.length, hash);
		perun_buffer_clear(&push->path);
		perun_buffer_printf(&push->path, SHARE_STATEMENTS "%s/%s", name, hash);
		*given = share_set_add(&push->known, push->path.data);
		if (*given) {
			push->shared->statements++;
			return PERUN_OK;
		}
	}
	return status;
}

/* The same bytes once more under the name of their series, if these are the first ones of it in this push. */
static bool give_latest(struct push *push)
{
	const char *kind = strncmp(push->data.data, "attachment", 10) == 0 ? "-original" : "";
	bool fresh;

	push->named = false;
	perun_buffer_clear(&push->path);
	perun_buffer_printf(&push->path, SHARE_LATEST "%s%s", push->series, kind);
	fresh = share_set_add(&push->given, push->path.data);
	return fresh;
}

/* Objects come before the lines that name them, so that the last file is one of lines. */
static int next_profile(struct push *push, bool *given)
{
	const struct perun_entry *entry;
	int status = PERUN_OK;

	for (*given = false; !status && !*given;) {
		if (push->named && give_latest(push)) {
			*given = true;
			return PERUN_OK;
		}
		if (*push->attachment) {
			char checksum[PERUN_CHECKSUM_SIZE];

			memcpy(checksum, push->attachment, sizeof checksum);
			*push->attachment = '\0';
			*given = push->named = give_object(push, checksum);
			if (*given)
				status = object_content(push, checksum, &push->data);
			continue;
		}
		if (push->lines.length > MAX_LINES) {
			give_lines(push);
			*given = true;
			return PERUN_OK;
		}
		status = next_entry(push, &entry);
		if (status || !entry)
			break;
		push->shared->profiles++;
		status = give_entry(push, entry);
		*given = push->named = !status && give_object(push, entry->checksum);
	}
	if (!status && !*given && push->lines.length) {
		give_lines(push);
		*given = true;
	}
	return status;
}

static int next_file(void *data, struct perun_ctx *ctx, struct perun_vcs_file *file)
{
	struct push *push = data;
	bool given = false;
	int status = perun_cancelled(ctx) ? PERUN_CANCELLED
		     : push->said         ? next_statement(push, &given)
					  : next_profile(push, &given);

	*file = (struct perun_vcs_file){0};
	if (!status && given)
		*file = (struct perun_vcs_file){push->path.data, push->data.data,
						push->data.length};
	return status;
}

/* ---- all of it -------------------------------------------------------------------------------- */

/* Whether there is a file to give: a push without anything new makes no commit. */
struct first {
	struct push *push;
	struct perun_vcs_file file;
	bool given;
};

static int first_or_next(void *data, struct perun_ctx *ctx, struct perun_vcs_file *file)
{
	struct first *first = data;

	if (first->given)
		return next_file(first->push, ctx, file);
	first->given = true;
	*file = first->file;
	return PERUN_OK;
}

/* Add what is new to the files of a writer of ours. */
static int add(struct push *push, const char *writer)
{
	struct first first = {.push = push};
	int status = next_file(push, push->ctx, &first.file);

	return status || !first.file.path
		       ? status
		       : perun_vcs_share_add(push->ctx, push->vcs, writer, first_or_next, &first);
}

static int send(struct push *push, const char *remote)
{
	int status;

	push->generation = share_generation(push->writer, (int64_t)time(NULL));
	status = perun_vcs_share_writers(push->ctx, push->vcs, know_writer, push);
	if (!status)
		status = perun_scan(push->ctx, push->store, &push->scan);
	if (!status)
		status = add(push, push->generation);
	push->said = true;
	if (!status)
		status = add(push, push->writer);
	/* What an earlier push had no time to send goes now. */
	if (!status)
		status = perun_vcs_share_push(push->ctx, push->vcs, remote, push->writer);
	return status;
}

int perun_share_push(struct perun_ctx *ctx, struct perun_store *store,
		     const struct perun_share_options *given, struct perun_shared *shared)
{
	struct perun_share_options options = {0};
	struct perun_shared sent = {0};
	struct push push = {.ctx = ctx, .store = store, .shared = &sent};
	int lock = -1, status;

	PERUN_STRUCT_TAKE(&options, given);
	status = share_lock(ctx, store, &lock);
	if (!status)
		status = perun_store_vcs(ctx, store, &push.vcs);
	if (!status)
		status = share_writer(ctx, store, true, &push.writer);
	if (!status)
		status = send(&push, options.remote);
	if (!status)
		memcpy(sent.writer, push.writer, strlen(push.writer) + 1);
	sent.struct_size = sizeof sent;
	*shared = sent;
	if (push.has_entries)
		perun_entries_free(&push.entries);
	perun_scan_free(&push.scan);
	perun_json_free(push.statements);
	share_set_free(&push.known);
	share_set_free(&push.own);
	share_set_free(&push.given);
	perun_buffer_free(&push.lines);
	perun_buffer_free(&push.path);
	perun_buffer_free(&push.data);
	perun_free(push.writer);
	perun_free(push.generation);
	if (lock >= 0)
		close(lock);
	return status;
}
