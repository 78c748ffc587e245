import CameraTestSupport
import Foundation
import Tessera
import TestSupport
import Testing

extension RealPrograms {
  @Suite("tessera seal scan", .serialized)
  struct SealScanTests {
    private static func camera(_ page: String, fault: String? = nil) throws -> VirtualCamera {
      let picture = try GrayPicture(decoding: Fixtures.file("Passport/BarcodesTests", "made/\(page).png"))
      return try VirtualCamera(showing: [picture], fault: fault)
    }

    /// Scans with the certificates of the test country Utopia.
    private static func scan(_ camera: VirtualCamera, _ options: String = "") async throws -> ProgramRun {
      let folder = try TemporaryFolder()
      let write = Fixtures.tests.appendingPathComponent("Passport/SealsTests/Vectors/write").path
      return try await RunningProgram(
        URL(fileURLWithPath: "/bin/sh"),
        [
          "-c",
          #"cd "$1" && "$2" etd-v4-p256 && exec env LD_PRELOAD="$3" "$0" seal scan --camera "$4""#
            + " --trust certificates --at 2026-11-28 \(options)",
          ProgramRun.tessera.path, folder.url.path, write, camera.environment["LD_PRELOAD", default: ""], camera.node,
        ], environment: camera.environment.filter { $0.key != "LD_PRELOAD" }
      ).finish()
    }

    @Test("compares the seal with the zone of the same page")
    func compared() async throws {
      let run = try await Self.scan(try Self.camera("seal-and-zone"))
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output.hasPrefix("Genuine seal, by the certificates of UT; it equals the printed MRZ"))
    }

    @Test("its JSON is that of seal verify, with the symbol")
    func json() async throws {
      let run = try await Self.scan(try Self.camera("seal-and-zone"), "--json")
      let report = try JSONValue(text: run.output)
      #expect(report["outcome"] == "genuine" && report["comparison"] == "equalsZone" && report["file"] == nil)
      #expect(report["symbol"]?["format"] == "DataMatrix")
      guard case .array(let corners) = report["symbol"]?["corners"] else {
        Issue.record("no corners: \(run.output.count) characters")
        return
      }
      #expect(corners.count == 4)
    }

    @Test("a seal without a zone is not compared, and the first line says so")
    func alone() async throws {
      let run = try await Self.scan(try Self.camera("seal-alone"))
      #expect(run.status == 0 && run.output.hasPrefix("Genuine seal"), "\(run.errors)")
      #expect(run.output.contains("NOT COMPARED with a document"))
    }

    /// On a loaded machine the scan may end before a frame with the zone lies between two with the seal, so what a proof
    /// needs is a test of `SealSearch`.
    @Test("a zone that differs fails the check: status 5")
    func differs() async throws {
      let run = try await Self.scan(try Self.camera("seal-and-other-zone"))
      #expect(run.status == 5 && !run.output.hasPrefix("Genuine"), "\(run.output) \(run.errors)")
      #expect(run.output.contains("seal.matchesDocument"))
    }

    /// How it is named is a test of `SealSearch`: a loaded machine may have read no frame until then.
    @Test("without a seal until the end of --wait: status 3, and no content of the barcode that is none")
    func other() async throws {
      let run = try await Self.scan(try Self.camera("boarding-pass"), "--wait 6")
      #expect(run.status == 3 && run.output.isEmpty)
      #expect(run.errors.contains("The camera showed"), "\(run.errors)")
      #expect(!run.errors.contains("ERIKSSON"))
    }

    @Test("with a camera in use: status 3, the cause and a remedy; after Ctrl-C: 8")
    func ends() async throws {
      let busy = try await Self.scan(try Self.camera("seal-alone", fault: "open:16"))
      #expect(busy.status == 3 && busy.output.isEmpty && busy.errors.contains("Another program uses"))
      let camera = try Self.camera("boarding-pass")
      let program = try RunningProgram(
        ProgramRun.tessera, ["seal", "scan", "--camera", camera.node], environment: camera.environment)
      #expect(try await camera.wait(untilInUse: true))
      program.send(signal: SIGINT)
      let cancelled = await program.finish()
      #expect(cancelled.status == 8 && cancelled.output.isEmpty)
    }

    @Test("refuses a wrong date before it opens the camera")
    func usage() async throws {
      let run = try await ProgramRun.tessera(["seal", "scan", "--at", "yesterday"])
      #expect(run.status == 2 && run.errors.contains("--at must be a date"))
    }
  }
}
