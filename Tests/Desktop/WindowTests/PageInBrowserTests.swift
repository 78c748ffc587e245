import Foundation
import TesseraBridge
import TestSupport
import Testing
import WindowTestSupport

extension RealPrograms {
  @Suite("The verification page in a browser")
  struct PageInBrowserTests {
    @Test("a user reads a document, assistive technology sees every control, and another page may ask for the result")
    func page() async throws {
      let home = try TemporaryFolder()
      let site = try await PageSite()
      let origin = "http://127.0.0.1:\(site.ports[0])"
      let environment = [
        "HOME": home.url.path, "XDG_RUNTIME_DIR": home.file("run"), "XDG_DATA_HOME": home.file("data"),
        "XDG_CONFIG_HOME": home.file("config"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
      ]
      let service = try RunningProgram(
        ProgramRun.tessera,
        ["serve", "--virtual", "--page", "--websocket", "127.0.0.1:0", "--grant", "\(origin)=nfc.scan"],
        environment: environment)
      defer { service.send(signal: SIGKILL) }
      _ = await service.wait { $0.errors.contains("\n") && $0.output.contains("\n") || !$0.isRunning }
      let port = service.output.split(separator: ":").last?.prefix { $0 != "/" } ?? ""
      #expect(service.errors.contains("http://127.0.0.1:\(port)/"), "it says where the page is")

      let script = Fixtures.tests.appendingPathComponent("Desktop/WindowTests/Site/browser.py").path
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/python3"),
        [script, String(port)] + site.ports + ["TS0264718", "14.02.1990", "30.06.2035"], environment: environment
      ).finish(within: 300)
      try #require(run.status == 0, "\(run.errors.suffix(2_000))")
      let seen = Observations(run.output)
      Self.checkReading(seen)
      Self.checkTree(seen)
      Self.checkSeals(seen)
      Self.checkOpener(seen)
      #expect(service.errors.contains("targetOrigin must be an origin, without a slash at the end."))
      // The service logs neither the document nor the user.
      #expect(!service.errors.contains("TS0264718") && !service.errors.contains("SPECIMEN"))
    }

    private static func checkReading(_ seen: Observations) {
      #expect(seen["verdict"] == "Genuine")
      #expect(seen["focus"] == "verdict")
      #expect(seen["wrong date"].stringValue?.contains("not a date") == true)
      #expect(seen["half a zone"].stringValue?.contains("characters so far") == true)
      #expect(seen["a zone"] == "The check digits are right.")
      #expect(seen["a wrong zone"] == "The check digit of the date of birth is wrong.")
      #expect(seen["German"] == ["de", "Echt"])
      #expect(seen["requests elsewhere"] == [])
      #expect(seen["console"] == [], "no error, and nothing that the content security policy refused")
      // No number on the page, no text in a field but the name of the key, no portrait, nothing stored.
      #expect(seen["after two idle minutes"] == [false, ["", "", "", "", "verification"], false, [0, 0, ""]])
    }

