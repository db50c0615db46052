"""What runs inside a step, in any image with Python >= 3.10 and its standard library.

`python3 -m argojobs.runtime FILE:NAME` runs one step: `__main__` starts `step`, which imports the
user's file (`importing`), builds the arguments (`inputs`), calls the function and writes what it
returned (`outputs`). This package travels with the user's code, stripped; it imports nothing but
the standard library, `argojobs.errors` and `argojobs.dsl`, and of each as little as the step needs.
"""
