import Synchronization
package import Tessera

/// A line on standard error that shows the progress of an operation. Shows nothing if standard error is no terminal.
package final class ProgressLine: Sendable {
  private let last = Mutex("")

  package init() {}

  package func waiting() { show("Place the document on the reader ...") }

  package func follow(_ progress: InspectionProgress) {
    switch progress {
    case .connected: show("Connected")
    case .accessing(.none): show("Requesting access")
    case .accessing(let access): show("Requesting access with \(access.rawValue)")
    case .accessGranted: show("Access granted")
    case .reading(let file, let bytes, let total):
      let width = 24
      let filled = total > 0 ? bytes * width / total : width
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
      show("Reading \(file.name)  [\(bar)] \(bytes) of \(total) bytes")
    case .lost: show("The document was removed: place it on the reader again to resume the read")
    case .returned: show("Resuming the read")
    case .authenticatingChip: show("Authenticating the chip")
    case .finished: clear()
    }
  }

  package func show(_ text: String) {
    guard Terminal.isErrorTerminal else { return }
    last.withLock { last in
      guard text != last else { return }
      last = text
      write("\r\u{1B}[K\(text)")
    }
  }

  package func clear() {
    guard Terminal.isErrorTerminal else { return }
    last.withLock { last in
      guard !last.isEmpty else { return }
      last = ""
      write("\r\u{1B}[K")
    }
  }

  private func write(_ text: String) { Note.writeRaw(text) }
}
