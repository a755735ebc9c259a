# Plugin check best-model-order-equality: see the pattern in Makefile.am.
if PLUGIN_CHECK_BEST_MODEL_ORDER_EQUALITY
plugins += checks/best-model-order/perun-check-best-model-order-equality.la
checks_best_model_order_perun_check_best_model_order_equality_la_SOURCES = \
	checks/best-model-order/best-model-order.c
checks_best_model_order_perun_check_best_model_order_equality_la_CFLAGS = $(plugin_cflags)
checks_best_model_order_perun_check_best_model_order_equality_la_LDFLAGS = $(plugin_ldflags)
checks_best_model_order_perun_check_best_model_order_equality_la_LIBADD = $(check_libs)
generated_mans += checks/best-model-order/perun-check-best-model-order-equality.1
endif
EXTRA_DIST += checks/best-model-order/perun-check-best-model-order-equality.mdoc
