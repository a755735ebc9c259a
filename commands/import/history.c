/* SPDX-License-Identifier: BSD-3-Clause */
/* perun import --history: store what another tool collected, each entry at its commit. */
#include <config.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <perun/lib/advice.h>
#include <perun/lib/hash.h>
#include <perun/lib/history.h>
#include <perun/lib/lookup.h>
#include <perun/lib/path.h>
#include <perun/lib/program.h>

#include "commands/common/interleave-options.h"
#include "commands/common/output.h"
#include "history.h"

/* Profiles that are in memory at once, and the bytes of what they are read from. */
#define BATCH       2048
#define BATCH_BYTES ((size_t)16 << 20)

/* What became of an entry. */
enum outcome { WAITING, ADDED, ALREADY, REPLACED, UNKNOWN, DIRTY, EMPTY, FAILED };

struct item {
	struct history_entry *entry;
	enum outcome outcome;
	char *minor;                   /* its commit */
	struct perun_profile *profile; /* as it is stored; NULL before and after */
	char *why;                     /* it failed, or what its reader remarked */
	int status;
};

struct moving {
	const struct perun_command_call *call;
	struct perun_ctx *ctx;
	struct perun_store *store;
	const char **settings; /* of the format */
	struct history_source source;
	struct item *items;
	size_t first, end;               /* the batch */
	struct perun_version_line *line; /* of the head, when a date asked for it */
	int64_t *dates;                  /* of its versions: the earliest from each on */
	char **branches;                 /* names that move are not names of commits */
	size_t branch_count;
	char *last, *last_minor; /* the commit that was resolved last */
};

/* ---- commits ---------------------------------------------------------------------------------- */

static int note_branch(void *data, const struct perun_major_version *branch)
{
	struct moving *moving = data;

	moving->branches = perun_realloc_array(moving->branches, moving->branch_count + 1,
					       sizeof *moving->branches);
	moving->branches[moving->branch_count++] = perun_strdup(branch->name);
	return PERUN_OK;
}

/* Whether the text can name a commit for good: a checksum, a tag, "v1.2-5-gabcdef1". */
static bool is_name(const struct moving *moving, const char *text)
{
	size_t length = strlen(text);

	if (length == 0 || length > 200 || strchr("-./@", text[0]) || strstr(text, "..") ||
	    strcmp(text + (length > 4 ? length - 4 : 0), "HEAD") == 0)
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._/+-", text[i]))
			return false;
	for (size_t i = 0; i < moving->branch_count; i++)
		if (strcmp(moving->branches[i], text) == 0)
			return false;
	return true;
}

/* The checksum of a commit, NULL = there is none; the caller frees it. */
static char *find_commit(struct moving *moving, const char *text)
{
	struct perun_ctx *quiet;
	char *minor = NULL;

	if (moving->last && strcmp(moving->last, text) == 0)
		return perun_strdup(moving->last_minor);
	if (is_name(moving, text)) {
		quiet = perun_ctx_new(NULL);
		if (perun_lookup_version(quiet, moving->store, text, &minor))
			minor = NULL;
		perun_ctx_free(quiet);
	}
	perun_free(moving->last);
	perun_free(moving->last_minor);
	moving->last = perun_strdup(text);
	moving->last_minor = perun_strdup(minor);
	return minor;
}

static int load_line(struct moving *moving)
{
	int status = perun_version_line_load(moving->ctx, moving->store, NULL, &moving->line);
	size_t count = status ? 0 : perun_version_line_count(moving->line);

	moving->dates = perun_alloc_zero(count + 1, sizeof *moving->dates);
	for (size_t i = count; i-- > 0;) {
		int64_t date = perun_version_line_version(moving->line, i)->date;

		moving->dates[i] =
			i + 1 < count && moving->dates[i + 1] < date ? moving->dates[i + 1] : date;
	}
	return status;
}

/* The newest commit of the head's line that is not younger; NULL = all are. The caller frees it. */
static int find_date(struct moving *moving, int64_t date, char **minor)
{
	int status = moving->line ? PERUN_OK : load_line(moving);
	size_t low = 0, high = status ? 0 : perun_version_line_count(moving->line);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (moving->dates[middle] <= date)
			low = middle + 1;
		else
			high = middle;
	}
	*minor = low ? perun_strdup(perun_version_line_version(moving->line, low - 1)->checksum)
		     : NULL;
	return status;
}

