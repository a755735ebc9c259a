# Settings: YAML, looking up, changing.
core_sources += \
	core/config/config.c \
	core/config/config.h \
	core/config/edit.c \
	core/config/shared.c \
	core/config/shared.h \
	core/config/templates.c \
	core/config/yaml.c
