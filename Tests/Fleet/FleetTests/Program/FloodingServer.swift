import Foundation
import TestSupport

/// A server of NATS, as a program in Python, that begins something and never ends it, and the program that it sends it to.
enum FloodingServer {
  /// What it begins.
  enum Case: String, CaseIterable {
    case message, headers, line, error, information, word, greeting
    /// The length of a message is beyond 32 bits.
    case overflow
    /// A message, after the server has announced that its messages may be so long.
    case announced
  }

  /// The end of the program.
  struct Run: Decodable {
    let status: Int32
    let errors: String
    /// Its greatest resident size, in kilobytes.
    let resident: Int
    /// The bytes that the server could send: to the sockets of all connections, of which the kernel has some.
    let sent: Int
  }

  /// Runs a program against a server of its own, whose port takes the place of `PORT` in the arguments.
  static func run(
    _ this: Case, certificate: (file: String, key: String)? = nil, _ program: URL, _ arguments: [String]
  ) async throws -> Run {
    let run = try await RunningProgram(
      URL(fileURLWithPath: "/usr/bin/python3"),
      ["-c", source, this.rawValue, certificate?.file ?? "", certificate?.key ?? "", program.path] + arguments
    ).finish(within: 300)
    return try JSONDecoder().decode(Run.self, from: Data(run.output.utf8))
  }

  private static let source = #"""
    import json, os, resource, socket, ssl, subprocess, sys, threading

    case, certificate, key = sys.argv[1:4]
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    announced = (1 << 31) - 1 if case == "announced" else 1 << 20
    information = {"server_id": "flood", "version": "2.9.10", "headers": True, "max_payload": announced}
    if certificate:
        information["tls_required"] = True
    sent = 0


    def begin(subject, sid):
        size = {"overflow": 4_000_000_000}.get(case, 2_000_000_000)
        return {
            "headers": b"HMSG %s %s 1900000000 %d\r\n" % (subject, sid, size), "line": b"MSG ", "error": b"-ERR '",
            "information": b'INFO {"a":"', "word": b"+OK",
        }.get(case, b"MSG %s %s %d\r\n" % (subject, sid, size))


    def serve(client):
        def send(data):
            global sent
            client.sendall(data)
            sent += len(data)

        def receive(what):
            received = b""
            while what not in received:
                received += client.recv(65536) or exit()
            return received

        try:
            if case == "greeting":
                send(b"INFO {")
            else:
                send(b"INFO " + json.dumps(information).encode() + b"\r\n")
                if certificate:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(certificate, key)
                    client = context.wrap_socket(client, server_side=True)
                received = receive(b"PING\r\n")
                send(b"PONG\r\n")
                if b"SUB " not in received:
                    received = receive(b"SUB ")
                line = received.partition(b"SUB ")[2]
                while b"\r\n" not in line:
                    line += client.recv(65536) or exit()
                words = line.split(b"\r\n")[0].split()
                send(begin(words[0].replace(b"*", b"1"), words[-1]))
            while sent < 1 << 30:
                send((b" " if case == "word" else b"A") * 65536)
        except OSError:
            pass
        finally:
            client.close()


    def accept():
        while True:
            threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()


    threading.Thread(target=accept, daemon=True).start()
    arguments = [argument.replace("PORT", str(port)) for argument in sys.argv[4:]]
    run = subprocess.run(arguments, capture_output=True, text=True)
    resident = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps({"status": run.returncode, "errors": run.stderr, "resident": resident, "sent": sent}), flush=True)
    os._exit(0)
    """#
}
