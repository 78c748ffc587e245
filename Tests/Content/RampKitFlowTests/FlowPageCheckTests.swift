import TesseraJSON
import Testing

@testable import RampKitFlow

/// What is wrong in the HTML of a flow.
@Suite struct FlowPageCheckTests {
  /// The problems of a screen's HTML, in a flow with the screens `a` and `b`, the variable `name`, the component `card`
  /// and a script of one host.
  private func problems(_ html: String, js: String? = nil) -> [FlowProblem] {
    var flow = OnboardingData()
    flow.screens = [ScreenPayload(id: "a", html: "<p>"), ScreenPayload(id: "b", html: html, js: js)]
    flow.variables = [OnboardingVariable(name: "name")]
    flow.components["card"] = FlowComponent(key: "card", html: "<p data-ramp-id=title>")
    flow.requiredScripts = ["https://cdn.example.org/a.js"]
    let problems = FlowPageCheck.problems(in: flow)
    #expect(problems.allSatisfy { $0.place == "screens[1].html" })
    return problems
  }

  private func tap(_ group: String) -> String { "<b data-tap-dynamic='{\"values\":[\(group)]}'>" }

  private func action(_ action: String) -> String { tap("{\"actions\":[\(action)]}") }

  @Test(arguments: ["rampkit-onboarding", "rampkit-onboarding-extended", "rampkit-onboarding-minimal"])
  func theSamplesHaveNoProblems(name: String) throws {
    var problems: [FlowProblem] = []
    let flow = try OnboardingData(try Samples.bytes(name), problems: &problems)
    #expect(FlowPageCheck.problems(in: flow) == [])
  }

  @Test func whatIsRightIsNoProblem() {
    for html in [
      "<p>${name} ${device.platform} ${user.id} ${onboarding.currentIndex} ${name == \"no name\" ? 'x' : 5}",
      "<textarea>${nobody}</textarea><script>`${nobody}`</script>", "<b other=\"${nobody}\" title='${name}'>", "${open",
      tap("{\"conditionType\":\"elseif\",\"rules\":[{\"key\":\"name\",\"op\":\"isEmpty\"}],\"actions\":[]}"),
      tap("{\"conditionType\":\"else\",\"actions\":[{\"type\":\"navigate\",\"targetScreenId\":\"__goBack__\"}]}"),
      action("{\"type\":\"navigate\",\"targetScreenId\":\"a\"}"), action("{\"type\":\"none\"},{\"type\":\"finish\"}"),
      action("{\"type\":\"set\",\"key\":\"new\",\"value\":1}") + "${new}",
      "<b data-on-open-actions='[{\"type\":\"wait\"}]'>",
      "<b data-tap-dynamic='{&amp;quot;values&amp;quot;:[]}'>",
      "<ramp-component key=card overrides='{\"title\":{\"text\":\"x\"}}'/>",
      "<script src='https://cdn.example.org/b.js'></script>",
      "<script src='HTTPS://CDN.example.org/b.js'></script>",
      action("{\"type\":\"openURL\",\"url\":\"mailto:a@b.example\"}"),
      action("{\"type\":\"openURL\",\"url\":\"HTTPS://x\"}"),
    ] {
      #expect(problems(html) == [], "\(html)")
    }
    #expect(problems("${made}", js: "send({vars: {made: 1}})") == [], "a script may set it")
  }

