/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What others sent becomes a part of the store. All of it is somebody else's word: names are checked before they become
 * paths, objects by their SHA-1 and their form, and what does not hold is left out with a warning.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include <perun/lib/program.h>

#include "core/context/structs.h"
#include "core/store/deflate-small.h"
#include "core/store/share.h"

/* An object that lines name, and what an entry says of it. */
struct wanted {
	char checksum[PERUN_CHECKSUM_SIZE];
	bool attachment, there, written;
	bool incoming;            /* in the list of those that are written next */
	struct perun_facts facts; /* of a profile, once it is read */
	bool read;
};

struct incoming;

struct fetch {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_vcs *vcs;
	const struct perun_share_options *options;
	struct perun_shared *shared;
	char *own;                      /* our name; NULL = none yet */
	char writer[SHARE_WRITER_SIZE]; /* whose files these are */
	struct perun_transaction *transaction;
	char **texts; /* that lines lie in */
	size_t text_count, text_capacity;
	struct share_line *lines;
	size_t line_count, line_capacity;
	struct wanted *wanted;
	size_t wanted_count, wanted_capacity;
	struct share_set numbers;  /* names of wanted, in the same order */
	struct incoming *incoming; /* not written yet */
	size_t incoming_count, incoming_capacity, incoming_bytes;
	struct perun_json *statements[2]; /* of share_documents */
	bool warned;
	struct perun_words
		others; /* classes of machine that were left out, as far as they are named */
	bool matched;   /* the wanted one was there */
};

/* How many are named where none is the wanted one. */
#define MAX_NAMED 6

static void warn(struct fetch *fetch, const char *what)
{
	fetch->shared->damaged++;
	if (!fetch->warned)
		perun_warn(fetch->ctx, "of what %s shares not everything can be used: %s",
			   fetch->writer, what);
	fetch->warned = true;
}

/* ---- lines ------------------------------------------------------------------------------------ */

static struct wanted *find_wanted(const struct fetch *fetch, const char *checksum)
{
	size_t number = share_set_find(&fetch->numbers, checksum);

	return number ? &fetch->wanted[number - 1] : NULL;
}

static void want(struct fetch *fetch, const char *checksum, bool attachment)
{
	struct wanted *wanted;

	if (!share_set_add(&fetch->numbers, checksum))
		return;
	PERUN_GROW(fetch->wanted, fetch->wanted_count, fetch->wanted_capacity);
	wanted = &fetch->wanted[fetch->wanted_count++];
	*wanted = (struct wanted){.attachment = attachment,
				  .there = !perun_names_lack(fetch->store, checksum) &&
					   perun_object_exists(fetch->store, checksum)};
	memcpy(wanted->checksum, checksum, strlen(checksum) + 1);
}

static void note_class(struct fetch *fetch, const char *machine)
{
	for (size_t i = 0; i < fetch->others.count; i++)
		if (strcmp(fetch->others.items[i], machine) == 0)
			return;
	if (fetch->others.count < MAX_NAMED)
		perun_words_add(&fetch->others, machine, strlen(machine));
}

static bool is_left_out(struct fetch *fetch, const struct share_line *line)
{
	const char *machine = fetch->options->machine;

	if (machine && !strcasestr(line->machine, machine)) {
		note_class(fetch, line->machine);
		return true;
	}
	fetch->matched = true;
	return line->date < fetch->options->since;
}

/* Nobody knows by heart how classes are called. */
static void name_classes(const struct fetch *fetch)
{
	struct perun_buffer names = {0};

	for (size_t i = 0; i < fetch->others.count; i++) {
		const char *name = fetch->others.items[i];

		perun_buffer_printf(&names, "%s%s", i ? "; " : "", *name ? name : "not known");
	}
	if (!fetch->matched && names.length)
		perun_note(fetch->ctx,
			   "no class of machine has '%s' in its name; what was left out was "
			   "measured on: %s",
			   fetch->options->machine, names.data);
	perun_buffer_free(&names);
}

