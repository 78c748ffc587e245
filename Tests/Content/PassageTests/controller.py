"""The servers of a Passage session, for tests: a controller (python-socketio), the page of the host, and two sites.

usage: controller.py SITE

SITE is the folder with the pages. Prints one JSON object per line for everything that happens, and takes one JSON object
per line from standard input:

  {"do": "emit", "event": NAME, "payload": VALUE}   to all connected sessions
  {"do": "configure", "configuration": VALUE}        the answer of /automation/configuration
  {"do": "remember", "commands": [COMMAND, ...]}     commands that are sent at each connection while they have no result
  {"do": "stop"}, {"do": "start"}                    the controller goes away, and comes back at the same port
  {"do": "stopAt", "members": MEMBERS, "occurrence": N, "for": SECONDS}
                                                     stops at the event number N (from 0) with these members, after its
                                                     response, and starts again
  {"do": "keepQuiet", "name": NAME}                  does not acknowledge this event of the socket
  {"do": "hold"}                                     the configuration is held until the release
  {"do": "release"}                                  the site answers the requests of /held
  {"do": "fail", "path": PATH, "status": STATUS}     the next request of the path gets this status

The first line names the ports: {"event": "ready", "controller": N, "ui": N, "site": N, "other": N}.
"""

import asyncio
import json
import os
import sys

import engineio
import socketio
from aiohttp import web

site = sys.argv[1]
NAMESPACE = "/ws"
# The longest message: less than the usual megabyte, to see that clients heed what the handshake says.
MAXIMUM = 300_000
held = asyncio.Event()


def say(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)


class NamingPacket(engineio.packet.Packet):
    """The handshake with `maxPayload`, which python-engineio 4.3 enforces and does not name."""

    def __init__(self, packet_type=engineio.packet.NOOP, data=None, *others, **named):
        if packet_type == engineio.packet.OPEN:
            data = {**data, "maxPayload": MAXIMUM}
        super().__init__(packet_type, data, *others, **named)


engineio.packet.Packet = NamingPacket


class Controller:
    """What lives on when the server is stopped."""

    def __init__(self):
        self.configuration = {}
        self.commands = []
        self.results = {}
        self.stop_at = None
        self.quiet = set()
        self.holds_configuration = False
        self.failures = {}
        self.port = 0
        self.runner = None
        self.server = None
        self.connected = set()

    def happened(self, event, **members):
        """Tells of an event that the server sees or causes. A stop takes place after it."""
        say(event, **members)
        stop = self.stop_at
        if not stop or any({"event": event, **members}.get(name) != value for name, value in stop["members"].items()):
            return
        if stop["occurrence"] > 0:
            stop["occurrence"] -= 1
            return
        self.stop_at = None
        asyncio.get_running_loop().create_task(self.restart(stop["for"]))

    async def restart(self, seconds):
        await asyncio.sleep(0.05)
        await self.stop()
        await asyncio.sleep(seconds)
        await self.start()

    async def stop(self):
        for session in list(self.connected):
            try:
                await asyncio.wait_for(self.server.eio.disconnect(self.server.manager.eio_sid_from_sid(session, NAMESPACE)), 1)
            except Exception:
                pass
        self.connected.clear()
        await self.runner.cleanup()
        say("stopped")

    async def start(self):
        self.server = socketio.AsyncServer(
            async_mode="aiohttp", cors_allowed_origins="*", ping_interval=25, ping_timeout=20, max_http_buffer_size=MAXIMUM)
        self.add_events(self.server)
        app = web.Application(middlewares=[self.watch], client_max_size=64 << 20)
        app.router.add_get("/automation/configuration", self.get_configuration)
        app.router.add_post("/automation/command-result", self.post_result)
        app.router.add_post("/automation/browser-state", self.post_state)
        app.router.add_post("/{path:.*}", self.post_other)
        self.server.attach(app)
        self.runner = web.AppRunner(app)
        await self.runner.setup()
        for attempt in range(100):
            try:
                listener = web.TCPSite(self.runner, "127.0.0.1", self.port, reuse_address=True, shutdown_timeout=0.2)
                await listener.start()
                break
            except OSError:
                await asyncio.sleep(0.05)
        self.port = self.runner.addresses[0][1]
        say("started")

    @web.middleware
    async def watch(self, request, handler):
        status = self.failures.pop(request.path, None)
        if status:
            self.happened("failed", path=request.path)
            return web.Response(status=status)
        return await handler(request)

    # Socket

    def add_events(self, server):
        @server.on("connect", namespace=NAMESPACE)
        async def connect(session, environ, auth=None):
            self.connected.add(session)
            self.happened("connect", query=environ.get("QUERY_STRING", ""), headers=bool(environ.get("HTTP_X_INTENT_TOKEN")))
            asyncio.get_running_loop().create_task(self.send_commands(session))

        @server.on("disconnect", namespace=NAMESPACE)
        async def disconnect(session):
            self.connected.discard(session)
            say("disconnect")

        @server.on("*", namespace=NAMESPACE)
        async def other(event, session, data=None):
            if event == "commandResult":
                self.take_result(data, "socket")
            else:
                self.happened("socket", name=event, payload=data)
            if event in self.quiet:
                await asyncio.Event().wait()

    async def send_commands(self, session):
        """One command after another: the next one when the one before has its result."""
        while session in self.connected:
            waiting = [command for command in self.commands if command["id"] not in self.results]
            if not waiting:
                return
            command = waiting[0]
            await self.server.emit("command", command, namespace=NAMESPACE, to=session)
            self.happened("sent", id=command["id"])
            while session in self.connected and command["id"] not in self.results:
                await asyncio.sleep(0.02)

    def take_result(self, body, way):
        identifier = body.get("id")
        self.results.setdefault(identifier, []).append(way)
        self.happened("result", way=way, id=identifier, body=body)

    # HTTP

    async def get_configuration(self, request):
        self.happened(
            "configuration", token=request.headers.get("x-intent-token"), agent=request.headers.get("x-webview-user-agent"))
        if self.holds_configuration:
            await held.wait()
        return web.json_response(self.configuration)

    async def post_result(self, request):
        self.take_result(await request.json(), "http")
        return web.Response()

    async def post_state(self, request):
        self.happened("state", body=await request.json())
        return web.Response()

    async def post_other(self, request):
        text = await request.text()
        self.happened(
            "request", path="/" + request.match_info["path"], body=text,
            headers={name.lower(): value for name, value in request.headers.items()})
        return web.Response()


