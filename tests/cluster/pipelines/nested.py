"""Fan-outs in pipelines that a fan-out calls, lists that are empty, and branches."""

from __future__ import annotations

from argojobs import Directory, File, Gathered, Outputs, each, either, pipeline, step, when


class Made(Outputs):
    file: File
    n: int


@step
def make(n: int) -> Made:
    out = Made(n=n)
    out.file.path.write_text(f"{n}")
    return out


@step
def numbers(count: int) -> list[int]:
    return list(range(count))


@step
def plus(n: int) -> int:
    return n + 1


@step
def total(parts: Gathered[Made]) -> int:
    return sum(int(file.path.read_text()) for file in parts.file) * 1000 + sum(parts.n)


@step
def note(a: int, b: list[int]) -> str:
    return f"{a} {b}"


@step
def show(a: list[int], b: list[int], parts: Gathered[Made], folder: Directory) -> str:
    names = sorted(path.name for path in folder.path.iterdir() if path.name[0] != ".")
    return f"{a} {b} {parts.n} {len(list(parts.file))} {names}"


@pipeline
def part(count: int) -> int:
    return total(each(numbers(count), lambda n: make(n)))


@pipeline
def nested(count: int = 3) -> list[int]:
    return each(numbers(count), lambda n: part(n))


@pipeline
def lists(count: int = 0) -> str:
    found = numbers(count)
    added = each(found, lambda n: plus(n))
    again = each(added, lambda n: plus(n))
    made = each(again, lambda n: make(n))
    return show(added, again, made, made.file)


@pipeline
def branches(limit: int = 5) -> str:
    number = plus(1)
    with when(number > limit):
        big = plus.options(name="big")(10)
    with when(~(number > limit)):
        small = plus.options(name="small")(1)
    with when(number == 3):
        never = plus.options(name="never")(3)
    return note(either(never, either(big, small)), [number])


@pipeline
def none(limit: int = 5) -> int:
    number = plus(1)
    with when(number > limit):
        big = plus.options(name="big")(10)
    with when(number > 100):
        bigger = plus.options(name="bigger")(1)
    return either(big, bigger)
