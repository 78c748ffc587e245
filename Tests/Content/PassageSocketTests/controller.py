# The server side of the tests of PassageSocket, on 127.0.0.1. Prints its port, then a line of JSON for everything that
# happens to it.
#
#   controller.py server PORT OPTIONS   a server of python-socketio; PORT may be 0. OPTIONS is an object of JSON:
#                                       pingInterval and pingTimeout in seconds, certificate and key, refuse: what a
#                                       connection is refused with, early: what is sent before a connection is
#                                       accepted.
#   controller.py hostile CASE          a server that violates a protocol in one way, written by hand.
#
# Both end when their standard input ends. They obey lines of JSON there: {"mark": value} prints this line, after all that
# happened before. The first kind also obeys {"emit": name, "data": value, "ack": true or absent}, with "attachments":
# lengths in bytes, for an event with binary attachments; and {"remove": true}: DISCONNECT to all clients.
import asyncio
import base64
import hashlib
import json
import logging
import os
import socket
import ssl
import struct
import sys
import threading

kind, what, options = sys.argv[1], sys.argv[2], json.loads(sys.argv[3] if len(sys.argv) > 3 else "{}")
lock = threading.Lock()


def tell(**line):
    with lock:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()


# ---- python-socketio


async def serve():
    import socketio
    from aiohttp import web

    class Pongs(logging.Handler):
        def emit(self, record):
            if "Received packet PONG" in record.getMessage():
                tell(pong=True)

    packets = logging.Logger("packets")
    packets.addHandler(Pongs())
    server = socketio.AsyncServer(
        async_mode="aiohttp", engineio_logger=packets, ping_interval=options.get("pingInterval", 25),
        ping_timeout=options.get("pingTimeout", 20),
        max_http_buffer_size=16 << 20)
    clients = set()

    @server.on("connect", namespace="/ws")
    async def connect(sid, environ, auth=None):
        tell(connect=sid, query=environ["QUERY_STRING"], auth=auth, agent=environ.get("HTTP_USER_AGENT"),
             host=environ.get("HTTP_HOST"))
        if "refuse" in options:
            raise socketio.exceptions.ConnectionRefusedError(options["refuse"])
        for name in options.get("early", []):
            await server.emit(name, {}, namespace="/ws", to=sid)
        clients.add(sid)

    @server.on("disconnect", namespace="/ws")
    def disconnect(sid):
        clients.discard(sid)
        tell(disconnect=sid)

    @server.on("question", namespace="/ws")
    async def question(sid, *data):
        tell(event="question", data=data)
        return data[0], "answered"

    @server.on("unanswered", namespace="/ws")
    async def unanswered(sid, *data):
        tell(event="unanswered", data=data)
        await asyncio.sleep(3600)

    def plain(name):
        async def handler(sid, *data):
            tell(event=name, data=data if sum(len(str(value)) for value in data) < 10_000 else "long")
        server.on(name, handler, namespace="/ws")

    for name in ["appStateUpdate", "commandResult", "modalExit"]:
        plain(name)

    async def obey():
        reader = asyncio.StreamReader()
        await asyncio.get_event_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            order = json.loads(line)
            if "mark" in order:
                tell(mark=order["mark"])
            if "emit" in order:
                def acknowledged(*values):
                    tell(acknowledged=values)
                data = order["data"]
                if "attachments" in order:
                    data = {"data": data, "files": [os.urandom(length) for length in order["attachments"]]}
                for sid in list(clients):
                    await server.emit(order["emit"], data, namespace="/ws", to=sid,
                                      callback=acknowledged if order.get("ack") else None)
            if "remove" in order:
                for sid in list(clients):
                    await server.disconnect(sid, namespace="/ws")

    application = web.Application()
    server.attach(application)
    runner = web.AppRunner(application)
    await runner.setup()
    security = None
    if "certificate" in options:
        security = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        security.load_cert_chain(options["certificate"], options["key"])
    listener = socket.create_server(("127.0.0.1", int(what)))
    await web.SockSite(runner, listener, ssl_context=security).start()
    print(listener.getsockname()[1], flush=True)
    # Until the test has ended, however it ends.
    await obey()


# ---- Hostile servers


def frame(kind, data=b"", fin=True, reserved=0, length=None, mask=None):
    head = bytes([(0x80 if fin else 0) | reserved | kind])
    bit = 0x80 if mask else 0
    length = len(data) if length is None else length
    if length < 126:
        head += bytes([bit | length])
    elif length < 1 << 16:
        head += struct.pack(">BH", bit | 126, length)
    else:
        head += struct.pack(">BQ", bit | 127, length)
    if mask:
        data = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        head += mask
    return head + data


