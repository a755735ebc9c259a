# Queries over profiles.
core_sources += \
	core/query/aggregate-ordered.c \
	core/query/aggregate.c \
	core/query/cell.c \
	core/query/cell.h \
	core/query/curves.c \
	core/query/data-frame.c \
	core/query/flame-graph.c \
	core/query/glob.c \
	core/query/group.c \
	core/query/groups.h \
	core/query/items.c \
	core/query/key-values.c \
	core/query/match.c \
	core/query/match.h \
	core/query/models.c \
	core/query/number.c \
	core/query/paths.c \
	core/query/paths.h \
	core/query/resources.c \
	core/query/round.c \
	core/query/select.c \
	core/query/sort.c \
	core/query/texts.c \
	core/query/values.h \
	core/query/where.c
