# What proxy.py and server.py print: whole lines, by any thread.
import sys
import threading

output = threading.Lock()


def tell(line):
    with output:
        sys.stdout.write(line)
        sys.stdout.flush()


def repeat_input():
    for line in sys.stdin:
        tell(line)
