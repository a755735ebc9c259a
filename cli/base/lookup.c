/* SPDX-License-Identifier: BSD-3-Clause */
/* The profiles that the words of a command line name. */
#include <config.h>

#include "cli/base/lookup.h"

static int open_store(void *data, struct perun_ctx *ctx, bool required, struct perun_store **store)
{
	struct cli *cli = data;
	int status = required ? cli_open_store(cli) : cli_find_store(cli);

	(void)ctx;
	*store = cli->store;
	return status;
}

struct perun_lookup *cli_lookup_new(struct cli *cli, const struct perun_options *given, bool files)
{
	const struct perun_lookup_options options = {
		.struct_size = sizeof options,
		.revision = given ? perun_option_string(given, "minor") : NULL,
		.store = cli->store,
		.open = open_store,
		.data = cli};

	return commands_lookup_read_as(perun_lookup_new(&options), files ? given : NULL);
}

int cli_lookup_add(struct cli *cli, struct perun_lookup *lookup, const char *word, unsigned kinds)
{
	int status = perun_lookup_add(cli->ctx, lookup, word, kinds);
	const char *const *paths;
	size_t count = perun_lookup_candidates(lookup, &paths);

	for (size_t i = 0; status && i < count && (cli->yes || cli_interactive()); i++) {
		if (!cli_confirm(cli, "No profile is called %s. Use %s?", word, paths[i]))
			continue;
		perun_ctx_clear(cli->ctx);
		perun_lookup_add_file(lookup, paths[i]);
		status = PERUN_OK;
	}
	return status;
}
