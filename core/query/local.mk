# Queries over profiles.
core_sources += \
	core/query/cell.c \
	core/query/cell.h \
	core/query/glob.c \
	core/query/match.c \
	core/query/match.h \
	core/query/round.c \
	core/query/select.c \
	core/query/where.c
