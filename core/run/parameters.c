/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters of a plan, each combination of which is measured. */
#include <config.h>

#include <string.h>

#include <perun/json.h>

#include "core/run/run.h"

static bool is_parameter_name(const char *name)
{
	return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					  "0123456789_-")] == '\0';
}

static bool is_value(const struct perun_json *value)
{
	double number;

	return perun_json_as_string(value, NULL) || perun_json_as_double(value, &number);
}

int perun_plan_parameters(struct perun_ctx *ctx, struct perun_plan *plan,
			  const struct perun_json *parameters)
{
	bool none = !parameters || perun_json_type(parameters) == PERUN_JSON_TYPE_NULL;

	if (!none && perun_json_type(parameters) != PERUN_JSON_TYPE_OBJECT)
		return perun_fail(ctx, PERUN_INPUT,
				  "parameters must map names to lists, as in {processes: [1, 2]}");
	for (size_t i = 0; !none && i < perun_json_count(parameters); i++) {
		const char *name = perun_json_key_at(parameters, i, NULL);
		const struct perun_json *list = perun_json_at(parameters, i);
		bool good =
			perun_json_type(list) == PERUN_JSON_TYPE_ARRAY && perun_json_count(list);

		for (size_t j = 0; good && j < perun_json_count(list); j++)
			good = is_value(perun_json_at(list, j));
		if (!is_parameter_name(name))
			return perun_fail(ctx, PERUN_INPUT,
					  "'%s' cannot be the name of a parameter", name);
		if (!good)
			return perun_fail(ctx, PERUN_INPUT,
					  "the parameter %s needs a list of numbers or texts",
					  name);
		if (!plan->parameters)
			plan->parameters = perun_json_object();
		perun_json_set(plan->parameters, name, perun_json_clone(list));
	}
	return PERUN_OK;
}

bool perun_plan_has_parameters(const struct perun_plan *plan)
{
	return perun_json_count(plan->parameters) > 0;
}
