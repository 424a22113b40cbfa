"""For all tests: the repositories under tests/fixtures are subjects, their tests are not ours."""

collect_ignore = ["fixtures"]
