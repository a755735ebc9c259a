/* SPDX-License-Identifier: BSD-3-Clause */
/* Inputs: opening, reading as a stream and by position. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perun/lib/path.h>

#include "core/context/context.h"
#include "core/format/descriptor.h"
#include "core/format/input.h"
#include "core/format/marked.h"
#include "core/options/value.h"

/* ---- life ------------------------------------------------------------------------------------ */

struct perun_input *perun_input_new(const char *name, enum perun_input_kind kind, int fd,
				    bool close_fd)
{
	struct perun_input *input = perun_alloc_zero(1, sizeof *input);

	input->name = perun_strdup(name);
	input->kind = kind;
	input->raw.fd = fd;
	input->raw.close_fd = close_fd;
	return input;
}

/* "results/" is called results, so that nothing depends on how a directory was written. */
static void trim_name(struct perun_input *input)
{
	size_t length = strlen(input->name);

	while (length > 1 && input->name[length - 1] == '/')
		input->name[--length] = '\0';
}

bool perun_is_open_descriptor(const char *path)
{
	return strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/self/fd/", 14) == 0 ||
	       strcmp(path, "/dev/stdin") == 0;
}

int perun_input_open_at(struct perun_ctx *ctx, int at, const char *path, const char *name,
			struct perun_input **input)
{
	/* Not to wait for somebody to write into a named pipe. */
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = at == AT_FDCWD ? perun_path_open(path, flags, 0) : openat(at, path, flags);
	enum perun_input_kind kind;
	struct stat info;

	*input = NULL;
	if (fd < 0)
		return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot open %s", name);
	if (fstat(fd, &info) != 0) {
		int error = errno;

		close(fd);
		return perun_fail_errno(ctx, PERUN_INPUT, error, "cannot look at %s", name);
	}
	if (S_ISREG(info.st_mode)) {
		kind = PERUN_INPUT_FILE;
	} else if (S_ISDIR(info.st_mode)) {
		kind = PERUN_INPUT_DIRECTORY;
	} else if (perun_is_open_descriptor(path)) {
		kind = PERUN_INPUT_STREAM;
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	} else {
		close(fd);
		return perun_fail(ctx, PERUN_INPUT, "%s is neither a file nor a directory", name);
	}
	*input = perun_input_new(name, kind, fd, true);
	(*input)->file_size = kind == PERUN_INPUT_FILE ? (uint64_t)info.st_size : 0;
	if (kind == PERUN_INPUT_DIRECTORY)
		trim_name(*input);
	return PERUN_OK;
}

int perun_input_open_descriptor(struct perun_ctx *ctx, int fd, const char *path,
				struct perun_input **input)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct stat info;

	*input = NULL;
	if (copy < 0 || fstat(copy, &info) != 0 || lseek(copy, 0, SEEK_SET) != 0) {
		perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot look at %s", path);
		if (copy >= 0)
			close(copy);
		return PERUN_INPUT;
	}
	*input = perun_input_new(path, PERUN_INPUT_FILE, copy, true);
	(*input)->file_size = (uint64_t)info.st_size;
	return PERUN_OK;
}

int perun_input_open(struct perun_ctx *ctx, const char *path, struct perun_input **input)
{
	struct stat info;

	if (strcmp(path, "-") != 0)
		return perun_input_open_at(ctx, AT_FDCWD, path, path, input);
	*input = perun_input_new("standard input", PERUN_INPUT_STREAM, STDIN_FILENO, false);
	if (fstat(STDIN_FILENO, &info) == 0 && S_ISDIR(info.st_mode)) {
		perun_input_close(*input);
		*input = NULL;
		return perun_fail(ctx, PERUN_INPUT, "standard input is a directory");
	}
	return PERUN_OK;
}

struct perun_input *perun_input_from_memory(const char *name, const void *data, size_t size)
{
	struct perun_input *input = perun_input_new(name, PERUN_INPUT_MEMORY, -1, false);

	input->raw.memory = data;
	input->raw.memory_size = size;
	input->file_size = size;
	return input;
}

