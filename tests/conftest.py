"""For all tests: the repositories under tests/fixtures are subjects, their tests are not ours."""

from hypothesis import settings

collect_ignore = ["fixtures"]

# A test that fails because the machine is busy says nothing: what costs time is measured by benchmarks.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
