bin_PROGRAMS += cli/perun
cli_perun_SOURCES = $(cli_base_files) $(cli_commands_files) $(cli_print_files)
cli_perun_CFLAGS = $(AM_CFLAGS) -DPERUN_MAN_DIR='"$(mandir)"'
# -no-fast-install: the program in cli/.libs finds the build tree's library by itself.
cli_perun_LDFLAGS = $(AM_LDFLAGS) -no-fast-install
cli_perun_LDADD = plugins/create/libcreate.la commands/common/libcommands.la views/common/libviews.la $(program_libs)

# Completion for the shells that look for it, as `perun completion SHELL` prints it.
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = cli/completions/perun
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = cli/completions/_perun
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = cli/completions/perun.fish
completions = cli/completions/perun cli/completions/_perun cli/completions/perun.fish
CLEANFILES += $(completions)
cli/completions/perun: shell = bash
cli/completions/_perun: shell = zsh
cli/completions/perun.fish: shell = fish
$(completions): cli/perun$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(NATIVE_BUILD)/cli/perun completion $(shell) >$@.tmp && mv $@.tmp $@
