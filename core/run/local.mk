# Measuring: plans, runs over them with journals, work trees, builds that are kept, hooks.
core_sources += \
	core/run/builds.c \
	core/run/hooks.c \
	core/run/job.c \
	core/run/jobs.c \
	core/run/journal.c \
	core/run/journal.h \
	core/run/plan.c \
	core/run/run.c \
	core/run/run.h \
	core/run/shell-commands.c \
	core/run/shell-commands.h \
	core/run/worktree.c \
	core/run/worktree.h
