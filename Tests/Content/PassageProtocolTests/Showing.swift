import Foundation
import TesseraJSON
import Testing

@testable import PassageProtocol

/// A session whose owner is the test: it answers nothing by itself, and its clock goes on when the test says so.
struct Showing {
  static let config: PassageConfig = {
    var config = PassageConfig(uiUrl: "https://ui.example", apiUrl: "https://api.example")
    config.sendsResultsOverSocket = false
    return config
  }()
  static let configuration: JSONValue = [
    "integration": ["url": "https://shop.example/login", "name": "Shop"], "cookieDomains": [".shop.example"],
  ]

  var session: PassageSession
  var time = UnixTime(milliseconds: 1_893_553_445_000)
  /// Since the last `take()`, and all.
  private(set) var effects: [PassageEffect] = []
  private(set) var all: [PassageEffect] = []

  init(_ config: PassageConfig = Showing.config) throws { session = try PassageSession(config) }

  mutating func handle(_ input: PassageInput) {
    let new = session.handle(input, at: time)
    effects += new
    all += new
  }

  mutating func wait(_ milliseconds: Int64) { time.milliseconds += milliseconds }

  /// Lets a timer that runs fire.
  mutating func fire(_ timer: PassageTimer, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(session.timers.contains(timer), "\(timer) does not run", sourceLocation: sourceLocation)
    handle(.timer(timer))
  }

  mutating func take() -> [PassageEffect] {
    defer { effects = [] }
    return effects
  }

  // MARK: - Steps

  static func token(_ claims: String) -> String {
    "h.\(Data(claims.utf8).base64EncodedString().replacing("=", with: "")).s"
  }

  mutating func open(_ claims: String = "{}") {
    handle(.open(SessionOptions(intentToken: Self.token(claims), sessionSuffix: "abcdefghi")))
  }

  /// Opens, and answers until the user is asked.
  mutating func openUntilAsked(_ claims: String = "{}", _ configuration: JSONValue = Showing.configuration) {
    open(claims)
    handle(.navigation(.ui, .finished("https://ui.example/connect")))
    fire(.userAgentDelay)
    handle(.userAgent("Engine/1"))
    answer(to: "/automation/configuration", .received(status: 200, body: Array(configuration.text.utf8)))
  }

  /// Opens until the third party's page is there and the socket is connected.
  mutating func run(
    _ claims: String = "{}", _ configuration: JSONValue = Showing.configuration,
    page: String = "https://shop.example/login"
  ) {
    openUntilAsked(claims, configuration)
    handle(.consent(isGiven: true))
    load(page)
    handle(.socket(.connected))
    _ = take()
  }

  /// The view says that it loaded a page.
  mutating func load(_ address: String) {
    for event: NavigationInput in [.started(address), .committed(address), .finished(address)] {
      handle(.navigation(.automation, event))
    }
  }

  mutating func command(_ json: JSONValue) { handle(.socket(.event(name: "command", payload: json))) }

  mutating func say(_ text: String, from view: PassageView = .ui, origin: String? = nil, isFromTopFrame: Bool = true) {
    let own = view == .ui ? "https://ui.example" : "https://shop.example"
    handle(.message(view, origin: origin ?? own, isFromTopFrame: isFromTopFrame, text: text))
  }

  /// Answers the last request to a path.
  mutating func answer(
    to path: String, _ outcome: RequestOutcome = .received(status: 200, body: []),
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let number = all.last { if case .send(_, let request) = $0 { request.address.hasSuffix(path) } else { false } }
    guard case .send(let number, _)? = number else {
      Issue.record("nothing was sent to \(path)", sourceLocation: sourceLocation)
      return
    }
    handle(.response(request: number, outcome))
  }

  /// The page is ready, and the script ends.
  mutating func finishScript(_ outcome: ScriptOutcome) {
    checkPage(true)
    guard let run = runs.last else { return }
    handle(.scriptFinished(run: run.run, outcome))
  }

  mutating func checkPage(_ isReady: Bool) {
    let check = all.compactMap { if case .checkPage(let check) = $0 { check } else { nil } }.last
    handle(.pageChecked(check: check ?? 0, isReady: isReady))
  }

  /// Answers the last collection.
  mutating func collect(_ change: (inout PageData) -> Void = { _ in }) {
    guard let collection = collections.last else {
      Issue.record("nothing is collected")
      return
    }
    var data = PageData()
    data.url = "https://shop.example/login"
    data.html = "<p>"
    change(&data)
    handle(.pageData(collection: collection.collection, data))
  }

  // MARK: - What was done

  var runs: [ScriptRun] { all.compactMap { if case .run(let run) = $0 { run } else { nil } } }
  var collections: [PageCollection] { all.compactMap { if case .collect(let value) = $0 { value } else { nil } } }
  var loads: [PageLoad] { all.compactMap { if case .load(let load) = $0 { load } else { nil } } }
  var callbacks: [PassageCallback] { all.compactMap { if case .callback(let value) = $0 { value } else { nil } } }
  var shows: [PassageView] { all.compactMap { if case .show(let view) = $0 { view } else { nil } } }
  var emissions: [SocketEmission] { all.compactMap { if case .emit(let value) = $0 { value } else { nil } } }
  var requests: [PassageRequest] { all.compactMap { if case .send(_, let request) = $0 { request } else { nil } } }

  func bodies(of path: String) -> [JSONValue] {
    requests.filter { $0.address.hasSuffix(path) }.compactMap {
      try? JSONValue(text: String(decoding: $0.body ?? [], as: UTF8.self))
    }
  }

  /// The results that were posted.
  var results: [JSONValue] { bodies(of: "/automation/command-result") }
  var browserStates: [JSONValue] { bodies(of: "/automation/browser-state") }
  var sent: [SentEntry] { all.compactMap { if case .record(let entry) = $0 { entry } else { nil } } }
  var reason: PassageExitReason? {
    guard case .end(let reason)? = all.last else { return nil }
    return reason
  }
}
