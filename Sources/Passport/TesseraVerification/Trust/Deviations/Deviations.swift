import TesseraCryptography

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A deviation list (Doc 9303-3, 7, and Doc 9303-12, 10): the known errors of documents, signed by their country.
public struct DeviationList: Sendable, Equatable {
  /// `id-icao-DeviationList`.
  package static let contentType = "2.23.136.1.1.7"
  /// `id-icao-DeviationListSigningKey`.
  package static let keyPurpose = "2.23.136.1.1.8"

  /// CMS `SignedData` as published; DER or BER.
  public let encoded: [UInt8]
  public let deviations: [Deviation]
  package let signer: ListSigner

  /// Limits on the work that a hostile list can cause; published lists have fewer than a hundred deviations.
  private static let maximumDeviations = 10_000

  /// Decodes the list and verifies its signature with the certificate of its signer. Whether that one is trusted is
  /// decided by `ListSigner.path`.
  ///
  /// - Throws: `TrustError.listDamaged` if it is not a deviation list, or the signature is wrong.
  package init(_ bytes: [UInt8]) throws {
    encoded = bytes
    do {
      let signedData = try SignedData(bytes)
      guard signedData.contentType == Self.contentType else {
        throw TrustError.listDamaged("Its content is not a list of deviations.")
      }
      signer = try ListSigner(signedData, purpose: Self.keyPurpose)
      deviations = try Self.deviations(signedData.content)
    } catch let error as CryptographyError {
      throw TrustError.listDamaged(error.failure.cause)
    }
  }

  /// `DeviationList ::= SEQUENCE { version INTEGER, digestAlg AlgorithmIdentifier OPTIONAL, deviations SET OF Deviation
  /// }`. The length of a digest tells its algorithm.
  private static func deviations(_ content: [UInt8]) throws -> [Deviation] {
    let list = try DERValue(content[...], "deviation list")
    guard list.tag == DERValue.Tag.sequence, list.encoded.count == content.count else {
      throw CryptographyError.malformed("deviation list")
    }
    var fields = list.elements
    _ = try fields.next(DERValue.Tag.integer, "version")
    _ = try fields.nextIf(DERValue.Tag.sequence, "digest algorithm")
    return try fields.next(DERValue.Tag.set, "deviations").parts(limit: maximumDeviations, "deviation")
      .map(Deviation.init)
  }

  /// The country of the signer, whose documents the list describes: two upper-case letters; nil if there is none.
  public var country: String? { signer.certificate.country }
  /// The subject of the signer's certificate, RFC 2253.
  public var signerName: String { signer.certificate.subject }
  /// When the list was signed, as the signer states.
  public var signedAt: Date? { signer.signedAt }

  /// A block `CMS` of RFC 7468, without a final line break.
  public func pem() -> String { PEMText.encode(encoded, "CMS") }

  public static func == (left: Self, right: Self) -> Bool { left.encoded == right.encoded }
}

extension TrustImport {
  /// Adds a deviation list if a trusted country signer of the same country issued the certificate of its signer: a
  /// country speaks of its own documents only.
  mutating func add(deviationList bytes: [UInt8], to summary: inout TrustImportSummary) {
    do {
      let list = try DeviationList(bytes)
      guard let path = path(of: list.signer, listing: list.signer.embedded) else {
        throw refusal(of: list.signer, listing: list.signer.embedded)
      }
      guard list.country != nil else { throw TrustError.listDamaged("Its signer names no country.") }
      if let problem = revocation(of: list.signer, path) { throw problem }
      summary.deviationLists += 1
      // Without the signer: a master list of the same country must not replace this source.
      let source = CertificateSource(name: summary.source, importedAt: now, signedAt: list.signedAt)
      material.insert(TrustMaterial.StoredDeviationList(list: list, sources: [source]))
    } catch {
      summary.note(error, of: "a deviation list")
    }
  }
}

/// One entry of a deviation list: which documents have an error, and which one.
public struct Deviation: Sendable, Equatable {
  /// What is wrong.
  public struct Description: Sendable, Equatable {
    public let type: DeviationType
    /// The words of the country; at most 200 bytes.
    public let text: String?
    /// The part of the document that deviates, for example `DG2`; nil if the list does not name a file.
    public let file: String?
  }