void perun_input_close(struct perun_input *input)
{
	if (!input)
		return;
	perun_input_end_inflate(input);
	if (input->raw.close_fd)
		close(input->raw.fd);
	if (input->mapped)
		munmap(input->mapped, input->mapped_size);
	if (input->local_path) {
		unlink(input->local_path);
		perun_leftover_remove(input->local_path);
		perun_free(input->local_path);
	}
	perun_input_free_entries(input);
	if (input->own_archive)
		perun_archive_free(input->own_archive);
	perun_free(input->own_archive);
	perun_free(input->inside);
	perun_free(input->owned);
	perun_free(input->packed);
	perun_free(input->head);
	perun_free(input->name);
	perun_free(input);
}

const char *perun_input_name(const struct perun_input *input)
{
	return input->name;
}

bool perun_input_is_directory(const struct perun_input *input)
{
	return input->kind == PERUN_INPUT_DIRECTORY;
}

int64_t perun_input_size(const struct perun_input *input)
{
	if (input->have_whole)
		return (int64_t)(input->whole_size - input->mark);
	if (input->kind != PERUN_INPUT_FILE && input->kind != PERUN_INPUT_MEMORY)
		return -1;
	/* Without a look at its first bytes it may be compressed. */
	if (!input->started && perun_input_start(NULL, (struct perun_input *)input) != PERUN_OK)
		return -1;
	return input->compressed ? -1 : (int64_t)(input->file_size - input->mark);
}

/* ---- as a stream ----------------------------------------------------------------------------- */

static int not_a_directory(struct perun_ctx *ctx, const struct perun_input *input)
{
	if (input->kind != PERUN_INPUT_DIRECTORY)
		return PERUN_OK;
	return perun_fail(ctx, PERUN_INPUT, "%s is a directory, expected a file", input->name);
}

/* Keep the first bytes of what cannot be read twice: as many as formats may ask for again, after a mark. */
static void keep_head(struct perun_input *input, const void *data, size_t size)
{
	const size_t most = PERUN_HEAD_SIZE + PERUN_MARK_SIZE;
	size_t room = most - input->head_size;

	if (input->kind != PERUN_INPUT_STREAM || input->fetched != input->head_size || room == 0)
		return;
	if (!input->head)
		input->head = perun_alloc(most);
	if (room > size)
		room = size;
	memcpy(input->head + input->head_size, data, room);
	input->head_size += room;
}

static size_t read_memory(struct perun_input *input, const unsigned char *from, size_t end,
			  void *buffer, size_t size)
{
	size_t left = end - (size_t)input->position;

	if (size > left)
		size = left;
	if (size)
		memcpy(buffer, from + input->position, size);
	input->position += size;
	return size;
}

