/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the resources of at least a given amount in the newest profile of the current version. */
#include <stdio.h>
#include <stdlib.h>

#include <perun/store.h>

int main(int argc, char **argv)
{
	struct perun_ctx *ctx = perun_ctx_new(NULL);
	struct perun_store *store = NULL;
	struct perun_vcs *vcs;
	struct perun_entries entries = {0};
	struct perun_profile *profile = NULL;
	char *head = NULL;
	double least = argc > 1 ? atof(argv[1]) : 0;
	int status = perun_store_open(ctx, NULL, &store);

	if (!status && !(status = perun_store_vcs(ctx, store, &vcs)) &&
	    !(status = perun_vcs_get_minor_head(ctx, vcs, &head)) &&
	    !(status = perun_store_entries(ctx, store, head, &entries)) && entries.count &&
	    !(status = perun_store_sort(ctx, store, &entries, "time")) &&
	    !(status = perun_store_load(ctx, store, entries.items[0].checksum, &profile))) {
		const struct perun_table *resources = perun_resources(profile);
		const struct perun_column *amount = perun_table_column(resources, "amount");
		const struct perun_column *uid = perun_table_column(resources, "uid");
		struct perun_buffer text = {0};

		for (size_t row = 0; amount && uid && row < perun_table_rows(resources); row++) {
			if (perun_column_double(amount, row) < least)
				continue;
			perun_buffer_clear(&text);
			perun_column_print(uid, row, &text);
			printf("%g %s\n", perun_column_double(amount, row), text.data);
		}
		perun_buffer_free(&text);
	}
	if (status)
		fprintf(stderr, "largest: %s\n", perun_ctx_error(ctx));
	perun_profile_unref(profile);
	perun_entries_free(&entries);
	perun_free(head);
	perun_store_close(store);
	perun_ctx_free(ctx);
	return status;
}
