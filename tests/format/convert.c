/* SPDX-License-Identifier: BSD-3-Clause */
/* convert OPTION=VALUE FILE...: reads each profile and writes it as Perun JSON to FILE.out. */
#include <stdio.h>

#include <perun/format.h>

static int convert(struct perun_ctx *ctx, const char *path, const char *const *options)
{
	struct perun_profile *profile = NULL;
	struct perun_output *output = NULL;
	char *name = perun_format("%s.out", path);
	int status;

	status = perun_read_profile_file(ctx, path, &profile);
	if (!status)
		status = perun_output_open(ctx, name, &output);
	if (!status)
		status = perun_write_profile(ctx, profile, "perun", options, output);
	if (!status)
		status = perun_output_commit(ctx, output);
	if (status)
		fprintf(stderr, "%s\n", perun_ctx_error(ctx));
	perun_ctx_clear(ctx);
	perun_output_close(output);
	perun_profile_unref(profile);
	perun_free(name);
	return status;
}

int main(int argc, char **argv)
{
	const char *options[] = {argc > 1 ? argv[1] : NULL, NULL};
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	int status = 0;

	for (int i = 2; i < argc; i++) {
		int failed = convert(ctx, argv[i], options);

		status = failed ? failed : status;
	}
	perun_ctx_free(ctx);
	return status;
}
