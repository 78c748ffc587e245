import Glibc
import RampKitFlow
import TesseraBridge
import TesseraCore
import TesseraWebContent

/// One page of a flow in a window, as the program shows it: what it sends, and what is in it.
@MainActor
final class ShownPage {
  let view: ContentView
  private let window: ContentWindow
  private let log: MessageLog

  /// The messages of the page so far, as JSON; a text that is no JSON is a string.
  var messages: [JSONValue] { log.texts.map { (try? JSONValue(text: $0)) ?? .string($0) } }
  /// The messages as they came.
  var texts: [String] { log.texts }

  /// - Parameters:
  ///   - hasChannel: whether the page finds the program.
  ///   - scripts: what runs before the page.
  init(
    _ document: PageDocument, hasChannel: Bool = true, scripts: [String] = [PageScripts.documentStart]
  ) async throws {
    let log = MessageLog()
    self.log = log
    let channel = ContentChannel(["rampkit"], body: .textOrObject) { _ in log }
    view = ContentView(session: ContentSession(), rules: OwnContent(), channels: hasChannel ? [channel] : [])
    for script in scripts { view.addScript(script) }
    window = ContentWindow(title: "page")
    window.add(view)
    window.present()
    let (ends, end) = AsyncStream.makeStream(of: String?.self)
    view.onLoaded = { end.yield(nil) }
    view.onFailure = { end.yield("\($0)") }
    let file = BundledContent.File(mediaType: "text/html", bytes: Array(document.html.utf8))
    view.load(BundledContent(name: "flow", files: ["index.html": file], securityPolicy: document.securityPolicy))
    for await failure in ends {
      if let failure { throw ScenarioError(description: "the page was not loaded: \(failure)") }
      break
    }
  }

  /// The page of a screen that is not in a sample.
  convenience init(
    html: String, css: String? = nil, js: String? = nil, translations: [String: [String: String]] = [:],
    variables: JSONObject = [:], context: PageContext? = nil, locale: String = "en_US",
    scripts: [String] = [PageScripts.documentStart]
  ) async throws {
    let screen = ScreenPayload(id: "only", html: html, css: css, js: js, translations: translations)
    var flow = OnboardingData()
    flow.screens = [screen]
    try await self.init(
      PageDocument(screen, of: flow, index: 0, context: context, variables: variables, locale: locale),
      scripts: scripts)
  }

  func close() {
    view.close()
    window.close()
  }

  func send(_ message: HostMessage) { view.document?.call(PageScripts.receiver, message.text) }

  func send(_ variables: JSONObject) { send(.variables(variables)) }

  /// The value of an expression.
  @discardableResult
  func value(_ script: String) async throws -> JSONValue {
    guard let text = try await view.evaluate(script) else { return .null }
    return try JSONValue(text: text)
  }

  func text(_ selector: String) async throws -> JSONValue {
    try await value("document.querySelector('\(selector)').textContent")
  }

  func click(_ selector: String) async throws { try await value("document.querySelector('\(selector)').click()") }

  /// Waits until an expression is true. The limit is for a machine that does much else.
  func wait(_ condition: String) async throws {
    guard try await becomesTrue(within: .seconds(30), { try await value("Boolean(\(condition))") == true }) else {
      throw ScenarioError(description: "never became true: \(condition)")
    }
  }

  /// Waits for this many messages.
  func wait(messages count: Int) async throws {
    guard try await becomesTrue(within: .seconds(30), { log.texts.count >= count }) else {
      throw ScenarioError(description: "\(log.texts.count) of \(count) messages: \(log.texts)")
    }
  }

  /// Waits until the messages that were sent up to now have arrived: a message of our own comes after them.
  func settle() async throws {
    let mark = "mark \(marks)"
    marks += 1
    try await value("window.webkit.messageHandlers.rampkit.postMessage('\(mark)')")
    guard try await becomesTrue(within: .seconds(30), { log.texts.contains(mark) }) else {
      throw ScenarioError(description: "no message arrives")
    }
    log.texts.removeAll { $0 == mark }
  }
  private var marks = 0

  /// Forgets the messages.
  func forget() { log.texts = [] }
}

@MainActor
final class MessageLog: ContentReceiver {
  var texts: [String] = []

  func receive(_ message: ContentMessage) { texts.append(message.text) }
  func documentEnded() {}
}

/// Only content of the program.
struct OwnContent: ContentRules {
  func mayNavigate(to address: String) -> Bool { BundledContent.origin(of: address) != nil }
  func mayUseChannels(_ address: String) -> Bool { BundledContent.origin(of: address) != nil }
  func mayAskForCameraAndMicrophone(_ address: String) -> Bool { false }
}

struct ScenarioError: Error, CustomStringConvertible { let description: String }

/// A flow among the samples.
enum Sample {
  static func flow(_ path: String) throws -> OnboardingData {
    guard let file = fopen(path, "r") else { throw ScenarioError(description: "no file \(path)") }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = fgetc(file), byte != EOF { bytes.append(UInt8(byte)) }
    var problems: [FlowProblem] = []
    return try OnboardingData(bytes, problems: &problems)
  }
}
