/* SPDX-License-Identifier: BSD-3-Clause */
/* The names of parameters in the documents of Extra-P. */
#ifndef FORMATS_COMMON_PARAMETERS_H
#define FORMATS_COMMON_PARAMETERS_H

#include <perun/json.h>
#include <perun/profile.h>

enum { PARAMETERS = 64 };

/*
 * The rest of a list of strings up to its end: all different, and as many with those before as points have numbers,
 * `dimensions` (0 = not known). `*count` grows.
 */
static inline int read_parameter_names(struct perun_json_reader *json,
				       struct perun_builder *builder, size_t dimensions,
				       size_t *count)
{
	const struct perun_json_token *token = perun_json_token(json);
	int status = PERUN_OK;

	while (!status && perun_json_next(json) == PERUN_JSON_STRING) {
		char *name = perun_strndup(token->text, token->length);
		perun_id id = perun_builder_parameter(builder, name, NULL);

		perun_free(name);
		if (id != *count)
			status = perun_json_fail(json, "the same parameter twice");
		else if (++*count > PARAMETERS)
			status = perun_json_fail(json, "more than %d parameters", PARAMETERS);
	}
	if (!status)
		status = perun_json_error(json)->status;
	if (!status && token->event != PERUN_JSON_ARRAY_END)
		status = perun_json_fail(json, "expected the name of a parameter, found %s",
					 perun_json_event_name(token->event));
	if (!status && dimensions && dimensions != *count)
		status = perun_json_fail(json, "%zu parameters, but points of %zu numbers", *count,
					 dimensions);
	return status;
}

#endif
