/// Padding method 2 of ISO/IEC 9797-1: one byte `80`, then zeros up to the block size.
///
/// Inlinable, since every command and answer of secure messaging passes here: a generic function of another module would
/// cost more than the cipher.
public enum Padding {
  /// `bytes` with at least one byte of padding.
  @inlinable
  public static func pad(_ bytes: some Collection<UInt8>, to blockSize: Int) -> [UInt8] {
    var padded = [UInt8]()
    padded.reserveCapacity(bytes.count + blockSize)
    padded += bytes
    append(to: &padded, blockSize: blockSize)
    return padded
  }

  /// Pads in place.
  @inlinable
  public static func append(to bytes: inout [UInt8], blockSize: Int) {
    bytes.append(0x80)
    while !bytes.count.isMultiple(of: blockSize) { bytes.append(0) }
  }

  /// The bytes before the padding, or nil where there is none.
  @inlinable
  public static func unpad(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8]? {
    guard let marker = bytes.lastIndex(where: { $0 != 0 }), bytes[marker] == 0x80 else { return nil }
    return Array(bytes[..<marker])
  }
}