def page(name):
    async def handler(request):
        say("page", name=name, query=request.query_string)
        with open(os.path.join(site, name), encoding="utf-8") as file:
            text = file.read()
        return web.Response(text=text, content_type="text/html", headers={"Cache-Control": "no-store"})

    return handler


async def site_page(request):
    """A page of the third party. It sets cookies, and can wait, or move the browser on."""
    name = request.match_info["name"] or "home.html"
    say("visit", path=request.path, query=request.query_string, cookies=sorted(request.cookies), agent=request.headers.get("User-Agent"))
    if name == "held":
        await held.wait()
        name = "home.html"
    if name == "moved":
        raise web.HTTPFound("/home.html?moved")
    path = os.path.join(site, os.path.basename(name))
    if not os.path.exists(path):
        return web.Response(status=404, text="<title>none</title>", content_type="text/html")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    response = web.Response(text=text, content_type="text/html")
    if request.query_string == "sandboxed":
        # A document without an origin: it has no storage.
        response.headers["Content-Security-Policy"] = "sandbox allow-scripts"
    response.set_cookie("session", "s-1", httponly=True)
    response.set_cookie("visible", "v-1", max_age=3600, samesite="Lax")
    return response


async def serve(host, path, handler):
    app = web.Application()
    app.router.add_get(path, handler)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, host, 0).start()
    return runner.addresses[0][1]


async def main():
    controller = Controller()
    await controller.start()
    sites = [await serve(host, "/{name:.*}", site_page) for host in ("127.0.0.2", "127.0.0.3")]
    user_interface = await serve("127.0.0.1", "/connect", page("ui.html"))
    say("ready", controller=controller.port, ui=user_interface, site=sites[0], other=sites[1])
    lines = asyncio.StreamReader(limit=16 << 20)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        task = json.loads(line)
        match task.pop("do"):
            case "emit":
                await controller.server.emit(task["event"], task["payload"], namespace=NAMESPACE)
            case "configure":
                controller.configuration = task["configuration"]
            case "remember":
                controller.commands = task["commands"]
            case "stop":
                await controller.stop()
            case "start":
                await controller.start()
            case "stopAt":
                controller.stop_at = task
            case "keepQuiet":
                controller.quiet.add(task["name"])
            case "hold":
                controller.holds_configuration = True
            case "release":
                held.set()
            case "fail":
                controller.failures[task["path"]] = task["status"]


asyncio.run(main())
