"""A pipeline that uses all of the DSL at once: its result is the same wherever it runs."""

from __future__ import annotations

from argojobs import (
    Directory,
    Gathered,
    Model,
    Outputs,
    TensorBoard,
    each,
    either,
    not_,
    pipeline,
    step,
    when,
)


class Trained(Outputs):
    model: Model
    board: TensorBoard
    accuracy: float


@step
def train(epochs: int, text: str = "") -> Trained:
    out = Trained(accuracy=epochs / 10)
    out.model.path.write_text(f"{text}train {epochs}; ")
    (out.board.path / "log").write_text(f"{epochs}\n")
    return out


@step
def tune(epochs: int, before: Trained) -> Trained:
    out = Trained.continuing(before, accuracy=before.accuracy + epochs / 10)
    out.model.path.write_text(before.model.path.read_text() + f"tune {epochs}; ")
    with (out.board.path / "log").open("a") as log:
        log.write(f"{epochs}\n")
    return out


def texts(folder: Directory) -> list[str]:
    entries = [entry for entry in folder.path.iterdir() if not entry.name.startswith(".")]
    return sorted((entry if entry.is_file() else entry / "log").read_text() for entry in entries)


@step
def compare(results: Gathered[Trained], accuracies: list[float], models: Directory) -> str:
    return f"{results.accuracy} {accuracies} {texts(models)} {texts(results.board)}"


@step
def words(count: int) -> list[str]:
    return ["a b", "c/d", "é"][:count]


@step
def spell(word: str, times: int = 1) -> str:
    return word + "$" + "{{x}}" * times


@step
def join(parts: list[str], accuracy: float, model: Model, board: TensorBoard) -> str:
    log = (board.path / "log").read_text().split()
    return "\n".join([*parts, str(accuracy), model.path.read_text(), str(log)])


@pipeline
def inner(epochs: int, before: Trained) -> Trained:
    last = tune(epochs, before)
    gathered = each([1, 2], lambda n: tune(n, last))
    compare(gathered, gathered.accuracy, gathered.model)
    return last


@pipeline
def everything(epochs: int = 3, limit: float = 0.4) -> str:
    first = train(epochs)
    second = tune(epochs, first)
    with when(second.accuracy > limit):
        big = tune(9, second)
        with when(big.accuracy > 100):
            never = tune(99, big)
    with when(not_(second.accuracy > limit)):
        small = tune.options(name="small")(1, second)
    last = either(big, small)
    with when((last.accuracy < 0.1) & (epochs == 3)):
        more = tune(7, last)
    last = either(more, last)
    constant = each([1, 2], lambda n: tune(n, last))
    nested = each(words(3), lambda word: tune(1, train(2, word)))
    odd = each(["x/y", "", "x/y"], lambda text: train(1, text))
    listed = [
        compare(constant, constant.accuracy, constant.model),
        compare(nested, [last.accuracy, 0.5], nested.model),
        compare(odd, odd.accuracy, odd.model),
        spell.options(after=[never])("it's"),
        "and {{this}}",
    ]
    spelled = each(words(2), lambda word: spell(word))
    each(spelled, lambda word: spell(word, 2))
    final = inner(epochs, last)
    return join(listed, final.accuracy, final.model, final.board)
