import Foundation
import Passage
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension PassageTests {
  /// The cookies with which a program opens a display of an X server.
  @Suite("Cookies of displays")
  struct DisplayCookieTests {
    private static let hostName = {
      var name = [CChar](repeating: 0, count: 256)
      gethostname(&name, name.count - 1)
      return name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    }()
    /// This machine by its name, IPv4, and any.
    private static let (local, ipv4, any): (UInt16, UInt16, UInt16) = (256, 0, 0xFFFF)

    /// An entry of a file of libXau.
    private static func entry(_ family: UInt16, _ address: [UInt8], _ number: String, _ data: [UInt8]) -> [UInt8] {
      func bytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
      return bytes(Int(family))
        + [address, Array(number.utf8), Array("MIT-MAGIC-COOKIE-1".utf8), data].flatMap { bytes($0.count) + $0 }
    }

    private static func cookie(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

    /// - Returns: What the file of the sandbox has, in hexadecimal digits, or an empty text for none.
    private static func found(_ lab: PassageLab, _ file: [UInt8], display: String) async throws -> String {
      let path = lab.window.home.file("authority")
      try Data(file).write(to: URL(fileURLWithPath: path))
      let script = """
        import os
        path = os.environ["XAUTHORITY"]
        print(open(path, "rb").read().hex() if os.path.exists(path) else "", end="")
        """
      let run = try await lab.run(
        ["sandbox", "--", "/usr/bin/python3", "-c", script], environment: ["XAUTHORITY": path, "DISPLAY": display])
      try #require(run.status == 0, "\(run.errors)")
      return run.output
    }

    private static func digits(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("of a person's cookies only that of the display comes along, for any name of the machine")
    func ofDisplay() async throws {
      let lab = try await PassageLab()
      let others =
        Self.entry(Self.local, Array("other".utf8), "7", Self.cookie(1))
        + Self.entry(Self.local, Self.hostName, "8", Self.cookie(2))
        + Self.entry(Self.ipv4, [192, 0, 2, 1], "7", Self.cookie(3))
      let own = Self.entry(Self.local, Self.hostName, "7", Self.cookie(4))
      let later = Self.entry(Self.local, Self.hostName, "7", Self.cookie(5))
      let expected = Self.digits(Self.entry(Self.any, [], "7", Self.cookie(4)))
      #expect(try await Self.found(lab, others + own + later, display: ":7.0") == expected)
      #expect(try await Self.found(lab, others + own + later, display: "localhost:7") == expected)
      #expect(try await Self.found(lab, others, display: ":7").isEmpty)
      // A display of another machine, and an entry that is cut off.
      let remote = Self.digits(Self.entry(Self.any, [], "7", Self.cookie(3)))
      #expect(try await Self.found(lab, others + own, display: "192.0.2.1:7") == remote)
      #expect(try await Self.found(lab, others + own.dropLast(), display: ":7").isEmpty)
    }
  }
}
