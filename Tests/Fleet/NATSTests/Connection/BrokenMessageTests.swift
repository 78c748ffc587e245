import Foundation
import TesseraNATS
import TestSupport
import Testing

extension RealPrograms {
  @Suite("A connection that is lost during a message")
  struct BrokenMessageTests {
    /// Ends the connection in the middle of a message, each time at another place, and sends a whole message over the last
    /// one. A message whose payload is complete is whole, also without its line end.
    private static let source = #"""
      import socket, sys

      listener = socket.create_server(("127.0.0.1", 0))
      print(listener.getsockname()[1], flush=True)
      message = b"MSG a %s 6\r\nbroken\r\n"

      def receive(client):
          data = client.recv(65536)
          if not data:
              raise EOFError
          return data

      def subscriber():
          """A client that has subscribed, and the number of its subscription."""
          while True:
              client = listener.accept()[0]
              try:
                  client.sendall(b'INFO {"server_id":"x","version":"2.9.10","headers":true,"max_payload":1048576}\r\n')
                  received = b""
                  while b"PING\r\n" not in received:
                      received += receive(client)
                  client.sendall(b"PONG\r\n")
                  while b"SUB a " not in received or not received.partition(b"SUB a ")[2].count(b"\r\n"):
                      received += receive(client)
                  return client, received.partition(b"SUB a ")[2].split(b"\r\n")[0].split()[-1]
              except (EOFError, OSError):
                  # It ended before: perhaps one of another test, whose server had this port.
                  client.close()

      for end in [4, 8, 12, 15, 16, 19]:
          client, number = subscriber()
          if end < 19:
              client.sendall((message % number)[:end])
              client.close()
          else:
              client.sendall(b"MSG a %s 5\r\nwhole\r\n" % number)
              while client.recv(65536):
                  client.sendall(b"PONG\r\n")
      """#

    @Test("goes on with whole messages over the next one")
    func next() async throws {
      let server = try RunningProgram(URL(fileURLWithPath: "/usr/bin/python3"), ["-c", Self.source])
      defer { server.send(signal: SIGKILL) }
      _ = await server.wait { $0.output.contains("\n") }
      let port = try #require(Int(server.output.split(separator: "\n").first ?? ""))
      let connection = try await NATSConnection.connect(
        NATSConfiguration(
          servers: [NATSServerAddress(host: "127.0.0.1", port: port)], name: "lab", connectTimeout: .seconds(60)))
      let log = MessageLog()
      let subscription = try connection.subscribe("a") { log.add($0) }
      try await eventually { log.count >= 1 }
      #expect(log.texts == ["whole"])
      subscription.cancel()
      await connection.close()
    }
  }
}
