/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugins of kind `format`: readers and writers of profile files, and the streams they work on.
 * Threads: readers and writers are called on any number of threads at once, each with an input or output of its own: a
 * plugin keeps nothing between calls but constants. An input or an output belongs to one thread at a time.
 */
#ifndef PERUN_FORMAT_H
#define PERUN_FORMAT_H

#include <string.h>

#include <perun/plugin.h>
#include <perun/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- input ---------------------------------------------------------------------------------- */

/*
 * Something to read: a file, a directory, or standard input. gzip is decompressed unseen. An input belongs
 * to the host; a plugin borrows it during read().
 */
struct perun_input;

/* For hosts: open `path` ("-" is standard input). Refuses other things than files and directories. */
PERUN_EXPORT int perun_input_open(struct perun_ctx *ctx, const char *path,
				  struct perun_input **input);
/* For hosts and tests: bytes in memory under a name; the bytes are borrowed until close. */
PERUN_EXPORT struct perun_input *perun_input_from_memory(const char *name, const void *data,
							 size_t size);
PERUN_EXPORT void perun_input_close(struct perun_input *input);

/* The name for messages and probing (the path as given; "standard input"). */
PERUN_EXPORT const char *perun_input_name(const struct perun_input *input);
PERUN_EXPORT bool perun_input_is_directory(const struct perun_input *input);
/* Size in bytes after decompression when known, else -1. */
PERUN_EXPORT int64_t perun_input_size(const struct perun_input *input);

/*
 * Read up to `size` bytes as a stream: `*got` is 0 only at the end. perun_input_skip_to_start()
 * goes back to the first byte (also on standard input, as far as the first 64 KiB).
 */
PERUN_EXPORT int perun_input_read(struct perun_ctx *ctx, struct perun_input *input, void *buffer,
				  size_t size, size_t *got);
PERUN_EXPORT int perun_input_skip_to_start(struct perun_ctx *ctx, struct perun_input *input);
/* Read `size` bytes at `offset` (materializes a stream first); fewer only at the end. */
PERUN_EXPORT int perun_input_read_at(struct perun_ctx *ctx, struct perun_input *input,
				     uint64_t offset, void *buffer, size_t size, size_t *got);
/*
 * The whole content (after decompression), borrowed until close. More than `limit` bytes is an error
 * that names the limit; 0 = none for plain files, which are mapped and not copied, and for streams and compressed files
 * what PERUN_INPUT_LIMIT says in the environment, by default 16 GiB.
 */
PERUN_EXPORT int perun_input_map(struct perun_ctx *ctx, struct perun_input *input, uint64_t limit,
				 const void **data, size_t *size);
/*
 * For who goes through the whole content from its beginning: what is before `at` is not read soon. It may be read again, but for
 * now it takes no memory where the content is mapped.
 */
PERUN_EXPORT void perun_input_passed(struct perun_input *input, const void *at);
/* A path on disk with the content, for libraries that want one (a temporary copy if need be). */
PERUN_EXPORT int perun_input_local_path(struct perun_ctx *ctx, struct perun_input *input,
					const char **path);
/* When a file was written last, in seconds since 1970; 0 where that is not known, as of a pipe. */
PERUN_EXPORT int64_t perun_input_modified(struct perun_input *input);
/* Entries of a directory, sorted by name, without "." and ".."; borrowed until close. */
PERUN_EXPORT int perun_input_list(struct perun_ctx *ctx, struct perun_input *input,
				  const char *const **names, size_t *count);
/* Open an entry; the caller closes it before its parent. */
PERUN_EXPORT int perun_input_open_child(struct perun_ctx *ctx, struct perun_input *input,
					const char *name, struct perun_input **child);

/*
 * The lines of an input from its current position, for formats that are text. `limit`: a line of more bytes
 * is an error that names the line's number (0 = 4 MiB). The input is borrowed until _free.
 */
struct perun_lines;
PERUN_EXPORT struct perun_lines *perun_lines_new(struct perun_input *input, size_t limit);
PERUN_EXPORT void perun_lines_free(struct perun_lines *lines); /* NULL is fine */
/*
 * The next line, without "\n" or "\r\n" and with a NUL after it, which `*length` does not count (a line
 * may hold others); `*line` is NULL at the end. Valid, and the caller's to write to, until the next call.
 */
PERUN_EXPORT int perun_lines_next(struct perun_ctx *ctx, struct perun_lines *lines, char **line,
				  size_t *length);
/* The number of the line given last; the first is 1. */
PERUN_EXPORT uint64_t perun_lines_number(const struct perun_lines *lines);
/* Whether the line given last ended with the input, and not with a line break: more may be missing. */
PERUN_EXPORT bool perun_lines_is_open(const struct perun_lines *lines);

/* ---- output --------------------------------------------------------------------------------- */

/*
 * Something to write: a file that appears under its name only when it is complete, a directory, a
 * stream, or memory. Errors stick: after the first, writes do nothing, and perun_output_commit()
 * reports it; so a writer may check only at its end.
 */
struct perun_output;

/* For hosts: `path` replaced atomically at commit ("-" is standard output). */
PERUN_EXPORT int perun_output_open(struct perun_ctx *ctx, const char *path,
				   struct perun_output **output);
/* A directory that appears under `path` at commit. */
PERUN_EXPORT int perun_output_open_directory(struct perun_ctx *ctx, const char *path,
					     struct perun_output **output);
