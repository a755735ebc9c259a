/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a directory in one archive: which are taken, how they are packed, and reading them from there. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "core/format/archive.h"
#include "core/format/taken.h"
#include "perun/lib/path.h"

static char folder[] = "/tmp/perun-archive-XXXXXX";
static struct perun_ctx *ctx;

static char *place(const char *name)
{
	static char path[8192];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}

static void put(const char *name, const char *text)
{
	FILE *file = fopen(place(name), "w");

	if (!file || fputs(text, file) < 0 || fclose(file) != 0)
		abort();
}

/* The text of a file in a directory of the input, which is opened like a format does it; the caller's. */
static char *text_at(struct perun_input *input, const char *directory, const char *name)
{
	struct perun_input *inner = NULL, *child = NULL;
	struct perun_buffer text = {0};
	const void *data;
	size_t size;
	int status = directory ? perun_input_open_child(ctx, input, directory, &inner) : 0;

	if (!status)
		status = perun_input_open_child(ctx, inner ? inner : input, name, &child);
	if (!status && !perun_input_is_directory(child) &&
	    perun_input_map(ctx, child, 0, &data, &size) == PERUN_OK)
		perun_buffer_printf(&text, "%.*s", (int)size, (const char *)data);
	perun_input_close(child);
	perun_input_close(inner);
	return perun_buffer_take(&text);
}

#define CHECK_TEXT(input, directory, name, expected)           \
	do {                                                   \
		char *found = text_at(input, directory, name); \
		CHECK_STR(found, expected);                    \
		perun_free(found);                             \
		perun_ctx_clear(ctx);                          \
	} while (0)

static int to_buffer(void *data, const void *bytes, size_t size)
{
	perun_buffer_add(data, bytes, size);
	return PERUN_OK;
}

static int pack(struct perun_taken *taken, struct perun_buffer *archive)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY), status;

	status = perun_taken_pack(ctx, fd, taken, to_buffer, archive);
	close(fd);
	return status;
}

/* The archive of b/two and one, or in the other order. */
static void take(bool other, bool timed, struct perun_buffer *archive)
{
	static const char *const names[][2] = {{"b", "two"}, {NULL, "one"}};
	struct perun_taken taken = {0};
	struct perun_input *input, *child;

	REQUIRE(perun_input_open(ctx, folder, &input) == 0);
	perun_input_take(input, &taken);
	for (size_t i = 0; i < 2; i++)
		CHECK_TEXT(input, names[i ^ other][0], names[i ^ other][1],
			   names[i ^ other][0] ? "the second" : "the first");
	REQUIRE(perun_input_open_child(ctx, input, "one", &child) == 0);
	if (timed)
		CHECK_INT(perun_input_modified(child), 1234567);
	perun_input_close(child);
	perun_input_close(input);
	CHECK_INT(taken.count, 3);
	CHECK_INT(pack(&taken, archive), PERUN_OK);
	CHECK_INT(taken.count, 2);
	perun_taken_free(&taken);
}

static void put_files(void)
{
	struct timespec times[2] = {{1234567, 5}, {1234567, 5}};

	mkdir(place("b"), 0700);
	mkdir(place("c"), 0700);
	put("one", "the first");
	put("b/two", "the second");
	put("b/other", "nobody asks for it");
	utimensat(AT_FDCWD, place("one"), times, 0);
}

TEST(test_taken)
{
	struct perun_buffer archive = {0}, other = {0}, timed = {0};
	struct perun_input *input, *child;
	const char *const *names, *path;
	size_t count;

	put_files();
	take(false, false, &archive);
	take(true, false, &other);
	take(false, true, &timed);
	CHECK_INT(archive.length, 2 * 1024 + 1024);
	CHECK(archive.length == other.length &&
	      memcmp(archive.data, other.data, other.length) == 0);
	CHECK(archive.length == timed.length &&
	      memcmp(archive.data, timed.data, timed.length) != 0);
	REQUIRE(perun_input_open_archive(ctx, "place", timed.data, timed.length, &input) == 0);
	CHECK(perun_input_is_directory(input));
	REQUIRE(perun_input_list(ctx, input, &names, &count) == 0);
	REQUIRE(count == 2);
	CHECK_STR(names[0], "b");
	CHECK_STR(names[1], "one");
	CHECK_TEXT(input, "b", "two", "the second");
	CHECK_TEXT(input, "b", "other", "");
	CHECK_TEXT(input, NULL, "on", "");
	CHECK_TEXT(input, NULL, "../one", "");
	CHECK_TEXT(input, "..", "one", "");
	REQUIRE(perun_input_open_child(ctx, input, "one", &child) == 0);
	CHECK_STR(perun_input_name(child), "place/one");
	CHECK_INT(perun_input_modified(child), 1234567);
	perun_input_close(child);
	CHECK(perun_input_open_child(ctx, input, "two", &child) == PERUN_INPUT && !child);
	CHECK_CONTAINS(perun_ctx_error(ctx), "cannot open place/two");
	perun_ctx_clear(ctx);
	CHECK_INT(perun_input_local_path(ctx, input, &path), PERUN_INPUT);
	perun_ctx_clear(ctx);
	perun_input_close(input);
	perun_buffer_free(&archive);
	perun_buffer_free(&other);
	perun_buffer_free(&timed);
}

