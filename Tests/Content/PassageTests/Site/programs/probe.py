"""Tries to leave the sandbox of Passage, and prints what worked, one JSON object with a member for each attempt.

usage: probe.py ATTEMPTS, a JSON object:
  sockets   paths of Unix sockets to connect to
  abstract  names of abstract Unix sockets to connect to
  files     paths of files to read
  folders   paths of folders whose entries to list
  devices   paths of device nodes to open
  processes identifiers of processes to signal and to trace
  families  numbers of socket families, each with a protocol
  bridges   ports of the service on this machine's loopback address, each with the origin of a granted page
"""
import ctypes
import json
import os
import platform
import signal
import socket
import sys

attempts = json.loads(sys.argv[1])
results = {}
entries = {}
libc = ctypes.CDLL(None, use_errno=True)


def attempt(name, body):
    try:
        body()
        results[name] = True
    except (OSError, ValueError):
        results[name] = False


def connect(address):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(5)
        client.connect(address)


def read(path):
    with open(path, "rb") as file:
        file.read(1)


def list_folder(path):
    entries[path] = sorted(os.listdir(path))
    if not entries[path]:
        raise OSError("empty")


def open_device(path):
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))


def trace(process):
    if libc.ptrace(16, process, None, None) != 0:  # PTRACE_ATTACH
        raise OSError(ctypes.get_errno(), "ptrace")
    os.waitpid(process, 0x40000000)  # __WALL
    libc.ptrace(17, process, None, None)  # PTRACE_DETACH


def upgrade(port, origin):
    head = "GET /bridge HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nOrigin: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), 60) as client:
        client.sendall((head % (port, origin)).encode())
        if not client.recv(12).startswith(b"HTTP/1.1 101"):
            raise OSError("refused")


def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "syscall")
    return result


for path in attempts.get("sockets", []):
    attempt("socket " + path, lambda: connect(path))
for name in attempts.get("abstract", []):
    attempt("abstract " + name, lambda: connect("\0" + name))
for path in attempts.get("files", []):
    attempt("file " + path, lambda: read(path))
for path in attempts.get("folders", []):
    attempt("folder " + path, lambda: list_folder(path))
for path in attempts.get("devices", []):
    attempt("device " + path, lambda: open_device(path))
for process in attempts.get("processes", []):
    attempt("signal", lambda: os.kill(process, 0))
    attempt("trace", lambda: trace(process))
    attempt("environment", lambda: read("/proc/%d/environ" % process))
for family, protocol in attempts.get("families", []):
    attempt("family %d %d" % (family, protocol), lambda: socket.socket(family, socket.SOCK_RAW, protocol).close())
for port, origin in attempts.get("bridges", []):
    attempt("bridge", lambda: upgrade(port, origin))
for variable in attempts.get("variables", []):
    results["variable " + variable] = variable in os.environ
if attempts.get("keyring"):
    # keyctl: the identifier of the session's key ring
    attempt("keyring", lambda: call({"x86_64": 250, "aarch64": 219}[platform.machine()], 0, -3, 1))
list_folder("/dev")
try:
    landlock = call(444, 0, 0, 1)  # landlock_create_ruleset: the version of what the kernel can close
except OSError:
    landlock = 0
with open("/proc/self/status") as status:
    lines = [line.strip().split(":\t", 1) for line in status]
names = ("NoNewPrivs", "Seccomp", "CapEff")
descriptors = []
for number in range(3, 256):
    try:
        os.fstat(number)
        descriptors.append(number)
    except OSError:
        pass
print(
    json.dumps(
        {
            "attempts": results,
            "entries": entries,
            "facts": {line[0]: line[1] for line in lines if line[0] in names},
            "user": os.getuid(),
            "descriptors": [0, 1, 2] + descriptors,
            "landlock": landlock,
        }
    )
)