int perun_input_read(struct perun_ctx *ctx, struct perun_input *input, void *buffer, size_t size,
		     size_t *got)
{
	int status = not_a_directory(ctx, input);

	*got = 0;
	if (status || size == 0)
		return status;
	/* Readers take their input in blocks from here, so that all of them look for Ctrl-C. */
	if (perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	if (input->have_whole) {
		*got = read_memory(input, input->whole, input->whole_size, buffer, size);
		return PERUN_OK;
	}
	if (input->position < input->fetched) { /* the start was asked for once more */
		*got = read_memory(input, input->head, input->head_size, buffer, size);
		return PERUN_OK;
	}
	status = perun_input_fetch(ctx, input, buffer, size, got);
	if (status)
		return status;
	keep_head(input, buffer, *got);
	input->fetched += *got;
	input->position += *got;
	return PERUN_OK;
}

/* To the first byte, which may be that of a mark. */
static int to_first_byte(struct perun_ctx *ctx, struct perun_input *input)
{
	int status = not_a_directory(ctx, input);

	if (status)
		return status;
	if (input->have_whole || input->fetched == input->head_size) {
		input->position = 0;
		return PERUN_OK;
	}
	if (input->kind != PERUN_INPUT_STREAM)
		return perun_input_rewind(ctx, input);
	return perun_fail(ctx, PERUN_INPUT,
			  "%s cannot be read twice: more than %zu bytes were taken from it",
			  input->name, PERUN_HEAD_SIZE);
}

/* Up to `size` bytes, fewer only at the end. */
static int read_all_of(struct perun_ctx *ctx, struct perun_input *input, void *buffer, size_t size,
		       size_t *got)
{
	size_t part = 1;
	int status = PERUN_OK;

	for (*got = 0; !status && part && *got < size; *got += part)
		status = perun_input_read(ctx, input, (char *)buffer + *got, size - *got, &part);
	return status;
}

int perun_input_skip_to_start(struct perun_ctx *ctx, struct perun_input *input)
{
	char mark[PERUN_MARK_SIZE];
	size_t got;
	int status = to_first_byte(ctx, input);

	if (!status && input->mark)
		status = read_all_of(ctx, input, mark, input->mark, &got);
	return status;
}

/* ---- by position ----------------------------------------------------------------------------- */

/* What a stream or a compressed file may hold where all of it is needed; plain files are mapped and take no memory. */
static uint64_t default_limit(void)
{
	const char *text = getenv("PERUN_INPUT_LIMIT");
	uint64_t limit;

	return text && option_parse_size(text, &limit) && limit ? limit : PERUN_INPUT_LIMIT;
}

/* `limit`: 0 = the default one, which the user may change. */
static int too_large(struct perun_ctx *ctx, const struct perun_input *input, uint64_t limit)
{
	if (limit)
		return perun_fail(ctx, PERUN_INPUT, "%s is larger than the limit of %llu bytes",
				  input->name, (unsigned long long)limit);
	return perun_fail(ctx, PERUN_INPUT,
			  "%s holds more than the limit of %llu MiB; PERUN_INPUT_LIMIT=SIZE in the "
			  "environment sets another one",
			  input->name, (unsigned long long)(default_limit() >> 20));
}

bool perun_input_is_small(struct perun_ctx *ctx, struct perun_input *input)
{
	return input->kind == PERUN_INPUT_FILE && perun_input_start(ctx, input) == PERUN_OK &&
	       !input->compressed && input->file_size > 0 && input->file_size <= PERUN_HEAD_SIZE;
}

/* A small file is read, which takes less time than to map it; one that shrank meanwhile ends early. */
static int read_small(struct perun_ctx *ctx, struct perun_input *input)
{
	size_t size = (size_t)input->file_size, count = 0;
	ssize_t got = 1;

	input->owned = perun_alloc(size);
	while (count < size && got != 0) {
		got = pread(input->raw.fd, input->owned + count, size - count, (off_t)count);
		if (got < 0 && errno != EINTR)
			return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot read %s",
						input->name);
		count += got > 0 ? (size_t)got : 0;
	}
	input->whole = input->owned;
	input->whole_size = count;
	input->have_whole = true;
	return PERUN_OK;
}

/* A plain file is mapped. */
static int map_file(struct perun_ctx *ctx, struct perun_input *input)
{
	size_t size = (size_t)input->file_size;
	void *memory;

	if (size > 0) {
		memory = mmap(NULL, size, PROT_READ, MAP_PRIVATE, input->raw.fd, 0);
		if (memory == MAP_FAILED)
			return perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot map %s",
						input->name);
		input->mapped = memory;
		input->mapped_size = size;
		input->whole = memory;
	}
	input->whole_size = size;
	input->have_whole = true;
	return PERUN_OK;
}

/* All of an input, as it was read to its end: it is not read or decompressed a second time. `data` is taken. */
static void keep_whole(struct perun_input *input, unsigned char *data, size_t size)
{
	input->owned = data;
	input->whole = data;
	input->whole_size = size;
	input->have_whole = true;
}

/* Take all that is left of a stream, whose first bytes may have been read already. */
static int read_whole(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit)
{
	const uint64_t most = limit ? limit : default_limit();
	size_t size = 0, capacity = PERUN_HEAD_SIZE, got;
	unsigned char *data;
	int status = to_first_byte(ctx, input);

	if (status)
		return status;
	data = perun_alloc(capacity);
	do {
		if (size == capacity) {
			capacity *= 2;
			data = perun_realloc(data, capacity);
		}
		status = perun_input_read(ctx, input, data + size, capacity - size, &got);
		size += got;
		if (!status && size > most)
			status = too_large(ctx, input, limit);
		if (!status && perun_cancelled(ctx))
			status = perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	} while (!status && got);
	if (status) {
		perun_free(data);
		return status;
	}
	keep_whole(input, perun_realloc(data, size ? size : 1), size);
	return PERUN_OK;
}

