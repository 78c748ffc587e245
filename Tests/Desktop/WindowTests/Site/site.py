"""Two web servers on loopback with the same pages. A page reports what it did with GET /ran?who=NAME.

Prints "ports A B", then a line "referrer PATH VALUE" for each request, a line "ran NAME" for each /ran, a line "report TEXT"
for each POST, and a line "mark TEXT" for each line that it reads.
"""
import http.server
import os
import sys
import threading
import urllib.parse

os.chdir(os.path.dirname(os.path.abspath(__file__)))
writing = threading.Lock()
released = threading.Event()
# Its first visitor repeats a request without a version; later ones wait for ever.
repeats = ["<!doctype html><title>repeats</title><script>setInterval(() => webkit.messageHandlers.SelfNativeIOS.postMessage("
           "{type: 'request', id: 'a', domain: 'lifecycle', method: 'ready', params: {}, timestamp: 1}), 5)</script>"]


def say(text):
    with writing:
        print(text, flush=True)


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        address = urllib.parse.urlparse(self.path)
        query = urllib.parse.parse_qs(address.query)
        self.say_referrer(address.path)
        if address.path == "/ran":
            say("ran " + query["who"][0])
            self.answer(204)
        elif address.path == "/redirect":
            self.answer(302, {"Location": query["to"][0]})
        elif address.path == "/secret":
            self.answer(401, {"WWW-Authenticate": 'Basic realm="a"'})
        elif address.path == "/stall":
            threading.Event().wait()
        elif address.path == "/late":
            released.wait()
            self.answer_page("<!doctype html><title>late</title>A page.")
        elif address.path == "/release":
            released.set()
            self.answer_page("<!doctype html><title>release</title>A page.")
        elif address.path == "/repeats":
            if not repeats:
                threading.Event().wait()
            self.answer_page(repeats.pop())
        elif address.path == "/broken":
            self.answer(500)
        elif address.path == "/download":
            self.answer(200, {"Content-Disposition": "attachment; filename=a.bin", "Content-Type": "application/x-a"}, b"a")
        else:
            super().do_GET()

    def do_POST(self):
        self.say_referrer(self.path)
        say("report " + self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.answer(204)

    def say_referrer(self, path):
        say(f"referrer {path} {self.headers['Referer'] or 'none'}")

    def answer_page(self, text):
        self.answer(200, {"Content-Type": "text/html"}, text.encode())

    def answer(self, status, headers={}, body=b""):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        super().end_headers()
        self.wfile.write(body)

    def end_headers(self):
        # A document that its own server puts into a sandbox has an opaque origin.
        if self.path.startswith("/sandboxed.html"):
            self.send_header("Content-Security-Policy", "sandbox allow-scripts")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *arguments):
        pass


servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) for _ in range(2)]
say("ports " + " ".join(str(server.server_address[1]) for server in servers))
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
# Ends with the test.
for line in sys.stdin:
    say("mark " + line.strip())
