import importlib
import sys

COMMANDS = ["train", "measure", "peers"]

if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS + ["all"]:
    sys.exit("usage: run train|measure|peers|all [options]; `run COMMAND --help` lists them")
for command in COMMANDS if sys.argv[1] == "all" else [sys.argv[1]]:
    importlib.import_module(f"mrzfigures.{command}").main([] if sys.argv[1] == "all" else sys.argv[2:])
