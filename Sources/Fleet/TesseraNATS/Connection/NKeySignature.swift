internal import CTesseraNATS
internal import Glibc
internal import TesseraThreads

/// Signs the logins of one connection with the seed in a file.
///
/// libnats 3.4 does not send a signature whose first byte is zero: one of 256. The server refuses such a login, and
/// after two refusals libnats gives the connection up for good. So such a login is broken off here instead; the next
/// one is about another text. The seed is read for each login, and is in memory only then.
final class NKeySignature: Sendable {
  private let file: String
  private let breaks = Locked(0)

  init(file: String) {
    self.file = file
    // The first call of the library makes tables that reading a seed needs.
    nats_Open(-1)
  }

  /// How many logins were broken off.
  var brokenOff: Int { breaks.withLock { $0 } }

  /// Whether the file can be read.
  var isReadable: Bool { access(file, R_OK) == 0 }

  /// The signature, which the caller frees.
  func sign(_ text: UnsafePointer<CChar>) -> (bytes: UnsafeMutablePointer<UInt8>, count: Int32)? {
    var signature: UnsafeMutablePointer<UInt8>?
    var count: Int32 = 0
    guard withSeed({ nats_Sign($0, text, &signature, &count) }) == NATS_OK, let signature else { return nil }
    guard count > 0, signature.pointee != 0 else {
      free(signature)
      breaks.withLock { $0 += 1 }
      return nil
    }
    return (signature, count)
  }

  /// A seed is 58 characters.
  private static let maximumSize = 256

  /// Passes the text of the seed to `body`, and overwrites it.
  private func withSeed(_ body: (UnsafePointer<CChar>) -> natsStatus) -> natsStatus? {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.maximumSize + 1) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      buffer.initialize(repeating: 0)
      defer { explicit_bzero(start, buffer.count) }
      var length = read(descriptor, start, Self.maximumSize)
      while length > 0, isspace(Int32(start[length - 1])) != 0 {
        length -= 1
        start[length] = 0
      }
      // Some editors begin a file with a byte order mark.
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      let isMarked = length >= mark.count && mark.indices.allSatisfy { UInt8(bitPattern: start[$0]) == mark[$0] }
      return length > 0 ? body(isMarked ? start + mark.count : start) : nil
    }
  }
}
