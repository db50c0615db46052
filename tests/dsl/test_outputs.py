"""Outputs inside a step: places to write to, fields that are set, logs that go on."""

from __future__ import annotations

import pytest
from support.tracing import traced, train

from argojobs import Checkpoint, Directory, File, Model, Outputs, TensorBoard
from argojobs.dsl.outputs import fields_of
from argojobs.errors import DefinitionError, OutputError
from argojobs.runtime import places


class Base(Outputs):
    model: Model


class Full(Base):
    board: TensorBoard
    state: Checkpoint
    folder: Directory
    accuracy: float
    note: str


class Renamed(Full):
    accuracy: int  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def out(tmp_path):
    with places.writing_to(str(tmp_path)):
        yield tmp_path


def test_each_artifact_has_its_place_and_folders_are_there(out):
    full = Full()
    assert full.model.path == out / "model"
    assert not full.model.path.exists()  # a file or a folder, as the step likes
    assert full.board.path.is_dir()
    assert full.state.path.is_dir()
    assert full.folder.path.is_dir()


def test_fields_are_those_of_the_bases_first_and_may_be_declared_again():
    assert list(fields_of(Full)) == ["model", "board", "state", "folder", "accuracy", "note"]
    assert fields_of(Renamed)["accuracy"].annotation is int
    assert list(fields_of(Renamed)) == list(fields_of(Full))
    assert list(fields_of(Base)) == ["model"]


def test_parameters_are_assigned_or_given():
    full = Full(accuracy=0.5)
    full.note = "fine"
    assert (full.accuracy, full.note) == (0.5, "fine")


def test_an_artifact_may_lie_elsewhere(tmp_path):
    full = Full()
    full.model = tmp_path / "weights"
    assert full.model == Model(tmp_path / "weights")


def test_reading_a_field_too_early_says_so():
    with pytest.raises(OutputError, match="'accuracy' of Full is not set yet"):
        Full().accuracy  # noqa: B018


@pytest.mark.parametrize("use", [lambda f: f.acuracy, lambda f: setattr(f, "acuracy", 1)])
def test_a_field_that_is_not_there_is_named_with_the_nearest(use):
    with pytest.raises(OutputError, match="no field 'acuracy'") as caught:
        use(Full())
    assert "did you mean 'accuracy'?" in caught.value.hint
    with pytest.raises(OutputError, match="no field 'acuracy'"):
        Full(acuracy=1)


def test_continuing_copies_what_goes_on_and_no_model(tmp_path, out):
    before = Full(board=TensorBoard(tmp_path / "b"), state=Checkpoint(tmp_path / "s"))
    before.board.path.mkdir()
    (before.board.path / "events").write_text("1")
    before.state.path.mkdir()
    (before.state.path / "epoch-1").write_text("2")
    before.model.path.write_text("old")
    (before.folder.path / "x").write_text("3")
    with places.writing_to(str(tmp_path / "second")):
        full = Full.continuing(before, accuracy=0.25)
    assert (full.board.path / "events").read_text() == "1"
    assert (full.state.path / "epoch-1").read_text() == "2"
    assert full.board.path == tmp_path / "second" / "board"
    assert not full.model.path.exists()
    assert list(full.folder.path.iterdir()) == []
    assert full.accuracy == 0.25
    (full.board.path / "events").write_text("1 2")
    assert (before.board.path / "events").read_text() == "1"


def test_continuing_takes_outputs_of_another_class():
    full = Full.continuing(Base())
    assert list(full.board.path.iterdir()) == []


def test_a_program_is_told_where_a_parameter_goes(out):
    assert Full().path_of("accuracy") == out / ".parameters" / "accuracy"
    with pytest.raises(OutputError, match="no field 'loss'"):
        Full().path_of("loss")


def test_outputs_are_equal_by_their_values():
    assert Full(accuracy=1.0) == Full(accuracy=1.0)
    assert Full(accuracy=1.0) != Full(accuracy=2.0)
    assert "accuracy=1.0" in repr(Full(accuracy=1.0))


def test_a_single_artifact_is_the_result(out):
    assert Model().path == out / "result"
    assert TensorBoard().path.is_dir()
    assert File("x") != Model("x")
    assert Model("x") == Model("x")
    assert repr(Model("x")) == "Model('x')"


class Counted(Outputs):
    model: Model
    tries: int = 3
    names: list[str] = []  # noqa: RUF012


def test_a_parameter_with_a_default_may_be_left_at_it(out):
    first, second = Counted(), Counted(tries=1)
    first.names.append("a")
    assert (first.tries, first.names) == (3, ["a"])
    assert (second.tries, second.names) == (1, [])


def test_a_default_counts_where_outputs_are_put_together():
    def body() -> Counted:
        return Counted(model=train(1).model)

    values = traced(body).result.values_
    assert values["tries"] == "3"
    assert values["names"] == "[]"


def test_a_default_of_another_type_is_refused():
    class Wrong(Outputs):
        tries: int = "many"  # type: ignore[assignment]

    class Placed(Outputs):
        model: Model = Model("here")

    with pytest.raises(DefinitionError, match=r"default of Wrong.tries: expected a whole number"):
        fields_of(Wrong)
    with pytest.raises(DefinitionError, match=r"Placed.model is an artifact with a default"):
        fields_of(Placed)
