#!/usr/bin/env bash
# A JetStream stream that collects other streams loses messages whose Nats-Msg-Id occurs in two of them.
#
# Guess: Nats-Msg-Id is compared within the stream to which a publisher sends: a stream with two sources has every
# message of both, also where publishers of both sources number their messages from 1. The sources themselves did
# acknowledge and keep each of them.
# Seen: with nats-server 2.9.10-1+b3 (Debian 12), the collecting stream compares too, for its own window of two
# minutes. Of two messages with one id it keeps that of the source which came first; that of the other source is
# dropped for good. No publisher is told, the stream reports no lag and no error for its sources; only the log of the
# server has "msgid is duplicate". Ids have to be unique over all streams that are ever collected: the name of the
# site belongs into them.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the packages cannot be had.
set -euo pipefail
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || { kill "$server" && wait "$server"; } || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -qq -o APT::Sandbox::User=root nats-server=2.9.10-1+b3 || exit 77
dpkg-deb --extract nats-server_*.deb unpacked
export HOME=$folder
python3 -m venv venv
venv/bin/pip --quiet --disable-pip-version-check install nats-py==2.9.0 || exit 77
cat > server.conf <<END
listen: "127.0.0.1:-1"
ports_file_dir: "$folder"
jetstream { store_dir: "$folder/store" }
END
"$(find unpacked -name nats-server -type f -perm -u+x)" -c server.conf > server.log 2>&1 &
server=$!
for _ in $(seq 100); do [ -s "$(echo nats-server_*.ports)" ] || sleep 0.1; done

cat > streams.py <<'END_OF_PROGRAM'
import asyncio
import json
import sys

import nats
from nats.js.api import StreamConfig, StreamSource


async def main():
    address = json.load(open(sys.argv[1]))["nats"][0]
    client = await nats.connect(address)
    jetstream = client.jetstream()
    for site in "north", "south":
        await jetstream.add_stream(StreamConfig(name=site, subjects=[site]))
    sources = [StreamSource(name="north"), StreamSource(name="south")]
    await jetstream.add_stream(StreamConfig(name="all", sources=sources))

    async def publish(site, numbers):
        for number in numbers:
            acknowledgement = await jetstream.publish(site, b"%d" % number, headers={"Nats-Msg-Id": str(number)})
            assert not acknowledgement.duplicate

    async def count(name):
        return (await jetstream.stream_info(name)).state.messages

    async def until(number):
        for _ in range(600):
            if await count("all") >= number:
                break
            await asyncio.sleep(0.1)
        # For what comes late.
        await asyncio.sleep(1)

    await publish("north", (1, 2, 3))
    await until(3)
    await publish("south", (1, 2, 3, 4))
    await until(4)
    info = await jetstream.stream_info("all")
    print("north", await count("north"), "south", await count("south"), "all", info.state.messages)
    for number in range(1, info.state.messages + 1):
        message = await jetstream.get_msg("all", number)
        print(f"all, message {number}: {message.data.decode()} of {message.subject}")
    print("lag", *(source.lag for source in info.sources), "errors", *(source.error for source in info.sources))
    await client.close()


asyncio.run(main())
END_OF_PROGRAM
{
  timeout 300 venv/bin/python streams.py nats-server_*.ports
  grep -o 'source "south".*msgid is duplicate' server.log | sort -u
} | tee seen
diff seen - <<'END'
north 3 south 4 all 4
all, message 1: 1 of north
all, message 2: 2 of north
all, message 3: 3 of north
all, message 4: 4 of south
lag 0 0 errors None None
source "south" for '$G' > 'all': msgid is duplicate
END
