internal import CTesseraOpenSSL

/// An owned `X509 *`.
package final class OpenSSLCertificate {
  package let pointer: OpaquePointer

  package init(der: [UInt8]) throws {
    pointer = try der.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      guard let certificate = d2i_X509(nil, &cursor, buffer.count) else {
        throw CryptographyError.last("decoding a certificate")
      }
      return certificate
    }
  }

  /// Takes ownership of `pointer`.
  package init(owning pointer: OpaquePointer) { self.pointer = pointer }

  deinit { X509_free(pointer) }
}
