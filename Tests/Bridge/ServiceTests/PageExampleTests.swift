import Foundation
import TesseraBridge
import TesseraKeys
import TesseraVirtualChip
import TestSupport
import Testing

extension RealPrograms.BrowserTests {
  /// The JavaScript of README and of the article about the service that imports the client.
  private static func examples() throws -> [String] {
    let root = Fixtures.tests.deletingLastPathComponent()
    return try ["README.md", "Sources/Tessera/Tessera.docc/TheService.md"].flatMap { name in
      let text = try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
      return text.components(separatedBy: "```javascript\n").dropFirst()
        .compactMap { $0.components(separatedBy: "\n```").first }
    }.filter { $0.contains("/tessera.js\"") }
  }

  @Test(
    "the examples of README and of the article run as they stand: a scan, a signature that the browser verifies",
    .enabled(if: isEnabled, "Chromium is missing: apt-get install chromium"))
  func examplesOfPages() async throws {
    let site = try await Site()
    defer { site.stop() }
    let origin = "http://127.0.0.1:\(site.ports[0])"
    let folder = try TemporaryFolder()
    let router = MessageRouter.withSystemProviders(
      cards: .virtual(.bac, try SpecimenDocument().files),
      keys: FileKeyStore(path: folder.file("keys"), newKeys: .unprotected, secrets: NonInteractive()))
    // A text is no bytes; it would be signed as none.
    let text = """
      import {crypt} from "http://127.0.0.1:8484/tessera.js";
      try { await crypt.sign("agreement", "I agree."); } catch (error) { console.log(error.code); }
      """
    let examples = try Self.examples() + [text]
    #expect(examples.count == 5)
    try await ServiceUnderTest.with(router, grants: ["\(origin)=nfc,crypto"]) { service in
      for example in examples {
        let last: JSONValue =
          example == text ? "INVALID_PARAMS" : example.contains("crypt.sign") ? true : "SPECIMEN"
        let earlier = site.reports.count
        let page = """
          <!doctype html><meta charset="utf-8">
          <script>
          const report = (...values) => fetch("/report", {method: "POST", body: JSON.stringify(values)});
          console.log = report;
          addEventListener("unhandledrejection", (event) => report(String(event.reason), "failed"));
          </script>
          <script type="module">
          \(example.replacing("http://127.0.0.1:8484", with: "http://127.0.0.1:\(service.port)"))
          </script>
          """
        try site.write(Array(page.utf8), to: "page.html")
        try await Self.show("\(origin)/page.html") {
          await site.wait { reports in
            reports.dropFirst(earlier).contains { report in
              guard case .array(let values) = report else { return false }
              return [last, "failed"].contains(values.last ?? .null)
            }
          }
        }
        let ends = site.reports.dropFirst(earlier).compactMap { report -> JSONValue? in
          guard case .array(let values) = report else { return nil }
          return values.last
        }
        #expect(ends.contains(last), "\(example)\n\(ends)")
      }
    }
  }
}
