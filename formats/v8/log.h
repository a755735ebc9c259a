/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs of V8 that node --prof-process --preprocess made JSON of. */
#ifndef PERUN_FORMATS_V8_LOG_H
#define PERUN_FORMATS_V8_LOG_H

#include "formats/common/stacks.h"
#include "formats/common/stream.h"

struct log;
struct log *log_new(struct stacks *stacks);
/* A member of the document: "code" or "ticks"; false: another. */
bool log_read_member(struct log *log, struct stream *stream);
/* Whether ticks were read. */
bool log_is_there(const struct log *log);
/* A row for each tick: time up to the next one, and one sample. */
int log_add_rows(struct log *log, struct perun_ctx *ctx);
void log_free(struct log *log);

#endif
