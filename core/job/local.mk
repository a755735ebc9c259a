# Jobs: running collectors and postprocessors.
core_sources += \
	core/job/collect-workloads.c \
	core/job/collect.c \
	core/job/fnv.h \
	core/job/generate-files.c \
	core/job/generator.c \
	core/job/generator.h \
	core/job/machine.c \
	core/job/machine-class.c \
	core/job/modules.c \
	core/job/postprocess.c \
	core/job/program.c \
	core/job/program.h \
	core/job/scratch.c \
	core/job/shell.c \
	core/job/words.c
