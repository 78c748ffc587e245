#!/usr/bin/env bash
# An entry that was deleted from a bucket of NATS cannot be stored "only if there is none".
#
# Guess: with nats-server 2.9.10-1 (Debian 12), a program that stores an entry of a key-value bucket only if there is none sends it with
# Nats-Expected-Last-Subject-Sequence: 0. This succeeds for an entry that somebody deleted with `delete` or `purge` of a client, here
# nats-py 2.16.0, for which `get` says from then on that there is none.
# Seen: it fails for good, with "wrong last sequence". A deletion is a message of its own (KV-Operation: DEL or PURGE), which stays as the
# last one of its subject; what counts is the sequence of this marker. The list of subjects of the stream (subjects_filter) has the
# entry, too. Only after a purge of the subject (STREAM.PURGE) is there none. A program that reads "no entry" with sequence 0 from
# the marker sees a conflict at each attempt; it has to expect the sequence of the marker, as the `create` of the clients does.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install nats-py==2.16.0 || exit 77
apt-get download -qq -o APT::Sandbox::User=root nats-server=2.9.10-1+b3 || exit 77
dpkg-deb --extract nats-server_*.deb unpacked

cat > entries.py <<'END'
import asyncio
import json
import socket
import subprocess
import sys

import nats
from nats.js.errors import KeyNotFoundError


async def main(address):
    client = await nats.connect(address)
    stream = client.jetstream()
    bucket = await stream.create_key_value(bucket="trust", direct=True)

    async def store_if_none(key, expected=0):
        headers = {"Nats-Expected-Last-Subject-Sequence": str(expected)}
        answer = json.loads((await client.request("$KV.trust." + key, b"new", headers=headers)).data)
        return "stored" if "error" not in answer else answer["error"]["description"].split(":")[0]

    async def is_there(key):
        try:
            await bucket.get(key)
            return "there"
        except KeyNotFoundError:
            return "not there"

    removals = {
        "never stored": None,
        "stored": lambda key: asyncio.sleep(0),
        "delete": bucket.delete,
        "purge": bucket.purge,
        "purge of the subject": lambda key: stream.purge_stream("KV_trust", subject="$KV.trust." + key)}
    for number, (name, remove) in enumerate(removals.items()):
        key = f"key{number}"
        if remove:
            await bucket.put(key, b"old")
            await remove(key)
        info = await client.request("$JS.API.STREAM.INFO.KV_trust", json.dumps({"subjects_filter": "$KV.trust." + key}).encode())
        listed = "listed" if json.loads(info.data)["state"].get("subjects") else "not listed"
        print(f"{name}: {await is_there(key)}, {listed}, sequence 0: {await store_if_none(key)}", end="")
        if name in ("delete", "purge"):
            marker = await client.request("$JS.API.DIRECT.GET.KV_trust.$KV.trust." + key)
            sequence = marker.headers["Nats-Sequence"]
            print(f", that of the marker {marker.headers['KV-Operation']}: {await store_if_none(key, sequence)}", end="")
        print()
    await client.close()


with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
server = subprocess.Popen([sys.argv[1], "-js", "-sd", "store", "-a", "127.0.0.1", "-p", str(port)], stderr=open("log", "wb"))
try:
    for _ in range(100):
        if b"Server is ready" in open("log", "rb").read():
            break
        asyncio.run(asyncio.sleep(0.1))
    asyncio.run(main(f"nats://127.0.0.1:{port}"))
finally:
    server.terminate()
    server.wait(20)
END
timeout 60 venv/bin/python entries.py "$(find "$folder/unpacked" -name nats-server -type f | head -n 1)" | tee seen
diff seen - <<'END'
never stored: not there, not listed, sequence 0: stored
stored: there, listed, sequence 0: wrong last sequence
delete: not there, listed, sequence 0: wrong last sequence, that of the marker DEL: stored
purge: not there, listed, sequence 0: wrong last sequence, that of the marker PURGE: stored
purge of the subject: not there, not listed, sequence 0: stored
END
