plugins_example_vcs_cflags = -D_GNU_SOURCE
