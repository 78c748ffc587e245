internal import CTesseraOpenSSL
import TesseraCryptography

/// Bytes to and from OpenSSL.
enum OpenSSLEncoding {
  /// Calls `body` with a `BIO` to read the bytes from.
  static func withSource<Result>(_ bytes: [UInt8], _ body: (OpaquePointer) throws -> Result) throws -> Result {
    try bytes.withUnsafeBytes { buffer in
      guard let count = Int32(exactly: buffer.count), let source = BIO_new_mem_buf(buffer.baseAddress, count) else {
        throw CryptographyError.openSSL("BIO_new_mem_buf")
      }
      defer { BIO_free(source) }
      return try body(source)
    }
  }

  /// The DER encoding of an OpenSSL object.
  ///
  /// - Parameter encode: OpenSSL's `i2d` function, which allocates the buffer and returns its length.
  static func der(_ what: String, _ encode: (inout UnsafeMutablePointer<UInt8>?) -> Int32) throws -> [UInt8] {
    var buffer: UnsafeMutablePointer<UInt8>?
    let length = encode(&buffer)
    guard length > 0, let buffer else { throw CryptographyError.openSSL(what) }
    defer { tessera_openssl_free(buffer) }
    return Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }
}
