/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading one file to be added and writing its object. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/advice.h>
#include <perun/lib/path.h>
#include <perun/lib/registry.h>

#include "core/format/descriptor.h"
#include "core/format/taken.h"
#include "core/store/original.h"
#include "core/store/prepare.h"

#define TYPE_LIMIT 200
/* Frames of stacks for each of the rows that are stored as well. */
#define EXPANDED_FRAMES 16
#define COPY_SIZE       65536

/* What the helpers of one preparation share. */
struct preparation {
	struct perun_ctx *ctx;
	const struct perun_store *store;
	struct perun_transaction *transaction;
	struct perun_preparer *preparer;
	struct perun_packer *packer;
	const struct perun_preparation *how;
	struct perun_source *source;
	struct perun_original original; /* what is known of it */
	struct perun_json *facts;       /* of `original` */
	char *name;                     /* the same */
	const char *kept_as;      /* a format in which it is kept, and not as it came; or NULL */
	struct perun_buffer kept; /* it in that format */
	struct perun_taken taken; /* of a directory */
	bool store_failed;        /* not the file's fault */
	bool is_named;            /* the message begins with the source's name */
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
	if (source->fd >= 0)
		close(source->fd);
	perun_free(source->name);
	perun_free(source->error);
	perun_facts_free(&source->facts);
}

