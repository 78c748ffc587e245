import Dispatch
import FCKOnboarding
import Glibc
import TesseraCommandLine
import TesseraCore
import TesseraJSON
import TesseraWindow

/// One showing of a flow of native screens.
struct ScreensShowing {
  private let document: JSONValue
  private let options: FlowOptions

  /// - Returns: nil if the document is no flow of this kind.
  init?(_ bytes: [UInt8], _ options: FlowOptions) {
    guard let document = try? FlowConfig.json(bytes), FCKFlowCheck.recognizes(document) else { return nil }
    self.document = document
    self.options = options
  }

  /// - Returns: the exit status.
  @MainActor
  func show(_ output: ResultOutput) async throws -> Int32 {
    try options.refuseWhatPagesNeed()
    let flow = try flow(output)
    if options.html {
      try WebSandbox.require(isOwnContent: true)
      await DesktopPortal.settle()
      if let sentence = DesktopPortal.sentence { output.note(sentence) }
    }
    // Widgets and pages follow the desktop's light or dark theme.
    let appearance = SystemAppearance()
    appearance.follow()
    defer { appearance.stop() }
    var window = FlowWindowOptions()
    window.usesPage = options.html
    window.fillsScreen = options.fullScreen
    window.program = "Tessera"
    let onboarding = FCKOnboarding(services: .system())
    let presentation = FlowPresentation(flow, of: onboarding, options: window)
    let signal = EndingSignal { presentation.close() }
    let report = try await presentation.run()
    await onboarding.finish()
    if let number = signal.number { return 128 + number }
    let isFinished = report.outcome == .completed
    // The words of the other kind of flow.
    return output.show(isFinished ? "finished" : "closed", isFinished: isFinished, report.answers.json, nil)
  }

  private func flow(_ output: ResultOutput) throws -> FlowConfig {
    var problems: [FlowProblem] = []
    let flow = try FlowConfig(document, problems: &problems)
    guard !flow.screens.isEmpty else {
      throw Failure(.usage, "The flow has no screen.", remedy: "“tessera flow check FILE” says what is wrong.")
    }
    if problems.contains(where: { $0.severity == .error }) {
      output.note("Parts of the flow are wrong and left out. “tessera flow check” names them.")
    }
    return flow
  }
}

/// Ends what is shown at SIGINT or SIGTERM, and then the process by that signal. A second one ends it at once.
@MainActor
final class EndingSignal {
  private(set) var number: Int32?
  private var sources: [any DispatchSourceSignal] = []

  init(_ end: @escaping @MainActor () -> Void) {
    for number in [SIGINT, SIGTERM] {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { [weak self] in
        MainActor.assumeIsolated {
          guard let self, self.number == nil else { ProcessExit.bySignal(number) }
          self.number = number
          Interruption.note(number)
          end()
        }
      }
      source.resume()
      sources.append(source)
    }
  }
}
