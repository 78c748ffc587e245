import Glibc
import TesseraDurableFiles

/// What became of an entry that was sent.
enum SendingOutcome: Sendable, Equatable {
  /// The server has it.
  case accepted
  /// The server will never take it.
  case refused(status: Int)
  /// It is sent again later. The network, or the way to the server, failed.
  case unreachable
  /// It is sent again later. The server, or the key, is the reason: a new attempt now would have the same result.
  case postponed

  /// - Parameter error: of `FCKAPIClient.send`.
  init(_ error: any Error) {
    switch error as? FCKAPIClient.APIError {
    case .serverError(let status, _)?:
      switch status {
      // The key can be mended. The other two ask for another attempt (RFC 9110, 15.5.9; RFC 8470, 5.2).
      case 401, 408, 425, 500...: self = .postponed
      default: self = .refused(status: status)
      }
    case .noActiveFlow?: self = .refused(status: 404)
    case .usageLimitExceeded?, .invalidURL?, .noData?, .decodingError?: self = .postponed
    case .networkError?, nil: self = .unreachable
    }
  }
}

/// The right to send the entries of an outbox. One process has it at a time, so that no entry is sent twice.
final class SendingLock: Sendable {
  private let descriptor: Int32

  /// - Returns: nil if there is no folder, or another one sends.
  init?(folder: String) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit {
    // Unlocks explicitly: a child that another thread forks has a copy of the descriptor until exec, which keeps the
    // lock.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
