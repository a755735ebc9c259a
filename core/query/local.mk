# Queries over profiles.
core_sources += \
	core/query/aggregate.c \
	core/query/aggregate-ordered.c \
	core/query/cell.c \
	core/query/cell.h \
	core/query/glob.c \
	core/query/group.c \
	core/query/groups.h \
	core/query/match.c \
	core/query/match.h \
	core/query/number.c \
	core/query/round.c \
	core/query/select.c \
	core/query/sort.c \
	core/query/texts.c \
	core/query/values.h \
	core/query/where.c
