# Plugins built against other versions of the interface.
