# Plugin vcs git: see the pattern in Makefile.am.
if PLUGIN_VCS_GIT
plugins += vcs/git/perun-vcs-git.la
vcs_git_perun_vcs_git_la_SOURCES = \
	vcs/git/commit.c \
	vcs/git/export.c \
	vcs/git/files.c \
	vcs/git/gitvcs.h \
	vcs/git/grafts.c \
	vcs/git/graph.c \
	vcs/git/init.c \
	vcs/git/journal.c \
	vcs/git/leftovers.c \
	vcs/git/libgit2.c \
	vcs/git/libgit2.h \
	vcs/git/merge_base.c \
	vcs/git/pack.c \
	vcs/git/plain.c \
	vcs/git/plain.h \
	vcs/git/plugin.c \
	vcs/git/program.c \
	vcs/git/recover.c \
	vcs/git/repository.c \
	vcs/git/revision.c \
	vcs/git/state.c \
	vcs/git/status.c \
	vcs/git/submodule.c \
	vcs/git/text.c \
	vcs/git/tracked.c \
	vcs/git/walk.c
vcs_git_perun_vcs_git_la_CFLAGS = $(plugin_cflags) $(VCS_GIT_CFLAGS) $(ZLIB_CFLAGS)
vcs_git_perun_vcs_git_la_LDFLAGS = $(plugin_ldflags)
vcs_git_perun_vcs_git_la_LIBADD = $(plugin_libs) $(ZLIB_LIBS)
# A module loads libgit2 when it needs it: vcs/git/libgit2.h.
if STATIC_PLUGINS
vcs_git_perun_vcs_git_la_LIBADD += $(VCS_GIT_LIBS)
endif
man_MANS += vcs/git/perun-vcs-git.1
endif
EXTRA_DIST += vcs/git/perun-vcs-git.1
