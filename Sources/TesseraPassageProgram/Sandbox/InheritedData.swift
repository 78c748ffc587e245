import Glibc

/// Bytes that the next program of this process reads from a descriptor.
enum InheritedData {
  /// - Parameter bytes: At most 32 KiB, which fit into a pipe without a reader.
  /// - Returns: The reading end of a pipe; nil if the system has no more descriptors.
  static func descriptor(_ bytes: some Collection<UInt8>) -> Int32? {
    var ends: [Int32] = [-1, -1]
    guard bytes.count <= 32_768, pipe(&ends) == 0 else { return nil }
    defer { close(ends[1]) }
    let bytes = Array(bytes)
    guard bytes.withUnsafeBytes({ write(ends[1], $0.baseAddress, $0.count) }) == bytes.count else {
      close(ends[0])
      return nil
    }
    return ends[0]
  }
}
