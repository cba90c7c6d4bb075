"""The house rules that a program can see to: lengths, docstrings, exports, words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from support.repository import PACKAGES, name_of, own_python, sources, text_files

MOST_LINES: Final = 500
MOST_FUNCTION_LINES: Final = 60

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Documented: TypeAlias = Function | ast.ClassDef

# A letter in brackets keeps this file from holding the words that it looks for.
UNFINISHED: Final = re.compile(r"\b(TOD[O]|FIXM[E]|XX[X]|HAC[K])\b")
SKIPPED: Final = re.compile(r"pytest\.(mark\.)?(ski[p]|skipi[f]|xfai[l]|importorski[p])\b")
SKIPS: Final = {"tests/end_to_end/test_go_bot.py", "tests/tournaments/ledger/conftest.py"}
"""The two places that skip: without a Go toolchain or a PostgreSQL server on the machine, their
tests have nothing to run on. Where there must be one, HARBOURMASTER_REQUIRE_GO and
HARBOURMASTER_REQUIRE_POSTGRES make its absence a failure."""

FOREIGN: Final = re.compile(
    r"\b(pyp[i]\.(org|python)|pythonhoste[d]\.org|registry\.(npmj[s]|yar[n])|proxy\.golan[g]"
    r"|sum\.golan[g]|crate[s]\.io|repo1?\.mave[n]|rubygem[s]\.org)"
    r"|(?<![\w.])/(roo[t]|wor[k]|home/(?!me/)\w+|User[s]/\w+)/"
)
"""Hosts of package indexes, and paths of somebody's machine; `me` is anybody."""


def long_functions(source: str) -> list[str]:
    """Return the functions of *source* that are too long."""
    return [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MOST_FUNCTION_LINES
    ]


def public(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Documented]]:
    """Yield the public classes and functions of *tree*, and what is public in those classes."""
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        if node.name.startswith("_") or _is_stub(node):
            continue
        yield prefix + node.name, node
        if isinstance(node, ast.ClassDef):
            yield from public(node, f"{prefix}{node.name}.")


def _is_stub(node: Documented) -> bool:
    """Return whether *node* is only a signature, as in a protocol that a docstring describes."""
    return len(node.body) == 1 and ast.unparse(node.body[0]) == "..."


def undocumented(source: str) -> list[str]:
    """Return what is public in *source* and has no docstring that is a sentence."""
    tree = ast.parse(source)
    wrong = [] if _sentence(ast.get_docstring(tree)) or not tree.body else ["the module"]
    return wrong + [n for n, node in public(tree) if not _sentence(ast.get_docstring(node))]


def _sentence(text: str | None) -> bool:
    """Return whether the first paragraph of *text* ends as a sentence does."""
    return bool(text) and str(text).split("\n\n")[0].rstrip().endswith((".", ":", "::", "?"))


def exports(source: str) -> tuple[list[str], list[str]]:
    """Return what `__all__` of *source* lists, and the public names that it binds."""
    listed: list[str] = []
    bound: list[str] = []
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom):
            bound += [alias.asname or alias.name for alias in node.names]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if names == ["__all__"] and node.value is not None:
                listed = ast.literal_eval(node.value)
            else:
                bound += names
    return sorted(listed), sorted(n for n in bound if n == "__version__" or n[0] != "_")


def test_no_function_is_longer_than_a_screen() -> None:
    found = {name_of(path): bad for path in own_python() if (bad := long_functions(_read(path)))}

    assert found == {}


def test_a_planted_long_function_is_found() -> None:
    body = "    pass\n" * MOST_FUNCTION_LINES

    assert long_functions(f"class A:\n def f():\n{body}") == ["f"]
    assert long_functions(f"def f():\n{body[: -len('    pass') - 1]}") == []


def test_no_file_is_longer_than_500_lines() -> None:
    lengths = {name_of(path): len(_read(path).splitlines()) for path in own_python()}

    assert len(lengths) > 200
    assert {name: count for name, count in lengths.items() if count > MOST_LINES} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_everything_public_is_documented_in_a_sentence(package: str) -> None:
    found = {name_of(path): bad for path in sources(package) if (bad := undocumented(_read(path)))}

    assert found == {}


def test_a_planted_lack_of_a_docstring_is_found() -> None:
    method = 'class A:\n    """Good."""\n    def f(self):\n        return 1\n'
    function = 'def g():\n    "no sentence"\n'

    assert undocumented(f'"""Good."""\n{method}{function}') == ["A.f", "g"]
    assert undocumented("x = 1") == ["the module"]


@pytest.mark.parametrize("package", PACKAGES)
def test_all_lists_exactly_what_a_package_exports(package: str) -> None:
    texts = {path: _read(path) for path in sources(package) if path.name == "__init__.py"}
    wrong = {
        name_of(path): set(listed) ^ set(bound)
        for path, text in texts.items()
        if "__all__" in text
        for listed, bound in [exports(text)]
        if listed != bound
    }

    assert texts
    assert wrong == {}


def test_a_planted_difference_between_all_and_the_exports_is_found() -> None:
    listed, bound = exports('from a import b, c\n__all__ = ["b", "d"]\n_e = 1')

    assert (listed, bound) == (["b", "d"], ["b", "c"])


def test_nothing_is_left_unfinished_or_skipped() -> None:
    texts = {name_of(path): _read(path) for path in text_files()}

    assert len(texts) > 300
    assert [name for name, text in texts.items() if UNFINISHED.search(text)] == []
    assert {name for name, text in texts.items() if SKIPPED.search(text)} == SKIPS


def test_no_file_names_a_package_index_or_a_path_of_a_machine() -> None:
    assert {
        name_of(path): found[0] for path in text_files() if (found := FOREIGN.search(_read(path)))
    } == {}


@pytest.mark.parametrize(
    "text",
    [
        "see /wor{}/main/x",
        "open('/roo{}/bots/a.py')",
        "from https://pyp{}.org/simple",
        "crate{}.io",
    ],
)
def test_a_planted_index_or_path_is_found(text: str) -> None:
    lacking = {"wor": "k", "roo": "t", "pyp": "i", "crate": "s"}
    letter = next(end for word, end in lacking.items() if f"{word}{{}}" in text)

    assert FOREIGN.search(text.format(letter))
    assert not FOREIGN.search(text)


def test_a_planted_word_of_unfinished_work_is_found() -> None:
    assert UNFINISHED.search("# {}: later".format("todo".upper()))
    assert SKIPPED.search("@pytest.mark.{}(reason='x')".format("XFAIL".lower()))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
