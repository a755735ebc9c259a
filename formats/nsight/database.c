/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of a database, which is opened so that nothing is ever written beside it. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nsight.h"

struct database {
	struct nsight_file *file;
	sqlite3 *handle;
	/* More rows and text than the file has room for come from damaged pages that are met again. */
	uint64_t rows, bytes, limit;
};

static int fail(struct database *database, const char *what)
{
	return perun_fail(database->file->ctx, PERUN_INPUT, "%s: %s", what,
			  sqlite3_errmsg(database->handle));
}

/*
 * Whether there is a table of that name with that column: no view, which may compute anything, and no
 * virtual table, which has no pages of its own whatever its text looks like.
 */
static int has(struct database *database, const char *table, const char *column, bool *result)
{
	sqlite3_stmt *query;
	int code;

	*result = false;
	if (sqlite3_prepare_v2(database->handle,
			       "SELECT 1 FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
			       "WHERE m.type = 'table' AND m.name = ? AND c.name = ? AND "
			       "m.rootpage > 0",
			       -1, &query, NULL) != SQLITE_OK)
		return fail(database, "expected a database of Nsight Systems");
	sqlite3_bind_text(query, 1, table, -1, SQLITE_STATIC);
	sqlite3_bind_text(query, 2, column, -1, SQLITE_STATIC);
	code = sqlite3_step(query);
	*result = code == SQLITE_ROW;
	sqlite3_finalize(query);
	return code == SQLITE_ROW || code == SQLITE_DONE
		       ? PERUN_OK
		       : fail(database, "expected a database of Nsight Systems");
}

/* Columns of a table; those in brackets may be missing. Rows are handed to `take`. */
typedef int taker(struct database *database, sqlite3_stmt *row);

static int load(struct database *database, const char *table, const char *const *columns,
		size_t needed, taker *take, bool *present)
{
	struct perun_buffer text = {0};
	sqlite3_stmt *query;
	int status = PERUN_OK, code;
	bool found;

	perun_buffer_add_text(&text, "SELECT ");
	for (size_t i = 0; !status && columns[i]; i++) {
		status = has(database, table, columns[i], &found);
		if (i == 0 && present)
			*present = found;
		if (status || (i == 0 && !found))
			goto done;
		if (!found && i < needed) {
			status = perun_fail(database->file->ctx, PERUN_INPUT,
					    "the table %s has no column %s", table, columns[i]);
			goto done;
		}
		perun_buffer_printf(&text, found ? "%s\"%s\"" : "%sNULL", i ? "," : "", columns[i]);
	}
	perun_buffer_printf(&text, " FROM main.\"%s\" NOT INDEXED ORDER BY rowid", table);
	if (sqlite3_prepare_v2(database->handle, text.data, -1, &query, NULL) != SQLITE_OK) {
		status = fail(database, table);
		goto done;
	}
	while (!status && (code = sqlite3_step(query)) != SQLITE_DONE) {
		if (code != SQLITE_ROW)
			status = fail(database, table);
		else if (++database->rows > database->limit)
			status = perun_fail(database->file->ctx, PERUN_INPUT,
					    "the database is damaged: it has more rows than bytes");
		else if (database->rows > INT32_MAX)
			status = perun_fail(database->file->ctx, PERUN_INPUT,
					    "the database has more than 2^31 rows");
		else
			status = take(database, query);
	}
	sqlite3_finalize(query);
done:
	perun_buffer_free(&text);
	return status;
}

static int64_t integer(sqlite3_stmt *row, int column)
{
	int64_t value = sqlite3_column_int64(row, column);

	return sqlite3_column_type(row, column) == SQLITE_NULL || value == INT64_MIN ? NSIGHT_ABSENT
										     : value;
}

/* Of 32 bits in the file; what is less or more is damaged and as good as the least or most. */
static int32_t depth(sqlite3_stmt *row, int column)
{
	int64_t value = integer(row, column);

	return (int32_t)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
}