/* What the profile says of its commit, where the source does not. */
static void read_commit(struct item *item)
{
	const struct perun_json *document = perun_profile_document(item->profile);
	const struct perun_json *info =
		perun_json_path(document, "/extra/pytest-benchmark/commit_info");
	const char *commit =
		perun_json_as_string(perun_json_path(document, "/extra/asv/commit_hash"), NULL);
	bool dirty;
	double date;

	if (!commit)
		commit = perun_json_as_string(perun_json_get(info, "id"), NULL);
	if (perun_json_as_bool(perun_json_get(info, "dirty"), &dirty) && dirty)
		item->outcome = DIRTY;
	if (perun_json_as_double(perun_json_path(document, "/extra/asv/date"), &date) && date > 0 &&
	    date < 1e14)
		item->entry->date = (int64_t)(date / 1000);
	item->entry->commit = perun_strdup(commit ? commit : "");
}

static int resolve(struct moving *moving, struct item *item)
{
	const struct history_entry *entry = item->entry;
	int status = PERUN_OK;

	if (entry->commit)
		item->minor = find_commit(moving, entry->commit);
	else
		status = find_date(moving, entry->date, &item->minor);
	if (!status && !item->minor)
		item->outcome = UNKNOWN;
	return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static void remark(void *data, const char *message)
{
	struct item *item = data;

	if (!item->why)
		item->why = perun_strdup(message);
}

static bool is_cancelled(void *data)
{
	return perun_cancelled(data);
}

/* Of an object in the document, made where it is missing. */
static struct perun_json *object_in(struct perun_json *object, const char *key)
{
	if (!perun_json_get(object, key))
		perun_json_set(object, key, perun_json_object());
	return perun_json_get(object, key);
}

static const char *workload_of(const struct history_entry *entry)
{
	const char *slash = entry->path ? strrchr(entry->path, '/') : NULL;

	return entry->workload ? entry->workload : slash ? slash + 1 : "";
}

/* Of a key without ".gz" or ".zst": a file that was compressed since is the same entry. */
static size_t key_length(const char *key)
{
	static const char *const suffixes[] = {".gz", ".zst"};
	size_t length = strlen(key);

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t suffix = strlen(suffixes[i]);

		if (length > suffix && strcmp(key + length - suffix, suffixes[i]) == 0)
			return length - suffix;
	}
	return length;
}

/* What every stored profile has, and where this one comes from; two entries are never one object. */
static void identify(const struct moving *moving, const struct item *item,
		     struct perun_json *document, const char *format)
{
	const struct perun_options *options = moving->call->options;
	const struct history_entry *entry = item->entry;
	struct perun_json *header = object_in(document, "header"), *from = perun_json_object();
	const char *given = perun_option_string(options, "cmd");
	const char *cmd = given ? given : entry->command;
	const char *workload = perun_option_string(options, "workload");
	const char *type = perun_json_as_string(perun_json_get(header, "type"), NULL);

	if (!type || (strcmp(type, "time") && strcmp(type, "memory") && strcmp(type, "mixed")))
		perun_json_set(header, "type", perun_json_text("mixed"));
	if (cmd || !perun_json_get(header, "cmd"))
		perun_json_set(header, "cmd", perun_json_text(cmd ? cmd : format));
	perun_json_set(header, "workload",
		       perun_json_text(workload ? workload : workload_of(entry)));
	if (!perun_json_get(header, "units"))
		perun_json_set(header, "units", perun_json_object());
	if (!perun_json_get(document, "collector_info")) {
		struct perun_json *collector = object_in(document, "collector_info");

		perun_json_set(collector, "name", perun_json_text(format));
		perun_json_set(collector, "params", perun_json_object());
	}
	if (!perun_json_get(document, "postprocessors"))
		perun_json_set(document, "postprocessors", perun_json_array());
	if (entry->machine)
		perun_json_set(object_in(document, "machine"), "host_measured",
			       perun_json_text(entry->machine));
	perun_json_remove(document, "origin");
	perun_json_set(from, "source", perun_json_text(moving->source.kind));
	perun_json_set(from, "entry", perun_json_string(entry->key, key_length(entry->key)));
	perun_json_set(object_in(document, "extra"), "history", from);
}

