"""`argojobs watch`: follow a run that somebody started."""

import sys
import time

from argojobs.cli import options
from argojobs.cli.door import put
from argojobs.service import is_final


def command(
    run: options.RunName,
    pending_timeout: options.PendingTimeout = "",
    output: options.Output = None,
    context: options.ContextName = "",
    server: options.ServerName = "",
    verbose: options.Verbose = False,
) -> int:
    """Follow a run until it ends.

    Ends with 0 when the run succeeded, 1 when it failed or was pending for too long. Ctrl-C leaves;
    the run goes on. A run that waits for more than 10 seconds says why.
    """
    from argojobs.cli.debug.beside import beside_of
    from argojobs.cli.follow import Follow, follow, goes_on, leave, mode_for, told_when_left
    from argojobs.cli.formats import print_object
    from argojobs.cli.main import INTERRUPTED
    from argojobs.cli.place import target
    from argojobs.cli.summary import show_end
    from argojobs.runs.names import find_run
    from argojobs.runs.pending import pending_of

    place = target(context, server)
    service = place.service
    workflow = find_run(service, run, options=place.options)
    name = str(workflow["metadata"]["name"])
    stream = sys.stdout if output is None else sys.stderr

    pending = pending_of(pending_timeout, place)
    mode = mode_for(stream)
    how = Follow(
        service,
        place.again,
        stream,
        mode,
        leave,
        options=place.options,
        pending=pending,
        beside=beside_of(place, workflow),
    )
    ended = is_final(workflow)
    try:
        with told_when_left("" if ended else goes_on(name, place.options)):
            final = workflow if ended else follow(how, workflow)
    except KeyboardInterrupt:
        # Said here, after the drawing was closed: what is written into it is overwritten.
        put(goes_on(name, place.options), sys.stderr)
        return INTERRUPTED
    streamed = how.mode == "plain" and not ended
    code = show_end(place, final, stream, time.time(), streamed=streamed)
    if output is not None:
        print_object(final, output)
    return code
