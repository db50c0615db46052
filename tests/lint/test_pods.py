"""Mounts and inputs in the places of a pod."""

import pytest
from support.whole_examples import codes


class TestPlaces:
    TWO = "{inputs: {artifacts: [{name: a, path: %s, raw: {data: x}}, {name: b, path: %s, raw: {data: x}}]}, %s}"

    @pytest.mark.parametrize(
        "work",
        [
            "container: {image: 'busybox:1.36'}",
            "script: {image: 'busybox:1.36', command: [sh], source: ls}",
            "containerSet: {containers: [{name: main, image: 'busybox:1.36'}]}",
        ],
    )
    def test_two_inputs_do_not_share_one(self, work):
        assert codes(self.TWO % ("/x", "/x", work)) == ["mount-path"]
        assert codes(self.TWO % ("'/{{workflow.name}}'", "'/{{workflow.name}}'", work)) == [
            "mount-path"
        ]
        assert codes(self.TWO % ("/x", "/x/y", work)) == []

    def test_nor_does_an_input_with_a_volume(self):
        work = "volumes: [{name: v, emptyDir: {}}], container: {image: 'busybox:1.36', "
        work += "volumeMounts: [{name: v, mountPath: /v}]}"
        assert codes(self.TWO % ("/v", "/w", work)) == ["mount-path"]
        assert codes(self.TWO % ("/v/a", "/w", work)) == []
