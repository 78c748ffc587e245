import CTesseraZlib
import TesseraCryptography

/// A barcode of ICAO's datastructure (ICAO TR "Datastructure for Barcode"; BSI TR-03171 calls it ICD): a text that any
/// symbol can carry.
///
/// ```
/// text     identifier "RDB1" | "NDB1" | "IDB1", flag, Base32 of the payload
/// flag     "A" + 1 if signed + 2 if compressed (zlib)
/// payload  country (2), header if signed, 61 length messages, then if signed:
///          7E length certificate (optional), 7F length r‖s
/// header   algorithm (1), end of the SHA-1 of the certificate (5), date of the signature (3 or 4)
/// ```
///
/// Lengths are those of DER. The signature is over all bytes up to the end of the messages.
package struct IDBBarcode: Sendable, Equatable {
  /// What only a signed barcode has.
  package struct Header: Sendable, Equatable {
    /// 1, 2, 3: ECDSA with SHA-256, -384, -512. Other numbers are not known.
    package let algorithm: UInt8
    /// The last five bytes of the SHA-1 of the signer's certificate.
    package let reference: [UInt8]
    /// The date of the signature: three bytes, or four with a mask first.
    package let date: [UInt8]
  }

  /// `RDB1`, `NDB1` or `IDB1`.
  package let identifier: String
  package let isCompressed: Bool
  /// The unpacked content.
  package let payload: [UInt8]
  /// The issuing country as in a machine readable zone, without fillers.
  package let country: String
  /// nil if the barcode is not signed.
  package let header: Header?
  /// In the order of the barcode.
  package let messages: [VDSFeature]
  /// The certificate in the barcode, which is not signed; nil for none.
  package let certificate: [UInt8]?
  /// nil if the barcode is not signed.
  package let signature: [UInt8]?
  /// The number of bytes of `payload` that are signed.
  package let signedCount: Int

  /// The size of the largest payload in bytes. The largest symbol has 3 kB.
  package static let maximumPayload = 64 << 10

  /// More than any document has.
  private static let maximumMessages = 100

  /// The identifiers with which a text begins. vdstools wrote `NDB1` until 2025, an Icelandic tool writes `IDB1`.
  package static let identifiers = ["RDB1", "NDB1", "IDB1"]

  /// Whether the text begins as such a barcode, in capital or in small letters.
  package static func isBarcode(_ text: some Collection<UInt8>) -> Bool { flags(capitals(text)) != nil }

  /// - Parameter text: the content of the symbol; a file of it may have a line end behind it.
  /// - Throws: `IDBError`.
  package init(_ text: some Collection<UInt8>) throws(IDBError) {
    guard let flags = Self.flags(text) else { throw Self.isBarcode(text) ? .smallLetters : .otherFormat }
    // Base32 of the largest payload, and of what zlib adds to one that it cannot make smaller.
    guard text.count <= (Self.maximumPayload + 1024) / 5 * 8 else { throw .tooLarge }
    identifier = String(decoding: text.prefix(4), as: UTF8.self)
    isCompressed = flags & 2 != 0
    guard let packed = Base32.decode(Self.withoutLineEnd(text.dropFirst(5))) else { throw .notBase32 }
    payload = isCompressed ? try Self.unpacked(packed) : packed
    guard payload.count <= Self.maximumPayload else { throw .tooLarge }
    guard let country = Self.country(payload.prefix(2)) else { throw .country }
    self.country = country
    let body = try Self.body(payload, isSigned: flags & 1 != 0)
    (header, messages, certificate) = (body.header, body.messages, body.certificate)
    (signature, signedCount) = (body.signature, body.signedCount)
  }

  /// Editors and `echo` end a text with a line feed, which no barcode has.
  private static func withoutLineEnd(_ text: some Collection<UInt8>) -> [UInt8] {
    var text = Array(text)
    while text.last == UInt8(ascii: "\n") || text.last == UInt8(ascii: "\r") { text.removeLast() }
    return text
  }

  /// The first characters as capital letters.
  private static func capitals(_ text: some Collection<UInt8>) -> [UInt8] {
    text.prefix(5).map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
  }

  /// The bits of the flag; nil for another text.
  private static func flags(_ text: some Collection<UInt8>) -> UInt8? {
    guard identifiers.contains(where: { text.starts(with: $0.utf8) }), let flag = text.dropFirst(4).first,
      (UInt8(ascii: "A")...UInt8(ascii: "D")).contains(flag)
    else { return nil }
    return flag - UInt8(ascii: "A")
  }

  private static func unpacked(_ bytes: [UInt8]) throws(IDBError) -> [UInt8] {
    do {
      return try ZlibStream.content(of: bytes, limit: maximumPayload)
    } catch {
      throw error == .tooLarge ? .tooLarge : .damaged
    }
  }

  private static func country(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count == 2, let country = try? C40.trimmed(bytes), !country.isEmpty else { return nil }
    return country
  }
}

// MARK: - The payload behind the country

extension IDBBarcode {
  private struct Body {
    var header: Header?
    var messages: [VDSFeature]
    var certificate: [UInt8]?
    var signature: [UInt8]?
    var signedCount: Int
  }

  private enum Tag {
    static let messages: UInt8 = 0x61
    static let certificate: UInt8 = 0x7E
    static let signature: UInt8 = 0x7F
  }

  private static func body(_ payload: [UInt8], isSigned: Bool) throws(IDBError) -> Body {
    guard isSigned else { return try body(payload, dateLength: nil) }
    // The technical report has three bytes in one place; the documents that are issued have four. What ends exactly with
    // the payload is right: the last byte of a date may be that of the message zone's tag.
    var found: [Body] = []
    var problem: IDBError?
    for length in [4, 3] {
      do {
        found.append(try body(payload, dateLength: length))
      } catch {
        // What the other length lacks is a tag.
        if problem == nil || problem == .noMessageZone { problem = error }
      }
    }
    guard let body = found.first else { throw problem ?? .noMessageZone }
    guard found.count == 1 else { throw .ambiguousDate }
    return body
  }

  /// - Parameter dateLength: nil if the barcode is not signed.
  private static func body(_ payload: [UInt8], dateLength: Int?) throws(IDBError) -> Body {
    var rest = payload.dropFirst(2)
    var header: Header?
    if let dateLength {
      guard rest.count >= 6 + dateLength else { throw .noMessageZone }
      let bytes = Array(rest.prefix(6 + dateLength))
      header = Header(algorithm: bytes[0], reference: Array(bytes[1..<6]), date: Array(bytes[6...]))
      rest = rest.dropFirst(6 + dateLength)
    }
    guard rest.first == Tag.messages else { throw .noMessageZone }
    guard let zone = VDSFeature.next(&rest, .der), let messages = try? VDSFeature.list(zone.value, .der),
      messages.count <= maximumMessages
    else { throw .lengths }
    var body = Body(header: header, messages: messages, signedCount: rest.startIndex)
    guard header != nil else {
      guard rest.isEmpty else { throw .signature }
      return body
    }
    if rest.first == Tag.certificate {
      guard let certificate = VDSFeature.next(&rest, .der) else { throw .lengths }
      body.certificate = certificate.value
    }
    guard rest.first == Tag.signature else { throw .signature }
    guard let signature = VDSFeature.next(&rest, .der), rest.isEmpty else { throw .lengths }
    body.signature = signature.value
    return body
  }
}

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