static void take_lines(struct fetch *fetch, const struct perun_vcs_file *file)
{
	char *text = perun_strndup(file->data, file->size), *rest = text, *each;

	PERUN_GROW(fetch->texts, fetch->text_count, fetch->text_capacity);
	fetch->texts[fetch->text_count++] = text;
	while ((each = strsep(&rest, "\n"))) {
		struct share_line line;

		if (!*each)
			continue;
		if (!share_line_parse(each, &line)) {
			warn(fetch, "a line does not name a profile");
			continue;
		}
		if (is_left_out(fetch, &line)) {
			fetch->shared->left_out++;
			continue;
		}
		PERUN_GROW(fetch->lines, fetch->line_count, fetch->line_capacity);
		fetch->lines[fetch->line_count++] = line;
		want(fetch, line.checksum, false);
		if (*line.attachment)
			want(fetch, line.attachment, true);
	}
}

/* ---- objects ---------------------------------------------------------------------------------- */

/* "profile TYPE LENGTH" and a NUL, then the body, whose length is that of bytes or characters. */
static const char *body_of(const struct perun_vcs_file *file, bool attachment)
{
	const char *word = attachment ? "attachment " : "profile ", *data = file->data;
	const char *end =
		file->size ? memchr(data, 0, file->size < 1024 ? file->size : 1024) : NULL;

	return end && strncmp(data, word, strlen(word)) == 0 ? end + 1 : NULL;
}

/* What an index says of a profile; false where it is none. */
static bool read_facts(struct wanted *wanted, const char *body, size_t size)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);

	wanted->read = perun_facts_read(quiet, body, size, &wanted->facts) == PERUN_OK;
	perun_ctx_free(quiet);
	return wanted->read;
}

/* An object on its way into the store: all that takes time is done by several threads. */
struct incoming {
	size_t at; /* of those that are wanted */
	char *data;
	size_t size;
	bool fresh;           /* the store has no file of its name */
	const char *mistaken; /* why it is left out; NULL = it is not */
};

/* Objects that one thread takes in turn: one in many gives the codes for small ones after it. */
enum { INCOMING_PART = 64, MAX_INCOMING = 8192 };
#define MAX_INCOMING_BYTES ((size_t)64 << 20)

static int write_object(struct perun_ctx *ctx, struct fetch *fetch, struct incoming *incoming,
			struct perun_quick *quick, struct perun_buffer *packed)
{
	struct wanted *wanted = &fetch->wanted[incoming->at];
	struct perun_piece piece = {.fd = -1};
	char path[PERUN_OBJECT_PATH_SIZE];
	int status;

	perun_buffer_clear(packed);
	if (!quick || incoming->size > PERUN_QUICK_LIMIT ||
	    !perun_quick_pack(quick, incoming->data, incoming->size, packed)) {
		uLongf size = compressBound(incoming->size);
		char *room = perun_buffer_reserve(packed, size);

		if (compress2((Bytef *)room, &size, (const Bytef *)incoming->data, incoming->size,
			      Z_DEFAULT_COMPRESSION) != Z_OK)
			return perun_fail(ctx, PERUN_INPUT, "cannot compress object %s",
					  wanted->checksum);
		packed->length = size;
	}
	piece.data = packed->data;
	piece.size = packed->length;
	perun_object_path(wanted->checksum, "", path);
	status = incoming->fresh
			 ? perun_transaction_write_fresh(ctx, fetch->transaction, path, &piece, 1)
			 : perun_transaction_write(ctx, fetch->transaction, PERUN_STAGE_FIRST, path,
						   &piece, 1, NULL);
	wanted->written = !status;
	return status;
}

