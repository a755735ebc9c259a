/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading one file to be added and writing its object. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/path.h>

#include "core/format/descriptor.h"
#include "core/store/prepare.h"

#define TYPE_LIMIT 200
#define COPY_SIZE  65536

/* What the helpers of one preparation share. */
struct preparation {
	struct perun_ctx *ctx;
	struct perun_store *store;
	struct perun_transaction *transaction;
	struct perun_preparer *preparer;
	struct perun_packer *packer;
	const char *minor;
	const struct perun_add_options *options;
	struct perun_source *source;
	bool store_failed; /* not the file's fault */
};

struct perun_preparer *perun_preparer_new(struct perun_store *store, bool many)
{
	struct perun_preparer *preparer = perun_alloc_zero(1, sizeof *preparer);

	preparer->packer = perun_packer_new(store, many);
	preparer->plain = perun_plain_new();
	preparer->quiet = many;
	preparer->fd = -1;
	return preparer;
}

void perun_preparer_free(struct perun_preparer *preparer)
{
	perun_packer_free(preparer->packer);
	perun_plain_free(preparer->plain);
	perun_buffer_free(&preparer->text);
	perun_free(preparer);
}

void perun_source_free(struct perun_source *source)
{
	perun_free(source->name);
	perun_free(source->error);
	perun_facts_free(&source->facts);
}

/* ---- looking at a file ----------------------------------------------------------------------- */

/* The bytes of a small regular file of the size that fstat() told; none when it is anything else. */
static void read_small(struct perun_preparer *preparer, const struct stat *info)
{
	struct perun_buffer *text = &preparer->text;
	size_t size = (size_t)info->st_size;

	if (size > PERUN_PLAIN_LIMIT)
		return;
	/* In one go: a program that writes at the same time does so before or after. */
	if (read(preparer->fd, perun_buffer_reserve(text, size + 1), size + 1) == (ssize_t)size)
		text->length = size;
}

/*
 * Of thousands of files the times of access would be thousands of inodes to write; one's own files can
 * be read without.
 */
static int open_source(struct perun_preparer *preparer, const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = preparer->quiet ? perun_path_open(path, flags | O_NOATIME, 0) : -1;

	if (fd >= 0 || (preparer->quiet && errno != EPERM))
		return fd;
	preparer->quiet = false;
	return perun_path_open(path, flags, 0);
}

void perun_source_look(struct perun_preparer *preparer, struct perun_source *source)
{
	perun_buffer_clear(&preparer->text);
	source->error_number = 0;
	preparer->fd = open_source(preparer, source->path);
	if (preparer->fd < 0 || fstat(preparer->fd, &source->info) != 0) {
		source->error_number = errno;
		return;
	}
	/* It stays open: all that is read of it is read from here, so that another file in its place changes nothing. */
	if (S_ISREG(source->info.st_mode))
		read_small(preparer, &source->info);
}

void perun_source_leave(struct perun_preparer *preparer)
{
	if (preparer->fd >= 0)
		close(preparer->fd);
	preparer->fd = -1;
}

/* ---- objects --------------------------------------------------------------------------------- */

/* Whether the object is there and good; a damaged one is written again. */
static bool is_stored(struct preparation *preparation, const char *checksum)
{
	struct perun_object object;
	struct perun_ctx *quiet;
	bool good;

	if (perun_names_lack(preparation->store, checksum) ||
	    !perun_object_exists(preparation->store, checksum))
		return false;
	quiet = perun_ctx_new(NULL);
	good = perun_object_read(quiet, preparation->store, checksum, false, &object) == PERUN_OK;
	if (good)
		perun_object_free(&object);
	else
		perun_warn(preparation->ctx, "%s; written again", perun_ctx_error(quiet));
	perun_ctx_free(quiet);
	return good;
}

