"""`@step` and `@command`: functions that run in a container of their own.

Under a type checker a step has exactly its function's signature, in a pipeline as well. Called
outside of a pipeline it is its function.
"""

from __future__ import annotations

from .callables import Declared
from .current import recorder
from .where import mistake, of_code, shown

TYPE_CHECKING = False
if not TYPE_CHECKING:
    from .generic import Generic, overload

    P = R_co = None
else:
    from collections.abc import Callable
    from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

    from typing_extensions import Unpack

    from .options import CallOptions, StepOptions
    from .outputs import Outputs
    from .signature import Signature

    P = ParamSpec("P")
    R_co = TypeVar("R_co", covariant=True)
    O = TypeVar("O", bound=Outputs)  # noqa: E741


class Step(Declared, Generic[P, R_co]):
    """A function as a step of a pipeline; made by `@step` or `@command`."""

    #: Whether the function returns the argv of a program instead of doing the work itself.
    is_command = False
    #: The Outputs class of a command, the function's first argument.
    command_outputs: type[Outputs] | None = None

    def __call__(self, *arguments: P.args, **keywords: P.kwargs) -> R_co:
        """Call it: its function's own signature."""
        now = recorder.get()
        if now is not None:
            return now.call(self, arguments, keywords)  # type: ignore[no-any-return]
        from .eager import run_step

        return run_step(self, arguments, keywords)  # type: ignore[no-any-return]

    # travels with: options
    def options(self, **options: Unpack[CallOptions]) -> Step[P, R_co]:
        """Return the step with different options for one call, those of `step` and two more.

        Options:
            name: Of the task.
            after: Results of earlier calls to wait for, without taking data from them.
        """
        return self.changed(options)

    def _read(self) -> Signature:
        from .signature import read_signature

        if self.is_command:
            return read_signature(self.function, self._local, self.command_outputs)
        return read_signature(self.function, self._local)


class StepDecorator:
    """Options of steps, stored: `on_gpu = step(gpu=1)` and then `@on_gpu`, or `on_gpu(cpu=4)`."""

    __slots__ = ("name", "settings")

    def __init__(self, name: str | None, settings: dict[str, Any]) -> None:
        self.name = name
        self.settings = settings

    @overload
    def __call__(self, function: Callable[P, R_co], /) -> Step[P, R_co]: ...

    @overload
    def __call__(self, /, **options: Unpack[StepOptions]) -> StepDecorator: ...

    def __call__(self, function: Any = None, /, **options: Any) -> Any:
        """Make a step of a function (or give a step these options), or add options."""
        if function is None:
            return self._with(options)
        if options:
            raise mistake(
                "a function and options in one call", "write @step(gpu=1) above the function"
            )
        if not isinstance(function, Step):
            return Step(function, self.name, self.settings)
        again = function.changed(self.settings) if self.settings else function.changed({})
        again.name = self.name or function.name
        return again

    def _with(self, options: dict[str, Any]) -> StepDecorator:
        if not options:
            return self
        from .options import checked, merged

        given = checked(options, ("name",))
        return StepDecorator(options.get("name", self.name), merged(self.settings, given))


_PLAIN = StepDecorator(None, {})


@overload
def step(function: Callable[P, R_co], /) -> Step[P, R_co]: ...


@overload
def step(**options: Unpack[StepOptions]) -> StepDecorator: ...


def step(function: Any = None, /, **options: Any) -> Any:
    """Turn a function into a step.

    `@step`, `@step(gpu=1, retry=Retry(3))`, or stored to be reused: `on_gpu = step(gpu=1)`.

    Options:
        name: Instead of the function's; underscores become hyphens.
        image: Its name, or an Image that is built for the step.
        cpu, memory, gpu, ephemeral_storage: What it gets.
        shm: The size of /dev/shm; a GPU step gets one in memory by default.
        retry: How often it is tried again.
        timeout: Of one attempt.
        ports, env: By name.
        volumes: By the path that they are mounted at.
        node_selector, tolerations: Which machines it may run on.
        priority: A priority class.
        service_account: Whose rights it has.

    Raises:
        DefinitionError: An option is unknown or has a value that it cannot have.
    """
    decorator = _PLAIN(**options)
    return decorator if function is None else decorator(function)


@overload
def command(
    outputs: type[O], /, **options: Unpack[StepOptions]
) -> Callable[[Callable[Concatenate[O, P], list[str]]], Step[P, O]]: ...


@overload
def command(
    outputs: None = None, /, **options: Unpack[StepOptions]
) -> Callable[[Callable[P, list[str]]], Step[P, None]]: ...


# travels with: command
def command(outputs: Any = None, /, **options: Any) -> Any:
    """Turn a function that returns an argv (never a shell line) into a step that runs it.

    Args:
        outputs: An Outputs class. The function gets an instance of it as its first argument, to
            tell the program where to write; this is not an argument of the step.
        options: Those of `step`.
    """
    from .outputs import takes_fields

    if hasattr(outputs, "__code__"):
        raise mistake(
            f"@command stands above {outputs.__name__} without its brackets",
            "write @command(Trained) with its Outputs class, or @command() without outputs",
            of_code(outputs.__code__),
        )
    if outputs is not None and not takes_fields(outputs):
        raise mistake(
            f"@command({shown(outputs)}) names no Outputs class",
            "write @command(Trained, image='...'), or @command() for a program without outputs",
        )
    decorator = _PLAIN(**options)

    def make(function: Any) -> Any:
        made: Step[Any, Any] = Step(function, decorator.name, decorator.settings)
        made.is_command = True
        made.command_outputs = outputs
        return made

    return make
