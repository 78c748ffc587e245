/// What states publish so that others can verify their documents. The bytes are those of the publication.
package enum TrustObject: Sendable, Equatable {
  /// CMS SignedData with a list of country certificates (Doc 9303-12, 8); DER or BER.
  case masterList([UInt8])
  /// CMS SignedData with a list of known defects of documents (Doc 9303-3, 7); DER or BER.
  case deviationList([UInt8])
  /// An X.509 certificate: of a country, a document signer or a list signer.
  case certificate([UInt8])
  /// An X.509 certificate revocation list.
  case revocationList([UInt8])
  /// A value of an LDIF file whose attribute should hold one of the others, but which does not. One such value does not
  /// make the thousands beside it useless. The number is its line, from 1.
  case unreadable(line: Int)
  /// A record of an LDIF file that deletes an entry of the directory. Nothing is removed because of it. The number is its
  /// line, from 1.
  case deletion(line: Int)
  /// A file of a zip archive that is an archive itself. It is not opened.
  case archive(name: String)
}

extension TrustObject {
  /// What DER or BER bytes hold, by their outer structure. Signatures and contents are not examined.
  ///
  /// - Returns: One object, or all those of a CMS message that only transports certificates and CRLs (`.p7b`).
  /// - Throws: The reason why it is none of them.
  static func recognise(_ bytes: ArraySlice<UInt8>) throws(TrustSourceError.Problem) -> [TrustObject] {
    var rest = bytes
    guard let outer = BERElement.take(BERElement.sequence, from: &rest) else { throw .damaged(line: nil) }
    // Text tools add line ends.
    guard rest.allSatisfy({ $0 == 0x0A || $0 == 0x0D }) else { throw .damaged(line: nil) }
    switch outer.content.first {
    case BERElement.objectIdentifier: return try message(outer)
    case BERElement.sequence: return [try signed(outer)]
    default: throw .unrecognised
    }
  }

  /// A certificate or a CRL: both are a sequence of the signed part, an algorithm and a signature.
  private static func signed(_ outer: BERElement) throws(TrustSourceError.Problem) -> TrustObject {
    guard let parts = BERElement.all(in: outer.content, limit: 3) else { throw .damaged(line: nil) }
    guard parts.map(\.tag) == [BERElement.sequence, BERElement.sequence, 0x03] else { throw .unrecognised }
    var fields = parts[0].content
    let bytes = Array(outer.encoding)
    // Certificate: version [0], serial number, algorithm, issuer, validity. Its version is absent in version 1.
    if fields.first == BERElement.context(0) { _ = BERElement.take(from: &fields) }
    // CRL: version, algorithm, issuer, time. Its version is absent in version 1.
    _ = BERElement.take(BERElement.integer, from: &fields)
    guard BERElement.take(BERElement.sequence, from: &fields) != nil,
      BERElement.take(BERElement.sequence, from: &fields) != nil
    else { throw .unrecognised }
    switch fields.first {
    case BERElement.sequence: return .certificate(bytes)
    case BERElement.utcTime, BERElement.generalizedTime: return .revocationList(bytes)
    default: throw .unrecognised
    }
  }

  /// CMS ContentInfo (RFC 5652, 3) with SignedData (5.1).
  private static func message(_ outer: BERElement) throws(TrustSourceError.Problem) -> [TrustObject] {
    var fields = outer.content
    guard let type = BERElement.take(BERElement.objectIdentifier, from: &fields) else { throw .damaged(line: nil) }
    guard type.content.elementsEqual(ObjectIdentifier.signedData) else { throw .unrecognised }
    guard outer.encoding.count <= TrustSource.maximumMessageSize else {
      throw .tooLarge(limit: TrustSource.maximumMessageSize)
    }
    guard var wrapped = BERElement.take(BERElement.context(0), from: &fields)?.content,
      var parts = BERElement.take(BERElement.sequence, from: &wrapped)?.content,
      BERElement.take(BERElement.integer, from: &parts) != nil,
      BERElement.take(BERElement.set, from: &parts) != nil,
      var content = BERElement.take(BERElement.sequence, from: &parts)?.content,
      let contentType = BERElement.take(BERElement.objectIdentifier, from: &content)?.content
    else { throw .damaged(line: nil) }
    if contentType.elementsEqual(ObjectIdentifier.masterList) { return [.masterList(Array(outer.encoding))] }
    if contentType.elementsEqual(ObjectIdentifier.deviationList) { return [.deviationList(Array(outer.encoding))] }
    guard contentType.elementsEqual(ObjectIdentifier.data) else { throw .otherSignedData }
    return try transported(parts)
  }

  /// The certificates and CRLs of SignedData, which transports them without a content of its own.
  private static func transported(_ fields: ArraySlice<UInt8>) throws(TrustSourceError.Problem) -> [TrustObject] {
    var rest = fields
    var objects: [TrustObject] = []
    for number: UInt8 in [0, 1] {
      guard let field = BERElement.take(BERElement.context(number), from: &rest) else { continue }
      guard let elements = BERElement.all(in: field.content, limit: TrustSource.maximumObjects) else {
        throw .damaged(line: nil)
      }
      // Other tags are obsolete kinds, such as attribute certificates.
      for element in elements where element.tag == BERElement.sequence { objects.append(try signed(element)) }
      guard objects.count <= TrustSource.maximumObjects else {
        throw .tooManyObjects(limit: TrustSource.maximumObjects)
      }
    }
    guard !objects.isEmpty else { throw .otherSignedData }
    return objects
  }

  /// The contents of OBJECT IDENTIFIER elements.
  private enum ObjectIdentifier {
    /// 1.2.840.113549.1.7.1
    static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
    /// 1.2.840.113549.1.7.2
    static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// 2.23.136.1.1.2, id-icao-cscaMasterList
    static let masterList: [UInt8] = [0x67, 0x81, 0x08, 0x01, 0x01, 0x02]
    /// 2.23.136.1.1.7, id-icao-DeviationList
    static let deviationList: [UInt8] = [0x67, 0x81, 0x08, 0x01, 0x01, 0x07]
  }
}
