"""A wide fan-out of tiny steps, whose artifacts one step gathers."""

from __future__ import annotations

from argojobs import File, Gathered, Outputs, each, pipeline, step


class Square(Outputs):
    file: File
    number: int


@step
def numbers(count: int) -> list[int]:
    return list(range(count))


@step(memory="32Mi")
def square(number: int) -> Square:
    out = Square(number=number)
    out.file.path.write_text(str(number * number))
    return out


@step
def total(squares: Gathered[Square]) -> int:
    assert squares.number == sorted(squares.number)
    found = [int(file.path.read_text()) for file in squares.file]
    assert found == [number * number for number in squares.number]
    return sum(found)


@pipeline
def wide(count: int = 200) -> int:
    return total(each(numbers(count), lambda number: square(number)))