/* Name, pack and stage the body that the packer was given. */
static int stage_object(struct preparation *preparation, enum perun_object_kind kind,
			const char *name, char checksum[PERUN_CHECKSUM_SIZE])
{
	struct perun_piece pieces[PERUN_PACKED_PIECES];
	char path[PERUN_OBJECT_PATH_SIZE];
	size_t count;
	int status = perun_packer_name(preparation->ctx, preparation->packer, kind, name, checksum);

	if (!status && !is_stored(preparation, checksum)) {
		count = perun_packer_pack(preparation->packer, pieces);
		perun_object_path(checksum, "", path);
		if (perun_names_lack(preparation->store, checksum))
			status = perun_transaction_write_fresh(
				preparation->ctx, preparation->transaction, path, pieces, count);
		else
			status = perun_transaction_write(preparation->ctx, preparation->transaction,
							 PERUN_STAGE_FIRST, path, pieces, count,
							 NULL);
	}
	preparation->store_failed = status != PERUN_OK;
	return status;
}

static int to_packer(void *data, const void *bytes, size_t size)
{
	struct preparation *preparation = data;
	int status = perun_packer_add(preparation->ctx, preparation->packer, bytes, size);

	preparation->store_failed |= status != PERUN_OK;
	return status;
}

/* The profile as the Python program stores it. */
static int stage_profile(struct preparation *preparation, const struct perun_profile *profile)
{
	static const char *const as_stored[] = {"stored=yes", NULL};
	struct perun_source *source = preparation->source;
	struct perun_output *output;
	int status;

	perun_packer_start(preparation->packer);
	output = perun_output_to_sink(to_packer, preparation);
	status = perun_write_profile(preparation->ctx, profile, "perun", as_stored, output);
	if (!status)
		status = perun_output_commit(preparation->ctx, output);
	perun_output_close(output);
	return status ? status
		      : stage_object(preparation, PERUN_OBJECT_PROFILE, source->facts.type,
				     source->checksum);
}

/* ---- other formats --------------------------------------------------------------------------- */

