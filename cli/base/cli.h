/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the perun command share: the run, its commands, screen and messages. */
#ifndef PERUN_CLI_BASE_CLI_H
#define PERUN_CLI_BASE_CLI_H

#include <stdio.h>
#include <sys/types.h>

#include <perun/context.h>
#include <perun/lib/options.h>
#include <perun/lib/registry.h>
#include <perun/option.h>
#include <perun/plugin.h>
#include <perun/store.h>

/* ---- one run of the program ------------------------------------------------------------------ */

/* The progress bar on the screen. */
struct cli_progress {
	bool shown;
	char what[64];
	char part[192];      /* which part of the work it is, before it */
	bool off;            /* none is wanted */
	double began, drawn; /* seconds of the monotonic clock */
};

struct cli {
	struct perun_ctx *ctx;
	struct perun_store *store;   /* see cli_open_store(); NULL until then */
	bool store_sought;           /* cli_find_store() looked and there may be none */
	const char *const *settings; /* -c KEY=VALUE, in order, NULL-terminated */
	bool yes;                    /* -y: every question is answered with yes */
	bool no_pager, no_color;
	bool json, printed; /* --json is among the words; something went to standard output */
	unsigned verbose;
	bool terminal; /* standard output is one (before the pager took it) */
	bool color;
	unsigned width; /* columns of the terminal, 80 when unknown */
	pid_t pager;    /* what standard output goes to, 0 = none */
	struct cli_progress progress;
	const char *skipped; /* what was last said to be skipped, see cli_may_run() */
};

/* ---- commands -------------------------------------------------------------------------------- */

struct cli_command;

/* What a command is given. All borrowed during the call. */
struct cli_call {
	const struct cli_command *command;   /* the sub-command's if there is one */
	const struct perun_options *options; /* of the command's own table */
	/* Of a sub-command: the options that were before its name, by the parent's table. */
	const struct perun_options *before;
	const char *const *rest;  /* words from the module's name on; NULL-terminated */
	const char *const *words; /* all after the command's name */
};

enum cli_command_flags {
	CLI_STOPS = 1,  /* parsing ends at the first word its table has no place for: `rest` */
	CLI_HIDDEN = 2, /* not listed */
	CLI_NO_SHORT_HELP = 4, /* -h means something else */
	CLI_RAW = 8            /* reads its words itself: all are in `rest` */
};

struct cli_command {
	const char *name, *summary; /* a table ends with a name of NULL */
	const struct perun_option *options;
	const struct cli_command *subcommands;
	/* PERUN_KIND_x of the module that is after the options, by CLI_STOPS, plus 1; 0 = none. */
	unsigned module;
	unsigned flags;
	const char *usage; /* what follows the options in the usage line, or NULL */
	/* Of a command with sub-commands: without one of them; NULL = that is an error. */
	int (*run)(struct cli *cli, const struct cli_call *call);
	const struct perun_command *plugin; /* of a command that a plugin brings */
	/* Whether options replace the argument that is first in the table: the first word is the module's name then. */
	bool (*instead)(const struct perun_options *options);
	const struct perun_plugin *owner; /* the plugin */
};

/* The table of all commands that belong to no plugin: cli/commands/table.c. */
extern const struct cli_command cli_commands[];
extern const struct perun_option cli_global_options[];
/* Those of the global options that every command understands as well. */
extern const struct perun_option cli_common_options[];
#define CLI_MINOR_OPTION(help_text)                                                              \
	{                                                                                        \
		.name = "minor", .aliases = "-m", .metavar = "REV", .type = PERUN_OPTION_STRING, \
		.help = help_text                                                                \
	}

const struct cli_command *cli_find_command(const struct cli_command *commands, const char *name);
/*
 * The command that a plugin brings; `found->name` is NULL when none has one of the name. Fails when its
 * plugin cannot be loaded.
 */
int cli_find_plugin_command(struct cli *cli, const char *name, struct cli_command *found);
/* "no command called statsu; did you mean status?": a status. */
int cli_unknown_command(struct cli *cli, const char *parent, const struct cli_command *commands,
			const char *name);

/*
 * Parse `words` by the command (and its sub-command) and run it; words[0] is the first word after
 * the command's name.
 */
int cli_run_command(struct cli *cli, const struct cli_command *command, const char *const *words);
/* The options and arguments of a command, as perun_options_parse() with its flags; `instead` is heeded. */
int cli_parse_options(struct cli *cli, const struct cli_command *command, const char *const *words,
		      unsigned flags, struct perun_options **options, size_t *used);

/* An option of a sub-command that may be before or after its name. */
bool cli_flag(const struct cli_call *call, const char *name);
const char *cli_string(const struct cli_call *call, const char *name);
/* The values of an option as a NULL-terminated array; free it (not the texts) with perun_free(). */
const char **cli_strings(const struct perun_options *options, const char *name);

