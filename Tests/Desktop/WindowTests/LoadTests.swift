import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("The load of a page, and enterprise sessions")
  struct LoadTests {
    @Test("a host learns each stage of the load, and why there is no page")
    func stages() async throws {
      let site = try await PageSite()
      let seen = try await WindowLab().run(["loads", site.ports[0]])
      func expect(
        _ name: String, _ stages: [String], _ outcome: String, notice: Bool, _ problems: [JSONValue],
        line: SourceLocation = #_sourceLocation
      ) {
        #expect(seen[name]["stages"]?.texts == stages, "\(name)", sourceLocation: line)
        #expect(seen[name]["outcome"]?.stringValue == outcome, "\(name)", sourceLocation: line)
        #expect(seen[name]["notice"] == .bool(notice), "\(name)", sourceLocation: line)
        #expect(seen[name]["problems"]?.elements.map(Self.summary) == problems, "\(name)", sourceLocation: line)
      }
      expect("ready", ["loading", "ready"], "cancelled", notice: false, [])
      // A page that is there, but is no page of the SDK, stays.
      expect(
        "never ready", ["loading", "slow", "failed"], "cancelled", notice: false, [["timeout", "bundle", [:]]])
      expect(
        "hanging picture", ["loading", "slow", "failed"], "cancelled", notice: false,
        [["timeout", "dev-server", [:]]])
      expect("late", ["loading", "slow", "failed"], "cancelled", notice: false, [["timeout", "dev-server", [:]]])
      #expect(seen["late"]["covered"] == true && seen["late"]["shown"] == [false])
      #expect(seen["hanging picture"]["shown"] == [true] && seen["never ready"]["shown"] == [true])
      expect("messages of the page's own", ["loading", "ready"], "cancelled", notice: false, [])
      expect(
        "stalls, twice", ["loading", "slow", "failed", "loading", "slow", "failed"], "failed LOAD_TIMEOUT",
        notice: true,
        [["timeout", "dev-server", [:]], ["timeout", "dev-server", [:]]])
      expect(
        "no server", ["loading", "failed"], "failed LOAD_FAILED", notice: true,
        [["load_error", "dev-server", ["phase": "load", "code": "LOAD_FAILED"]]])
      expect(
        "server error", ["loading", "failed"], "failed SERVER_ERROR", notice: true,
        [["load_error", "dev-server", ["phase": "http", "statusCode": 500]]])
      expect(
        "crash after ready", ["loading", "ready", "failed"], "failed WEB_PROCESS_TERMINATED", notice: true,
        [["load_error", "bundle", ["phase": "process", "didCrash": true]]])
      expect(
        "version 2", ["loading", "version_mismatch"], "failed VERSION_MISMATCH", notice: true,
        [["version_mismatch", "bundle", ["received": "2", "expected": 1, "recoverable": false]]])
      let noVersion: JSONValue = [
        "version_mismatch", "bundle", ["received": nil, "expected": 1, "recoverable": true],
      ]
      expect(
        "no version", ["loading", "version_mismatch", "loading", "version_mismatch"], "failed VERSION_MISMATCH",
        notice: true, [noVersion, noVersion])
      // The page behind the notice cannot end the launch, and its messages do not count for another load.
      expect(
        "version 2, then a result", ["loading", "version_mismatch"], "failed VERSION_MISMATCH", notice: true,
        [["version_mismatch", "bundle", ["received": "2", "expected": 1, "recoverable": false]]])
      expect(
        "repeats", ["loading", "version_mismatch", "loading"], "failed VERSION_MISMATCH", notice: false,
        [["version_mismatch", "dev-server", ["received": nil, "expected": 1, "recoverable": true]]])
      let kiosk: JSONValue = ["version_mismatch", "bundle", ["received": "2", "expected": 1, "recoverable": false]]
      expect(
        "version 2 in a kiosk", ["loading", "version_mismatch", "loading", "version_mismatch"],
        "failed VERSION_MISMATCH", notice: true, [kiosk, kiosk])
    }

    /// A problem without the words of WebKit.
    private static func summary(_ problem: JSONValue) -> JSONValue {
      guard case .object(var detail) = problem.elements[2] else { return problem }
      detail["description"] = nil
      return [problem.elements[0], problem.elements[1], .object(detail)]
    }

    @Test("a page reaches the domains that a program adds, and its handlers take the place of the standard ones")
    func ownDomains() async throws {
      let seen = try await WindowLab().run(["configuring"], seconds: 300)
      for providers in ["own providers", "providers of the system"] {
        let claims = seen[providers]
        #expect(claims["data"] == ["weight": 250, "unit": "g"], "\(providers)")
        #expect(claims["events"] == ["waiting"] && claims["missing"] == "MISSING_UNIT", "\(providers)")
        #expect(claims["haptic"] == "that of the program", "\(providers)")
      }
      #expect(seen.values("is shared") == [true, true])
    }

    @Test("a launch fails where nothing runs GLib's loop, and only there")
    func withoutLoop() async throws {
      let lab = try await WindowLab()
      let failure = try await lab.run(["without-loop"], seconds: 120)["failed"]
      #expect(failure["code"] == "NO_MAIN_LOOP")
      #expect(failure["message"]?.stringValue?.contains("exit(MainLoop.run { await show() } ?? 1)") == true)
      // The program that runs it itself learns the next reason.
      let pumped = try await lab.run(
        ["without-loop", "pumped"], environment: ["DISPLAY": "", "WAYLAND_DISPLAY": ""], seconds: 120)
      #expect(pumped["failed"]["code"] == "NO_VIEW_CONTROLLER")
    }

    @Test("a session decides the request before the page is loaded, and its reference is in no message")
    func sessions() async throws {
      let seen = try await WindowLab().run(["sessions"])
      let asked: JSONValue = ["https://sessions.example/v1/sessions/the-session-reference 0 30"]
      let pending = seen["pending"]
      #expect(pending["stages"]?.texts == ["resolving ", "loading ", "ready "])
      #expect(pending["asked"] == asked)
      #expect(pending["claims"]?["reference"] == "string")
      #expect(
        pending["claims"]?["got"] == [
          "disclosures": ["minimumAge:18"], "userId": "u", "scope": "org", "verificationId": "the-session-reference",
          "userIdType": "uuid", "userDefinedData": #"{"verificationId":"the-session-reference"}"#,
          "appEndpoint": "https://verifier.self.xyz/verify", "endpointType": "https", "environment": "prod",
          "appName": "Flow", "version": 2,
        ])
      for (name, code, isAsked) in [
        ("completed", "SESSION_ALREADY_PROCESSED", true), ("unknown", "SESSION_NOT_FOUND", true),
        ("broken", "SESSION_RESOLVE_FAILED", true), ("offline", "SESSION_RESOLVE_FAILED", true),
        ("redirect", "SESSION_RESOLVE_FAILED", true), ("http", "SESSION_RESOLVE_FAILED", false),
        ("no reference", "SESSION_REF_INVALID", false),
      ] {
        #expect(seen[name]["code"]?.stringValue == code, "\(name)")
        #expect(seen[name]["stages"]?.texts == ["resolving ", "failed code \(code)"], "\(name)")
        #expect(seen[name]["asked"] == (isAsked ? asked : []), "\(name)")
        #expect(seen[name]["message"]?.stringValue?.contains("reference.") != true, "\(name)")
        #expect(seen[name]["message"]?.stringValue?.contains("the-session") == false, "\(name)")
      }
    }

    @Test("tessera open reads the session over https, and tells its code alone")
    func program() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let answer = lab.home.file("session.json")
      let server = try await TLSServer(published: answer)
      let reference = "0b9c2f1e-4a5d-4c3b-9f8e-a1b2c3d4e5f6"
      let page = "http://127.0.0.1:\(site.ports[0])"
      func open(_ session: JSONObject, status: String, port: Int? = nil) async throws -> ProgramRun {
        let text = #"{"id": "\#(reference)", "orgId": "o", "externalUuid": "u", "status": "\#(status)"}"#
        try text.write(toFile: answer, atomically: false, encoding: .utf8)
        let request = lab.home.file("request.json")
        let json: JSONValue = ["documentTypes": ["p"], "enterpriseSession": .object(session)]
        try json.text.write(toFile: request, atomically: false, encoding: .utf8)
        return try await ProgramRun.tessera(
          [
            "open", "--virtual", "--debug", "--json", "--grant", "\(page)=secureStorage,haptic", "--request", request,
            "\(page)/august.html?end=success",
          ], environment: lab.environment.merging(["SSL_CERT_FILE": server.certificateFile]) { $1 }, timeout: 180)
      }
      let api = JSONValue.string("https://localhost:\(server.port)/")
      let run = try await open(
        ["url": .string("https://verify.example/s/\(reference)?a"), "apiUrl": api], status: "pending")
      #expect(run.status == 0, "\(run.errors)")
      #expect(try JSONValue(text: run.output)["userId"] == "u")
      let report = try JSONValue(text: try #require(site.reports("report").last))
      #expect(report["decision"] == "/tour/1" && report["config"]?["mode"] == "embed")
      #expect(report["config"]?["verificationRequest"]?["documentTypes"] == ["p"], "members of the file stay")
      #expect(report["config"]?["verificationRequest"]?["verificationId"]?.stringValue == reference)
      #expect(report["address"]?.stringValue?.contains("userId=u") == true)
      #expect(report["address"]?.stringValue?.contains(reference) == false)
      let asked = await server.requests(1)
      #expect(asked.map { $0["path"].text } == ["/v1/sessions/\(reference)"])
      #expect(asked.allSatisfy { $0["method"].text == "GET" && !$0["headers"].keys.contains("authorization") })

      let processed = try await open(["id": .string(reference), "apiUrl": api], status: "completed")
      #expect(processed.status == 3)
      #expect(try JSONValue(text: processed.output)["error"]?["code"] == "SESSION_ALREADY_PROCESSED")
      let http = try await open(["id": .string(reference), "apiUrl": "http://127.0.0.1:1"], status: "pending")
      #expect(http.status == 3 && http.output.contains("SESSION_RESOLVE_FAILED") && http.errors.contains("https"))
      let invalid = try await open(["id": .string("no reference \(reference)")], status: "pending")
      #expect(invalid.status == 2 && invalid.output.contains("SESSION_REF_INVALID"))
      for run in [run, processed, http, invalid] { #expect(!run.errors.contains(reference)) }
      for run in [run, processed, http, invalid] { #expect(!run.output.contains(reference)) }
      #expect(site.reports("report").count == 1, "without a request no page is loaded")
    }

    @Test("tessera open says that a page is slow and that it failed, with the cause and what to do")
    func notes() async throws {
      let lab = try await WindowLab()
      let site = try await PageSite()
      let program = try await lab.open(["--virtual", "--debug", "--json", "http://127.0.0.1:\(site.ports[0])/broken"])
      #expect(await program.wait { $0.errors.contains("Try again") || !$0.isRunning })
      #expect(program.errors.contains("statusCode 500"))
      try await lab.press(["ctrl+w"], in: lab.window("No page"))
      let run = await program.finish(within: 60)
      #expect(run.status == 3)
      #expect(try JSONValue(text: run.output)["error"]?["code"] == "SERVER_ERROR")
    }
  }
}
