"""Words that say nothing about what a question is about."""

from __future__ import annotations

_TEXT = """
a about above after again all also although always am an and another any anybody anyone anything are around as at be
because been before being below between both but by came can cannot case cases code codebase come could currently did
different does doing done down due during each either else even ever every example expected following for from further
get gets getting give given gives goes going got had happen happens has have having hello her here hers hey him his how
however if in inside instead into is it its itself just know later like look looks made make makes many may maybe me
might more most much must my need needs new nor not nothing now number of off often on once one only onto or other
others our out over own part per perhaps please possible problem rather really repository run running same say says see
seem seems several shall she should show since so some someone something sometimes still such take tell than thank
thanks that the their them then there these they thing things think this those though three through thus to too trying
two under until up upon use used uses using usually very want wants was way we well went were what when where whether
which while who whole whom why will with within without work works would yes yet you your
"""

STOP_WORDS = frozenset(_TEXT.split())
