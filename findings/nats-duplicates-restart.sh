#!/usr/bin/env bash
# A NATS server forgets the messages of a work queue that it has seen when it is restarted, and stores a repetition as a new one.
#
# Guess: nats-server 2.9.10-1 (Debian 12) refuses a repetition of a message (Nats-Msg-Id) within the stream's `duplicate_window`, with
# file storage before and after a restart of the server: this is what makes it safe to send again if the acknowledgement was lost.
# Seen: so it is with the retention `limits`. With `workqueue` and `interest`, the message that the consumer acknowledged is no longer in
# the store, from which the server makes its table of identifiers when it starts. After an ordinary stop and start within the
# window, it answers the repetition with a new sequence number, without "duplicate", and delivers it: the work is done twice. A sender
# that may reach a restarted server needs `limits`, or a consumer that knows what it has done.
#
# Exit status: 0 as described here, 1 otherwise, 77 if the package cannot be had.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME=$folder
apt-get download -qq -o APT::Sandbox::User=root nats-server=2.9.10-1+b3 || exit 77
dpkg-deb --extract nats-server_*.deb unpacked

cat > repeat.py <<'END'
import json
import socket
import subprocess
import sys
import time


class Server:
    """A server on a free port of this machine, and one connection to it."""

    def start(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.argv[1], "-js", "-sd", "store", "-a", "127.0.0.1", "-p", str(port)], stderr=open("log", "ab"))
        for _ in range(100):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 5)
                break
            except OSError:
                time.sleep(0.1)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nSUB answer 1\r\n')
        self.flush()

    def stop(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(20)

    def flush(self):
        self.socket.sendall(b"PING\r\n")
        while self.lines.readline() != b"PONG\r\n":
            pass

    def ask(self, subject, data=b"", identifier=None):
        """The subject of the answer's acknowledgement, and the answer."""
        if identifier is None:
            self.socket.sendall(b"PUB %s answer %d\r\n%s\r\n" % (subject.encode(), len(data), data))
        else:
            header = b"NATS/1.0\r\nNats-Msg-Id: %s\r\n\r\n" % identifier
            self.socket.sendall(b"HPUB %s answer %d %d\r\n%s%s\r\n" % (
                subject.encode(), len(header), len(header) + len(data), header, data))
        while True:
            words = self.lines.readline().split()
            if words[0] in (b"MSG", b"HMSG"):
                return words[3], self.lines.read(int(words[-1]) + 2)[:-2]

    def api(self, subject, **value):
        answer = json.loads(self.ask("$JS.API." + subject, json.dumps(value).encode())[1])
        assert "error" not in answer, answer
        return answer


server = Server()
server.start()
try:
    for retention in ("limits", "workqueue", "interest"):
        server.api(f"STREAM.CREATE.{retention}", name=retention, subjects=[f"a.{retention}"], retention=retention,
                   storage="file", num_replicas=1, duplicate_window=120 * 10**9)
        server.api(f"CONSUMER.DURABLE.CREATE.{retention}.c", stream_name=retention,
                   config={"durable_name": "c", "ack_policy": "explicit", "deliver_policy": "all"})
    for when in ("before the restart", "after it"):
        if when == "after it":
            server.stop()
            server.start()
        for retention in ("limits", "workqueue", "interest"):
            if when == "before the restart":
                server.ask("a." + retention, b"work", b"one")
                reply, _ = server.ask(f"$JS.API.CONSUMER.MSG.NEXT.{retention}.c", b'{"batch":1,"expires":5000000000}')
                server.ask(reply.decode(), b"+ACK")
            answer = json.loads(server.ask("a." + retention, b"work", b"one")[1])
            waiting = server.api(f"CONSUMER.INFO.{retention}.c")["num_pending"]
            print(f"{retention}, repetition {when}: {'duplicate' if answer.get('duplicate') else 'stored'},"
                  f" {waiting} to be delivered")
finally:
    server.stop()
END
timeout 100 python3 repeat.py "$(find "$folder/unpacked" -name nats-server -type f | head -n 1)" | tee seen
diff seen - <<'END'
limits, repetition before the restart: duplicate, 0 to be delivered
workqueue, repetition before the restart: duplicate, 0 to be delivered
interest, repetition before the restart: duplicate, 0 to be delivered
limits, repetition after it: duplicate, 0 to be delivered
workqueue, repetition after it: stored, 1 to be delivered
interest, repetition after it: stored, 1 to be delivered
END
