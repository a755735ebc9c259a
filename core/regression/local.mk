# Curves through points.
core_sources += core/regression/fit.c core/regression/plain.c core/regression/points.c
