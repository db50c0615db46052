"""Which context a command works in.

What is nearer to the command wins: `--context` or `--server`, then the variable
`ARGOJOBS_CONTEXT`, then the project's `argojobs.toml`, then `current_context` of the user's config
file, then this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from argojobs.config.context_files import Contexts, load_contexts
from argojobs.config.contexts import LOCAL_NAME, Context
from argojobs.config.files import PROJECT_FILE
from argojobs.errors import UsageError

CONTEXT_VARIABLE = "ARGOJOBS_CONTEXT"

#: Argo's own variable, whose name stands for the server that it names, as a context without a table.
ARGO_SERVER = "ARGO_SERVER"
CREDS_FILE = "creds.yaml"


def choose(
    context: str = "",
    server: str = "",
    project: Path | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    config: Path | None = None,
    folder: Path | None = None,
) -> Context:
    """Return the context of a command.

    Args:
        context: the value of `--context`.
        server: the value of `--server`.
        project: the project's folder; the one around the working folder unless given.
        environ: the environment, the process's own unless given.
        config: the user's config file, the usual one unless given.
        folder: the working folder, the process's own unless given.

    Raises:
        UsageError: a name that is nowhere, with the nearest and the known; or both options.
    """
    folder = folder or Path.cwd()
    project = project or project_of(folder)
    contexts = load_contexts(project, config)
    if context and server:
        raise UsageError(
            f"--context {context} and --server {server} both say where",
            hint="leave one of them out",
        )
    variables = os.environ if environ is None else environ
    if server:
        if _is_argos(server, contexts) or (
            "://" not in server and server == variables.get(ARGO_SERVER)
        ):
            return of_argos_variables(variables)
        return _server_context(server, contexts, creds_files(project, folder))
    name, said_by = chosen_name(contexts, context, variables)
    if _is_argos(name, contexts):
        found = of_argos_variables(variables)
    else:
        found = contexts.get(name, said_by=said_by)
    return found if context or found.built_in else replace(found, chosen_by=said_by)


def of_argos_variables(variables: Mapping[str, str]) -> Context:
    """Return the context of the server that ARGO_SERVER names, as the argo program reads it.

    The token, the namespace and whether the certificate is checked are taken from Argo's variables
    wherever they name the server in use. Raises UsageError without ARGO_SERVER.
    """
    from argojobs.config.context_reading import server_url

    text = variables.get(ARGO_SERVER, "").strip()
    if not text:
        raise UsageError(
            "the variable ARGO_SERVER is not set",
            hint="export ARGO_SERVER=HOST:2746, and ARGO_TOKEN, as for the argo program",
        )
    plain = variables.get("ARGO_SECURE", "").lower() in ("0", "f", "false")
    url = text if "://" in text else f"{'http' if plain else 'https'}://{text}"
    return Context(
        ARGO_SERVER, server=server_url(url), base_href=variables.get("ARGO_BASE_HREF", "")
    )


def _is_argos(name: str, contexts: Contexts) -> bool:
    return name == ARGO_SERVER and name not in contexts.names()


def project_of(folder: Path) -> Path | None:
    """Return the nearest folder, this or above, that has an `argojobs.toml`; None without one.

    Folders for everything are left out (a home, the temporary folder, the root): what lies there
    is not a project's, and may be somebody else's.
    """
    for place in (folder, *folder.parents):
        if (place / PROJECT_FILE).is_file():
            return None if _is_common(place) else place
    return None


def _is_common(folder: Path) -> bool:
    import tempfile

    common = (Path(folder.anchor), Path.home(), Path(tempfile.gettempdir()).resolve())
    return folder in common


def chosen_name(
    contexts: Contexts, context: str = "", environ: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Return the name of the context that is chosen, and who chose it.

    Args:
        contexts: all there are, with what the files say of the current one.
        context: the value of `--context`.
        environ: the environment; None for an empty one.

    Returns:
        Who chose is `--context`, `ARGOJOBS_CONTEXT`, a `file:line`, or "" where nobody did.
    """
    said = (environ or {}).get(CONTEXT_VARIABLE, "")
    candidates = (
        (context, "--context"),
        (said, CONTEXT_VARIABLE),
        (contexts.project, contexts.origins.get(("context",), "")),
        (contexts.current, contexts.origins.get(("current_context",), "")),
        (LOCAL_NAME, ""),
    )
    return next((name, said_by) for name, said_by in candidates if name)


def _server_context(server: str, contexts: Contexts, creds: list[Path]) -> Context:
    """Return the context that `--server` means: a context's name, one in creds.yaml, or a URL.

    A URL is the context that has this server, else one of that server alone. Raises UsageError.
    """
    if server in contexts.names():
        return contexts.get(server)
    if "://" in server:
        return _of_url(server, contexts)
    known = contexts.names()
    for path in creds:
        from argojobs.config.creds import read_creds
        from argojobs.config.from_creds import contexts_of_creds

        for found in contexts_of_creds(read_creds(path)).contexts:
            if found.name == server:
                return found
            known.append(found.name)
    raise _unknown(server, known)


def _of_url(text: str, contexts: Contexts) -> Context:
    from argojobs.config.context_reading import server_url

    url = server_url(text)
    same = [one for one in contexts.by_name.values() if one.server == url]
    current = [one for one in same if one.name == chosen_name(contexts)[0]]
    if len(same) > 1 and not current:
        raise UsageError(
            f"several contexts have the server {url}",
            where="--server",
            hint=f"name one: --context {' or '.join(one.name for one in same)}",
        )
    if same:
        return (current or same)[0]
    return Context(re.sub(r"^https?://", "", url), server=url)


def _unknown(server: str, known: list[str]) -> UsageError:
    from argojobs.manifest.nearest import suggestion

    if re.fullmatch(r"[\w.-]+:\d+(/\S*)?", server):
        hint = f"write an address with its scheme: --server https://{server}"
    else:
        hint = suggestion(server, dict.fromkeys(known), what="known") + "; or give a URL"
    return UsageError(f"there is no server {server!r}", where="--server", hint=hint)


def creds_files(project: Path | None, folder: Path) -> list[Path]:
    """Return the creds.yaml of the project and of the working folder, those that are there."""
    places = [place / CREDS_FILE for place in (project, folder) if place is not None]
    return list(dict.fromkeys(path.absolute() for path in places if path.is_file()))
