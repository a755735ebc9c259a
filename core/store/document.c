/* SPDX-License-Identifier: BSD-3-Clause */
/* Small documents that a store keeps beside its indexes. */
#include <config.h>

#include <errno.h>

#include <perun/format.h>
#include <perun/json.h>
#include <perun/lib/path.h>

#include "core/store/store.h"

#define LARGEST (UINT64_C(64) << 20)

int perun_store_document(struct perun_ctx *ctx, struct perun_store *store, const char *name,
			 struct perun_json **document)
{
	char *path = perun_format("%s/%s.json", perun_store_path(store), name);
	struct perun_input *input = NULL;
	const void *data = NULL;
	struct stat info;
	size_t size = 0;
	int status = PERUN_OK;

	*document = NULL;
	if (perun_path_stat(path, &info) != 0 && errno == ENOENT) {
		*document = perun_json_array();
		perun_free(path);
		return PERUN_OK;
	}
	status = perun_input_open(ctx, path, &input);
	if (!status)
		status = perun_input_map(ctx, input, LARGEST, &data, &size);
	if (!status)
		status = perun_json_parse(ctx, data, size, NULL, document);
	if (!status && perun_json_type(*document) != PERUN_JSON_TYPE_ARRAY) {
		perun_json_free(*document);
		*document = NULL;
		status = perun_fail(ctx, PERUN_INPUT, "expected an array");
	}
	if (status)
		perun_fail(ctx, PERUN_OK, "%s", path);
	if (input)
		perun_input_close(input);
	perun_free(path);
	return status;
}

int perun_store_edit_document(struct perun_ctx *ctx, struct perun_store *store, const char *name,
			      perun_document_edit *edit, void *data)
{
	struct perun_transaction *transaction = NULL;
	struct perun_json *document = NULL;
	struct perun_buffer text = {0};
	char *path = perun_format("%s.json", name);
	int status = perun_transaction_begin(ctx, store, name, &transaction);

	if (!status)
		status = perun_store_document(ctx, store, name, &document);
	if (!status)
		status = edit(data, ctx, document);
	if (!status) {
		struct perun_piece piece = {.fd = -1};

		perun_json_print(document, &text, PERUN_JSON_PYTHON, 1);
		perun_buffer_add_char(&text, '\n');
		piece.data = text.data;
		piece.size = text.length;
		status = perun_transaction_write(ctx, transaction, PERUN_STAGE_LAST, path, &piece,
						 1, NULL);
		if (!status)
			status = perun_transaction_commit(ctx, transaction);
	}
	perun_transaction_end(transaction);
	perun_json_free(document);
	perun_buffer_free(&text);
	perun_free(path);
	return status;
}
