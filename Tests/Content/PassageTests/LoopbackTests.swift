import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// What pages in the window reach on this machine, and what leaves it before the user agrees.
  @Suite("The network of a session")
  struct LoopbackTests {
    @Test("a page with a grant, which the service answers in a browser, gets no answer in the window")
    @MainActor
    func service() async throws {
      let session = try await ShownSession()
      let service = try RunningProgram(
        ProgramRun.tessera,
        ["serve", "--websocket", "127.0.0.1:0", "--grant", "\(session.controller.site)=nfc"],
        environment: session.lab.environment)
      defer { service.send(signal: SIGKILL) }
      _ = await service.wait { $0.output.contains("\n") || !$0.isRunning }
      let port = try #require(service.output.split(separator: ":").last.flatMap { Int($0.prefix { $0 != "/" }) })
      try await session.script(
        """
        window.found = {};
        for (const host of ["127.0.0.1", "localhost", "0.0.0.0"]) {
          const socket = new WebSocket(`ws://${host}:\(port)/bridge`);
          socket.onopen = () => { found["socket " + host] = true; };
          socket.onclose = () => { found["socket " + host] ??= false; };
          fetch(`http://${host}:\(port)/bridge.js`, {mode: "no-cors"}).then(
            () => { found["script " + host] = true; }, () => { found["script " + host] = false; });
        }
        1
        """)
      // WebKit neither opens nor closes a socket to 0.0.0.0.
      try await session.wait(until: "Object.keys(found).length === 5")
      let found = try await session.script("JSON.stringify(Object.entries(found).sort())")
      let names = ["script 0.0.0.0", "script 127.0.0.1", "script localhost", "socket 127.0.0.1", "socket localhost"]
      #expect(found == .string(JSONValue.array(names.map { [.string($0), false] }).text))
      // The same origin outside of the sandbox.
      let request = """
        import socket, sys
        client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        head = "GET /bridge.js HTTP/1.1\\r\\nHost: 127.0.0.1:%s\\r\\nOrigin: %s\\r\\n\\r\\n" % tuple(sys.argv[1:])
        client.sendall(head.encode())
        print(client.recv(12).decode())
        """
      let outside = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", request, "\(port)", session.controller.site]
      ).finish(within: 60)
      #expect(outside.output == "HTTP/1.1 200\n", "\(outside.errors)")
      try await session.close()
      service.send(signal: SIGTERM)
      #expect(await service.finish(within: 60).errors.contains("its program is in a sandbox or a container"))
    }

    @Test("before the user agrees, the start page and the configuration are asked for, and nothing else leaves")
    @MainActor
    func beforeConsent() async throws {
      let session = try await AskedSession()
      try await session.passage.wait(until: "document.readyState === 'complete'", in: .ui)
      func sent() -> [JSONValue] {
        session.controller.events.filter { $0["event"] != "ready" && $0["event"] != "started" }
      }
      func expectOpening() throws {
        #expect(Set(sent().compactMap { $0["event"]?.stringValue }) == ["page", "configuration"])
        #expect(sent().count == 2)
        let query = try #require(sent().first { $0["event"] == "page" }?["query"]?.stringValue)
        let names = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
        #expect(names == ["intentToken", "sdkSession", "agentName"])
        let configuration = try #require(sent().first { $0["event"] == "configuration" })
        #expect(configuration["token"] == .string(PassageLab.token()))
        #expect(configuration["agent"]?.stringValue?.contains("AppleWebKit") == true)
      }
      try expectOpening()
      try await session.lab.window.press(["Return"], in: session.window)
      #expect(try await session.callbacks.exit() == .userAction)
      // Nor does anything afterwards.
      try expectOpening()
      let log = try await session.lab.run(["log"])
      #expect(log.output.contains("configuration") && !log.output.contains("commandResult"), "\(log.output)")
    }

    @Test("the same host at another port is not loaded, and the result says that the user did not agree")
    @MainActor
    func otherPort() async throws {
      let session = try await ShownSession()
      let listener = try await Controller()
      let port = try #require(listener.site.split(separator: ":").last)
      // Both sites are at this host.
      let address = "http://127.0.0.2:\(port)/home.html"
      let result = try await session.controller.run("c", "navigate", ["args": ["url": .string(address)]])
      #expect(result["status"] == "error" && result["data"]?["errorType"] == "domain_not_consented")
      #expect(result["pageData"]?["html"] == nil)
      #expect(listener.events("visit").isEmpty)
      try await session.close()
    }
  }
}
