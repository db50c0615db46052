"""What travels is our code without what nobody runs, and it still is our code."""

import ast
import subprocess
import sys
from pathlib import Path

from argojobs.compile.strip import strip
from argojobs.compile.travelling import needed_sources

PACKAGE = Path(__file__).resolve().parents[2] / "argojobs"


def test_comments_docstrings_and_blank_lines_go() -> None:
    source = '''"""Module."""

# A comment.
TEXT = "# no comment"  # but this


class A:
    """Class."""

    def b(self):
        """Method."""

    def c(self):
        """Method."""
        # why
        return """

        # kept
        """
'''
    assert strip(source) == (
        'TEXT = "# no comment"\n'
        "class A:\n"
        " def b(self):\n"
        "  pass\n"
        " def c(self):\n"
        '  return """\n\n        # kept\n        """\n'
    )


def test_blocks_for_type_checkers_go_unless_there_is_an_else() -> None:
    source = "if TYPE_CHECKING:\n    import typing\n    x: int\ny = 1\n"
    assert strip(source) == "pass\ny = 1\n"
    source = "if TYPE_CHECKING:\n    import typing\nelse:\n    typing = None\n"
    assert strip(source) == source.replace("    ", " ")


def test_quotes_of_all_kinds_are_no_comments() -> None:
    lines = ["a = 'it\\'s # x'", 'b = r"\\\\" + "#"', "c = f'{d!r:>{w}} # {e}'", 'f = "#" "\'#"']
    source = "\n".join(lines) + "\n"
    assert strip(source) == source


def test_annotations_of_functions_go_and_those_of_classes_stay() -> None:
    source = """
class A:
    x: int = 3
    y: str

def f(a: int, /, b: "->" = 3, *c: D, e: list[int] | None = None, **g) -> dict[str, "->"]:
    x: int = 3
    y: int
    return a

@overload
def g(a): ...
"""
    assert strip(source) == (
        "class A:\n x: int = 3\n y: str\n"
        "def f(a, /, b = 3, *c, e = None, **g) :\n x = 3\n y: int\n return a\n"
        "pass\n"
    )


class _Normal(ast.NodeTransformer):
    """Makes of a syntax tree what stripping must make of the source."""

    inside = False

    def visit(self, node: ast.AST) -> ast.AST:
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if self._is_for_checkers(node):
            return ast.Pass()
        before = self.inside
        if function or isinstance(node, ast.ClassDef):
            self.inside = function
        if hasattr(node, "returns"):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
        if isinstance(node, ast.AnnAssign) and node.value is not None and self.inside:
            node = ast.Assign([node.target], node.value)
        if function or isinstance(node, ast.Module | ast.ClassDef):
            self._cut_docstring(node)
        made = self.generic_visit(node)
        self.inside = before
        return made

    def _is_for_checkers(self, node: ast.AST) -> bool:
        if isinstance(node, ast.If):
            return ast.unparse(node.test) == "TYPE_CHECKING" and not node.orelse
        return "overload" in [ast.unparse(each) for each in getattr(node, "decorator_list", ())]

    def _cut_docstring(self, node: ast.AST) -> None:
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", 0), str):
            alone = len(node.body) == 1 and not isinstance(node, ast.Module)
            node.body[:1] = [ast.Pass()] if alone else []


def _normal(source: str) -> str:
    return ast.dump(_Normal().visit(ast.parse(source)))


def test_all_of_our_own_code_keeps_its_meaning() -> None:
    for file in PACKAGE.rglob("*.py"):
        source = file.read_text()
        assert ast.dump(ast.parse(strip(source))) == _normal(source), file


def test_what_travels_imports_only_the_standard_library_and_itself(tmp_path: Path) -> None:
    names = []
    for name, content in needed_sources(None).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        if not name.endswith("__main__.py"):
            names.append(name.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    code = f"import {', '.join(names)}"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, '.'); {code}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert {"argojobs.errors", "argojobs.runtime.step", "argojobs.dsl.steps"} <= set(names)
