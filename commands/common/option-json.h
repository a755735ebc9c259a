/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of options as JSON. */
#ifndef PERUN_COMMANDS_COMMON_OPTION_JSON_H
#define PERUN_COMMANDS_COMMON_OPTION_JSON_H

#include <perun/json.h>
#include <perun/option.h>

/* A list of {"name", "aliases", "metavar", "help", "default", "choices", "type", "flags"}. `options` may be NULL. */
struct perun_json *commands_json_options(const struct perun_option *options);

#endif