  @Test(arguments: [
    ("<b data-tap-dynamic='{broken'>", FlowProblem.Severity.error, "not JSON: “{broken”"),
    ("<b data-tapdynamic='[]'>", .error, "“data-tapdynamic” has no array “values”"),
    ("<b data-dynamic-tap='{\"values\":[5]}'>", .error, "not an object"),
    ("<b tapDynamic='{\"values\":[{\"actions\":5}]}'>", .error, "no array “actions”"),
    (
      "<b data-tap-dynamic='{\"values\":[{\"conditionType\":\"unless\",\"actions\":[]}]}'>", .error,
      "The condition “unless”"
    ),
    ("<b data-tap-dynamic='{\"values\":[{\"rules\":5,\"actions\":[]}]}'>", .error, "“rules” is not an array"),
    (
      "<b data-tap-dynamic='{\"values\":[{\"rules\":[{\"op\":\"=\"}],\"actions\":[]}]}'>", .error, "no “key”"
    ),
    (
      "<b data-tap-dynamic='{\"values\":[{\"rules\":[{\"key\":\"name\",\"op\":\"~\"}],\"actions\":[]}]}'>", .error,
      "No operator of rules is “~”"
    ),
    (
      "<b data-tap-dynamic='{\"values\":[{\"rules\":[{\"key\":\"nobody\",\"op\":\"=\"}],\"actions\":[]}]}'>", .warning,
      "“nobody”, which a rule compares"
    ),
    ("<b data-on-open-actions='{}'>", .error, "“data-on-open-actions” is not an array"),
    ("<b data-on-open-actions='[5]'>", .error, "no “type”"),
    ("<b data-on-open-actions='[{\"type\":\"jump\"}]'>", .error, "No action is “jump”"),
    ("<b data-on-open-actions='x'>", .error, "is not JSON"),
    ("<ramp-component key=none>", .error, "No component has the key “none”"),
    ("<ramp-component key=card overrides='{\"title\":5}'>", .error, "not a JSON object of objects"),
    ("<ramp-component key=card overrides='x'>", .error, "not a JSON object of objects"),
    ("<ramp-component key=card overrides='{\"x\":{}}'>", .warning, "no element with the id “x”"),
    ("<ramp-component key=card overrides='{\"title\":{\"action\":{\"type\":\"x\"}}}'>", .error, "No action is “x”"),
    ("${nobody}", .warning, "“nobody”"), ("<b title='${name ? nobody : \"x\"}'>", .warning, "“nobody”"),
    ("${name.trim()}", .warning, "“name.trim()”"),
    ("<script src='http://cdn.example.org/a.js'></script>", .error, "must begin with https"),
    ("<script src='a.js'></script>", .error, "must begin with https"),
    ("<script src='https://other.example/a.js'></script>", .error, "none of that host"),
    ("<iframe src='https://a.example'></iframe>", .error, "<iframe>"), ("<p>x<!-- y", .error, "in the middle"),
    ("<style>a", .error, "<style> has no end"),
  ])
  func aProblemSaysWhatIsWrong(html: String, severity: FlowProblem.Severity, part: String) {
    let found = problems(html)
    #expect(found.count == 1, "\(found.map(\.message))")
    #expect(found.first?.severity == severity)
    #expect(found.first?.message.contains(part) == true, "\(found.first?.message ?? "")")
  }

  @Test func wrongActions() {
    for (text, severity, part) in [
      ("{\"type\":\"navigate\",\"targetScreenId\":\"c\"}", FlowProblem.Severity.warning, "No screen has the id “c”"),
      ("{\"type\":\"navigate\"}", .warning, "no “targetScreenId”"),
      ("{\"type\":\"openURL\",\"url\":\"file:///etc\"}", .error, "“file:///etc”"),
      ("{\"type\":\"openURL\",\"url\":\"https:foo\"}", .error, "“https:foo”"), ("{\"type\":\"openURL\"}", .error, "“”"),
      ("{\"type\":\"wait\"}", .error, "“wait”"),
      ("{\"type\":\"addClass\"}", .error, "no “class”"),
      ("{\"type\":\"set\",\"value\":1}", .error, "names no variable"),
      ("{\"type\":\"set\",\"key\":\"onboarding.x\",\"value\":1}", .error, "cannot change"),
    ] {
      let found = problems(action(text))
      #expect(found.map(\.severity) == [severity], "\(text)")
      #expect(found.first?.message.contains(part) == true, "\(text)")
    }
  }

  @Test(arguments: [
    ("https://a.example/", true), ("HTTP://a.example", true), ("MailTo:a@b.example", true),
    ("https://münchen.example/ä", true), ("https://a.example/?q=%20", true),
    ("https:foo", false), ("https://", false), ("mailto:", false), ("", false), ("javascript:x", false),
    ("file:///etc", false), (" https://a.example", false), ("https://a.example/ x", false),
    ("https://a.example/\n", false), ("https://a.example/\u{7F}", false), ("https://a.example/\u{85}", false),
    ("https://a.example/\u{2028}", false), ("https://a.example/\u{0}", false), ("http\u{2}s://a.example", false),
  ])
  func addressesThatMayBeOpened(address: String, isOpened: Bool) {
    #expect(LinkAddress.isOpened(address) == isOpened)
  }

  @Test func anAddressThatIsOpenedHasALimit() {
    let start = "https://a.example/"
    let rest = LinkAddress.longest - start.utf8.count
    #expect(LinkAddress.isOpened(start + String(repeating: "x", count: rest)))
    #expect(!LinkAddress.isOpened(start + String(repeating: "x", count: rest + 1)))
    #expect(!LinkAddress.isOpened(start + String(repeating: "ä", count: rest / 2 + 1)), "in bytes")
  }

