"""An `Image` as a build: the same words give the same text, and the text says what they say."""

from __future__ import annotations

import json

import pytest

from argojobs import Image
from argojobs.images.described.generated import generated, project_name
from argojobs.runtime.importing import import_file


def made(tmp_path, **options):
    return generated(Image(**options), tmp_path)


def instructions(build):
    return [line for line in build.dockerfile.splitlines() if not line.startswith("#")]


def test_what_changes_least_comes_first(tmp_path):
    lines = instructions(
        made(tmp_path, pip=["numpy"], apt=["git", "g++"], env={"A": "1"}, run=["make all"])
    )
    assert [line.split()[0] for line in lines] == ["FROM", "ENV", "RUN", "COPY", "RUN", "RUN"]
    assert lines[0] == "FROM python:3.11-slim"
    assert " git g++ && rm -rf /var/lib/apt/lists/*" in lines[2]
    assert lines[3] == "COPY requirements.txt /opt/argojobs-image/"
    assert lines[4].endswith("python3 -m pip install --no-cache-dir --no-input "
                             "--disable-pip-version-check -r /opt/argojobs-image/requirements.txt")  # fmt: skip
    assert lines[5] == 'RUN ["/bin/sh", "-c", "make all"]'


def test_an_image_has_only_the_layers_that_it_asks_for(tmp_path):
    assert instructions(made(tmp_path, env={"A": "1"})) == [
        "FROM python:3.11-slim",
        'ENV A="1"',
    ]
    assert made(tmp_path, env={"A": "1"}).files == {}


def test_texts_arrive_as_they_are(tmp_path):
    text = 'say "$HOME" \\ ${X} `ls`'
    lines = instructions(made(tmp_path, env={"A": text}, run=[f"{text}\n<<EOF"]))
    assert lines[1] == r'ENV A="say \"\$HOME\" \\ \${X} `ls`"'
    assert json.loads(lines[2].removeprefix("RUN ")) == ["/bin/sh", "-c", f"{text}\n<<EOF"]


def test_the_requirements_lie_beside_the_dockerfile(tmp_path):
    (tmp_path / "requirements.txt").write_text("numpy # fast\n-c limits.txt\n")
    (tmp_path / "limits.txt").write_text("numpy<3\n")
    build = made(tmp_path, pip="requirements.txt")
    assert build.files == {
        "constraints.txt": "numpy<3\n",
        "requirements.txt": "-c constraints.txt\nnumpy\n",
    }
    assert "COPY constraints.txt requirements.txt /opt/argojobs-image/" in build.dockerfile


def test_requirements_are_found_beside_the_file_that_names_them_or_in_the_projects_root(tmp_path):
    folder = tmp_path / "examples"
    folder.mkdir()
    (folder / "described.py").write_text(
        "from argojobs import Image\nIMAGE = Image(pip='requirements.txt')\n"
    )
    image = import_file(str(folder / "described.py")).IMAGE
    (tmp_path / "requirements.txt").write_text("far\n")
    assert generated(image, tmp_path).files == {"requirements.txt": "far\n"}
    (folder / "requirements.txt").write_text("near\n")
    assert generated(image, tmp_path).files == {"requirements.txt": "near\n"}


def test_the_same_requirements_are_the_same_image_however_they_are_written(tmp_path):
    (tmp_path / "requirements.txt").write_text("# ours\nnumpy  # fast\n\ntorch\n")
    assert made(tmp_path, pip="requirements.txt") == made(tmp_path, pip=["numpy", "torch"])


@pytest.mark.parametrize(
    "options",
    [
        {"pip": ["numpy"], "base": "python:3.12-slim"},
        {"pip": ["numpy==2"]},
        {"pip": ["numpy"], "apt": ["git"]},
        {"pip": ["numpy"], "env": {"A": "1"}},
        {"pip": ["numpy"], "run": ["ls"]},
    ],
)
def test_all_that_it_says_counts(tmp_path, options):
    assert made(tmp_path, **options).content != made(tmp_path, pip=["numpy"]).content


def test_it_is_named_after_the_project_and_its_content(tmp_path):
    folder = tmp_path / "My_Project (2)"
    folder.mkdir()
    build = made(folder, pip=["numpy"], apt=["git", "make"])
    assert build.name == "my-project-2-env"
    assert len(build.content) == 64
    assert build.reference("lab:5000") == f"lab:5000/my-project-2-env:{build.content[:16]}"
    assert build.reference() == f"my-project-2-env:{build.content[:16]}"
    assert build.words == "python:3.11-slim, 1 requirement, 2 packages"
    assert project_name(tmp_path.parent / "___") == "project"


def test_its_base_may_be_an_image_that_was_deployed(tmp_path):
    image = Image("train", env={"A": "1"})
    build = generated(image, tmp_path, base_of={"train": "lab:5000/train@sha256:00"}.__getitem__)
    assert "FROM lab:5000/train@sha256:00\n" in build.dockerfile


def test_pip_gets_its_settings_as_secrets_which_are_in_no_layer(tmp_path):
    dockerfile = made(tmp_path, pip=["numpy"]).dockerfile
    assert "RUN --mount=type=secret,id=pip,mode=0444 --mount=type=secret,id=pip-certificates," in (
        dockerfile
    )
    assert "PIP_CONFIG_FILE=/run/secrets/pip " in dockerfile
