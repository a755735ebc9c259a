/* SPDX-License-Identifier: BSD-3-Clause */
/* Every byte of a store changed in turn: reported, or harmless. */
#include <time.h>

#include <perun/format.h>
#include <perun/json.h>

#include "tests/unit/store-help.h"

static char reports[4096];

static void on_report(void *data, const char *path, const char *problem)
{
	size_t used = strlen(reports);

	(void)data;
	snprintf(reports + used, sizeof reports - used, "%s: %s\n", path, problem);
}

static int fsck(struct perun_store *store)
{
	uint64_t checked;
	int status;

	reports[0] = '\0';
	status = perun_store_fsck(help_ctx, store, false, on_report, NULL, &checked);
	perun_ctx_clear(help_ctx);
	return status;
}

static void add(struct perun_store *store, const char *path, int number, char *checksum)
{
	struct perun_additions *added = NULL;

	help_profile(path, number);
	if (perun_store_add(help_ctx, store, MINOR, &path, 1, NULL, &added))
		CHECK_FAIL("%s", help_error());
	if (added)
		memcpy(checksum, perun_additions_at(added, 0)->checksum, PERUN_CHECKSUM_SIZE);
	perun_additions_free(added);
}

/* A store of two profiles, and the objects' names. */
static struct perun_store *make(const char *name, char checksums[2][PERUN_CHECKSUM_SIZE])
{
	struct perun_store *store = help_store(name);

	add(store, "a.perf", 1, checksums[0]);
	add(store, "b.perf", 2, checksums[1]);
	CHECK_INT(fsck(store), PERUN_OK);
	CHECK_STR(reports, "");
	return store;
}

/* All that a reader gets: the entries and the texts of their objects, as one text. */
static bool read_everything(struct perun_store *store, struct perun_buffer *out)
{
	struct perun_entries entries;
	bool good = true;

	perun_buffer_clear(out);
	if (perun_store_entries(help_ctx, store, MINOR, &entries)) {
		perun_ctx_clear(help_ctx);
		return false;
	}
	for (size_t i = 0; i < entries.count && good; i++) {
		const struct perun_entry *entry = &entries.items[i];
		char *text = NULL;
		size_t length;

		good = perun_store_load_text(help_ctx, store, entry->checksum, &text, &length) ==
		       PERUN_OK;
		perun_buffer_printf(out, "%u %s %s %s %s %s %s %s %s\n", entry->time,
				    entry->checksum, entry->path, entry->type, entry->cmd,
				    entry->workload, entry->collector, entry->postprocessors,
				    text ? text : "");
		perun_free(text);
	}
	perun_ctx_clear(help_ctx);
	perun_entries_free(&entries);
	return good;
}

/*
 * Change each bit of a file. Either nothing that is read changes, or reading it fails or warns; and
 * whatever changes, fsck says it. `keep_time`: as damage does; otherwise as an editor would.
 */
static void flip_file(struct perun_store *store, const char *path, bool keep_time)
{
	struct perun_buffer before = {0}, after = {0};
	struct stat info;
	size_t size;
	char *data = help_read(path, &size);

	REQUIRE(data && stat(path, &info) == 0 && read_everything(store, &before));
	for (size_t bit = 0; bit < size * 8 && !check_bad; bit++) {
		const struct timespec times[2] = {info.st_mtim, info.st_mtim};
		bool read;
		int status;

		data[bit / 8] ^= (char)(1 << bit % 8);
		help_write(path, data, size);
		if (keep_time)
			utimensat(AT_FDCWD, path, times, 0);
		help_warnings[0] = '\0';
		read = read_everything(store, &after);
		status = fsck(store);
		if (read && !help_warnings[0])
			CHECK_STR(after.data, before.data);
		if (!read || strcmp(after.data, before.data) != 0)
			CHECK(status == PERUN_INPUT);
		CHECK(status == PERUN_OK || reports[0]);
		if (check_bad)
			printf("# %s, bit %zu: fsck %d, %s%s\n", path, bit, status, help_warnings,
			       reports);
		data[bit / 8] ^= (char)(1 << bit % 8);
	}
	help_write(path, data, size);
	utimensat(AT_FDCWD, path, (struct timespec[2]){info.st_mtim, info.st_mtim}, 0);
	CHECK_INT(fsck(store), PERUN_OK);
	free(data);
	perun_buffer_free(&before);
	perun_buffer_free(&after);
}

TEST(test_object)
{
	char checksums[2][PERUN_CHECKSUM_SIZE];
	struct perun_store *store = make("object", checksums);

	flip_file(store, help_object_path(store, checksums[0], ""), true);
	perun_store_close(store);
}

