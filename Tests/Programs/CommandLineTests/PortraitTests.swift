import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("The portrait and the report's content")
  struct PortraitTests {
    @Test("a colour terminal shows it, unless NO_COLOR is set", arguments: [true, false])
    func terminal(_ isColoured: Bool) async throws {
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/script"), ["-qec", "\(ProgramRun.tessera.path) demo", "/dev/null"],
        environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": isColoured ? "" : "1"]
      ).finish()
      #expect(run.status == 0)
      // Eighteen lines of half blocks in true colour.
      let lines = run.output.split(whereSeparator: \.isNewline).filter {
        $0.contains("\u{2580}") && $0.contains("38;2;")
      }
      #expect(lines.count == (isColoured ? 18 : 0))
      #expect(run.output.contains("\u{1B}[32m") == isColoured)
      // The progress has no colour.
      #expect(run.output.contains("Reading DG2  ["), "\(run.output)")
    }

    @Test("a colour terminal says why it shows no portrait")
    func unsupported() async throws {
      let folder = try TemporaryFolder()
      let face = FacialImage(data: Fixtures.file("Passport/PicturesTests", "lossless.jpg"), width: 24, height: 16)
      let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
      let document = try SpecimenDocument(groups: [
        1: DataGroup1(zone: zone).encoded, 2: DataGroup2(faces: [face]).encoded,
      ])
      try folder.write(document.files)
      let command = "\(ProgramRun.tessera.path) passport read --virtual --files \(folder.file("chip"))"
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/script"), ["-qec", command, "/dev/null"],
        environment: ["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": ""]
      ).finish()
      #expect(run.output.contains("No portrait. The image is a lossless JPEG, which Tessera does not support."))
    }

    @Test("reports an image that cannot be decoded, and how to save the original")
    func broken() async throws {
      let folder = try TemporaryFolder()
      let face = FacialImage(data: Array(SpecimenDocument.portrait.prefix(100)), width: 413, height: 531)
      let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
      let document = try SpecimenDocument(groups: [
        1: DataGroup1(zone: zone).encoded, 2: DataGroup2(faces: [face]).encoded,
      ])
      try folder.write(document.files)
      let arguments = ["passport", "read", "--virtual", "--files", folder.file("chip"), "--portrait"]
      let refused = try await ProgramRun.tessera(arguments + [folder.file("p.png")])
      #expect(refused.status == 6 && refused.errors.contains("does not end in .png"))
      #expect(refused.output.contains("passive.hashes"), "the report is shown as well")
      #expect(!FileManager.default.fileExists(atPath: folder.file("p.png")))
      let raw = try await ProgramRun.tessera(arguments + [folder.file("p.jpg")])
      #expect(raw.status == 0 && folder.bytes("p.jpg") == face.data)
      #expect(raw.output.contains("Malformed: DG2, biometric information template 1"))
    }

    @Test("an image that cannot be decoded does not hide a failed check", arguments: [false, true])
    func brokenAndChanged(_ asJSON: Bool) async throws {
      let folder = try TemporaryFolder()
      let zone = try MachineReadableZone(SpecimenDocument.content, format: .td3)
      func group(_ data: [UInt8]) -> [UInt8] {
        DataGroup2(faces: [FacialImage(data: data, width: 413, height: 531)]).encoded
      }
      try folder.write(
        try SpecimenDocument(groups: [1: DataGroup1(zone: zone).encoded, 2: group(SpecimenDocument.portrait)]).files)
      // EF.SOD has a different digest.
      try Data(group(Array(SpecimenDocument.portrait.prefix(100)))).write(
        to: URL(fileURLWithPath: folder.file("chip/DG2.bin")))
      let run = try await ProgramRun.tessera(
        ["passport", "read", "--virtual", "--files", folder.file("chip"), "--portrait", folder.file("p.png")]
          + (asJSON ? ["--json"] : []))
      #expect(run.status == 5 && run.errors.contains("does not end in .png"))
      #expect(!FileManager.default.fileExists(atPath: folder.file("p.png")))
      if asJSON {
        #expect(try JSONValue(text: run.output)["checks"] != nil)
      } else {
        #expect(run.output.contains("FAILED"))
      }
    }

    @Test("the report of a document with optional data groups shows their content, as text and JSON")
    func details() async throws {
      let folder = try TemporaryFolder()
      try folder.write(try SpecimenDocument.withEveryGroup().files)
      let arguments = ["passport", "read", "--virtual", "--files", folder.file("chip")]
      let text = try await ProgramRun.tessera(arguments)
      #expect(text.status == 0)
      for part in [
        "ΣΠΕΣΙΜΕΝ, ΤΕΣΣΑ ΜΑΡΙΑ", "МОЗАИКА, ТЕССА; SPECIMEN, TESS", "AMAUROTUM, UTOPIA", "JPEG 2000, 207 x 266",
        "2 persons", "2025-07-01 12:30:59",
      ] {
        #expect(text.output.contains(part), "\(part)")
      }
      let json = try JSONValue(text: try await ProgramRun.tessera(arguments + ["--json"]).output)
      let content = json["content"]
      #expect(content?["personsToNotify"] == 2)
      #expect(content?["personalDetails"]?["placeOfBirth"] == "AMAUROTUM<UTOPIA")
      guard case .array(let faces)? = content?["faces"] else {
        Issue.record("no faces")
        return
      }
      #expect(faces.count == 3 && faces[0]["image"]?["width"] == 413)
    }
  }
}

extension TemporaryFolder {
  /// Writes every file to the folder `chip`.
  fileprivate func write(_ files: ChipFiles) throws {
    try FileManager.default.createDirectory(atPath: file("chip"), withIntermediateDirectories: true)
    for entry in files.all {
      try Data(files[entry] ?? []).write(to: URL(fileURLWithPath: file("chip/\(entry.name).bin")))
    }
  }
}
