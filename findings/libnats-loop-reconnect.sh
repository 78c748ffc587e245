#!/usr/bin/env bash
# libnats with a program's own event loop joins bytes of two connections to one message.
#
# Guess: with libnats 3.4.1-1+b1 (Debian 12), a connection that is lost in the middle of a message forgets that message, and the
# next message after the reconnection is delivered as it was sent, whichever thread reads the socket.
# Seen: so it is with the library's own thread. With an event loop of the program (natsOptions_SetEventLoop), the parser goes on
# where the lost connection ended: the subscriber gets a message that begins with bytes of the first connection and ends
# with the protocol line of the second one. A program with its own loop must make a new connection instead.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root libnats3.4=3.4.1-1+b1 libprotobuf-c1 libsodium23 || exit 77
for package in *.deb; do dpkg-deb --extract "$package" unpacked; done
library=$(find "$folder/unpacked" -name 'libnats.so.3.4' | head -n 1)
LD_LIBRARY_PATH=$(dirname "$library")
export LD_LIBRARY_PATH

cat > loop.py <<'END_OF_PROGRAM'
import ctypes
import select
import socket
import sys
import threading
import time

nats = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p
INFO = b'INFO {"server_id":"x","version":"2.9.10","headers":true,"max_payload":1048576}\r\n'


def read_until(client, wanted):
    received = b""
    while wanted not in received or not received.endswith(b"\r\n"):
        received += client.recv(65536)
    return received


def serve(listener):
    """Loses the first connection in the middle of a message of six bytes, and sends a whole one over the second."""
    number = None
    for part in (b"MSG a %s 6\r\nbro", b"MSG a %s 5\r\nwhole\r\n"):
        client = listener.accept()[0]
        client.sendall(INFO)
        received = read_until(client, b"PING\r\n")
        client.sendall(b"PONG\r\n")
        if b"SUB a" not in received:
            received = read_until(client, b"SUB a")
        number = received.partition(b"SUB a")[2].split(b"\r\n")[0].split()[-1]
        client.sendall(part % number)
        if b"bro" in part:
            time.sleep(0.5)
            client.close()
        else:
            time.sleep(3)


messages = []
got = threading.Event()
Handler = ctypes.CFUNCTYPE(None, pointer, pointer, pointer, pointer)


@Handler
def on_message(connection, subscription, message, closure):
    data = ctypes.string_at(nats.natsMsg_GetData(pointer(message)), nats.natsMsg_GetDataLength(pointer(message)))
    messages.append(data)
    got.set()


nats.natsMsg_GetData.restype = pointer
watched = {}
Attach = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(pointer), pointer, pointer, ctypes.c_int)
Switch = ctypes.CFUNCTYPE(ctypes.c_int, pointer, ctypes.c_bool)
Detach = ctypes.CFUNCTYPE(ctypes.c_int, pointer)


@Attach
def attach(data, loop, connection, descriptor):
    watched.update(connection=connection, descriptor=descriptor, writes=False)
    data[0] = 1
    return 0


@Switch
def read(data, isAdded):
    return 0


@Switch
def write(data, isAdded):
    watched["writes"] = isAdded
    return 0


@Detach
def detach(data):
    return 0


def run_loop():
    while not got.is_set():
        if "descriptor" not in watched:
            continue
        try:
            writers = [watched["descriptor"]] if watched["writes"] else []
            readable, writable, _ = select.select([watched["descriptor"]], writers, [], 0.05)
        except OSError:
            continue
        if readable:
            nats.natsConnection_ProcessReadEvent(pointer(watched["connection"]))
        if writable:
            nats.natsConnection_ProcessWriteEvent(pointer(watched["connection"]))


listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=serve, args=(listener,), daemon=True).start()
options, connection, subscription = pointer(), pointer(), pointer()
nats.natsOptions_Create(ctypes.byref(options))
address = f"nats://127.0.0.1:{listener.getsockname()[1]}".encode()
nats.natsOptions_SetURL(options, address)
nats.natsOptions_SetReconnectWait(options, ctypes.c_int64(100))
if sys.argv[2] == "loop":
    nats.natsOptions_SetEventLoop(options, pointer(1), attach, read, write, detach)
status = nats.natsConnection_Connect(ctypes.byref(connection), options)
assert status == 0, status
if sys.argv[2] == "loop":
    threading.Thread(target=run_loop, daemon=True).start()
nats.natsConnection_Subscribe(ctypes.byref(subscription), connection, b"a", on_message, None)
nats.natsConnection_Flush(connection)
assert got.wait(10), "no message came"
time.sleep(0.5)
print(messages[0].decode(errors="backslashreplace"))
sys.stdout.flush()
import os

os._exit(0)
END_OF_PROGRAM
printf 'the thread of the library: %s\n' "$(timeout 30 /usr/bin/python3 loop.py "$library" thread)" | tee seen
printf 'a loop of the program: %s\n' "$(timeout 30 /usr/bin/python3 loop.py "$library" loop)" | tee -a seen
grep -qx 'the thread of the library: whole' seen
! grep -qx 'a loop of the program: whole' seen
grep -q '^a loop of the program: bro' seen
