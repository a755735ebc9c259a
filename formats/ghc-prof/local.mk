formats_ghc_prof_libs = $(stacks_libs)