def text(content, **parameters):
    return frame(1, content.encode(), **parameters)


def open_packet(**changes):
    return "0" + json.dumps({"sid": "e1", "upgrades": [], "pingInterval": 25000, "pingTimeout": 20000} | changes)


JOINED = text(open_packet()) + text('40/ws,{"sid":"s1"}')
EVENT = text('42/ws,["command",{"id":"c"}]')

# What is sent right after the handshake of the WebSocket.
FRAMES = {
    "nothing": b"",
    "masked": text(open_packet(), mask=b"abcd"),
    "reserved": text(open_packet(), reserved=0x40),
    "type": frame(3, b"x"),
    "control type": frame(11, b"x"),
    "huge": frame(1, b"", length=1 << 40),
    "largest": frame(1, b"", length=(1 << 64) - 1),
    "long": text("4" + "x" * 70_000),
    "long by fragments": frame(1, b"4", fin=False) + frame(0, b"x" * 40_000, fin=False) * 2,
    "fragments": frame(1, b"4", fin=False) + frame(0, b"", fin=False) * 2_000,
    "no beginning": frame(0, b"x"),
    "two beginnings": frame(1, b"4", fin=False) + frame(1, b"4"),
    "binary in the middle": frame(2, b"x", fin=False) + text(open_packet()),
    "binary by fragments": JOINED + text('451-/ws,["a"]') + frame(2, b"", fin=False) + frame(0, b"x" * 40_000, fin=False) * 2,
    "long binary": JOINED + text('451-/ws,["a"]') + frame(2, b"x" * 70_000),
    "no text": frame(1, b"4\xff\xfe"),
    "short close": frame(8, b"\x03"),
    "invalid code": frame(8, struct.pack(">H", 1005)),
    "ping in fragments": frame(9, b"x", fin=False),
    "long ping": frame(9, b"x" * 126),
    "no packet": text("9"),
    "empty": text(""),
    "no handshake": text("0{}"),
    "no time": text(open_packet(pingInterval=0)),
    "no JSON": text("0{"),
    "too early": text('42/ws,["command"]'),
    "two opens": text(open_packet()) * 2,
    "many early events": text(open_packet()) + EVENT * 65,
    "binary": frame(2, b"x"),
    "unannounced": JOINED + frame(2, b"x"),
    "one attachment too many": JOINED + text('451-/ws,["a"]') + frame(2, b"x") * 2,
    "unannounced base64": JOINED + text("bAAAA"),
    "event instead of an attachment": JOINED + text('452-/ws,["a"]') + frame(2, b"x") + EVENT,
    "attachments in attachments": JOINED + text('451-/ws,["a"]') + text('451-/ws,["a"]'),
    "many attachments": JOINED + text('4599999999999999999999-/ws,["a"]'),
    "no count": JOINED + text('45-/ws,["a"]'),
    "attachments before the confirmation": text(open_packet()) + text('451-/ws,7["a"]') + frame(2, b"x")
    + text('40/ws,{"sid":"s1"}') + EVENT,
    "attachments": JOINED + text('452-/ws,7["command",{"_placeholder":true,"num":0}]') + frame(2, b"x" * 60_000)
    + text("2") + frame(2, b"", fin=False) + frame(9, b"between") + frame(0, b"y")
    + text('461-/ws,9[{"_placeholder":true,"num":0}]') + text("bAAAA") + text('451-/other,["a"]') + frame(2) + EVENT,
    "no attachments": JOINED + text('450-/ws,["command",{"id":"c"}]'),
    "no event": JOINED + text('42/ws,[1]'),
    "deep": JOINED + text('42/ws,["command",' + "[" * 5_000 + "]" * 5_000 + "]"),
    "close": JOINED + frame(8, struct.pack(">H", 4001) + "Grüße".encode()),
    "engine close": JOINED + text("1"),
    "removed": JOINED + text("41/ws,"),
    "refused": text(open_packet()) + text('44/ws,{"message":"bad token"}'),
    "joined": JOINED,
    "together": JOINED + EVENT,
    "other namespace": text(open_packet()) + text('42/other,["command"]') + text('40/ws,{"sid":"s1"}')
    + text('42["command"]') + EVENT,
    "in fragments": JOINED + frame(1, b'42/ws,["comm', fin=False) + frame(9, b"between")
    + frame(0, b'and",{"id":"\xc3', fin=False) + frame(0, b'\xbc"}]'),
    "silent": text(open_packet(pingInterval=50, pingTimeout=50)) + text('40/ws,{"sid":"s1"}'),
    "small": text(open_packet(maxPayload=100)) + text('40/ws,{"sid":"s1"}'),
    "reset": JOINED,
    "end": JOINED,
    "flood": JOINED,
    "acknowledgements": JOINED,
    "pings": JOINED,
    "engine pings": JOINED,
}
# What is repeated after that, as fast as it can be sent.
ENDLESS = {
    "flood": EVENT * 100,
    "acknowledgements": b"".join(text(f'42/ws,{number}["command"]') for number in range(2_000)),
    "pings": frame(9, b"x" * 100) * 500,
    "engine pings": text("2" + "x" * 60) * 500,
}
# What is sent instead of the response to the handshake.
RESPONSES = {
    "garbage": os.urandom(4_096).replace(b"\n", b"x") + b"\n",
    "forbidden": b"HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nforbidden",
    "moved": b"HTTP/1.1 302 Found\r\nLocation: https://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
    "success": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    "failing": b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n",
    "long head": b"HTTP/1.1 101 Switching Protocols\r\n" + b"X-Long: " + b"x" * 500_000 + b"\r\n\r\n",
    "no upgrade": b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "two heads": b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
}


