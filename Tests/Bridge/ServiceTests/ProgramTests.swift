import BridgeVectors
import Foundation
import TesseraBridge
import TesseraJSON
import TesseraLinuxProviders
import TestSupport
import Testing

/// A running `tessera serve` with a temporary home directory.
final class ServingProgram: Sendable {
  let home: TemporaryFolder
  let program: RunningProgram
  let environment: [String: String]

  init(_ arguments: [String], home: TemporaryFolder? = nil, more: [String: String] = [:]) async throws {
    let home = try home ?? TemporaryFolder()
    self.home = home
    environment = Self.environment(home).merging(more) { $1 }
    program = try RunningProgram(ProgramRun.tessera, ["serve"] + arguments, environment: environment)
    _ = await program.wait { $0.output.contains("\n") || !$0.isRunning }
  }

  deinit { if program.isRunning { program.send(signal: SIGKILL) } }

  static func environment(_ home: TemporaryFolder) -> [String: String] {
    [
      "HOME": home.url.path, "XDG_RUNTIME_DIR": home.file("run"), "XDG_DATA_HOME": home.file("data"),
      "XDG_CONFIG_HOME": home.file("config"), "XDG_STATE_HOME": home.file("state"),
      "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
    ]
  }

  var socketPath: String { home.file("run/tessera/bridge.sock") }

  /// The port in the line `ready PATH ws://127.0.0.1:PORT/bridge`.
  var port: UInt16 {
    UInt16(program.output.split(separator: " ").last?.split(separator: ":").last?.prefix { $0 != "/" } ?? "") ?? 0
  }

  func call(_ arguments: [String]) async throws -> ProgramRun {
    try await ProgramRun.tessera(["call"] + arguments, environment: environment)
  }

  func stop(_ signal: Int32 = SIGTERM) async -> ProgramRun {
    program.send(signal: signal)
    return await program.finish(within: 120)
  }
}

extension RealPrograms {
  @Suite("tessera serve, call and service")
  struct ProgramTests {
    @Test(
      "reports readiness, serves requests, and exits with status 0 after SIGTERM, and by SIGINT after that",
      arguments: [SIGTERM: 0, SIGINT: 130] as [Int32: Int32])
    func readyAndStopped(_ signal: Int32, _ status: Int32) async throws {
      let service = try await ServingProgram(["--virtual", "--websocket", "127.0.0.1:0"])
      #expect(service.program.output == "ready \(service.socketPath) ws://127.0.0.1:\(service.port)/bridge\n")
      let connection = try RawConnection.unix(service.socketPath)
      #expect(try await connection.ask("nfc.isSupported")["data"] == true)
      let run = await service.stop(signal)
      #expect(run.status == status)
      #expect(run.errors.hasSuffix("\n<6>The service is stopping.\n"))
      _ = await connection.textUntilClosed()
      #expect(connection.messages.last?["data"]?["code"] == "SERVICE_STOPPING")
      #expect(!FileManager.default.fileExists(atPath: service.socketPath))
    }

    @Test(
      "answers a scan that waits for a document with SCAN_ABORTED when the service stops",
      .enabled(if: SmartCardLab.isEnabled))
    func scanAbortedAsRoot() async throws {
      let lab = try await SmartCardLab()
      defer { lab.stop() }
      let service = try await ServingProgram([], more: lab.environment)
      let connection = try RawConnection.unix(service.socketPath)
      connection.post(VectorClient.request("nfc.scan", ConnectionTests.document, id: "scan"))
      #expect(await connection.wait { $0.text.contains("waiting_for_tag") }, "\(connection.text)")
      #expect(await service.stop().status == 0)
      _ = await connection.textUntilClosed()
      #expect(connection.messages.first { $0["requestId"] == "scan" }?.errorCode == "SCAN_ABORTED")
    }

    @Test("a second service at the same path exits with status 2; the socket of a killed service is replaced")
    func twoServices() async throws {
      let service = try await ServingProgram(["--virtual"])
      let second = try await ProgramRun.tessera(["serve", "--virtual"], environment: service.environment)
      #expect(second.status == 2)
      #expect(second.output == "")
      #expect(second.errors.contains("Another service is running"))
      _ = await service.stop(SIGKILL)
      #expect(FileManager.default.fileExists(atPath: service.socketPath))
      let third = try await ServingProgram(["--virtual"], home: service.home)
      #expect(third.program.output.hasPrefix("ready "))
      #expect(await third.stop().status == 0)
    }