/* The bytes of the file as it came, also compressed ones. */
static int stage_attachment(struct preparation *preparation, char checksum[PERUN_CHECKSUM_SIZE])
{
	const struct perun_preparer *preparer = preparation->preparer;
	int status = PERUN_OK;
	off_t offset = 0;
	ssize_t got = 1;
	char *data;

	perun_packer_start(preparation->packer);
	if (preparer->text.length)
		status = to_packer(preparation, preparer->text.data, preparer->text.length);
	data = preparer->text.length ? NULL : perun_alloc(COPY_SIZE);
	while (!status && data && got != 0) {
		got = pread(preparer->fd, data, COPY_SIZE, offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = perun_fail_errno(preparation->ctx, PERUN_INPUT, errno,
						  "cannot read it");
		else
			status = to_packer(preparation, data, (size_t)got);
		offset += got;
	}
	perun_free(data);
	return status ? status
		      : stage_object(preparation, PERUN_OBJECT_ATTACHMENT,
				     preparation->source->name, checksum);
}

/* The Python program knows these types only and cannot load anything else. */
static bool is_known_type(const char *type)
{
	return strcmp(type, "time") == 0 || strcmp(type, "memory") == 0 ||
	       strcmp(type, "mixed") == 0;
}

static void copy_member(struct perun_json *to, const struct perun_json *from, const char *key,
			struct perun_json *otherwise)
{
	const struct perun_json *value = perun_json_get(from, key);

	if (value) {
		perun_json_free(otherwise);
		otherwise = perun_json_clone(value);
	}
	if (otherwise)
		perun_json_set(to, key, otherwise);
}

static struct perun_json *new_header(const struct perun_json *document)
{
	const struct perun_json *from = perun_json_get(document, "header");
	struct perun_json *header = perun_json_object();
	const char *type = perun_json_as_string(perun_json_get(from, "type"), NULL);

	perun_json_set(header, "type",
		       perun_json_text(type && is_known_type(type) ? type : "mixed"));
	copy_member(header, from, "cmd", perun_json_text(""));
	copy_member(header, from, "workload", perun_json_text(""));
	copy_member(header, from, "units", perun_json_object());
	for (size_t i = 0; i < perun_json_count(from); i++) {
		const char *key = perun_json_key_at(from, i, NULL);

		if (!perun_json_get(header, key))
			copy_member(header, from, key, NULL);
	}
	return header;
}

/* Give a document what every stored profile has. */
static void complete_document(struct perun_json *document, const struct perun_json *from,
			      const char *format)
{
	struct perun_json *collector = perun_json_object();

	perun_json_set(collector, "name", perun_json_text(format));
	perun_json_set(collector, "params", perun_json_object());
	perun_json_set(document, "header", new_header(from));
	copy_member(document, from, "machine", NULL);
	copy_member(document, from, "collector_info", collector);
	copy_member(document, from, "postprocessors", perun_json_array());
}

/* A small profile that stands for one in another format: header, models and its attachment. */
static int wrap(struct preparation *preparation, struct perun_profile *profile, const char *format,
		struct perun_profile **wrapper)
{
	static const char *const tables[] = {"models", "model_terms", "model_values"};
	struct perun_builder *builder;
	struct perun_json *document, *attachment;
	char checksum[PERUN_CHECKSUM_SIZE];
	int status = stage_attachment(preparation, checksum);

	if (status)
		return status;
	builder = perun_builder_new();
	document = perun_builder_document(builder);
	complete_document(document, perun_profile_document(profile), format);
	attachment = perun_json_object();
	perun_json_set(attachment, "object", perun_json_text(checksum));
	perun_json_set(attachment, "name", perun_json_text(preparation->source->name));
	perun_json_set(attachment, "format", perun_json_text(format));
	perun_json_set(attachment, "size",
		       perun_json_uint64(perun_packer_length(preparation->packer)));
	perun_json_set(document, "attachment", attachment);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		perun_builder_append_table(builder, profile, tables[i]);
	return perun_builder_finish(preparation->ctx, builder, wrapper);
}

/* The profile with all its rows, and a header that the Python program takes. */
static int expand(struct preparation *preparation, struct perun_profile *profile,
		  const char *format, struct perun_profile **expanded)
{
	struct perun_builder *builder = perun_builder_from(profile);
	struct perun_json *document = perun_builder_document(builder);
	struct perun_json *from = perun_json_clone(document);

	complete_document(document, from, format);
	perun_json_free(from);
	return perun_builder_finish(preparation->ctx, builder, expanded);
}

/* ---- one file -------------------------------------------------------------------------------- */

static const char *origin_of(const struct perun_profile *profile)
{
	return perun_json_as_string(perun_json_get(perun_profile_document(profile), "origin"),
				    NULL);
}

static int check_origin(struct preparation *preparation, const char *text)
{
	if (preparation->options->force || !text || !text[0] ||
	    strcmp(text, preparation->minor) == 0)
		return PERUN_OK;
	return perun_fail(preparation->ctx, PERUN_INPUT,
			  "it was measured at %.40s, not at %s; --minor names another version, "
			  "--force adds it anyway",
			  text, preparation->minor);
}

static int check_type(struct preparation *preparation)
{
	const char *type = preparation->source->facts.type;
	size_t length = type ? strcspn(type, " \t\r\n") : 0;

	if (length > 0 && type[length] == '\0' && length <= TYPE_LIMIT)
		return PERUN_OK;
	return perun_fail(preparation->ctx, PERUN_INPUT,
			  "its header.type must be one word, such as time, memory or mixed");
}

/* A profile that stands for another one, written by hand or taken from another store. */
static int check_attachment(struct preparation *preparation)
{
	const char *checksum = preparation->source->facts.attachment;
	struct perun_object object;
	int status = PERUN_OK;

	if (!checksum)
		return PERUN_OK;
	if (perun_object_peek(preparation->ctx, preparation->store, checksum, &object)) {
		status = PERUN_INPUT;
	} else {
		if (object.kind != PERUN_OBJECT_ATTACHMENT)
			status = perun_fail(preparation->ctx, PERUN_INPUT,
					    "object %s is not an attachment", checksum);
		perun_object_free(&object);
	}
	if (status)
		perun_fail(preparation->ctx, PERUN_OK,
			   "it stands for another profile that this store does not have; add that "
			   "profile itself");
	return status;
}

/* The source as an input: a file by the descriptor that it was opened with. */
static int open_input(struct preparation *preparation, struct perun_input **input)
{
	const struct perun_source *source = preparation->source;

	return S_ISREG(source->info.st_mode)
		       ? perun_input_open_descriptor(preparation->ctx, preparation->preparer->fd,
						     source->path, input)
		       : perun_input_open(preparation->ctx, source->path, input);
}

static int read_source(struct preparation *preparation, struct perun_profile **profile,
		       const char **format)
{
	struct perun_input *input;
	int status = open_input(preparation, &input);

	if (!status)
		status = perun_read_profile(preparation->ctx, input, NULL, NULL, profile, format);
	perun_input_close(input);
	return status;
}

/* After the last look at the source: what was read and what is stored is of one state of it. */
static int check_unchanged(struct preparation *preparation)
{
	struct stat after;

	if (fstat(preparation->preparer->fd, &after) == 0 &&
	    perun_same_file(&preparation->source->info, &after))
		return PERUN_OK;
	return perun_fail(preparation->ctx, PERUN_INPUT, "it changed while it was read");
}

/* From the profile that was read to the one that is stored; takes the reference. */
static int to_stored(struct preparation *preparation, struct perun_profile **profile,
		     const char *format)
{
	struct perun_profile *stored = NULL;
	int status;

	if (strcmp(format, "perun") == 0)
		return PERUN_OK;
	if (preparation->options->expand || S_ISDIR(preparation->source->info.st_mode))
		status = expand(preparation, *profile, format, &stored);
	else
		status = wrap(preparation, *profile, format, &stored);
	perun_profile_unref(*profile);
	*profile = stored;
	return status;
}

/* A profile in the stored form, without building a model of it. False: it is not plainly that. */
static bool prepare_plain(struct preparation *preparation, int *status)
{
	struct perun_preparer *preparer = preparation->preparer;
	struct perun_source *source = preparation->source;
	const struct perun_buffer *body;
	const char *origin;

	if (preparer->text.length == 0 || preparer->text.data[0] != '{' ||
	    !perun_plain_read(preparer->plain, preparer->text.data, preparer->text.length, &body,
			      &source->facts, &origin))
		return false;
	*status = check_origin(preparation, origin);
	if (!*status)
		*status = check_type(preparation);
	if (!*status) {
		perun_packer_start(preparation->packer);
		*status = to_packer(preparation, body->data, body->length);
	}
	if (!*status)
		*status = stage_object(preparation, PERUN_OBJECT_PROFILE, source->facts.type,
				       source->checksum);
	return true;
}

static int prepare(struct preparation *preparation)
{
	struct perun_source *source = preparation->source;
	struct perun_profile *profile = NULL;
	const char *format = "";
	int status;

	if (prepare_plain(preparation, &status))
		return status;
	status = read_source(preparation, &profile, &format);
	if (!status)
		status = check_origin(preparation, origin_of(profile));
	if (!status)
		status = to_stored(preparation, &profile, format);
	if (!status)
		status = check_unchanged(preparation);
	if (!status) {
		perun_facts_of_document(perun_profile_document(profile), &source->facts);
		status = check_type(preparation);
	}
	if (!status && strcmp(format, "perun") == 0)
		status = check_attachment(preparation);
	if (!status)
		status = stage_profile(preparation, profile);
	perun_profile_unref(profile);
	return status;
}

int perun_source_prepare(struct perun_ctx *ctx, struct perun_transaction *transaction,
			 struct perun_preparer *preparer, const char *minor,
			 const struct perun_add_options *options, struct perun_source *source)
{
	struct preparation preparation = {
		.ctx = ctx,
		.store = perun_transaction_store(transaction),
		.transaction = transaction,
		.preparer = preparer,
		.packer = preparer->packer,
		.minor = minor,
		.options = options,
		.source = source,
	};
	const char *message, *slash = strrchr(source->path, '/');
	int status;

	source->name = perun_strdup(slash ? slash + 1 : source->path);
	if (strcmp(source->path, "-") == 0)
		status = perun_fail(ctx, PERUN_USAGE,
				    "a profile is kept under the name of its file, and standard "
				    "input has none; write it to a file first");
	else if (source->error_number)
		status = perun_fail_errno(ctx, PERUN_INPUT, source->error_number, "cannot open it");
	else if (source->name[0] == '\0')
		status = perun_fail(ctx, PERUN_USAGE, "a name that ends in a slash");
	else
		status = prepare(&preparation);
	if (!status || preparation.store_failed || status == PERUN_CANCELLED)
		return status;
	perun_fail(ctx, PERUN_OK, "cannot add %s", source->path);
	message = perun_ctx_error(ctx);
	source->status = status;
	source->error = perun_strdup(message ? message : "cannot be added");
	perun_ctx_clear(ctx);
	return PERUN_OK;
}
