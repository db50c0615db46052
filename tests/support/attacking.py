"""What the attacks share: a workflow of one step, and running it."""


def shell(name, script="echo said; echo made > /tmp/o", **template):
    """A workflow of one step that runs a shell script."""
    return {
        "metadata": {"name": name},
        "spec": {
            "entrypoint": "main",
            "templates": [
                {
                    "name": "main",
                    "container": {"image": "any", "command": ["sh", "-c", script]},
                    "outputs": {"parameters": [{"name": "o", "valueFrom": {"path": "/tmp/o"}}]},
                    **template,
                }
            ],
        },
    }


def run(service, name):
    """Run a workflow to its end, and return its phase."""
    service.create(shell(name))
    *_, last = service.watch(name)
    return last.workflow["status"]["phase"]
