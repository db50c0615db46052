"""The library inside a step: what a training reports, and where it goes on."""
