noinst_PROGRAMS += core/registry/describe
core_registry_describe_SOURCES = core/registry/describe-main.c

# The table of linked-in plugins of a static build, made from the list of plugins.
if STATIC_PLUGINS
noinst_LTLIBRARIES += core/registry/liblinked.la
nodist_core_registry_liblinked_la_SOURCES = core/registry/linked.c
CLEANFILES += core/registry/linked.c
# -u: nothing but a weak reference asks for the table.
linked_plugins = $(LINKED_FLAG) core/registry/liblinked.la $(plugins)
endif
core/registry/linked.c: Makefile
	$(AM_V_GEN)$(MKDIR_P) core/registry && { \
	echo '/* Generated: the plugins of this program. */'; \
	echo '#include <perun/plugin.h>'; \
	for la in $(plugins); do \
		basename $$la .la | $(SED) 's/-/_/g; s/^perun_\(.*\)/extern const struct perun_plugin perun_plugin_\1;/'; \
	done; \
	echo 'PERUN_EXPORT extern const struct perun_plugin *const perun_linked_plugins[];'; \
	echo 'const struct perun_plugin *const perun_linked_plugins[] = {'; \
	for la in $(plugins); do \
		basename $$la .la | $(SED) 's/-/_/g; s/^perun_\(.*\)/	\&perun_plugin_\1,/'; \
	done; \
	echo '	0,'; \
	echo '};'; \
	} > $@.tmp && mv $@.tmp $@
