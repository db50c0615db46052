"""What is sent to a builder: the files that a build takes, and nothing else."""