/* The commands of this folder; the others are in cli/commands/commands.h. */
int cli_complete(struct cli *cli, const struct cli_call *call);
int cli_completion(struct cli *cli, const struct cli_call *call);
int cli_help(struct cli *cli, const struct cli_call *call);
extern const struct perun_option cli_help_options[], cli_completion_options[];

/* ---- help (help.c) --------------------------------------------------------------------------- */

/* Print the --help text of a command; `module` is a module's name after it, or NULL. */
int cli_print_help(struct cli *cli, const struct cli_command *parent,
		   const struct cli_command *command, const char *module);
/* Print the list of all commands. */
void cli_print_overview(struct cli *cli, FILE *file);

/* ---- the store (store.c) --------------------------------------------------------------------- */

/* Open the store of the current directory and apply the -c settings. Ours until the end. */
int cli_open_store(struct cli *cli);
/* The same, but none is fine: cli->store stays NULL. */
int cli_find_store(struct cli *cli);
/* The store and its vcs; warns when an interrupted run left something to be put right. */
int cli_open_vcs(struct cli *cli, struct perun_vcs **vcs);
/* The checksum of a revision, NULL or "" = the head; the caller frees it. */
int cli_minor(struct cli *cli, const char *revision, char **checksum);
/* A setting as text; NULL when unset or unreadable. The caller frees it. Never fails. */
char *cli_setting(struct cli *cli, const char *key);
/* The same of a format of lines; NULL also where it is the default, that of the Python program. */
char *cli_layout(struct cli *cli, const char *key);
/* Whether a text says so: true, yes, on or 1. */
bool cli_is_yes(const char *text);
/* A setting that is true or false. */
bool cli_setting_is_true(struct cli *cli, const char *key);

/* ---- screen (screen.c) ----------------------------------------------------------------------- */

enum cli_color {
	CLI_PLAIN,
	CLI_RED,
	CLI_GREEN,
	CLI_YELLOW,
	CLI_BLUE,
	CLI_MAGENTA,
	CLI_CYAN,
	CLI_BOLD,
	CLI_DIM
};

/* Learn about the terminal; call after the global options are known. */
void cli_screen_start(struct cli *cli);
/* Whether the locale says that UTF-8 is understood. */
bool cli_has_unicode(void);
/* Send standard output through the pager if the user wants it for this kind of output. */
void cli_page(struct cli *cli, const char *command);
/* Flush standard output and wait for the pager. `status`, or PERUN_INPUT when writing failed. */
int cli_screen_end(struct cli *cli, int status);
/* The escape sequence that begins a colour, or that ends all; "" when colours are off. */
const char *cli_color(const struct cli *cli, enum cli_color color);
const char *cli_color_end(const struct cli *cli);
/* Print a text of the outside world without what could drive a terminal. */
void cli_print_safe(const char *text);
/* `count` times a (UTF-8) character. */
void cli_repeat(const char *character, size_t count);
/* "\n[Title]\n\n". */
void cli_title(struct cli *cli, const char *format, ...) PERUN_PRINTF(2, 3);

/* ---- messages (messages.c) ------------------------------------------------------------------- */

/* Handlers for the context: warnings, notes, progress, interruption. */
struct perun_handlers cli_handlers(struct cli *cli);
/*
 * Let SIGINT and SIGTERM end the work in good order; within a second at the latest, and at once when a second
 * one comes.
 */
void cli_catch_signals(void);
/* End with one line and exit code 3 when the system has no memory left. */
void cli_catch_memory(void);
/* Hand on what was printed, and note that something was. */
int cli_flush(struct cli *cli);
/* A pager shows what is printed; and: nothing more is printed, it is only waited for. */
void cli_pager_started(pid_t process);
void cli_pager_waits(void);
bool cli_interrupted(void);
/* The number of the signal that interrupted. */
int cli_signal(void);
/* Print the failure of the context (or that the run was interrupted) as one line. */
void cli_print_error(struct cli *cli, int status);
/* Take a progress bar off the screen. */
void cli_progress_clear(struct cli *cli);
/* Say which measurement is being done, on a terminal: "[3/12, about 2:05 left] time of ./prog in.txt". */
void cli_progress_part(struct cli *cli, const char *place, const char *collector,
		       const char *command, const char *workload);
/* Whether there is somebody to answer questions. */
bool cli_interactive(void);
/* Ask; true for yes, or when -y was given. False when nobody is there. */
bool cli_confirm(struct cli *cli, const char *format, ...) PERUN_PRINTF(2, 3);

/* ---- small things ---------------------------------------------------------------------------- */

/* Equal names of modules. */
#define cli_same_name perun_same_name

#endif
