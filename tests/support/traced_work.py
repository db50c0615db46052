"""Steps that leave a line in the project each time they are executed, to be counted afterwards."""

SCRIPT = """
echo {{inputs.parameters.who}} >> executed
echo {{inputs.parameters.who}} > /work/said
test -e /work/before && cat /work/before > /work/made
echo {{inputs.parameters.who}} >> /work/made
"""


WORK = {
    "name": "work",
    "inputs": {
        "parameters": [{"name": "who"}],
        "artifacts": [{"name": "before", "path": "/work/before", "optional": True}],
    },
    "outputs": {
        "parameters": [{"name": "said", "valueFrom": {"path": "/work/said"}}],
        "artifacts": [{"name": "made", "path": "/work/made"}],
    },
    "container": {
        "image": "any",
        "command": ["sh", "-c"],
        "args": [SCRIPT],
        "volumeMounts": [{"name": "work", "mountPath": "/work"}],
    },
    "volumes": [{"name": "work", "emptyDir": {}}],
}


def task(name, *dependencies, who="", **fields):
    arguments = {"parameters": [{"name": "who", "value": who or name}]}
    if dependencies:
        source = "{{tasks." + dependencies[0] + ".outputs.artifacts.made}}"
        arguments["artifacts"] = [{"name": "before", "from": source}]
    return {
        "name": name,
        "template": "work",
        "dependencies": list(dependencies),
        "arguments": arguments,
        **fields,
    }