/* What changes between reading and packing is not stored. */
TEST(test_changed)
{
	static const char *const becomes[] = {"THE FIRST", "longer than the first", "", NULL};

	for (size_t i = 0; i < sizeof becomes / sizeof *becomes; i++) {
		struct perun_taken taken = {0};
		struct perun_buffer archive = {0};
		struct perun_input *input;

		put_files();
		REQUIRE(perun_input_open(ctx, folder, &input) == 0);
		perun_input_take(input, &taken);
		CHECK_TEXT(input, NULL, "one", "the first");
		perun_input_close(input);
		if (becomes[i])
			put("one", becomes[i]);
		else
			unlink(place("one"));
		CHECK_INT(pack(&taken, &archive), PERUN_INPUT);
		CHECK_CONTAINS(perun_ctx_error(ctx),
			       becomes[i] ? "one changed while it was read" : "cannot open one");
		perun_ctx_clear(ctx);
		perun_buffer_free(&archive);
		perun_taken_free(&taken);
	}
}

static void add_timed(struct perun_buffer *out, const char *path, const char *text,
		      int64_t modified)
{
	static const char zeros[512];

	perun_archive_header(out, path, strlen(text), modified);
	perun_buffer_add_text(out, text);
	perun_buffer_add(out, zeros, perun_archive_padding(strlen(text)));
}

static void add_file(struct perun_buffer *out, const char *path, const char *text)
{
	add_timed(out, path, text, 7);
}

static void add_end(struct perun_buffer *out)
{
	static const char zeros[PERUN_ARCHIVE_END];

	perun_buffer_add(out, zeros, sizeof zeros);
}

/* Paths that fit a name, a prefix and a name, or neither. */
TEST(test_long_paths)
{
	static const size_t lengths[] = {1, 99, 100, 101, 102, 155, 156, 255, 256, 257, 998, 4095};
	char path[4100];

	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		for (size_t step = 2; step < 300; step += 97) {
			struct perun_buffer bytes = {0};
			struct perun_archive archive;

			memset(path, 'x', sizeof path);
			for (size_t k = step - 1; k < lengths[i] - 1; k += step)
				path[k] = '/';
			path[lengths[i]] = '\0';
			add_file(&bytes, path, "hello");
			add_end(&bytes);
			CHECK_INT(perun_archive_read(ctx, bytes.data, bytes.length, &archive), 0);
			REQUIRE(archive.count == 1);
			CHECK_STR(archive.files[0].path, path);
			CHECK_INT(archive.files[0].size, 5);
			CHECK_INT(archive.files[0].modified, 7);
			CHECK(memcmp(archive.files[0].data, "hello", 5) == 0);
			perun_archive_free(&archive);
			perun_buffer_free(&bytes);
		}
	}
}

/* A file of 8 GiB and more has its size in an extended header. */
TEST(test_large)
{
	struct perun_buffer bytes = {0};
	struct perun_archive archive;

	perun_archive_header(&bytes, "large", (uint64_t)1 << 33, 0);
	add_end(&bytes);
	CHECK_INT(bytes.length, 3 * 512 + 1024);
	CHECK(memmem(bytes.data, bytes.length, "19 size=8589934592\n", 19) != NULL);
	CHECK_INT(perun_archive_read(ctx, bytes.data, bytes.length, &archive), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "it ends within a file");
	perun_ctx_clear(ctx);
	perun_archive_free(&archive);
	perun_buffer_free(&bytes);
}

/* Names that are a file and a directory, or sort otherwise than the paths do. */
TEST(test_list)
{
	struct perun_buffer bytes = {0};
	struct perun_input *input;
	const char *const *names;
	size_t count;

	add_file(&bytes, "a", "file");
	add_file(&bytes, "a-b/x", "x");
	add_file(&bytes, "a/x", "inner");
	add_file(&bytes, "a/y", "y");
	add_file(&bytes, "b/c/d", "deep");
	add_end(&bytes);
	REQUIRE(perun_input_open_archive(ctx, "p", bytes.data, bytes.length, &input) == 0);
	REQUIRE(perun_input_list(ctx, input, &names, &count) == 0);
	REQUIRE(count == 3);
	CHECK_STR(names[0], "a");
	CHECK_STR(names[1], "a-b");
	CHECK_STR(names[2], "b");
	CHECK_TEXT(input, NULL, "a", "file");
	CHECK_TEXT(input, "a-b", "x", "x");
	CHECK_TEXT(input, "b", "c", "");
	perun_input_close(input);
	perun_buffer_free(&bytes);
}

