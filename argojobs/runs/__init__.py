"""What can be done with runs, for the command line, Python and whoever comes: it prints nothing."""
