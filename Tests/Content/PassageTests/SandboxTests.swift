import Foundation
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// A program in the sandbox tries what the same program can do outside of it.
  @Suite("The sandbox, attacked from inside")
  struct SandboxTests {
    /// Nodes of devices that this machine has and this test can open.
    private static func devices() -> [String] {
      let names = [
        "hidraw", "event", "mouse", "tpm", "video", "uinput", "fuse", "kvm", "kmsg", "mem", "loop", "tun", "snapshot",
        "btrfs-control", "autofs", "vsock", "hwrng", "port", "tty0",
      ]
      var found: [String] = []
      for folder in ["/dev", "/dev/input", "/dev/bus/usb/001", "/dev/net"] {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where names.contains(where: name.hasPrefix) || folder.hasPrefix("/dev/bus") {
          let descriptor = open("\(folder)/\(name)", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
          guard descriptor >= 0 else { continue }
          close(descriptor)
          found.append("\(folder)/\(name)")
        }
      }
      return found
    }

    @Test("sockets of the service, of readers and of buses cannot be reached")
    func sockets() async throws {
      let lab = try await PassageLab()
      let prey = try await SocketPrey(lab.window.home)
      let results = try await SandboxAttack.run(lab, ["sockets": .array(prey.paths.map(JSONValue.string))])
      #expect(results.expectCaught() >= 4)
    }

    @Test("the WebSocket of the service refuses what a granted page outside may do")
    func bridge() async throws {
      let lab = try await PassageLab()
      let origin = "https://wallet.example"
      let service = try RunningProgram(
        ProgramRun.tessera, ["serve", "--websocket", "127.0.0.1:0", "--grant", "\(origin)=nfc"],
        environment: lab.environment)
      defer { service.send(signal: SIGKILL) }
      _ = await service.wait { $0.output.contains("\n") || !$0.isRunning }
      let port = service.output.split(separator: ":").last.flatMap { Int64($0.prefix { $0 != "/" }) }
      let bridge: JSONValue = [.integer(try #require(port, "\(service.errors)")), .string(origin)]
      let results = try await SandboxAttack.run(lab, ["bridges": [bridge]])
      #expect(results.expectCaught() == 1)
    }

    @Test("an abstract socket cannot be reached if the display has none")
    func abstractSocket() async throws {
      let lab = try await PassageLab()
      let prey = try await SocketPrey(lab.window.home)
      let display = try await PathDisplay()
      let attempts: JSONValue = ["abstract": [.string(prey.abstract)]]
      let results = try await SandboxAttack.run(lab, attempts, environment: ["DISPLAY": display.name])
      // Older kernels than 6.12 cannot close them, as the article says.
      let isClosed = results.free.landlock >= 6
      #expect(results.free.attempts == ["abstract \(prey.abstract)": true])
      #expect(results.caught.attempts == ["abstract \(prey.abstract)": !isClosed])
    }

    @Test("keys, stores and other files of the user are not there")
    func files() async throws {
      let lab = try await PassageLab()
      let home = lab.window.home
      let system = ["/etc/shadow", "/etc/hostname", "/etc/machine-id"]
      var files = system.filter { access($0, R_OK) == 0 }
      for path in ["data/tessera/keys.json", ".ssh/id_ed25519", "config/tessera/grants", "run/tessera/token"] {
        let file = URL(fileURLWithPath: home.file(path))
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: file)
        files.append(file.path)
      }
      let folders = [home.url.path, home.file(".ssh"), "/etc/systemd", "/var/lib/dpkg", "/sys/class/tty"]
      let results = try await SandboxAttack.run(
        lab,
        [
          "files": .array(files.map(JSONValue.string)), "folders": .array(folders.map(JSONValue.string)),
        ])
      // The home has the folders of Passage and nothing else.
      let ignored = ["folder \(home.url.path)"]
      #expect(results.expectCaught(except: ignored) >= 7)
      #expect(results.caught.entries[home.url.path] == ["data", "state"])
    }

    @Test("no node of a device is there")
    func devices() async throws {
      let lab = try await PassageLab()
      let devices = Self.devices()
      try #require(!devices.isEmpty || getuid() != 0)
      let results = try await SandboxAttack.run(lab, ["devices": .array(devices.map(JSONValue.string))])
      #expect(results.expectCaught() == devices.count)
      let allowed: Set = [
        "console", "core", "dri", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout",
        "tty", "urandom", "zero",
      ]
      let there = results.caught.entries["/dev"] ?? []
      #expect(there.contains("null") && allowed.isSuperset(of: there), "\(there)")
    }

    @Test("other processes cannot be signalled, traced or read, and the key ring of the kernel is closed")
    func processes() async throws {
      let lab = try await PassageLab()
      let prey = try await SocketPrey(lab.window.home)
      let results = try await SandboxAttack.run(
        lab,
        ["processes": [.integer(Int64(prey.process))], "keyring": true, "families": [[16, 16], [16, 15], [17, 0]]])
      // Messages about readers and other devices (generic netlink, events of devices), and raw packets, which an
      // ordinary user has nowhere.
      #expect(results.expectCaught(except: getuid() == 0 ? [] : ["family 17 0"]) >= 6)
    }

    @Test("variables and open files of the host do not come along, and the process has no rights")
    func inheritance() async throws {
      let lab = try await PassageLab()
      let results = try await SandboxAttack.run(
        lab, ["variables": ["TESSERA_TEST_SECRET"]], environment: ["TESSERA_TEST_SECRET": "1"],
        // A host program that opened a file, and hands it to every program that it starts.
        before: ["/bin/sh", "-c", #"exec 9</etc/passwd; exec "$@""#, "sh"])
      #expect(results.expectCaught() == 1)
      #expect(results.caught.facts["NoNewPrivs"] == "1")
      #expect(results.caught.facts["Seccomp"] == "2")
      #expect(results.caught.facts["CapEff"] == "0000000000000000")
      #expect(results.free.descriptors.contains(9))
      #expect(results.caught.descriptors == [0, 1, 2])
      #expect(results.caught.user == (getuid() == 0 ? 60_777 : Int(getuid())))
    }

    @Test("a program that was started without standard streams gets none of another file's")
    func closedStreams() async throws {
      let lab = try await PassageLab()
      // The sandbox can write here only.
      let folder = lab.window.home.file("data/tessera/passage")
      let script = """
        import os, sys
        links = [os.readlink("/proc/self/fd/%d" % number) for number in range(3)]
        open(sys.argv[1] + "/links", "w").write(" ".join(links))
        """
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", #"exec "$@" <&- >&- 2>&-"#, "sh", PassageLab.program.path, "sandbox", "--", "/usr/bin/python3", "-c"]
          + [script, folder],
        environment: lab.environment
      ).finish(within: 120)
      #expect(run.status == 0)
      let links = try String(contentsOfFile: folder + "/links", encoding: .utf8)
      #expect(links == "/dev/null /dev/null /dev/null")
    }

    @Test("a system without namespaces for users is refused, with a remedy; nothing runs unprotected")
    func noNamespaces() async throws {
      let lab = try await PassageLab()
      let outer = [
        "--dev-bind", "/", "/", "--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns", "--",
        PassageLab.program.path,
      ]
      let arguments = ["open", "--ui-url", "https://a.example", "--api-url", "https://a.example"]
      for words in [arguments, ["sandbox", "--", "/usr/bin/true"]] {
        let run = try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/bwrap"), outer + words, input: "t", environment: lab.environment
        ).finish(within: 60)
        #expect(run.status == 3, "\(run.errors)")
        #expect(
          run.errors.contains("does not run without it") && run.errors.contains("user namespaces"), "\(run.errors)")
        #expect(run.output.isEmpty)
        // The process of the session says it, and then “open” itself: it waits for what that process said last.
        let count = run.errors.components(separatedBy: "does not run without it").count - 1
        #expect(count == (words == arguments ? 2 : 1), "\(run.errors)")
      }
    }

    @Test("a session outside of the sandbox refuses to run")
    func unconfined() async throws {
      let lab = try await PassageLab()
      let run = try await lab.run(["sandbox", "--confined", "--", "/usr/bin/true"])
      #expect(run.status == 3)
      #expect(run.errors.contains("not in the sandbox of Passage"), "\(run.errors)")
    }
  }

  /// Sockets with a listener that anyone may connect to.
  final class SocketPrey: Sendable {
    let paths: [String]
    let abstract = "tessera-passage-test-\(UUID().uuidString)"
    private let listener: RunningProgram
    var process: Int32 { listener.processIdentifier }

    init(_ home: TemporaryFolder) async throws {
      try FileManager.default.createDirectory(
        atPath: home.file("run/tessera"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
      let own = ["run/tessera/bridge.sock", "run/bus", "run/pcscd.comm", "keyring.sock"].map(home.file)
      // Those of this machine, if they are there.
      paths = own + ["/run/pcscd/pcscd.comm", "/run/dbus/system_bus_socket"].filter { access($0, F_OK) == 0 }
      let script = """
        import os, signal, socket, sys
        os.umask(0)
        sockets = []
        for path in sys.argv[1:]:
            sockets.append(socket.socket(socket.AF_UNIX))
            sockets[-1].bind(path.replace("@", "\\0"))
            sockets[-1].listen(100)
        print("ready", flush=True)
        signal.pause()
        """
      let listener = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"), ["-c", script] + own + ["@" + abstract])
      self.listener = listener
      _ = await listener.wait(within: 60) { $0.output.contains("ready") || !$0.isRunning }
      try #require(listener.isRunning, "\(listener.errors)")
    }

    deinit { listener.send(signal: SIGKILL) }
  }

  /// An X server that listens on no abstract socket.
  final class PathDisplay: Sendable {
    private let server: RunningProgram
    let name: String

    /// - Parameters:
    ///   - keys: The file with the keys that the server asks for; nil for a server that lets everyone in.
    ///   - isOnNetwork: Whether it also listens on a port, which is 6000 and its number.
    init(_ number: Int = number(), keys: String? = nil, isOnNetwork: Bool = false) async throws {
      let server = try RunningProgram(
        URL(fileURLWithPath: "/usr/bin/Xvfb"),
        [
          ":\(number)", "-screen", "0", "640x480x24", isOnNetwork ? "-listen" : "-nolisten", "tcp", "-nolisten",
          "local", "-noreset",
        ] + (keys.map { ["-auth", $0] } ?? []))
      self.server = server
      name = ":\(number)"
      let path = "/tmp/.X11-unix/X\(number)"
      _ = await server.wait(within: 60) { access(path, F_OK) == 0 || !$0.isRunning }
      try #require(server.isRunning, "\(server.errors)")
    }

    /// A number for a server. The server itself would choose one whose abstract socket another server has.
    static func number() -> Int { Int.random(in: 1_000..<30_000) }

    deinit { server.send(signal: SIGTERM) }
  }
}
