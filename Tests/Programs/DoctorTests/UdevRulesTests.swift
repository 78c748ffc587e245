import Foundation
import TestSupport
import Testing

@testable import TesseraDoctor

extension RealPrograms {
  @Suite("udev rules")
  struct UdevRulesTests {
    private static let folder = Fixtures.tests.deletingLastPathComponent().appendingPathComponent("udev")
    private static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

    @Test("every file exists, is ordered before the seat rules, and is embedded in the program")
    func names() {
      #expect(Self.files.count >= 1)
      #expect(Self.files == RuleFile.allCases.map(\.fileName).sorted())
      for file in Self.files {
        // 73-seat-late.rules acts on the tag "uaccess".
        #expect(file.wholeMatch(of: #/([0-9]{2})-tessera-[a-z]+\.rules/#).map { $0.1 < "73" } == true)
      }
    }

    @Test("every file conforms to the grammar of udev(7)", arguments: files)
    func grammar(_ file: String) throws {
      let rules = try UdevRules(text(file))
      #expect(rules.assignments("TAG").contains { $0.value == "uaccess" })
      // Only the seat grants access: the group of input devices includes keyboards, and a mode applies to all users.
      for key in ["MODE", "GROUP", "OWNER"] { #expect(rules.assignments(key).isEmpty) }
    }

    /// udevadm verify exists since systemd 254.
    @Test(
      "every file passes udevadm verify", .enabled(if: udevVersion >= 254, "udev \(udevVersion) has no udevadm verify"),
      arguments: files)
    func verify(_ file: String) async throws {
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/udevadm"), ["verify", Self.folder.appendingPathComponent(file).path]
      ).finish(within: 120)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
    }

    @Test("the rules list the same readers as the doctor's list for libnfc")
    func readers() throws {
      let tagged = try UdevRules(text(RuleFile.nfc.fileName)).assignments("TAG").map { _, matches in
        USBIdentity(
          vendor: matches.first { $0.key == "ATTR" && $0.attribute == "idVendor" }?.value ?? "",
          product: matches.first { $0.key == "ATTR" && $0.attribute == "idProduct" }?.value ?? "")
      }
      #expect(tagged.count == 10 && !tagged.contains(nil))
      #expect(Set(tagged.compactMap(\.self)) == USBReader.knownToLibNFC)
    }

    @Test(
      "rejects invalid rules",
      arguments: [
        #"KERNEL="a""#, #"KERNEL=="a" TAG+="b""#, #"KERNEL=="a","#, #"KERNELL=="a""#, #"ATTR=="a""#, #"TAG{x}+="a""#,
        #"TAG+=a"#, #"TAG+="a"#, #"GOTO="end""#, #"LABEL="end""#, "LABEL=\"a\"\nGOTO=\"a\"", "TAG+=\"a\", \\",
        "GOTO=\"a\"\nLABEL=\"a\"\nLABEL=\"a\"", "kernel==\"a\"", "TAG+=\"a\" # no comment here",
      ])
    func defects(_ rule: String) {
      #expect(throws: UdevRules.Defect.self) { try UdevRules(rule) }
    }

    private static let udevVersion: Int = {
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/udevadm")
      process.arguments = ["--version"]
      process.standardOutput = output
      guard (try? process.run()) != nil else { return 0 }
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return Int(text.trimmingCharacters(in: .whitespacesAndNewlines).prefix { $0.isNumber }) ?? 0
    }()

    private func text(_ file: String) throws -> String {
      try String(contentsOf: Self.folder.appendingPathComponent(file), encoding: .utf8)
    }
  }
}
