import CSystemd
import Dispatch

/// The C library keeps memory that was freed for later, by default as much as a crowd of clients needed once. A service
/// lives for months, so it gives that back when the crowd has gone.
enum IdleMemory {
  /// Fewer clients than these leave nothing that is worth looking for.
  private static let crowd = 32

  static func giveBack(after clients: Int?) {
    guard let clients, clients >= crowd else { return }
    DispatchQueue.global(qos: .utility).async { malloc_trim(0) }
  }
}
