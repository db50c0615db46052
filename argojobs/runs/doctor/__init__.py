"""`argojobs doctor`: one check a function, from the settings file to a finished run."""