static int check_and_write(struct perun_ctx *ctx, struct fetch *fetch, struct incoming *incoming,
			   struct perun_quick *quick, struct perun_buffer *packed)
{
	struct wanted *wanted = &fetch->wanted[incoming->at];
	const struct perun_vcs_file file = {"", incoming->data, incoming->size};
	const char *body = body_of(&file, wanted->attachment);
	char made[PERUN_CHECKSUM_SIZE];

	perun_sha_of(incoming->data, incoming->size, made);
	if (!body || strcmp(made, wanted->checksum) != 0)
		incoming->mistaken = "an object is not what its name says";
	else if (!wanted->attachment &&
		 !read_facts(wanted, body, incoming->size - (size_t)(body - incoming->data)))
		incoming->mistaken = "an object is not a profile";
	return incoming->mistaken || wanted->there
		       ? PERUN_OK
		       : write_object(ctx, fetch, incoming, quick, packed);
}

/* Files of neighbours lie in one directory, where threads wait for each other: one after the other is far away. */
static size_t spread(size_t part, size_t parts)
{
	size_t half = (parts + 1) / 2;

	return part % 2 ? half + part / 2 : part / 2;
}

static size_t part_count(size_t count, size_t size)
{
	return (count + size - 1) / size;
}

static int write_some(struct perun_ctx *ctx, size_t number, void *data)
{
	struct fetch *fetch = data;
	size_t part = spread(number, part_count(fetch->incoming_count, INCOMING_PART));
	struct perun_quick *quick =
		fetch->incoming_count > INCOMING_PART ? perun_quick_new() : NULL;
	struct perun_buffer packed = {0};
	size_t end = (part + 1) * INCOMING_PART;
	int status = PERUN_OK;

	if (end > fetch->incoming_count)
		end = fetch->incoming_count;
	for (size_t i = part * INCOMING_PART; !status && i < end; i++)
		status = check_and_write(ctx, fetch, &fetch->incoming[i], quick, &packed);
	perun_buffer_free(&packed);
	perun_quick_free(quick);
	return status;
}

static void drop_incoming(struct fetch *fetch)
{
	for (size_t i = 0; i < fetch->incoming_count; i++)
		perun_free(fetch->incoming[i].data);
	fetch->incoming_count = fetch->incoming_bytes = 0;
}

static int write_incoming(struct fetch *fetch)
{
	size_t count = fetch->incoming_count;
	int status = count ? perun_parallel_for(fetch->ctx, part_count(count, INCOMING_PART),
						write_some, fetch)
			   : PERUN_OK;

	for (size_t i = 0; i < count; i++) {
		struct incoming *incoming = &fetch->incoming[i];

		fetch->wanted[incoming->at].incoming = false;
		if (incoming->mistaken)
			warn(fetch, incoming->mistaken);
	}
	drop_incoming(fetch);
	return status;
}

static int take_object(struct fetch *fetch, const struct perun_vcs_file *file)
{
	const char *name = file->path + strlen(SHARE_OBJECTS);
	char checksum[PERUN_CHECKSUM_SIZE];
	struct wanted *wanted;

	if (strlen(name) != PERUN_SHA1_DIGITS + 1 || name[2] != '/')
		return PERUN_OK;
	memcpy(checksum, name, 2);
	memcpy(checksum + 2, name + 3, PERUN_SHA1_DIGITS - 1);
	wanted = find_wanted(fetch, checksum);
	if (!wanted || wanted->written || wanted->incoming ||
	    (wanted->there && (wanted->attachment || wanted->read)))
		return PERUN_OK;
	wanted->incoming = true;
	PERUN_GROW(fetch->incoming, fetch->incoming_count, fetch->incoming_capacity);
	fetch->incoming[fetch->incoming_count++] = (struct incoming){
		.at = (size_t)(wanted - fetch->wanted),
		.data = perun_memdup(file->data, file->size),
		.size = file->size,
		.fresh = !wanted->there && perun_names_lack(fetch->store, checksum)};
	fetch->incoming_bytes += file->size;
	return fetch->incoming_count >= MAX_INCOMING || fetch->incoming_bytes >= MAX_INCOMING_BYTES
		       ? write_incoming(fetch)
		       : PERUN_OK;
}