    @Test(
      "exits with status 2 and an error message for invalid arguments",
      arguments: [
        ["--websocket", "0.0.0.0:8484"], ["--websocket", "example.com:80"], ["--grant", "https://a.example"],
        ["--grant", "https://a.example=cards"], ["--grant", "https://a.example/x=nfc"], ["--virtual", "nosuch"],
        ["--virtual=nosuch", "--websocket", "127.0.0.1:0"], ["--virtual=nosuch", "--metrics"],
        ["--grant", "https://a.example=crypto.foo"], ["--grant", "http://a.example=nfc"],
        ["--socket", "/proc/x/bridge.sock"], ["more"],
      ])
    func wrongUse(_ arguments: [String]) async throws {
      let home = try TemporaryFolder()
      let run = try await ProgramRun.tessera(
        ["serve"] + arguments, environment: ServingProgram.environment(home), timeout: 120)
      #expect(run.status == 2)
      #expect(run.output == "")
      #expect(!run.errors.isEmpty)
    }

    @Test("reads the grants file, and its errors name the line")
    func grantsFile() async throws {
      let home = try TemporaryFolder()
      try FileManager.default.createDirectory(atPath: home.file("config/tessera"), withIntermediateDirectories: true)
      try "# pages\n\(ServiceUnderTest.origin) = lifecycle\n".write(
        toFile: home.file("config/tessera/grants"), atomically: false, encoding: .utf8)
      let service = try await ServingProgram(["--virtual", "--websocket", "127.0.0.1:0"], home: home)
      let page = try await WebSocketClient.connect(port: service.port, origin: ServiceUnderTest.origin)
      #expect(try await page.ask("lifecycle.ready")["success"] == true)
      #expect(try await page.ask("nfc.isSupported").errorCode == "NOT_ALLOWED")
      #expect(await service.stop().status == 0)
      try "\nhttps://a.example = money\n".write(
        toFile: home.file("config/tessera/grants"), atomically: false, encoding: .utf8)
      let run = try await ProgramRun.tessera(["serve"], environment: ServingProgram.environment(home), timeout: 120)
      #expect(run.status == 2)
      #expect(run.errors.contains("tessera/grants, line 2: "))
    }

    @Test("says that grants of pages have no effect where no page can connect; not that of the user's own programs")
    func uselessGrants() async throws {
      for (grant, address, isTold) in [
        ("\(ServiceUnderTest.origin)=nfc", [], true), ("local = nfc", [], false),
        ("\(ServiceUnderTest.origin)=nfc", ["--websocket", "127.0.0.1:0"], false),
      ] as [(String, [String], Bool)] {
        let service = try await ServingProgram(["--virtual", "--grant", grant] + address)
        let errors = await service.stop().errors
        #expect(errors.contains("no effect without --websocket or --page") == isTold, "\(grant): \(errors)")
      }
    }

    @Test("what changes in the grants file applies to a connected page at once; a wrong file changes nothing")
    func changedGrants() async throws {
      let home = try TemporaryFolder()
      let origin = "http://localhost:5173"
      // The folder does not exist yet.
      let service = try await ServingProgram(
        ["--virtual", "--websocket", "127.0.0.1:0", "--grant", "\(origin)=lifecycle"], home: home)
      func grants(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.tessera(
          ["grants"] + arguments, environment: ServingProgram.environment(home), timeout: 120)
      }
      func wait(_ count: Int, _ words: String) async {
        _ = await service.program.wait { $0.errors.components(separatedBy: words).count > count }
      }
      let page = try await WebSocketClient.connect(port: service.port, origin: origin)
      let refused = try await page.ask("nfc.isSupported")
      #expect(refused.errorCode == "NOT_ALLOWED")
      let command = try #require(refused["error"]?["details"]?["command"]?.stringValue)
      #expect(command == "tessera grants add \(origin)=nfc.isSupported")
      let added = try await grants(command.split(separator: " ").dropFirst(2).map(String.init))
      #expect(added.status == 0 && added.errors.contains("at once"))
      await wait(1, "The grants have changed")
      #expect(try await page.ask("nfc.isSupported")["success"] == true)
      let file = home.file("config/tessera/grants")
      let right = try String(contentsOfFile: file, encoding: .utf8)
      try (right + "money\n").write(toFile: file, atomically: true, encoding: .utf8)
      await wait(1, "The grants of before stay in force")
      #expect(try await page.ask("nfc.isSupported")["success"] == true)
      try right.write(toFile: file, atomically: true, encoding: .utf8)
      #expect(try await grants(["withdraw", origin, "nfc.isSupported"]).status == 0)
      await wait(2, "The grants have changed")
      #expect(try await page.ask("nfc.isSupported").errorCode == "NOT_ALLOWED")
      // That of the command line stays.
      #expect(try await page.ask("lifecycle.ready")["success"] == true)
      #expect(await service.stop().status == 0)
    }