  public let descriptions: [Description]
  let documents: DeviationDocuments

  private static let maximumDescriptions = 100
  private static let maximumTextLength = 200

  /// `Deviation ::= SEQUENCE { documents DeviationDocuments, descriptions SET OF DeviationDescription }`
  init(_ value: DERValue) throws {
    var fields = value.elements
    documents = try DeviationDocuments(fields.next(DERValue.Tag.sequence, "documents of a deviation"))
    descriptions = try fields.next(DERValue.Tag.set, "descriptions of a deviation")
      .parts(limit: Self.maximumDescriptions, "description of a deviation")
      .map(Self.description)
  }

  /// `DeviationDescription ::= SEQUENCE { description PrintableString OPTIONAL, deviationType OBJECT IDENTIFIER,
  /// parameters [0] ANY OPTIONAL, nationalUse [1] ANY OPTIONAL }`
  private static func description(_ value: DERValue) throws -> Description {
    let what = "description of a deviation"
    var fields = value.elements
    // Some issuers write a UTF8String.
    let text = fields.nextTag == DERValue.Tag.objectIdentifier ? nil : try fields.next(what)
    let type = DeviationType(
      identifier: try fields.next(DERValue.Tag.objectIdentifier, what).objectIdentifier(what))
    let parameters = fields.isEmpty ? nil : try fields.next(what)
    return Description(
      type: type, text: text.map { String(decoding: $0.content.prefix(maximumTextLength), as: UTF8.self) },
      file: type.namesFile ? parameters.flatMap(file) : nil)
  }

  /// `Datagroup ::= INTEGER { dg1(1), …, dg16(16), sod(20), com(21) }`
  private static func file(_ parameters: DERValue) -> String? {
    let number = parameters.untagged(DERValue.Tag.integer)
    guard parameters.tag & 0x1F == 0, number.count == 1, let number = number.first else { return nil }
    switch number {
    case 1...16: return "DG\(number)"
    case 20: return "EF.SOD"
    case 21: return "EF.COM"
    default: return nil
    }
  }
}

/// The kind of a deviation (Doc 9303-3, 7.3.5).
public struct DeviationType: Sendable, Hashable {
  /// Dotted object identifier.
  public let identifier: String

  /// `id-Deviation-CertOrKey-AAKeyCompromised`.
  static let activeAuthenticationKeyCompromised = DeviationType(identifier: "2.23.136.1.1.7.1.4")

  /// What the type says of a document: one sentence.
  public var sentence: String { Self.sentences[identifier] ?? "It has a deviation of the type \(identifier)." }

  /// Whether the parameter of the type is the number of a file.
  var namesFile: Bool { ["2.23.136.1.1.7.2.1", "2.23.136.1.1.7.2.2"].contains(identifier) }

  private static let sentences = [
    "2.23.136.1.1.7.1": "A certificate or a key deviates from the specification.",
    "2.23.136.1.1.7.1.1": "The signature of the document signer's certificate is wrong.",
    "2.23.136.1.1.7.1.2": "The document signer's certificate is encoded wrongly.",
    "2.23.136.1.1.7.1.3": "The country signer's certificate is encoded wrongly.",
    "2.23.136.1.1.7.1.4": "The key of Active Authentication may be compromised.",
    "2.23.136.1.1.7.2": "The files of the chip deviate from the specification.",
    "2.23.136.1.1.7.2.1": "A data group is encoded wrongly.",
    "2.23.136.1.1.7.2.2": "EF.SOD has the wrong digest of a data group.",
    "2.23.136.1.1.7.2.3": "The signature of EF.SOD is wrong.",
    "2.23.136.1.1.7.2.4": "EF.COM and EF.SOD list different data groups.",
    "2.23.136.1.1.7.3": "The MRZ deviates from the specification.",
    "2.23.136.1.1.7.3.1": "A field of the MRZ has wrong data.",
    "2.23.136.1.1.7.3.2": "A check digit of the MRZ is wrong.",
    "2.23.136.1.1.7.4": "The chip deviates from the specification.",
    "2.23.136.1.1.7.5": "It has a deviation that is for the use of its country.",
  ]
}
