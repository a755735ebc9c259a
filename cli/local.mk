bin_PROGRAMS += cli/perun
cli_perun_SOURCES = \
	cli/acknowledged.c \
	cli/add.c \
	cli/baselines.c \
	cli/baselines.h \
	cli/blame.c \
	cli/care.c \
	cli/change-list.c \
	cli/changes.c \
	cli/check-history.c \
	cli/check-profiles.c \
	cli/check.c \
	cli/ci-write.c \
	cli/ci.c \
	cli/ci.h \
	cli/cli.h \
	cli/collect.c \
	cli/commands.c \
	cli/compare.c \
	cli/compare.h \
	cli/completion.c \
	cli/config.c \
	cli/convert.c \
	cli/draw.c \
	cli/draw.h \
	cli/facts.c \
	cli/facts.h \
	cli/fields.c \
	cli/fields.h \
	cli/found.c \
	cli/graph.c \
	cli/graph.h \
	cli/grid.c \
	cli/grid.h \
	cli/help.c \
	cli/history-draw.c \
	cli/history-show.c \
	cli/history.c \
	cli/history.h \
	cli/init.c \
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
	cli/model-compare.c \
	cli/model-cost.c \
	cli/model-doubt.c \
	cli/model-format.c \
	cli/model-input.c \
	cli/model-json.c \
	cli/model-table.c \
	cli/model-text.c \
	cli/model-tree.c \
	cli/model.c \
	cli/model.h \
	cli/module.c \
	cli/module.h \
	cli/params.c \
	cli/params.h \
	cli/plugin.c \
	cli/postprocessby.c \
	cli/profile-table.c \
	cli/rm.c \
	cli/run.c \
	cli/screen.c \
	cli/series-read.c \
	cli/series.c \
	cli/series.h \
	cli/show.c \
	cli/showdiff.c \
	cli/status.c \
	cli/store.c \
	cli/strategy.c \
	cli/strategy.h \
	cli/text.c \
	cli/version-text.c \
	cli/walk.c \
	cli/walk.h \
	cli/worktree.c \
	cli/worktree.h
cli_perun_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
# -no-fast-install: the program in cli/.libs finds the build tree's library by itself.
cli_perun_LDFLAGS = $(AM_LDFLAGS) -no-fast-install
cli_perun_LDADD = $(program_libs) $(JANSSON_LIBS)

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
