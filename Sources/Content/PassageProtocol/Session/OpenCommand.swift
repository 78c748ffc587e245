internal import TesseraJSON

/// A command without a result yet.
struct OpenCommand: Sendable {
  enum Stage: Sendable, Equatable {
    /// The automation view loads the address. `hasStarted`: the view has said so; what it says before is about the page
    /// that was there.
    case loading(String, hasStarted: Bool)
    /// The script waits until the automation view has an address, has loaded it, and has the page object. The number is
    /// that of the checks that failed.
    case waitingForAddress(failed: Int)
    case waitingForLoad(failed: Int)
    case waitingForPageObject(check: Int, failed: Int)
    case running(run: Int, ScriptRun.Mode)
    /// In record mode: the script has run, and `completeRecording` gives the result.
    case recording
    /// The result is known, and the page data is not.
    case collecting(collection: Int, CommandResult)
  }

  /// The session's number of the command.
  let number: Int
  let command: AutomationCommand
  var stage: Stage
  /// Whether the result is that of `done`, after which the session goes on.
  var done: DoneArguments?

  var script: (kind: AutomationCommand.ScriptKind, text: String)? {
    guard case .script(let kind, let text?) = command.action else { return nil }
    return (kind, text)
  }
}
