"""The signals, one file each. Each gives columns over files and symbols; the table in `features.py` lists them."""
