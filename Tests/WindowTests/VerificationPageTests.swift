import Foundation
import TesseraCore
import TestSupport
import Testing

extension WindowTests {
  @Suite("The verification page")
  struct VerificationPageTests {
    @Test(
      "a person with a keyboard reads a document on a reader, and the program prints the result",
      .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"))
    func keyboard() async throws {
      let lab = try await WindowLab()
      let cards = try await SmartCardLab()
      defer { cards.stop() }
      let chip = try await cards.insertChip()
      defer { chip.send(signal: SIGKILL) }
      let request = lab.home.file("request.json")
      try #"{"scope": "the front desk", "userId": "guest 12", "disclosures": ["surname", "dateOfExpiry"]}"#.write(
        toFile: request, atomically: false, encoding: .utf8)
      let program = try await lab.open(["--request", request, "--json"], environment: cards.environment)
      let window = try #require(try await lab.windows().first)
      // The page shows who asks, and the focus is in the first field.
      try await Task.sleep(for: .seconds(3))
      try await lab.type("TS0264718", in: window)
      try await lab.press(["Tab"], in: window)
      try await lab.type("14.02.1990", in: window)
      try await lab.press(["Tab"], in: window)
      try await lab.type("350630", in: window)
      try await lab.press(["Return"], in: window)
      // The read takes a moment; then the focus is on the verdict, and the next stop is "Done".
      for _ in 0..<60 where program.isRunning {
        try await Task.sleep(for: .seconds(1))
        try await lab.press(["Tab", "Return"], in: window)
      }
      let run = await program.finish(within: 60)
      // The country of the chip is not installed, so the verdict is open and the page reports that.
      #expect(run.status == 5, "\(run.output) \(run.errors)")
      #expect(try JSONValue(text: run.output)["error"]?["code"] == "NOT_ESTABLISHED")
      #expect(!run.errors.contains("TS0264718") && !run.errors.contains("900214"))
    }

    struct Appearance: CustomTestStringConvertible, Sendable {
      let name: String
      var document = "all"
      var width = 900
      var environment: [String: String] = [:]
      var testDescription: String { name }

      static let all = [
        Appearance(name: "light"),
        Appearance(
          name: "dark", document: "fault-clone",
          environment: ["GTK_THEME": "Adwaita:dark", "LANG": "de_DE.UTF-8"]),
        Appearance(name: "narrow", width: 380), Appearance(name: "right to left", document: "arabic"),
      ]
    }

    @Test("it looks as it should, with readable contrast and without horizontal scrolling", arguments: Appearance.all)
    func appearance(_ appearance: Appearance) async throws {
      let lab = try await WindowLab()
      // To look at the pictures: TESSERA_WINDOW_PICTURES names a folder.
      let kept = ProcessInfo.processInfo.environment["TESSERA_WINDOW_PICTURES"].map { "\($0)/\(appearance.name)" }
      let folder = kept ?? lab.home.file("pictures")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let contrast = Fixtures.tests.appendingPathComponent("WindowTests/Site/contrast.js").path
      let seen = try await lab.run(
        ["pictures", folder, appearance.document, "\(appearance.width)", "900", contrast],
        environment: appearance.environment)
      let isDark = appearance.name == "dark"
      for part in ["enter", "result"] {
        let facts = seen["\(part) facts"]
        #expect(facts["overflow"] == 0)
        #expect(facts["dark"] == .bool(isDark))
        #expect(facts["language"] == (isDark ? "de" : "en"))
        #expect(facts["width"] == .integer(Int64(appearance.width)))
        let texts = seen["\(part) contrast"].elements
        #expect(texts.count >= 10)
        for text in texts { #expect((Double(text["ratio"]?.text ?? "") ?? 0) >= 4.5, "\(text)") }
        let picture = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(part).png"))
        #expect(picture.count > 10_000)
      }
      let facts = seen["result facts"]
      #expect((facts["portrait"].flatMap { Int($0.text) } ?? 0) > 100)
      #expect(facts["verdict"] == (isDark ? "Nicht echt" : "Genuine"))
      #expect(facts["checks"]?.elements.count == 12)
      if appearance.name == "right to left" {
        #expect(facts["data"]?.texts.first == "محمد عبد الله, الخطيب")
        #expect(facts["directions"]?.texts.first == "rtl")
        #expect(facts["directions"]?.texts.dropFirst().first == "ltr")
      }
      if isDark {
        #expect(seen["claims"] == .null, "a clone has no claims")
        #expect(facts["checks"]?.texts.first == "failed", "failures come first")
      } else {
        #expect(seen["claims"]["documentNumber"] == "TS0264718" && seen["claims"]["outcome"] == "genuine")
      }
    }

    @Test(
      "when the process of the page is killed in the middle of a scan, the scan ends, the reader is free and the page returns",
      .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"))
    func crash() async throws {
      let cards = try await SmartCardLab()
      defer { cards.stop() }
      let chip = try await cards.insertChip(["--latency", "25"])
      defer { chip.send(signal: SIGKILL) }
      let seen = try await WindowLab().run(["crash"], environment: cards.environment)
      #expect(seen["bytes"].stringValue?.contains("bytes") == true)
      #expect((Int(seen["killed"].text) ?? 0) > 0)
      #expect(seen["notice"] == true)
      #expect(seen["number"] == "", "nothing is left in the new page")
      #expect(seen["verdict"] == "Not established")
    }

    @Test("its scripts have no type errors")
    func types() async throws {
      let compiler = "/usr/bin/tsc"
      guard FileManager.default.isExecutableFile(atPath: compiler) else {
        #expect(ProcessInfo.processInfo.environment["CI"] != "true", "\(compiler) is missing")
        return
      }
      let folder = Fixtures.tests.deletingLastPathComponent().appendingPathComponent(
        "Sources/TesseraVerificationPage/Files")
      let run = await try RunningProgram(
        URL(fileURLWithPath: compiler),
        [
          "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "es2022", "--lib",
          "es2022,dom,dom.iterable", folder.appendingPathComponent("main.js").path,
        ]
      ).finish()
      #expect(run.status == 0, "\(run.output)")
    }
  }
}
