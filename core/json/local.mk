EXTRA_DIST += core/json/powers.py
