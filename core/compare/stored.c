/* SPDX-License-Identifier: BSD-3-Clause */
/* What checks found in a version and stored. */
#include <string.h>

#include <perun/lib/compare.h>
#include <perun/lib/history.h>

#include "core/store/store.h"

/* Whether a text is the command with its workload, with its arguments or without. */
static bool is_command(const struct perun_entry *entry, const char *text)
{
	const char *parts[] = {entry->cmd, entry->args ? entry->args : "", entry->workload};
	bool same = false;

	for (unsigned with = 0; with < 2 && !same; with++) {
		struct perun_buffer command = {0};

		for (unsigned i = 0; i < 3; i++) {
			if (*parts[i] && (i != 1 || with))
				perun_buffer_printf(&command, "%s%s", command.length ? " " : "",
						    parts[i]);
		}
		same = strcmp(command.data ? command.data : "", text) == 0;
		perun_buffer_free(&command);
	}
	return same;
}

/* Whether the arguments alone may be missing to that: an index as the Python program writes it has none. */
static bool lacks_arguments(const struct perun_entry *entry, const char *text)
{
	size_t length = strlen(entry->cmd);

	return !(entry->args && *entry->args) && strncmp(text, entry->cmd, length) == 0 &&
	       text[length] == ' ' && !is_command(entry, text);
}

static int open_values(struct perun_stored_reader *reader)
{
	const struct perun_reader_options options = {
		.struct_size = sizeof options, .functions = true, .totals = true};

	return reader->values
		       ? PERUN_OK
		       : perun_reader_open(reader->ctx, reader->store, &options, &reader->values);
}

/* Give entries the arguments that their profiles name. */
static int add_arguments(struct perun_stored_reader *reader, const char *minor,
			 struct perun_entries *entries)
{
	const struct perun_measured_profile *profile = NULL;
	int status = open_values(reader);

	if (!status)
		status = perun_reader_version(reader->ctx, reader->values, minor);
	while (!status) {
		status = perun_reader_profile(reader->ctx, reader->values, &profile);
		if (status || !profile)
			break;
		for (size_t i = 0; i < entries->count; i++) {
			if (strcmp(entries->items[i].checksum, profile->checksum) == 0)
				entries->items[i].args = perun_entries_text(
					entries, profile->arguments, strlen(profile->arguments));
		}
	}
	return status;
}

/* The profiles of a version, with arguments where these decide which are of the command. */
static int load_entries(struct perun_stored_reader *reader, const char *minor, const char *command,
			struct perun_entries *entries)
{
	bool lacking = false;
	int status;

	*entries = (struct perun_entries){0};
	if (!perun_store_has_index(reader->ctx, reader->store, minor))
		return PERUN_OK;
	status = perun_store_entries(reader->ctx, reader->store, minor, entries);
	for (size_t i = 0; !status && !lacking && i < entries->count; i++)
		lacking = lacks_arguments(&entries->items[i], command);
	return lacking ? add_arguments(reader, minor, entries) : status;
}

/* Of imported files, which may be called anything, the workload is a name: the rest must be the same. */
static bool is_kind(const struct perun_entry *one, const struct perun_entry *other)
{
	return strcmp(one->type, other->type) == 0 && strcmp(one->cmd, other->cmd) == 0 &&
	       strcmp(one->collector, other->collector) == 0;
}

/* What a finding is about: the profiles of its version that have its command. */
struct subject {
	struct perun_entries entries;
	const char *command;
	bool by_kind; /* the baseline has a profile of the kind, but of another workload */
};

static bool has_kind(const struct subject *subject, const struct perun_entry *entry)
{
	for (size_t i = 0; i < subject->entries.count; i++) {
		if (is_command(&subject->entries.items[i], subject->command) &&
		    is_kind(&subject->entries.items[i], entry))
			return true;
	}
	return false;
}

/* Whether a version has a profile that the subject is compared with. */
static int measures(struct perun_stored_reader *reader, const char *minor,
		    const struct subject *subject, bool *exactly, bool *by_kind)
{
	struct perun_entries entries;
	int status = load_entries(reader, minor, subject->command, &entries);

	*exactly = *by_kind = false;
	for (size_t i = 0; !status && !*exactly && i < entries.count; i++) {
		*exactly = is_command(&entries.items[i], subject->command);
		*by_kind |= has_kind(subject, &entries.items[i]);
	}
	perun_entries_free(&entries);
	return status;
}

/* Whether a value is what a change is of: after its location that has the case of a sweep, or that callees count. */
static bool is_of(const struct perun_value *value, const struct perun_change *change)
{
	size_t length = strlen(value->location);
	const char *rest = change->location + length;

	return strcmp(value->metric, change->type) == 0 &&
	       strncmp(value->location, change->location, length) == 0 &&
	       (!*rest || strcmp(rest, PERUN_AND_CALLEES) == 0 || strncmp(rest, " with ", 6) == 0);
}

