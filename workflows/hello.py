"""Hello: a pipeline in three small steps, without any library.

    argojobs run hello.py
    argojobs run hello.py -p name=Ada -p times=3

A step is a typed Python function that runs in a process (on a cluster: a pod) of its own. What it
takes are parameters and files, what it returns are its outputs. A pipeline says which step gets
what from which; steps that do not wait for each other run at the same time.
"""

from argojobs import File, Outputs, pipeline, step


class Letter(Outputs):
    """What `write` makes: a file, and a number about it."""

    text: File
    words: int


@step
def write(name: str, times: int) -> Letter:
    """Write a letter to somebody."""
    out = Letter()  # each file has its place already: write to out.text.path
    greeting = ", ".join(["hello"] * times)
    out.text.path.write_text(f"{greeting} {name}\nhow are you today?\n")
    out.words = len(out.text.path.read_text().split())
    return out


@step
def shout(letter: Letter) -> File:
    """Turn the letter up; the file that a step gets lies at `letter.text.path`."""
    loud = File()
    loud.path.write_text(letter.text.path.read_text().upper())
    print(f"{letter.words} words, all of them loud")
    return loud


@step
def answer(letter: File, words: int) -> str:
    """Read the loud letter and answer it."""
    print(letter.path.read_text(), end="")
    return f"{words} words from you, one from me: thanks!"


@pipeline
def hello(name: str = "world", times: int = 1) -> str:
    """Write a letter, shout it, answer it."""
    letter = write(name, times)
    return answer(shout(letter), letter.words)
