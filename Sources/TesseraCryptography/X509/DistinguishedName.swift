internal import CTesseraOpenSSL

/// A `Name` of a certificate (RFC 5280, 4.1.2.4), in DER as received.
package struct DistinguishedName: Sendable, Hashable {
  package let encoded: ArraySlice<UInt8>
  private let content: ArraySlice<UInt8>

  package init(_ value: DERValue) {
    encoded = value.encoded
    content = value.content
  }

  package static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }
  package func hash(into hasher: inout Hasher) { hasher.combine(encoded) }

  /// `countryName`, in upper case; nil if there is none.
  package var country: String? {
    attributes.first { $0.type == [0x55, 0x04, 0x06] }
      .map { String(decoding: $0.value, as: UTF8.self).uppercased() }
  }

  /// The type and the value of each attribute, without the tag of its string type, in lower case and without outer
  /// spaces. Issuers write the same name with different string types, and in different case.
  package var comparable: [[UInt8]] {
    attributes.map { attribute in
      let text = String(decoding: attribute.value, as: UTF8.self).lowercased()
      return Array(attribute.type) + Array(text.split(separator: " ").joined(separator: " ").utf8)
    }
  }

  private var attributes: [(type: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
    var attributes: [(type: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
    var sets = DERValue.Elements(rest: content)
    while let set = try? sets.next(DERValue.Tag.set, "name") {
      var pairs = set.elements
      while let pair = try? pairs.next(DERValue.Tag.sequence, "name") {
        var parts = pair.elements
        guard let type = try? parts.next(DERValue.Tag.objectIdentifier, "name"), let value = try? parts.next("name")
        else { continue }
        attributes.append((type.content, value.content))
      }
    }
    return attributes
  }
}

extension DistinguishedName: CustomStringConvertible {
  /// RFC 2253 text, but with readable UTF-8 instead of escapes; empty if the name is malformed.
  package var description: String {
    let name = encoded.withUnsafeBufferPointer { bytes in
      var cursor = bytes.baseAddress
      return d2i_X509_NAME(nil, &cursor, bytes.count)
    }
    guard let name, let bio = BIO_new(BIO_s_mem()) else {
      X509_NAME_free(name)
      ERR_clear_error()
      return ""
    }
    defer {
      X509_NAME_free(name)
      BIO_free(bio)
    }
    let flags = tessera_xn_flag_rfc2253 & ~UInt(ASN1_STRFLGS_ESC_MSB)
    guard X509_NAME_print_ex(bio, name, 0, flags) >= 0 else {
      ERR_clear_error()
      return ""
    }
    var contents: UnsafeMutablePointer<CChar>?
    let length = tessera_bio_contents(bio, &contents)
    guard let contents, length > 0 else { return "" }
    return String(decoding: UnsafeRawBufferPointer(start: contents, count: length), as: UTF8.self)
  }
}
