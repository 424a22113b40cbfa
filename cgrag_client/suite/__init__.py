"""Runs the four services of a checkout as processes on this machine; imports none of them."""

from cgrag_client.suite.checkout import find_checkout
from cgrag_client.suite.ports import SuitePorts, free_ports, ports_of
from cgrag_client.suite.processes import ServiceState, Suite, SuiteError, SuiteSettings

__all__ = [
    "ServiceState",
    "Suite",
    "SuiteError",
    "SuitePorts",
    "SuiteSettings",
    "find_checkout",
    "free_ports",
    "ports_of",
]