/* Appends to `buffer`, borrowed until close. */
PERUN_EXPORT struct perun_output *perun_output_to_buffer(struct perun_buffer *buffer);
/* Hands every block to `sink`, which returns a status. */
PERUN_EXPORT struct perun_output *
perun_output_to_sink(int (*sink)(void *data, const void *bytes, size_t size), void *data);
/* Flush and put in place; reports the first error of all. Close without commit leaves no trace. */
PERUN_EXPORT int perun_output_commit(struct perun_ctx *ctx, struct perun_output *output);
PERUN_EXPORT void perun_output_close(struct perun_output *output);

/* For plugins. Return 0, or the sticking error's status. */
PERUN_EXPORT int perun_output_write(struct perun_output *output, const void *data, size_t size);
PERUN_EXPORT int perun_output_text(struct perun_output *output, const char *text);
PERUN_EXPORT int perun_output_printf(struct perun_output *output, const char *format, ...)
	PERUN_PRINTF(2, 3);
/* Hand on what was written so far, for somebody who watches. */
PERUN_EXPORT int perun_output_flush(struct perun_output *output);
/* A file or directory inside a directory output; the parent owns it and commits it. */
PERUN_EXPORT int perun_output_child(struct perun_ctx *ctx, struct perun_output *output,
				    const char *name, bool directory, struct perun_output **child);

/* ---- the kind ------------------------------------------------------------------------------- */

/* What a probe sees: the first bytes (after decompression, in UTF-8), the name, and whether it is a directory. */
struct perun_probe {
	uint32_t struct_size;
	const char *name;           /* last component of the path */
	const void *data;           /* never NULL */
	size_t size;                /* at most 64 KiB */
	bool directory, whole;      /* whole: `data` is all there is */
	const char *const *entries; /* of a directory */
	size_t entry_count;
	const char *const *inner; /* some entries of the first directories in it */
	size_t inner_count;
};

/* Whether a name among `inner` has this ending; true also when nothing is known of them. */
static inline bool perun_probe_may_have(const struct perun_probe *probe, const char *ending)
{
	size_t length = strlen(ending);

	for (size_t i = 0; i < probe->inner_count; i++) {
		size_t size = strlen(probe->inner[i]);

		if (size >= length && strcmp(probe->inner[i] + size - length, ending) == 0)
			return true;
	}
	return probe->inner_count == 0;
}

/* Bytes that a file of the format has at an offset: for the .plugin text. An array ends with size 0; the layout
 * is fixed. */
struct perun_magic {
	const char *bytes;
	uint32_t size, offset;
};

struct perun_format_ops {
	PERUN_INSTANCE_OPS;
	const char *patterns; /* file names, blank-separated: "*.perf *.json"; may be NULL */
	const struct perun_magic *magic; /* may be NULL. Fallback for both: any content is probed */
	/* How sure it is that the input has this format: 0 no .. 100 certain. Must not fail. Required with read. */
	int (*probe)(const struct perun_probe *probe);
	/* Fill the builder. Required unless there is write; fallback: the format cannot be read (PERUN_USAGE). */
	int (*read)(void *instance, struct perun_ctx *ctx, struct perun_input *input,
		    struct perun_builder *builder);
	/* Write the profile; call perun_lost() for what the format cannot hold. Fallback: read only (PERUN_USAGE). */
	int (*write)(void *instance, struct perun_ctx *ctx, const struct perun_profile *profile,
		     struct perun_output *output);
	bool writes_directory; /* the output is a directory. Fallback: it is a file or a stream */
	/*
	 * Texts, none of them empty, of which each file of the format has at least one within its first 64 KiB; ends
	 * with NULL. With it probe() is asked of no other file whose name matches no pattern, so that the plugin need
	 * not be loaded, and of a directory only with `reads_directories`. An empty list: of no file at all.
	 * Fallback: patterns and magic alone decide.
	 */
	const char *const *contains;
	bool reads_directories; /* with `contains`: probe() is asked of directories too. Fallback: it is not */
	/*
	 * Of a format whose files name other files of the machine, without which they say less: stores keep what was
	 * read, in this other format, and not the file. Fallback: they keep the file.
	 */
	const char *kept_as;
	/*
	 * probe() and read() get the bytes as they are, for a format that says which encoding it has. Fallback: text in
	 * UTF-16 comes as UTF-8, and neither a byte order mark nor codes of a terminal (colours) come.
	 */
	bool exact_bytes;
};

/* ---- for hosts: any format ------------------------------------------------------------------- */

/*
 * Read a profile of any format: by name if `format` is given, else by probing (the best answer wins,
 * ties and nothing found are errors that list the candidates). `format_options` are "K=V" texts, may
 * be NULL. `*profile` is a new reference. `*used`, if not NULL, becomes the format's name (interned in
 * the registry).
 */
PERUN_EXPORT int perun_read_profile(struct perun_ctx *ctx, struct perun_input *input,
				    const char *format, const char *const *format_options,
				    struct perun_profile **profile, const char **used);
/* The same from a path. */
PERUN_EXPORT int perun_read_profile_file(struct perun_ctx *ctx, const char *path,
					 struct perun_profile **profile);
/* Write in a named format. */
PERUN_EXPORT int perun_write_profile(struct perun_ctx *ctx, const struct perun_profile *profile,
				     const char *format, const char *const *format_options,
				     struct perun_output *output);

#ifdef __cplusplus
}
#endif
#endif
