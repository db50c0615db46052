"""Images that nobody writes a Dockerfile for: `Image(pip=...)`, built on demand."""
