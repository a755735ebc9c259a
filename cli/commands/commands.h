/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands that belong to no plugin, each in the file of its name, and their options. */
#ifndef PERUN_CLI_COMMANDS_COMMANDS_H
#define PERUN_CLI_COMMANDS_COMMANDS_H

#include "cli/base/cli.h"

int cli_add(struct cli *cli, const struct cli_call *call);
int cli_check_all(struct cli *cli, const struct cli_call *call);
int cli_check_head(struct cli *cli, const struct cli_call *call);
int cli_check_profiles(struct cli *cli, const struct cli_call *call);
int cli_changes_ack(struct cli *cli, const struct cli_call *call);
int cli_changes_list(struct cli *cli, const struct cli_call *call);
int cli_check_series(struct cli *cli, const struct cli_call *call);
int cli_ci(struct cli *cli, const struct cli_call *call);
int cli_collect(struct cli *cli, const struct cli_call *call);
int cli_config_add(struct cli *cli, const struct cli_call *call);
int cli_config_edit(struct cli *cli, const struct cli_call *call);
int cli_config(struct cli *cli, const struct cli_call *call);
int cli_config_list(struct cli *cli, const struct cli_call *call);
int cli_config_get(struct cli *cli, const struct cli_call *call);
int cli_config_reset(struct cli *cli, const struct cli_call *call);
int cli_config_set(struct cli *cli, const struct cli_call *call);
int cli_log(struct cli *cli, const struct cli_call *call);
int cli_plugin_check(struct cli *cli, const struct cli_call *call);
int cli_plugin_create(struct cli *cli, const struct cli_call *call);
int cli_plugin_describe(struct cli *cli, const struct cli_call *call);
int cli_plugin_list(struct cli *cli, const struct cli_call *call);
int cli_plugin_show(struct cli *cli, const struct cli_call *call);
int cli_postprocessby(struct cli *cli, const struct cli_call *call);
int cli_rm(struct cli *cli, const struct cli_call *call);
int cli_run(struct cli *cli, const struct cli_call *call);
int cli_run_job(struct cli *cli, const struct cli_call *call);
int cli_run_matrix(struct cli *cli, const struct cli_call *call);
int cli_show(struct cli *cli, const struct cli_call *call);
int cli_showdiff(struct cli *cli, const struct cli_call *call);
int cli_status(struct cli *cli, const struct cli_call *call);
int cli_trust(struct cli *cli, const struct cli_call *call);
int cli_version(struct cli *cli, const struct cli_call *call);

extern const struct perun_option cli_add_options[], cli_rm_options[], cli_status_options[],
	cli_log_options[], cli_show_options[], cli_showdiff_options[], cli_collect_options[],
	cli_postprocessby_options[], cli_check_options[], cli_check_head_options[],
	cli_check_profiles_options[], cli_ci_options[], cli_check_series_options[],
	cli_changes_ack_options[], cli_changes_list_options[], cli_config_options[],
	cli_config_get_options[], cli_config_list_options[], cli_config_set_options[],
	cli_config_reset_options[], cli_run_options[], cli_run_job_options[],
	cli_run_matrix_options[], cli_plugin_list_options[], cli_plugin_show_options[],
	cli_plugin_create_options[], cli_plugin_describe_options[], cli_plugin_check_options[],
	cli_version_options[], cli_trust_options[];

#endif