static void check_damaged(const struct perun_buffer *bytes, const char *why)
{
	struct perun_archive archive;

	CHECK_INT(perun_archive_read(ctx, bytes->data, bytes->length, &archive), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), why);
	perun_ctx_clear(ctx);
	perun_archive_free(&archive);
}

TEST(test_paths_outside)
{
	static const char *const paths[] = {"/a", "../a", "a/../../b", "a/./b", "a//b",
					    "a/", ".",    "..",        "a/..",  ""};

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct perun_buffer bytes = {0};

		add_file(&bytes, paths[i], "x");
		add_end(&bytes);
		check_damaged(&bytes, "not below the directory");
		perun_buffer_free(&bytes);
	}
}

TEST(test_damaged)
{
	struct perun_buffer bytes = {0}, part = {0};
	struct perun_archive archive;
	size_t rejected = 0;

	check_damaged(&bytes, "it has no end");
	add_file(&bytes, "b", "text");
	check_damaged(&bytes, "it has no end");
	add_file(&bytes, "a", "text");
	add_end(&bytes);
	check_damaged(&bytes, "not in the order");
	perun_buffer_clear(&bytes);
	add_file(&bytes, "a", "text");
	add_file(&bytes, "a", "text");
	check_damaged(&bytes, "not in the order");
	/* Each bit of a header is in its checksum; nothing of what is cut off is taken for the whole. */
	perun_buffer_clear(&bytes);
	add_file(&bytes, "a", "text");
	add_end(&bytes);
	for (size_t i = 0; i < 512; i++) {
		bytes.data[i] ^= 1;
		rejected += perun_archive_read(ctx, bytes.data, bytes.length, &archive) != 0;
		perun_archive_free(&archive);
		perun_ctx_clear(ctx);
		bytes.data[i] ^= 1;
	}
	CHECK(rejected >= 510); /* but for the ends of the sum's field */
	for (size_t size = 0; size < 1536; size += 37) {
		perun_buffer_clear(&part);
		perun_buffer_add(&part, bytes.data, size);
		check_damaged(&part, "");
	}
	perun_buffer_free(&bytes);
	perun_buffer_free(&part);
}

/* Unpack into the directory of a name; what commit says, or what unpacking did. */
static int unpack(struct perun_buffer *bytes, const char *name)
{
	struct perun_archive archive;
	struct perun_output *output;
	int status;

	add_end(bytes);
	status = perun_archive_read(ctx, bytes->data, bytes->length, &archive);
	CHECK_INT(status, 0);
	CHECK_INT(perun_output_open_directory(ctx, place(name), &output), 0);
	if (!status)
		status = perun_archive_unpack(ctx, &archive, output);
	if (!status)
		status = perun_output_commit(ctx, output);
	perun_output_close(output);
	perun_archive_free(&archive);
	perun_buffer_free(bytes);
	return status;
}

/* Directories that others lie in, whose files are not next to each other in the order of paths. */
TEST(test_unpack)
{
	static const char *const paths[] = {"a",      "b-/c",   "b.",      "b/a/a/x", "b/a/b",
					    "b/ab/c", "b/ab/d", "b/b/c/d", "b0",      "c"};
	struct perun_buffer bytes = {0};
	char name[64];
	struct stat info;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		add_timed(&bytes, paths[i], paths[i], i % 2 ? 1000000000 + (int64_t)i : 0);
	CHECK_INT(unpack(&bytes, "out"), 0);
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		struct perun_buffer text = {0};

		snprintf(name, sizeof name, "out/%s", paths[i]);
		CHECK_INT(perun_path_read(place(name), &text), 0);
		CHECK_STR(text.data, paths[i]);
		perun_buffer_free(&text);
		CHECK(stat(place(name), &info) == 0);
		CHECK(i % 2 ? info.st_mtime == 1000000000 + (time_t)i : info.st_mtime > 1500000000);
	}
}

/* A file that is a directory, too: nothing appears. */
TEST(test_unpack_conflict)
{
	struct perun_buffer bytes = {0};

	add_file(&bytes, "a", "file");
	add_file(&bytes, "a-b", "between");
	add_file(&bytes, "a/b", "below it");
	CHECK_INT(unpack(&bytes, "conflict"), PERUN_INPUT);
	CHECK(strstr(perun_ctx_error(ctx), "cannot create a in"));
	perun_ctx_clear(ctx);
	CHECK(access(place("conflict"), F_OK) != 0);
}

int main(void)
{
	char command[600];

	ctx = perun_ctx_new(NULL);
	if (!mkdtemp(folder))
		return 1;
	check_all();
	perun_ctx_free(ctx);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) == 0 ? check_done() : 1;
}
