import CTesseraZlib

/// A zlib stream (RFC 1950) in memory.
enum ZlibStream {
  enum Problem: Error, Equatable {
    /// The bytes are no whole stream, or its checksum is wrong, or something follows it.
    case damaged
    /// The content is larger than the limit.
    case tooLarge
  }

  /// - Parameters:
  ///   - bytes: the stream and nothing else.
  ///   - limit: the largest content, in bytes. No more memory than that is taken, whatever the stream has.
  static func content(of bytes: [UInt8], limit: Int) throws(Problem) -> [UInt8] {
    var status = Z_DATA_ERROR
    var used = uLong(bytes.count)
    let content = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
      var size = uLong(buffer.count)
      status = uncompress2(buffer.baseAddress, &size, bytes, &used)
      count = status == Z_OK ? min(Int(size), limit) : 0
    }
    switch status {
    case Z_OK where used == bytes.count: return content
    case Z_BUF_ERROR: throw .tooLarge
    default: throw .damaged
    }
  }
}
