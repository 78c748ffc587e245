import Foundation
import Passage
import TesseraJSON
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms.PassageTests {
  /// The cookies with which a program opens a display of an X server.
  @Suite("Cookies of displays")
  struct DisplayCookieTests {
    static let hostName = {
      var name = [CChar](repeating: 0, count: 256)
      gethostname(&name, name.count - 1)
      return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }()

    /// What an entry's address is.
    enum Family: Int {
      case ipv4 = 0
      case ipv6 = 6
      /// This machine, by its name.
      case local = 256
      case any = 0xFFFF
    }

    /// An entry of a file of libXau.
    static func entry(
      _ family: Family, _ address: [UInt8], _ number: String, _ data: [UInt8], name: String = "MIT-MAGIC-COOKIE-1"
    ) -> [UInt8] {
      func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
      return bytes(family.rawValue)
        + [address, Array(number.utf8), Array(name.utf8), data].flatMap { bytes($0.count) + $0 }
    }

    static func cookie(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

    /// - Returns: What the file of the sandbox has, in hexadecimal digits, or an empty text for none.
    private static func found(_ lab: PassageLab, _ file: [UInt8], display: String) async throws -> String {
      try await found(lab, file, display: display) { try await lab.run($0, environment: $1) }
    }

    private static func found(
      _ lab: PassageLab, _ file: [UInt8], display: String,
      run: (_ arguments: [String], _ environment: [String: String]) async throws -> ProgramRun
    ) async throws -> String {
      let path = lab.window.home.file("authority")
      try Data(file).write(to: URL(fileURLWithPath: path))
      let script = """
        import os
        path = os.environ["XAUTHORITY"]
        print(open(path, "rb").read().hex() if os.path.exists(path) else "", end="")
        """
      let run = try await run(
        ["sandbox", "--", "/usr/bin/python3", "-c", script], ["XAUTHORITY": path, "DISPLAY": display])
      try #require(run.status == 0, "\(run.errors)")
      return run.output
    }

    private static func digits(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("of a user's cookies only that of the display comes along, for any name of the machine")
    func ofDisplay() async throws {
      let lab = try await PassageLab()
      let others =
        Self.entry(.local, Array("other".utf8), "7", Self.cookie(1))
        + Self.entry(.local, Self.hostName, "8", Self.cookie(2))
        + Self.entry(.ipv4, [192, 0, 2, 1], "7", Self.cookie(3))
      let own = Self.entry(.local, Self.hostName, "7", Self.cookie(4))
      let later = Self.entry(.local, Self.hostName, "7", Self.cookie(5))
      let expected = Self.digits(Self.entry(.any, [], "7", Self.cookie(4)))
      #expect(try await Self.found(lab, others + own + later, display: ":7.0") == expected)
      #expect(try await Self.found(lab, others + own + later, display: "localhost:7") == expected)
      #expect(try await Self.found(lab, others, display: ":7").isEmpty)
      // A display of another machine, and an entry that is cut off.
      let remote = Self.digits(Self.entry(.any, [], "7", Self.cookie(3)))
      #expect(try await Self.found(lab, others + own, display: "192.0.2.1:7") == remote)
      #expect(try await Self.found(lab, others + own.dropLast(), display: ":7").isEmpty)
    }

    private static let (loopback4, loopback6): ([UInt8], [UInt8]) = (
      [127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]
    )
    private static let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    @Test(
      "a display whose address has digits is known by that, and the loopback device by the machine's name first",
      arguments: [
        ("127.0.0.1:7", Family.local, hostName), ("127.0.0.1:7", .ipv4, loopback4), ("[::1]:7", .local, hostName),
        ("::1:7.0", .ipv6, loopback6), ("192.0.2.1:7", .ipv4, [192, 0, 2, 1]), ("192.0.2.1:7", .any, []),
        ("[::ffff:192.0.2.1]:7", .ipv4, [192, 0, 2, 1]), ("127.0.0.2:7", .ipv4, [127, 0, 0, 2]),
      ])
    func ofAddress(display: String, family: Family, address: [UInt8]) async throws {
      let lab = try await PassageLab()
      let others =
        Self.entry(.ipv4, [192, 0, 2, 9], "7", Self.cookie(1))
        + Self.entry(.ipv6, Self.mapped + [192, 0, 2, 1], "7", Self.cookie(2))
        + Self.entry(family, address, "8", Self.cookie(3))
      let own = Self.entry(family, address, "7", Self.cookie(4))
      // An entry of this machine goes before one of its address.
      let isName = family == .local
      let earlier = isName ? Self.entry(.ipv4, Self.loopback4, "7", Self.cookie(5)) : []
      let expected = Self.digits(Self.entry(.any, [], "7", Self.cookie(4)))
      #expect(try await Self.found(lab, others + earlier + own, display: display) == expected)
    }

    @Test("another address of this machine is not known by its name")
    func otherLoopback() async throws {
      let lab = try await PassageLab()
      let own = Self.entry(.local, Self.hostName, "7", Self.cookie(4))
      #expect(try await Self.found(lab, own, display: "127.0.0.2:7").isEmpty)
    }

    private static let pipePages =
      (try? String(contentsOfFile: "/proc/sys/fs/pipe-user-pages-soft", encoding: .utf8))
      .flatMap { Int($0.dropLast()) } ?? 0

    @Test(
      "a long cookie comes along, also for a user who has so many pipes that another one holds a page",
      .enabled(if: getuid() == 0, "only root becomes a user who has nothing else"),
      .enabled(if: (1...30_000).contains(pipePages), "the system does not limit the pipes of a user as usual"))
    func manyPipesAsRoot() async throws {
      let lab = try await PassageLab()
      let home = lab.window.home.url.path
      let script = """
        import fcntl, os, resource, subprocess, sys
        user = 61_235
        resource.setrlimit(resource.RLIMIT_NOFILE, (4_096, 4_096))
        os.chown(sys.argv[1], user, user)
        os.setgroups([]); os.setgid(user); os.setuid(user)
        # Each pipe takes 16 pages until the limit is reached (pipe(7)).
        limit = int(open("/proc/sys/fs/pipe-user-pages-soft").read())
        pipes = [os.pipe() for number in range(limit // 16 + 2)]
        F_GETPIPE_SZ = 1032
        assert fcntl.fcntl(pipes[-1][0], F_GETPIPE_SZ) < 20_000
        sys.exit(subprocess.run(sys.argv[2:]).returncode)
        """
      let own = Self.entry(.local, Self.hostName, "7", [UInt8](repeating: 4, count: 50_000))
      let found = try await Self.found(lab, own, display: ":7") { arguments, environment in
        try await RunningProgram(
          URL(fileURLWithPath: "/usr/bin/python3"), ["-c", script, home, PassageLab.program.path] + arguments,
          environment: lab.environment.merging(environment) { $1 }
        ).finish(within: 120)
      }
      #expect(found == Self.digits(Self.entry(.any, [], "7", [UInt8](repeating: 4, count: 50_000))))
    }
  }
}
