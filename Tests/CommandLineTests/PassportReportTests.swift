import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera passport report")
  struct PassportReportTests {
    @Test("writes the page of a stored read to a private file, and to standard output")
    func page() async throws {
      let folder = try TemporaryFolder()
      let dump = folder.file("dump")
      #expect(try await ProgramRun.tessera(["passport", "read", "--virtual", "all", "--out", dump]).status == 0)
      let run = try await ProgramRun.tessera(["passport", "report", dump, "-o", folder.file("page.html")])
      #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
      let page = String(decoding: folder.bytes("page.html"), as: UTF8.self)
      #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
      #expect(page.contains("SPECIMEN") && page.contains("tessera \(TesseraVersion.current)"))
      // The evidence of the read is part of the dump.
      #expect(page.contains("<b>Chip Authentication</b> <span class=\"word\">passed</span>"))
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("page.html"))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      for arguments in [[], ["-o", "-"]] {
        let printed = try await ProgramRun.tessera(["passport", "report", dump] + arguments)
        #expect(printed.status == 0 && printed.output.hasPrefix("<!DOCTYPE html>"))
      }
    }

    @Test("refuses a folder without a document, and a file that cannot be written")
    func refusals() async throws {
      let folder = try TemporaryFolder()
      let empty = try await ProgramRun.tessera(["passport", "report", folder.url.path])
      #expect(empty.status == 2 && empty.output.isEmpty)
      let dump = folder.file("dump")
      #expect(try await ProgramRun.tessera(["passport", "read", "--virtual", "--out", dump]).status == 0)
      let unwritable = try await ProgramRun.tessera(["passport", "report", dump, "-o", folder.file("none/page.html")])
      #expect(unwritable.status == 2 && unwritable.output.isEmpty)
    }
  }
}
