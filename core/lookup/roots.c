/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the walk through a history ends, which may be where it was cut off. */
#include <perun/lib/advice.h>
#include <perun/lib/lookup.h>

void perun_roots_note(struct perun_roots *roots, const struct perun_minor_version *version)
{
	enum { ENOUGH = 64 };

	if (version->parent_count || roots->count >= ENOUGH)
		return;
	PERUN_GROW(roots->checksums, roots->count, roots->capacity);
	roots->checksums[roots->count++] = perun_strdup(version->checksum);
}

void perun_roots_report(struct perun_ctx *ctx, struct perun_vcs *vcs, struct perun_roots *roots)
{
	bool noted = false;

	for (size_t i = 0; i < roots->count; i++) {
		bool is = false;

		if (!noted && !perun_vcs_is_boundary(ctx, vcs, roots->checksums[i], &is) && is) {
			perun_note(ctx, "the history is shallow: it is cut off at %.8s%s",
				   roots->checksums[i], perun_advice(PERUN_ADVICE_FETCH_HISTORY));
			noted = true;
		}
	}
	perun_roots_free(roots);
}

void perun_roots_free(struct perun_roots *roots)
{
	for (size_t i = 0; i < roots->count; i++)
		perun_free(roots->checksums[i]);
	perun_free(roots->checksums);
	*roots = (struct perun_roots){0};
}