/* ---- statements ------------------------------------------------------------------------------- */

/* The item is another's word from here on, and says whose. */
static void take_statement(struct fetch *fetch, const struct perun_vcs_file *file)
{
	const char *name = file->path + strlen(SHARE_STATEMENTS);
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_json *item = NULL;

	for (size_t i = 0; share_documents[i]; i++) {
		size_t length = strlen(share_documents[i]);

		if (strncmp(name, share_documents[i], length) != 0 || name[length] != '/')
			continue;
		if (perun_json_parse(quiet, file->data, file->size, NULL, &item) ||
		    perun_json_type(item) != PERUN_JSON_TYPE_OBJECT) {
			warn(fetch, "a statement is not a JSON object");
			perun_json_free(item);
			break;
		}
		perun_json_set(item, SHARE_WRITER, perun_json_text(fetch->writer));
		if (!fetch->statements[i])
			fetch->statements[i] = perun_json_array();
		perun_json_append(fetch->statements[i], item);
		break;
	}
	perun_ctx_free(quiet);
}

/* A direction of a metric that the store has one for changes nothing. */
static bool is_said(const struct perun_json *list, const struct perun_json *item, bool direction)
{
	const char *metric = perun_json_as_string(perun_json_get(item, "metric"), NULL);

	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *own = perun_json_at(list, i);
		const char *known = perun_json_as_string(perun_json_get(own, "metric"), NULL);

		if (perun_json_equal(own, item) ||
		    (direction && metric && known && strcmp(metric, known) == 0))
			return true;
	}
	return false;
}

struct merging {
	struct fetch *fetch;
	size_t document;
};

static int merge_statements(void *data, struct perun_ctx *ctx, struct perun_json *list)
{
	struct merging *merging = data;
	struct perun_json *items = merging->fetch->statements[merging->document];

	(void)ctx;
	for (size_t i = 0; i < perun_json_count(items); i++) {
		const struct perun_json *item = perun_json_at(items, i);

		if (is_said(list, item, merging->document == 1))
			continue;
		perun_json_append(list, perun_json_clone(item));
		merging->fetch->shared->statements++;
	}
	return PERUN_OK;
}

static int store_statements(struct fetch *fetch)
{
	int status = PERUN_OK;

	for (size_t i = 0; !status && share_documents[i]; i++) {
		struct merging merging = {fetch, i};

		if (fetch->statements[i])
			status = perun_store_edit_document(fetch->ctx, fetch->store,
							   share_documents[i], merge_statements,
							   &merging);
	}
	return status;
}

/* ---- indexes ---------------------------------------------------------------------------------- */

/* Facts of a profile that was in the store already. */
static int need_facts(struct fetch *fetch, struct wanted *wanted)
{
	struct perun_object object;
	int status;

	if (wanted->read || !wanted->there)
		return PERUN_OK;
	status = perun_object_read(fetch->ctx, fetch->store, wanted->checksum, true, &object);
	if (status)
		return status;
	if (object.kind == PERUN_OBJECT_PROFILE)
		read_facts(wanted, object.body, (size_t)object.length);
	perun_object_free(&object);
	return PERUN_OK;
}

static bool is_complete(const struct fetch *fetch, const struct share_line *line)
{
	const struct wanted *profile = find_wanted(fetch, line->checksum);
	const char *attachment = profile->facts.attachment;
	const struct wanted *original = attachment ? find_wanted(fetch, attachment) : NULL;

	if (!profile->read)
		return false;
	return !attachment || (original ? original->there || original->written
					: perun_object_exists(fetch->store, attachment));
}

/* Whether the version has the profile already, and whether another one has its name. */
static bool has_entry(const struct perun_entries *entries, const struct share_line *line,
		      bool *taken)
{
	*taken = false;
	for (size_t i = 0; i < entries->count; i++) {
		if (strcmp(entries->items[i].checksum, line->checksum) == 0)
			return true;
		*taken |= strcmp(entries->items[i].path, line->name) == 0;
	}
	return false;
}

