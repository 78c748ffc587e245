import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  /// A page that asks what the published page of the mobile SDK of August 2026 asks (`Site/august.js`), on both transports.
  @Suite("The page of August 2026")
  struct AugustPageTests {
    /// What the page must be answered, in its order, whatever the host. `getConfig` differs; see the tests.
    private static let answers: [(call: String, answer: JSONValue?)] = [
      ("secureStorage.get", ["value": nil]), ("lifecycle.ready", .null), ("lifecycle.getConfig", nil),
      ("lifecycle.getConfig, again", nil), ("version none", "error UNSUPPORTED_VERSION"),
      ("version null", "error UNSUPPORTED_VERSION"), ("version a text", "error UNSUPPORTED_VERSION"),
      ("version 2", "error UNSUPPORTED_VERSION"), ("version 1.0", nil), ("haptic.trigger", .null),
      ("analytics.trackEvent", .null),
    ]
    private static let ending = ["lifecycle.setResult", "lifecycle.dismiss"]
    private static let domains = "nfc,biometrics,secureStorage,camera,haptic,analytics,lifecycle"

    /// All members that the SDK of August 2026 knows, and one that it does not.
    private static let request: JSONObject = [
      "userId": "a user", "scope": "a-scope", "disclosures": ["name", "minimumAge:18"], "excludedCountries": ["UTO"],
      "proofItems": ["Name, Age"], "appName": "An App", "appEndpoint": "https://app.example/x?y=z",
      "endpointType": "https", "environment": "stg", "version": 2, "chainID": 42220, "verificationId": "v 1",
      "userIdType": "uuid", "userDefinedData": "d&d", "selfDefinedData": "e=e", "timestamp": 1_785_000_000_000,
      "documentType": "passport", "documentTypes": ["p", "kyc"], "ids": ["passport"], "referenceId": "r-1",
      "resultType": "proofRequested", "later": ["a": [1, nil]],
    ]

    private struct Report {
      let json: JSONValue
      var calls: [(name: String, answer: JSONValue)] {
        (json["calls"]?.elements ?? []).map { ($0.elements[0].stringValue ?? "", $0.elements[1]) }
      }
      var config: JSONValue { json["config"] ?? .null }

      func check(_ endings: [String] = []) {
        #expect(calls.map(\.name) == AugustPageTests.answers.map(\.call) + endings, "nothing is missing, and in order")
        for (call, expected) in zip(calls, AugustPageTests.answers) {
          if let answer = expected.answer { #expect(call.answer == answer, "\(call.name)") }
        }
        for call in calls {
          #expect(call.answer != "silent", "\(call.name)")
          if endings.contains(call.name) { #expect(call.answer == .null, "\(call.name)") }
        }
        for (name, answer) in calls where name == "version 1.0" { #expect([true, false].contains(answer)) }
        // The second answer of `getConfig` is the first one.
        let configs = calls.filter { $0.name.hasPrefix("lifecycle.getConfig") }.map(\.answer)
        #expect(configs == [config, config])
      }
    }

    /// Runs the page in the window.
    private static func window(
      _ request: JSONObject, _ query: String = ""
    ) async throws -> (run: ProgramRun, report: Report) {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let file = lab.home.file("request.json")
      try JSONValue.object(request).text.write(toFile: file, atomically: false, encoding: .utf8)
      let origin = "http://127.0.0.1:\(site.ports[0])"
      let program = try await lab.open(
        ["--virtual", "--debug", "--json", "--grant", "\(origin)=\(domains)", "--request", file]
          + ["\(origin)/august.html\(query)"])
      let run = await program.finish(within: 180)
      #expect(await site.wait { !$0.reports("report").isEmpty })
      // Each request but the one for the page itself could name the page's address.
      let referrers = site.reports("referrer")
      #expect(referrers.contains { $0.hasPrefix("/august.js http") }, "\(referrers)")
      // The origin at most, and nothing of the request.
      #expect(referrers.allSatisfy { $0.hasSuffix(" none") || $0.hasSuffix("/") && !$0.contains("?") }, "\(referrers)")
      let text = try #require(site.reports("report").last)
      return (run, Report(json: try JSONValue(text: text)))
    }

    @Test("in the window it gets every member of the request, may begin, and its result is the program's")
    func begins() async throws {
      let (run, report) = try await Self.window(Self.request, "?end=success")
      report.check()
      let config = report.config
      #expect(config["mode"] == "embed" && config["debug"] == true && config["platform"] == "linux")
      #expect(config["referenceId"] == "r-1")
      guard case .object(let got)? = config["verificationRequest"] else {
        throw LabError(description: "\(config.text)")
      }
      for member in Self.request.members { #expect(got[member.name] == member.value, "\(member.name)") }
      let capabilities = try #require(config["capabilities"])
      #expect(capabilities["nfc"] == true && capabilities["secureStorage"] == true)
      for name in ["mrzCamera", "biometrics"] { #expect([true, false].contains(capabilities[name]), "\(name)") }
      #expect(report.json["mode"] == "embed" && report.json["decision"] == "/tour/1")
      // The screens of the page read the address.
      #expect(
        report.json["address"]?.stringValue
          == "?end=success&referenceId=r-1&userId=a+user&scope=a-scope&disclosures=name%2CminimumAge%3A18"
          + "&excludedCountries=UTO&proofItems=Name%2C+Age&documentType=passport&documentTypes=p%2Ckyc&ids=passport"
          + "&appName=An+App&appEndpoint=https%3A%2F%2Fapp.example%2Fx%3Fy%3Dz&environment=stg&endpointType=https"
          + "&version=2&chainID=42220&verificationId=v+1&userDefinedData=d%26d&selfDefinedData=e%3De&userIdType=uuid"
          + "&timestamp=1785000000000")
      #expect(run.status == 0, "\(run.errors)")
      let result: JSONValue = [
        "success": true, "userId": "a user", "verificationId": "v 1", "claims": ["resultType": "proofRequested"],
      ]
      #expect(try JSONValue(text: run.output) == result)
    }

    @Test(
      "in the window it refuses what it cannot serve, and the program learns the code",
      arguments: [
        (["documentType": .null, "documentTypes": ["id_card"], "ids": ["i"]], "UNSUPPORTED_CAPABILITY"),
        (["userId": ""], "INVALID_REQUEST"), (["scope": .null], "INVALID_REQUEST"),
      ] as [(JSONObject, String)])
    func refuses(_ changes: JSONObject, _ code: String) async throws {
      var request = Self.request
      for change in changes.members { request[change.name] = change.value == .null ? nil : change.value }
      let (run, report) = try await Self.window(request)
      report.check()
      #expect(report.json["decision"]?.stringValue == code)
      #expect(run.status == 5, "\(run.errors)")
      #expect(try JSONValue(text: run.output)["error"]?["code"]?.stringValue == code)
    }

    @Test("a launch that the page dismisses has no result; without an identifier the host makes one")
    func dismisses() async throws {
      var request = Self.request
      request["referenceId"] = " "
      request["documentTypes"] = ["id_card", "aadhaar"]
      request["documentType"] = nil
      request["ids"] = nil
      let (run, report) = try await Self.window(request, "?end=cancel")
      report.check()
      #expect(report.json["decision"] == "/tour/1", "one of the documents needs nothing")
      let made = try #require(report.config["referenceId"]?.stringValue)
      #expect(UUID(uuidString: made) != nil)
      #expect(report.json["address"]?.stringValue?.contains("referenceId=\(made)&") == true)
      #expect(run.status == 8, "\(run.errors)")
    }

    @Test("from the service it gets the same answers; there is no launch, so no request and no identifier")
    func service() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let origin = "http://127.0.0.1:\(site.ports[0])"
      let service = try RunningProgram(
        ProgramRun.tessera,
        ["serve", "--virtual", "--websocket", "127.0.0.1:0", "--grant", "\(origin)=\(Self.domains)"],
        environment: lab.environment)
      defer { service.send(signal: SIGKILL) }
      _ = await service.wait { $0.output.contains("\n") || !$0.isRunning }
      let port = service.output.split(separator: ":").last?.prefix { $0 != "/" } ?? ""
      let browser = try Browser.start("\(origin)/august.html?service=\(port)&end=success", home: lab.home)
      #expect(await site.wait { !$0.reports("report").isEmpty })
      browser.send(signal: SIGTERM)
      _ = await browser.finish(within: 60)
      let report = Report(json: try JSONValue(text: try #require(site.reports("report").last)))
      report.check(Self.ending)
      #expect(report.config["mode"] == "self-app" && report.config["verificationRequest"] == .null)
      #expect(report.config["platform"] == "linux" && report.config["debug"] == false)
      #expect(report.config["capabilities"]?["nfc"] == true && report.config["referenceId"] == nil)
      #expect(report.json["decision"] == "stays")
      service.send(signal: SIGTERM)
      let run = await service.finish(within: 60)
      #expect(run.errors.contains("UNSUPPORTED_VERSION"), "the log tells it: \(run.errors)")
    }
  }
}
