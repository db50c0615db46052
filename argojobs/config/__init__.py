"""Where argojobs keeps its things and what the user has set."""
