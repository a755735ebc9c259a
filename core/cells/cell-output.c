/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that cells write for whoever waits for them, with their checksums. */
#include <config.h>

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <perun/format.h>
#include <perun/lib/path.h>

#include "core/cells/cells.h"
#include "core/store/store.h"

int cells_write_output(struct perun_ctx *ctx, const char *folder, const char *name, const char *key,
		       const struct perun_buffer *text, struct perun_json *outcome)
{
	char *path = perun_format("%s/%s", folder, name), checksum[PERUN_CHECKSUM_SIZE];
	struct perun_output *output = NULL;
	int status = perun_output_open(ctx, path, &output);

	if (!status) {
		perun_output_write(output, text->data, text->length);
		status = perun_output_commit(ctx, output);
		perun_output_close(output);
	}
	if (!status) {
		perun_sha_of(text->data, text->length, checksum);
		perun_json_set(outcome, key, perun_json_text(name));
		perun_json_set(outcome, "checksum", perun_json_text(checksum));
	}
	perun_free(path);
	return status;
}

bool cells_read_checked(const char *path, const char *checksum, struct perun_buffer *text)
{
	char made[PERUN_CHECKSUM_SIZE] = "";
	int file = perun_path_open(path, O_RDONLY | O_NONBLOCK, 0);

	if (file >= 0 && perun_read_all(file, text) == 0)
		perun_sha_of(text->data ? text->data : "", text->length, made);
	if (file >= 0)
		close(file);
	return *made && strcmp(made, checksum) == 0;
}

int cells_read_output(struct perun_ctx *ctx, const struct perun_run_cells *cells, size_t number,
		      const struct perun_json *outcome, const char *key, char **path,
		      struct perun_buffer *text)
{
	const char *name = perun_json_get_text(outcome, key);

	*path = perun_format("%s/cells/%zu/%s", cells->path, number, name);
	return *name && !strchr(name, '/') &&
			       cells_read_checked(*path, perun_json_get_text(outcome, "checksum"),
						  text)
		       ? PERUN_OK
		       : perun_fail(ctx, PERUN_INPUT, "%s is not what the cell wrote", *path);
}
