/* SPDX-License-Identifier: BSD-3-Clause */
/* perun completion: scripts for shells, and the words they offer. */
#include <config.h>

#include <string.h>

#include <perun/lib/registry.h>

#include "cli/base/cli.h"

const struct perun_option cli_completion_options[] = {
	{.name = "shell",
	 .flags = PERUN_OPTION_POSITIONAL | PERUN_OPTION_REQUIRED,
	 .type = PERUN_OPTION_CHOICE,
	 .choices = "bash zsh fish",
	 .help = "the shell"},
	{0}};

/*
 * Each script asks `perun complete-words WORD...` (the last word is the one under the cursor) and gets
 * lines "WORD<TAB>EXPLANATION"; "<file>" stands for file names.
 */
static const char bash_script[] =
	"# bash completion for perun: eval \"$(perun completion bash)\"\n"
	"_perun()\n"
	"{\n"
	"	local IFS=$'\\n' rest=$COMP_LINE word current strip value line files= i\n"
	"	local -a words=()\n"
	"	COMPREPLY=()\n"
	"	# bash breaks words at @, = and : too; put together what stands without blanks "
	"between.\n"
	"	for ((i = 0; i <= COMP_CWORD; i++)); do\n"
	"		word=${COMP_WORDS[i]}\n"
	"		if [[ $i -gt 0 && -n $word && $rest != [[:space:]]* ]]; then\n"
	"			current+=$word\n"
	"			words[${#words[@]}-1]=$current\n"
	"		else\n"
	"			current=$word\n"
	"			words+=(\"$word\")\n"
	"		fi\n"
	"		rest=${rest#\"${rest%%[![:space:]]*}\"}\n"
	"		rest=${rest#\"$word\"}\n"
	"	done\n"
	"	case $word in\n"
	"	[@=:]*) strip=$current ;;\n"
	"	*) strip=${current%\"$word\"} ;;\n"
	"	esac\n"
	"	while IFS= read -r line; do\n"
	"		if [ \"$line\" = '<file>' ]; then files=1; continue; fi\n"
	"		line=${line%%$'\\t'*}\n"
	"		COMPREPLY+=(\"${line#\"$strip\"}\")\n"
	"	done < <(\"${words[0]}\" complete-words \"${words[@]:1}\" 2>/dev/null)\n"
	"	if [ -n \"$files\" ]; then\n"
	"		# Quoted as file names when there is nothing else: 0@i would become "
	"0\\@i.\n"
	"		(( ${#COMPREPLY[@]} )) || compopt -o filenames 2>/dev/null\n"
	"		value=$current\n"
	"		[[ $current != --*=* ]] || value=${current#*=}\n"
	"		strip=${strip#\"${current%\"$value\"}\"}\n"
	"		while IFS= read -r line; do COMPREPLY+=(\"${line#\"$strip\"}\"); done \\\n"
	"			< <(compgen -f -- \"$value\")\n"
	"	fi\n"
	"}\n"
	"complete -F _perun perun\n";

static const char zsh_script[] =
	"#compdef perun\n"
	"# zsh completion for perun: eval \"$(perun completion zsh)\"\n"
	"_perun()\n"
	"{\n"
	"	local line files word\n"
	"	local -a offers\n"
	"	while IFS= read -r line; do\n"
	"		if [[ $line == '<file>' ]]; then files=1; continue; fi\n"
	"		word=${line%%$'\\t'*}\n"
	"		offers+=(\"${word//:/\\\\:}:${line#*$'\\t'}\")\n"
	"	done < <(\"${words[1]}\" complete-words \"${(@)words[2,CURRENT]}\" 2>/dev/null)\n"
	"	(( $#offers )) && _describe perun offers\n"
	"	[[ -n $files ]] && _files\n"
	"	return 0\n"
	"}\n"
	"if [[ $funcstack[1] == _perun ]]; then _perun \"$@\"; else compdef _perun perun; fi\n";

static const char fish_script[] =
	"# fish completion for perun: perun completion fish | source\n"
	"function __perun_complete\n"
	"	set -l words (commandline -opc) (commandline -ct)\n"
	"	for line in (command $words[1] complete-words $words[2..-1] 2>/dev/null)\n"
	"		if test \"$line\" = '<file>'\n"
	"			__fish_complete_path (commandline -ct)\n"
	"		else\n"
	"			echo $line\n"
	"		end\n"
	"	end\n"
	"end\n"
	"complete -c perun -f -a '(__perun_complete)'\n";

