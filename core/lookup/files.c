/* SPDX-License-Identifier: BSD-3-Clause */
/* Which profiles a path means: one, or all of a folder. */
#include <config.h>

#include <string.h>
#include <sys/stat.h>

#include "core/format/session.h"
#include "core/lookup/lookup.h"

/* Named of those that are passed over. */
enum { NAMED = 3 };

struct listing {
	struct perun_ctx *quiet;
	struct perun_lookup *lookup;
	const char *path;
	const char *format; /* that the user named, or NULL */
	size_t taken, skipped;
	struct perun_buffer names; /* of the first ones that are skipped */
};

/* Whether a format knows what is in it, or the named one does. */
static bool is_profile(struct perun_ctx *quiet, struct perun_input *input, const char *named)
{
	const char *format;
	bool known = perun_format_guess(quiet, input, &format) == PERUN_OK;

	perun_ctx_clear(quiet);
	return known && (!named || strcmp(format, named) == 0);
}

static bool is_file(const char *path)
{
	struct stat facts;

	return lstat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static bool is_directory(const char *path)
{
	struct stat facts;

	return strcmp(path, "-") != 0 && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

static void skip(struct listing *listing, const char *name)
{
	char *printable = perun_printable(name);

	if (listing->skipped++ < NAMED)
		perun_buffer_printf(&listing->names, "%s%s", listing->skipped > 1 ? ", " : "",
				    printable);
	perun_free(printable);
}

/* Hidden files are no data; folders and links are not entered. */
static void take_child(struct listing *listing, const char *name)
{
	char *path = perun_format("%s%s%s", listing->path,
				  listing->path[strlen(listing->path) - 1] == '/' ? "" : "/", name);
	struct perun_input *input = NULL;

	if (*name != '.' && is_file(path)) {
		if (!perun_input_open(listing->quiet, path, &input) &&
		    is_profile(listing->quiet, input, listing->format)) {
			perun_lookup_add_file(listing->lookup, path);
			listing->taken++;
		} else {
			skip(listing, name);
		}
	}
	perun_input_close(input);
	perun_ctx_clear(listing->quiet);
	perun_free(path);
}

/* False: it is a profile itself, or holds none. */
static bool list(struct listing *listing)
{
	struct perun_input *input = NULL;
	const char *const *names;
	size_t count;
	int status = perun_input_open(listing->quiet, listing->path, &input);

	/* Listed first: what cannot be listed now is not thereby a folder of other profiles. */
	if (!status && !perun_input_list(listing->quiet, input, &names, &count) &&
	    !is_profile(listing->quiet, input, NULL)) {
		for (size_t i = 0; i < count; i++)
			take_child(listing, names[i]);
	}
	perun_input_close(input);
	return listing->taken > 0;
}

void perun_lookup_add_files(struct perun_ctx *ctx, struct perun_lookup *lookup, const char *path,
			    const char *format)
{
	struct listing listing = {.lookup = lookup, .path = path, .format = format};

	if (!is_directory(path)) {
		perun_lookup_add_file(lookup, path);
		return;
	}
	listing.quiet = perun_ctx_new(NULL);
	if (!list(&listing))
		perun_lookup_add_file(lookup, path);
	else if (listing.skipped)
		perun_note(ctx, "%s: %zu of %zu files skipped, in %s: %s%s", path, listing.skipped,
			   listing.skipped + listing.taken,
			   format ? "another format" : "no known format", listing.names.data,
			   listing.skipped > NAMED ? ", ..." : "");
	perun_buffer_free(&listing.names);
	perun_ctx_free(listing.quiet);
}