static int text(struct database *database, sqlite3_stmt *row, int column, perun_id *id)
{
	const char *data = (const char *)sqlite3_column_text(row, column);

	*id = PERUN_NO_ID;
	if (!data)
		return PERUN_OK;
	database->bytes += (uint64_t)sqlite3_column_bytes(row, column);
	if (database->bytes > 2 * database->limit)
		return perun_fail(database->file->ctx, PERUN_INPUT,
				  "the database is damaged: its texts are larger than it is");
	*id = perun_builder_string(database->file->builder, data,
				   (size_t)sqlite3_column_bytes(row, column));
	return PERUN_OK;
}

static struct nsight_activity *add(struct nsight_list *list)
{
	PERUN_GROW(list->list, list->count, list->room);
	list->list[list->count] = (struct nsight_activity){.name = PERUN_NO_ID};
	return &list->list[list->count++];
}

/* Columns 0 and 1. A row without them is not an activity. */
static int times(struct database *database, sqlite3_stmt *row, int64_t *start, int64_t *end)
{
	const int64_t most = (int64_t)1 << 61;

	*start = integer(row, 0);
	*end = integer(row, 1);
	if ((*start != NSIGHT_ABSENT && (*start > most || *start < -most)) ||
	    (*end != NSIGHT_ABSENT && (*end > most || *end < -most)))
		return perun_fail(database->file->ctx, PERUN_INPUT,
				  "the database is damaged: a time of more than 70 years");
	return PERUN_OK;
}

static int activity(struct database *database, sqlite3_stmt *row, struct nsight_list *list,
		    struct nsight_activity **result)
{
	int64_t start, end;
	int status = times(database, row, &start, &end);

	*result = NULL;
	if (status || start == NSIGHT_ABSENT || end == NSIGHT_ABSENT)
		return status;
	*result = add(list);
	(*result)->start = start;
	(*result)->end = end;
	(*result)->correlation = integer(row, 2);
	return PERUN_OK;
}

