/* SPDX-License-Identifier: BSD-3-Clause */
/* What was found, as rows: the changes of histories, which are looked for in all values, and what checks stored. */
#include <config.h>

#ifdef HAVE_SQLITE3

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include <perun/json.h>
#include <perun/lib/hash.h>
#include <perun/lib/path.h>
#include <perun/lib/units.h>

#include "commands/common/change-line.h"
#include "database.h"

struct finding {
	struct database *database;
	struct perun_store *store;
	struct perun_version_line *line;
	struct perun_acknowledgements *known;
	sqlite3_stmt *insert, *find_version, *find_strand, *set_better;
};

/* ---- whether anything can have changed -------------------------------------------------------- */

static uint64_t add_document(struct finding *finding, const char *name, uint64_t key, int *status)
{
	struct perun_buffer text = {0};
	struct perun_json *document = NULL;

	if (!*status)
		*status = perun_store_document(finding->database->ctx, finding->store, name,
					       &document);
	if (document)
		perun_json_print(document, &text, PERUN_JSON_COMPACT, 0);
	perun_json_free(document);
	key = perun_fnv1a(text.data ? text.data : "", text.length + 1, key);
	perun_buffer_free(&text);
	return key;
}

/* What checks stored of a version, without reading it. */
static uint64_t add_checks(struct finding *finding, const char *version, uint64_t key)
{
	char *path = perun_format("%s/objects/%.2s/%s.changes", perun_store_path(finding->store),
				  version, version + 2);
	struct stat info;

	if (perun_path_stat(path, &info) == 0) {
		const int64_t facts[] = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size,
					 (int64_t)info.st_ino};

		key = perun_fnv1a(facts, sizeof facts, key);
	}
	perun_free(path);
	return key;
}

/* A number that changes with all that findings follow from. */
static int find_key(struct finding *finding, char key[17])
{
	const char *const *versions = perun_version_line_checksums(finding->line);
	struct perun_ctx *ctx = finding->database->ctx;
	char *thresholds = NULL;
	int status = perun_config_get(ctx, finding->store, PERUN_CONFIG_NEAREST,
				      "degradation.thresholds", &thresholds);
	uint64_t hash = perun_fnv1a(perun_version(), strlen(perun_version()), PERUN_FNV1A);

	if (status == PERUN_USAGE) {
		perun_ctx_clear(ctx);
		status = PERUN_OK;
	}
	if (thresholds)
		hash = perun_fnv1a(thresholds, strlen(thresholds), hash);
	perun_free(thresholds);
	hash = add_document(finding, PERUN_ACKNOWLEDGED, hash, &status);
	hash = add_document(finding, PERUN_DIRECTIONS, hash, &status);
	for (size_t i = 0; i < perun_version_line_count(finding->line); i++) {
		uint64_t profiles = perun_version_key(ctx, finding->store, versions[i]);

		hash = perun_fnv1a(versions[i], strlen(versions[i]), hash);
		hash = perun_fnv1a(&profiles, sizeof profiles, hash);
		if (profiles)
			hash = add_checks(finding, versions[i], hash);
	}
	perun_snprintf(key, 17, "%016llx", (unsigned long long)hash);
	return status;
}

static int find_fact(struct database *database, const char *name, char **value)
{
	sqlite3_stmt *find = NULL;
	int status = database_prepare(database, "SELECT value FROM facts WHERE name = ?", &find);

	*value = NULL;
	if (status)
		return status;
	database_bind_text(find, 1, name);
	if (sqlite3_step(find) == SQLITE_ROW)
		*value = perun_strdup((const char *)sqlite3_column_text(find, 0));
	sqlite3_finalize(find);
	return PERUN_OK;
}

static int set_fact(struct database *database, const char *name, const char *value)
{
	sqlite3_stmt *set = NULL;
	int status = database_prepare(database, "INSERT OR REPLACE INTO facts VALUES (?, ?)", &set);

	if (status)
		return status;
	database_bind_text(set, 1, name);
	database_bind_text(set, 2, value);
	status = database_step(database, set);
	sqlite3_finalize(set);
	return status;
}

/* ---- rows ------------------------------------------------------------------------------------- */

static int find_version(struct finding *finding, const char *checksum, int64_t *id)
{
	database_bind_text(finding->find_version, 1, checksum);
	return database_find(finding->database, finding->find_version, 0, id);
}

/*
 * The strand of a history. Its command is one text with the workload, which a row keeps apart. All have values, and so
 * a row, by the same rule of what is of interest.
 */
