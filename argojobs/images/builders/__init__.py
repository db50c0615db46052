"""Builders of images: docker, podman, buildah and buildctl, each a small table of commands."""