static perun_id symbol(const struct nsight_file *file, int64_t id)
{
	size_t low = 0, high = file->symbol_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->symbols[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < file->symbol_count && file->symbols[low].id == id ? file->symbols[low].text
								       : PERUN_NO_ID;
}

/* ---- the tables ------------------------------------------------------------------------------- */

static int take_symbol(struct database *database, sqlite3_stmt *row)
{
	struct nsight_file *file = database->file;
	struct nsight_symbol own = {.id = integer(row, 0)};
	const char *name;
	int status = text(database, row, 1, &own.text);

	if (status || own.text == PERUN_NO_ID || own.id == NSIGHT_ABSENT)
		return status;
	/* They come in the order of their ids, in a table that is not damaged. */
	if (file->symbol_count && file->symbols[file->symbol_count - 1].id >= own.id)
		return PERUN_OK;
	name = perun_builder_string_at(file->builder, own.text, NULL);
	if (strcmp(name, "EXTRA_PROF_SYMBOLS") == 0)
		file->first_symbol = own.id;
	else if (strcmp(name, "EXTRA_PROF_SYMBOLS_END") == 0)
		file->last_symbol = own.id;
	PERUN_GROW(file->symbols, file->symbol_count, file->symbol_room);
	file->symbols[file->symbol_count++] = own;
	return PERUN_OK;
}

/* An event of type 75 names the domain, those of type 59 are ranges. */
static int take_event(struct database *database, sqlite3_stmt *row)
{
	struct nsight_file *file = database->file;
	struct nsight_ranges *ranges = &file->ranges;
	struct nsight_range own = {
		.domain = integer(row, 3), .thread = integer(row, 4), .depth = depth(row, 5)};
	int64_t kind = integer(row, 2);
	int status = times(database, row, &own.start, &own.end);

	if (!status)
		status = text(database, row, 6, &own.name);
	if (status)
		return status;
	if (kind == 59) {
		PERUN_GROW(ranges->list, ranges->count, ranges->room);
		ranges->list[ranges->count++] = own;
	} else if (kind == 75 && file->domain == NSIGHT_ABSENT && own.name != PERUN_NO_ID &&
		   strcmp(perun_builder_string_at(file->builder, own.name, NULL),
			  "de.tu-darmstadt.parallel.extra_prof") == 0) {
		file->domain = own.domain;
	}
	return PERUN_OK;
}

/* Of the last table: all that its calls are attached to was read. */
static int take_call(struct database *database, sqlite3_stmt *row)
{
	struct nsight_file *file = database->file;
	struct nsight_activity *own;
	int status = activity(database, row, &file->calls, &own);

	if (!own)
		return status;
	own->thread = integer(row, file->has_ranges ? 3 : 5);
	own->name = symbol(file, integer(row, 4));
	status = nsight_attach_call(file, own);
	if (own->name == PERUN_NO_ID ||
	    !nsight_is_allocation(perun_builder_string_at(file->builder, own->name, NULL)))
		file->calls.count--;
	return status;
}

static int take_chain(struct database *database, sqlite3_stmt *row)
{
	struct nsight_file *file = database->file;
	struct nsight_chain own = {.id = integer(row, 0),
				   .depth = integer(row, 2),
				   .name = symbol(file, integer(row, 1))};

	if (integer(row, 3) != NSIGHT_ABSENT || own.id == NSIGHT_ABSENT || own.name == PERUN_NO_ID)
		return PERUN_OK;
	PERUN_GROW(file->chains, file->chain_count, file->chain_room);
	file->chains[file->chain_count++] = own;
	return PERUN_OK;
}

static uint32_t counted(int64_t threads)
{
	return threads < 0                    ? 0
	       : threads < NSIGHT_MAX_THREADS ? (uint32_t)threads
					      : NSIGHT_MAX_THREADS;
}

static int take_kernel(struct database *database, sqlite3_stmt *row)
{
	struct nsight_activity *own;
	int status = activity(database, row, &database->file->kernels, &own);
	int64_t threads = 1;

	if (!own)
		return status;
	own->name = symbol(database->file, integer(row, 3));
	for (int i = 4; i < 10; i++) {
		int64_t size = integer(row, i);

		if (size == NSIGHT_ABSENT || __builtin_mul_overflow(threads, size, &threads))
			threads = NSIGHT_MAX_THREADS;
	}
	own->threads = counted(threads);
	return PERUN_OK;
}

static perun_id copy_name(struct nsight_file *file, int64_t kind)
{
	static const char *const names[] = {"UNKNOWN",
					    "HOST_TO_DEVICE",
					    "DEVICE_TO_HOST",
					    "HOST_TO_DEVICE_ARRAY",
					    "DEVICE_ARRAY_TO_HOST",
					    "DEVICE_ARRAY_TO_DEVICE_ARRAY",
					    "DEVICE_ARRAY_TO_DEVICE",
					    "DEVICE_TO_DEVICE_ARRAY",
					    "DEVICE_TO_DEVICE",
					    "HOST_TO_HOST",
					    "PEER_TO_PEER",
					    "UMA_HOST_TO_DEVICE",
					    "UMA_DEVICE_TO_HOST"};
	char name[64];

	if (kind == NSIGHT_ABSENT)
		return PERUN_NO_ID;
	if (kind >= 0 && (size_t)kind < sizeof names / sizeof *names)
		return perun_builder_text(file->builder, names[kind]);
	snprintf(name, sizeof name, "UNKNOWN_COPY_KIND_%lld", (long long)kind);
	return perun_builder_text(file->builder, name);
}

static int take_copy(struct database *database, sqlite3_stmt *row)
{
	struct nsight_activity *own;
	int status = activity(database, row, &database->file->copies, &own);

	if (!own)
		return status;
	own->type = 1;
	own->name = copy_name(database->file, integer(row, 3));
	own->bytes = integer(row, 4);
	own->place = integer(row, 5) != 0 && integer(row, 6) != 0;
	return PERUN_OK;
}

static int take_set(struct database *database, sqlite3_stmt *row)
{
	struct nsight_activity *own;
	int64_t value = integer(row, 3);
	char name[40];
	int status = activity(database, row, &database->file->sets, &own);

	if (!own)
		return status;
	own->type = 2;
	own->bytes = integer(row, 4);
	own->place = integer(row, 5) != 0;
	if (value != NSIGHT_ABSENT) {
		snprintf(name, sizeof name, "MEMSET %lld", (long long)value);
		own->name = perun_builder_text(database->file->builder, name);
	}
	return PERUN_OK;
}

static int take_sync(struct database *database, sqlite3_stmt *row)
{
	static const char *const names[] = {"UNKNOWN", "EVENT_SYNCHRONIZE", "STREAM_WAIT_EVENT",
					    "STREAM_SYNCHRONIZE", "CONTEXT_SYNCHRONIZE"};
	struct nsight_activity *own;
	int status = activity(database, row, &database->file->syncs, &own);
	int64_t kind = integer(row, 3);

	if (own)
		own->name = perun_builder_text(database->file->builder,
					       names[kind >= 0 && kind < 5 ? kind : 0]);
	return status;
}

static void add_processor(struct nsight_file *file, int64_t threads)
{
	PERUN_GROW(file->processors, file->processor_count, file->processor_room);
	file->processors[file->processor_count++] = counted(threads);
}

/* Each graphics processor runs the kernels: nothing in them says which does. */
static int take_processor(struct database *database, sqlite3_stmt *row)
{
	struct nsight_file *file = database->file;
	int64_t most = 1;

	for (int i = 1; i < 4; i++)
		if (__builtin_mul_overflow(most, integer(row, i), &most))
			most = NSIGHT_MAX_THREADS;
	if (integer(row, 0) <= 0)
		return PERUN_OK;
	add_processor(file, most);
	database->rows += file->kernels.count;
	return PERUN_OK;
}

static int take_path(struct database *database, sqlite3_stmt *row)
{
	struct nsight_file *file = database->file;
	struct nsight_path own = {.correlation = integer(row, 0),
				  .depth = depth(row, 2),
				  .duration = integer(row, 3)};
	int status = text(database, row, 1, &own.path);

	if (status || own.path == PERUN_NO_ID)
		return status;
	PERUN_GROW(file->paths, file->path_count, file->path_room);
	file->paths[file->path_count++] = own;
	return PERUN_OK;
}

static int take_idle(struct database *database, sqlite3_stmt *row)
{
	struct nsight_file *file = database->file;
	struct nsight_path own = {.duration = integer(row, 1)};
	int status = text(database, row, 0, &own.path);

	if (status || own.path == PERUN_NO_ID)
		return status;
	PERUN_GROW(file->idle, file->idle_count, file->idle_room);
	file->idle[file->idle_count++] = own;
	return PERUN_OK;
}

#define COLUMNS(...)              \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}

static int load_processors(struct database *database)
{
	bool newer, older;
	int status = has(database, "TARGET_INFO_CUDA_GPU", "numMultiprocessors", &newer);

	if (!status)
		status = has(database, "TARGET_INFO_GPU", "smCount", &older);
	if (status)
		return status;
	if (newer)
		return load(database, "TARGET_INFO_CUDA_GPU",
			    COLUMNS("computeCapabilityMajor", "numMultiprocessors",
				    "numThreadsPerWarp", "maxWarpsPerMultiprocessor"),
			    4, take_processor, NULL);
	if (older)
		return load(database, "TARGET_INFO_GPU",
			    COLUMNS("computeMajor", "smCount", "threadsPerWarp", "maxWarpsPerSm"),
			    4, take_processor, NULL);
	add_processor(database->file, 1);
	return PERUN_OK;
}

/* What an earlier reader of Extra-P left in the file. */
static int load_resolved(struct database *database)
{
	struct nsight_file *file = database->file;
	sqlite3_stmt *query;
	int status = load(database, "EXTRAP_RESOLVED_CALLPATHS",
			  COLUMNS("correlationId", "callpath", "stackDepth", "duration"), 4,
			  take_path, &file->resolved);

	if (status || !file->resolved)
		return status;
	if (sqlite3_prepare_v2(database->handle,
			       "SELECT 1 FROM sqlite_master WHERE name = 'EXTRAP_FORMAT'", -1,
			       &query, NULL) != SQLITE_OK)
		return fail(database, "EXTRAP_FORMAT");
	file->exclusive = sqlite3_step(query) == SQLITE_ROW;
	sqlite3_finalize(query);
	return load(database, "EXTRAP_GPU_IDLE", COLUMNS("callpath", "duration"), 2, take_idle,
		    &file->has_idle);
}

static int load_tables(struct database *database)
{
	struct nsight_file *file = database->file;
	int status = load(database, "StringIds", COLUMNS("id", "value"), 2, take_symbol, NULL);

	file->domain = NSIGHT_ABSENT;
	if (!status)
		status = load(database, "NVTX_EVENTS",
			      COLUMNS("start", "end", "eventType", "domainId", "globalTid",
				      "uint32Value", "text"),
			      7, take_event, &file->has_ranges);
	if (!status && !file->has_ranges)
		status = load(database, "CUDA_CALLCHAINS",
			      COLUMNS("id", "symbol", "stackDepth", "unresolved"), 3, take_chain,
			      NULL);
	if (!status)
		status = load(database, "CUPTI_ACTIVITY_KIND_KERNEL",
			      COLUMNS("start", "end", "correlationId", "shortName", "gridX",
				      "gridY", "gridZ", "blockX", "blockY", "blockZ"),
			      10, take_kernel, &file->has_kernels);
	if (!status)
		status = load(database, "CUPTI_ACTIVITY_KIND_MEMCPY",
			      COLUMNS("start", "end", "correlationId", "copyKind", "bytes",
				      "srcKind", "dstKind"),
			      7, take_copy, NULL);
	if (!status)
		status = load(database, "CUPTI_ACTIVITY_KIND_MEMSET",
			      COLUMNS("start", "end", "correlationId", "value", "bytes", "memKind"),
			      5, take_set, NULL);
	if (!status)
		status = load(database, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
			      COLUMNS("start", "end", "correlationId", "syncType"), 4, take_sync,
			      NULL);
	if (!status)
		status = load_processors(database);
	if (!status)
		status = load_resolved(database);
	if (!status)
		status = nsight_begin_calls(file);
	if (!status)
		status = load(database, "CUPTI_ACTIVITY_KIND_RUNTIME",
			      COLUMNS("start", "end", "correlationId", "globalTid", "nameId",
				      "callchainId"),
			      5, take_call, NULL);
	return status;
}

/* "file:" and the path, with what means something in it as %XX. */
static char *make_uri(const char *path)
{
	struct perun_buffer uri = {0};

	perun_buffer_add_text(&uri, "file:");
	for (; *path; path++) {
		if (strchr("?#%", *path))
			perun_buffer_printf(&uri, "%%%02X", (unsigned char)*path);
		else
			perun_buffer_add_char(&uri, *path);
	}
	perun_buffer_add_text(&uri, "?mode=ro&immutable=1");
	return perun_buffer_take(&uri);
}

int nsight_load(struct nsight_file *file, const char *path, uint64_t size)
{
	struct database database = {.file = file, .limit = size + 4096};
	char *uri = make_uri(path);
	int status;

	if (sqlite3_open_v2(uri, &database.handle,
			    SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK) {
		status = database.handle ? fail(&database, "cannot be opened")
					 : perun_fail(file->ctx, PERUN_INPUT, "cannot be opened");
	} else {
		/* Nothing that the schema of a foreign file says is run. */
		sqlite3_db_config(database.handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
		sqlite3_db_config(database.handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
		sqlite3_limit(database.handle, SQLITE_LIMIT_LENGTH, 1 << 30);
		status = load_tables(&database);
	}
	sqlite3_close(database.handle);
	perun_free(uri);
	return status;
}

void nsight_clear(struct nsight_file *file)
{
	struct nsight_list *lists[] = {&file->calls, &file->kernels, &file->copies, &file->sets,
				       &file->syncs};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		perun_free(lists[i]->list);
	perun_free(file->processors);
	perun_free(file->ranges.list);
	nsight_forget_nesting(&file->nesting);
	perun_free(file->extents);
	perun_free(file->paths);
	perun_free(file->busy);
	perun_free(file->idle);
	perun_free(file->symbols);
	perun_free(file->names);
	perun_free(file->chains);
}
