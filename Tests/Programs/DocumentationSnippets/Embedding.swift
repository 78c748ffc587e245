import Tessera

/// A window of the program with a page.
protocol Page: Sendable {
  func evaluate(_ script: String)
  func close()
}

/// One verification in a window.
struct Verification: LaunchHost {
  let page: any Page
  let outcome: @Sendable (String) -> Void

  func onSuccess(_ result: VerificationResult) async { outcome("verified \(result.userId ?? "unknown user")") }
  func onFailure(_ error: VerificationError) async { outcome("failed: \(error.code)") }
  func onCancelled() async { outcome("cancelled") }
  func dismiss() async { page.close() }
}

/// The bridge of one page.
struct PageBridge {
  private let router: MessageRouter
  private let policy: ContentPolicy
  private let connection = BridgeConnection()
  private let page: any Page

  init(
    _ shared: MessageRouter, _ registry: SdkProviderRegistry, _ policy: ContentPolicy, _ session: LaunchSession,
    _ page: any Page
  ) {
    // All windows share readers and keys. Each window has its own launch.
    router = shared.serving(LifecycleBridgeHandler(registry: registry, session: session))
    self.policy = policy
    self.page = page
  }

  /// Handles a text that the page posted.
  ///
  /// - Parameter address: the address of the page at that time.
  func received(_ text: String, from address: String) async {
    guard policy.mayUseBridge(address), let origin = WebOrigin(url: address) else { return }
    await router.route(text, from: .web(origin: origin.canonical), over: connection) { [page] message in
      page.evaluate(message.script)
    }
  }
}
