import TesseraBridge
import Testing
import WindowTestSupport

@testable import RampKitFlow

extension RealPrograms.RampKitTests {
  @Suite("The language of pages")
  struct PageLanguageTests {
    private func run(_ scenario: String, _ arguments: [String] = []) async throws -> Observations {
      try await WindowLab().run([scenario] + arguments, program: "RampKitScenarios")
    }

    // MARK: - Rules

    /// The value of the variable (null: there is none), the operator, the other value, and whether the rule holds.
    private static let rules: [(JSONValue, String, JSONValue, Bool)] = [
      ("a", "=", "a", true), ("a", "==", "a", true), ("a", "=", "A", false), ("a", "==", "b", false),
      (5, "=", "5", true), ("5", "=", 5, true), ("5.0", "=", 5, true), ("5.0", "=", "5", false), (5, "=", "", false),
      (0, "=", "", false), (true, "=", "true", true), ("True", "=", true, true), (true, "=", "false", false),
      (false, "=", "false", true), (false, "=", "", false), (nil, "=", "", true), (nil, "=", "a", false),
      (["a": 1], "=", "{\"a\":1}", true),
      ("a", "!=", "b", true), ("a", "!=", "a", false), ("a", "<>", "b", true), ("a", "<>", "a", false),
      (true, "!=", "true", false), (nil, "!=", "", false), (nil, "!=", "a", true),
      (3, ">", 2, true), (2, ">", 2, false), ("10", ">", "9", true), ("10.5", ">", 10, true), ("abc", ">", 1, false),
      (nil, ">", 1, false), (1, "<", 2, true), (2, "<", 2, false), ("abc", "<", 1, false), (nil, "<", 1, false),
      (2, ">=", 2, true), (1, ">=", 2, false), ("x", ">=", "x", false), (2, "<=", 2, true), (3, "<=", 2, false),
      ("banana", "contains", "nan", true), ("banana", "contains", "NAN", false), (["a", 1], "contains", "a", true),
      (["a", 1], "contains", "1", true), (["ab"], "contains", "a", false), (1234, "contains", 23, true),
      ("banana", "startsWith", "ban", true), ("banana", "startsWith", "nana", false),
      ("banana", "endsWith", "ana", true), ("banana", "endsWith", "ban", false),
      ("", "empty", nil, true), (nil, "empty", nil, true), ([], "empty", nil, true), ("a", "empty", nil, false),
      (0, "empty", nil, false), ("", "isEmpty", nil, true), (" ", "isEmpty", nil, false),
      ("a", "notEmpty", nil, true), ("", "notEmpty", nil, false), (nil, "isNotEmpty", nil, false),
      (["a"], "isNotEmpty", nil, true), ([], "isNotEmpty", nil, false),
      ("a", "unknown", "a", false), ("a", "", "a", false), ("a", "toString", "a", false),
    ]

