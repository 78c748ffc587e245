import TesseraPassport

/// A value of a seal, for the report. All text comes from the seal: whoever shows it must escape it.
public struct SealField: Sendable, Equatable {
  /// The name in the report's JSON, in camel case: `passportNumber`.
  public let name: String
  /// The value as text; empty if only the bytes are known.
  public let value: String
  /// The tag of the element, two upper-case hexadecimal digits; nil if the field has none.
  public let tag: String?
  /// The bytes as they stand in the seal, in upper-case hexadecimal, for an element that is unknown or cannot be decoded;
  /// nil otherwise.
  public let hexadecimal: String?

  package init(_ name: String, _ value: String, tag: UInt8? = nil, raw: [UInt8]? = nil) {
    self.name = name
    self.value = value
    self.tag = tag.map { [$0].hexadecimal }
    hexadecimal = raw?.hexadecimal
  }
}

extension SealField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without the value.
  public var description: String { "\(name), <redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// What was noticed in a seal beside the fixed list of checks. No finding alone decides the outcome.
public struct SealFinding: Sendable, Equatable {
  /// The kinds of findings.
  public enum ID: String, Sendable, CaseIterable {
    /// The seal deviates from its layout in a known way. Its signature decides.
    case layout = "seal.layout"
    /// The seal has an element that its profile does not know.
    case unknownFeature = "seal.unknownFeature"
    /// The seal's reference to a certificate is the one for tests.
    case testReference = "seal.testReference"
    /// The seal, or what it grants, begins later than the given time.
    case notYetValid = "seal.notYetValid"
    /// The picture shows several seals, so that none was compared with the zone in it.
    case several = "seal.several"
  }

  /// The kind of the finding.
  public let id: ID
  /// One sentence.
  public let detail: String

  package init(_ id: ID, _ detail: String) {
    self.id = id
    self.detail = detail
  }
}

/// What a parser understood of a seal's content: the facts that the judge needs, and what the report shows.
package struct SealContent: Sendable {
  /// What kind of document the seal is for, as the report says it: `visa`, `emergency travel document`; empty if it is not
  /// known.
  package var documentName = ""
  /// The header: version, dates, kind. In the order of the seal.
  package var header: [SealField] = []
  /// The decoded content, in the order of the seal.
  package var fields: [SealField] = []
  /// The code that must be in the signer's list of document types (Doc 9303-12, 7.1.1): the first characters of the zone
  /// in the seal, or `NV` of every VDS-NC. nil if the seal states none; then nothing is compared.
  package var documentType: String?
  /// The machine readable zone in the seal; nil for none.
  package var zone: SealZone?
  /// The number of the holder's passport, without fillers, as a visa and a travel authorization have it; nil for none.
  package var passportNumber: String?
  /// The day of the signature; nil if the seal does not state it, or states no day.
  package var signedOn: SealDate?
  /// The first day of what the seal grants; nil if it does not say.
  package var validFrom: SealDate?
  /// The last day of what the seal grants; nil if it does not say. The zone's date of expiry needs not be given.
  package var validUntil: SealDate?
  /// Why the content is not as its format demands, although the signature can be verified: sentences without any content
  /// of the seal. Missing mandatory elements, elements that occur twice, dates that do not exist, wrong C40.
  package var problems: [String] = []
  package var findings: [SealFinding] = []
  /// Key purposes of a signer, dotted, that are accepted beside that of the seal's kind: the national ones of Doc 9303-13's
  /// national categories.
  package var nationalPurposes: [String] = []

  package init() {}
}
