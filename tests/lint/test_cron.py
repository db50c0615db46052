"""What a CronWorkflow says beside its workflow."""

import pytest
from support.whole_examples import codes

from argojobs.lint.schedule import schedule_fault


class TestCronWorkflows:
    CRON = "{kind: CronWorkflow, metadata: {name: c, labels: {team: a}}, spec: {schedules: ['0 3 * * *'], %s}}"

    @pytest.mark.parametrize(
        "spec",
        [
            'when: "{{= cronworkflow.lastScheduledTime == nil || (now() - cronworkflow.lastScheduledTime).Seconds() > 360 }}"',
            "when: \"{{= cronworkflow.labels.team == 'a' }}\"",
            "stopStrategy: {expression: 'cronworkflow.failed >= 3'}",
            "timezone: Europe/Berlin",
            "timezone: Local",
        ],
    )
    def test_what_they_know_before_a_workflow_begins(self, spec):
        assert codes(self.CRON % spec) == []

    @pytest.mark.parametrize(
        ("spec", "code"),
        [
            ("when: \"{{= cronworkflow.labels.owner == 'a' }}\"", "unresolved-reference"),
            ("when: '{{cronworkflow.nam}} == 1'", "unresolved-reference"),
            ("when: '{{cronworkflow.name}} == a b'", "when-syntax"),
            ("stopStrategy: {expression: 'failed >= 3'}", "unresolved-reference"),
            ("timezone: Mars/Olympus", "cron-schedule"),
        ],
    )
    def test_what_they_do_not(self, spec, code):
        assert codes(self.CRON % spec) == [code]


@pytest.mark.parametrize("text", ["0 3 * * *", "*/5 0-6,8 * jan mon-fri", "@daily", "@every 1h"])
def test_schedules(text):
    assert schedule_fault(text) == ""


@pytest.mark.parametrize(
    "text", ["", "* * * *", "60 * * * *", "* * * * mun", "@often", "*/0 * * * *"]
)
def test_what_is_no_schedule(text):
    assert schedule_fault(text)