static int find_strand(struct finding *finding, const struct perun_strand *strand, int64_t *id,
		       double *factor)
{
	sqlite3_stmt *find = finding->find_strand;
	int code, status;

	*id = 0;
	*factor = 0;
	database_bind_text(find, 1, strand->metric);
	database_bind_text(find, 2, strand->location);
	database_bind_text(find, 3, strand->command);
	while (*factor == 0 && (code = sqlite3_step(find)) == SQLITE_ROW) {
		const char *unit = (const char *)sqlite3_column_text(find, 1);

		*factor = (double)perun_unit_factor(strand->unit ? strand->unit : "", unit);
		*id = sqlite3_column_int64(find, 0);
	}
	status = *factor == 0 && code != SQLITE_DONE ? database_fail(finding->database) : PERUN_OK;
	sqlite3_reset(find);
	if (*factor == 0)
		*id = 0;
	return status;
}

static void bind_common(sqlite3_stmt *row, const char *source, int64_t version,
			const char *baseline)
{
	sqlite3_clear_bindings(row);
	database_bind_text(row, 1, source);
	sqlite3_bind_int64(row, 2, version);
	database_bind_text(row, 3, baseline ? baseline : "");
}

static int add_change(struct finding *finding, const struct perun_history *history,
		      const struct perun_strand *strand, int64_t strand_id, double factor,
		      const struct perun_change_point *point)
{
	const char *const *versions = perun_version_line_checksums(finding->line);
	size_t before = perun_last_measured_before(strand, point->index);
	const char *unit = strand->unit ? strand->unit : "";
	struct perun_buffer from = {0}, to = {0};
	sqlite3_stmt *row = finding->insert;
	char *known = perun_acknowledged_change(finding->known, perun_history_line(history), strand,
						point);
	int64_t version;
	int status = find_version(finding, versions[point->index], &version);

	perun_add_amount(&from, point->before, unit);
	perun_add_amount(&to, point->after, unit);
	bind_common(row, "history", version, versions[before]);
	sqlite3_bind_int64(row, 4, strand_id);
	database_bind_text(row, 5, strand->command);
	database_bind_text(row, 6, strand->location ? strand->location : "");
	database_bind_text(row, 7, strand->metric);
	database_bind_text(row, 8, strand->machine ? strand->machine : "");
	database_bind_text(row, 9, perun_result_name(perun_strand_result(strand, point)));
	database_bind_number(row, 10, point->before * factor);
	database_bind_number(row, 11, point->after * factor);
	database_bind_text(row, 12, from.data);
	database_bind_text(row, 13, to.data);
	database_bind_number(row, 14, perun_relative_change(point));
	database_bind_number(row, 15, perun_strand_is_certain(strand) ? NAN : point->p);
	database_bind_text(row, 18, known);
	if (!status && version)
		status = database_step(finding->database, row);
	perun_buffer_free(&from);
	perun_buffer_free(&to);
	perun_free(known);
	return status;
}

/* What histories and the store know of which values are better. */
static int set_better(struct finding *finding, const struct perun_strand *strand, int64_t id)
{
	database_bind_text(finding->set_better, 1,
			   strand->undirected ? NULL
			   : strand->higher   ? "higher"
					      : "lower");
	sqlite3_bind_int64(finding->set_better, 2, id);
	return database_step(finding->database, finding->set_better);
}

static int add_strand(struct finding *finding, const struct perun_history *history,
		      const struct perun_strand *strand)
{
	int64_t id;
	double factor;
	int status = find_strand(finding, strand, &id, &factor);

	if (!status && id)
		status = set_better(finding, strand, id);
	for (size_t i = 0; !status && id && i < strand->changes->count; i++)
		status = add_change(finding, history, strand, id, factor,
				    &strand->changes->points[i]);
	return status;
}

static int add_history(struct finding *finding, const char *range)
{
	const struct perun_history_options options = {.struct_size = sizeof options,
						      .range = range,
						      .every_metric = true,
						      .machines_apart = true};
	struct perun_ctx *ctx = finding->database->ctx;
	struct perun_history *history = NULL;
	int status = perun_history_load(ctx, finding->store, &options, &history);

	if (!status)
		status = perun_history_find_changes(ctx, history, NULL, PERUN_HISTORY_DISCOVERIES);
	for (size_t s = 0; !status && s < perun_history_count(history); s++)
		status = add_strand(finding, history, perun_history_strand(history, s));
	perun_history_free(history);
	return status;
}

