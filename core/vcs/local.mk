core_sources += \
	core/vcs/fallback.c \
	core/vcs/fallback.h \
	core/vcs/vcs.c
