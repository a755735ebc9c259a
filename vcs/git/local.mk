vcs_git_cflags = $(ZLIB_CFLAGS)
vcs_git_libs = $(plugin_libs) $(ZLIB_LIBS) $(vcs_git_linked)
# A module loads libgit2 when it needs it: vcs/git/libgit2.h.
if STATIC_PLUGINS
vcs_git_linked = $(VCS_GIT_LIBS)
endif
