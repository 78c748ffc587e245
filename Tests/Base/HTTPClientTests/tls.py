# A server for TLS on 127.0.0.1 that prints its port, and then what it reads from its standard input.
import http.server
import ssl
import threading

from lines import repeat_input


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def serve(handler, certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Server(("127.0.0.1", 0), handler)
    # Each connection's thread does its handshake, so that a silent client does not block the others.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print(server.server_port, flush=True)
    threading.Thread(target=repeat_input, daemon=True).start()
    server.serve_forever()
