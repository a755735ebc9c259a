# Settings: YAML, looking up, changing.
core_sources += \
	core/config/config.h \
	core/config/edit.c \
	core/config/settings.c \
	core/config/shared.c \
	core/config/shared.h \
	core/config/templates.c \
	core/config/trust-record.c \
	core/config/trust-record.h \
	core/config/yaml.c
