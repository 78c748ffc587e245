import Glibc
package import TesseraCore

extension SecretBytes {
  /// Reads a file descriptor directly into memory that is wiped, up to its end or the end of its first line.
  ///
  /// nil if it cannot be read or has more than `limit` bytes.
  ///
  /// - Parameter endsAtLine: reads no byte after the first line feed, which is not part of the secret.
  package convenience init?(reading descriptor: Int32, upTo limit: Int, endsAtLine: Bool = false) {
    var count = 0
    var isWhole = false
    let buffer = SecretBytes(count: limit + 1) { buffer in
      while count < buffer.count {
        let wanted = endsAtLine ? 1 : buffer.count - count
        let read = Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, wanted)
        if read < 0, errno == EINTR { continue }
        guard read >= 0 else { return }
        if read == 0 || endsAtLine && buffer[count] == UInt8(ascii: "\n") {
          isWhole = true
          return
        }
        count += read
      }
    }
    guard isWhole else { return nil }
    self.init(buffer, prefix: count)
  }
}
