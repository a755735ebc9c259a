/* SPDX-License-Identifier: BSD-3-Clause */
/* perun serve: profiles on a live page, counted again for each question. */
#ifndef PERUN_COMMANDS_SERVE_SERVE_H
#define PERUN_COMMANDS_SERVE_SERVE_H

#include <pthread.h>

#include <perun/command.h>
#include <perun/json.h>
#include <perun/lib/program.h>

#include "commands/common/server/server.h"
/* Letters that mean something else to commands. */
#define VIEWS_METRIC_ALIASES NULL
#define VIEWS_FOCUS_ALIASES  NULL
#define VIEWS_WHERE_ALIASES  NULL
#include "views/common/data.h"

enum { SERVE_KEPT = 4, SERVE_BATCH = 64, SERVE_THREADS = 4, SERVE_INGEST_THREADS = 32 };

/* Profiles that were read and made one, under what named them. */
struct serve_kept {
	char *key, *title;
	struct perun_profile *profile;
	uint64_t used; /* the larger, the later */
};

struct serve {
	struct perun_store *store; /* NULL: there is none. Each request has a handle of its own. */
	const struct perun_words *given; /* the profiles that the command line names */
	const struct perun_words *base;  /* those that it names to be compared with */
	char *root;                      /* sources are files below it */
	const char *metric;              /* NULL: the profile's own */
	pthread_mutex_t lock;
	struct serve_kept kept[SERVE_KEPT];
	uint64_t clock;
	/* Profiles on their way into the store, which one thread at a time stores. */
	const char *scratch; /* a directory for their files */
	pthread_mutex_t store_lock;
	pthread_cond_t stored;
	struct serve_item *waiting;
	bool storing;
};

/* A profile as the arguments of a request filter it: those of a view's options. */
struct serve_question {
	struct serve *serve;
	struct perun_ctx *ctx;
	const struct server_request *request;
	struct perun_profile *profile;
	char *title;
	char *version; /* of the store, from which the profile is; NULL: of none, or of several */
	struct perun_options *options;
	struct views_data data;
	struct serve_pair *pair; /* NULL: it is compared with nothing */
};
/* Whether it asks for machine code: addresses are then those of the files. */
bool serve_wants_code(const struct server_request *request);
/* Set the profile that the request names, with its title and version. */
int serve_select(struct serve_question *question);
/*
 * The same with the one that "base-profile" names, in one: samples have the label SERVE_SIDE, "base" or "new", whose key
 * no profile has by itself.
 */
#define SERVE_SIDE "perun-side"
int serve_select_pair(struct serve_question *question);
void serve_forget(struct serve *serve);

/* Free with serve_drop(), also after a failure. PERUN_USAGE for arguments that are wrong. */
int serve_ask(struct serve *serve, struct perun_ctx *ctx, const struct server_request *request,
	      struct serve_question *question);
void serve_drop(struct serve_question *question);

/*
 * Two selections of samples, each with a weight in the stacks of the question: 0 what is asked for, 1 what it is compared
 * with, its base. Row filters (label, no-label, where) may be others for the base: its arguments begin with "base-".
 */
struct serve_pair {
	uint64_t *rows[2];
	long double scale, total, all; /* of the base */
};
bool serve_compares(const struct server_request *request);
int serve_ask_pair(struct serve_question *question, const char *metric);
void serve_pair_free(struct serve_pair *pair);

/* Which arguments of a request are options: of all filters those of one selection, or none that choose rows. */
enum serve_side { SERVE_NEW, SERVE_BASE, SERVE_BOTH };
/* The options of views that arguments may be; the last one has no name. */
extern const struct perun_option serve_filters[];
bool serve_has_base_filter(const struct server_request *request);
int serve_read_options(struct perun_ctx *ctx, const struct server_request *request,
		       enum serve_side side, struct perun_options **options);

/* Answers: members of an open object. */
int serve_write_about(struct serve_question *question, struct perun_json_writer *writer);
int serve_write_tree(struct serve_question *question, struct perun_json_writer *writer);
int serve_write_top(struct serve_question *question, struct perun_json_writer *writer);
int serve_write_peek(struct serve_question *question, struct perun_json_writer *writer);
int serve_write_graph(struct serve_question *question, struct perun_json_writer *writer);
int serve_write_times(struct serve_question *question, struct perun_json_writer *writer);
int serve_write_labels(struct serve_question *question, struct perun_json_writer *writer);
int serve_write_source(struct serve_question *question, struct perun_json_writer *writer);
/* What filters left, as a file of any format. */
int serve_download(struct serve_question *question, struct server_answer *answer);

/* Keep the profile that a request brings, under its commit and with its labels; acknowledged when it is on disk. */
int serve_ingest(struct serve *serve, struct perun_ctx *ctx, const struct server_request *request,
		 struct server_answer *answer);

/* "metric", "unit", "total", "all": what each answer begins with. */
void serve_write_sum(const struct serve_question *question, struct perun_json_writer *writer);
void serve_write_pair(struct perun_json_writer *writer, const char *key, const char *text);
void serve_write_number(struct perun_json_writer *writer, const char *key, long double value);
void serve_write_string(struct perun_json_writer *writer, const struct perun_profile *profile,
			perun_id id);

/* Answers any request: see struct server_options. `data` is a struct serve. */
void serve_answer(void *data, unsigned worker, struct perun_ctx *ctx,
		  const struct server_request *request, struct server_answer *answer);

#endif
