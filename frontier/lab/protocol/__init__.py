"""What is asked of every strategy of a lab run: labels, topics, draws, variants, tasks.

`read_labels` and `plan` are the way in. Labels are read here and in the report only; a task carries
its targets for the rows that are allowed to see them.
"""

from __future__ import annotations

from frontier.lab.protocol.cases import VARIANTS
from frontier.lab.protocol.keywords import read_keywords
from frontier.lab.protocol.labels import BadLine, Labels, read_labels
from frontier.lab.protocol.planning import Plan, Protocol, plan, reasons
from frontier.lab.protocol.split import PARTS, Part

__all__ = [
    "PARTS",
    "VARIANTS",
    "BadLine",
    "Labels",
    "Part",
    "Plan",
    "Protocol",
    "plan",
    "read_keywords",
    "read_labels",
    "reasons",
]
