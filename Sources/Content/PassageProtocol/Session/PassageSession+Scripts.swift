internal import TesseraJSON

/// Scripts of the server (Passage.md, rule 12).
extension PassageSession {
  mutating func run(_ command: AutomationCommand, _ kind: AutomationCommand.ScriptKind, _ script: String?) {
    guard let script else { return deliver(.error(command.id, "No script provided for execution")) }
    guard script.utf8.count <= AutomationCommand.ScriptKind.longestScript else {
      return deliver(.error(command.id, "The script is too long."))
    }
    if flags.record, kind == .injectScript {
      // The next recorder takes the place of the last one, whose script has run.
      for other in open where other.stage == .recording { succeed(other.number, nil) }
      recorder = command
    }
    let number = add(command, .waitingForAddress(failed: 0))
    start(.commandLimit(command: number), kind.timeLimit)
    checkReady(number)
  }

  // MARK: - Is the page ready?

  /// Checks what the command waits for, and goes on to the next thing if it is there.
  mutating func checkReady(_ number: Int) {
    guard let index = index(number) else { return }
    switch open[index].stage {
    case .waitingForAddress(let failed):
      guard address != nil else {
        return wait(number, failed + 1, "No page is loaded.") { .waitingForAddress(failed: $0) }
      }
      open[index].stage = .waitingForLoad(failed: 0)
      checkReady(number)
    case .waitingForLoad(let failed):
      guard !isLoading else {
        return wait(number, failed + 1, "The page is still loading.") { .waitingForLoad(failed: $0) }
      }
      checkPage(index, failed: 0)
    case .waitingForPageObject(_, let failed): checkPage(index, failed: failed)
    case .loading, .running, .recording, .collecting: break
    }
  }

  private mutating func checkPage(_ index: Int, failed: Int) {
    let check = number()
    open[index].stage = .waitingForPageObject(check: check, failed: failed)
    effects.append(.checkPage(check: check))
  }

  mutating func checkedPage(_ check: Int, isReady: Bool) {
    for command in open {
      guard case .waitingForPageObject(check, let failed) = command.stage else { continue }
      guard !isReady else { return runScript(command.number) }
      // The number of a check counts once.
      let next = number()
      return wait(command.number, failed + 1, "The page takes no scripts.") {
        .waitingForPageObject(check: next, failed: $0)
      }
    }
  }

  private mutating func wait(
    _ number: Int, _ failed: Int, _ error: String, _ stage: (Int) -> OpenCommand.Stage
  ) {
    guard failed < SessionTiming.readyChecks, let index = index(number) else { return fail(number, error) }
    open[index].stage = stage(failed)
    start(.readyCheck(command: number), SessionTiming.readyCheck)
  }

  // MARK: - Running

  private mutating func runScript(_ number: Int) {
    guard let index = index(number), let script = open[index].script else { return }
    cancel(.readyCheck(command: number))
    guard isPageConsented else {
      return fail(number, Self.elsewhere, data: Self.notConsented)
    }
    let mode = script.kind.mode(of: script.text)
    let run = self.number()
    open[index].stage = .running(run: run, mode)
    // A recorder works until the recording ends.
    if flags.record, script.kind == .injectScript, mode == .message { cancel(.commandLimit(command: number)) }
    effects.append(.run(ScriptRun(run: run, script: script.text, mode: mode)))
  }

  mutating func finished(_ run: Int, _ outcome: ScriptOutcome) {
    for command in open {
      guard case .running(run, let mode) = command.stage else { continue }
      switch (outcome, mode) {
      // The next page ended the script, and it runs again there.
      case (.error, _) where command.script?.kind == .wait && isLoading: break
      // The result comes as a message.
      case (.value, .message), (.nothing, .message): break
      // The script may have run in the page that came after the one it was for.
      case (.value, .value) where !isConsented(since: run), (.error, _) where !isConsented(since: run):
        fail(command.number, Self.elsewhere, data: Self.notConsented)
      case (.error(let error), _): fail(command.number, Self.text(of: error))
      case (.value(let value), .value): succeed(command.number, value)
      case (.nothing, .value):
        guard flags.record, command.script?.kind == .injectScript, let index = index(command.number) else {
          return succeed(command.number, nil)
        }
        open[index].stage = .recording
        cancel(.commandLimit(command: command.number))
      }
      return
    }
  }

  /// A page of the automation view sends the result of a script that runs there.
  mutating func received(_ message: ScriptMessage) {
    for command in open where command.command.id.hasBytes(of: message.commandId) {
      guard case .running(_, .message) = command.stage else { continue }
      switch message.outcome {
      case .value(let value): succeed(command.number, value)
      case .nothing: succeed(command.number, nil)
      case .error(let error): fail(command.number, Self.text(of: error))
      }
      return
    }
  }

  private static let elsewhere = "The user did not agree to scripts in pages of this domain."

  private static func text(of error: String) -> String {
    error.isEmpty ? "The script failed." : error.shortened(to: 2_000)
  }

  // MARK: - Again

  /// Whether a script runs again after a navigation.
  var repeatsScript: Bool { flags.record ? recorder != nil : unansweredWait != nil }

  /// The last command of the type `wait` whose script runs.
  private var unansweredWait: OpenCommand? {
    open.last { command in
      guard command.script?.kind == .wait, case .running = command.stage else { return false }
      return true
    }
  }

  mutating func repeatScript() {
    guard isPageConsented, !isLoading else { return }
    if flags.record {
      guard let recorder, case .script(let kind, let script?) = recorder.action else { return }
      let run = number()
      let mode = kind.mode(of: script)
      // If the command is still open, the result is that of the new run. If not, nobody waits for one.
      for index in open.indices where open[index].command.id.hasBytes(of: recorder.id) {
        if case .running = open[index].stage { open[index].stage = .running(run: run, mode) }
      }
      effects.append(.run(ScriptRun(run: run, script: script, mode: mode)))
    } else if let command = unansweredWait {
      runScript(command.number)
    }
  }
}