/* Of what is in memory already; the default limit is not for plain files. */
static bool exceeds_limit(const struct perun_input *input, uint64_t limit)
{
	if (!limit && (input->compressed || input->kind == PERUN_INPUT_STREAM))
		limit = default_limit();
	return limit && input->whole_size > limit;
}

static int make_whole(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit)
{
	bool plain;
	int status;

	if (input->have_whole)
		return exceeds_limit(input, limit) ? too_large(ctx, input, limit) : PERUN_OK;
	status = perun_input_start(ctx, input);
	if (status)
		return status;
	plain = !input->compressed && input->kind != PERUN_INPUT_STREAM;
	if (plain && limit && input->file_size > limit)
		return too_large(ctx, input, limit);
	if (perun_input_is_small(ctx, input))
		return read_small(ctx, input);
	if (plain && input->kind == PERUN_INPUT_FILE && input->file_size > 0)
		return map_file(ctx, input);
	if (plain && input->kind == PERUN_INPUT_MEMORY) {
		input->whole = input->raw.memory;
		input->whole_size = input->raw.memory_size;
		input->have_whole = true;
		return PERUN_OK;
	}
	return read_whole(ctx, input, limit);
}

void perun_input_passed(struct perun_input *input, const void *at)
{
	enum { STEP = 1 << 20 }; /* a multiple of pages */
	char *mapped = input->mapped;
	size_t passed;

	if (!mapped)
		return;
	passed = (size_t)((const char *)at - mapped) / STEP * STEP;
	if (passed > input->passed)
		madvise(mapped + input->passed, passed - input->passed, MADV_DONTNEED);
	input->passed = passed;
}

int perun_input_map(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit,
		    const void **data, size_t *size)
{
	uint64_t position = input->position;
	int status = not_a_directory(ctx, input);

	*data = "";
	*size = 0;
	if (!status)
		status = make_whole(ctx, input, limit);
	if (status)
		return status;
	/* Reading as a stream goes on where it was. */
	input->position = position < input->whole_size ? position : input->whole_size;
	if (input->whole_size > input->mark)
		*data = input->whole + input->mark;
	*size = input->whole_size - input->mark;
	return PERUN_OK;
}

int perun_input_read_at(struct perun_ctx *ctx, struct perun_input *input, uint64_t offset,
			void *buffer, size_t size, size_t *got)
{
	const void *data;
	size_t whole;
	int status;

	*got = 0;
	status = perun_input_map(ctx, input, 0, &data, &whole);
	if (status || offset >= whole)
		return status;
	*got = whole - (size_t)offset < size ? whole - (size_t)offset : size;
	memcpy(buffer, (const char *)data + offset, *got);
	return PERUN_OK;
}

/* ---- marks ----------------------------------------------------------------------------------- */

static int convert(struct perun_ctx *ctx, struct perun_input *input)
{
	struct perun_buffer text = {0};
	const void *data;
	size_t size;
	int status = perun_input_map(ctx, input, 0, &data, &size);

	if (status)
		return status;
	perun_plain_text(data, size, &text);
	perun_free(input->owned);
	input->whole_size = text.length;
	input->owned = (unsigned char *)perun_buffer_take(&text);
	input->whole = input->owned;
	return PERUN_OK;
}

int perun_input_decode(struct perun_ctx *ctx, struct perun_input *input)
{
	enum perun_marks marks;
	unsigned char *head;
	size_t got;
	int status;

	if (input->kind == PERUN_INPUT_DIRECTORY || input->decoded)
		return PERUN_OK;
	status = to_first_byte(ctx, input);
	if (status)
		return status;
	head = perun_alloc(PERUN_HEAD_SIZE);
	status = read_all_of(ctx, input, head, PERUN_HEAD_SIZE, &got);
	marks = status ? PERUN_MARKS_NONE : perun_marks_of(head, got);
	if (!status && !input->have_whole && got < PERUN_HEAD_SIZE)
		keep_whole(input, head, got);
	else
		perun_free(head);
	if (status)
		return status;
	input->decoded = true;
	if (marks == PERUN_MARKS_OTHER)
		status = convert(ctx, input);
	else if (marks == PERUN_MARKS_FIRST)
		input->mark = PERUN_MARK_SIZE;
	return status ? status : perun_input_skip_to_start(ctx, input);
}
