# A proxy for HTTP on the address of the third argument that knows CONNECT only, and connects every tunnel to the port of the first argument; with
# `refuse` it refuses all. The second argument is the user and the password that it asks for, with a colon between them;
# empty for none. Prints its port, then the host and port of each tunnel, before its answer, and what it reads.
import base64
import socket
import sys
import threading

from lines import repeat_input, tell

target, credentials = sys.argv[1], sys.argv[2]


def copy(source, sink):
    try:
        while data := source.recv(1 << 16):
            sink.sendall(data)
    except OSError:
        pass
    for end in (source, sink):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(client):
    head = b""
    while b"\r\n\r\n" not in head:
        data = client.recv(4096)
        if not data:
            return client.close()
        head += data
    request, *lines = head.split(b"\r\n\r\n")[0].decode().split("\r\n")
    method, name, _ = request.split(" ")
    headers = dict(line.lower().split(": ", 1)[:1] + line.split(": ", 1)[1:] for line in lines)
    tell(name + "\n")
    wanted = "Basic " + base64.b64encode(credentials.encode()).decode()
    if credentials and headers.get("proxy-authorization") != wanted:
        client.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        return client.close()
    if method != "CONNECT" or target == "refuse":
        client.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        return client.close()
    server = socket.create_connection(("127.0.0.1", int(target)))
    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
    threading.Thread(target=copy, args=(server, client), daemon=True).start()
    copy(client, server)


address = sys.argv[3]
listener = socket.create_server((address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET)
print(listener.getsockname()[1], flush=True)
threading.Thread(target=repeat_input, daemon=True).start()
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