static void put_entry(struct fetch *fetch, struct perun_entries *entries,
		      const struct share_line *line, bool taken)
{
	struct perun_entry entry = {.struct_size = sizeof entry, .time = line->time};
	char *name =
		taken ? perun_format("%s-%s", fetch->writer, line->name) : perun_strdup(line->name);
	size_t place;
	bool there;

	entry.path = perun_entries_text(entries, name, strlen(name));
	memcpy(entry.checksum, line->checksum, PERUN_CHECKSUM_SIZE);
	perun_facts_to_entry(&find_wanted(fetch, line->checksum)->facts, entries, &entry);
	place = perun_entries_place(entries, &entry, &there);
	perun_entries_append(entries, &entry);
	memmove(entries->items + place + 1, entries->items + place,
		(entries->count - 1 - place) * sizeof entry);
	entries->items[place] = entry;
	perun_free(name);
}

/* The lines of one version, and what came of them: threads change nothing else. */
struct update {
	const struct share_line *lines;
	size_t count, added, lacking;
};

static int update_index(struct perun_ctx *ctx, struct fetch *fetch, struct update *update)
{
	const struct share_line *lines = update->lines;
	struct perun_index_file file = {0};
	struct perun_entries entries;
	char path[PERUN_OBJECT_PATH_SIZE];
	bool taken;
	int status = PERUN_OK;

	/* Names were listed within the transaction: what is not among them need not be looked for. */
	if (strlen(lines->minor) == PERUN_SHA1_DIGITS &&
	    perun_names_lack(fetch->store, lines->minor))
		perun_entries_start(&entries);
	else
		status = perun_index_load(ctx, fetch->store, lines->minor, &entries, &file);
	if (status)
		return status;
	for (size_t i = 0; i < update->count; i++) {
		if (has_entry(&entries, &lines[i], &taken))
			continue;
		if (!is_complete(fetch, &lines[i])) {
			update->lacking++;
			continue;
		}
		put_entry(fetch, &entries, &lines[i], taken);
		update->added++;
	}
	perun_object_path(lines->minor, "", path);
	if (update->added)
		status = perun_index_write(ctx, fetch->transaction, path, &entries, &file);
	perun_index_file_free(&file);
	perun_entries_free(&entries);
	return status;
}

struct updates {
	struct fetch *fetch;
	struct update *items;
	size_t count;
};

enum { UPDATES_PART = 64 };

static int update_some(struct perun_ctx *ctx, size_t number, void *data)
{
	struct updates *updates = data;
	size_t part = spread(number, part_count(updates->count, UPDATES_PART));
	size_t end = (part + 1) * UPDATES_PART;
	int status = PERUN_OK;

	for (size_t i = part * UPDATES_PART; !status && i < end && i < updates->count; i++)
		status = update_index(ctx, updates->fetch, &updates->items[i]);
	return status;
}

static int compare_lines(const void *one, const void *other)
{
	const struct share_line *a = one, *b = other;
	int order = strcmp(a->minor, b->minor);

	return order ? order : strcmp(a->checksum, b->checksum);
}

/* Sorted lines, version by version. */
static void split_lines(struct fetch *fetch, struct updates *updates)
{
	if (fetch->line_count)
		qsort(fetch->lines, fetch->line_count, sizeof *fetch->lines, compare_lines);
	updates->items = perun_alloc_zero(fetch->line_count + 1, sizeof *updates->items);
	for (size_t i = 0, next; i < fetch->line_count; i = next) {
		for (next = i + 1; next < fetch->line_count; next++)
			if (strcmp(fetch->lines[i].minor, fetch->lines[next].minor) != 0)
				break;
		updates->items[updates->count++] =
			(struct update){.lines = &fetch->lines[i], .count = next - i};
	}
}

