bin_PROGRAMS += cli/perun
cli_perun_SOURCES = \
	cli/base/cli.h \
	cli/base/command.c \
	cli/base/completion.c \
	cli/base/help.c \
	cli/base/host.c \
	cli/base/host.h \
	cli/base/lookup.c \
	cli/base/lookup.h \
	cli/base/main.c \
	cli/base/messages.c \
	cli/base/module.c \
	cli/base/module.h \
	cli/base/screen.c \
	cli/base/store.c \
	cli/base/text.c \
	cli/base/trust.c \
	cli/base/trust.h \
	cli/commands/add.c \
	cli/commands/changes.c \
	cli/commands/check-all.c \
	cli/commands/check-missing.c \
	cli/print/findings-text.c \
	cli/commands/check-profiles.c \
	cli/commands/check-run.c \
	cli/commands/check-run.h \
	cli/commands/check-series-history.c \
	cli/commands/check-series-plugin.c \
	cli/commands/check-series.c \
	cli/commands/check-series.h \
	cli/commands/check.c \
	cli/commands/ci.c \
	cli/commands/collect.c \
	cli/commands/commands.h \
	cli/commands/config.c \
	cli/commands/hooks.c \
	cli/commands/hooks.h \
	cli/commands/log.c \
	cli/commands/plugin.c \
	cli/commands/postprocessby.c \
	cli/commands/rm.c \
	cli/commands/run.c \
	cli/commands/show.c \
	cli/commands/showdiff.c \
	cli/commands/status.c \
	cli/commands/table.c \
	cli/commands/trust.c \
	cli/commands/version.c \
	cli/print/change-list.c \
	cli/print/ci.c \
	cli/print/ci.h \
	cli/print/commits.c \
	cli/print/commits.h \
	cli/print/draw.c \
	cli/print/draw.h \
	cli/print/json.c \
	cli/print/json.h \
	cli/print/fields.c \
	cli/print/fields.h \
	cli/print/findings.c \
	cli/print/findings.h \
	cli/print/graph.c \
	cli/print/graph.h \
	cli/print/listing.h \
	cli/print/log-short.c \
	cli/print/log-short.h \
	cli/print/measure.c \
	cli/print/measure.h \
	cli/print/profile-table.c \
	cli/print/version-text.c
cli_perun_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) -DPERUN_MAN_DIR='"$(mandir)"'
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