static int add_stored(struct finding *finding, int64_t version,
		      const struct perun_stored_change *stored)
{
	const struct perun_change *change = stored->change;
	sqlite3_stmt *row = finding->insert;
	char *confidence = NULL;
	int status;

	bind_common(row, "check", version, stored->minor);
	database_bind_text(row, 5, stored->command ? stored->command : "");
	database_bind_text(row, 6, change->location ? change->location : "");
	database_bind_text(row, 7, commands_change_metric(change));
	database_bind_text(row, 8, "");
	database_bind_text(row, 9, perun_result_name(change->result));
	database_bind_text(row, 12, change->from_baseline ? change->from_baseline : "");
	database_bind_text(row, 13, change->to_target ? change->to_target : "");
	database_bind_number(row, 16, change->rate);
	if (change->confidence_type && strcmp(change->confidence_type, "no") != 0) {
		char digits[PERUN_JSON_NUMBER_SIZE];

		perun_json_print_double(change->confidence_rate, digits);
		confidence = perun_format("%s %s", change->confidence_type, digits);
	}
	database_bind_text(row, 17, confidence);
	status = database_step(finding->database, row);
	perun_free(confidence);
	return status;
}

static int add_checks_of(struct finding *finding, const char *checksum)
{
	struct perun_ctx *ctx = finding->database->ctx;
	struct perun_stored_changes changes;
	int64_t version;
	int status = find_version(finding, checksum, &version);

	if (status || !version || !perun_store_has_index(ctx, finding->store, checksum))
		return status;
	status = perun_store_changes(ctx, finding->store, checksum, &changes);
	if (status)
		return status;
	for (size_t i = 0; !status && i < changes.count; i++)
		status = add_stored(finding, version, perun_stored_changes_at(&changes, i));
	perun_stored_changes_free(&changes);
	return status;
}

/* ---- all of it -------------------------------------------------------------------------------- */

static int prepare(struct finding *finding)
{
	struct database *database = finding->database;
	int status = database_prepare(
		database,
		"INSERT INTO findings (source, version_id, baseline, strand_id, command, location, "
		"metric, machine, result, before, after, before_text, after_text, relative, p, "
		"rate, "
		"confidence, known) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		&finding->insert);

	if (!status)
		status = database_prepare(database, "SELECT id FROM versions WHERE checksum = ?",
					  &finding->find_version);
	if (!status)
		status = database_prepare(
			database,
			"SELECT id, unit FROM strands WHERE metric = ? AND location = ? AND "
			"command || iif(command = '' OR workload = '', '', ' ') || workload = ?",
			&finding->find_strand);
	return status ? status
		      : database_prepare(database,
					 "UPDATE strands SET better = ?1 WHERE id = ?2 AND "
					 "better IS NOT ?1",
					 &finding->set_better);
}

static void finalize(struct finding *finding)
{
	sqlite3_finalize(finding->insert);
	sqlite3_finalize(finding->find_version);
	sqlite3_finalize(finding->find_strand);
	sqlite3_finalize(finding->set_better);
}

/* All findings are replaced: those of histories follow from whole series. */
static int fill(struct finding *finding, const char *range, const char *key)
{
	const char *const *versions = perun_version_line_checksums(finding->line);
	struct database *database = finding->database;
	int status = database_run(database, "DELETE FROM findings");

	database->same = false;
	if (!status)
		status =
			perun_acknowledgements_load(database->ctx, finding->store, &finding->known);
	if (!status)
		status = prepare(finding);
	if (!status)
		status = add_history(finding, range);
	for (size_t i = 0; !status && i < perun_version_line_count(finding->line); i++)
		status = add_checks_of(finding, versions[i]);
	if (!status && database->removed)
		status = database_run(database, "DELETE FROM strands WHERE id NOT IN "
						"(SELECT strand_id FROM measurements)");
	return status ? status : set_fact(database, "findings", key);
}

int database_fill_findings(struct database *database, struct perun_store *store, const char *range)
{
	struct finding finding = {.database = database, .store = store};
	char key[17], *written = NULL;
	int status = perun_version_line_load(database->ctx, store, range, &finding.line);

	if (!status)
		status = find_key(&finding, key);
	if (!status)
		status = find_fact(database, "findings", &written);
	if (!status && (!written || strcmp(written, key) != 0))
		status = fill(&finding, range, key);
	finalize(&finding);
	perun_acknowledgements_free(finding.known);
	perun_version_line_free(finding.line);
	perun_free(written);
	return status;
}

#endif