def receive(connection, count):
    data = bytearray()
    while len(data) < count:
        piece = connection.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return bytes(data)


def listen_to(connection):
    """Prints the client's frames until its end."""
    try:
        while True:
            first, second = receive(connection, 2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack(">H", receive(connection, 2))
            elif length == 127:
                length, = struct.unpack(">Q", receive(connection, 8))
            mask = receive(connection, 4) if second & 0x80 else bytes(4)
            masks = (mask * (length // 4 + 1))[:length]
            data = int.from_bytes(receive(connection, length), "big") ^ int.from_bytes(masks, "big")
            data = data.to_bytes(length, "big")
            content = {"data": data.decode("latin-1")} if length < 10_000 else {}
            tell(frame=first, masked=bool(second & 0x80), length=length, **content)
            if first == 0x88:
                connection.shutdown(socket.SHUT_WR)
    except (EOFError, OSError):
        tell(end=True)


def misbehave(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        head += receive(connection, 1)
    if what == "mute":
        return receive(connection, 1)
    if what in RESPONSES:
        connection.sendall(RESPONSES[what])
        return receive(connection, 1)
    lines = head.decode().split("\r\n")
    headers = {line.split(": ", 1)[0].lower(): line.split(": ", 1)[1] for line in lines[1:] if line}
    tell(request=lines[0], headers=headers)
    key = headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
    answer = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept}
    if what == "other key":
        answer["Sec-WebSocket-Accept"] = base64.b64encode(bytes(20)).decode()
    if what == "other protocol":
        answer["Upgrade"] = "h2c"
    if what == "extension":
        answer["Sec-WebSocket-Extensions"] = "permessage-deflate"
    if what == "no connection":
        del answer["Connection"]
    response = "".join(f"{name}: {value}\r\n" for name, value in answer.items())
    connection.sendall(f"HTTP/1.1 101 Switching Protocols\r\n{response}\r\n".encode() + FRAMES.get(what, b""))
    if what == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return
    if what == "end":
        # The client's request to join; the end would otherwise overtake what was sent.
        receive(connection, 12)
        return
    if what in ENDLESS:
        connection.settimeout(None)
        while True:
            connection.sendall(ENDLESS[what])
    listen_to(connection)


def handle(connection):
    try:
        misbehave(connection)
    except (EOFError, OSError):
        tell(end=True)
    finally:
        connection.close()


if kind == "server":
    asyncio.run(serve())
else:
    listener = socket.create_server(("127.0.0.1", 0))
    # By the port that a mark connects from. Connections are accepted in their order: a mark's comes after all others.
    marks = {}

    def obey():
        for line in sys.stdin:
            mark = socket.socket()
            mark.bind(("127.0.0.1", 0))
            marks[mark.getsockname()[1]] = json.loads(line)
            mark.connect(listener.getsockname())
            mark.close()
        os._exit(0)

    print(listener.getsockname()[1], flush=True)
    threading.Thread(target=obey, daemon=True).start()
    while True:
        connection, (_, port) = listener.accept()
        if port in marks:
            tell(**marks.pop(port))
            continue
        tell(accepted=True)
        threading.Thread(target=handle, args=(connection,), daemon=True).start()
