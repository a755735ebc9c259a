# core_sources += \
#	core/registry/....c