/* The name for messages and formats. */
static const char *input_name(const struct perun_source *source)
{
	return strcmp(source->path, "-") == 0 ? "standard input" : source->path;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Copy a stream to its end. */
static int copy_stream(struct perun_ctx *ctx, int from, struct perun_source *source)
{
	char *data = perun_alloc(COPY_SIZE);
	ssize_t got = 1;
	int error = 0;

	while (!error && got && !perun_cancelled(ctx)) {
		got = read(from, data, COPY_SIZE);
		if (got >= 0)
			error = perun_write_all(source->fd, data, (size_t)got);
		else if (errno != EINTR)
			error = errno;
	}
	perun_free(data);
	if (!error && lseek(source->fd, 0, SEEK_SET) != 0)
		error = errno;
	if (perun_cancelled(ctx))
		return perun_fail(ctx, PERUN_CANCELLED, "interrupted");
	return error ? perun_fail_errno(ctx, PERUN_INPUT, error, "cannot copy %s",
					input_name(source))
		     : PERUN_OK;
}

/* A stream to read, or -1 for anything else: whoever opens it says what is wrong with it. */
static int open_stream(const struct perun_source *source)
{
	struct stat info;
	int fd;

	if (strcmp(source->path, "-") == 0)
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	if (!perun_is_open_descriptor(source->path))
		return -1;
	fd = perun_path_open(source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
	if (fd >= 0 && (fstat(fd, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

int perun_source_spool(struct perun_ctx *ctx, struct perun_store *store,
		       struct perun_source *source)
{
	int from = open_stream(source), status;

	if (from < 0)
		return PERUN_OK;
	source->fd = openat(store->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (source->fd < 0)
		source->fd = memfd_create("perun", MFD_CLOEXEC);
	if (source->fd < 0)
		status = perun_fail_errno(ctx, PERUN_INPUT, errno, "cannot make a temporary file");
	else
		status = copy_stream(ctx, from, source);
	close(from);
	return status;
}

/* ---- looking at a file ----------------------------------------------------------------------- */

/* The bytes of a small regular file of the size that fstat() reported; none when it is anything else. */
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
	preparer->fd = source->fd >= 0 ? fcntl(source->fd, F_DUPFD_CLOEXEC, 0)
				       : open_source(preparer, source->path);
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

bool perun_source_is_saved(struct perun_source *source)
{
	const struct perun_saved *saved = source->saved;

	if (saved && saved->profile && perun_path_stat(source->path, &source->info) == 0 &&
	    perun_same_file(&saved->info, &source->info) &&
	    saved->info.st_ctim.tv_sec == source->info.st_ctim.tv_sec &&
	    saved->info.st_ctim.tv_nsec == source->info.st_ctim.tv_nsec)
		return true;
	source->saved = NULL;
	return false;
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

/* Of gzip, zstd, zip, xz and bzip2: deflating once more gains nothing and has to be undone at each reading. */
static bool is_compressed(const struct preparation *preparation)
{
	static const struct {
		unsigned char bytes[4], size;
	} starts[] = {{{0x1f, 0x8b}, 2},
		      {{0x28, 0xb5, 0x2f, 0xfd}, 4},
		      {{'P', 'K', 3, 4}, 4},
		      {{0xfd, '7', 'z', 'X'}, 4},
		      {{'B', 'Z', 'h'}, 3}};
	unsigned char head[4] = {0};

	if (preparation->kept_as)
		memcpy(head, preparation->kept.data,
		       preparation->kept.length < 4 ? preparation->kept.length : 4);
	else if (pread(preparation->preparer->fd, head, sizeof head, 0) != sizeof head)
		return false;
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
		if (memcmp(head, starts[i].bytes, starts[i].size) == 0)
			return true;
	}
	return false;
}

/* The bytes of the file as it is. */
static int copy_file(struct preparation *preparation)
{
	char *data = perun_alloc(COPY_SIZE);
	int status = PERUN_OK;
	off_t offset = 0;
	ssize_t got = 1;

	while (!status && got != 0) {
		got = pread(preparation->preparer->fd, data, COPY_SIZE, offset);
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
	return status;
}

/* What came, also compressed: a file, of a directory the files that were read; or what is kept in its place. */
static int stage_attachment(struct preparation *preparation, char checksum[PERUN_CHECKSUM_SIZE])
{
	const struct perun_buffer *text = &preparation->preparer->text;
	int status;

	perun_packer_start(preparation->packer);
	if (!preparation->original.archive && is_compressed(preparation))
		perun_packer_store(preparation->packer);
	if (preparation->kept_as)
		status = to_packer(preparation, preparation->kept.data, preparation->kept.length);
	else if (preparation->original.archive)
		status = perun_taken_pack(preparation->ctx, preparation->preparer->fd,
					  &preparation->taken, to_packer, preparation);
	else if (text->length)
		status = to_packer(preparation, text->data, text->length);
	else
		status = copy_file(preparation);
	return status ? status
		      : stage_object(preparation, PERUN_OBJECT_ATTACHMENT, PERUN_ATTACHMENT_NAME,
				     checksum);
}

/* ---- checking and reading -------------------------------------------------------------------- */

static const char *origin_of(const struct perun_profile *profile)
{
	return perun_json_as_string(perun_json_get(perun_profile_document(profile), "origin"),
				    NULL);
}

static int check_origin(struct preparation *preparation, const char *text)
{
	if (preparation->how->import || preparation->how->options->force || !text || !text[0] ||
	    strcmp(text, preparation->how->minor) == 0)
		return PERUN_OK;
	if (strlen(text) < PERUN_CHECKSUM_SIZE)
		memcpy(preparation->source->origin, text, strlen(text) + 1);
	return perun_fail(preparation->ctx, PERUN_INPUT, "it was measured at %.64s, not at %s%s",
			  text, preparation->how->minor, perun_advice(PERUN_ADVICE_FORCE_ADD));
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

/* A profile that represents another one, written by hand or taken from another store. */
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
			   "it refers to another profile that this store does not have; add that "
			   "profile itself");
	return status;
}

/* The source as an input: a file by the descriptor that it was opened with. */
static int open_input(struct preparation *preparation, struct perun_input **input)
{
	const struct perun_source *source = preparation->source;

	return S_ISREG(source->info.st_mode)
		       ? perun_input_open_descriptor(preparation->ctx, preparation->preparer->fd,
						     input_name(source), input)
		       : perun_input_open(preparation->ctx, source->path, input);
}

static void note_version(void *data, struct perun_json *document, const struct perun_plugin *plugin)
{
	struct preparation *preparation = data;
	struct perun_format_ops ops;

	(void)document;
	preparation->original.version = plugin->version;
	perun_plugin_ops(plugin, &ops, sizeof ops);
	preparation->kept_as = ops.kept_as;
}

/* Let who imports say more of the profile, and remember what that was. */
static int describe(struct preparation *preparation, struct perun_profile **profile)
{
	const struct perun_import_options *import = preparation->how->import;
	struct perun_profile *described = NULL;
	struct perun_builder *builder;
	struct perun_json *document;
	int status;

	if (!import || !import->describe)
		return PERUN_OK;
	builder = perun_builder_from(*profile);
	document = perun_builder_document(builder);
	import->describe(import->data, *profile, document, preparation->source->path,
			 preparation->original.format);
	preparation->facts = perun_facts_changed(perun_profile_document(*profile), document);
	preparation->original.facts = preparation->facts;
	status = perun_builder_finish(preparation->ctx, builder, &described);
	perun_profile_unref(*profile);
	*profile = described;
	return status;
}

/* Let who imports add what the file does not have. */
static int complete(struct preparation *preparation, struct perun_profile **profile)
{
	const struct perun_import_options *import = preparation->how->import;
	struct perun_profile *before;
	int status;

	if (!import || !import->complete)
		return PERUN_OK;
	/* It stays as long as another one may be made, so that they cannot have one address. */
	before = perun_profile_ref(*profile);
	status = import->complete(import->data, preparation->ctx, preparation->original.format,
				  profile);
	if (*profile != before)
		preparation->kept_as = "pprof";
	perun_profile_unref(before);
	return status;
}

/* From now on it is a profile of the format in which it is kept. */
static int keep_as(struct preparation *preparation, struct perun_profile **profile)
{
	perun_json_free(preparation->facts);
	preparation->facts = NULL;
	return perun_original_rewrite(preparation->ctx, &preparation->original,
				      preparation->kept_as, &preparation->kept, profile,
				      &preparation->facts);
}

static int read_source(struct preparation *preparation, struct perun_profile **profile)
{
	const struct perun_import_options *import = preparation->how->import;
	const struct perun_describe noted = {note_version, preparation};
	struct perun_original *original = &preparation->original;
	struct perun_input *input;
	int status = open_input(preparation, &input);

	if (status)
		return status;
	if (perun_input_is_directory(input))
		perun_input_take(input, &preparation->taken);
	original->by_uid = import != NULL;
	original->format_options = import ? import->format_options : NULL;
	status = perun_read_described(preparation->ctx, input, import ? import->format : NULL,
				      original->format_options, &noted, profile, &original->format);
	preparation->is_named = status == PERUN_INPUT;
	original->name = preparation->name =
		perun_strdup(perun_path_base_name(perun_input_name(input)));
	perun_input_close(input);
	if (!status)
		status = complete(preparation, profile);
	if (!status)
		status = describe(preparation, profile);
	return status || !preparation->kept_as ? status : keep_as(preparation, profile);
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

/*
 * Whether rows are so few that they are stored as well. Each names the frames of its stack one by one for each metric, so
 * that deep ones would take many times what the original takes.
 */
static bool is_small(const struct perun_profile *profile, uint64_t rows)
{
	const struct perun_table *table = perun_resources(profile);
	const struct perun_column *stacks = perun_table_column(table, "stack");
	uint64_t frames = 0, metrics = 0;

	if (perun_table_rows(table) > rows)
		return false;
	if (!stacks || perun_column_info(stacks)->type != PERUN_TYPE_STACK)
		return true;
	for (size_t row = 0; row < perun_table_rows(table); row++)
		frames += perun_profile_stack_length(profile, perun_column_id(stacks, row));
	for (size_t i = 0; i < perun_table_columns(table); i++)
		metrics += perun_column_info(perun_table_column_at(table, i))->role ==
			   PERUN_ROLE_METRIC;
	return frames * metrics / EXPANDED_FRAMES <= rows;
}

/* From the profile that was read to the one that is stored; takes the reference. */
static int to_stored(struct preparation *preparation, struct perun_profile **profile)
{
	const struct perun_preparation *how = preparation->how;
	struct perun_original *original = &preparation->original;
	bool expand = how->options->expand;
	bool small = is_small(*profile, how->expanded_rows);
	const char *const *options = original->format_options;
	char checksum[PERUN_CHECKSUM_SIZE];
	struct perun_profile *stored = NULL;
	int status = PERUN_OK;

	if (strcmp(original->format, "perun") == 0)
		return PERUN_OK;
	for (size_t i = 0; !expand && options && options[i]; i++)
		expand = perun_original_is_limit(options[i]);
	if (!expand) {
		original->archive =
			S_ISDIR(preparation->source->info.st_mode) && !preparation->kept_as;
		status = stage_attachment(preparation, checksum);
		original->checksum = checksum;
		original->size = perun_packer_length(preparation->packer);
	}
	if (!status)
		status = perun_original_wrap(preparation->ctx, *profile, original, expand || small,
					     &stored);
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

	if (preparation->how->import || preparer->text.length == 0 ||
	    preparer->text.data[0] != '{' ||
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

/* ---- one file -------------------------------------------------------------------------------- */

/* What is imported was measured before, nobody knows when: it counts from now on. Streams are named as what is collected. */
static void name_import(struct preparation *preparation, const struct perun_profile *profile)
{
	struct perun_source *source = preparation->source;

	if (!preparation->how->import)
		return;
	clock_gettime(CLOCK_REALTIME, &source->time);
	if (!preparation->how->import->name && source->fd < 0 && source->name[0])
		return;
	perun_free(source->name);
	if (preparation->how->import->name)
		source->name = perun_strdup(preparation->how->import->name);
	else
		source->name = perun_expand_template(profile, preparation->how->name_template,
						     (unsigned)source->number);
}

/* The profile that is to be stored: check it, and put its object into the transaction. */
static int prepare_stored(struct preparation *preparation, const struct perun_profile *profile,
			  bool is_own)
{
	struct perun_source *source = preparation->source;
	int status;

	perun_facts_of_document(perun_profile_document(profile), &source->facts);
	status = check_type(preparation);
	if (!status && is_own)
		status = check_attachment(preparation);
	return status ? status : stage_profile(preparation, profile);
}

static int prepare_read(struct preparation *preparation)
{
	struct perun_profile *profile = NULL;
	int status = read_source(preparation, &profile);

	if (!status)
		status = check_origin(preparation, origin_of(profile));
	if (!status)
		name_import(preparation, profile);
	if (!status)
		status = to_stored(preparation, &profile);
	if (!status)
		status = check_unchanged(preparation);
	if (!status)
		status = prepare_stored(preparation, profile,
					strcmp(preparation->original.format, "perun") == 0);
	perun_profile_unref(profile);
	perun_json_free(preparation->facts);
	perun_buffer_free(&preparation->kept);
	perun_taken_free(&preparation->taken);
	perun_free(preparation->name);
	return status;
}

/* What this process measured is stored from memory. */
static int prepare_saved(struct preparation *preparation, const struct perun_profile *profile)
{
	int status = check_origin(preparation, origin_of(profile));

	return status ? status : prepare_stored(preparation, profile, true);
}

static int prepare(struct preparation *preparation)
{
	int status = PERUN_OK;

	if (preparation->source->saved)
		return prepare_saved(preparation, preparation->source->saved->profile);
	if (prepare_plain(preparation, &status))
		return status;
	return prepare_read(preparation);
}

/* What can be known without reading: whether there is something, and its name. */
static int check_path(struct preparation *preparation)
{
	const struct perun_source *source = preparation->source;

	if (!preparation->how->import && strcmp(source->path, "-") == 0)
		return perun_fail(preparation->ctx, PERUN_USAGE,
				  "a profile is kept under the name of its file, and standard "
				  "input has none; write it to a file first");
	if (source->error_number)
		return perun_fail_errno(preparation->ctx, PERUN_INPUT, source->error_number,
					"cannot open it");
	if (source->name[0] == '\0' && !preparation->how->import)
		return perun_fail(preparation->ctx, PERUN_USAGE, "a name that ends in a slash");
	return PERUN_OK;
}

int perun_source_prepare(struct perun_ctx *ctx, struct perun_transaction *transaction,
			 struct perun_preparer *preparer, const struct perun_preparation *how,
			 struct perun_source *source)
{
	struct preparation preparation = {
		.ctx = ctx,
		.store = perun_transaction_store(transaction),
		.transaction = transaction,
		.preparer = preparer,
		.packer = preparer->packer,
		.how = how,
		.source = source,
	};
	const char *message;
	int status;

	source->name = perun_strdup(perun_path_base_name(source->path));
	source->time = source->info.st_mtim;
	status = check_path(&preparation);
	if (!status)
		status = prepare(&preparation);
	if (!status || preparation.store_failed || status == PERUN_CANCELLED)
		return status;
	if (!preparation.is_named)
		perun_fail(ctx, PERUN_OK, how->import ? "cannot read %s" : "cannot add %s",
			   source->path);
	message = perun_ctx_error(ctx);
	source->status = status;
	source->error = perun_strdup(message ? message : "cannot be added");
	perun_ctx_clear(ctx);
	return PERUN_OK;
}