static int update_indexes(struct fetch *fetch)
{
	struct updates updates = {.fetch = fetch};
	int status = PERUN_OK;

	for (size_t i = 0; !status && i < fetch->wanted_count; i++)
		if (!fetch->wanted[i].attachment)
			status = need_facts(fetch, &fetch->wanted[i]);
	split_lines(fetch, &updates);
	if (!status && updates.count)
		status = perun_parallel_for(fetch->ctx, part_count(updates.count, UPDATES_PART),
					    update_some, &updates);
	for (size_t i = 0; i < updates.count; i++) {
		fetch->shared->profiles += updates.items[i].added;
		for (size_t lacking = 0; lacking < updates.items[i].lacking; lacking++)
			warn(fetch, "a profile is missing");
	}
	perun_free(updates.items);
	return status;
}

/* ---- a writer --------------------------------------------------------------------------------- */

/* Paths come in order: lines before the objects that they name. */
static int take_file(void *data, struct perun_ctx *ctx, const struct perun_vcs_file *file)
{
	struct fetch *fetch = data;

	if (perun_cancelled(ctx))
		return PERUN_CANCELLED;
	if (strncmp(file->path, SHARE_ENTRIES, strlen(SHARE_ENTRIES)) == 0)
		take_lines(fetch, file);
	else if (strncmp(file->path, SHARE_OBJECTS, strlen(SHARE_OBJECTS)) == 0)
		return take_object(fetch, file);
	else if (strncmp(file->path, SHARE_STATEMENTS, strlen(SHARE_STATEMENTS)) == 0)
		take_statement(fetch, file);
	return PERUN_OK;
}

/* An object that a new line names may have been sent before the state that the store has. */
static bool lacks_objects(const struct fetch *fetch)
{
	for (size_t i = 0; i < fetch->wanted_count; i++)
		if (!fetch->wanted[i].there && !fetch->wanted[i].written)
			return true;
	return false;
}

static void forget(struct fetch *fetch)
{
	for (size_t i = 0; i < fetch->text_count; i++)
		perun_free(fetch->texts[i]);
	for (size_t i = 0; i < fetch->wanted_count; i++)
		perun_facts_free(&fetch->wanted[i].facts);
	for (size_t i = 0; i < 2; i++) {
		perun_json_free(fetch->statements[i]);
		fetch->statements[i] = NULL;
	}
	drop_incoming(fetch);
	share_set_free(&fetch->numbers);
	fetch->numbers = (struct share_set){0};
	fetch->text_count = fetch->line_count = fetch->wanted_count = 0;
	fetch->warned = false;
}

static int take_objects_alone(void *data, struct perun_ctx *ctx, const struct perun_vcs_file *file)
{
	return strncmp(file->path, SHARE_OBJECTS, strlen(SHARE_OBJECTS)) == 0
		       ? take_file(data, ctx, file)
		       : PERUN_OK;
}

static int take_writer(struct fetch *fetch, const char *since, const char *state)
{
	struct perun_ctx *ctx = fetch->ctx;
	int status = perun_transaction_begin(ctx, fetch->store, "fetch", &fetch->transaction);

	perun_names_list(fetch->store);
	if (!status)
		status = perun_vcs_share_files(ctx, fetch->vcs, since, state, take_file, fetch);
	if (!status)
		status = write_incoming(fetch);
	if (!status && since && lacks_objects(fetch))
		status = perun_vcs_share_files(ctx, fetch->vcs, NULL, state, take_objects_alone,
					       fetch);
	if (!status)
		status = write_incoming(fetch);
	if (!status)
		status = perun_transaction_place(ctx, fetch->transaction);
	if (!status)
		status = update_indexes(fetch);
	if (!status)
		status = perun_transaction_commit(ctx, fetch->transaction);
	perun_transaction_end(fetch->transaction);
	fetch->transaction = NULL;
	return status ? status : store_statements(fetch);
}