TEST(test_index)
{
	char checksums[2][PERUN_CHECKSUM_SIZE];
	struct perun_store *store = make("index", checksums);

	flip_file(store, help_object_path(store, MINOR, ""), true);
	flip_file(store, help_object_path(store, MINOR, ""), false);
	perun_store_close(store);
}

TEST(test_sums)
{
	char checksums[2][PERUN_CHECKSUM_SIZE];
	struct perun_store *store = make("sums", checksums);

	flip_file(store, help_object_path(store, MINOR, ".sum"), true);
	perun_store_close(store);
}

/* The index of the pending profiles only spares reading them: damage changes nothing. */
TEST(test_jobs)
{
	struct perun_store *store = help_store("jobs");
	struct perun_profile *profile = NULL;
	struct perun_entries entries;
	struct stat info;
	char *path, *data;
	size_t size;

	help_text("j.perf",
		  "{\"header\": {\"type\": \"time\", \"cmd\": \"app\", \"workload\": \"w\", "
		  "\"units\": {}}, \"collector_info\": {\"name\": \"time\", \"params\": "
		  "{}}, \"postprocessors\": [], \"resources\": {}}");
	REQUIRE(perun_read_profile_file(help_ctx, "j.perf", &profile) == PERUN_OK);
	REQUIRE(perun_store_save_pending(help_ctx, store, profile, "x", &path) == PERUN_OK);
	perun_free(path);
	perun_profile_unref(profile);
	data = help_read("jobs/.perun/jobs/.index", &size);
	REQUIRE(data && stat("jobs/.perun/jobs/.index", &info) == 0);
	for (size_t bit = 0; bit < size * 16 && !check_bad; bit++) {
		const struct timespec times[2] = {info.st_mtim, info.st_mtim};

		data[bit / 16] ^= (char)(1 << bit % 16 / 2);
		help_write("jobs/.perun/jobs/.index", data, size);
		if (bit % 2)
			utimensat(AT_FDCWD, "jobs/.perun/jobs/.index", times, 0);
		data[bit / 16] ^= (char)(1 << bit % 16 / 2);
		if (perun_store_pending(help_ctx, store, &entries)) {
			CHECK_FAIL("%s", help_error());
			break;
		}
		CHECK_INT(entries.count, 1);
		if (entries.count == 1) {
			CHECK_STR(entries.items[0].path, "x.perf");
			CHECK_STR(entries.items[0].type, "time");
			CHECK_STR(entries.items[0].cmd, "app");
			CHECK_STR(entries.items[0].workload, "w");
		}
		perun_entries_free(&entries);
	}
	free(data);
	perun_store_close(store);
}

/* ---- attachments and gc ---------------------------------------------------------------------- */

static char removed[1024];

static void on_removal(void *data, const char *path, uint64_t size)
{
	size_t used = strlen(removed);

	(void)data, (void)size;
	snprintf(removed + used, sizeof removed - used, "%s\n", path);
}

static int gc(struct perun_store *store, int64_t older_than, bool dry_run)
{
	struct perun_gc_options options = {
		.struct_size = sizeof options, .older_than = older_than, .dry_run = dry_run};
	int status;

	removed[0] = '\0';
	status = perun_store_gc(help_ctx, store, &options, on_removal, NULL);
	if (status)
		snprintf(removed, sizeof removed, "%s", help_error());
	return status;
}

