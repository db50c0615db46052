"""What runs reported: the lines of their attempts, read as if a stranger had written them.

A job is one step of a run over all of its attempts. Each of its processes writes a file of its own,
`attempts/RANK-NUMBER.jsonl`. Here such lines become series; nothing is opened or fetched.
"""
