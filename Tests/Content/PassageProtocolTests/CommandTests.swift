import TesseraJSON
import Testing

@testable import PassageProtocol

@Suite struct CommandTests {
  @Test(
    "A command without an identifier or a type is dropped",
    arguments: [
      #"{"type":"click"}"#, #"{"id":"a"}"#, #"{"id":5,"type":"click"}"#, #"{"id":"","type":"click"}"#,
      #"{"id":"a","type":""}"#, #"{"id":"a","type":null}"#, "[]", "null", #""click""#,
    ])
  func dropped(json: String) throws { #expect(AutomationCommand(try JSONValue(text: json)) == nil) }

  @Test("The sample of navigate") func navigate() throws {
    let command = try #require(AutomationCommand(try Samples.json("passage-command-navigate")))
    #expect(command.id == "c-1" && command.userActionRequired == false && command.cookieDomains == nil)
    let done = try #require(URLGlob("https://shop.example/done*"))
    let start = try #require(URLGlob("https://shop.example/start"))
    #expect(
      command.action
        == .navigate(
          address: "https://shop.example/account",
          successURLs: [
            SuccessURL(glob: done, moment: .navigationEnd), SuccessURL(glob: start, moment: .navigationStart),
          ]))
  }

  @Test(
    "The samples of scripts",
    arguments: [
      ("click", AutomationCommand.ScriptKind.click, ScriptRun.Mode.value), ("input", .input, .value),
      ("wait", .wait, .message), ("injectscript", .injectScript, .value),
    ])
  func scripts(name: String, kind: AutomationCommand.ScriptKind, mode: ScriptRun.Mode) throws {
    let command = try #require(AutomationCommand(try Samples.json("passage-command-\(name)")))
    guard case .script(kind, let script?) = command.action else {
      Issue.record("\(command.action)")
      return
    }
    #expect(kind.mode(of: script) == mode)
    #expect(kind.timeLimit == (kind == .wait ? .seconds(60) : .seconds(30)))
  }

  @Test(
    "Scripts that go on after their end send a message",
    arguments: [
      ("(async () => { window.passage.postMessage('x') })()", ScriptRun.Mode.message),
      ("(async function () { passage.postMessage('x') })()", .message),
      ("(async function* () { passage.postMessage('x') })()", .message),
      ("const f = async x => passage.postMessage(x)", .message),
      ("({ async run() { passage.postMessage(1) } }).run()", .message),
      ("async(() => passage.postMessage(1))", .message),
      ("window.passage.postMessage('x')", .value), ("(async () => 1)()", .value),
      ("asynchronous(); passage.postMessage(1)", .value), ("x.async(); passage.postMessage(1)", .value),
      ("isasync(1); passage.postMessage(1)", .value), ("", .value),
    ])
  func modes(script: String, mode: ScriptRun.Mode) {
    #expect(AutomationCommand.ScriptKind.injectScript.mode(of: script) == mode)
  }

  @Test("A script that is empty or no text is missing") func missingScript() throws {
    for json in [#"{"id":"a","type":"wait","injectScript":""}"#, #"{"id":"a","type":"wait","injectScript":5}"#] {
      #expect(AutomationCommand(try JSONValue(text: json))?.action == .script(.wait, script: nil))
    }
    #expect(
      AutomationCommand(try Samples.json("passage-command-injectscript-missing"))?.action
        == .script(.injectScript, script: nil))
  }

  @Test("The samples of done") func done() throws {
    func arguments(_ name: String) throws -> DoneArguments {
      let command = try #require(AutomationCommand(try Samples.json("passage-command-done-\(name)")))
      guard case .done(let arguments) = command.action else {
        Issue.record("\(command.action)")
        return DoneArguments(nil)
      }
      return arguments
    }
    let success = try arguments("success")
    #expect(success.isSuccess && success.connectionId == "conn-1" && success.error == nil)
    #expect(success.history?.count == 1 && success.history?.first?.additionalData["order"] == "1001")
    let nested = try arguments("nested-history")
    #expect(nested.isSuccess && nested.history == [PassageHistoryItem(additionalData: ["order": "1001"])])
    let failure = try arguments("failure")
    #expect(!failure.isSuccess && failure.error == "wrong password" && failure.history == nil)
    #expect(DoneArguments(nil).isSuccess)
  }

  @Test("An unknown type stays known by its name") func unknown() throws {
    #expect(
      AutomationCommand(try Samples.json("passage-command-unsupported"))?.action == .unknown(type: "teleport"))
    let long = AutomationCommand(["id": "a", "type": .string(String(repeating: "n\u{7}", count: 100_000))])
    #expect(long?.action == .unknown(type: String(repeating: "n ", count: 32)))
  }

  @Test("Patterns for success that are malformed are left out") func successURLs() throws {
    let command = AutomationCommand(
      try JSONValue(
        text: #"""
          {"id":"a","type":"navigate","args":{"url":"https://a.example","successUrls":[
            {"urlPattern":"","navigationType":"navigationEnd"},{"urlPattern":"https://a.example/x"},5,
            {"urlPattern":"https://a.example/x","navigationType":"never"},
            {"urlPattern":"https://a.example/y","navigationType":"navigationEnd"}]}}
          """#))
    guard case .navigate(_, let urls)? = command?.action else {
      Issue.record("no navigation")
      return
    }
    #expect(urls.map(\.glob.pattern) == ["https://a.example/y"])
  }

  // MARK: - Results

  private static let page: PageData = {
    var cookie = PassageCookie(name: "sid", value: "x1", domain: ".shop.example")
    cookie.path = "/"
    cookie.expires = 1_893_456_000
    cookie.secure = true
    cookie.httpOnly = true
    cookie.sameSite = .lax
    var data = PageData()
    data.cookies = [cookie]
    data.localStorage = [StorageItem(name: "theme", value: "dark")]
    data.sessionStorage = []
    data.html = "<html><head><title>Account</title></head><body></body></html>"
    data.url = "https://shop.example/account"
    return data
  }()

  @Test("Results are written as in the samples") func results() throws {
    var photographed = Self.page
    photographed.screenshot = "data:image/jpeg;base64,/9j/4AAQ"
    let url: JSONValue = ["url": "https://shop.example/account"]
    let done: JSONValue = try #require(try Samples.json("passage-command-done-success")["args"]?["data"])
    let rows: [(String, CommandResult)] = [
      ("navigate", .success("c-1", url, photographed)), ("click", .success("c-2", ["clicked": true], Self.page)),
      ("input", .success("c-3", "a@example.org", .empty)), ("wait", .success("c-4", true, photographed)),
      ("injectscript", .success("c-5", "Account", photographed)), ("done", .success("c-7", done, photographed)),
      ("done-failure", .error("c-9", "wrong password")),
      ("script-missing", .error("c-6", "No script provided for execution")),
      ("unsupported", .unsupported("c-10", type: "teleport")),
      ("recording-done", .success("c-5", ["note": "recorded"], photographed, status: .done)),
    ]
    for (name, result) in rows {
      #expect(.object(result.json) == (try Samples.json("passage-result-\(name)")), "\(name)")
    }
  }

  @Test("Members without a value are left out") func noNulls() {
    #expect(CommandResult.success("a", nil, nil).json.names == ["id", "status"])
    #expect(PageData().json.isEmpty)
    #expect(PassageCookie(name: "n", value: "v", domain: "d").json.names == ["name", "value", "domain"])
  }
}
