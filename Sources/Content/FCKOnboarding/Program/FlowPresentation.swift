import TesseraWebContent

/// How a flow is shown in a window of its own.
package struct FlowWindowOptions {
  /// Whether the flow is an HTML page instead of widgets.
  package var usesPage = false
  package var fillsScreen = false
  /// Who shows the flow; nil for the name of the configuration.
  package var program: String?

  package init() {}
}

/// A flow in a window of its own. Closing the window skips the flow.
@MainActor
package final class FlowPresentation {
  package let view: OnboardingFlowView
  private let window: OnboardingWindow
  private let outcomes: AsyncStream<Result<FlowReport, Failure>>

  package init(
    _ flow: FlowConfig, of onboarding: FCKOnboarding, options: FlowWindowOptions = FlowWindowOptions()
  ) {
    let (outcomes, outcome) = AsyncStream.makeStream(of: Result<FlowReport, Failure>.self)
    self.outcomes = outcomes
    view = OnboardingFlowView(flow, of: onboarding, usesPage: options.usesPage) { outcome.yield(.success($0)) }
    view.onFailure = { outcome.yield(.failure($0)) }
    window = OnboardingWindow(
      program: options.program ?? onboarding.programName, content: view.widget, isPage: options.usesPage)
    window.onCloseRequest = { [weak view] in view?.skip() }
    window.onBack = { [weak view] in view?.goBack() }
    if options.fillsScreen { window.fillScreen() }
  }

  package var screenIndex: Int { view.screenIndex }

  /// Closes the flow as if the person had closed it.
  package func close() { view.skip() }

  /// Shows the flow, and waits for its end.
  ///
  /// - Throws: `Failure` if the page ended unexpectedly.
  package func run() async throws(Failure) -> FlowReport {
    view.begin()
    window.present()
    view.focusFirst()
    var result = Result<FlowReport, Failure>.failure(Failure(.cancelled, "The flow was closed."))
    for await outcome in outcomes {
      result = outcome
      break
    }
    window.close()
    await view.end()
    return try result.get()
  }
}
