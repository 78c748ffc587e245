internal import CTesseraOpenSSL

/// The textual encoding of RFC 7468.
///
/// This type uses OpenSSL's PEM functions and not those of swift-asn1, because swift-asn1 keeps text and content in
/// ordinary strings and arrays. Private keys must stay in memory that is wiped, and may have the encryption headers of
/// RFC 1421.
package enum PEM {
  package struct Block: Sendable {
    /// The text between `BEGIN` and the dashes.
    package let label: String
    /// DER, decrypted if the block has the encryption headers of RFC 1421.
    package let content: SecretBytes
  }

  /// All blocks of a text, in order. Ignores other text, and blanks at the ends of lines.
  ///
  /// - Parameters:
  ///   - passphrase: decrypts blocks that are encrypted as a whole (`Proc-Type: 4,ENCRYPTED`).
  ///   - ignoresRest: whether the text from the first malformed block on is ignored, if there are blocks before it.
  /// - Throws: `CryptographyError.wrongSecret` if it does not decrypt such a block.
  package static func blocks(
    of text: SecretBytes, passphrase: SecretBytes? = nil, ignoresRest: Bool = false
  ) throws -> [Block] {
    SecureHeap.prepare()
    return try text.withUnsafeBytes { bytes in
      guard let count = Int32(exactly: bytes.count), let source = BIO_new_mem_buf(bytes.baseAddress, count) else {
        throw CryptographyError.last("BIO_new_mem_buf")
      }
      defer { BIO_free(source) }
      var blocks: [Block] = []
      do {
        while let block = try next(source, passphrase) { blocks.append(block) }
      } catch CryptographyError.malformed where ignoresRest && !blocks.isEmpty {}
      return blocks
    }
  }

  private static func next(_ source: OpaquePointer, _ passphrase: SecretBytes?) throws -> Block? {
    var name: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var data: UnsafeMutablePointer<UInt8>?
    var length = 0
    guard
      PEM_read_bio_ex(source, &name, &header, &data, &length, UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)) == 1
    else {
      let error = CryptographyError.last("reading PEM")
      if case .openSSL(_, let reasons) = error, reasons.contains("no start line") { return nil }
      throw CryptographyError.malformed("PEM text")
    }
    defer {
      tessera_openssl_secure_free(name, 0)
      tessera_openssl_secure_free(header, 0)
      tessera_openssl_secure_free(data, length)
    }
    guard let name, let header, let data else { throw CryptographyError.malformed("PEM text") }
    let label = String(cString: name)
    if header.pointee != 0 {
      var count = length
      try open(data, &count, header, passphrase)
      return Block(label: label, content: SecretBytes(UnsafeBufferPointer(start: data, count: count)))
    }
    return Block(label: label, content: SecretBytes(UnsafeBufferPointer(start: data, count: length)))
  }

  /// Decrypts in place.
  private static func open(
    _ data: UnsafeMutablePointer<UInt8>, _ length: inout Int, _ header: UnsafeMutablePointer<CChar>,
    _ passphrase: SecretBytes?
  ) throws {
    var cipher = EVP_CIPHER_INFO()
    guard PEM_get_EVP_CIPHER_INFO(header, &cipher) == 1 else {
      ERR_clear_error()
      throw CryptographyError.unsupported("the encryption of this PEM block")
    }
    guard cipher.cipher != nil else { return }
    guard let passphrase else { throw CryptographyError.wrongSecret }
    var remaining = length
    let isOpen = withUnsafePointer(to: passphrase) { context in
      PEM_do_header(
        &cipher, data, &remaining,
        { buffer, size, _, context in
          guard let secret = context?.assumingMemoryBound(to: SecretBytes.self).pointee, let buffer,
            secret.count <= size
          else { return -1 }
          secret.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)).copyMemory(from: $0) }
          return Int32(secret.count)
        }, UnsafeMutableRawPointer(mutating: context)) == 1
    }
    guard isOpen else {
      ERR_clear_error()
      throw CryptographyError.wrongSecret
    }
    length = remaining
  }

  /// One block as text, lines of 64 characters.
  package static func text(_ label: String, _ content: SecretBytes) -> SecretBytes {
    let head = Array("-----BEGIN \(label)-----\n".utf8)
    let tail = Array("-----END \(label)-----\n".utf8)
    // 48 bytes make a line.
    let lines = (content.count + 47) / 48
    let digits = (content.count + 2) / 3 * 4
    return SecretBytes(count: head.count + digits + lines + tail.count) { text in
      text.copyBytes(from: head)
      var position = head.count
      content.withUnsafeBytes { bytes in
        for start in stride(from: 0, to: bytes.count, by: 48) {
          let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + 48, bytes.count)])
          var line = [UInt8](repeating: 0, count: 65)  // EVP_EncodeBlock ends with a zero
          let count = Int(
            EVP_EncodeBlock(&line, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(piece.count)))
          UnsafeMutableRawBufferPointer(rebasing: text[position...]).copyBytes(from: line.prefix(count))
          OPENSSL_cleanse(&line, line.count)
          position += count
          text[position] = UInt8(ascii: "\n")
          position += 1
        }
      }
      UnsafeMutableRawBufferPointer(rebasing: text[position...]).copyBytes(from: tail)
    }
  }

  package static func text(_ label: String, _ content: [UInt8]) -> String {
    text(label, SecretBytes(content)).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }
}
