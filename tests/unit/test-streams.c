/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs and outputs: files, pipes, gzip, memory, directories. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <perun/format.h>

#include "check.h"

static char folder[] = "/tmp/perun-streams-XXXXXX";
static struct perun_ctx *ctx;

static char *place(const char *name)
{
	static char path[4][512];
	static unsigned next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
	return path[next];
}

static void put(const char *name, const void *data, size_t size)
{
	FILE *file = fopen(place(name), "w");

	if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
		abort();
}

/* Text that does not repeat too soon. */
static char *make_text(size_t size)
{
	char *text = perun_alloc(size);
	unsigned state = 1;

	for (size_t i = 0; i < size; i++) {
		state = state * 1103515245 + 12345;
		text[i] = (char)('a' + (state >> 16) % 26);
	}
	return text;
}

static size_t pack(const void *data, size_t size, unsigned char *out, size_t room)
{
	z_stream z = {0};

	if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	z.next_in = (unsigned char *)data;
	z.avail_in = (uInt)size;
	z.next_out = out;
	z.avail_out = (uInt)room;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	deflateEnd(&z);
	return room - z.avail_out;
}

/* Read all in pieces of odd sizes. */
static size_t read_all(struct perun_input *input, char *out, size_t room, int *status)
{
	size_t size = 0, got = 1, piece = 1;

	*status = 0;
	while (got && !*status && size < room) {
		piece = piece * 3 + 1 > 9999 ? 1 : piece * 3 + 1;
		*status = perun_input_read(ctx, input, out + size,
					   piece < room - size ? piece : room - size, &got);
		size += got;
	}
	return size;
}

static void check_content(struct perun_input *input, const char *text, size_t size)
{
	char *out = perun_alloc(size + 100), piece[10];
	const void *data;
	size_t got;
	int status;

	CHECK_INT(read_all(input, out, size + 100, &status), size);
	CHECK_INT(status, 0);
	CHECK(memcmp(out, text, size) == 0);
	CHECK_INT(perun_input_skip_to_start(ctx, input), 0);
	CHECK_INT(perun_input_map(ctx, input, 0, &data, &got), 0);
	CHECK_INT(got, size);
	CHECK(memcmp(data, text, size) == 0);
	CHECK_INT(perun_input_size(input), size);
	CHECK_INT(perun_input_read_at(ctx, input, size - 5, piece, 10, &got), 0);
	CHECK_INT(got, 5);
	CHECK(memcmp(piece, text + size - 5, 5) == 0);
	CHECK_INT(perun_input_read_at(ctx, input, size + 5, piece, 10, &got), 0);
	CHECK_INT(got, 0);
	CHECK_INT(read_all(input, out, size + 100, &status), size);
	CHECK(memcmp(out, text, size) == 0);
	perun_free(out);
}

TEST(test_files)
{
	size_t size = 300000;
	char *text = make_text(size);
	unsigned char *packed = perun_alloc(size * 2);
	struct perun_input *input;
	size_t length;

	put("plain", text, size);
	REQUIRE(perun_input_open(ctx, place("plain"), &input) == 0);
	CHECK_INT(perun_input_size(input), size);
	CHECK(!perun_input_is_directory(input));
	check_content(input, text, size);
	perun_input_close(input);

	/* Two members, as `cat a.gz b.gz` makes them. */
	length = pack(text, 100000, packed, size * 2);
	length += pack(text + 100000, size - 100000, packed + length, size * 2 - length);
	put("packed", packed, length);
	REQUIRE(perun_input_open(ctx, place("packed"), &input) == 0);
	CHECK_INT(perun_input_size(input), -1);
	check_content(input, text, size);
	perun_input_close(input);

	input = perun_input_from_memory("memory", packed, length);
	check_content(input, text, size);
	perun_input_close(input);
	input = perun_input_from_memory("memory", text, size);
	CHECK_STR(perun_input_name(input), "memory");
	check_content(input, text, size);
	perun_input_close(input);
	perun_free(packed);
	perun_free(text);
}

