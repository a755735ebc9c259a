/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts out of a profile's document. */
#include <string.h>

#include "core/profile/model.h"

/* The value at "/header/units/time"; names joined by dots are what plugins wrote at first. */
static const struct perun_json *value_at(const struct perun_json *value, const char *path)
{
	if (*path == '/')
		return perun_json_path(value, path);
	while (value && *path) {
		size_t length = strcspn(path, ".");

		value = perun_json_get_n(value, path, length);
		path += length;
		path += *path == '.';
	}
	return value;
}

/*
 * The text kept under `path`. Called with `text` = NULL it only looks; else it keeps the text
 * (taken) unless another thread was faster.
 */
static const char *kept_text(const struct perun_profile *profile, const char *path, char *text)
{
	struct perun_profile *owner = (struct perun_profile *)profile; /* its lazy part */
	struct perun_lazy_text *lazy;

	pthread_mutex_lock(&owner->lock);
	for (lazy = owner->texts; lazy; lazy = lazy->next) {
		if (strcmp(lazy->path, path) == 0)
			break;
	}
	if (!lazy && text) {
		lazy = perun_alloc_zero(1, sizeof *lazy);
		lazy->path = perun_strdup(path);
		lazy->text = text;
		lazy->next = owner->texts;
		owner->texts = lazy;
		text = NULL;
	}
	pthread_mutex_unlock(&owner->lock);
	perun_free(text);
	return lazy ? lazy->text : NULL;
}

const char *perun_profile_text(const struct perun_profile *profile, const char *path)
{
	const struct perun_json *value = value_at(profile->document->value, path);
	const char *text = perun_json_as_string(value, NULL);
	struct perun_buffer buffer = {0};

	if (text)
		return text;
	if (!value || perun_json_type(value) == PERUN_JSON_TYPE_NULL)
		return "";
	text = kept_text(profile, path, NULL);
	if (text)
		return text;
	perun_json_print(value, &buffer, PERUN_JSON_PYTHON, 0);
	return kept_text(profile, path, perun_buffer_take(&buffer));
}

const char *perun_profile_postprocessors(const struct perun_profile *profile)
{
	/* No path of perun_profile_text() is kept under this name: it has no such text. */
	static const char key[] = "postprocessors[].name";
	const struct perun_json *list = perun_json_get(profile->document->value, "postprocessors");
	const char *text = kept_text(profile, key, NULL);
	struct perun_buffer buffer = {0};

	if (text)
		return text;
	for (size_t i = 0; i < perun_json_count(list); i++) {
		const struct perun_json *name = perun_json_get(perun_json_at(list, i), "name");

		text = perun_json_as_string(name, NULL);
		if (!text)
			continue;
		perun_buffer_add_text(&buffer, buffer.length ? " " : "");
		perun_buffer_add_text(&buffer, text);
	}
	return kept_text(profile, key, perun_buffer_take(&buffer));
}

char *perun_metric_name(const char *type, const char *subtype)
{
	size_t length = strlen(type), more = strlen(subtype);
	char *name = perun_alloc(length + more + 3);

	memcpy(name, type, length);
	name[length] = '(';
	memcpy(name + length + 1, subtype, more);
	memcpy(name + length + 1 + more, ")", 2);
	return name;
}

const struct perun_json *perun_profile_units(const struct perun_profile *profile)
{
	return perun_json_get(perun_json_get(profile->document->value, "header"), "units");
}

const char *perun_unit_among(const struct perun_json *units, const char *name, const char *type)
{
	const char *unit = name ? perun_json_as_string(perun_json_get(units, name), NULL) : NULL;

	if (!unit && type && type != name)
		unit = perun_json_as_string(perun_json_get(units, type), NULL);
	return unit ? unit : "";
}

const char *perun_profile_unit(const struct perun_profile *profile, const char *type,
			       const char *subtype)
{
	char *name = subtype && *subtype ? perun_metric_name(type ? type : "", subtype) : NULL;
	const char *unit = perun_unit_among(perun_profile_units(profile), name, type);

	perun_free(name);
	return unit;
}
