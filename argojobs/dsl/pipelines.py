"""`@pipeline`: a function whose calls of steps become a graph."""

from __future__ import annotations

from .callables import Declared
from .current import recorder
from .where import mistake, shown

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .generic import Generic, overload

    P = R_co = None
else:
    from collections.abc import Callable
    from typing import Any, Generic, ParamSpec, TypeVar, overload

    from typing_extensions import Unpack

    from .options import CallOptions, StepOptions
    from .steps import Step

    P = ParamSpec("P")
    R_co = TypeVar("R_co", covariant=True)

    class PipelineOptions(StepOptions, total=False):
        """Defaults of a pipeline's steps, and what belongs to the whole run."""

        on_exit: Step[..., object] | Pipeline[..., object] | Callable[..., Any]
        run_priority: int


class Pipeline(Declared, Generic[P, R_co]):
    """A function that calls steps; made by `@pipeline`.

    on_exit: a step that runs at the end, whatever happened. run_priority: the run's priority in
    Argo's queue.
    """

    kind = "pipeline"
    on_exit: Any = None
    run_priority: int | None = None

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R_co:
        """Call it: its function's own signature."""
        now = recorder.get()
        if now is not None:
            return now.call(self, arguments, keywords)  # type: ignore[no-any-return]
        from .eager import run_pipeline

        return run_pipeline(self, arguments, keywords)  # type: ignore[no-any-return]

    # travels with: options
    def options(self, **options: Unpack[CallOptions]) -> Pipeline[P, R_co]:
        """Return the pipeline with different options, for one call inside another pipeline."""
        return self.changed(options)


@overload
def pipeline(function: Callable[P, R_co], /) -> Pipeline[P, R_co]: ...


@overload
def pipeline(
    **options: Unpack[PipelineOptions],
) -> Callable[[Callable[P, R_co]], Pipeline[P, R_co]]: ...


def pipeline(function: Any = None, /, **options: Any) -> Any:
    """Turn a function into a pipeline.

    `@pipeline`, or with defaults for its steps: `@pipeline(image=..., retry=3)`. The options are
    those of `step`, for each step that does not set them itself, and two more.

    Options:
        on_exit: A step that runs at the end, whatever happened; it gets the pipeline's arguments
            of the same names, and `status`. Or a template from `use`.
        run_priority: The run's priority in Argo's queue, an integer.
    """
    rest = dict(options)
    on_exit = rest.pop("on_exit", None)
    priority = rest.pop("run_priority", None)
    name = rest.pop("name", None)
    settings: dict[str, Any] = {}
    if rest:
        from .options import checked

        settings = checked(rest, ("name", "on_exit", "run_priority"))
    is_template = getattr(on_exit, "kind", "") == "template"
    if on_exit is not None and not is_template and not isinstance(on_exit, Declared):
        raise mistake(
            f"on_exit={shown(on_exit)} is not a step", "give it a function with @step above it"
        )
    if priority is not None and type(priority) is not int:
        raise mistake(f"run_priority={priority!r} is not a whole number", "write run_priority=10")

    def make(function: Any) -> Any:
        made: Pipeline[Any, Any] = Pipeline(function, name, settings)
        made.on_exit = on_exit
        made.run_priority = priority
        return made

    return make if function is None else make(function)
