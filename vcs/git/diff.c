/* SPDX-License-Identifier: BSD-3-Clause */
/* What one version changed against another. */
#include "gitvcs.h"

/* Settings of the user's, such as another algorithm or programs that show files, do not change what is found. */
int gitvcs_diff(void *instance, struct perun_ctx *ctx, const char *base, const char *head,
		struct perun_buffer *out)
{
	struct gitvcs *vcs = instance;
	struct gitvcs_run run = {.flags = GITVCS_NO_HOOKS | GITVCS_READ_ONLY};
	int status = gitvcs_need_repository(vcs, ctx);

	if (!status)
		status = gitvcs_git(vcs, ctx, &run, "-c", "core.quotePath=false", "-c",
				    "diff.suppressBlankEmpty=false", "diff", "-U0",
				    "--inter-hunk-context=0", "--no-color", "--no-ext-diff",
				    "--no-textconv", "--diff-algorithm=myers", "--indent-heuristic",
				    "--src-prefix=a/", "--dst-prefix=b/", "--find-renames",
				    "--ignore-submodules=all", "--submodule=short", "--no-relative",
				    base, head ? head : "--", head ? "--" : NULL, NULL);
	if (!status)
		perun_buffer_add(out, run.out.data, run.out.length);
	gitvcs_run_free(&run);
	return status;
}
