#if canImport(CTesseraWebKitGTK)
  extension ContentView {
    /// Waits until the page has run everything that was sent to it, at most for this time: a page that hangs must not
    /// hold up its window.
    public func settle(atMost limit: Duration = .seconds(1)) async {
      // Before the first page nothing was sent. An evaluation would wait for a process that starts, and if the view is
      // closed before, WebKit keeps it and its session for ever.
      guard hasCommitted else { return }
      let (ends, end) = AsyncStream.makeStream(of: Never.self)
      // Not awaited: an evaluation cannot be cancelled, and ends with the process of the page.
      Task {
        _ = try? await evaluate("0")
        end.finish()
      }
      let timer = Task {
        try? await Task.sleep(for: limit)
        end.finish()
      }
      for await _ in ends {}
      timer.cancel()
    }
  }
#endif