TEST(test_gc)
{
	char checksums[2][PERUN_CHECKSUM_SIZE], attachment[PERUN_CHECKSUM_SIZE];
	char other[PERUN_CHECKSUM_SIZE], wrapper[PERUN_CHECKSUM_SIZE];
	struct perun_store *store = make("gc", checksums);
	struct perun_entries entries;
	char *body;

	help_object(store, "attachment x.csv 3\0a,b", 22, attachment);
	help_object(store, "attachment y.csv 3\0a,b", 22, other);
	body = perun_format("{\"resources\": {}, \"header\": {\"type\": \"time\", \"cmd\": \"\", "
			    "\"workload\": \"\"}, \"attachment\": {\"object\": \"%s\", \"name\": "
			    "\"x.csv\", \"format\": \"csv\", \"size\": 3}}",
			    attachment);
	help_profile_object(store, "time", body, wrapper);
	perun_free(body);
	/* Everything is young, or named. */
	CHECK_INT(gc(store, 14 * 86400, false), PERUN_OK);
	CHECK_STR(removed, "");
	CHECK_INT(gc(store, 0, true), PERUN_OK);
	CHECK_CONTAINS(removed, attachment + 2);
	CHECK_CONTAINS(removed, other + 2);
	CHECK_CONTAINS(removed, wrapper + 2);
	CHECK(!strstr(removed, checksums[0] + 2));
	CHECK(perun_object_exists(store, attachment));
	/* A wrapper that an index names keeps its attachment. */
	CHECK_INT(perun_store_entries(help_ctx, store, MINOR, &entries), PERUN_OK);
	REQUIRE(entries.count == 2);
	memcpy(entries.items[0].checksum, wrapper, PERUN_CHECKSUM_SIZE);
	struct perun_transaction *transaction;
	char path[PERUN_OBJECT_PATH_SIZE];
	perun_object_path(MINOR, "", path);
	CHECK_INT(perun_transaction_begin(help_ctx, store, "test", &transaction), PERUN_OK);
	CHECK_INT(perun_index_write(help_ctx, transaction, path, &entries, NULL), PERUN_OK);
	CHECK_INT(perun_transaction_commit(help_ctx, transaction), PERUN_OK);
	perun_transaction_end(transaction);
	perun_entries_free(&entries);
	CHECK_INT(gc(store, 0, false), PERUN_OK);
	CHECK(perun_object_exists(store, attachment));
	CHECK(perun_object_exists(store, wrapper));
	CHECK(!perun_object_exists(store, other));
	CHECK(!perun_object_exists(store, checksums[0]));
	CHECK(perun_object_exists(store, checksums[1]));
	CHECK_INT(fsck(store), PERUN_OK);
	/* An empty object that nothing names goes, not an index that was emptied. */
	help_text(help_object_path(store, other, ""), "");
	CHECK_INT(fsck(store), PERUN_INPUT);
	CHECK_CONTAINS(reports, "it is empty");
	help_text(help_object_path(store, other, ".sum"), "");
	CHECK_INT(gc(store, 0, false), PERUN_OK);
	CHECK(perun_object_exists(store, other));
	unlink(help_object_path(store, other, ".sum"));
	CHECK_INT(gc(store, 0, false), PERUN_OK);
	CHECK(!perun_object_exists(store, other));
	CHECK_INT(fsck(store), PERUN_OK);
	/* Without its attachment the store is not whole; with a damaged index nothing is removed. */
	unlink(help_object_path(store, attachment, ""));
	CHECK_INT(fsck(store), PERUN_INPUT);
	CHECK_CONTAINS(reports, "is missing");
	help_profile_object(store, "time", "{}", other);
	help_text(help_object_path(store, MINOR, ""), "pidx");
	CHECK_INT(gc(store, 0, false), PERUN_INPUT);
	CHECK_CONTAINS(removed, "nothing was removed: cannot determine which objects are in use");
	CHECK(perun_object_exists(store, other));
	perun_store_close(store);
}

TEST(test_strays)
{
	char checksums[2][PERUN_CHECKSUM_SIZE];
	struct perun_store *store = make("strays", checksums);

	help_text("strays/.perun/objects/README", "x");
	help_text("strays/.perun/objects/01/note.txt", "x");
	help_text("strays/.perun/objects/01/.new-1-1", "x");
	mkdir("strays/.perun/objects/.new-1-ab", 0777);
	help_text("strays/.perun/objects/.new-1-ab/00000000000000000000000000000000000001", "x");
	CHECK_INT(fsck(store), PERUN_OK);
	CHECK_CONTAINS(reports, "objects/README: not a file of a store (harmless)");
	CHECK_CONTAINS(reports, "objects/01/note.txt: not a file of a store (harmless)");
	CHECK_CONTAINS(reports, "01/.new-1-1: left by an interrupted command (harmless");
	CHECK_CONTAINS(reports, "0001: left by an interrupted command (harmless");
	CHECK_INT(gc(store, 0, false), PERUN_OK);
	CHECK(access("strays/.perun/objects/01/.new-1-1", F_OK) != 0);
	CHECK(access("strays/.perun/objects/.new-1-ab", F_OK) != 0);
	CHECK(access("strays/.perun/objects/01/note.txt", F_OK) == 0);
	/* An index that is gone, a configuration that is broken, changes that cannot be read. */
	unlink(help_object_path(store, MINOR, ""));
	CHECK_INT(fsck(store), PERUN_INPUT);
	CHECK_CONTAINS(reports, "the index is missing; its checksums are there");
	unlink(help_object_path(store, MINOR, ".sum"));
	CHECK_INT(fsck(store), PERUN_OK);
	help_text(help_object_path(store, MINOR, ".changes"), "no change");
	CHECK_INT(fsck(store), PERUN_INPUT);
	CHECK_CONTAINS(reports, "1 lines cannot be read");
	help_text(help_object_path(store, MINOR, ".changes"), "");
	perun_store_close(store);
	help_text("strays/.perun/local.yml", "vcs: [");
	REQUIRE(perun_store_open(help_ctx, "strays", &store) == PERUN_OK);
	CHECK_INT(fsck(store), PERUN_INPUT);
	CHECK_CONTAINS(reports, "local.yml: line 2, column 1");
	perun_store_close(store);
}

CHECK_MAIN(help_begin(), help_end())
