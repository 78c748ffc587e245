import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// What the sandbox hides of a machine that has it: another sandbox around the program pretends such a machine.
  @Suite("The sandbox, on a machine with keys, graphics cards and a proxy")
  struct SandboxMachineTests {
    /// A command that runs what follows on a machine with a key of a server, which all can read, and two nodes of a
    /// graphics device.
    private static func machine(_ lab: PassageLab) throws -> [String] {
      let key = lab.window.home.file("key.pem")
      try Data("secret".utf8).write(to: URL(fileURLWithPath: key))
      return [
        "/usr/bin/bwrap", "--bind", "/", "/", "--dev", "/dev", "--perms", "0755", "--dir", "/dev/dri",
        "--dev-bind", "/dev/null", "/dev/dri/card0", "--dev-bind", "/dev/zero", "/dev/dri/renderD128",
        "--tmpfs", "/etc/ssl", "--ro-bind", "/etc/ssl/certs", "/etc/ssl/certs",
        "--perms", "0755", "--dir", "/etc/ssl/private",
        "--ro-bind", key, "/etc/ssl/private/key.pem", "--",
      ]
    }

    @Test("private keys of servers are not there, although the certificates beside them are")
    func keys() async throws {
      let lab = try await PassageLab()
      let results = try await SandboxAttack.run(
        lab, ["folders": ["/etc/ssl/private", "/etc/ssl/certs"], "files": ["/etc/ssl/private/key.pem"]],
        before: try Self.machine(lab))
      #expect(results.expectCaught(except: ["folder /etc/ssl/certs"]) == 2)
      #expect(results.free.entries["/etc/ssl/private"] == ["key.pem"])
      #expect(results.caught.attempts["folder /etc/ssl/certs"] == true)
    }

    @Test("of a graphics device only the node that draws is there")
    func graphics() async throws {
      let lab = try await PassageLab()
      let (card, render) = ("/dev/dri/card0", "/dev/dri/renderD128")
      let results = try await SandboxAttack.run(
        lab, ["devices": [.string(card), .string(render)], "folders": ["/dev/dri"]], before: try Self.machine(lab))
      #expect(results.free.attempts == ["device \(card)": true, "device \(render)": true, "folder /dev/dri": true])
      #expect(results.caught.attempts == ["device \(card)": false, "device \(render)": true, "folder /dev/dri": true])
      #expect(results.caught.entries["/dev/dri"] == ["renderD128"])
    }

    @Test("the password of a proxy is a variable in the sandbox, and no argument that every user can list")
    func arguments() async throws {
      let lab = try await PassageLab()
      let secret = "password-\(UUID().uuidString)"
      let script = "import os, sys; print(os.environ['https_proxy'], flush=True); sys.stdin.read()"
      let input = Pipe()
      let program = try RunningProgram(
        PassageLab.program, ["sandbox", "--", "/usr/bin/python3", "-c", script], standardInput: input,
        environment: lab.environment.merging(["https_proxy": "http://user:\(secret)@127.0.0.1:1/"]) { $1 })
      _ = await program.wait(within: 120) { $0.output.contains("\n") || !$0.isRunning }
      #expect(program.output == "http://user:\(secret)@127.0.0.1:1/\n", "\(program.errors)")
      let own = Processes.arguments(program.processIdentifier)
      #expect(own.first?.hasSuffix("bwrap") == true && own.contains("/usr/bin/python3"), "\(own.first ?? "none")")
      #expect(!Processes.all.contains { Processes.arguments($0).contains { $0.contains(secret) } })
      try input.fileHandleForWriting.close()
      #expect(await program.finish(within: 120).status == 0)
    }

    @Test("the process with the views has neither the host's standard error nor a socket that its pages inherit")
    @MainActor
    func descriptors() async throws {
      let lab = try await PassageLab()
      let controller = try await Controller()
      try controller.configure("/home.html")
      let passage = lab.passage(controller)
      let callbacks = Callbacks()
      passage.open(callbacks.options(PassageLab.token()))
      // The branded page was loaded, so WebKit's processes run, too.
      try await controller.wait("the configuration") { $0.contains { $0["event"] == "configuration" } }
      let home = "XDG_DATA_HOME=\(lab.window.home.file("data"))"
      let processes = Processes.all.filter { Processes.environment($0).contains(home) }
      let views = processes.filter {
        let arguments = Processes.arguments($0)
        return arguments.first?.hasSuffix("tessera-passage") == true && arguments.contains("--confined")
      }
      let process = try #require(views.first)
      #expect(views.count == 1)
      let own = try #require(Processes.link(2, of: getpid()))
      #expect(Processes.link(2, of: process).map { $0 != own } == true)
      // O_CLOEXEC of this socket.
      let host = try #require(Processes.link(3, of: process))
      #expect(host.hasPrefix("socket:"))
      let flags = try #require(Processes.flags(3, of: process))
      #expect(flags & 0o2_000_000 != 0, "\(String(flags, radix: 8))")
      passage.close()
      #expect(try await callbacks.exit() == .programmaticClose)
    }

    @Test(
      "a program opens the display with the key that the sandbox has, and not without", arguments: ["", "127.0.0.1"])
    func displayKey(host: String) async throws {
      let lab = try await PassageLab()
      let (number, keys) = (PathDisplay.number(), lab.window.home.file("keys"))
      let key = DisplayCookieTests.entry(
        .local, DisplayCookieTests.hostName, "\(number)", DisplayCookieTests.cookie(1))
      try Data(key).write(to: URL(fileURLWithPath: keys))
      let display = try await PathDisplay(number, keys: keys, isOnNetwork: !host.isEmpty)
      let script = """
        import ctypes
        library = ctypes.CDLL("libX11.so.6")
        library.XOpenDisplay.restype = ctypes.c_void_p
        print(library.XOpenDisplay(None) is not None)
        """
      for (file, result) in [(keys, "True\n"), ("/nowhere", "False\n")] {
        let run = try await lab.run(
          ["sandbox", "--", "/usr/bin/python3", "-c", script],
          environment: ["DISPLAY": host + display.name, "XAUTHORITY": file])
        #expect(run.output == result, "\(run.errors)")
      }
    }

    @Test("root follows nothing that a session wrote", .enabled(if: getuid() == 0))
    func rootAsRoot() async throws {
      let lab = try await PassageLab()
      // Makes the folders, with the identity of the sandbox as their owner.
      try #require(try await lab.run(["sandbox", "--", "/usr/bin/true"]).status == 0)
      let (log, folder) = (
        lab.window.home.file("state/tessera/passage/sent.jsonl"), lab.window.home.file("data/tessera/passage/cache")
      )
      let file = folder + "/file"
      try Data("{}\n".utf8).write(to: URL(fileURLWithPath: log))
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: file))
      chmod(log, 0o600)
      // Files of root, to which the identity has no right.
      #expect(try await lab.run(["log"]).status == 7)
      #expect(try await lab.run(["clear"]).status == 7)
      #expect(access(file, F_OK) == 0)
      for path in [log, folder, file] { try #require(lchown(path, 60_777, 60_777) == 0) }
      #expect(try await lab.run(["log"]).status == 0)
      #expect(try await lab.run(["clear"]).status == 0)
      #expect(access(folder, F_OK) != 0 && access(log, F_OK) != 0)
    }
  }

  /// The processes of this machine, by `/proc`.
  enum Processes {
    static var all: [pid_t] {
      ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
    }

    static func arguments(_ process: pid_t) -> [String] { words("/proc/\(process)/cmdline") }
    static func environment(_ process: pid_t) -> [String] { words("/proc/\(process)/environ") }

    /// What a descriptor leads to.
    static func link(_ descriptor: Int32, of process: pid_t) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(descriptor)")
    }

    /// The flags of a descriptor, as open(2) has them.
    static func flags(_ descriptor: Int32, of process: pid_t) -> Int? {
      let lines = text("/proc/\(process)/fdinfo/\(descriptor)").split(separator: "\n")
      return lines.first { $0.hasPrefix("flags:") }.flatMap {
        Int($0.dropFirst(6).trimmingCharacters(in: .whitespaces), radix: 8)
      }
    }

    private static func words(_ path: String) -> [String] { text(path).split(separator: "\0").map(String.init) }

    private static func text(_ path: String) -> String {
      // A file of `/proc` has no length.
      let handle = FileHandle(forReadingAtPath: path)
      defer { try? handle?.close() }
      return (try? handle?.readToEnd()).flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
  }
}
