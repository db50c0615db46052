"""Requirements for a build: what pip would install, as one text; what a build lacks is refused."""

from __future__ import annotations

import pytest

from argojobs.errors import UsageError
from argojobs.images.described.requirements import Requirements, requirements_of


def of(text, tmp_path):
    (tmp_path / "requirements.txt").write_text(text)
    return requirements_of("requirements.txt", [tmp_path])


def test_comments_blank_lines_and_broken_lines_make_no_difference(tmp_path):
    written = "# ours\n\nnumpy>=1.20  # fast\ntorch==2.4 \\\n    --hash=sha256:00 # why\n--pre\n"
    assert of(written, tmp_path) == of(
        "numpy>=1.20\ntorch==2.4     --hash=sha256:00\n--pre", tmp_path
    )
    assert of(written, tmp_path).lines == (
        "numpy>=1.20", "torch==2.4     --hash=sha256:00", "--pre",
    )  # fmt: skip


def test_a_fragment_of_an_address_is_no_comment(tmp_path):
    line = "pkg @ git+https://example.org/pkg.git@main#egg=pkg"
    assert of(line, tmp_path).lines == (line,)


def test_a_comment_ends_a_broken_line_and_a_file_may_end_in_one(tmp_path):
    assert of("numpy \\\n# why\ntorch\\", tmp_path).lines == ("numpy", "torch")


def test_other_files_are_put_in_place_and_constraints_apart(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "more.txt").write_text("pandas\n-c limits.txt\n")
    (tmp_path / "sub" / "limits.txt").write_text("pandas<3\n")
    (tmp_path / "own.txt").write_text("numpy<3\n")
    text = "numpy\n-r sub/more.txt\n--constraint own.txt\ntorch\n"
    assert of(text, tmp_path) == Requirements(("numpy", "pandas", "torch"), ("pandas<3", "numpy<3"))


def test_lines_may_be_given_themselves_also_with_a_file_among_them(tmp_path):
    (tmp_path / "base.txt").write_text("numpy\n")
    assert requirements_of(["-r base.txt", "torch"], [tmp_path]).lines == ("numpy", "torch")


def test_the_first_folder_that_has_the_file_counts(tmp_path):
    (tmp_path / "near").mkdir()
    (tmp_path / "requirements.txt").write_text("far\n")
    assert requirements_of("requirements.txt", [tmp_path / "near", tmp_path]).lines == ("far",)
    (tmp_path / "near" / "requirements.txt").write_text("near\n")
    assert requirements_of("requirements.txt", [tmp_path / "near", tmp_path]).lines == ("near",)


def test_a_mark_of_utf_8_is_none_of_a_name(tmp_path):
    assert of("\ufeffnumpy\n", tmp_path).lines == ("numpy",)


@pytest.mark.parametrize(
    "line", ["./pkg", "../pkg", "/srv/pkg", "-e .", "--editable=./pkg", "pkg @ file:///srv/pkg",
             "dist/pkg-1.whl", "pkg.tar.gz", "-f ./wheels", "--find-links=/opt/wheels", "src/pkg",
             "src/pkg[extra] ; python_version > '3'"],
)  # fmt: skip
def test_paths_of_this_machine_are_refused(tmp_path, line):
    with pytest.raises(UsageError, match="is a path of this machine") as caught:
        of(f"numpy\n{line}\n", tmp_path)
    assert caught.value.where == f"{tmp_path / 'requirements.txt'}:2"


@pytest.mark.parametrize(
    "line", ["numpy", "requests[security]>=2 ; python_version < '3.8'", "-f https://example.org/x",
             "git+ssh://git@example.org/pkg.git", "-e git+https://example.org/pkg.git#egg=pkg",
             "https://example.org/pkg-1.whl", "--index-url https://example.org/simple"],
)  # fmt: skip
def test_packages_by_name_and_by_address_are_taken(tmp_path, line):
    assert of(line, tmp_path).lines == (line,)


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("--index-url https://me:hunter2@example.org/simple", "user or password"),
        ("pkg @ git+https://x-token@example.org/pkg.git", "user or password"),
        ("pkg @ https://example.org/p.zip?t=ghp_" + "a" * 36, "user or password"),
        ("--extra-index-url https://${USER_NAME}@example.org", "user or password"),
        ("--extra-index-url https://example.org/${TOKEN}/simple", "TOKEN. is not there"),
    ],
)
def test_what_nobody_may_read_in_an_image_is_refused_and_not_shown(tmp_path, line, match):
    with pytest.raises(UsageError, match=match) as caught:
        of(f"numpy\n\n{line}\n", tmp_path)
    assert caught.value.where == f"{tmp_path / 'requirements.txt'}:3"
    assert "secret" in caught.value.hint
    assert "hunter2" not in str(caught.value)


def test_a_file_that_is_not_there_is_named_with_the_folders(tmp_path):
    with pytest.raises(UsageError, match=f"no requirements file requirements.txt in {tmp_path}"):
        requirements_of("requirements.txt", [tmp_path])
    with pytest.raises(UsageError, match="no requirements file gone") as caught:
        of("-r gone.txt", tmp_path)
    assert caught.value.where == f"{tmp_path / 'requirements.txt'}:1"


def test_files_that_cannot_be_read_whole_are_refused(tmp_path):
    (tmp_path / "a.txt").write_text("-r requirements.txt\n")
    with pytest.raises(UsageError, match="includes itself"):
        of("-r a.txt", tmp_path)
    with pytest.raises(UsageError, match="a file of the network"):
        of("-r https://example.org/requirements.txt", tmp_path)
    (tmp_path / "requirements.txt").write_bytes(b"\xff\xfen")
    with pytest.raises(UsageError, match="cannot be read"):
        requirements_of("requirements.txt", [tmp_path])
