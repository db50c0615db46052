"""`argojobs open`: a run in the browser."""

import sys
from typing import TYPE_CHECKING, Annotated

from argojobs.cli import options
from argojobs.cli.command import option
from argojobs.cli.door import put
from argojobs.errors import UsageError

if TYPE_CHECKING:
    from argojobs.runs.target import Target


def command(
    run: options.RunName,
    ui: Annotated[bool, option("--ui", help="Argo's web UI.")] = False,
    storage: Annotated[
        bool, option("--storage", help="Where the store shows the run's artifacts.")
    ] = False,
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Open a run in the browser, and print where it is.

    Without an option that is Argo's web UI. On this machine, which has none, the folders of the
    run are printed.
    """
    from argojobs.cli import browser
    from argojobs.cli.formats import print_data
    from argojobs.cli.place import target
    from argojobs.cli.text import columns, show
    from argojobs.runs.links import places_of
    from argojobs.runs.names import find_run

    place = target(context, server)
    places = places_of(find_run(place.service, run, options=place.options), place)
    wanted = [title for title, asked in (("ui", ui), ("storage", storage)) if asked]
    for title in wanted:
        if not places.get(title):
            raise _unknown(title, place)
    shown = {title: text for title, text in places.items() if not wanted or title in wanted}
    if output is not None:
        print_data(shown, output, *shown.values())
    else:
        show(columns([[(title, "dim"), (text, "")] for title, text in shown.items()]))
        links = [text for text in shown.values() if "://" in text and not text.startswith("s3://")]
        for link in links if wanted else links[:1]:
            if not browser.open_address(link):
                put("no browser can be opened here: follow the link\n", sys.stderr)
                break
    return 0


def _unknown(title: str, place: "Target") -> UsageError:
    if place.context.built_in:
        what = "has no web UI" if title == "ui" else "has stored nothing of this run"
        return UsageError(f"this machine {what}", hint="argojobs get RUN shows it here")
    name = place.context.name
    key = "ui" if title == "ui" else "storage_ui"
    return UsageError(
        f"the context {name} does not say where its {title} is",
        hint=f"argojobs config set contexts.{name}.{key} URL",
    )
