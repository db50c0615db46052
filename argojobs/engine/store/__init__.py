"""The store: the runs of a home, and other kinds of objects, in one SQLite file."""
