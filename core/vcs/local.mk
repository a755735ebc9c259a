core_sources += \
	core/vcs/fallback.c \
	core/vcs/fallback.h \
	core/vcs/state-journal.c \
	core/vcs/state-journal.h \
	core/vcs/vcs.c