    @Test("every operator of rules")
    func operators() async throws {
      let seen = try await run(
        "page-rules", [JSONValue.array(Self.rules.map { [$0.0, .string($0.1), $0.2] }).text])
      #expect(
        Set(Self.rules.filter(\.3).map(\.1)) == PageLanguage.operators, "the check of flows knows the same operators")
      let answers = seen["answers"].texts
      try #require(answers.count == Self.rules.count)
      for (rule, answer) in zip(Self.rules, answers) {
        #expect(answer == (rule.3 ? "yes" : "no"), "\(rule.0.text) \(rule.1) \(rule.2.text)")
      }
      #expect(
        seen["groups"] == [
          ["2"], ["3"], ["1"], ["empty"], ["missing"], ["no type"], ["unknown type"], ["no rules"], ["no rule"], [], [],
        ])
    }

    // MARK: - Actions

    private static func variables(_ name: String, _ value: JSONValue) -> [JSONValue] {
      [["type": "rampkit:variables", "vars": .object([name: value])]]
    }

    /// Actions and the messages that each sends, in this order, on one page.
    private static let actions: [(JSONValue, [JSONValue])] = [
      (
        ["type": "navigate", "targetScreenId": "s \"2\"", "animation": "slide", "more": 1],
        [["type": "rampkit:navigate", "targetScreenId": "s \"2\"", "animation": "slide"]]
      ),
      (["type": "navigate"], [["type": "rampkit:navigate"]]),
      (["type": "continue", "animation": "fade"], [["type": "rampkit:continue", "animation": "fade"]]),
      (["type": "continue"], [["type": "rampkit:continue"]]),
      (["type": "goBack"], [["type": "rampkit:goBack"]]), (["type": "close"], [["type": "rampkit:close"]]),
      (
        ["type": "haptic", "hapticType": "impact", "impactStyle": "Heavy"],
        [["type": "rampkit:haptic", "action": "haptic", "hapticType": "impact", "impactStyle": "Heavy"]]
      ),
      (
        ["type": "haptic", "hapticType": "notification", "notificationType": "Success"],
        [["type": "rampkit:haptic", "action": "haptic", "hapticType": "notification", "notificationType": "Success"]]
      ),
      (["type": "showPaywall"], [["type": "rampkit:show-paywall"]]),
      (
        ["type": "showPaywall", "payload": ["paywallId": "p"]],
        [["type": "rampkit:show-paywall", "payload": ["paywallId": "p"]]]
      ),
      (
        ["type": "showPaywall", "paywallId": "p"], [["type": "rampkit:show-paywall", "payload": ["paywallId": "p"]]]
      ),
      (["type": "requestReview"], [["type": "rampkit:request-review"]]), (["type": "requestReview"], []),
      (
        ["type": "requestNotificationPermission", "ios": ["allowBadge": false], "behavior": ["shouldPlaySound": true]],
        [
          [
            "type": "rampkit:request-notification-permission", "ios": ["allowBadge": false],
            "behavior": ["shouldPlaySound": true],
          ]
        ]
      ),
      (
        ["type": "onboardingFinished", "payload": ["ok": true]],
        [["type": "rampkit:onboarding-finished", "payload": ["ok": true]]]
      ),
      (["type": "finishOnboarding"], [["type": "rampkit:onboarding-finished"]]),
      (["type": "finish"], [["type": "rampkit:onboarding-finished"]]),
      (["type": "setVariable", "key": "a", "value": "x"], variables("a", "x")),
      (["type": "setState", "variableName": "b", "variableValue": 1], variables("b", 1)),
      (["type": "updateVariable", "name": "c", "newValue": ["x": []]], variables("c", ["x": []])),
      (["type": "set", "variable": "d", "value": false], variables("d", false)),
      (["type": "assign", "key": "e", "value": nil], variables("e", nil)),
      (
        ["type": "set", "key": "f", "name": "no", "variableValue": "first", "value": "second", "newValue": "third"],
        variables("f", "first")
      ),
      (["type": "set", "value": "no name"], []), (["type": "set", "key": "g"], []),
      (["type": "set", "key": "onboarding.currentIndex", "value": 1], []),
      (["type": "set", "key": "__proto__", "value": ["polluted": true]], []),
      (
        ["type": "openURL", "url": "https://example.org/a"],
        [["type": "rampkit:open-url", "url": "https://example.org/a"]]
      ),
      (["type": "none"], []), (["type": "unknown"], []), (["type": "constructor"], []), ([:], []), ([], []), (nil, []),
      (["type": 5], []),
    ]

    @Test("every action sends its message or changes the page")
    func actions() async throws {
      let seen = try await run("page-actions", [JSONValue.array(Self.actions.map(\.0)).text])
      let types = Set(Self.actions.compactMap { $0.0["type"]?.stringValue })
      #expect(
        types.subtracting(["unknown", "constructor"]) == PageLanguage.actions.subtracting(PageLanguage.classActions),
        "the check of flows knows the same actions")
      let messages = seen["messages"].elements
      try #require(messages.count == Self.actions.count)
      for (action, sent) in zip(Self.actions, messages) { #expect(sent == .array(action.1), "\(action.0.text)") }
      #expect(
        seen["variables"] == ["a": "x", "b": 1, "c": ["x": []], "d": false, "e": nil, "f": "first"],
        "the page knows what it set")
      #expect(
        seen.values("classes") == [
          // The element with the action is b.
          ["card on", "card on big", "card on", "on"], ["card on", "card on big", "card on", "on new"],
          ["card", "card", "card", "on new"], ["card", "card lit", "card", "on new"],
          ["card", "card", "card", "on new"], ["card", "card on", "card", "on new"],
          ["card on", "card on", "card", "on new"], ["card", "card on", "card", "on new"],
          // A selector that is none, and no class.
          ["card", "card on", "card", "on new"], ["card", "card on", "card", "on new"],
          ["card", "card on", "card", "on new"],
        ])
    }

    @Test("the nearest element with actions takes the tap, unless its rules do not match")
    func taps() async throws {
      let seen = try await run("page-actions")
      let expected: [JSONValue] = [
        ["t1"], ["t2"], ["t3"], ["twice"], ["t5"], [], ["inner"], [], [], [], [], [], ["link"], [],
      ]
      for (index, names) in expected.enumerated() { #expect(seen["place t\(index + 1)"] == names, "t\(index + 1)") }
      #expect(seen["seen by the page"] == ["t6", "t8", "t9", "t10", "t12", "t14"])
      #expect(seen["fragment"] == "", "the link was not followed")
      #expect(seen["pressed"] == true)
      #expect(seen["released"] == false)
    }

    @Test("on-open actions run once, in order, while the page is shown")
    func onOpen() async throws {
      let seen = try await run("page-onopen")
      #expect(seen["visible before"] == false)
      #expect(seen["before"] == [])
      func haptic(_ name: String) -> JSONValue {
        ["type": "rampkit:haptic", "action": "haptic", "hapticType": .string(name), "fromOnOpen": true]
      }
      #expect(
        seen["messages"] == [
          haptic("first"), ["type": "rampkit:request-review", "fromOnOpen": true],
          ["type": "rampkit:variables", "vars": ["name": "Ada"], "fromOnOpen": true], haptic("last"),
        ])
      #expect(seen["events"] == [["document", ["screenIndex": 2, "screenId": "only"], true], ["window"]])
      #expect(seen["text"] == "Ada")
      #expect(seen["class"] == "done")
      #expect(seen["again"] == [haptic("late")], "the others have run")
      #expect(seen["events again"] == 4, "shown twice, not three times")
      #expect(
        seen["endings"] == [
          "rampkit:navigate", "rampkit:continue", "rampkit:goBack", "rampkit:close", "rampkit:show-paywall",
          "rampkit:onboarding-finished", "rampkit:onboarding-finished", "rampkit:onboarding-finished", "other",
        ])
      #expect(seen["left"] == ["begun"])
    }

    // MARK: - Templates

    @Test("templates show values as text, before and after an update")
    func texts() async throws {
      let seen = try await run("page-templates", ["texts"])
      let unchanged: [String: JSONValue] = [
        "context": "Linux de rk_1", "unknown": "[]", "quotes": "a } b : c ? d", "end": "${name ? \"x",
        "state": "0 only", "object": #"{"dark":true}"#, "area": "${name}", "script": "${name}",
      ]
      let before = unchanged.merging([
        "name": "Hi Ada, Ada!", "equal": "gratis", "number": "adult", "names": "Ada", "open": "a ${name and Ada",
        "lines": "onetwo Adathree", "apostrophe": " and Ada",
      ]) { $1 }
      #expect(seen["before"] == .object(JSONObject(before)))
      let value = #"<b>Bo</b> & "co""#
      let after = unchanged.merging([
        "name": .string("Hi \(value), \(value)!"), "equal": "paid", "number": "minor", "names": .string(value),
        "open": .string("a ${name and \(value)"), "lines": .string("onetwo \(value)three"),
        "apostrophe": .string(" and \(value)"),
      ]) { $1 }
      #expect(seen["after"] == .object(JSONObject(after)))
      #expect(seen["elements"] == 0, "a value is no HTML")
      #expect(seen["breaks before"] == 2 && seen["breaks after"] == 2)
      #expect(seen["lines"] == ["#text", "BR", "#text", "BR", "#text", "BR", "#text"])
      #expect(seen["missing"] == "no")
      #expect(seen["truth"] == ["no", "no", "no", "no", "no", "no", "yes", "yes", "yes", "yes", "yes"])
      // Long texts came to an end, and are what the page made of them.
      #expect(seen["long open"] == 600_000)
      #expect(seen["long long"] == 1_000_007)
      #expect(seen["long many"] == 300_000)
      for name in ["apostrophes", "quotes", "deep"] { #expect(seen["long \(name)"] != .null, "\(name)") }
    }

    @Test("templates in attributes; what the page or a user changed stays")
    func attributes() async throws {
      let seen = try await run("page-templates", ["attributes"])
      #expect(
        seen["attributes before"] == [
          "href": "https://example.org/p1", "title": "p1", "class": "x warm y", "src": "data:image/png;base64,p1",
          "alt": "p1", "placeholder": "p1", "value": "p1", "text": "p1", "other": "${path}", "script": "",
          "u": ["first", "one", "row", "warm"],
        ])
      let value = #"p2 "><b>"#
      var after: JSONObject = ["src": .string("data:image/png;base64,\(value)")]
      for name in ["title", "alt", "placeholder", "text"] { after[name] = .string(value) }
      after["href"] = .string("https://example.org/\(value)")
      after["other"] = "${path}"
      after["value"] = "typed"
      after["u"] = ["cold", "dark", "later", "one"]
      after["script"] = "https://example.org/"
      var seenAfter = seen["attributes after"]
      let classes = seenAfter["class"]?.stringValue?.split(separator: " ").sorted().map(String.init)
      #expect(classes == ["cold", "dark", "tapped", "x", "y"])
      if case .object(var members) = seenAfter {
        members["class"] = nil
        seenAfter = .object(members)
      }
      #expect(seenAfter == .object(after))
      #expect(seen["no template"] == ["${path}", "later", "one", "tapped"])
      #expect(seen["own"] == "mine")
      #expect(seen["added"] == "new Ada" && seen["added later"] == "new Bo")
      #expect(seen["replaced"] == "new Cy" && seen["no object"] == "new " && seen["no text"] == "new ")
    }
  }
}
