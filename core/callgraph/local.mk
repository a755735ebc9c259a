# Stacks: filters, call graph, call tree.
core_sources += \
	core/callgraph/calls.c \
	core/callgraph/filter.c \
	core/callgraph/frame-name.c \
	core/callgraph/frames.c \
	core/callgraph/frames.h \
	core/callgraph/graph.c \
	core/callgraph/graph.h \
	core/callgraph/inlining.c \
	core/callgraph/label-frames.c \
	core/callgraph/prune.c \
	core/callgraph/stacks.c \
	core/callgraph/stacks.h \
	core/callgraph/to-profile.c \
	core/callgraph/tree.c \
	core/callgraph/walk-graph.c \
	core/callgraph/walk-paths.c \
	core/callgraph/weigh.c