    @Test("a call has the same output and exit status through the service and in process")
    func callParity() async throws {
      let service = try await ServingProgram(["--virtual"])
      for arguments in [
        ["nfc.isSupported"], ["crypto.generateKey", #"{"keyRef":"k"}"#], ["crypto.getPublicKey", #"{"keyRef":"k"}"#],
        ["crypto.getPublicKey", #"{"keyRef":"none"}"#, "--json"], ["crypto.sign", #"{"keyRef":"k"}"#],
        ["lifecycle.ready"], ["nfc.scan", "{}", "--json"], ["lifecycle.none"], ["custody.list"],
      ] {
        let served = try await service.call(arguments)
        let here = try await service.call(
          arguments + (arguments[0] == "nfc.isSupported" ? ["--virtual"] : ["--in-process"]))
        #expect(served.output == here.output, "\(arguments)")
        #expect(served.errors == here.errors, "\(arguments)")
        #expect(served.status == here.status, "\(arguments)")
      }
      // The same chip refuses a wrong key in both cases.
      let wrong = #"{"passportNumber":"L898902C3","dateOfBirth":"740812","dateOfExpiry":"120415"}"#
      let served = try await service.call(["nfc.scan", wrong, "--json"])
      let here = try await service.call(["nfc.scan", wrong, "--json", "--virtual"])
      #expect(served.status == 4)
      #expect(served.output == here.output)
      #expect(served.errors == here.errors)
      let socket = try await service.call(["nfc.isSupported", "--socket", service.socketPath])
      #expect(socket.output == "true\n")
      #expect(await service.stop().status == 0)
      let gone = try await service.call(["nfc.isSupported", "--socket", service.socketPath])
      #expect(gone.status == 3)
      #expect(try await service.call(["lifecycle.ready"]).output == "null\n")
    }

    @Test("an interrupted call cancels its scan and exits with status 130", .enabled(if: SmartCardLab.isEnabled))
    func interruptedCallAsRoot() async throws {
      let lab = try await SmartCardLab()
      defer { lab.stop() }
      let service = try await ServingProgram([], more: lab.environment)
      let key = #"{"passportNumber":"L898902C3","dateOfBirth":"740812","dateOfExpiry":"120415"}"#
      let call = try RunningProgram(
        ProgramRun.tessera, ["call", "nfc.scan", key, "--events"], environment: service.environment)
      #expect(await call.wait { $0.errors.contains("waiting_for_tag") })
      call.send(signal: SIGINT)
      let run = await call.finish(within: 120)
      #expect(run.status == 130)
      #expect(run.errors.contains("SCAN_ABORTED"))
      // The reader is available again.
      let connection = try RawConnection.unix(service.socketPath)
      connection.post(VectorClient.request("nfc.scan", ConnectionTests.document, id: "next"))
      #expect(await connection.wait { $0.text.contains("waiting_for_tag") }, "\(connection.text)")
      #expect(await service.stop().status == 0)
    }

    @Test("uses a socket that systemd passes, reports readiness and stopping, and does not remove the socket")
    func activation() async throws {
      let home = try TemporaryFolder()
      let activator = """
        import os, signal, socket, sys
        program, home = sys.argv[1], sys.argv[2]
        os.makedirs(home + "/run/tessera", 0o700)
        path = home + "/run/tessera/bridge.sock"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path); listener.listen()
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify.bind(home + "/notify"); notify.settimeout(100)
        child = os.fork()
        if child == 0:
          os.dup2(listener.fileno(), 3); os.set_inheritable(3, True)
          os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), NOTIFY_SOCKET=home + "/notify")
          os.execv(program, [program, "serve", "--virtual"])
        client = socket.socket(socket.AF_UNIX); client.connect(path)
        client.sendall(sys.argv[3].encode() + b"\\n")
        print(client.makefile().readline().strip())
        print(notify.recv(100).decode())
        os.kill(child, signal.SIGTERM)
        print(notify.recv(100).decode())
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), os.path.exists(path))
        """
      let request = VectorClient.request("nfc.isSupported", id: "1")
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", activator, ProgramRun.tessera.path, home.url.path, request],
        environment: ServingProgram.environment(home)
      ).finish(within: 180)
      let lines = run.output.split(separator: "\n").map(String.init)
      #expect(lines.contains("ready \(home.file("run/tessera/bridge.sock"))"))
      #expect(lines.contains { (try? JSONValue(text: $0))?["data"] == true })
      #expect(lines.contains("READY=1"))
      #expect(lines.contains("STOPPING=1"))
      #expect(lines.last == "0 True")
    }

    @Test("an idle service with clients has no wake-ups", .enabled(if: !ProgramRun.isSanitized))
    func idle() async throws {
      let service = try await ServingProgram([
        "--virtual", "--websocket", "127.0.0.1:0", "--grant", "\(ServiceUnderTest.origin)=nfc",
      ])
      let page = try await WebSocketClient.connect(port: service.port, origin: ServiceUnderTest.origin)
      let program = try RawConnection.unix(service.socketPath)
      #expect(try await page.ask("nfc.isSupported")["data"] == true)
      #expect(try await program.ask("nfc.isSupported")["data"] == true)
      // The storage caches its keys for one second, and a scan has its own timers.
      #expect(try await program.ask("documents.set", ["key": "k", "value": "v"])["success"] == true)
      #expect(try await program.ask("nfc.scan", ConnectionTests.document)["success"] == false)
      // The kernel timer of a completed handshake is still set.
      try await Task.sleep(for: .seconds(12))
      // On a busy machine, idle threads may take longer to end.
      var wakeUps = Int.max
      for _ in 0..<6 where wakeUps > 0 {
        wakeUps = try await WakeUps.count(of: service.program.processIdentifier, during: 5)
      }
      let memory = try Self.residentKilobytes(service.program.processIdentifier)
      print("idle service: \(wakeUps) wake-ups in 5 s, \(memory.all) KB resident, \(memory.own) KB of it anonymous")
      #expect(wakeUps == 0)
      _ = await service.stop()
    }

    @Test(
      "the service of an unprivileged user answers a page over the WebSocket",
      .enabled(if: getuid() == 0, "becoming another user needs root; the other tests are run as one, too"))
    func ordinaryUserAsRoot() async throws {
      let home = try TemporaryFolder()
      chown(home.url.path, 65_534, 65_534)
      let service = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/setpriv"),
        ["--reuid=65534", "--regid=65534", "--clear-groups", ProgramRun.tessera.path, "serve", "--virtual"]
          + ["--websocket", "127.0.0.1:0", "--grant", "\(ServiceUnderTest.origin)=nfc"],
        environment: ServingProgram.environment(home))
      _ = await service.wait { $0.output.contains("\n") || !$0.isRunning }
      let port = try #require(UInt16(service.output.split(separator: ":").last?.prefix { $0 != "/" } ?? ""))
      let request = WebSocketClient.request(port: port, origins: [ServiceUnderTest.origin])
      let answer = try await Stranger.ask(65_534, "127.0.0.1:\(port)", request)
      #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer) \(service.errors)")
      service.send(signal: SIGTERM)
      #expect(await service.finish(within: 60).status == 0)
    }

