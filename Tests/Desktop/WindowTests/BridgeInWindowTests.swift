import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("The bridge in a window")
  struct BridgeInWindowTests {
    @Test("the vectors and sequences for other transports pass through a page in a real view")
    func vectors() async throws {
      let seen = try await WindowLab().run(["parity"])
      #expect(seen["cases"] == (Sweep.isFull ? 201 : 25))
      #expect(seen["failures"] == [])
      #expect(seen["missing"] == [] || !Sweep.isFull)
      let sequences = seen.values("sequence")
      #expect(sequences.count == (Sweep.isFull ? 10 : 3))
      for sequence in sequences { #expect(sequence["step"] == .null, "\(sequence)") }
    }

    @Test("tessera.js gets the answer of each vector in a page of a real view, by request and by function")
    func vectorsOfPage() async throws {
      let seen = try await WindowLab().run(["page-vectors"], seconds: 180)
      #expect(seen["failure"] == .null)
      #expect(seen["failures"] == [])
      #expect(seen["missing"] == [])
      // `VectorPageTests` says which 15 a page cannot send, and how many of the others each function can.
      func count(_ way: String) -> Int {
        guard case .object(let counts) = seen[way] else { return 0 }
        return counts.members.reduce(0) { $0 + (Int($1.value.text) ?? 0) }
      }
      #expect(count("request") == 186)
      #expect(count("function") == 97)
    }

    @Test("a page that takes nothing for some time keeps a bounded number of calls waiting, and learns what is missing")
    func hangingPage() async throws {
      let seen = try await WindowLab().run(["hanging-page"], seconds: 180)
      #expect(seen["few"] == ["1", "2", "3", "4", "5", "6", "7", "8"])
      #expect(seen["many"] == ["-2", "3", "4", "5", "6", "7", "8", "9"])
      #expect(seen["events first"] == ["-1", "A1", "A2"])
      #expect(seen["answers last"] == ["-1", "a1", "A2", "A3"])
      #expect(seen["answers only"] == ["-2", "3", "4", "5", "6", "7", "8", "9"])
      #expect(seen["long answers"] == ["-3", "a3", "A4"])
      #expect(seen["one that is too long"] == ["-1", "Ex"])
      func notice(_ count: String) -> JSONValue {
        .array([
          .string("Tessera: \(count) messages of the program did not arrive: this page took none for too long.")
        ])
      }
      #expect(seen["burst"] == ["count": 6_952, "warned": notice("2048")])
      // Each of 80 requests has an end.
      let codes = seen["answers"]["codes"]
      let slow = codes?["SLOW_READER"]?.text ?? ""
      #expect((1..<80).contains(Int(slow) ?? 0), "\(seen["answers"])")
      #expect(codes?["none"]?.text == "\(80 - (Int(slow) ?? 0))")
      #expect(seen["answers"]["warned"] == notice(slow))
    }

    @Test("a client like the mobile SDK's gets the same answers in the window and from the service in Chromium")
    func conformance() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let origin = "http://127.0.0.1:\(site.ports[0])"
      let grant = "\(origin)=nfc,biometrics,secureStorage,camera,crypto,haptic,analytics,lifecycle,documents,navigation"
      let key = "number=TS0264718&birth=900214&expiry=350630"
      let environment = ["TESSERA_PINENTRY": try Self.pinentry(lab.home)]

      let window = try await lab.open(
        ["--virtual", "--debug", "--json", "--grant", grant, "\(origin)/conformance.html?\(key)"],
        environment: environment)
      let run = await window.finish(within: 180)
      #expect(run.status == 0, "\(run.errors)")
      let result = try JSONValue(text: run.output)
      // The members of the published result; a proof that is not a text becomes its JSON text.
      let expected: JSONValue = [
        "success": true, "userId": "u", "verificationId": "v", "proof": #"{"a":[1]}"#, "claims": ["n": 42],
      ]
      #expect(result == expected)

      let service = try RunningProgram(
        ProgramRun.tessera, ["serve", "--virtual", "--websocket", "127.0.0.1:0", "--grant", grant],
        environment: lab.environment.merging(environment) { $1 }.merging(["XDG_DATA_HOME": lab.home.file("other")]) {
          $1
        })
      defer { service.send(signal: SIGKILL) }
      _ = await service.wait { $0.output.contains("\n") || !$0.isRunning }
      let port = service.output.split(separator: ":").last?.prefix { $0 != "/" } ?? ""
      let browser = try Browser.start("\(origin)/conformance.html?\(key)&service=\(port)", home: lab.home)
      #expect(await site.wait { $0.reports("report").count == 2 })
      browser.send(signal: SIGTERM)
      _ = await browser.finish(within: 60)

      let reports = try site.reports("report").map { try JSONValue(text: $0) }
      try #require(reports.count == 2)
      var inWindow = Self.members(reports[0])
      let fromService = Self.members(reports[1])
      // The service has no launch.
      #expect(inWindow["lifecycle.getConfig"]?["referenceId"] == "string")
      inWindow["lifecycle.getConfig"] = inWindow["lifecycle.getConfig"].map(Self.withoutReference)
      #expect(inWindow.count >= 84)
      for (name, answer) in inWindow { #expect(fromService[name] == answer, "\(name): \(answer.text)") }
      #expect(Set(inWindow.keys) == Set(fromService.keys))
      Self.check(inWindow)
    }

    /// The answers that a client needs. The vectors decide the others.
    private static func check(_ answers: [String: JSONValue]) {
      for (name, answer) in [
        ("nfc.isSupported", true), ("crypto.sign", true), ("crypto.sign, again", true), ("many at once", true),
        ("secureStorage.get", "a secret with ä, \u{2028} and 'quotes'"), ("secureStorage.get, large", 500_000),
        ("secureStorage.get, removed", .null), ("nfc.scan, a wrong key", "error AUTH_FAILED"),
        ("documents.loadById", ["mrz": "P<UTO", "list": [1, 2]]), ("another version", "error UNSUPPORTED_VERSION"),
        ("nfc.unheardOf {}", "error METHOD_NOT_FOUND"), ("haptic.trigger {\"type\":\"unheard-of\"}", .null),
      ] as [(String, JSONValue)] {
        #expect(answers[name] == answer, "\(name)")
      }
      #expect(answers["nfc.scan, the zone"]?.texts.first == "TS0264718")
      let configuration = answers["lifecycle.getConfig"]
      #expect(configuration?["mode"] == "string" && configuration?["capabilities"]?["nfc"] == "boolean")
      #expect(!answers.values.contains { $0.stringValue?.hasPrefix("error TIMEOUT") == true })
    }

    @Test("a page that writes itself anew keeps the bridge")
    func reopened() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let origin = "http://127.0.0.1:\(site.ports[0])"
      let program = try await lab.open([
        "--virtual", "--debug", "--grant", "\(origin)=haptic", "\(origin)/reopened.html",
      ])
      #expect(await site.wait { !$0.reports("report").isEmpty })
      // Answers come in any order.
      #expect(site.reports("report").count == 1)
      #expect(
        try JSONValue(text: site.reports("report").first ?? "").texts.sorted() == ["before", "later", "second"])
      program.send(signal: SIGTERM)
      _ = await program.finish(within: 60)
    }

    private static func withoutReference(_ configuration: JSONValue) -> JSONValue {
      guard case .object(var members) = configuration else { return configuration }
      members["referenceId"] = nil
      return .object(members)
    }

    private static func members(_ value: JSONValue) -> [String: JSONValue] {
      guard case .object(let object) = value else { return [:] }
      return Dictionary(object.members.map { ($0.name, $0.value) }) { $1 }
    }

    /// A pinentry whose user always confirms.
    private static func pinentry(_ folder: TemporaryFolder) throws -> String {
      let path = folder.file("pinentry")
      try "#!/bin/sh\necho OK\nwhile read line; do echo OK; [ \"$line\" = BYE ] && exit; done\n".write(
        toFile: path, atomically: false, encoding: .utf8)
      chmod(path, 0o755)
      return path
    }
  }
}
