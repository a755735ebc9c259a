/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the five largest resources of the newest profile of the current version. */
#include <stdio.h>

#include <perun/query.h>
#include <perun/store.h>

int main(void)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_store *store = NULL;
	struct perun_vcs *vcs;
	struct perun_entries entries = {0};
	struct perun_profile *profile = NULL;
	struct perun_buffer text = {0};
	char *head = NULL;
	uint32_t *rows = NULL;
	size_t count = 0;
	int status;

	if (!(status = perun_store_open(ctx, NULL, &store)) &&
	    !(status = perun_store_vcs(ctx, store, &vcs)) &&
	    !(status = perun_vcs_get_minor_head(ctx, vcs, &head)) &&
	    !(status = perun_store_entries(ctx, store, head, &entries)) && entries.count &&
	    !(status = perun_store_sort(ctx, store, &entries, "time")) &&
	    !(status = perun_store_load(ctx, store, perun_entries_at(&entries, 0)->checksum,
					&profile))) {
		const struct perun_table *resources = perun_resources(profile);
		struct perun_sort_key key = {perun_table_column(resources, "amount"), true};
		const struct perun_column *uid = perun_table_column(resources, "uid");

		if (key.column && uid)
			status = perun_sort(ctx, resources, &key, 1, NULL, &rows, &count);
		for (size_t i = 0; i < count && i < 5; i++) {
			perun_buffer_clear(&text);
			perun_column_flat(uid, rows[i], &text);
			printf("%g %s\n", perun_column_double(key.column, rows[i]), text.data);
		}
	}
	if (status)
		fprintf(stderr, "largest: %s\n", perun_ctx_error(ctx));
	perun_free(rows);
	perun_buffer_free(&text);
	perun_profile_unref(profile);
	perun_entries_free(&entries);
	perun_free(head);
	perun_store_close(store);
	perun_ctx_free(ctx);
	return status;
}
