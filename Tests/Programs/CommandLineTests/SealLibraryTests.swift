import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  /// `tessera` on a machine without libzxing: the loader finds files of its names that are no libraries, first of all. A
  /// program that was linked with it would not start.
  @Suite("tessera without libzxing")
  struct SealLibraryTests {
    private let folder: TemporaryFolder
    private let environment: [String: String]
    private let picture = Fixtures.tests.appendingPathComponent(
      "Passport/BarcodesTests/Fixtures/pictures/00-datamatrix-etd-v4-p256.png"
    ).path

    init() throws {
      folder = try TemporaryFolder()
      for name in ["libZXing.so.2", "libZXing.so.3"] {
        try Data("no library".utf8).write(to: URL(fileURLWithPath: folder.file(name)))
      }
      let others = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
      environment = ["LD_LIBRARY_PATH": folder.url.path + others]
    }

    @Test("a picture needs it, and the error says what to install")
    func picture() async throws {
      let run = try await ProgramRun.tessera(["seal", "verify", picture], environment: environment)
      #expect(run.status == FailureKind.serviceUnavailable.exitStatus && run.output.isEmpty)
      #expect(run.errors.contains("sudo apt install libzxing2 (Debian 12) or libzxing3 (Debian 13)"), "\(run.errors)")
      let json = try await ProgramRun.tessera(["seal", "verify", "--json", picture], environment: environment)
      #expect(json.status == run.status)
      #expect(try JSONValue(text: json.output)["error"]?["code"] == "serviceUnavailable", "\(json.output)")
      // Not because of the picture.
      #expect(try await ProgramRun.tessera(["seal", "verify", picture]).output.contains("Visible digital seal"))
    }

    @Test("the content of a barcode does not need it, and neither does anything else")
    func content() async throws {
      let vectors = Fixtures.tests.appendingPathComponent("Passport/SealsTests/Vectors/vds-made.json")
      let list = Vector(try JSONSerialization.jsonObject(with: Data(contentsOf: vectors)))["vectors"].list
      let vector = try #require(list.first { $0.id == "etd-v4-p256" })
      let file = folder.file("seal.hex")
      try Data(vector["seal_hex"].text.utf8).write(to: URL(fileURLWithPath: file))
      for arguments in [
        ["seal", "verify", "--at", "2026-11-28", file], ["--help"], ["seal", "--help"], ["--version"],
      ] {
        let with = try await ProgramRun.tessera(arguments)
        let without = try await ProgramRun.tessera(arguments, environment: environment)
        #expect(without.status == with.status && without.output == with.output && !with.output.isEmpty)
        #expect(without.errors == with.errors)
      }
    }
  }
}
