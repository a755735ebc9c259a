/* SPDX-License-Identifier: BSD-3-Clause */
/* A recording as a whole. */
#include <string.h>

#include <perun/json.h>
#include <perun/lib/hash.h>

#include "file.h"

void perfdata_passed(const struct perfdata *file, const uint8_t *at)
{
	if (at >= file->bytes && at < file->bytes + file->size)
		perun_input_passed(file->input, at);
}

int perfdata_open(struct perun_ctx *ctx, struct perun_input *input, struct perfdata *file)
{
	const uint8_t *records = NULL, *end = NULL;
	bool interrupted = false;
	const void *bytes;
	size_t size;
	int status = perun_input_map(ctx, input, 0, &bytes, &size);

	*file = (struct perfdata){.ctx = ctx,
				  .input = input,
				  .bytes = bytes,
				  .size = size,
				  .comments = perun_json_array()};
	if (!status)
		status = perfdata_read_head(file, &records, &end, &interrupted);
	if (!status)
		status = perfdata_read_records(file, records, end, interrupted);
	if (!status && interrupted)
		perun_warn(ctx,
			   "the recording was not ended properly: names of events and builds of "
			   "files are missing");
	perfdata_name_events(file);
	return status;
}

void perfdata_close(struct perfdata *file)
{
	for (size_t i = 0; i < file->event_count; i++)
		perun_free(file->events[i].name);
	for (size_t i = 0; i < file->build_id_count; i++)
		perun_free(file->build_ids[i].file);
	perun_free(file->events);
	perun_free(file->build_ids);
	perun_free(file->places);
	perun_free(file->command);
	perun_free(file->release);
	perun_buffer_free(&file->packed);
	perun_buffer_free(&file->unpacked);
	stacks_numbers_free(&file->ids);
	stacks_numbers_free(&file->by_file);
	perun_json_free(file->comments);
}

const char *perfdata_build_id_of(const struct perfdata *file, const char *name)
{
	uint32_t number = stacks_numbers_find(&file->by_file, perun_hash_text(name, strlen(name)));

	return number == UINT32_MAX ? "" : file->build_ids[number].text;
}
