import Foundation
import TesseraCore
import TesseraThreads

/// A device file or a socket, closed by `deinit`.
public final class FileDescriptor: Sendable {
  public let number: Int32

  public init(owning number: Int32) { self.number = number }

  /// Opens a file for reading and writing.
  public init(opening path: String) throws {
    number = open(path, O_RDWR | O_CLOEXEC)
    guard number >= 0 else {
      throw Failure(.noReader, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(number) }

  /// - Returns: Exactly that many bytes; nil at the end.
  public func read(exactly count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let received = bytes.withUnsafeMutableBytes {
        Foundation.read(number, $0.baseAddress.map { $0 + filled }, count - filled)
      }
      if received < 0, errno == EINTR { continue }
      guard received > 0 else { return nil }
      filled += received
    }
    return bytes
  }

  /// - Returns: Whether all bytes were written.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    var isWritten = true
    BrokenPipe.withoutSignal { isWritten = writeAll(bytes) }
    return isWritten
  }

  private func writeAll(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.write(number, $0.baseAddress.map { $0 + sent }, bytes.count - sent)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }
}
