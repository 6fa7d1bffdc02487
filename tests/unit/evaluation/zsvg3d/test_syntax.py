"""Programs of ZSVG3D are read line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenemind.evaluation.zsvg3d.syntax import Phrase, Reference, Statement, parse_program


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("BOX0=LOC(object='blue chair')", Statement("BOX0", "LOC", (Phrase("blue chair"),))),
        (
            "TARGET=CLOSEST(targets=BOX0, anchors=[BOX1, BOX2])",
            Statement(
                "TARGET", "CLOSEST", (Reference("BOX0"),), (Reference("BOX1"), Reference("BOX2"))
            ),
        ),
        (
            "TARGET=LEFT(targets=BOX0, anchors='door')",
            Statement("TARGET", "LEFT", (Reference("BOX0"),), (Phrase("door"),)),
        ),
        (
            "TARGET=MAX(data=CALC_SIZE(targets=BOX0))",
            Statement("TARGET", "MAX", (Reference("BOX0"),)),
        ),
        (
            "TARGET=RIGHT(targets=LOC(object='table'), anchors=BOX0)",
            Statement("TARGET", "RIGHT", (Phrase("table"),), (Reference("BOX0"),)),
        ),
        ("TARGET=BOX1", Statement("TARGET", "", (Reference("BOX1"),))),
    ],
)
def test_statements(line: str, statement: Statement) -> None:
    assert parse_program(line).statements == (statement,)


@pytest.mark.parametrize(
    "line", ["TARGET", "if DIST1 < DIST2:", "BOX1=LOC(object='wall')[3]", "__import__('os')", "A=1"]
)
def test_other_lines_are_told(line: str) -> None:
    program = parse_program(f"BOX0=LOC(object='chair')\n{line}\n")
    assert program.unread == (line,)
    assert len(program.statements) == 1


@given(st.text(max_size=80))
def test_any_text_is_data(text: str) -> None:
    program = parse_program(text)
    assert len(program.statements) + len(program.unread) <= len(text.splitlines())