int cli_completion(struct cli *cli, const struct cli_call *call)
{
	const char *shell = perun_option_string(call->options, "shell");

	(void)cli;
	if (strcmp(shell, "bash") == 0)
		fputs(bash_script, stdout);
	else if (strcmp(shell, "zsh") == 0)
		fputs(zsh_script, stdout);
	else
		fputs(fish_script, stdout);
	return PERUN_OK;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void offer(const char *word, const char *explanation, const char *begun)
{
	if (strncmp(word, begun, strlen(begun)) == 0)
		printf("%s\t%s\n", word, explanation ? explanation : "");
}

static void offer_commands(struct cli *cli, const struct cli_command *commands, bool plugins,
			   const char *begun)
{
	size_t count;
	const struct perun_plugin_info *infos;

	for (; commands->name; commands++) {
		if (!(commands->flags & CLI_HIDDEN))
			offer(commands->name, commands->summary, begun);
	}
	if (!plugins)
		return;
	infos = perun_registry_list(cli->ctx, &count);
	for (size_t i = 0; i < count; i++) {
		for (const char *const *name = infos[i].commands; name && name[0]; name += 2)
			offer(name[0], name[1], begun);
	}
}

static void offer_modules(struct cli *cli, unsigned kind, const char *begun)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(cli->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		if ((unsigned)infos[i].kind == kind && !infos[i].problem)
			offer(infos[i].name, infos[i].summary, begun);
	}
}

/* ---- hints that only the running program knows ----------------------------------------------- */

/* Options whose values are names of modules: those of one kind, PERUN_KINDS = of all. */
static const struct {
	const char *command, *option;
	enum perun_kind kind;
} module_options[] = {{"convert", "to", PERUN_KIND_FORMAT},
		      {"convert", "from", PERUN_KIND_FORMAT},
		      {"check", "method", PERUN_KIND_CHECK},
		      {"init", "vcs-type", PERUN_KIND_VCS},
		      {"job", "collector", PERUN_KIND_COLLECT},
		      {"job", "collector-params", PERUN_KIND_COLLECT},
		      {"job", "postprocessor", PERUN_KIND_POSTPROCESS},
		      {"job", "postprocessor-params", PERUN_KIND_POSTPROCESS},
		      {"plugin show", "name", PERUN_KINDS},
		      {"plugin check", "name", PERUN_KINDS}};

static void add_module_names(struct cli *cli, enum perun_kind kind, struct perun_buffer *hints)
{
	size_t count;
	const struct perun_plugin_info *infos = perun_registry_list(cli->ctx, &count);

	for (size_t i = 0; i < count; i++) {
		if (kind == PERUN_KINDS)
			perun_buffer_printf(hints, "%s-%s ", perun_kind_name(infos[i].kind),
					    infos[i].name);
		else if (infos[i].kind == kind && !infos[i].problem)
			perun_buffer_printf(hints, "%s ", infos[i].name);
	}
}

/* Tags of the profiles there are. */
static void add_tags(struct cli *cli, bool registered, struct perun_buffer *hints)
{
	enum { MOST = 20 };
	struct perun_entries entries = {0};
	char *minor = NULL;

	if (cli_find_store(cli) || !cli->store)
		return;
	if (!perun_store_pending(cli->ctx, cli->store, &entries)) {
		for (size_t i = 0; i < entries.count && i < MOST; i++)
			perun_buffer_printf(hints, "%zu@p ", i);
		perun_entries_free(&entries);
	}
	if (registered && !cli_minor(cli, NULL, &minor) &&
	    !perun_store_entries(cli->ctx, cli->store, minor, &entries)) {
		for (size_t i = 0; i < entries.count && i < MOST; i++)
			perun_buffer_printf(hints, "%zu@i ", i);
		perun_entries_free(&entries);
	}
	perun_free(minor);
}

static void add_hints(struct cli *cli, const char *command, const char *option,
		      struct perun_buffer *hints)
{
	for (size_t i = 0; i < sizeof module_options / sizeof *module_options; i++) {
		if (strcmp(module_options[i].command, command) == 0 &&
		    strcmp(module_options[i].option, option) == 0)
			add_module_names(cli, module_options[i].kind, hints);
	}
	if (strcmp(command, "help") == 0 && strcmp(option, "command") == 0) {
		for (const struct cli_command *c = cli_commands; c->name; c++) {
			if (!(c->flags & CLI_HIDDEN))
				perun_buffer_printf(hints, "%s ", c->name);
		}
	}
	if (strcmp(option, "profile") == 0 || strcmp(option, "input") == 0 ||
	    strcmp(option, "baseline") == 0 || strcmp(option, "target") == 0 ||
	    (strcmp(command, "showdiff") == 0 &&
	     (strcmp(option, "base") == 0 || strcmp(option, "new") == 0)))
		add_tags(cli, strcmp(command, "add") != 0, hints);
}

/* Offer the words of a command's tables; `command` is its name, NULL for the program itself. */
static void offer_options(struct cli *cli, const char *command,
			  const struct perun_option_table *tables, size_t count,
			  const char *const *words)
{
	struct perun_option_table copies[2] = {{NULL, 0}, {NULL, 0}};
	struct perun_option *options[2] = {NULL, NULL};
	struct perun_buffer text = {0}, hints[64] = {{0}};
	size_t used = 0;

	for (size_t i = 0; i < count; i++) {
		const struct perun_option *option = tables[i].options;
		size_t length = 0;

		while (option && option[length].name)
			length++;
		options[i] = perun_alloc_zero(length + 1, sizeof **options);
		copies[i].options = options[i];
		for (size_t j = 0; j < length; j++) {
			options[i][j] = option[j];
			if (!command || option[j].choices || used == 64)
				continue;
			add_hints(cli, command, option[j].name, &hints[used]);
			if (hints[used].length)
				options[i][j].choices = hints[used++].data;
		}
	}
	perun_options_complete(copies, count, words, &text);
	if (text.length)
		fwrite(text.data, 1, text.length, stdout);
	perun_buffer_free(&text);
	for (size_t i = 0; i < used; i++)
		perun_buffer_free(&hints[i]);
	perun_free(options[0]);
	perun_free(options[1]);
}

