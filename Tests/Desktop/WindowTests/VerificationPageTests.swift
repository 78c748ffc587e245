import CameraTestSupport
import Foundation
import TesseraBridge
import TesseraCore
import TesseraPictures
import TesseraVerificationPage
import TesseraWebClient
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("The verification page")
  struct VerificationPageTests {
    @Test(
      "a user with a keyboard reads a document on a reader, and the program prints the result",
      .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"))
    func keyboardAsRoot() async throws {
      let lab = try await WindowLab()
      let cards = try await SmartCardLab()
      defer { cards.stop() }
      let chip = try await cards.insertChip()
      defer { chip.send(signal: SIGKILL) }
      let request = lab.home.file("request.json")
      try #"{"scope": "the front desk", "userId": "guest 12", "disclosures": ["surname", "dateOfExpiry"]}"#.write(
        toFile: request, atomically: false, encoding: .utf8)
      let program = try await lab.open(["--request", request, "--json"], environment: cards.environment)
      try await Self.read(lab)
      let run = try await Self.done(program, "Not established", lab)
      // The country of the chip is not installed, so the verdict is open and the page reports that.
      #expect(run.status == 5, "\(run.output) \(run.errors)")
      #expect(try JSONValue(text: run.output)["error"]?["code"] == "NOT_ESTABLISHED")
      #expect(!run.errors.contains("TS0264718") && !run.errors.contains("900214"))
    }

    @Test("the report is saved where the user chooses, and no list of recent files has its name")
    func save() async throws {
      let lab = try await WindowLab()
      let program = try await lab.open(["--virtual"])
      defer { program.send(signal: SIGKILL) }
      try await Self.read(lab)
      let window = try await lab.window("Genuine")
      let others = try await lab.windows("")
      try await lab.press(["Tab", "Tab", "Return"], in: window)
      let dialog = try await lab.newWindow(beside: others)
      try await lab.press(["ctrl+a"], in: dialog)
      let file = lab.home.file("saved.html")
      try await lab.type(file, in: dialog)
      // The dialog completes names in the background; until it has, it ignores the key.
      _ = try await isTrue(within: .seconds(120), every: .milliseconds(500)) {
        if FileManager.default.fileExists(atPath: file) { return true }
        try await lab.press(["Return"], in: dialog)
        return false
      }
      _ = await program.wait(within: 120) { _ in (try? Data(contentsOf: URL(fileURLWithPath: file)).count) ?? 0 > 10_000
      }
      let report = try String(contentsOfFile: file, encoding: .utf8)
      #expect(report.contains("TS0264718") && report.contains("<h2>Genuine</h2>"))
      let recent = (try? String(contentsOfFile: lab.home.file("data/recently-used.xbel"), encoding: .utf8)) ?? ""
      #expect(!recent.contains("saved.html"))
    }

    @Test("the camera fills in the form under a live picture that the page cannot see, and Escape ends it")
    func camera() async throws {
      let lab = try await WindowLab()
      let page = try GrayPicture(decoding: Fixtures.file("Passport/MRZRecognitionTests", "specimen.jpg"))
      let blank = try GrayPicture(width: page.width, height: page.height) { $0.update(repeating: 190) }
      let camera = try VirtualCamera(showing: [blank])
      let program = try await lab.open(["--virtual", "--json"], environment: camera.environment)
      let window = try await lab.window("Check a document")
      try await Self.useCamera(camera, lab, window)
      try await lab.keepPicture("camera-blank", of: window)
      try await lab.press(["Escape"], in: window)
      #expect(try await camera.wait(untilInUse: false))
      try await lab.keepPicture("camera-cancelled", of: window)
      // The page hears of the end after the camera was closed. Until then its button does nothing.
      for _ in 0..<20 where !camera.isInUse {
        try await lab.press(["Return"], in: window)
        _ = try await camera.wait(untilInUse: true, within: 5)
      }
      #expect(camera.isInUse)
      try camera.show([page])
      #expect(try await camera.wait(untilInUse: false))
      try await Task.sleep(for: .seconds(1))
      try await lab.keepPicture("camera-filled", of: window)
      try await lab.press(["Tab", "Return"], in: window)
      let run = try await Self.done(program, "Genuine", lab)
      #expect(run.status == 0, "\(run.output) \(run.errors)")
      #expect(!run.errors.contains("TS0264718"))
    }

    @Test("the camera reads a seal under a live picture, and the page shows the report and hands over its outcome")
    func seal() async throws {
      let lab = try await WindowLab()
      let page = try GrayPicture(decoding: Fixtures.file("Passport/BarcodesTests", "made/seal-and-zone.png"))
      let blank = try GrayPicture(width: page.width, height: page.height) { $0.update(repeating: 190) }
      let camera = try VirtualCamera(showing: [blank])
      let program = try await lab.open(["--virtual", "--json"], environment: camera.environment)
      let window = try await lab.window("Check a document")
      // When the one button is there, so is the other.
      try await Self.useCamera(camera, lab, window)
      try await lab.press(["Escape"], in: window)
      #expect(try await camera.wait(untilInUse: false))
      // Behind the button are the three fields and "Read the document".
      try await lab.press(["Tab", "Tab", "Tab", "Tab", "Tab", "Return"], in: window)
      let scanning = try await lab.window("Scanning the seal")
      #expect(try await camera.wait(untilInUse: true))
      try await lab.keepPicture("seal-blank", of: scanning)
      try camera.show([page])
      // Nobody imported the certificate of its signer.
      let shown = try await lab.window("Not established")
      #expect(try await camera.wait(untilInUse: false))
      try await lab.keepPicture("seal-result", of: shown)
      let run = try await Self.done(program, "Not established", lab)
      #expect(run.status == 5, "\(run.output) \(run.errors)")
      #expect(try JSONValue(text: run.output)["error"]?["code"] == "NOT_ESTABLISHED")
      #expect(!run.errors.contains("D23145890") && !run.errors.contains("ERIKSSON"))
    }

    /// Begins to read a zone with the camera. The focus is in the first field, and the button of the camera is the stop
    /// before it, once the page knows that there is a camera.
    private static func useCamera(_ camera: VirtualCamera, _ lab: WindowLab, _ window: String) async throws {
      for _ in 0..<20 where !camera.isInUse {
        try await lab.press(["shift+Tab", "Return"], in: window)
        if try await camera.wait(untilInUse: true, within: 5) { break }
        try await lab.press(["Tab"], in: window)
      }
      #expect(camera.isInUse)
    }

    /// Types the key of the specimen with the keyboard alone; the focus is in the first field.
    private static func read(_ lab: WindowLab) async throws {
      let window = try await lab.window("Check a document")
      try await lab.type("TS0264718", in: window)
      try await lab.press(["Tab"], in: window)
      try await lab.type("14.02.1990", in: window)
      try await lab.press(["Tab"], in: window)
      try await lab.type("350630", in: window)
      try await lab.press(["Return"], in: window)
    }

    /// Waits for the verdict, and presses "Done", which is the next stop of the focus.
    private static func done(_ program: RunningProgram, _ verdict: String, _ lab: WindowLab) async throws -> ProgramRun
    {
      try await lab.press(["Tab", "Return"], in: lab.window(verdict))
      return await program.finish(within: 60)
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
      let contrast = Fixtures.tests.appendingPathComponent("Desktop/WindowTests/Site/contrast.js").path
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
    func crashAsRoot() async throws {
      let cards = try await SmartCardLab()
      defer { cards.stop() }
      let chip = try await cards.insertChip(["--latency", "25"])
      defer { chip.send(signal: SIGKILL) }
      let lab = try await WindowLab()
      let program = try await lab.open(["--json"], environment: cards.environment)
      defer { program.send(signal: SIGKILL) }
      _ = try await lab.window("Check a document")
      let sessions = try cards.sockets()
      try await Self.read(lab)
      _ = try await lab.window("Reading the chip")
      // A session of the scan, beside the one that looked for readers.
      #expect(await program.wait(within: 120) { _ in ((try? cards.sockets()) ?? 0) > sessions })
      let killed = Descendants.named("WebKitWebProcess", of: program.processIdentifier)
      #expect(!killed.isEmpty)
      for process in killed { kill(process, SIGKILL) }
      #expect(await program.wait(within: 120) { _ in ((try? cards.sockets()) ?? 0) <= sessions }, "the reader is free")
      #expect(program.isRunning)
      // "Try again" has the focus.
      try await lab.press(["Return"], in: lab.window("No page"))
      try await Self.read(lab)
      let run = try await Self.done(program, "Not established", lab)
      #expect(run.status == 5, "\(run.output) \(run.errors)")
      #expect(try JSONValue(text: run.output)["error"]?["code"] == "NOT_ESTABLISHED")
    }

    @Test("its scripts have no type errors")
    func types() async throws {
      let compiler = "/usr/bin/tsc"
      guard FileManager.default.isExecutableFile(atPath: compiler) else {
        #expect(ProcessInfo.processInfo.environment["CI"] != "true", "\(compiler) is missing")
        return
      }
      // With the types of the client, as a page that uses it.
      let folder = try TemporaryFolder()
      for (name, file) in BundledContent.verificationPage.files where name.hasSuffix(".js") {
        try Data(file.bytes).write(to: URL(fileURLWithPath: folder.file(name)))
      }
      try Data(WebClient.types).write(to: URL(fileURLWithPath: folder.file("tessera.d.ts")))
      // The client itself, apart from its declarations.
      try FileManager.default.createDirectory(atPath: folder.file("client"), withIntermediateDirectories: false)
      try Data(WebClient.module).write(to: URL(fileURLWithPath: folder.file("client/tessera.js")))
      // The events have types, and not any type.
      let page = """
        import {listen} from "./tessera.js";
        listen("lifecycle", "kiosk", ({waiting, clock}) => { const known: [number, boolean] = [waiting, clock]; known.pop(); });
        listen("lifecycle", "system", (state) => { const name: string = state.locale; name.trim(); });
        // @ts-expect-error
        listen("lifecycle", "kiosk", (status) => status.results);
        listen("printer", "empty", (data) => data.tray);

        """
      try page.write(toFile: folder.file("page.ts"), atomically: false, encoding: .utf8)
      let run = try await RunningProgram(
        URL(fileURLWithPath: compiler),
        [
          "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--module", "es2022", "--lib",
          "es2022,dom,dom.iterable", folder.file("main.js"), folder.file("page.ts"), folder.file("client/tessera.js"),
        ]
      ).finish()
      #expect(run.status == 0, "\(run.output)")
    }
  }
}