static int read_entry(const struct moving *moving, struct perun_ctx *ctx, struct item *item)
{
	const struct history_entry *entry = item->entry;
	const char *given = perun_option_string(moving->call->options, "format"), *format = NULL;
	struct perun_profile *read = NULL;
	struct perun_builder *builder;
	struct perun_input *input = NULL;
	int status = PERUN_OK;

	if (entry->path)
		status = perun_input_open(ctx, entry->path, &input);
	else
		input = perun_input_from_memory(entry->key, entry->text.data, entry->text.length);
	if (!status)
		status = perun_read_profile(ctx, input, entry->format ? entry->format : given,
					    entry->format && strcmp(entry->format, "table") != 0
						    ? NULL
						    : moving->settings,
					    &read, &format);
	perun_input_close(input);
	if (status)
		return status;
	builder = perun_builder_from(read);
	perun_profile_unref(read);
	identify(moving, item, perun_builder_document(builder), format ? format : "");
	return perun_builder_finish(ctx, builder, &item->profile);
}

/* A reader's failure is the entry's; the others go on. */
static int read_item(struct perun_ctx *ctx, size_t i, void *data)
{
	struct moving *moving = data;
	struct item *item = &moving->items[moving->first + i];
	const struct perun_handlers own = {.struct_size = sizeof own, .data = item, .warn = remark};
	struct perun_ctx *quiet;

	if (item->outcome != WAITING)
		return PERUN_OK;
	if (is_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	quiet = perun_ctx_new(&own);
	item->status = read_entry(moving, quiet, item);
	if (item->status) {
		const char *error = perun_ctx_error(quiet);

		/* Benchmarks that all failed leave such files. */
		item->outcome = perun_ctx_is_empty(quiet) ? EMPTY : FAILED;
		perun_free(item->why);
		item->why = perun_strdup(error ? error : "cannot be read");
	}
	perun_buffer_free(&item->entry->text);
	perun_ctx_free(quiet);
	return PERUN_OK;
}

/* ---- storing ---------------------------------------------------------------------------------- */

/* "asv-machine_1a2b3c4d-env-0123abcd.perf": the same for the same entry, whatever is in its key. */
static char *entry_name(const struct moving *moving, const struct history_entry *entry)
{
	size_t length = key_length(entry->key);
	char *key = perun_strndup(entry->key, length < 80 ? length : 80), *name;

	for (char *c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+-", *c))
			*c = '_';
	name = perun_format("%s-%s-%08" PRIx32 ".perf", moving->source.kind, key,
			    perun_fnv1a_32(entry->key, length, PERUN_FNV1A_32));
	perun_free(key);
	return name;
}

/* The profile names its commit; the reference is exchanged. */
static int set_origin(struct moving *moving, struct item *item)
{
	struct perun_builder *builder = perun_builder_from(item->profile);

	perun_json_set(perun_builder_document(builder), "origin", perun_json_text(item->minor));
	perun_profile_unref(item->profile);
	item->profile = NULL;
	return perun_builder_finish(moving->ctx, builder, &item->profile);
}

/* The time of what is registered: when it was measured, else when it was committed. */
static uint32_t entry_time(struct moving *moving, const struct item *item)
{
	struct perun_minor_version *version = NULL;
	struct perun_vcs *vcs;
	int64_t date = item->entry->date;

	if (!date && perun_store_vcs(moving->ctx, moving->store, &vcs) == PERUN_OK &&
	    perun_lookup_version_info(moving->ctx, vcs, item->minor, &version) == PERUN_OK)
		date = version->date;
	perun_minor_version_free(version);
	return date > 0 && date < UINT32_MAX ? (uint32_t)date : 0;
}

static int compare_stored(const void *one, const void *other)
{
	const struct perun_version_profile *a = one, *b = other;
	int order = strcmp(a->minor, b->minor);

	return order ? order : strcmp(a->name, b->name);
}

/* Entries that have the same place are one: the last counts. */
static size_t drop_same(struct perun_version_profile *profiles, struct item **items, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		bool later = false;

		for (size_t j = i + 1; j < count && !later; j++)
			later = compare_stored(&profiles[i], &profiles[j]) == 0;
		if (later) {
			items[i]->outcome = REPLACED;
			perun_free((char *)profiles[i].name);
			continue;
		}
		profiles[kept] = profiles[i];
		items[kept++] = items[i];
	}
	return kept;
}

static int store_batch(struct moving *moving)
{
	struct perun_version_profile *profiles = perun_alloc_zero(BATCH, sizeof *profiles);
	struct item **items = perun_alloc_zero(BATCH, sizeof(struct item *));
	size_t count = 0;
	int status = PERUN_OK;

	for (size_t i = moving->first; !status && i < moving->end; i++) {
		struct item *item = &moving->items[i];

		if (item->outcome != WAITING)
			continue;
		status = set_origin(moving, item);
		items[count] = item;
		profiles[count].minor = item->minor;
		profiles[count].name = entry_name(moving, item->entry);
		profiles[count].time = status ? 0 : entry_time(moving, item);
		profiles[count++].profile = item->profile;
	}
	count = drop_same(profiles, items, count);
	if (!status)
		status = perun_store_add_profiles(moving->ctx, moving->store, profiles, count);
	for (size_t i = 0; i < count; i++) {
		items[i]->outcome = profiles[i].already    ? ALREADY
				    : profiles[i].replaced ? REPLACED
							   : ADDED;
		perun_free((char *)profiles[i].name);
	}
	perun_free(profiles);
	perun_free(items);
	return status;
}

/* A batch: its end, then commits, profiles, what these say of commits, and the store. */
static int move_batch(struct moving *moving)
{
	size_t bytes = 0;
	int status = PERUN_OK;

	for (moving->end = moving->first;
	     moving->end < moving->source.count && moving->end - moving->first < BATCH &&
	     bytes < BATCH_BYTES;
	     moving->end++) {
		const struct history_entry *entry = &moving->source.entries[moving->end];
		struct stat info;

		bytes += entry->text.length;
		if (entry->path && perun_path_stat(entry->path, &info) == 0)
			bytes += (size_t)info.st_size;
	}
	for (size_t i = moving->first; !status && i < moving->end; i++) {
		struct item *item = &moving->items[i];

		item->entry = &moving->source.entries[i];
		if (item->entry->commit || item->entry->date)
			status = resolve(moving, item);
	}
	if (!status)
		status = perun_parallel_for(moving->ctx, moving->end - moving->first, read_item,
					    moving);
	for (size_t i = moving->first; !status && i < moving->end; i++) {
		struct item *item = &moving->items[i];

		if (item->outcome != WAITING || item->minor)
			continue;
		read_commit(item);
		if (item->outcome == WAITING)
			status = resolve(moving, item);
	}
	if (!status)
		status = store_batch(moving);
	for (size_t i = moving->first; i < moving->end; i++) {
		perun_profile_unref(moving->items[i].profile);
		moving->items[i].profile = NULL;
	}
	moving->first = moving->end;
	return status;
}

static int move_all(struct moving *moving)
{
	size_t count = moving->source.count;
	struct perun_vcs *vcs;
	int status = perun_store_vcs(moving->ctx, moving->store, &vcs);

	if (!status)
		status = perun_vcs_walk_major_versions(moving->ctx, vcs, note_branch, moving);
	moving->items = perun_alloc_zero(count + 1, sizeof *moving->items);
	while (!status && moving->first < count) {
		perun_progress(moving->ctx, "importing", moving->first, count);
		status = move_batch(moving);
	}
	perun_progress(moving->ctx, "importing", count, count);
	return status;
}

/* ---- the report ------------------------------------------------------------------------------- */

static size_t count_outcome(const struct moving *moving, enum outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < moving->source.count; i++)
		count += moving->items[i].outcome == outcome;
	return count;
}

