import RampKitFlow
import TesseraBridge

/// Conditions. Argument: an array of `[value, operator, other]`; a value of null is a variable that does not exist.
@MainActor
enum PageRules {
  static func run(_ arguments: [String]) async throws {
    guard case .array(let cases) = try JSONValue(text: arguments.first ?? "") else { return }
    let page = try await ShownPage(html: "<button id=b>b</button>")
    var seen: [JSONValue] = []
    for one in cases {
      guard case .array(let parts) = one, parts.count == 3 else { continue }
      let rule: JSONValue = ["key": "v", "op": parts[1], "value": parts[2]]
      let groups: JSONValue = [
        "values": [
          ["conditionType": "if", "rules": [rule], "actions": [["type": "haptic", "hapticType": "yes"]]],
          ["conditionType": "else", "actions": [["type": "haptic", "hapticType": "no"]]],
        ]
      ]
      try await page.value(
        """
        __rampkitVariables = \(parts[0] == .null ? "{}" : "{v: \(parts[0].text)}");
        b.setAttribute("data-tap-dynamic", \(JSONValue.string(groups.text).text)); b.click()
        """)
      try await page.wait(messages: seen.count + 1)
      seen.append(page.messages.last?["hapticType"] ?? .null)
    }
    observe("answers", .array(seen))
    page.forget()
    try await groups(page)
    page.close()
  }

  /// Which group runs.
  private static func groups(_ page: ShownPage) async throws {
    func group(_ type: String?, _ rules: String, _ name: String) -> String {
      "{\(type.map { "\"conditionType\": \"\($0)\"," } ?? "")\(rules) \"actions\": [{\"type\": \"haptic\", \"hapticType\": \"\(name)\"}]}"
    }
    let yes = "\"rules\": [{\"key\": \"v\", \"op\": \"=\", \"value\": \"x\"}],"
    let no = "\"rules\": [{\"key\": \"v\", \"op\": \"=\", \"value\": \"x\"}, {\"key\": \"v\", \"op\": \"empty\"}],"
    var seen: [JSONValue] = []
    for groups in [
      [group("if", no, "1"), group("elseif", yes, "2"), group("else", "", "3")],
      [group("if", no, "1"), group("elseif", no, "2"), group("else", "", "3")],
      [group("if", yes, "1"), group("if", yes, "2")],
      [group("if", "\"rules\": [],", "empty")], [group("if", "", "missing")], [group(nil, "", "no type")],
      [group("unless", "", "1"), group("else", "", "unknown type")],
      [group("if", "\"rules\": 5,", "1"), group("else", "", "no rules")],
      [group("if", "\"rules\": [7],", "1"), group("else", "", "no rule")],
      [group("if", no, "1")], ["7"],
    ] {
      try await page.value("__rampkitVariables = {v: 'x'}")
      try await page.value(
        "b.setAttribute('data-tap-dynamic', \(JSONValue.string("{\"values\": [\(groups.joined(separator: ","))]}").text)), b.click()"
      )
      try await page.settle()
      seen.append(.array(page.messages.map { $0["hapticType"] ?? .null }))
      page.forget()
    }
    observe("groups", .array(seen))
  }
}
