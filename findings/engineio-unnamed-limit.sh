#!/usr/bin/env bash
# python-engineio before 4.12 ends a connection for a long message, and does not name its limit in the handshake.
#
# Guess: a server of Engine.IO 4 that limits the length of messages says so, by `maxPayload` in its first packet; a client that
# finds none may send messages of any length.
# Seen: python-engineio 4.3.4, the version of Debian 12, has `max_http_buffer_size` (a million bytes by default) for the messages
# of a WebSocket, too. Its handshake has sid, upgrades, pingInterval and pingTimeout only. A longer message is dropped, and the
# server closes the connection with the code 1000, as if all were well: a client that connects again and sends what has no answer
# does so for ever. 4.12.0 names the limit. A client has to assume a million bytes where the handshake names nothing.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
cat > exchange.py <<'END'
import asyncio, json
import aiohttp, engineio
from aiohttp import web


async def main():
    server = engineio.AsyncServer(async_mode="aiohttp", max_http_buffer_size=1000)
    received = []
    server.on("message", lambda identifier, data: received.append(len(data)))
    app = web.Application()
    server.attach(app)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    async with aiohttp.ClientSession() as session:
        address = f"ws://127.0.0.1:{port}/engine.io/?EIO=4&transport=websocket"
        async with session.ws_connect(address) as socket:
            opening = json.loads((await socket.receive_str())[1:])
            print("handshake", " ".join(sorted(set(opening) - {"sid"})))
            await socket.send_str("4" + "x" * 900)
            await socket.send_str("4" + "x" * 2000)
            end = await asyncio.wait_for(socket.receive(), 60)
            print("end", end.type.name, socket.close_code)
    print("received", *received)
    await runner.cleanup()


asyncio.run(main())
END
for version in 4.3.4 4.12.0; do
  python3 -m venv "$version"
  "$version/bin/pip" install -q python-engineio==$version aiohttp==3.11.18 2> /dev/null || exit 77
  "$version/bin/python" exchange.py > "$version.txt" 2> /dev/null
  sed "s/^/$version: /" "$version.txt"
done
expected='handshake pingInterval pingTimeout upgrades'
grep -qx "$expected" 4.3.4.txt || exit 1
grep -q '^handshake maxPayload ' 4.12.0.txt || exit 1
for version in 4.3.4 4.12.0; do
  grep -qx 'received 900' $version.txt || exit 1
  grep -qx 'end CLOSE 1000' $version.txt || exit 1
done