static const struct {
	enum outcome outcome;
	const char *key, *words; /* of the document; of what is left out */
} outcomes[] = {{ADDED, "added", NULL},
		{ALREADY, "already", NULL},
		{REPLACED, "replaced", NULL},
		{UNKNOWN, "unknown", "of unknown commits"},
		{DIRTY, "dirty", "of uncommitted changes"},
		{EMPTY, "empty", "without a measurement"},
		{FAILED, "failed", "that cannot be read"}};
#define OUTCOMES (sizeof outcomes / sizeof *outcomes)

static void print_json(const struct moving *moving)
{
	struct perun_json *document = perun_json_object(), *left_out = perun_json_array();

	perun_json_set(document, "source", perun_json_text(moving->source.kind));
	perun_json_set(document, "entries", perun_json_int64((int64_t)moving->source.count));
	for (size_t i = 0; i < OUTCOMES; i++) {
		size_t count = count_outcome(moving, outcomes[i].outcome);

		perun_json_set(document, outcomes[i].key, perun_json_int64((int64_t)count));
	}
	for (size_t i = 0; i < moving->source.count; i++) {
		const struct item *item = &moving->items[i];
		struct perun_json *fact;

		if (item->outcome < UNKNOWN)
			continue;
		fact = perun_json_object();
		perun_json_set(fact, "entry", perun_json_text(item->entry->key));
		perun_json_set(fact, "commit", commands_text(item->entry->commit));
		perun_json_set(fact, "error", commands_text(item->why));
		perun_json_append(left_out, fact);
	}
	perun_json_set(document, "left_out", left_out);
	commands_print_json(moving->call, document);
}

