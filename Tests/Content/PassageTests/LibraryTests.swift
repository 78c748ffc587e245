import Foundation
import Glibc
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

@testable import Passage

extension RealPrograms {
  /// The API for programs, with programs that behave badly in place of `tessera-passage`.
  @Suite("Passage.shared")
  @MainActor
  struct LibraryTests {
    private static let config = PassageConfig(uiUrl: "https://ui.example", apiUrl: "https://api.example")

    /// A test that expects no process fails by this cause.
    private static let unstarted: @Sendable () throws(Failure) -> SessionProgram = { () throws(Failure) in
      throw Failure(.internalError, "started")
    }

    /// - Parameter script: Python that talks over the descriptor `host`.
    private func passage(_ script: String, _ folder: TemporaryFolder) throws -> Passage {
      let file = try program(script, folder)
      let passage = Passage(program: { SessionProgram(path: file) })
      passage.configure(Self.config)
      return passage
    }

    /// - Returns: The path of the program with this script.
    private func program(_ script: String, _ folder: TemporaryFolder) throws -> String {
      let (source, file) = (folder.file("source"), folder.file("tessera-passage"))
      let text = """
        #!/usr/bin/python3
        import json, os, signal, socket, sys
        host = socket.socket(fileno=int(sys.argv[3]))
        lines = host.makefile("r")
        def say(**message): host.sendall((json.dumps(message) + "\\n").encode())
        def hear(): return json.loads(lines.readline())
        \(script)
        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: source))
      // Another program writes the file. If this process did, a program that another test starts at that moment would
      // have the file open for writing, and the kernel would not run it.
      try #require(ProgramRun.succeeds("/usr/bin/install", ["-m", "755", source, file]))
      return file
    }

    @Test("without addresses nothing is started, and the program is told so")
    func unconfigured() async throws {
      let callbacks = Callbacks()
      let passage = Passage(program: Self.unstarted)
      passage.open(callbacks.options("t"))
      #expect(callbacks.exits == [.error])
      #expect(callbacks.errors.first?.error.contains("does not know its servers") == true)
      await #expect(throws: Failure.self) { try await passage.clearAllCookies() }
    }

    @Test(
      "an address that is none, or not of https, is refused",
      arguments: [
        "", "ui.example", "http://ui.example", "https://a.example/?x", "file:///etc", "https://u:p@a.example",
      ])
    func wrongAddress(address: String) async throws {
      let callbacks = Callbacks()
      let passage = Passage(program: Self.unstarted)
      passage.configure(PassageConfig(uiUrl: address, apiUrl: "https://api.example"))
      passage.open(callbacks.options("t"))
      #expect(callbacks.exits == [.error])
      #expect(callbacks.errors.first?.error.contains("uiUrl") == true)
    }

    @Test("a token that is too long is refused")
    func longToken() async throws {
      let callbacks = Callbacks()
      let passage = Passage(program: Self.unstarted)
      passage.configure(Self.config)
      passage.open(callbacks.options(String(repeating: "t", count: 16_385)))
      #expect(callbacks.exits == [.error])
    }

    @Test("a program that is not installed is named")
    func notInstalled() async throws {
      let callbacks = Callbacks()
      let passage = Passage(program: { SessionProgram(path: "/nowhere/tessera-passage") })
      passage.configure(Self.config)
      passage.open(callbacks.options("t"))
      #expect(try await callbacks.exit() == .error)
      #expect(callbacks.errors.first?.error.contains("tessera-passage") == true)
      #expect(callbacks.all.count == 2)
    }

    @Test(
      "a process that ends, is killed, says nonsense, or too long a line is one error and one exit",
      arguments: [
        ("sys.exit(3)", "status 3"), ("os.kill(os.getpid(), signal.SIGSEGV)", "signal 11"),
        ("hear(); hear(); host.sendall(b'nonsense\\n'); signal.pause()", "not JSON"),
        ("say(type='callback', name='onWish', value=1); signal.pause()", "unknown type"),
        ("host.sendall(b' ' * (33 << 20)); signal.pause()", "longer than"),
        ("say(type='failure', kind='serviceUnavailable', cause='No display.'); signal.pause()", "No display."),
        ("say(type='ready'); host.shutdown(socket.SHUT_RDWR); sys.exit(0)", "ended unexpectedly"),
        ("say(type='ready'); host.shutdown(socket.SHUT_RDWR); signal.pause()", "signal 9"),
      ])
    func badProcess(script: String, cause: String) async throws {
      let folder = try TemporaryFolder()
      let callbacks = Callbacks()
      let passage = try passage(script, folder)
      passage.open(callbacks.options("t"))
      #expect(try await callbacks.exit() == .error)
      #expect(callbacks.errors.first?.error.contains(cause) == true, "\(callbacks.all)")
      #expect(callbacks.all.count == 2)
      // The next one works.
      let next = Callbacks()
      passage.open(next.options("t"))
      #expect(try await next.exit() == .error)
    }

    @Test("callbacks come in order, calls are answered by their ids, and nothing comes after the exit")
    func conversation() async throws {
      let folder = try TemporaryFolder()
      let passage = try passage(
        """
        assert hear() == {"type": "configure", "config": {"uiUrl": "https://ui.example", "apiUrl": "https://api.example",
          "socketNamespace": "/ws", "agentName": "tessera-passage", "sendsJoin": True, "sendsResultsOverSocket": True}}
        assert hear() == {"type": "open", "intentToken": "t", "presentationStyle": "fullScreen"}
        say(type="ready")
        say(type="callback", name="onWebviewChange", value="automation")
        say(type="callback", name="onPromptComplete", value={"key": "k", "value": "v"})
        first = hear()
        say(type="callback", name="onWebviewChange", value="ui")
        second = hear()
        say(type="answer", id=second["id"], value=second["type"])
        say(type="failure", id=first["id"], kind="usage", cause=first["type"] + " failed.")
        close = hear()
        assert close["type"] == "close"
        say(type="callback", name="onExit", value="programmatic_close")
        say(type="callback", name="onExit", value="error")
        say(type="callback", name="onWebviewChange", value="ui")
        assert lines.readline() == ""
        open(sys.argv[0] + ".ended", "w").close()
        """, folder)
      let callbacks = Callbacks()
      passage.open(callbacks.options("t", .fullScreen))
      try await callbacks.wait("two callbacks") { $0.all.count == 2 }
      #expect(passage.hasActiveWebViews())
      let first = Task { try await passage.navigate(to: "https://a.example") }
      try await callbacks.wait("the first call") { $0.all.count == 3 }
      #expect(try await passage.injectJavaScript("1") == "injectJavaScript")
      await #expect(throws: Failure(.usage, "navigate failed.")) { try await first.value }
      passage.close()
      #expect(try await callbacks.exit() == .programmaticClose)
      try await eventually { access(folder.file("tessera-passage.ended"), F_OK) == 0 }
      #expect(access(folder.file("tessera-passage.ended"), F_OK) == 0)
      #expect(
        callbacks.all == [
          .webviewChange(.automation), .promptComplete(PassagePromptResponse(key: "k", value: "v")),
          .webviewChange(.ui),
          .exit(.programmaticClose),
        ])
      await #expect(throws: Failure.self) { try await passage.goBack() }
    }

    @Test("a process that hangs after the exit is killed")
    func hangs() async throws {
      let folder = try TemporaryFolder()
      let passage = try passage(
        """
        open(sys.argv[0] + ".pid", "w").write(str(os.getpid()))
        say(type="callback", name="onExit", value="success")
        signal.pause()
        """, folder)
      let callbacks = Callbacks()
      passage.open(callbacks.options("t"))
      #expect(try await callbacks.exit() == .success)
      let text = String(decoding: folder.bytes("tessera-passage.pid"), as: UTF8.self)
      let process = try #require(pid_t(text))
      try await eventually { kill(process, 0) != 0 }
      #expect(kill(process, 0) != 0)
    }

    @Test("a process that does not close when it is asked to is ended")
    func ignoresClosing() async throws {
      let folder = try TemporaryFolder()
      let passage = try passage("say(type='ready'); signal.pause()", folder)
      let callbacks = Callbacks()
      passage.open(callbacks.options("t"))
      passage.close()
      #expect(try await callbacks.exit() == .programmaticClose)
      #expect(callbacks.all.count == 1)
    }

    @Test("links go to the host, and only those that Passage may open")
    func links() async throws {
      let folder = try TemporaryFolder()
      let passage = try passage(
        """
        for url in ["https://a.example/x", "file:///etc/passwd", "javascript:1", "mailto:a@b.example", "fb://x", "-x"]:
            say(type="openExternally", url=url)
        say(type="callback", name="onExit", value="success")
        """, folder)
      var opened: [String] = []
      passage.openLink = { opened.append($0) }
      let callbacks = Callbacks()
      passage.open(callbacks.options("t"))
      _ = try await callbacks.exit()
      #expect(opened == ["https://a.example/x", "mailto:a@b.example", "fb://x"])
    }

    @Test("of a flood of links only the first are opened")
    func linkFlood() async throws {
      let folder = try TemporaryFolder()
      let passage = try passage(
        """
        for number in range(200): say(type="openExternally", url="https://a.example/%d" % number)
        say(type="callback", name="onExit", value="success")
        """, folder)
      var opened: [String] = []
      passage.openLink = { opened.append($0) }
      let callbacks = Callbacks()
      passage.open(callbacks.options("t"))
      #expect(try await callbacks.exit() == .success)
      #expect(opened.prefix(5) == (0..<5).map { "https://a.example/\($0)" }[...])
      // A slow machine can take longer than one period.
      #expect(opened.count < 50)
    }

    @Test(
      "a process whose messages nobody takes is ended when they are many, or large",
      arguments: [(400, 10), (2, 900_000)])
    func untaken(count: Int, length: Int) async throws {
      let folder = try TemporaryFolder()
      let file = try program(
        """
        open(sys.argv[0] + ".pid", "w").write(str(os.getpid()))
        for number in range(\(count)): say(type="answer", id=number, value="v" * \(length))
        signal.pause()
        """, folder)
      var ends: [Failure?] = []
      let start: @Sendable () throws(Failure) -> SessionProgram = { SessionProgram(path: file) }
      let process = PassageProcess(start, environment: nil, most: (count: 300, bytes: 1 << 20)) {
        if case .ended(let failure) = $0 { ends.append(failure) }
      }
      // The main thread stands still until the process is gone.
      let pid = file + ".pid"
      var isGone = false
      for _ in 0..<12_000 where !isGone {
        usleep(10_000)
        let identifier = (try? String(contentsOfFile: pid, encoding: .utf8)).flatMap { pid_t($0) }
        isGone = identifier.map { kill($0, 0) != 0 } ?? false
      }
      #expect(isGone)
      process.end()
      try await eventually { !ends.isEmpty }
      #expect(ends.count == 1)
      #expect(ends.first??.cause.contains("more than this program could take") == true)
    }

    @Test("a call ends with its task, and the answer that comes later is nobody's")
    func cancelledCall() async throws {
      let folder = try TemporaryFolder()
      let passage = try passage(
        """
        hear(); hear()
        say(type="callback", name="onWebviewChange", value="ui")
        first = hear()
        say(type="callback", name="onWebviewChange", value="automation")
        second = hear()
        say(type="answer", id=first["id"], value="first")
        say(type="answer", id=second["id"], value="second")
        hear()
        """, folder)
      let callbacks = Callbacks()
      passage.open(callbacks.options("t"))
      try await callbacks.wait("the session") { $0.views == [.ui] }
      let call = Task { try await passage.injectJavaScript("1") }
      try await callbacks.wait("the call") { $0.views == [.ui, .automation] }
      call.cancel()
      await #expect(throws: CancellationError.self) { try await call.value }
      #expect(try await passage.injectJavaScript("2") == "second")
      passage.close()
      _ = try await callbacks.exit()
    }

    @Test(
      "a cookie is stored only for an address of its domain",
      arguments: [
        ("a.example.org", "https://a.example.org/", true), (".example.org", "https://a.example.org/x", true),
        ("", "https://a.example.org/", true), ("127.0.0.1", "http://127.0.0.1:80/", true),
        ("example.org", "https://a.example.org/", false), (".example.org", "https://notexample.org/", false),
        (".org", "https://a.example.org/", false), ("b.example.org", "https://a.example.org/", false),
        ("a.example.org", "ftp://a.example.org/", false), ("", "nothing", false),
      ])
    func cookieOfAddress(domain: String, url: String, isAccepted: Bool) async throws {
      let folder = try TemporaryFolder()
      let passage = try passage(
        """
        hear()
        call = hear()
        say(type="answer", id=call["id"], value=None)
        hear()
        """, folder)
      let cookie = PassageCookie(name: "n", value: "v", domain: domain)
      if isAccepted {
        try await passage.setCookie(cookie, for: url)
      } else {
        await #expect(throws: PassageCookie.notOfAddress) { try await passage.setCookie(cookie, for: url) }
      }
    }

    @Test("what the process writes to standard error reaches no terminal of the host")
    func standardError() async throws {
      let folder = try TemporaryFolder()
      let own = try #require(RealPrograms.PassageTests.Processes.link(2, of: getpid()))
      let passage = try passage(
        """
        report = {"link": os.readlink("/proc/self/fd/2"), "read": ""}
        try: report["read"] = os.read(2, 100).decode()
        except OSError: pass
        open(sys.argv[0] + ".report", "w").write(json.dumps(report))
        say(type="callback", name="onExit", value="success")
        """, folder)
      let callbacks = Callbacks()
      passage.open(callbacks.options("t"))
      #expect(try await callbacks.exit() == .success)
      let report = try JSONValue(text: String(decoding: folder.bytes("tessera-passage.report"), as: UTF8.self))
      #expect(report["link"].map { $0 != .string(own) } == true)
      #expect(report["read"] == "")
    }
  }
}
