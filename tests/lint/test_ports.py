"""Host ports that collide."""

from support.whole_examples import codes


class TestHostPorts:
    PORT = "{name: serve, container: {image: 'busybox:1.36', ports: [{containerPort: 80, hostPort: 80}]}}"
    DAG = (
        "{name: main, dag: {tasks: [{name: a, template: serve%s}, {name: b, template: serve%s}]}%s}"
    )

    def codes(self, one="", other="", more="", spec=""):
        dag = self.DAG % (one, other, more)
        return codes("{templates: [" + dag + ", " + self.PORT + "]" + spec + "}")

    def test_two_at_once_collide_unless_only_one_of_them_runs(self):
        assert self.codes() == ["host-port"]
        assert self.codes(spec=", parallelism: 1") == ["host-port-runs"]
        assert self.codes(more=", parallelism: 1") == ["host-port-runs"]
        when = ", when: \"'{{workflow.name}}' %s 'a'\""
        assert self.codes(when % "==", when % "!=") == ["host-port-runs"]
        assert self.codes(when % "==", when.replace("'a'", "'b'") % "==") == ["host-port-runs"]
        assert self.codes(when % "!=", when.replace("'a'", "'b'") % "!=") == ["host-port"]
        assert self.codes(when % "==", "") == ["host-port"]

    def test_one_run_alone_is_said_more_weakly(self):
        example = "{templates: [{name: main, container: {image: 'busybox:1.36', ports: [%s]}}]}"
        assert codes(example % "{containerPort: 80, hostPort: 80}") == ["host-port-runs"]
        assert codes(example % "{containerPort: 80}") == []
        assert self.codes(", depends: b") == ["host-port-runs"]