TEST(test_empty)
{
	struct perun_input *input;
	const void *data;
	size_t got;

	put("empty", "", 0);
	REQUIRE(perun_input_open(ctx, place("empty"), &input) == 0);
	CHECK_INT(perun_input_map(ctx, input, 0, &data, &got), 0);
	CHECK_INT(got, 0);
	CHECK(data != NULL);
	CHECK_INT(perun_input_size(input), 0);
	perun_input_close(input);
	input = perun_input_from_memory("none", "", 0);
	CHECK_INT(perun_input_read(ctx, input, folder, 1, &got), 0);
	CHECK_INT(got, 0);
	perun_input_close(input);
}

TEST(test_damaged_gzip)
{
	size_t size = 50000;
	char *text = make_text(size), *out = perun_alloc(size + 100);
	unsigned char *packed = perun_alloc(size * 2);
	size_t length = pack(text, size, packed, size * 2);
	struct perun_input *input;
	int status;

	input = perun_input_from_memory("short", packed, length / 2);
	read_all(input, out, size + 100, &status);
	CHECK_INT(status, PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "ends too early");
	perun_ctx_clear(ctx);
	perun_input_close(input);
	packed[length / 2] ^= 0x55;
	packed[length - 6] ^= 0x55; /* the checksum, should the data still make sense */
	input = perun_input_from_memory("wrong", packed, length);
	read_all(input, out, size + 100, &status);
	CHECK_INT(status, PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "not valid gzip");
	perun_ctx_clear(ctx);
	perun_input_close(input);
	perun_free(packed);
	perun_free(text);
	perun_free(out);
}

/* Bytes behind the last member are no padding: nobody knows what they are. */
TEST(test_bytes_behind_gzip)
{
	static const char *const behind[] = {"garbage", "\0\0\0", "\x1f\x8b", "\x1f"};
	static const size_t sizes[] = {7, 3, 2, 1};
	unsigned char packed[200];
	size_t length = pack("text", 4, packed, sizeof packed);

	for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
		struct perun_input *input;
		char out[100];
		int status;

		memcpy(packed + length, behind[i], sizes[i]);
		input = perun_input_from_memory("behind", packed, length + sizes[i]);
		CHECK_INT(read_all(input, out, sizeof out, &status), 4);
		CHECK_INT(status, PERUN_INPUT);
		CHECK_CONTAINS(perun_ctx_error(ctx), "do not belong to it");
		perun_ctx_clear(ctx);
		perun_input_close(input);
	}
}

/* Large compressed files are decompressed on a thread: same bytes, same errors, at any moment. */
TEST(test_read_ahead)
{
	size_t size = 4000000, length, got;
	char *text = make_text(size), *out = perun_alloc(size + 100);
	unsigned char *packed = perun_alloc(size * 2);
	struct perun_input *input;
	int status;

	length = pack(text, size / 2, packed, size * 2);
	length += pack(text + size / 2, size - size / 2, packed + length, size * 2 - length);
	put("large", packed, length);
	REQUIRE(perun_input_open(ctx, place("large"), &input) == 0);
	for (size_t part = 0; part < size; part += 1700000) {
		CHECK_INT(read_all(input, out, part, &status), part);
		CHECK_INT(perun_input_skip_to_start(ctx, input), 0);
	}
	check_content(input, text, size);
	perun_input_close(input);
	/* Closed in the middle. */
	REQUIRE(perun_input_open(ctx, place("large"), &input) == 0);
	CHECK_INT(read_all(input, out, 1000000, &status), 1000000);
	perun_input_close(input);
	/* Damaged near the end: what is before it comes first. */
	put("large", packed, length - 1000);
	REQUIRE(perun_input_open(ctx, place("large"), &input) == 0);
	got = read_all(input, out, size + 100, &status);
	CHECK(got > size - 10000 && memcmp(out, text, got) == 0);
	CHECK_INT(status, PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "ends too early");
	perun_ctx_clear(ctx);
	perun_input_close(input);
	perun_free(packed);
	perun_free(out);
	perun_free(text);
}