  /// Scripts have one rule in the document, in the page and in the check.
  @Test(arguments: [
    ("https://cdn.example/a.js", true), ("HTTPS://cdn.example/a.js", true), ("https:cdn.js", false),
    ("http://cdn.example/a.js", false), ("//cdn.example/a.js", false), ("https://u@cdn.example/a.js", false),
  ])
  func scriptsHaveOneRule(address: String, isLoaded: Bool) throws {
    var problems: [FlowProblem] = []
    let document: JSONValue = ["screens": [["id": "a", "html": "x"]], "requiredScripts": [.string(address)]]
    let flow = try OnboardingData(document.text.utf8, problems: &problems)
    #expect(flow.requiredScripts == (isLoaded ? [address] : []))
    #expect(problems.isEmpty == isLoaded)
    var page = OnboardingData()
    page.screens = [ScreenPayload(id: "a", html: "<script src='\(address)'></script>")]
    page.requiredScripts = [address]
    #expect(FlowPageCheck.problems(in: page).isEmpty == isLoaded)
    let html = PageDocument(
      ScreenPayload(id: "a", html: "x"), of: page, index: 0, context: nil, variables: [:], locale: ""
    ).html
    #expect(html.contains("<script src=\"\(address)\">") == isLoaded)
  }

  @Test func componentsAreCheckedToo() {
    var flow = OnboardingData()
    flow.components["card"] = FlowComponent(key: "card", html: "${nobody}")
    #expect(FlowPageCheck.problems(in: flow).map(\.place) == ["components.card.html"])
  }

  /// A problem is named once for each page, and all pages together have at most so many.
  @Test func theLimitIsForAllPages() {
    var flow = OnboardingData()
    flow.screens = [ScreenPayload(id: "a", html: (0..<150).map { "${nobody\($0)}" }.joined())]
    for index in 100..<200 { flow.components["c\(index)"] = FlowComponent(key: "c\(index)", html: "${nobody0}") }
    let problems = FlowPageCheck.problems(in: flow)
    #expect(problems.count == FlowLimits.problems)
    #expect(problems.last?.place == "components.c149.html")
  }

  /// The names, screens, scripts and ids are found once, not once for each page.
  @Test(.timeLimit(.minutes(1))) func manyPagesTakeNoLonger() {
    var flow = OnboardingData()
    flow.requiredScripts = (0..<100).map { "https://\($0).example/\(String(repeating: "x", count: 1_000)).js" }
    flow.screens = [ScreenPayload(id: "a", html: "x")]
    let large = String(repeating: "<p data-ramp-id=x>", count: 100_000)
    flow.components["large"] = FlowComponent(key: "large", html: large)
    for index in 0..<1_000 {
      flow.components["c\(index)"] = FlowComponent(
        key: "c\(index)", html: "<ramp-component key=large overrides='{\"y\":{}}'>")
    }
    #expect(FlowPageCheck.problems(in: flow).count == FlowLimits.problems)
    for (key, component) in flow.components where key != "large" {
      flow.components[key]?.html = component.html.replacing("\"y\"", with: "\"x\"")
    }
    // All would be a hundred million tags to read.
    #expect(FlowPageCheck.problems(in: flow) == [])
  }

  /// A long run of combining marks is slow to compare by Unicode, and quick by bytes.
  @Test(.timeLimit(.minutes(1))) func hostileWordsTakeNoLonger() {
    let word = "a" + String(repeating: "\u{301}\u{316}", count: 100_000)
    for (html, part) in [
      (action("{\"type\":\"\(word)\"}"), "No action"),
      (action("{\"type\":\"navigate\",\"targetScreenId\":\"\(word)\"}"), "No screen"),
      (tap("{\"conditionType\":\"\(word)\",\"actions\":[]}"), "The condition"),
      (tap("{\"rules\":[{\"key\":\"name\",\"op\":\"\(word)\"}],\"actions\":[]}"), "No operator"),
      ("<ramp-component key='\(word)'>", "No component"),
      ("<ramp-component key=card overrides='{\"\(word)\":{}}'>", "no element with the id"),
    ] {
      let found = problems(html)
      #expect(found.count == 1 && found.first?.message.contains(part) == true, "\(part)")
    }
  }

  @Test func problemsAreNamedOnceAndHaveALimit() {
    #expect(problems(String(repeating: "${nobody}", count: 1_000)).count == 1)
    #expect(problems((0..<1_000).map { "${nobody\($0)}" }.joined()).count == 200)
    #expect(problems("<b data-tap-dynamic='\(String(repeating: "[", count: 10_000))'>").count == 1)
    let long = problems("<b data-tap-dynamic='\u{1B}[31m\(String(repeating: "x", count: 100_000))'>")
    #expect(long.first.map { $0.message.utf8.count < 300 && !$0.message.contains("\u{1B}") } == true)
  }
}
