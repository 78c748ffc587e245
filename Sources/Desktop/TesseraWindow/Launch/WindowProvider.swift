import TesseraBridge
import TesseraCore
import TesseraWebContent

/// Shows launches in windows of WebKitGTK.
struct WindowProvider: WebViewProvider {
  let configuration: LaunchConfiguration

  init(_ configuration: LaunchConfiguration) { self.configuration = configuration }

  func show(_ content: LaunchContent, for session: LaunchSession, router: MessageRouter) async throws {
    try await showOnMainActor(content, session, router)
  }

  @MainActor
  private func showOnMainActor(
    _ content: LaunchContent, _ session: LaunchSession, _ router: MessageRouter
  ) async throws {
    do {
      try MainLoop.openDisplay()
    } catch {
      throw VerificationError(code: "NO_VIEW_CONTROLLER", message: error.description, source: .host)
    }
    let window = try LaunchWindow(content, session, router, configuration)
    await withTaskCancellationHandler {
      await window.run()
    } onCancel: {
      Task { @MainActor in window.cancel() }
    }
  }
}
