"""Generate the Python code for the protocol; with `--check`, only compare.

Run it after every change to a `.proto` file and commit what it writes. It uses the
oldest grpcio-tools that bots may have, because generated code refuses older runtimes than its own;
that version needs an environment of its own, which this script makes below `.venv-codegen`.
"""

import argparse
import filecmp
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROTO = Path(__file__).parent
ROOT = PROTO.parent
TARGET = ROOT / "clients" / "python"
PACKAGE = Path("harbourmaster", "v1")
ENVIRONMENT = ROOT / ".venv-codegen"
TOOLS = ("grpcio-tools==1.74.0", "mypy-protobuf==5.1.0", "setuptools<81")


def tools() -> Path:
    """Return the folder of the pinned generator's scripts; install it where it is not there."""
    scripts = ENVIRONMENT / "bin"
    if not (scripts / "protoc-gen-mypy").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
        subprocess.run([scripts / "python", "-m", "pip", "install", "-q", *TOOLS], check=True)
    return scripts


def generate(out: Path) -> None:
    """Write the generated code below *out*."""
    sources = sorted(PROTO.rglob("*.proto"))
    scripts = tools()
    subprocess.run(
        [
            scripts / "python",
            "-m",
            "grpc_tools.protoc",
            f"--plugin=protoc-gen-mypy={scripts / 'protoc-gen-mypy'}",
            f"--plugin=protoc-gen-mypy_grpc={scripts / 'protoc-gen-mypy_grpc'}",
            f"--proto_path={PROTO}",
            f"--python_out={out}",
            f"--mypy_out=quiet:{out}",
            f"--grpc_python_out={out}",
            f"--mypy_grpc_out=quiet,only_async:{out}",
            *map(str, sources),
        ],
        check=True,
        # pkg_resources, which the old generator imports, is deprecated.
        env=os.environ | {"PYTHONWARNINGS": "ignore"},
    )
    for source in sources:
        if "\nservice " not in source.read_text():
            stem = out / source.relative_to(PROTO).with_suffix("")
            for suffix in (".py", ".pyi"):
                stem.with_name(f"{stem.name}_pb2_grpc{suffix}").unlink()


def differences() -> list[str]:
    """Return the generated files that are missing, extra or out of date."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        fresh, committed = Path(scratch) / PACKAGE, TARGET / PACKAGE
        names = {p.name for d in (fresh, committed) for p in d.glob("*_pb2*.py*")}
        _, changed, missing = filecmp.cmpfiles(fresh, committed, sorted(names), shallow=False)
        return sorted(changed + missing)


def main() -> None:
    """Regenerate, or fail when the committed code is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 if stale")
    if not parser.parse_args().check:
        generate(TARGET)
    elif stale := differences():
        sys.exit(f"stale generated code: {', '.join(stale)}; run: python proto/generate.py")


if __name__ == "__main__":
    main()
