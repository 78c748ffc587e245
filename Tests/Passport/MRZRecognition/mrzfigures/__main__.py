import importlib
import sys

COMMANDS = ["train", "measure", "peers"]
# What `all` runs, in order.
ALL = [("train", []), ("measure", []), ("measure", ["--drawings", "other", "--frames", "1260", "--sequences", "0"]),
       ("measure", ["--drawings", "all", "--levels", "defects", "--frames", "1050", "--sequences", "0"]), ("measure", ["--clean"]), ("peers", [])]

if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS + ["all"]:
    sys.exit("usage: run train|measure|peers|all [options]; `run COMMAND --help` lists them")
for command, options in ALL if sys.argv[1] == "all" else [(sys.argv[1], sys.argv[2:])]:
    print(f"\n## {' '.join(['run', command, *options])}\n", flush=True)
    importlib.import_module(f"mrzfigures.{command}").main(options)
