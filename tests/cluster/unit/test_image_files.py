"""An archive of images is what `docker save` writes: settings, a manifest, layers that match."""

from __future__ import annotations

import hashlib
import json
import tarfile
from pathlib import Path

from harness import image_files
from harness.image_files import Image


def layer(folder: Path, **files: str) -> Path:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def test_two_images_share_a_layer_and_each_digest_is_right(tmp_path: Path) -> None:
    base, more = layer(tmp_path / "base", a="1"), layer(tmp_path / "more", b="2")
    target = tmp_path / "archive.tar"
    image_files.write(
        target,
        [
            Image(("docker.io/library/one:1",), (base,), command=("sh",)),
            Image(("docker.io/library/two:1",), (base, more), entrypoint=("b",)),
        ],
        tmp_path / "scratch",
    )
    with tarfile.open(target) as archive:
        names = archive.getnames()

        def read(name: str) -> bytes:
            file = archive.extractfile(name)
            assert file is not None
            return file.read()

        manifest = json.loads(read("manifest.json"))
        configs = [json.loads(read(one["Config"])) for one in manifest]
        assert [one["RepoTags"] for one in manifest] == [
            ["docker.io/library/one:1"],
            ["docker.io/library/two:1"],
        ]
        assert [one["config"].get("Cmd") for one in configs] == [["sh"], None]
        assert [one["config"].get("Entrypoint") for one in configs] == [None, ["b"]]
        for one, config in zip(manifest, configs, strict=True):
            digests = [hashlib.sha256(read(name)).hexdigest() for name in one["Layers"]]
            assert config["rootfs"]["diff_ids"] == [f"sha256:{digest}" for digest in digests]
    assert len([name for name in names if name.endswith(".tar")]) == 2
    assert list((tmp_path / "scratch").iterdir()) == []


def test_a_layer_belongs_to_root_and_is_the_same_each_time(tmp_path: Path) -> None:
    folder = layer(tmp_path / "folder", b="2", a="1")
    (folder / "link").symlink_to("a")
    first = image_files.pack(folder, tmp_path / "first.tar")
    assert image_files.pack(folder, tmp_path / "second.tar").digest == first.digest
    with tarfile.open(first.file) as archive:
        assert {(entry.uid, entry.gid) for entry in archive} == {(0, 0)}
        assert archive.getmember("link").linkname == "a"
