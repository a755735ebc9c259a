bin_PROGRAMS += cli/perun
cli_perun_SOURCES = \
	cli/add.c \
	cli/change-list.c \
	cli/changes.c \
	cli/check-history.c \
	cli/check-profiles.c \
	cli/check-all.c \
	cli/check-missing.c \
	cli/checking.c \
	cli/checking.h \
	cli/check-run.c \
	cli/check-words.c \
	cli/check.c \
	cli/ci-write.c \
	cli/ci.c \
	cli/ci.h \
	cli/cli.h \
	cli/collect.c \
	cli/commands.c \
	cli/commits.c \
	cli/commits.h \
	cli/check-run.h \
	cli/completion.c \
	cli/config.c \
	cli/draw.c \
	cli/draw.h \
	cli/facts.c \
	cli/facts.h \
	cli/fields.c \
	cli/fields.h \
	cli/graph.c \
	cli/graph.h \
	cli/help.c \
	cli/hooks.c \
	cli/hooks.h \
	cli/host.h \
	cli/listing.h \
	cli/log-short.c \
	cli/log-short.h \
	cli/log.c \
	cli/lookup.c \
	cli/lookup.h \
	cli/main.c \
	cli/measure.c \
	cli/measure.h \
	cli/messages.c \
	cli/module.c \
	cli/module.h \
	cli/plugin-command.c \
	cli/plugin.c \
	cli/postprocessby.c \
	cli/profile-table.c \
	cli/rm.c \
	cli/run.c \
	cli/screen.c \
	cli/series.c \
	cli/series-plugin.c \
	cli/series.h \
	cli/show.c \
	cli/showdiff.c \
	cli/status.c \
	cli/store.c \
	cli/text.c \
	cli/trust.c \
	cli/trust.h \
	cli/version-text.c
cli_perun_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
# -no-fast-install: the program in cli/.libs finds the build tree's library by itself.
cli_perun_LDFLAGS = $(AM_LDFLAGS) -no-fast-install
cli_perun_LDADD = commands/common/libcommands.la views/common/libviews.la $(program_libs) $(JANSSON_LIBS)

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
	cli/perun$(EXEEXT) completion $(shell) >$@.tmp && mv $@.tmp $@