/* ---- words of a line ------------------------------------------------------------------------- */

/*
 * The number of words that the options (and fixed positionals) of the tables take before the last
 * word; SIZE_MAX when the last word belongs to them.
 */
static size_t skip_options(struct cli *cli, const struct perun_option_table *tables, size_t count,
			   const char *const *words, size_t word_count)
{
	const char **before = perun_alloc_zero(word_count + 1, sizeof *before);
	struct perun_options *options = NULL;
	size_t used = 0;
	int status;

	for (size_t i = 0; i + 1 < word_count; i++)
		before[i] = words[i];
	status = perun_options_parse(cli->ctx, tables, count, before,
				     PERUN_PARSE_STOP_AT_POSITIONAL, &options, &used);
	perun_ctx_clear(cli->ctx);
	perun_options_free(options);
	perun_free(before);
	if (status)
		return SIZE_MAX;
	return used;
}

/* Words of a module's options, or its sub-commands. */
static void complete_module(struct cli *cli, unsigned kind, const char *const *words,
			    size_t word_count)
{
	const struct perun_plugin *plugin;
	struct perun_option_table tables[2];
	size_t tables_count = 1;

	if (perun_registry_load(cli->ctx, (enum perun_kind)kind, words[0], &plugin))
		return;
	tables[0] = (struct perun_option_table){plugin->options, plugin->option_size};
	for (const struct perun_subcommand *sub = plugin->subcommands; sub && sub->name; sub++) {
		if (word_count == 2)
			offer(sub->name, sub->summary, words[1]);
		else if (strcmp(words[1], sub->name) == 0)
			tables[tables_count++] =
				(struct perun_option_table){sub->options, sub->option_size};
		if (tables_count == 2)
			break;
	}
	offer_options(cli, NULL, tables, tables_count, words + 1);
}

static void complete_command(struct cli *cli, const struct cli_command *command,
			     const char *const *words, size_t word_count)
{
	struct perun_option_table tables[2] = {{command->options, 0}, {NULL, 0}};
	size_t used = skip_options(cli, tables, 1, words, word_count);

	if (used == SIZE_MAX || (!command->subcommands && !command->module)) {
		offer_options(cli, command->name, tables, 1, words);
	} else if (command->subcommands && used + 1 == word_count) {
		if (words[used][0] == '-' || used > 0)
			offer_options(cli, command->name, tables, 1, words);
		if (words[used][0] != '-')
			offer_commands(cli, command->subcommands, false, words[used]);
	} else if (command->subcommands) {
		const struct cli_command *sub = cli_find_command(command->subcommands, words[used]);
		char *name;

		if (!sub)
			return;
		tables[0].options = sub->options;
		tables[1].options = command->options;
		name = strcmp(command->name, "plugin") == 0
			       ? perun_format("plugin %s", sub->name)
			       : perun_strdup(strcmp(command->name, "check") == 0 ? "check"
										  : sub->name);
		offer_options(cli, name, tables, 2, words + used + 1);
		perun_free(name);
	} else if (used + 1 == word_count) {
		offer_options(cli, command->name, tables, 1, words);
		if (words[used][0] != '-')
			offer_modules(cli, command->module - 1, words[used]);
	} else {
		complete_module(cli, command->module - 1, words + used, word_count - used);
	}
}

int cli_complete(struct cli *cli, const struct cli_call *call)
{
	const struct perun_option_table global = {cli_global_options, 0};
	const char *const empty[] = {"", NULL};
	const char *const *words = call->rest[0] ? call->rest : empty;
	const struct cli_command *command;
	struct cli_command found = {0};
	size_t count = 0, used;

	while (words[count])
		count++;
	used = skip_options(cli, &global, 1, words, count);
	if (used == SIZE_MAX || (used + 1 == count && words[used][0] == '-')) {
		offer_options(cli, NULL, &global, 1, words);
	} else if (used + 1 == count) {
		offer_commands(cli, cli_commands, true, words[used]);
	} else {
		command = cli_find_command(cli_commands, words[used]);
		if (!command && !cli_find_plugin_command(cli, words[used], &found) && found.name)
			command = &found;
		if (command && command->flags & CLI_RAW)
			puts("<file>");
		else if (command)
			complete_command(cli, command, words + used + 1, count - used - 1);
	}
	perun_ctx_clear(cli->ctx);
	return PERUN_OK;
}