    /// The names and roles of all controls and landmarks (WAI-ARIA), and the contrast of all texts (WCAG 2.2, AA).
    private static func checkTree(_ seen: Observations) {
      func roles(_ name: String) -> Set<String> {
        Set(seen[name].elements.map { $0.texts.joined(separator: ": ") })
      }
      let enter = roles("enter tree")
      for node in [
        "banner: ", "main: ", "contentinfo: ", "heading: Check a document", "button: Deutsch", "form: ",
        "region: Lay the document on the reader", "heading: Lay the document on the reader", "group: Type",
        "radio: Number and dates", "radio: The lines at the bottom", "textbox: Document number",
        "textbox: Date of birth", "textbox: Date of expiry", "button: Read the document",
      ] { #expect(enter.contains(node), "\(node)") }
      let result = roles("result tree")
      for node in [
        "region: Genuine", "heading: Genuine", "image: Picture in the chip", "heading: Checks", "list: ",
        "button: Done",
        "button: Save the report", "button: Sign the result", "term: Name", "term: Document number",
      ] { #expect(result.contains(node), "\(node)") }
      // No control without a name.
      for tree in [enter, result] {
        let unnamed = ["button: ", "textbox: ", "radio: ", "image: ", "heading: ", "link: "]
        #expect(tree.isDisjoint(with: unnamed))
      }
      for part in ["enter", "result"] {
        for scheme in ["light", "dark"] {
          let worst = seen["\(part) contrast \(scheme)"].elements.first
          #expect((Double(worst?["ratio"]?.text ?? "") ?? 0) >= 4.5, "\(part) \(scheme): \(worst ?? .null)")
        }
      }
    }

    /// The scan of a seal whose camera is a script, and a report of which every text is markup.
    private static func checkSeals(_ seen: Observations) {
      func roles(_ name: String) -> Set<String> {
        Set(seen[name].elements.map { $0.texts.joined(separator: ": ") })
      }
      let hostile = "<img id=hacked src=x onerror='window.hacked = true'><script>window.hacked = true</script>"
      #expect(seen["seal for an asker"] == true, "whoever asked gets no seal in place of a chip")
      #expect(roles("enter tree with a camera").isSuperset(of: ["button: Scan a seal", "button: Use the camera"]))
      #expect(seen["seal title"] == ["Scanning the seal", "sealing-title"])
      #expect(
        seen["seal states"] == [
          "No barcode is seen yet.", "The lines at the bottom are seen, and no barcode yet.",
          "This barcode is no seal of a travel document.", "The seal is seen and verified.", "",
        ])
      #expect(seen["seal live"] == "status")
      #expect(roles("scan tree").isSuperset(of: ["region: Scanning the seal", "status: ", "button: Stop"]))
      #expect(seen["seal stopped"] == [[["camera.scanSeal", [:]], ["camera.stopCamera", [:]]], ""])
      let failed = seen["seal failed"].elements
      #expect(failed.first?.stringValue?.hasPrefix("No seal was read: <b id=hacked>No.</b> Hold the barcode") == true)
      #expect(failed.last == true, "the message is text")

      let equal = "The seal equals the lines at the bottom of the document."
      #expect(
        seen["seal verdict"] == ["Genuine", "Signed by UT.", .string(equal), "verdict good", "verdict", "Genuine"])
      #expect(
        seen["seal rows"] == [
          ["Document", "visa"], ["Issued by", "UTO"],
          ["Machine readable zone", "VCUTOERIKSSON<<ANNA<MARIA\nL8988901C4XXX4009078F9612109"],
          ["Passport number", .string(hostile)], ["Element 0A", "00FF"], [.string(hostile), "b"],
          ["Signature date", "3 February 2026"],
        ])
      #expect(
        seen["seal signer"] == [.string(hostile), "CN=CSCA", "32", "1 January 2026 – 1 January 2027", "AB"])
      #expect(seen["seal checks"] == ["failed", "failed", "passed"])
      #expect(seen["seal markup"] == [nil, nil, 1, true], "the only picture is the hidden one of the portrait")
      #expect(
        roles("seal tree").isSuperset(of: ["heading: Genuine", "heading: Checks", "region: Signer", "button: Done"]))
      for scheme in ["light", "dark"] {
        let worst = seen["seal contrast \(scheme)"].elements.first
        #expect((Double(worst?["ratio"]?.text ?? "") ?? 0) >= 4.5, "\(scheme): \(worst ?? .null)")
      }
      #expect(seen["seal in German"] == ["Echt", "Das Siegel gleicht den Zeilen am unteren Rand des Dokuments."])
      #expect(seen["seal forgotten"] == false)
      let outcomes = seen.values("seal outcome").map(\.elements)
      #expect(outcomes.map(\.first) == ["verdict bad", "verdict open", "verdict open"])
      #expect(outcomes.map { $0.dropFirst().first } == ["Not genuine", "Not established", "Not established"])
      #expect(outcomes.first?.dropFirst(3).first == "The seal differs from what was read with it.")
      #expect(outcomes.dropFirst().first?.dropFirst(3).first?.stringValue?.hasPrefix("Not compared with") == true)
      #expect(
        seen["seal stopped early"] == [
          "camera.scanMRZ", "camera.stopCamera", "camera.stopCamera",
        ], "no scan begins after Stop")
      #expect(
        seen["seal saved"] == ["tessera-report.html", "text/html", "<!DOCTYPE html><title>Seal</title>"])
      #expect(
        seen.values("seal with many fields") == [
          "10 more are in the report that you can save.", "10 more are not shown.",
        ])
      let results = seen.values("seal result")
      let claims = results.first?["claims"]
      #expect(results.count == 2 && results.first?["success"] == true)
      #expect(claims?["seal"] == "vds" && claims?["outcome"] == "genuine")
      #expect(results.last?["success"] == false && results.last?["error"]?["code"] == "NOT_ESTABLISHED")
      #expect(claims?["comparison"] == "equalsZone" && claims?["fields"]?.elements.count == 4)
      #expect(seen["seal console"] == [])
    }

    private static func checkOpener(_ seen: Observations) {
      let asker = seen["asker"].stringValue ?? ""
      #expect(
        asker.hasPrefix("for The shop. 127.0.0.1:") && asker.hasSuffix(" receives the result: surname, nationality."))
      #expect(seen.values("spelling") == [403, 403, 403, 403, 403])
      let expected: JSONValue = [
        ["type": "self:ready", "version": 1, "payload": ["verificationId": "v"]],
        [
          "type": "self:result", "version": 1,
          "payload": [
            "success": true, "userId": "u 1", "verificationId": "v",
            "claims": ["outcome": "genuine", "surname": "SPECIMEN", "nationality": "UTO"],
          ],
        ],
        ["type": "self:dismiss", "version": 1, "payload": ["reason": "back"]],
      ]
      #expect(seen["messages"].isEqual(to: expected))
      #expect(seen["windows"] == 1, "the page closed its window")
      let types = seen["messages after cancel"].elements.map { $0["type"]?.stringValue ?? "" }
      #expect(types == ["self:ready", "self:dismiss"])
      #expect(seen["messages of a false claim"] == [])
      #expect(seen["with a slash"].stringValue?.contains("targetOrigin must be an origin, without a slash") == true)
      #expect(seen["with a slash"].stringValue?.contains("<script") == false)
      let unknown = seen["unknown names"].texts
      #expect(unknown.count == 1 && unknown.first?.contains("age") == true, "\(unknown)")
      let refusal = seen["without a grant"].stringValue ?? ""
      #expect(refusal.contains("403") && refusal.contains("has no grant: tessera grants add http://127.0.0.1:"))
      let told = seen["messages without a grant"].elements
      #expect(told.map { $0["type"] } == ["self:result"] && told.first?["payload"]?["success"] == false)
      #expect(told.first?["payload"]?["error"]?["code"] == "NOT_ALLOWED")
    }
  }
}

extension JSONValue {
  /// Equal, whatever the order of members is.
  fileprivate func isEqual(to other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let one), .object(let two)):
      one.members.count == two.members.count
        && one.members.allSatisfy { member in two[member.name].map { member.value.isEqual(to: $0) } ?? false }
    case (.array(let one), .array(let two)):
      one.count == two.count && zip(one, two).allSatisfy { $0.isEqual(to: $1) }
    default: self == other
    }
  }
}
