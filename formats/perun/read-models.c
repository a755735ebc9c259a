/* SPDX-License-Identifier: BSD-3-Clause */
/* Models: their text is kept as it is; what views and checks ask for becomes columns. */
#include <string.h>

#include "reading.h"

int perunjson_read_models(struct reading *reading, uint32_t snapshot)
{
	enum perun_json_event event;
	perun_id text;
	int status;

	while ((event = perun_json_next(reading->json)) == PERUN_JSON_OBJECT_START) {
		perun_buffer_clear(&reading->text);
		status = perun_json_capture(reading->json, &reading->text);
		if (!status)
			status = perunjson_intern(reading, reading->text.data, reading->text.length,
						  &text);
		if (status)
			return status;
		PERUN_GROW(reading->models, reading->model_count, reading->model_capacity);
		reading->models[reading->model_count].text = text;
		reading->models[reading->model_count++].snapshot = snapshot;
	}
	if (event == PERUN_JSON_ARRAY_END)
		return PERUN_OK;
	if (event == PERUN_JSON_ERROR)
		return perun_json_error(reading->json)->status;
	return perun_json_fail(reading->json, "expected an object for each model, found %s",
			       perun_json_event_name(event));
}

int perunjson_finish_models(struct reading *reading)
{
	int status = PERUN_OK;

	for (size_t i = 0; i < reading->model_count && !status; i++) {
		uint32_t snapshot = reading->models[i].snapshot;

		status = perun_builder_add_model_text(
			reading->ctx, reading->builder, reading->models[i].text,
			snapshot == UINT32_MAX ? -1 : (int64_t)snapshot);
	}
	return status;
}
