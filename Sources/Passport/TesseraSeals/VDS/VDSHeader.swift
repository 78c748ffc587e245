import TesseraPassport

extension VisibleDigitalSeal {
  /// The first part of a seal (Doc 9303-13, header).
  public struct Header: Sendable, Equatable {
    /// The byte after the first one; the version is one more.
    public let versionByte: UInt8
    /// As in a machine readable zone, without fillers: `UTO`, `D`.
    public let country: String
    /// The country of the signer: two letters.
    public let signerCountry: String
    /// The name of the signer: two characters.
    public let signerName: String
    /// The reference to the signer's certificate as it stands in the seal.
    public let reference: String
    /// The day on which the document was issued; nil if the seal states no day that exists.
    public let issueDate: SealDate?
    /// The day on which the seal was signed; nil if it states no day that exists.
    public let signatureDate: SealDate?
    /// What the elements of the seal mean, together with `category`.
    public let definition: UInt8
    /// Odd for documents of the ICAO, even for national ones.
    public let category: UInt8

    /// The version of the format, one more than its byte.
    public var version: Int { Int(versionByte) + 1 }
  }

  /// How the second part of the header is built.
  enum HeaderLayout: Sendable, Equatable {
    /// The reference has five characters, in one field with the signer.
    case version3
    /// The length of the reference stands before it.
    case version4
  }
}

extension VisibleDigitalSeal.Header {
  /// The fewest bytes that a header has.
  static let minimumSize = 18

  /// Takes the header from the beginning of a seal.
  ///
  /// - Parameter rest: begins with the first byte of the seal, and ends up after the header.
  init(_ rest: inout ArraySlice<UInt8>, _ layout: VisibleDigitalSeal.HeaderLayout) throws(VDSError) {
    func take(_ count: Int) throws(VDSError) -> [UInt8] {
      guard rest.count >= count else { throw .malformed(.header) }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    let first = try take(2)
    versionByte = first.last ?? 0
    guard let country = try? C40.trimmed(take(2)) else { throw .malformed(.country) }
    self.country = country
    let signer: String
    switch layout {
    case .version3:
      guard let text = try? C40.decode(take(6), count: 9) else { throw .malformed(.signer) }
      signer = String(text.prefix(4))
      reference = String(text.dropFirst(4))
    case .version4:
      guard let text = try? C40.decode(take(4), count: 6) else { throw .malformed(.signer) }
      signer = String(text.prefix(4))
      // German administrative documents have the length in decimal digits (BSI TR-03171).
      guard let length = Int(text.dropFirst(4), radix: signer == Self.administrativeSigner ? 10 : 16), length > 0 else {
        throw .malformed(.signer)
      }
      let bytes = try take(C40.length(of: length))
      guard let characters = try? C40.decode(bytes, count: length) else { throw .malformed(.signer) }
      reference = characters
    }
    signerCountry = String(signer.prefix(2))
    signerName = String(signer.dropFirst(2))
    issueDate = SealDate(bytes: try take(3))
    signatureDate = SealDate(bytes: try take(3))
    let kind = try take(2)
    definition = kind.first ?? 0
    category = kind.last ?? 0
  }

  /// The signer of German administrative documents. Its reference is the SHA-1 of a certificate, and it is under no
  /// country signer (BSI TR-03171).
  static let administrativeSigner = "DEZV"

  var signer: SealSigner {
    // Whoever signed such a document, nothing public says who may.
    let isAdministrative = definition == 0x01 && (category == 0xC8 || category == 0xC9)
    guard signerCountry + signerName != Self.administrativeSigner, !isAdministrative else {
      return .unresolvable(
        "The seal is of a German administrative document (BSI TR-03171). No country signer stands above its signer.")
    }
    let digits = reference.uppercased().drop { $0 == "0" }
    let isTest = reference.allSatisfy { $0 == "0" }
    return .reference(
      country: CountryName.code(of: signerCountry), name: signerName, serialNumber: isTest ? "" : String(digits))
  }
}
