import Foundation
import TestSupport
import Testing

extension RealPrograms {
  /// Programs of the same user who name a granted origin. The kernel reports that user for those in a sandbox, too.
  @Suite("Callers in a sandbox", .enabled(if: SandboxedCaller.isEnabled, "no sandbox can be made here"))
  struct SandboxedCallerTests {
    private static let origin = "https://app.test:5173"
    private static let grants = ["--grant", "\(origin)=nfc"]

    @Test("outside of a sandbox: served", arguments: ["127.0.0.1", "[::1]"])
    func outside(_ host: String) async throws {
      let service = try await ServingProgram(Self.grants + ["--websocket", "\(host):0"])
      #expect(try await SandboxedCaller.plain.answer([], service.program.output) == "HTTP/1.1 101")
      #expect(!(await service.stop()).errors.contains("was refused"))
    }

    @Test(
      "in a sandbox: the connection is closed without an answer, and the log says why",
      arguments: SandboxedCaller.sandboxes, ["127.0.0.1", "[::1]"])
    func inside(_ sandbox: [String], _ host: String) async throws {
      let service = try await ServingProgram(Self.grants + ["--websocket", "\(host):0"])
      #expect(try await SandboxedCaller.plain.answer(sandbox, service.program.output) == "")
      // The page's requests before it has a socket are the same.
      #expect(try await SandboxedCaller.script.answer(sandbox, service.program.output) == "")
      let errors = await service.stop().errors
      #expect(errors.components(separatedBy: "its program is in a sandbox or a container").count == 2, "\(errors)")
      #expect(errors.contains("--allow-sandboxed-browsers"))
    }

    @Test(
      "a socket that a program outside holds, too, is that of the sandbox",
      arguments: [SandboxedCaller.shared, .undumpable, .ownDescriptors, .queued, .undumpableQueued, .registered])
    func shared(_ caller: SandboxedCaller) async throws {
      let service = try await ServingProgram(Self.grants + ["--websocket", "127.0.0.1:0"])
      let holder = try await SocketKeeper()
      for sandbox in SandboxedCaller.sandboxes {
        #expect(try await caller.answer(sandbox, service.program.output, holder.path) == "", "\(sandbox)")
      }
      // Two programs outside may share one.
      #expect(try await SandboxedCaller.shared.answer([], service.program.output, holder.path) == "HTTP/1.1 101")
      #expect(holder.count == SandboxedCaller.sandboxes.count + 1)
      #expect(await service.stop().status == 0)
    }

    @Test("the option admits sandboxes")
    func option() async throws {
      let service = try await ServingProgram(
        Self.grants + ["--websocket", "127.0.0.1:0", "--allow-sandboxed-browsers"])
      for sandbox in SandboxedCaller.sandboxes {
        #expect(try await SandboxedCaller.plain.answer(sandbox, service.program.output) == "HTTP/1.1 101")
      }
      #expect(!(await service.stop()).errors.contains("was refused"))
    }

    @Test(
      "a service in a sandbox does not see its callers, and refuses them; one of systemd may have an old unit",
      arguments: [
        ([:], "start the service with --allow-sandboxed-browsers"),
        (["INVOCATION_ID": "0"], "run `tessera service install` again"),
      ] as [([String: String], String)])
    func serviceInside(_ more: [String: String], _ remedy: String) async throws {
      let home = try TemporaryFolder()
      let words = SandboxedCaller.sandboxes[0] + [ProgramRun.tessera.path, "serve", "--websocket", "127.0.0.1:0"]
      let service = try RunningProgram(
        URL(fileURLWithPath: words[0]), Array(words.dropFirst()) + Self.grants,
        environment: ServingProgram.environment(home).merging(more) { $1 })
      _ = await service.wait { $0.output.contains("\n") || !$0.isRunning }
      #expect(try await SandboxedCaller.plain.answer([], service.output) == "")
      service.send(signal: SIGTERM)
      let errors = await service.finish(within: 120).errors
      #expect(errors.contains("the service cannot see its program"), "\(errors)")
      #expect(errors.contains(remedy), "\(errors)")
    }
  }
}

/// A program that connects to the loopback port in a way of its own.
enum SandboxedCaller: String, CaseIterable, Sendable {
  case plain, script
  /// A program outside holds the socket, too.
  case shared
  /// As `shared`, and nobody may list the descriptors of this one.
  case undumpable
  /// As `shared`, and the socket is only among the descriptors of a second thread.
  case ownDescriptors
  /// As `shared`, and the socket is only in the queue of another one of this program.
  case queued
  /// Both `queued` and `undumpable`.
  case undumpableQueued
  /// As `shared`, and the socket is only among the registered files of an io_uring.
  case registered

  /// The words before the program.
  static let sandboxes = [
    bubblewrap + ["--unshare-user", "--unshare-pid", "--proc", "/proc", "--"],
    bubblewrap + ["--unshare-user", "--"], ["/usr/bin/unshare", "--user", "--map-root-user"],
    ["/usr/bin/unshare", "--user", "--pid", "--fork"],
  ]
  private static let bubblewrap = ["/usr/bin/bwrap", "--dev-bind", "/", "/"]

