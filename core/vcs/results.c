/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of versions become paths, and no code after this one expects a text that is missing. */
#include <string.h>

#include "core/vcs/results.h"

static bool is_checksum(const char *text)
{
	size_t length = text ? strspn(text, "0123456789abcdef") : 0;

	return (length == 40 || length == 64) && !text[length];
}

static int wrong_version(struct perun_ctx *ctx, const char *plugin, const char *checksum)
{
	return perun_fail(
		ctx, PERUN_INPUT,
		"vcs %s named a version '%s', which is not 40 or 64 lower-case hexadecimal digits",
		plugin, checksum ? checksum : "");
}

int perun_vcs_visit_minor(void *data, const struct perun_minor_version *version)
{
	const struct perun_vcs_visits *visits = data;
	const char *checksum = version->checksum;

	if (!is_checksum(checksum))
		return wrong_version(visits->ctx, visits->plugin, checksum);
	if (!version->author || !version->email || !version->description)
		return perun_fail(visits->ctx, PERUN_INPUT,
				  "vcs %s gave version %.8s no author, email or description",
				  visits->plugin, checksum);
	for (size_t i = 0; i < version->parent_count; i++)
		if (!is_checksum(version->parents[i]))
			return wrong_version(visits->ctx, visits->plugin, version->parents[i]);
	return visits->minor(visits->data, version);
}

int perun_vcs_visit_name(void *data, const struct perun_major_version *version)
{
	const struct perun_vcs_visits *visits = data;

	if (!version->name)
		return perun_fail(visits->ctx, PERUN_INPUT, "vcs %s visited a name that is missing",
				  visits->plugin);
	return visits->major(visits->data, version);
}

int perun_vcs_visit_major(void *data, const struct perun_major_version *version)
{
	const struct perun_vcs_visits *visits = data;

	if (!is_checksum(version->head))
		return wrong_version(visits->ctx, visits->plugin, version->head);
	return perun_vcs_visit_name(data, version);
}

int perun_vcs_check_name(struct perun_ctx *ctx, const char *plugin, const char *operation,
			 char **name)
{
	return *name ? PERUN_OK
		     : perun_fail(ctx, PERUN_INPUT, "vcs %s returned nothing from %s()", plugin,
				  operation);
}

int perun_vcs_check_checksum(struct perun_ctx *ctx, const char *plugin, const char *operation,
			     char **checksum)
{
	int status = perun_vcs_check_name(ctx, plugin, operation, checksum);

	if (!status && !is_checksum(*checksum))
		status = wrong_version(ctx, plugin, *checksum);
	if (status) {
		perun_free(*checksum);
		*checksum = NULL;
	}
	return status;
}