/* What filters leave out a later fetch may want: the state is not noted then. */
static int visit_writer(void *data, struct perun_ctx *ctx, const char *remote, const char *writer,
			const char *state)
{
	struct fetch *fetch = data;
	const char *wanted = fetch->options->remote;
	bool all = !fetch->options->since && !fetch->options->machine;
	char *since = NULL, name[SHARE_WRITER_SIZE];
	int status;

	if (!remote || strcmp(remote, wanted) != 0 || share_is_own(fetch->own, writer))
		return PERUN_OK;
	status = share_state(ctx, fetch->store, remote, writer, &since);
	if (status || (since && strcmp(since, state) == 0)) {
		perun_free(since);
		return status;
	}
	/* Generations of a writer come one after the other. */
	share_writer_of(writer, name);
	fetch->shared->writers += strcmp(name, fetch->writer) != 0;
	memcpy(fetch->writer, name, sizeof name);
	status = take_writer(fetch, since, state);
	if (!status && all)
		status = share_set_state(ctx, fetch->store, remote, writer, state);
	forget(fetch);
	perun_free(since);
	if (status)
		perun_fail(ctx, PERUN_OK, "cannot take what %s shares", writer);
	return status;
}

struct choosing {
	int64_t since;
	struct perun_words writers;
};

/* What was sent in a month before is of versions before. */
static int choose_writer(void *data, struct perun_ctx *ctx, const char *remote, const char *writer,
			 const char *state)
{
	struct choosing *choosing = data;
	int64_t end = share_generation_end(writer);

	(void)ctx;
	(void)remote;
	(void)state;
	if (!end || end > choosing->since)
		perun_words_add(&choosing->writers, writer, strlen(writer));
	return PERUN_OK;
}

/* Months that cannot have anything wanted are not even transferred, if the vcs can say which there are. */
static int fetch_files(struct fetch *fetch)
{
	struct choosing choosing = {.since = fetch->options->since};
	const char *remote = fetch->options->remote;
	static const char *const none[] = {NULL};
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	int status = PERUN_MISSING;

	if (choosing.since)
		status = perun_vcs_share_list(quiet, fetch->vcs, remote, choose_writer, &choosing);
	status = status == PERUN_OK ? perun_vcs_share_fetch_some(
					      fetch->ctx, fetch->vcs, remote,
					      choosing.writers.items
						      ? (const char *const *)choosing.writers.items
						      : none)
				    : perun_vcs_share_fetch(fetch->ctx, fetch->vcs, remote);
	perun_words_free(&choosing.writers);
	perun_ctx_free(quiet);
	return status;
}

int perun_share_fetch(struct perun_ctx *ctx, struct perun_store *store,
		      const struct perun_share_options *given, struct perun_shared *shared)
{
	struct perun_share_options options;
	struct perun_shared got = {.struct_size = sizeof got};
	struct fetch fetch = {.ctx = ctx, .store = store, .options = &options, .shared = &got};
	int lock = -1, status;

	PERUN_STRUCT_TAKE(&options, given);
	status = share_lock(ctx, store, &lock);
	if (!status)
		status = perun_store_vcs(ctx, store, &fetch.vcs);
	if (!status)
		status = share_writer(ctx, store, false, &fetch.own);
	if (!status)
		status = fetch_files(&fetch);
	if (!status)
		status = perun_vcs_share_writers(ctx, fetch.vcs, visit_writer, &fetch);
	if (!status)
		name_classes(&fetch);
	perun_words_free(&fetch.others);
	if (fetch.own)
		memcpy(got.writer, fetch.own, strlen(fetch.own) + 1);
	*shared = got;
	perun_free(fetch.texts);
	perun_free(fetch.lines);
	perun_free(fetch.wanted);
	perun_free(fetch.incoming);
	perun_free(fetch.own);
	if (lock >= 0)
		close(lock);
	return status;
}