static void list_outcome(const struct moving *moving, enum outcome outcome)
{
	struct perun_output *output = moving->call->output;

	for (size_t i = 0; i < moving->source.count; i++) {
		const struct item *item = &moving->items[i];

		if (item->outcome != outcome)
			continue;
		perun_output_text(output, "  ");
		commands_print_safe(moving->call, item->entry->key);
		if (outcome == UNKNOWN && item->entry->commit) {
			perun_output_text(output, ": ");
			commands_print_safe(moving->call, item->entry->commit);
		} else if (item->why) {
			perun_output_text(output, ": ");
			commands_print_safe(moving->call, item->why);
		}
		perun_output_text(output, "\n");
	}
}

static void print_text(const struct moving *moving)
{
	struct perun_output *output = moving->call->output;
	bool verbose = perun_command_verbose(moving->call) > 0;
	size_t count = moving->source.count;

	perun_output_printf(output, "%s: %zu entr%s", moving->source.kind, count,
			    count == 1 ? "y" : "ies");
	perun_output_printf(output, ", %zu added, %zu replaced, %zu already there\n",
			    count_outcome(moving, ADDED), count_outcome(moving, REPLACED),
			    count_outcome(moving, ALREADY));
	for (size_t i = 0; i < OUTCOMES; i++) {
		size_t left_out = count_outcome(moving, outcomes[i].outcome);

		if (!outcomes[i].words || !left_out)
			continue;
		perun_output_printf(output, "left out: %zu entr%s %s%s\n", left_out,
				    left_out == 1 ? "y" : "ies", outcomes[i].words,
				    verbose ? ":" : " (--verbose lists them)");
		if (verbose)
			list_outcome(moving, outcomes[i].outcome);
	}
}

/* What readers said of entries that were read. */
static void print_remarks(const struct moving *moving)
{
	const char *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < moving->source.count; i++) {
		const struct item *item = &moving->items[i];

		if (item->outcome >= UNKNOWN || !item->why)
			continue;
		first = first ? first : item->why;
		count++;
		if (perun_command_verbose(moving->call) > 0)
			perun_warn(moving->ctx, "%s", item->why);
	}
	if (count && perun_command_verbose(moving->call) == 0)
		perun_warn(moving->ctx, "%s%s", first,
			   count > 1 ? "; and others alike (--verbose lists them)" : "");
}

static int compare_words(const void *one, const void *other)
{
	return strcmp(*(const char *const *)one, *(const char *const *)other);
}

/* What is stored of commits that perun history does not follow: those of branches. */
static void note_beside(const struct moving *moving)
{
	struct perun_ctx *quiet = perun_ctx_new(NULL);
	struct perun_version_line *line = NULL;
	size_t count, beside = 0;
	const char **followed;

	if (perun_version_line_load(quiet, moving->store, NULL, &line) == PERUN_OK) {
		count = perun_version_line_count(line);
		followed =
			perun_memdup(perun_version_line_checksums(line), count * sizeof *followed);
		qsort((void *)followed, count, sizeof *followed, compare_words);
		for (size_t i = 0; i < moving->source.count; i++) {
			const char *minor =
				moving->items[i].outcome < UNKNOWN ? moving->items[i].minor : NULL;

			beside += minor && !bsearch(&minor, followed, count, sizeof *followed,
						    compare_words);
		}
		perun_free((void *)followed);
	}
	perun_version_line_free(line);
	perun_ctx_free(quiet);
	if (beside)
		perun_note(moving->ctx,
			   "%zu entr%s of commits on branches: histories follow first parents%s",
			   beside, beside == 1 ? "y is" : "ies are",
			   perun_advice(PERUN_ADVICE_CHECK_VERSION));
}