    @Test("logs why a connection could not be initialized", .enabled(if: !ProgramRun.isSanitized))
    func setupFailure() async throws {
      let home = try TemporaryFolder()
      // Each client needs a file descriptor, and the limit is low.
      let service = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/prlimit"), ["--nofile=40:40", ProgramRun.tessera.path, "serve", "--virtual"],
        environment: ServingProgram.environment(home))
      _ = await service.wait { $0.output.contains("\n") || !$0.isRunning }
      let clients = try (0..<50).map { _ in try RawConnection.unix(home.file("run/tessera/bridge.sock")) }
      #expect(await service.wait { $0.errors.contains("A connection could not be initialized.") }, "\(service.errors)")
      #expect(service.errors.contains("Unix socket"))
      for client in clients { client.hangUp() }
      service.send(signal: SIGTERM)
      #expect(await service.finish(within: 60).status == 0)
    }

    @Test(
      "unread answers of many connections use bounded memory, which is released while one client stays",
      .enabled(if: !ProgramRun.isSanitized))
    func unreadMemory() async throws {
      let service = try await ServingProgram(["--virtual"])
      let process = service.program.processIdentifier
      let staying = try RawConnection.unix(service.socketPath)
      let document = JSONValue.string(String(repeating: "x", count: 400_000))
      #expect(try await staying.ask("documents.set", ["key": "large", "value": document])["success"] == true)
      #expect(try await staying.ask("documents.get", ["key": "large"])["success"] == true)
      let before = try Self.residentKilobytes(process).all
      var most = 0
      let unread = try (0..<100).map { _ in try RawConnection.unix(service.socketPath, reads: false) }
      for client in unread {
        for id in 0..<9 { client.post(VectorClient.request("documents.get", ["key": "large"], id: "\(id)")) }
      }
      for _ in 0..<50 {
        #expect(try await staying.ask("nfc.isSupported")["data"] == true)
        most = max(most, try Self.residentKilobytes(process).all)
        try await Task.sleep(for: .milliseconds(100))
      }
      for client in unread { client.hangUp() }
      var after = Int.max
      _ = try await isTrue(within: .seconds(120), every: .milliseconds(100)) {
        after = try Self.residentKilobytes(process).all
        return after <= before + 16_000
      }
      print("unread answers: \(before) KB before, at most \(most) KB, \(after) KB after, with a client that stays")
      #expect(most < before + 200_000)
      #expect(after <= before + 16_000)
      #expect(try await staying.ask("nfc.isSupported")["data"] == true)
      _ = await service.stop()
    }

