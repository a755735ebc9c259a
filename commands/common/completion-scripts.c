/* SPDX-License-Identifier: BSD-3-Clause */
/* The scripts that complete command lines of perun in shells. */
#include "completion-scripts.h"

#include <string.h>

/*
 * Each script asks `perun complete-words WORD...` (the last word is the one under the cursor) and gets
 * lines "WORD<TAB>EXPLANATION"; a line "<file>" asks for file names. Words that end with = go on.
 */
static const char bash_script[] =
	"# bash completion for perun: eval \"$(perun completion bash)\"\n"
	"_perun()\n"
	"{\n"
	"	local IFS=$'\\n' rest=$COMP_LINE word current strip value line files= plain i\n"
	"	local -a words=()\n"
	"	COMPREPLY=()\n"
	"	# bash breaks words at @, =, ( and : too; join what has no blanks between.\n"
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
	"	for i in \"${!words[@]}\"; do words[i]=${words[i]//\\\\/}; done\n"
	"	while IFS= read -r line; do\n"
	"		if [ \"$line\" = '<file>' ]; then files=1; continue; fi\n"
	"		line=${line%%$'\\t'*}\n"
	"		plain=${line#*=}\n"
	"		[ -n \"$plain\" ] || compopt -o nospace 2>/dev/null\n"
	"		# Quote what the shell would read otherwise, such as time(real).\n"
	"		[[ $line != *[][\\ \\(\\)\\;\\&\\|\\<\\>\\$\\\"\\'\\*\\?\\!]* ]] || printf "
	"-v line %q \"$line\"\n"
	"		COMPREPLY+=(\"${line#\"$strip\"}\")\n"
	"	done < <(\"${words[0]/#\\~/$HOME}\" complete-words \"${words[@]:1}\" 2>/dev/null)\n"
	"	if [ -n \"$files\" ]; then\n"
	"		# Quoted as file names when there is nothing else: 0@i would become "
	"0\\@i.\n"
	"		(( ${#COMPREPLY[@]} )) || compopt -o filenames 2>/dev/null\n"
	"		value=$current\n"
	"		[[ $current != -*=* ]] || value=${current#*=}\n"
	"		strip=${strip#\"${current%\"$value\"}\"}\n"
	"		while IFS= read -r line; do COMPREPLY+=(\"${line#\"$strip\"}\"); done \\\n"
	"			< <(compgen -f -- \"${value//\\\\/}\")\n"
	"	fi\n"
	"}\n"
	"complete -F _perun perun\n";

static const char zsh_script[] =
	"#compdef perun\n"
	"# zsh completion for perun: eval \"$(perun completion zsh)\"\n"
	"_perun()\n"
	"{\n"
	"	local line files word\n"
	"	local -a offers open\n"
	"	while IFS= read -r line; do\n"
	"		if [[ $line == '<file>' ]]; then files=1; continue; fi\n"
	"		word=${line%%$'\\t'*}\n"
	"		if [[ $word == *= ]]; then\n"
	"			open+=(\"${word//:/\\\\:}:${line#*$'\\t'}\")\n"
	"		else\n"
	"			offers+=(\"${word//:/\\\\:}:${line#*$'\\t'}\")\n"
	"		fi\n"
	"	done < <(\"${(Q)words[1]}\" complete-words \"${(@Q)words[2,CURRENT]}\" "
	"2>/dev/null)\n"
	"	(( $#offers )) && _describe perun offers\n"
	"	(( $#open )) && _describe perun open -S ''\n"
	"	if [[ -n $files ]]; then\n"
	"		[[ $PREFIX != -*=* ]] || compset -P '*='\n"
	"		_files\n"
	"	fi\n"
	"	return 0\n"
	"}\n"
	"if [[ $funcstack[1] == _perun ]]; then _perun \"$@\"; else compdef _perun perun; fi\n";

static const char fish_script[] =
	"# fish completion for perun: perun completion fish | source\n"
	"function __perun_complete\n"
	"	set -l words (string unescape -- (commandline -opc)) (string unescape -- "
	"(commandline -ct))\n"
	"	test (count $words) -gt (count (commandline -opc)); or set -a words ''\n"
	"	for line in (command $words[1] complete-words $words[2..-1] 2>/dev/null)\n"
	"		if test \"$line\" = '<file>'\n"
	"			set -l word (commandline -ct)\n"
	"			set -l option (string match -r -- '^-[a-z_-]+=' $word)\n"
	"			for file in (__fish_complete_path (string replace -- \"$option\" "
	"'' $word))\n"
	"				echo \"$option$file\"\n"
	"			end\n"
	"		else\n"
	"			echo $line\n"
	"		end\n"
	"	end\n"
	"end\n"
	"complete -c perun -f -k -a '(__perun_complete)'\n";

const char *commands_completion_script(const char *shell)
{
	return strcmp(shell, "bash") == 0   ? bash_script
	       : strcmp(shell, "zsh") == 0  ? zsh_script
	       : strcmp(shell, "fish") == 0 ? fish_script
					    : NULL;
}