/* Whether a version has values of what a change is of. */
static int has_values(struct perun_stored_reader *reader, const char *minor,
		      const struct perun_change *change, bool *has)
{
	const struct perun_measured_profile *profile = NULL;
	const struct perun_value *value;
	int status = open_values(reader);

	*has = false;
	if (!status)
		status = perun_reader_version(reader->ctx, reader->values, minor);
	while (!status && !*has) {
		status = perun_reader_profile(reader->ctx, reader->values, &profile);
		if (status || !profile)
			break;
		while (!*has && (value = perun_reader_value(reader->values)))
			*has = is_of(value, change);
	}
	return status;
}

/* Whether a version that was measured lacks what changed at another one, which has it where that is a metric. */
static int lacks(struct perun_stored_reader *reader, const char *version, const char *minor,
		 const struct perun_change *change, bool *does)
{
	bool there, here = false;
	int status = has_values(reader, version, change, &there);

	if (!status && !there)
		status = has_values(reader, minor, change, &here);
	*does = !there && here;
	return status;
}

/* The version of a name, at `*at` or after it, where parents are. */
static const struct perun_minor_version *find(const struct perun_between *between,
					      const char *checksum, size_t *at)
{
	for (; *at < perun_between_count(between); ++*at) {
		const struct perun_minor_version *version = perun_between_at(between, *at);

		if (strcmp(version->checksum, checksum) == 0)
			return version;
	}
	return NULL;
}

/* Whether the version is still compared with the baseline: that has a profile, and no first parent between has what changed. */
static int holds(struct perun_stored_reader *reader, const char *minor,
		 const struct perun_stored_change *item, bool *does)
{
	size_t at = 0;
	const struct perun_minor_version *version = find(reader->between, minor, &at);
	struct subject subject = {.command = item->command};
	bool between = false, lacking = false, exactly = false, by_kind = false;
	int status = load_entries(reader, minor, item->command, &subject.entries);

	if (!status)
		status = measures(reader, item->minor, &subject, &exactly, &by_kind);
	*does = exactly || by_kind;
	subject.by_kind = !exactly;
	while (!status && *does && !between && version && version->parent_count &&
	       (version = find(reader->between, version->parents[0], &at))) {
		status = measures(reader, version->checksum, &subject, &exactly, &by_kind);
		between = exactly || (subject.by_kind && by_kind);
		if (!status && between) {
			status = lacks(reader, version->checksum, minor, item->change, &lacking);
			between = !lacking;
		}
	}
	*does &= !between;
	perun_entries_free(&subject.entries);
	return status;
}

static int load_between(struct perun_stored_reader *reader, const char *base, const char *minor)
{
	struct perun_vcs *vcs;
	int status;

	if (perun_between_is(reader->between, base, minor))
		return PERUN_OK;
	perun_between_free(reader->between);
	reader->between = NULL;
	status = perun_store_vcs(reader->ctx, reader->store, &vcs);
	return status ? status
		      : perun_between_load(reader->ctx, vcs, base, minor, &reader->between);
}

/* A finding of which nothing can be found out, as its baseline is gone, does not hold. */
static bool take(struct perun_stored_reader *reader, const char *minor,
		 const struct perun_stored_change *item, char **known)
{
	bool does = false;
	int status = load_between(reader, item->minor, minor);

	if (!status)
		status = holds(reader, minor, item, &does);
	if (!status && does && perun_result_is_change(item->change->result))
		*known = perun_acknowledged_between(reader->known, reader->between, item->change);
	if (status)
		perun_ctx_clear(reader->ctx);
	return !status && does;
}

int perun_stored_findings_load(struct perun_stored_reader *reader, const char *minor,
			       struct perun_stored_findings *stored)
{
	struct perun_stored_changes *changes = &stored->changes;
	size_t kept = 0;
	int status;

	*stored = (struct perun_stored_findings){0};
	status = perun_store_changes(reader->ctx, reader->store, minor, changes);
	if (!status && changes->count && !reader->known)
		status = perun_acknowledgements_load(reader->ctx, reader->store, &reader->known);
	stored->known = perun_alloc_zero(changes->count + 1, sizeof *stored->known);
	for (size_t i = 0; !status && i < changes->count; i++) {
		if (take(reader, minor, &changes->items[i], &stored->known[kept]))
			changes->items[kept++] = changes->items[i];
	}
	changes->count = status ? 0 : kept;
	return status;
}

void perun_stored_findings_free(struct perun_stored_findings *stored)
{
	for (size_t i = 0; i < stored->changes.count; i++)
		perun_free(stored->known[i]);
	perun_free(stored->known);
	perun_stored_changes_free(&stored->changes);
	*stored = (struct perun_stored_findings){0};
}

void perun_stored_reader_end(struct perun_stored_reader *reader)
{
	perun_acknowledgements_free(reader->known);
	perun_between_free(reader->between);
	perun_reader_close(reader->values);
}
