"""Containers that work in a project's folder, so that a test sees what they write and tells them to go on."""

from pathlib import Path
from typing import Any

from argojobs.config.settings import ImageSettings, Settings
from argojobs.engine.submitter import capture


def capture_in(project: Path, **more: Any) -> dict[str, Any]:
    """What is recorded of a submitter whose image `any` has this folder as WORKDIR."""
    settings = Settings(images={"any": ImageSettings(workdir=str(project))})
    return capture(settings, project=project, **more)
