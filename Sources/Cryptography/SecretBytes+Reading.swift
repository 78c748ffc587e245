import Glibc

extension SecretBytes {
  /// Reads a descriptor straight into memory that is wiped, to its end or to the end of its first line.
  ///
  /// nil where it cannot be read or holds more than `limit` bytes.
  ///
  /// - Parameter endsAtLine: reads no byte beyond the first line feed, which is not part of the secret.
  public convenience init?(reading descriptor: Int32, upTo limit: Int, endsAtLine: Bool = false) {
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

  /// The first bytes of another secret.
  public convenience init(_ secret: SecretBytes, prefix count: Int) {
    self.init(count: min(count, secret.count)) { bytes in
      secret.withUnsafeBytes { bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0.prefix(bytes.count))) }
    }
  }
}
