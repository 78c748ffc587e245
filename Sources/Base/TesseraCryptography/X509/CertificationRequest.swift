internal import CTesseraOpenSSL
import SwiftASN1

/// A certificate signing request (PKCS #10, RFC 2986).
package struct CertificationRequest: Sendable {
  /// `CertificationRequestInfo` in DER, the data to be signed.
  package let information: [UInt8]

  /// - Parameter subject: a distinguished name as `CN=name,O=organisation` (RFC 4514, most specific part first) or
  ///   `/O=organisation/CN=name` (OpenSSL's form).
  /// - Throws: `CryptographyError.malformed` if the name cannot be parsed.
  package init(subject: String, publicKey: P256PublicKey) throws {
    guard let request = X509_REQ_new() else { throw CryptographyError.last("X509_REQ_new") }
    defer { X509_REQ_free(request) }
    let name = X509_REQ_get_subject_name(request)
    for (field, value) in try Self.parts(of: subject) {
      let bytes = Array(value.utf8)
      // OpenSSL knows each type in one spelling; RFC 4514, 2.3, ignores case.
      let spelling = OBJ_txt2nid(field) == NID_undef ? field.uppercased() : field
      guard X509_NAME_add_entry_by_txt(name, spelling, MBSTRING_UTF8, bytes, Int32(bytes.count), -1, 0) == 1 else {
        ERR_clear_error()
        throw CryptographyError.malformed("the part \(field) of the subject")
      }
    }
    let info = publicKey.subjectPublicKeyInfo
    let key = info.withUnsafeBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return d2i_PUBKEY(nil, &cursor, buffer.count)
    }
    guard let key else { throw CryptographyError.last("decoding a public key") }
    defer { EVP_PKEY_free(key) }
    var buffer: UnsafeMutablePointer<UInt8>?
    guard X509_REQ_set_version(request, 0) == 1, X509_REQ_set_pubkey(request, key) == 1 else {
      throw CryptographyError.last("building a certification request")
    }
    let length = i2d_re_X509_REQ_tbs(request, &buffer)
    guard length > 0, let buffer else { throw CryptographyError.last("i2d_re_X509_REQ_tbs") }
    defer { tessera_openssl_free(buffer) }
    information = Array(UnsafeBufferPointer(start: buffer, count: Int(length)))
  }

  /// The complete request in DER.
  package func signed(by signature: P256Signature) throws -> [UInt8] {
    let information = try DER.parse(information)
    let value = try signature.der
    var serializer = DER.Serializer()
    try serializer.appendConstructedNode(identifier: .sequence) { request in
      request.serialize(information)
      try request.appendConstructedNode(identifier: .sequence) { algorithm in
        try algorithm.serialize(try ASN1ObjectIdentifier(elements: [1, 2, 840, 10045, 4, 3, 2]))  // ecdsa-with-SHA256
      }
      try request.serialize(ASN1BitString(bytes: value[...]))
    }
    return serializer.serializedBytes
  }

  /// The parts from the most general to the most specific, the order of the encoding.
  private static func parts(of subject: String) throws -> [(field: String, value: String)] {
    let isSlashed = subject.hasPrefix("/")
    let pieces = try split(isSlashed ? String(subject.dropFirst()) : subject, at: isSlashed ? "/" : ",")
    let parts = try pieces.map { piece in
      guard let equals = piece.firstIndex(of: UInt8(ascii: "=")), equals != piece.startIndex,
        let value = String(validating: piece[piece.index(after: equals)...], as: UTF8.self), !value.isEmpty
      else { throw CryptographyError.malformed("the subject is not a list of parts such as CN=name") }
      return (String(decoding: piece[..<equals].filter { $0 != UInt8(ascii: " ") }, as: UTF8.self), value)
    }
    return isSlashed ? parts : parts.reversed()
  }

  /// Splits at `separator` and undoes the escapes of RFC 4514, 2.4: a backslash before a special character, or before
  /// two hexadecimal digits. Refuses parts with several values (`+`) and values in DER (`#`).
  private static func split(_ text: String, at separator: Character) throws -> [[UInt8]] {
    var pieces: [[UInt8]] = [[]]
    var rest = Array(text)[...]
    while let character = rest.popFirst() {
      if character == "\\" {
        pieces[pieces.count - 1] += try escaped(&rest)
      } else if character == separator {
        pieces.append([])
        // Spaces after the separator are not part of a value.
        while separator == ",", rest.first == " " { rest.removeFirst() }
      } else if character == "+" || character == ";" && separator == ","
        || character == "#" && pieces.last?.last == UInt8(ascii: "=")
      {
        throw CryptographyError.malformed("the subject contains an unescaped \(character), which is not supported")
      } else {
        pieces[pieces.count - 1] += Array(String(character).utf8)
      }
    }
    return pieces
  }

  private static func escaped(_ rest: inout ArraySlice<Character>) throws -> [UInt8] {
    if rest.count >= 2, let byte = [UInt8](hexadecimal: String(rest.prefix(2))) {
      rest.removeFirst(2)
      return byte
    }
    guard let next = rest.popFirst(), "\"+,;<>#=/\\ ".contains(next) else {
      throw CryptographyError.malformed("the subject has a backslash before a character that must not be escaped")
    }
    return Array(String(next).utf8)
  }
}
