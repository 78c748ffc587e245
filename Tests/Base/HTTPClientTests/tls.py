# A server for TLS on 127.0.0.1 that prints its port, and then what it reads from its standard input. The port 0 is any.
import http.server
import ssl
import threading
import time

from lines import repeat_input


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def bound(port, handler):
    """Any port is one that the kernel gives to anybody while its server is away: waits until it is free again."""
    for _ in range(300):
        try:
            return Server(("127.0.0.1", port), handler)
        except OSError:
            if not port:
                raise
            time.sleep(0.1)
    return Server(("127.0.0.1", port), handler)


def serve(handler, certificate, key, port=0):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = bound(port, handler)
    # Each connection's thread does its handshake, so that a silent client does not block the others.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port, flush=True)
    threading.Thread(target=repeat_input, daemon=True).start()
    server.serve_forever()
