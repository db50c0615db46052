"""The user's file is imported by its place, under the name Python would give it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from argojobs.runtime import importing


@pytest.fixture(autouse=True)
def _own_modules() -> Iterator[None]:
    modules, path = dict(sys.modules), list(sys.path)
    yield
    sys.modules.clear()
    sys.modules.update(modules)
    sys.path[:] = path


def _file(path: Path, text: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def _import(file: str) -> object:
    importing.search([importing.module_place(file)[1]])
    return importing.import_file(file)


def test_a_file_has_the_name_of_its_stem(tmp_path: Path) -> None:
    file = _file(tmp_path / "demo_one.py", "value = __name__")
    assert _import(file).value == "demo_one"
    assert sys.modules["demo_one"].__file__ == file


def test_it_is_imported_once(tmp_path: Path) -> None:
    file = _file(tmp_path / "demo_two.py", "value = object()")
    assert _import(file) is _import(file)


def test_modules_beside_it_are_found(tmp_path: Path) -> None:
    _file(tmp_path / "beside_it.py", "value = 3")
    assert _import(_file(tmp_path / "demo_three.py", "from beside_it import value")).value == 3


def test_in_a_package_the_name_is_dotted_and_relative_imports_work(tmp_path: Path) -> None:
    _file(tmp_path / "pack_a" / "__init__.py")
    _file(tmp_path / "pack_a" / "inner" / "__init__.py")
    _file(tmp_path / "pack_a" / "other.py", "value = 4")
    file = _file(tmp_path / "pack_a" / "inner" / "flow.py", "from ..other import value")
    assert importing.module_place(file) == ("pack_a.inner.flow", str(tmp_path))
    assert _import(file).value == 4


@pytest.mark.parametrize("stem", ["random", "json", "pytest"])
def test_a_file_named_like_another_module_is_still_the_users(tmp_path: Path, stem: str) -> None:
    before = sys.modules.get(stem)
    module = _import(_file(tmp_path / f"{stem}.py", "value = 'mine'"))
    assert module.value == "mine"
    assert sys.modules.get(stem) is before, "and the other module stays what it is"
    assert sys.modules[module.__name__] is module


@pytest.mark.parametrize("stem", ["my-demo", "demo.v2", "2024"])
def test_stems_that_are_no_identifiers(tmp_path: Path, stem: str) -> None:
    assert _import(_file(tmp_path / f"{stem}.py", "value = 1")).value == 1


def test_two_files_of_one_stem(tmp_path: Path) -> None:
    one = _file(tmp_path / "a" / "same_stem.py", "value = 1")
    two = _file(tmp_path / "b" / "same_stem.py", "value = 2")
    assert (_import(one).value, _import(two).value, _import(one).value) == (1, 2, 1)


def test_what_the_file_raises_comes_through(tmp_path: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module_at_all"):
        _import(_file(tmp_path / "broken_one.py", "import no_such_module_at_all"))
    assert "broken_one" not in sys.modules


def test_search_puts_folders_first_and_each_once() -> None:
    sys.path[:] = ["/x", "/a", "/y"]
    importing.search(["/a", "/b", "/a"])
    assert sys.path == ["/a", "/b", "/x", "/y"]
