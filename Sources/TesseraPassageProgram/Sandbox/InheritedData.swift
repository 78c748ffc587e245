import Glibc

/// Bytes that the next program of this process reads from a descriptor.
enum InheritedData {
  /// What fits into a pipe without a reader.
  static let maximumCount = 32_768

  /// - Parameter bytes: At most `maximumCount`.
  /// - Returns: The reading end of a pipe, for `OpenFiles.keep`; nil if the system has no more descriptors.
  static func descriptor(_ bytes: some Collection<UInt8>) -> Int32? {
    guard bytes.count <= maximumCount, let pipe = PrivatePipe() else { return nil }
    defer { close(pipe.writing) }
    let bytes = Array(bytes)
    guard bytes.withUnsafeBytes({ write(pipe.writing, $0.baseAddress, $0.count) }) == bytes.count else {
      close(pipe.reading)
      return nil
    }
    return pipe.reading
  }
}
