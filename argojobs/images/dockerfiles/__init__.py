"""What a Dockerfile says: its stages, what it takes, what its ignore file leaves out."""
