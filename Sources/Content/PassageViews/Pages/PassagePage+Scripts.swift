internal import PassageProtocol
internal import TesseraCore
internal import TesseraJSON
internal import TesseraWebContent

extension PassagePage {
  /// The session's own limits are shorter, except for a recorder, whose result comes as a message.
  private static let limit = HostTiming.script

  private var world: ContentChannel.World { kind == .ui ? .page : .named(PageScripts.world) }

  /// Runs a script of the server. It sees the document, and the page object of its world.
  ///
  /// A script that is an expression runs in an asynchronous function, so that a promise is awaited. Any other script
  /// runs as a program: its value is that of its last statement.
  func run(_ script: String, mode: ScriptRun.Mode) async -> ScriptOutcome {
    do {
      let text = try await view.callAsync(PageScripts.expression(script), in: world, within: Self.limit)
      return Self.outcome(text, mode)
    } catch ScriptFailure.exception(let message) where message.hasPrefix("SyntaxError") {
      return await runProgram(script, mode)
    } catch { return Self.outcome(of: error, mode) }
  }

  private func runProgram(_ script: String, _ mode: ScriptRun.Mode) async -> ScriptOutcome {
    do {
      let text = try await view.runProgram(script, in: world, within: Self.limit)
      guard mode == .value, let text, let value = try? JSONValue(text: text) else { return .nothing }
      return .value(value)
    } catch ScriptFailure.unsupportedValue where mode == .message { return .nothing } catch {
      return Self.outcome(of: error, mode)
    }
  }

  /// - Parameter text: a JSON text whose value is the JSON text of the function's result.
  private static func outcome(_ text: String?, _ mode: ScriptRun.Mode) -> ScriptOutcome {
    guard let text, let inner = (try? JSONValue(text: text))?.stringValue, let result = try? JSONValue(text: inner)
    else { return .nothing }
    if let error = result["error"]?.stringValue { return .error(error) }
    guard mode == .value, let value = result["value"] else { return .nothing }
    return .value(value)
  }

  private static func outcome(of error: any Error, _ mode: ScriptRun.Mode) -> ScriptOutcome {
    // The script of a message can lead to another page, which ends it.
    switch error {
    case ScriptFailure.pageEnded where mode == .message, ScriptFailure.unsupportedValue where mode == .message:
      .nothing
    case ScriptFailure.unsupportedValue: .error("The page ended before the script did.")
    case let failure as ScriptFailure: .error(failure.message)
    default: .error("The script was cancelled.")
    }
  }

  /// Whether the page object is there. If not, it is made now, for the next time.
  func checkObject() async -> Bool {
    let script = "return typeof window.passage?.postMessage === 'function'"
    guard let answer = try? await view.callAsync(script, in: world, within: .seconds(2)) else { return false }
    if answer == "true" { return true }
    _ = try? await view.runProgram(siteScript, in: world, within: .seconds(2))
    return false
  }

  /// Asks the UI page to ask the user whether to close.
  func askCloseConfirmation() async -> CloseQuestion {
    let script = """
      if (typeof window.showCloseConfirmation === "function") { window.showCloseConfirmation(); return "called"; }
      window.postMessage({type: "CLOSE_CONFIRMATION_REQUEST"}, window.origin);
      return "posted";
      """
    do {
      return try await view.callAsync(script, in: .page, within: .seconds(2)) == "\"called\"" ? .called : .posted
    } catch ScriptFailure.exception { return .threw } catch { return .noAnswer }
  }

  enum CloseQuestion: Sendable {
    /// The page's function was called.
    case called
    /// The page has no such function; whether it understands the message is unknown.
    case posted
    case threw
    /// There is no page, or it hangs.
    case noAnswer
  }
}
