import RampKitFlow
import TesseraJSON
import Testing

/// The messages of a page in their three forms (Flows.md, rule 9).
@Suite struct MessageTests {
  /// Every row of the table with its JSON and, if there is one, its text.
  static let rows: [(json: String, text: String?, expected: PageMessage)] = [
    (#"{"type":"rampkit:continue"}"#, "rampkit:tap", .continue(.fade)),
    (#"{"type":"continue","animation":"SLIDE"}"#, "next", .continue(.slide)),
    (#"{"type":"continue","animation":"spin"}"#, "continue", .continue(.fade)),
    (
      #"{"type":"rampkit:navigate","targetScreenId":"finish","animation":"slideFade"}"#, "rampkit:navigate:finish",
      .navigate(target: "finish", .slideFade)
    ),
    (#"{"type":"rampkit:navigate"}"#, nil, .navigate(target: nil, .fade)),
    (#"{"type":"rampkit:goBack","animation":"slidefade"}"#, "rampkit:goBack", .goBack(.slideFade)),
    (#"{"type":"rampkit:close"}"#, "rampkit:close", .close),
    (
      #"{"type":"rampkit:haptic","action":"haptic","hapticType":"impact","impactStyle":"Heavy"}"#, "haptic:light",
      .haptic(.impact(.heavy))
    ),
    (#"{"type":"rampkit:haptic","impactStyle":"soft"}"#, nil, .haptic(.impact(.soft))),
    (#"{"type":"rampkit:haptic","hapticType":"impact","impactStyle":"odd"}"#, nil, .haptic(.impact(.medium))),
    (
      #"{"type":"rampkit:haptic","hapticType":"notification","notificationType":"WARNING"}"#, nil,
      .haptic(.notification(.warning))
    ),
    (#"{"type":"rampkit:haptic","hapticType":"notification"}"#, nil, .haptic(.notification(.success))),
    (#"{"type":"rampkit:haptic","hapticType":"selection"}"#, nil, .haptic(.selection)),
    (#"{"type":"rampkit:request-review"}"#, "rampkit:request-review", .requestReview),
    (#"{"type":"rampkit:review"}"#, "rampkit:review", .requestReview),
    (
      #"{"type":"rampkit:onboarding-finished","payload":{"ok":true}}"#, "rampkit:onboarding-finished",
      .onboardingFinished(payload: ["ok": true])
    ),
    (
      #"{"type":"rampkit:show-paywall","payload":{"paywallId":"pw1"}}"#, "rampkit:show-paywall",
      .showPaywall(payload: ["paywallId": "pw1"])
    ),
    (#"{"type":"rampkit:variables","vars":{"a":1}}"#, nil, .variables(["a": 1])),
    (#"{"type":"rampkit:request-vars"}"#, nil, .requestVariables),
    (#"{"type":"rampkit:input-blur","variableName":"userName"}"#, nil, .inputBlur(variable: "userName")),
    (
      #"{"type":"rampkit:event","eventName":"my_event","properties":{"a":1}}"#, nil,
      .event(name: "my_event", properties: ["a": 1])
    ),
    (
      #"{"type":"rampkit:option-selected","optionId":"o1","optionValue":"x","questionId":"q1"}"#, nil,
      .optionSelected(id: "o1", value: "x", question: "q1")
    ),
    (#"{"type":"rampkit:cta-tap","buttonId":"b1","buttonText":"Go"}"#, nil, .ctaTap(button: "b1", text: "Go")),
    (#"{"type":"rampkit:open-url","url":"https://a.example/"}"#, nil, .openURL("https://a.example/")),
    (#"{"type":"rampkit:debug","message":"hi"}"#, nil, .debug("hi")),
  ]

  @Test(arguments: rows.indices) func everyRow(index: Int) throws {
    let row = Self.rows[index]
    // An object of a page arrives as its JSON, which is also the form as JSON text.
    #expect(PageMessage(text: row.json) == row.expected)
    #expect(PageMessage(text: " \n" + row.json) == row.expected)
    guard let text = row.text else { return }
    let older = try #require(PageMessage(text: text))
    switch (older, row.expected) {
    // The older texts have no animation, no style and no payload, and count as no tap.
    case (.continue(.fade, isTap: false), .continue), (.goBack(.fade, isTap: false), .goBack),
      (.haptic(.impact(.medium)), .haptic), (.onboardingFinished(payload: nil), .onboardingFinished),
      (.showPaywall(payload: nil), .showPaywall):
      break
    case (.navigate(let target, .fade, isTap: false), .navigate(let expected, _, _)): #expect(target == expected)
    default: #expect(older == row.expected)
    }
  }

  @Test func notificationOptions() throws {
    let message = PageMessage(
      text: #"""
        {"type":"rampkit:request-notification-permission","ios":{"allowBadge":false},
         "android":{"channelId":"c","name":"n","importance":"HIGH"},
         "behavior":{"shouldShowBanner":true,"shouldPlaySound":false}}
        """#)
    var options = NotificationPermissionOptions()
    #expect(PageMessage(text: "rampkit:request-notification-permission") == .requestNotificationPermission(options))
    options.allowsBadge = false
    options.channelName = "n"
    options.playsSound = false
    #expect(message == .requestNotificationPermission(options))
    // As in the examples of the SDK's repository.
    var published = NotificationPermissionOptions()
    published.allowsBadge = false
    #expect(
      PageMessage(
        text: #"{"type":"request-notification-permission","options":{"alert":true,"sound":true,"badge":false}}"#)
        == .requestNotificationPermission(published))
    #expect(PageMessage(text: #"{"type":"request-review"}"#) == .requestReview)
  }

  @Test func theSamples() throws {
    let samples = try Samples.json("rampkit-messages")
    for value in samples.elements("object") { #expect(PageMessage(text: value.text) != nil, "\(value.text)") }
    for name in ["jsonText", "legacyText"] {
      let texts = samples.elements(name)
      #expect(!texts.isEmpty)
      for value in texts { #expect(PageMessage(text: value.stringValue ?? "") != nil, "\(value.text)") }
    }
    let ignored = samples.elements("ignored")
    #expect(ignored.count == 7)
    for value in ignored { #expect(PageMessage(text: value.stringValue ?? "") == nil, "\(value.text)") }
  }

  @Test(arguments: [
    #"{"type":"rampkit:variables"}"#, #"{"type":"rampkit:variables","vars":[1]}"#, #"{"type":"rampkit:event"}"#,
    #"{"type":"rampkit:option-selected"}"#, #"{"type":"rampkit:open-url"}"#, #"{"type":"rampkit:input-blur"}"#,
    String(repeating: #"{"type":"#, count: 10_000), "{\"type\":\"rampkit:close\"", "\u{0}", "{\u{2028}}",
  ])
  func malformedMessagesAreIgnored(text: String) { #expect(PageMessage(text: text) == nil) }
}
