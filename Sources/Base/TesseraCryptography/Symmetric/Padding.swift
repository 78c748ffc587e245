/// Padding method 2 of ISO/IEC 9797-1: one byte `80`, then zeros up to the block size.
///
/// Inlinable, since secure messaging pads every command and response: an unspecialised call into another module takes
/// longer than the cipher.
package enum Padding {
  /// `bytes` with at least one byte of padding.
  @inlinable
  package static func pad(_ bytes: some Collection<UInt8>, to blockSize: Int) -> [UInt8] {
    var padded = [UInt8]()
    padded.reserveCapacity(bytes.count + blockSize)
    padded += bytes
    append(to: &padded, blockSize: blockSize)
    return padded
  }

  /// Pads in place.
  @inlinable
  package static func append(to bytes: inout [UInt8], blockSize: Int) {
    bytes.append(0x80)
    while !bytes.count.isMultiple(of: blockSize) { bytes.append(0) }
  }

  /// The bytes before the padding; nil if there is none.
  @inlinable
  package static func unpad(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    guard let marker = bytes.lastIndex(where: { $0 != 0 }), bytes[marker] == 0x80 else { return nil }
    return Array(bytes[..<marker])
  }
}
