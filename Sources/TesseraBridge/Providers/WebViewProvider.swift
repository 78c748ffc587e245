/// Shows the web content that uses the bridge.
public protocol WebViewProvider: Sendable {
  /// Opens the content.
  ///
  /// - Parameters:
  ///   - queryParams: the query of the start address.
  ///   - isDebugMode: whether the development server provides the content.
  ///   - onMessage: receives each text that the page posts.
  func createWebView(
    queryParams: String, isDebugMode: Bool, onMessage: @escaping @Sendable (String) -> Void
  ) async throws
  /// Runs a script in the main frame.
  func evaluateJs(_ script: String) async throws
  /// Closes the content.
  func close() async
}
