import Glibc
import TesseraThreads

/// Opens addresses outside of the flow.
package protocol LinkOpening: Sendable {
  /// - Returns: whether a program took the address.
  func open(_ address: String) async -> Bool
}

/// The programs that the user chose, by the portal of the desktop; without a portal, by `xdg-open`.
struct DesktopLinks: LinkOpening {
  private static let program = "/usr/bin/xdg-open"

  let bus: DesktopBus

  func open(_ address: String) async -> Bool {
    if await bus.open(address) { return true }
    guard access(Self.program, X_OK) == 0, let child = ChildProcess(Self.program, arguments: [address]) else {
      return false
    }
    // `xdg-open` ends when it has started a program.
    return (try? await BlockingWork(name: "xdg-open").run { child.waitUntilExit() == 0 }) ?? false
  }
}
