internal import CTesseraOpenSSL

/// ISO/IEC 9797-1 MAC algorithm 3 with DES (the "retail MAC"), padding method 2, eight bytes of output.
package final class RetailMAC {
  package static let length = 8
  private var first = DES_key_schedule()
  private var second = DES_key_schedule()

  /// - Parameter key: 16 bytes, `K` followed by `K'`.
  package init(key: SecretBytes) throws {
    guard key.count == 16 else { throw CryptographyError.malformed("retail MAC key of \(key.count) bytes") }
    key.withUnsafeBytes { bytes in
      // OpenSSL's parameter type lacks its `const`; the key is only read.
      guard let blocks = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: DES_cblock.self)
      else { return }
      DES_set_key_unchecked(blocks, &first)
      DES_set_key_unchecked(blocks + 1, &second)
    }
  }

  deinit {
    OPENSSL_cleanse(&first, MemoryLayout<DES_key_schedule>.size)
    OPENSSL_cleanse(&second, MemoryLayout<DES_key_schedule>.size)
  }

  /// Pads `bytes` and computes their MAC.
  @inlinable
  package func mac(_ bytes: some Collection<UInt8>) throws -> [UInt8] {
    try mac(padded: Padding.pad(bytes, to: TripleDES.blockSize))
  }

  /// The MAC of padded bytes: a positive multiple of eight.
  package func mac(padded bytes: [UInt8]) throws -> [UInt8] {
    guard !bytes.isEmpty, bytes.count.isMultiple(of: TripleDES.blockSize) else {
      throw CryptographyError.malformed("MAC input is not a whole number of blocks")
    }
    var vector = DES_cblock(0, 0, 0, 0, 0, 0, 0, 0)
    var block = DES_cblock(0, 0, 0, 0, 0, 0, 0, 0)
    var chained = DES_cblock(0, 0, 0, 0, 0, 0, 0, 0)
    // CBC over everything with K, then the output transformation: decrypt with K', encrypt with K.
    DES_cbc_cksum(bytes, &chained, bytes.count, &first, &vector)
    DES_ecb_encrypt(&chained, &block, &second, DES_DECRYPT)
    DES_ecb_encrypt(&block, &chained, &first, DES_ENCRYPT)
    return withUnsafeBytes(of: &chained) { Array($0) }
  }

  /// Whether `mac` is the MAC of `bytes`, compared in constant time.
  package func verify(_ mac: some Collection<UInt8>, over bytes: some Collection<UInt8>) throws -> Bool {
    constantTimeEqual(try self.mac(bytes), mac)
  }
}

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