    @Test("the help documents the scan timeout, which is shorter than that of a page")
    func scanTime() async throws {
      let help = try await ProgramRun.tessera(["serve", "--help"]).output
      #expect(LinuxProviders.scanTimeout == .seconds(110) && NfcBridgeHandler.timeLimit == .seconds(115))
      #expect(help.contains("`serve`: 110") && help.contains("115 s"))
    }

    /// The resident memory: all of it, and the anonymous part.
    static func residentKilobytes(_ process: Int32) throws -> (all: Int, own: Int) {
      let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
      func value(_ key: String) -> Int {
        let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? -1
      }
      return (value("VmRSS:"), value("RssAnon:"))
    }

    @Test("an installed service uses the given key store; an unknown store is refused")
    func installedStore() async throws {
      let home = try TemporaryFolder()
      let environment = ServingProgram.environment(home)
      let wrong = try await ProgramRun.tessera(["service", "install", "--store", "nosuch"], environment: environment)
      #expect(wrong.status == 2 && wrong.errors.contains("key store"), "\(wrong.errors)")
      #expect(!FileManager.default.fileExists(atPath: home.file("config/systemd/user/tessera.service")))
      let uri = "pkcs11:token=my%20token;object=k"
      for (store, written) in [("tpm2", "--store tpm2"), (uri, "--store \"pkcs11:token=my%%20token;object=k\"")] {
        let run = try await ProgramRun.tessera(["service", "install", "--store", store], environment: environment)
        #expect(run.status == 0, "\(run.errors)")
        let unit = try String(contentsOfFile: home.file("config/systemd/user/tessera.service"), encoding: .utf8)
        #expect(unit.contains("serve \(written)\n"), "\(unit)")
      }
    }

