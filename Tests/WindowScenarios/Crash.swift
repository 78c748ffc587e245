#if canImport(CTesseraWebKitGTK)
  import Glibc
  import TesseraBridge
  import TesseraWindow

  /// The process of the page is killed while it reads a document on a real reader (PC/SC); then the person tries again.
  @MainActor
  enum Crash {
    static func run(_ arguments: [String]) async throws {
      let run = try await VerificationRun(.any(CardSelection(timeout: .seconds(60))))
      try await run.read()
      // In the middle of a file.
      try await run.wait("document.getElementById('bytes').textContent !== ''")
      observe("bytes", try await run.value("document.getElementById('bytes').textContent"))
      let killed = Descendants.named("WebKitWebProcess")
      for process in killed { kill(process, SIGKILL) }
      observe("killed", .integer(Int64(killed.count)))
      let window = run.window.window
      for _ in 0..<200 where !window.showsNotice { try await Task.sleep(for: .milliseconds(50)) }
      observe("notice", .bool(window.showsNotice))
      window.pressNotice()
      while window.showsNotice { try await Task.sleep(for: .milliseconds(20)) }
      await run.window.begun()
      try await run.wait("!document.getElementById('leave').hidden")
      // The page is as new, and the reader is free: a scan that did not end would answer ALREADY_SCANNING.
      observe("number", try await run.value("document.getElementById('number').value"))
      try await run.read()
      try await run.waitForResult()
      observe("verdict", try await run.value("document.getElementById('verdict').textContent"))
      await run.close()
    }
  }
#endif
