import Foundation
import Synchronization
import Tessera

/// One line on standard error that tells where a read stands; nothing at all where that is no terminal.
final class ProgressLine: Sendable {
  private let last = Mutex("")

  func waiting() { show("Lay the document on the reader ...") }

  func follow(_ progress: InspectionProgress) {
    switch progress {
    case .connected: show("Connected")
    case .accessing(.none): show("Opening")
    case .accessing(let access): show("Opening with \(access.rawValue)")
    case .accessGranted: show("Opened")
    case .reading(let file, let bytes, let total):
      let width = 24
      let filled = total > 0 ? bytes * width / total : width
      let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
      show("Reading \(file.name)  [\(bar)] \(bytes) of \(total) bytes")
    case .lost: show("The document has left the reader: lay it on again, the read goes on where it was")
    case .returned: show("It is back")
    case .authenticatingChip: show("Asking the chip for its key")
    case .finished: clear()
    }
  }

  func show(_ text: String) {
    guard Terminal.isErrorTerminal else { return }
    last.withLock { last in
      guard text != last else { return }
      last = text
      write("\r\u{1B}[K\(text)")
    }
  }

  func clear() {
    guard Terminal.isErrorTerminal else { return }
    last.withLock { last in
      guard !last.isEmpty else { return }
      last = ""
      write("\r\u{1B}[K")
    }
  }

  private func write(_ text: String) { Note.writeRaw(text) }
}
