# What a project offers to be measured, by its build files and their tools.
core_sources += \
	core/detect/ask.c \
	core/detect/cargo.c \
	core/detect/cmake.c \
	core/detect/detect.c \
	core/detect/detect.h \
	core/detect/make.c