    @Test("an installed service has the reader, the grants and the fleet of the options")
    func installedOptions() async throws {
      let home = try TemporaryFolder()
      let environment = ServingProgram.environment(home)
      let seed = home.file("desk-d1.nk")
      let installed = try await ProgramRun.tessera(
        [
          "service", "install", "--reader", "ACS ACR1252", "--grant", "http://localhost:5173=nfc", "--ask", "--fleet",
          "tls://nats.example.org:4222", "--fleet-seed", seed,
        ], environment: environment)
      #expect(installed.status == 0, "\(installed.errors)")
      let unit = try String(contentsOfFile: home.file("config/systemd/user/tessera.service"), encoding: .utf8)
      #expect(
        unit.contains(
          #" serve --grant http://localhost:5173=nfc --ask --reader "ACS ACR1252" "#
            + "--fleet tls://nats.example.org:4222 --fleet-seed \(seed) --fleet-reading witnessed\n"))
      for wrong in [["--grant", "nonsense"], ["--reader", "a", "--virtual"], ["--fleet-seed", seed]] {
        let run = try await ProgramRun.tessera(["service", "install"] + wrong, environment: environment)
        #expect(run.status == 2, "\(wrong): \(run.errors)")
      }
    }

    /// With the first options the service sees its callers, for which it has no user namespace.
    @Test(
      "writes units that systemd accepts, and removes them",
      arguments: [([], 64), (["--allow-sandboxed-browsers"], 56)] as [([String], Int)])
    func units(_ options: [String], _ exposure: Int) async throws {
      let home = try TemporaryFolder()
      let environment = ServingProgram.environment(home)
      let installed = try await ProgramRun.tessera(
        ["service", "install", "--websocket", "127.0.0.1:8484", "--metrics"] + options, environment: environment)
      #expect(installed.status == 0)
      let folder = home.file("config/systemd/user")
      let unit = try String(contentsOfFile: folder + "/tessera.service", encoding: .utf8)
      #expect(
        unit.contains(
          "ExecStart=\(ProgramRun.built("tessera-service").resolvingSymlinksInPath().path) serve "
            + (["--websocket 127.0.0.1:8484"] + options + ["--metrics\n"]).joined(separator: " "))
      )
      #expect(unit.contains("Environment=XDG_CONFIG_HOME=\(home.file("config"))\nEnvironment=XDG_DATA_HOME="))
      #expect(unit.contains("\nEnvironment=XDG_STATE_HOME=\(home.file("state"))\n"))
      for path in ["data/tessera", "state/tessera"] {
        #expect(unit.contains("ReadWritePaths=-\(home.file(path))\n") == !options.isEmpty, "\(path)")
        // systemd cannot make a folder writable that is not there.
        #expect(FileManager.default.fileExists(atPath: home.file(path)))
      }
      #expect(unit.contains("\nPrivateUsers=yes\n") == !options.isEmpty)
      try FileManager.default.createDirectory(atPath: home.file("run"), withIntermediateDirectories: true)
      let isThere = FileManager.default.fileExists(atPath: "/usr/bin/systemd-analyze")
      #expect(isThere || ProcessInfo.processInfo.environment["CI"] != "true", "systemd is missing")
      if isThere {
        let verified = try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/systemd-analyze"),
          ["verify", "--user", "--man=no", folder + "/tessera.socket", folder + "/tessera.service"],
          environment: environment
        ).finish(within: 180)
        #expect(verified.status == 0)
        #expect(verified.errors == "")
        #expect(verified.output == "")
        // 1.6 more than with the settings that drop capabilities, which the unit cannot have on Ubuntu 24.04 (ServiceUnits).
        let security = try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/systemd-analyze"),
          ["security", "--offline=true", "--no-pager", "--threshold=\(exposure)", folder + "/tessera.service"],
          environment: environment
        ).finish(within: 180)
        #expect(security.status == 0, "\(security.output.suffix(200))")
        print(security.output.split(separator: "\n").last ?? "")
      }
      let status = try await ProgramRun.tessera(["service", "status"], environment: environment)
      #expect(status.status == 3)
      #expect(status.output.hasPrefix("units      \(folder)\n"))
      #expect(!status.errors.contains("earlier version"))
      // Units of earlier versions served pages from a user namespace.
      let pages = unit.replacingOccurrences(of: " --allow-sandboxed-browsers", with: "")
      let old = pages + "\n[Service]\nPrivateUsers=yes\n"
      try old.write(toFile: folder + "/tessera.service", atomically: true, encoding: .utf8)
      let outdated = try await ProgramRun.tessera(["service", "status"], environment: environment)
      #expect(outdated.errors.contains("The unit is of an earlier version"), "\(outdated.errors)")
      let service = try await ServingProgram(["--virtual"], home: home)
      let answering = try await ProgramRun.tessera(["service", "status"], environment: environment)
      #expect(answering.status == 0)
      #expect(answering.output.hasSuffix("answers    \(service.socketPath)\n"))
      _ = await service.stop()
      let removed = try await ProgramRun.tessera(["service", "uninstall"], environment: environment)
      #expect(removed.status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    }
  }
}