TEST(test_limit)
{
	char *text = make_text(1000);
	unsigned char packed[4000];
	size_t length = pack(text, 1000, packed, sizeof packed), size;
	struct perun_input *input = perun_input_from_memory("bomb", packed, length);
	const void *data;

	CHECK_INT(perun_input_map(ctx, input, 999, &data, &size), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "limit of 999 bytes");
	perun_ctx_clear(ctx);
	CHECK_INT(perun_input_map(ctx, input, 1000, &data, &size), 0);
	perun_input_close(input);
	perun_free(text);
}

/* Standard input as a pipe: what was read first can be read once more, not all. */
TEST(test_pipe)
{
	size_t size = 200000;
	char *text = make_text(size), *out = perun_alloc(size + 1);
	struct perun_input *input;
	int ends[2], saved = dup(STDIN_FILENO), status;
	size_t got;

	REQUIRE(pipe(ends) == 0);
	if (fork() == 0) {
		close(ends[0]);
		_exit(write(ends[1], text, size) == (ssize_t)size ? 0 : 1);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	REQUIRE(perun_input_open(ctx, "-", &input) == 0);
	CHECK_STR(perun_input_name(input), "standard input");
	CHECK_INT(perun_input_size(input), -1);
	CHECK_INT(perun_input_read(ctx, input, out, 1000, &got), 0);
	CHECK(got > 0 && memcmp(out, text, got) == 0);
	CHECK_INT(perun_input_skip_to_start(ctx, input), 0);
	CHECK_INT(read_all(input, out, size + 1, &status), size);
	CHECK(memcmp(out, text, size) == 0);
	CHECK_INT(perun_input_skip_to_start(ctx, input), PERUN_INPUT);
	perun_ctx_clear(ctx);
	perun_input_close(input);
	dup2(saved, STDIN_FILENO);
	close(saved);
	perun_free(text);
	perun_free(out);
}

TEST(test_refused)
{
	struct perun_input *input;

	CHECK_INT(perun_input_open(ctx, place("nothing"), &input), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "No such file");
	CHECK(input == NULL);
	perun_ctx_clear(ctx);
	CHECK_INT(perun_input_open(ctx, "/dev/null", &input), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "neither a file nor a directory");
	perun_ctx_clear(ctx);
	REQUIRE(mkfifo(place("fifo"), 0600) == 0);
	CHECK_INT(perun_input_open(ctx, place("fifo"), &input), PERUN_INPUT); /* and no waiting */
	perun_ctx_clear(ctx);
	unlink(place("fifo"));
}

TEST(test_input_directory)
{
	struct perun_input *input, *child;
	const char *const *names;
	const char *local;
	size_t count, got;
	char c;

	REQUIRE(mkdir(place("dir"), 0700) == 0);
	put("dir/b", "B", 1);
	put("dir/a", "A", 1);
	REQUIRE(perun_input_open(ctx, place("dir"), &input) == 0);
	CHECK(perun_input_is_directory(input));
	REQUIRE(perun_input_list(ctx, input, &names, &count) == 0);
	CHECK_INT(count, 2);
	CHECK_STR(names[0], "a");
	CHECK_STR(names[1], "b");
	REQUIRE(perun_input_open_child(ctx, input, "b", &child) == 0);
	CHECK_INT(perun_input_read(ctx, child, &c, 1, &got), 0);
	CHECK_INT(c, 'B');
	CHECK_INT(perun_input_local_path(ctx, child, &local), 0);
	CHECK(access(local, R_OK) == 0);
	perun_input_close(child);
	CHECK_INT(perun_input_read(ctx, input, &c, 1, &got), PERUN_INPUT);
	perun_ctx_clear(ctx);
	CHECK_INT(perun_input_open_child(ctx, input, "../plain", &child), PERUN_INPUT);
	perun_ctx_clear(ctx);
	CHECK_INT(perun_input_open_child(ctx, input, "..", &child), PERUN_INPUT);
	perun_ctx_clear(ctx);
	perun_input_close(input);
}

TEST(test_local_copy)
{
	struct perun_input *input = perun_input_from_memory("m", "hello", 5);
	char copy[512], text[6] = "";
	const char *path;
	FILE *file;

	REQUIRE(perun_input_local_path(ctx, input, &path) == 0);
	snprintf(copy, sizeof copy, "%s", path);
	file = fopen(copy, "r");
	REQUIRE(file != NULL);
	CHECK_INT(fread(text, 1, 5, file), 5);
	fclose(file);
	CHECK_STR(text, "hello");
	perun_input_close(input);
	CHECK(access(copy, F_OK) != 0);
}

/* ---- outputs --------------------------------------------------------------------------------- */

static const char *content(const char *name)
{
	static char text[100];
	FILE *file = fopen(place(name), "r");
	size_t got = file ? fread(text, 1, sizeof text - 1, file) : 0;

	if (!file)
		return NULL;
	fclose(file);
	text[got] = '\0';
	return text;
}

static size_t entries(const char *name)
{
	struct perun_input *input;
	const char *const *names;
	size_t count = 0;

	if (perun_input_open(ctx, *name ? place(name) : folder, &input) != 0)
		return 0;
	perun_input_list(ctx, input, &names, &count);
	perun_input_close(input);
	return count;
}

TEST(test_output_file)
{
	struct perun_output *output;
	size_t before = entries("");
	struct stat info;

	put("kept", "old", 3);
	chmod(place("kept"), 0640);
	REQUIRE(perun_output_open(ctx, place("kept"), &output) == 0);
	perun_output_text(output, "ne");
	perun_output_printf(output, "%c%d", 'w', 1);
	CHECK_STR(content("kept"), "old");
	CHECK_INT(entries(""), before + 2);
	CHECK_INT(perun_output_commit(ctx, output), 0);
	perun_output_close(output);
	CHECK_STR(content("kept"), "new1");
	CHECK_INT(stat(place("kept"), &info), 0);
	CHECK_INT(info.st_mode & 0777, 0640);

	REQUIRE(perun_output_open(ctx, place("kept"), &output) == 0);
	perun_output_text(output, "other");
	perun_output_close(output);
	CHECK_STR(content("kept"), "new1");
	CHECK_INT(entries(""), before + 1);

	REQUIRE(symlink("kept", place("link")) == 0);
	REQUIRE(perun_output_open(ctx, place("link"), &output) == 0);
	perun_output_text(output, "through");
	CHECK_INT(perun_output_commit(ctx, output), 0);
	perun_output_close(output);
	CHECK_STR(content("kept"), "through");
	CHECK(lstat(place("link"), &info) == 0 && S_ISLNK(info.st_mode));

	CHECK_INT(perun_output_open(ctx, place("no/such/file"), &output), PERUN_INPUT);
	perun_ctx_clear(ctx);
}

TEST(test_output_directory)
{
	struct perun_output *output, *child, *inner;
	size_t before = entries("");

	REQUIRE(perun_output_open_directory(ctx, place("made/"), &output) == 0);
	REQUIRE(perun_output_child(ctx, output, "one", false, &child) == 0);
	perun_output_text(child, "1");
	REQUIRE(perun_output_child(ctx, output, "sub", true, &inner) == 0);
	REQUIRE(perun_output_child(ctx, inner, "two", false, &child) == 0);
	perun_output_text(child, "2");
	CHECK_INT(perun_output_child(ctx, output, "../x", false, &child), PERUN_INPUT);
	perun_ctx_clear(ctx);
	CHECK(access(place("made"), F_OK) != 0);
	CHECK_INT(perun_output_commit(ctx, output), 0);
	perun_output_close(output);
	CHECK_STR(content("made/one"), "1");
	CHECK_STR(content("made/sub/two"), "2");
	CHECK_INT(entries("made"), 2);

	/* What is there is not overwritten, and nothing is left behind. */
	REQUIRE(perun_output_open_directory(ctx, place("made"), &output) == 0);
	REQUIRE(perun_output_child(ctx, output, "three", false, &child) == 0);
	CHECK_INT(perun_output_commit(ctx, output), PERUN_INPUT);
	perun_ctx_clear(ctx);
	perun_output_close(output);
	CHECK_INT(entries("made"), 2);
	CHECK_INT(entries(""), before + 1);
}

static int count_bytes(void *data, const void *bytes, size_t size)
{
	(void)bytes;
	*(size_t *)data += size;
	return *(size_t *)data > 100000 ? PERUN_CANCELLED : PERUN_OK;
}

TEST(test_sink_and_buffer)
{
	struct perun_buffer buffer = {0};
	struct perun_output *output = perun_output_to_buffer(&buffer);
	size_t sum = 0;

	perun_output_text(output, "text");
	CHECK_INT(perun_output_commit(ctx, output), 0);
	CHECK_STR(buffer.data, "text");
	perun_output_close(output);
	perun_buffer_free(&buffer);

	output = perun_output_to_sink(count_bytes, &sum);
	for (int i = 0; i < 50000; i++)
		perun_output_write(output, "12345678", 8);
	CHECK(sum < 300000); /* nothing after the first error */
	CHECK_INT(perun_output_commit(ctx, output), PERUN_CANCELLED);
	perun_ctx_clear(ctx);
	perun_output_close(output);
}

TEST(test_full_device)
{
	struct perun_output *output;
	char block[4096] = "";

	if (access("/dev/full", W_OK) != 0)
		SKIP("no /dev/full");
	REQUIRE(perun_output_open(ctx, "/dev/full", &output) == 0);
	for (int i = 0; i < 100; i++)
		perun_output_write(output, block, sizeof block);
	CHECK_INT(perun_output_commit(ctx, output), PERUN_INPUT);
	CHECK_CONTAINS(perun_ctx_error(ctx), "No space left");
	perun_ctx_clear(ctx);
	perun_output_close(output);
}

/* Expects the lines of `text`, of which `longest` bytes are allowed, joined by '|'. */
static void check_lines(const char *text, size_t size, size_t longest, const char *expected)
{
	struct perun_input *input = perun_input_from_memory("lines", text, size);
	struct perun_lines *lines = perun_lines_new(input, longest);
	struct perun_buffer found = {0};
	uint64_t number = 0;
	size_t length;
	char *line;

	while (perun_lines_next(ctx, lines, &line, &length) == PERUN_OK && line) {
		CHECK_INT(perun_lines_number(lines), ++number);
		CHECK_INT(line[length], 0);
		perun_buffer_add(&found, line, length);
		perun_buffer_add_char(&found, '|');
	}
	perun_buffer_add(&found, "", 1);
	CHECK_STR(found.data, expected);
	perun_buffer_free(&found);
	perun_lines_free(lines);
	perun_input_close(input);
}

TEST(test_lines)
{
	enum { LONG = 300 * 1024 };
	struct perun_buffer text = {0};
	char *letters = perun_alloc(LONG + 1);

	check_lines("", 0, 0, "");
	check_lines("a", 1, 0, "a|");
	check_lines("a\n", 2, 0, "a|");
	check_lines("a\r\n\r\nb\rc\n\n", 10, 0, "a||b\rc||");
	memset(letters, 'x', LONG);
	letters[LONG] = '\0';
	perun_buffer_printf(&text, "a\n%s\nb\n", letters);
	{
		char *expected = perun_format("a|%s|b|", letters);

		check_lines(text.data, text.length, 0, expected);
		perun_free(expected);
	}
	check_lines(text.data, text.length, 1000, "a|");
	CHECK_STR(perun_ctx_error(ctx), "line 2: longer than 1000 bytes: this is not text of "
					"the expected kind");
	perun_ctx_clear(ctx);
	perun_free(letters);
	perun_buffer_free(&text);
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
