"""The read model of a workflow: its steps, phases, times and facts."""
