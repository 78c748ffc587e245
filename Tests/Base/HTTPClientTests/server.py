# A server for TLS on 127.0.0.1, with the certificate and the key of the first two arguments. Prints its port, then each
# request as an object of JSON on a line of its own, before its answer. Prints what it reads, too. The paths are what the
# tests need; some of them are the file or the folder of the third argument. The fourth is the port; 0 is any.
import hashlib
import http.server
import itertools
import json
import os
import sys
import time

from lines import tell
from tls import serve

connections = itertools.count(1)


class Handler(http.server.BaseHTTPRequestHandler):
    def setup(self):
        super().setup()
        self.connection_number = next(connections)

    def record(self, body=b""):
        headers = {name.lower(): value for name, value in self.headers.items()}
        line = {"connection": self.connection_number, "method": self.command, "path": self.path, "headers": headers}
        tell(json.dumps(line | {"body": body.decode()}) + "\n")

    def redirect(self, location, status=302):
        self.send_response(status)
        if location is not None:
            self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.record(body)
        match self.path.split("?")[0].strip("/").split("/"):
            case ["echo"]:
                self.answer(body, {"Content-Type": self.headers["Content-Type"]})
            case ["api", "sdk", "completion" | "events"]:
                self.answer_onboarding(lambda: self.answer(b'{"success": true}'))
            case ["functions", "broken", *_]:
                self.answer(b'{"error": "broken"}', status=500)
            case ["functions", *_]:
                self.answer(b'{"success": true}')
            case ["moved", status]:
                self.redirect("/echo", int(status))
            case ["results"]:
                # As long as the folder has the file `hold`.
                while os.path.exists(os.path.join(sys.argv[3], "hold")):
                    time.sleep(0.01)
                self.answer(b"")
            case ["dropped"]:
                self.close_connection = True
            case _:
                self.send_error(404)

    def do_GET(self):
        self.record()
        port = self.server.server_port
        match self.path.split("?")[0].strip("/").split("/"):
            case ["file"]:
                self.answer(b"content")
            case ["published"] | ["v1", "sessions", _]:
                with open(sys.argv[3], "rb") as file:
                    self.answer(file.read())
            case ["tagged"]:
                self.answer_tagged(b"content", '"v1"')
            case ["kept"]:
                self.keep_connection()
                self.answer(b"content")
            case ["long-error"]:
                self.answer(bytes(1 << 20), status=500)
            case ["to-tagged"]:
                self.redirect("/tagged")
            case ["host-tagged"]:
                self.redirect(f"https://127.0.0.1:{port}/tagged")
            case ["api", *_] if self.headers["X-OTA-Publish-Id"] == "stall":
                time.sleep(60)
            case ["api", *_] if self.headers["X-OTA-Publish-Id"] == "redirect":
                self.redirect(f"https://other.example{self.path}")
            case ["api", "sdk", "translations", *rest] if self.headers["X-OTA-Publish-Id"]:
                self.answer_file(os.path.join(sys.argv[3], "-".join(rest)))
            case ["api", "sdk", "placement", name]:
                self.answer_onboarding(lambda: self.answer_file(os.path.join(sys.argv[3], f"placement-{name}.json")))
            case ["elsewhere", path, *_]:
                self.redirect("/" + path.replace("-", "/"))
            case ["folder", *rest]:
                self.answer_file(os.path.join(sys.argv[3], *rest))
            case ["agent"]:
                self.answer(self.headers["User-Agent"].encode())
            case ["status", code]:
                self.send_error(int(code))
            case ["relative"]:
                self.redirect("/folder/../file?x=1", 301)
            case ["absolute"]:
                self.redirect(f"HTTPS://LOCALHOST:{port}/file", 307)
            case ["five", "0"]:
                self.redirect("/file")
            case ["five", number]:
                self.redirect(f"/five/{int(number) - 1}")
            case ["loop"]:
                self.redirect("/loop")
            case ["plain"]:
                self.redirect(f"http://localhost:{port}/file")
            case ["host"]:
                self.redirect(f"https://127.0.0.1:{port}/file")
            case ["port"]:
                self.redirect("https://localhost:1/file")
            case ["user"]:
                self.redirect(f"https://a:b@localhost:{port}/file")
            case ["nowhere"]:
                self.redirect(None)
            case ["endless"]:
                self.send_response(200)
                self.end_headers()
                self.stream(1 << 30)
            case ["chunked"]:
                self.protocol_version = "HTTP/1.1"
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for _ in range(1 << 14):
                    self.wfile.write(b"10000\r\n" + bytes(1 << 16) + b"\r\n")
            case ["large"]:
                self.send_response(200)
                self.send_header("Content-Length", str(1 << 30))
                self.end_headers()
                self.stream(1 << 30)
            case ["compressed"]:
                self.answer(b"content", {"Content-Encoding": "gzip"})
            case ["truncated"]:
                self.answer(b"content", {"Content-Length": "100"})
            case ["status-line", *status]:
                self.wfile.write(f"HTTP/1.1 {'/'.join(status)} Strange\r\nContent-Length: 0\r\n\r\n".encode())
            case ["length", *length]:
                self.answer(b"content", {"Content-Length": "/".join(length)})
            case ["long-head"]:
                self.send_response(200)
                for number in range(200):
                    self.send_header(f"X-{number}", "x" * 1000)
                self.send_header("Content-Length", "7")
                self.end_headers()
                self.wfile.write(b"content")
            case ["long-line"]:
                self.answer(b"content", {"X-Long": "x" * 200_000})
            case ["control-character"]:
                self.answer(b"content", {"ETag": '"a\x01b"'})
            case ["endless-head"]:
                self.send_response(200)
                self.flush_headers()
                while True:
                    self.wfile.write(b"X: x\r\n" * 1000)
            case ["interim"]:
                self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nETag: early\r\n\r\n")
                self.answer(b"content", {"ETag": '"v1"'})
            case ["without-length"]:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"content")
                # The end of the body is that of TLS.
                try:
                    self.connection.unwrap()
                except OSError:
                    pass
            case ["cut-without-length", *encoding]:
                self.send_response(200)
                if encoding:
                    self.send_header("Transfer-Encoding", encoding[0])
                self.end_headers()
                self.wfile.write(b"content")
            case ["cut-chunk"]:
                self.protocol_version = "HTTP/1.1"
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                self.wfile.write(b"7\r\ncontent\r\n")
                self.close_connection = True
            case ["redirect-with-body"]:
                self.send_response(302)
                self.send_header("Location", "/file")
                self.end_headers()
                self.stream(1 << 30)
            case ["silent"]:
                time.sleep(60)
            case ["stall"]:
                self.answer(b"content", {"Content-Length": "100"})
                self.wfile.flush()
                time.sleep(60)
            case _:
                self.send_error(404)

    # The file `behavior` of the folder says what happens instead of the answer.
    def answer_onboarding(self, answer):
        try:
            with open(os.path.join(sys.argv[3], "behavior")) as file:
                behavior = file.read().strip()
        except FileNotFoundError:
            behavior = ""
        match behavior:
            case "":
                answer()
            case "cut":
                self.close_connection = True
            case "silent":
                time.sleep(60)
            case "page":
                self.answer(b"<!DOCTYPE html><title>Sign in</title>", {"Content-Type": "text/html"})
            case status:
                self.send_error(int(status))

    def keep_connection(self):
        self.protocol_version = "HTTP/1.1"
        self.close_connection = False

    def answer_file(self, path):
        self.keep_connection()
        try:
            with open(path, "rb") as file:
                body = file.read()
        except FileNotFoundError:
            return self.send_error(404)
        self.answer_tagged(body, f'"{hashlib.sha256(body).hexdigest()[:8]}"')

    def answer_tagged(self, body, tag):
        if self.headers["If-None-Match"] == tag:
            self.answer(b"", {"ETag": tag}, 304)
        else:
            self.answer(body, {"ETag": tag, "Content-Type": "application/json"})

    def answer(self, body, headers={}, status=200):
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def stream(self, count):
        for _ in range(count >> 16):
            self.wfile.write(bytes(1 << 16))

    def log_message(self, *_):
        pass


serve(Handler, sys.argv[1], sys.argv[2], int(sys.argv[4]))
