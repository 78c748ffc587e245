import TesseraThreads

extension ContentView {
  /// Waits until the page has run everything that was sent to it, at most for this time: a page that hangs must not
  /// hold up its window.
  public func settle(atMost limit: Duration = .seconds(1)) async {
    // Before the first page nothing was sent. An evaluation would wait for a process that starts, and if the view is
    // closed before, WebKit keeps it and its session for ever.
    guard hasCommitted else { return }
    _ = try? await withTimeLimit(limit) { @MainActor in
      // An evaluation cannot be cancelled, and ends with the process of the page. None begins after the limit.
      try Task.checkCancellation()
      return try await self.evaluate("0")
    }
  }
}
