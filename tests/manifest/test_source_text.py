import pytest

from argojobs.errors import ManifestError
from argojobs.manifest.source_text import MAX_BYTES, decode, read_text


def test_a_byte_order_mark_is_dropped(tmp_path):
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_text(path) == "a: 1\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_other_encodings_are_named(encoding):
    with pytest.raises(ManifestError, match=encoding.upper()) as caught:
        decode("a: 1\n".encode(encoding), "f.yaml")
    assert caught.value.where == "f.yaml:1:1"
    assert "UTF-8" in caught.value.hint


def test_a_bad_byte_has_its_place():
    with pytest.raises(ManifestError, match="0xff") as caught:
        decode("a: 1\nä: ".encode() + b"\xff", "f.yaml")
    assert caught.value.where == "f.yaml:2:4"


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(ManifestError, match="no file"):
        read_text(tmp_path / "missing.yaml")
    with pytest.raises(ManifestError, match="folder"):
        read_text(tmp_path)


def test_a_huge_file_is_not_even_read(tmp_path):
    path = tmp_path / "f.yaml"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with pytest.raises(ManifestError, match="MiB"):
        read_text(path)