  /// In continuous integration a missing sandbox is a failure; elsewhere the tests are skipped.
  static let isEnabled =
    ProcessInfo.processInfo.environment["CI"] == "true" || sandboxes.allSatisfy(isPossible)

  private static func isPossible(_ words: [String]) -> Bool {
    guard access(words[0], X_OK) == 0 else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = words.dropFirst() + ["/usr/bin/true"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  /// - Parameters:
  ///   - ready: the line of the service with its address.
  ///   - keeper: the path of a `SocketKeeper`.
  /// - Returns: the beginning of the status line; empty if the service closed the connection.
  func answer(_ sandbox: [String], _ ready: String, _ keeper: String = "") async throws -> String {
    let address = ready.split(separator: " ").last.map(String.init)?.trimmingCharacters(in: .whitespacesAndNewlines)
    let words = sandbox + words(address ?? "", keeper)
    let run = try await RunningProgram(URL(fileURLWithPath: words[0]), Array(words.dropFirst())).finish(within: 120)
    try #require(run.status == 0, "\(run.errors)")
    return run.output.trimmingCharacters(in: .newlines)
  }

  func words(_ address: String, _ keeper: String = "") -> [String] {
    ["/usr/bin/python3", "-c", Self.program, rawValue, address, keeper]
  }

  private static let program = """
    import ctypes, os, socket, sys, threading, time, urllib.parse
    way, address, keeper = sys.argv[1:]
    address = urllib.parse.urlsplit(address)
    client = socket.socket(socket.AF_INET6 if ":" in address.hostname else socket.AF_INET)
    libc = ctypes.CDLL(None, use_errno=True)

    def check(result):
        if result != 0:
            raise OSError(ctypes.get_errno(), "libc")

    if keeper:
        with socket.socket(socket.AF_UNIX) as helper:
            helper.connect(keeper)
            socket.send_fds(helper, [b"x"], [client.fileno()])
            helper.recv(1)
    if way in ("undumpable", "undumpableQueued"):
        check(libc.prctl(4, 0, 0, 0, 0))

    def is_open(port):
        lines = [line.split() for line in open("/proc/self/net/tcp").readlines()[1:]]
        return any(line[1].endswith(":%04X" % port) and line[3] == "01" for line in lines)

    def wait():  # until the service closed the connection, or has had the time
        port = client.getsockname()[1]
        client.close()
        for _ in range(30):
            if not is_open(port):
                return False
            time.sleep(0.1)
        return True

    def hide():
        queue = socket.socketpair()
        socket.send_fds(queue[0], [b"x"], [client.fileno()])
        wait()
        return socket.socket(fileno=socket.recv_fds(queue[1], 1, 1)[1][0])

    def register():
        ring = libc.syscall(425, 4, (ctypes.c_char * 120)())  # io_uring_setup
        if ring < 0:
            return False  # The system allows no io_uring.
        check(libc.syscall(427, ring, 2, (ctypes.c_int * 1)(client.fileno()), 1))  # IORING_REGISTER_FILES
        return wait()

    def ask():
        global client
        client.connect((address.hostname, address.port))
        if way == "registered":
            return print("HTTP/1.1 101" if register() else "")
        if way in ("queued", "undumpableQueued"):
            client = hide()
        upgrade = "Upgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Version: 13\\r\\n"
        upgrade += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\\r\\n"
        path, more = ("/bridge.js", "") if way == "script" else ("/bridge", upgrade)
        head = "GET %s HTTP/1.1\\r\\nHost: %s\\r\\nOrigin: https://app.test:5173\\r\\n%s\\r\\n"
        try:
            client.sendall((head % (path, address.netloc, more)).encode())
            print(client.recv(12).decode())
        except OSError:
            print("")

    if way == "ownDescriptors":
        begin, closed = threading.Event(), threading.Event()

        def apart():
            check(libc.unshare(0x400))  # CLONE_FILES
            begin.set()
            closed.wait()
            ask()

        thread = threading.Thread(target=apart)
        thread.start()
        begin.wait()
        os.close(client.fileno())
        closed.set()
        thread.join()
    else:
        ask()
    """
}

/// A program outside of every sandbox that keeps the sockets that it gets, as a display server keeps those of buffers.
final class SocketKeeper: Sendable {
  let path: String
  private let folder: TemporaryFolder
  private let program: RunningProgram

  init() async throws {
    folder = try TemporaryFolder()
    path = folder.file("keeper")
    let script = """
      import socket, sys
      kept = []
      listener = socket.socket(socket.AF_UNIX)
      listener.bind(sys.argv[1])
      listener.listen()
      print("ready", flush=True)
      while True:
          client, _ = listener.accept()
          kept.append(socket.recv_fds(client, 1, 1))
          print("kept", flush=True)
          client.sendall(b"x")
      """
    program = try RunningProgram(URL(fileURLWithPath: "/usr/bin/python3"), ["-c", script, path])
    _ = await program.wait(within: 60) { $0.output.contains("ready") || !$0.isRunning }
    try #require(program.isRunning, "\(program.errors)")
  }

  deinit { program.send(signal: SIGKILL) }

  var count: Int { program.output.components(separatedBy: "kept").count - 1 }
}
