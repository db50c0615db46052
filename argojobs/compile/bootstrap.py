"""The programs that start a step: what its bundle has, and what unpacks a bundle that is inline."""

from __future__ import annotations

from argojobs.compile.code import INLINE_VARIABLE
from argojobs.compile.project import RESERVED

#: The time of every file: 2000-01-01, for formats that cannot say 1970.
TIME = 946_684_800

#: The program of every step, before its last line, which starts the runtime. It must parse under
#: any Python, to say that it needs a newer one. multiprocessing runs it again, under another name,
#: in each child that it does not fork: there it does nothing.
START = """\
if __name__ == "__main__":
    import os
    import sys
    if sys.version_info < (3, 10):
        sys.stderr.write("argojobs: this image has Python %d.%d, a step needs 3.10 or later.\\n"
                         "  Take an image with a newer one, or name one with --python.\\n"
                         % sys.version_info[:2])
        sys.exit(78)
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path.insert(0, here)
    from argojobs.runtime.__main__ import start
"""

#: What follows `START` in the bundle of a project that imports packages of older scripts: ours are
#: searched last, and not at all where all of these are installed.
OLDER_SCRIPTS = """\
    from importlib.util import find_spec
    if not all(map(find_spec, %r)):
        from argojobs.job.older_scripts import path
        sys.path.append(path())
"""

#: Signs of base 85 that Argo, Kubernetes, Go or YAML take for their own, and what stands for them.
SPECIAL, PLAIN = "$&<>`{}", "',./:[]"

#: What `python3 -c` gets when the code is inline: unpack it, then run the same program.
BOOTSTRAP = f"""\
import base64, bz2, os, sys
try:
    root = os.environ.get("ARGOJOBS_ROOT", "") + "/argojobs"
    try:
        os.makedirs(root + "/code", exist_ok=True)
        if not os.access(root + "/code", os.W_OK | os.X_OK):
            raise PermissionError(root)
    except OSError:
        import tempfile
        root = tempfile.mkdtemp(prefix="argojobs-")
        os.mkdir(root + "/code")
    os.chdir(root + "/code")
    data = os.environ.pop("{INLINE_VARIABLE}").translate(str.maketrans({PLAIN!r}, {SPECIAL!r}))
    names, _, data = bz2.decompress(base64.b85decode(data)).partition(b"\\n")
    for name, mode, size in eval(names):
        os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
        if os.path.lexists(name):
            os.remove(name)
        if mode:
            with open(name, "wb") as file:
                file.write(data[:size])
            os.chmod(name, mode)
        else:
            os.symlink(os.fsdecode(data[:size]), name)
        os.utime(name, ({TIME}, {TIME}), follow_symlinks=False)
        data = data[size:]
    __file__ = root + "/code/{RESERVED}/__main__.py"
    program = compile(open(__file__).read(), __file__, "exec")
except Exception as error:
    sys.stderr.write("argojobs: cannot unpack the code of this step: %r\\n" % error)
    sys.exit(78)
exec(program)
"""