/* What could not be read fails the command, after all else is in its place. */
static int report(struct moving *moving)
{
	const struct item *failed = NULL;
	const char *name;

	if (perun_option_flag(moving->call->options, "json"))
		print_json(moving);
	else
		print_text(moving);
	print_remarks(moving);
	note_beside(moving);
	for (size_t i = 0; i < moving->source.count && !failed; i++)
		if (moving->items[i].outcome == FAILED)
			failed = &moving->items[i];
	perun_output_flush(moving->call->output);
	if (!failed)
		return PERUN_OK;
	name = failed->entry->path ? failed->entry->path : failed->entry->key;
	if (strncmp(failed->why, name, strlen(name)) == 0)
		return perun_fail(moving->ctx, failed->status, "%s", failed->why);
	return perun_fail(moving->ctx, failed->status, "cannot read %s: %s", name, failed->why);
}

/* ---- the source ------------------------------------------------------------------------------- */

/* "gh-pages", "origin/gh-pages:dev/bench/data.js": the files of a branch, below a directory of ours. */
static int gather_branch(struct moving *moving, const char *word)
{
	const char *colon = strchr(word, ':'), *inner = colon ? colon + 1 : "";
	char *branch = perun_strndup(word, colon ? (size_t)(colon - word) : strlen(word));
	struct history_source *source = &moving->source;
	struct perun_scratch scratch = {.lock = -1};
	char *minor = NULL, *tree = NULL, *path = NULL;
	struct perun_vcs *vcs = NULL;
	bool exported = false;
	int status = perun_store_vcs(moving->ctx, moving->store, &vcs);

	if (!status && perun_lookup_version(NULL, moving->store, branch, &minor))
		status = perun_fail(moving->ctx, PERUN_USAGE,
				    "%s is neither a file, a directory nor a branch", word);
	if (!status && (strstr(inner, "..") || *inner == '/'))
		status = perun_fail(moving->ctx, PERUN_USAGE, "%s leads out of the branch", word);
	if (!status)
		status = perun_scratch_make(moving->ctx, "perun-history", &scratch);
	if (!status) {
		tree = perun_format("%s/tree", scratch.path);
		path = perun_format("%s%s%s", tree, *inner ? "/" : "", inner);
		status = perun_vcs_export_version(moving->ctx, vcs, minor, tree);
		exported = !status;
	}
	source->path = path;
	if (!status)
		status = history_gather(source);
	if (!status)
		status = move_all(moving);
	if (exported)
		perun_vcs_remove_export(moving->ctx, vcs, tree);
	perun_scratch_remove(&scratch);
	perun_free(path);
	perun_free(tree);
	perun_free(minor);
	perun_free(branch);
	return status;
}

static int gather(struct moving *moving, const char *word)
{
	const char *name = perun_path_base_name(word);
	struct stat info;
	int status;

	moving->source.name = *name ? name : word;
	if (perun_path_stat(word, &info) != 0)
		return gather_branch(moving, word);
	moving->source.path = word;
	status = history_gather(&moving->source);
	return status ? status : move_all(moving);
}

static void free_moving(struct moving *moving)
{
	for (size_t i = 0; moving->items && i < moving->source.count; i++) {
		perun_profile_unref(moving->items[i].profile);
		perun_free(moving->items[i].minor);
		perun_free(moving->items[i].why);
	}
	perun_free(moving->items);
	history_free(&moving->source);
	for (size_t i = 0; i < moving->branch_count; i++)
		perun_free(moving->branches[i]);
	perun_free(moving->branches);
	perun_version_line_free(moving->line);
	perun_free(moving->dates);
	perun_free(moving->last);
	perun_free(moving->last_minor);
	perun_free((void *)moving->settings);
}

int history_run(struct perun_ctx *ctx, const struct perun_command_call *call,
		struct perun_store *store)
{
	struct moving moving = {.call = call, .ctx = ctx, .store = store};
	int status;

	moving.source.ctx = ctx;
	moving.source.pattern = perun_option_string(call->options, "pattern");
	moving.source.commit_column = perun_option_string(call->options, "commit");
	moving.source.date_column = perun_option_string(call->options, "date");
	moving.settings = commands_words(call->options, "format-option");
	status = gather(&moving, perun_option_string(call->options, "history"));
	if (!status)
		status = report(&moving);
	free_moving(&moving);
	return status;
}
