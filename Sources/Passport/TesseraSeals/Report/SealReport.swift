import TesseraCore
import TesseraCryptography
public import TesseraPassport
public import TesseraVerification

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The report on one seal: what it says, whether the issuing country signed it, and whether it was compared with the
/// document. A seal is data, and a copy of it is as good as the original: that the paper is the original must come from the
/// comparison.
///
/// All text of the header and of the fields comes from the seal. `json` and `lines` escape it.
public struct SealReport: Sendable {
  /// The barcode from which the seal was read.
  public struct Symbol: Sendable, Equatable {
    /// `DataMatrix`, `QRCode`, `Aztec` or `PDF417`.
    public let format: String
    /// The corners in the picture, in pixels, clockwise from the symbol's own top left: x and y of each.
    public let corners: [[Int]]

    /// A symbol with its corners; `corners` may be empty.
    public init(format: String, corners: [[Int]]) { (self.format, self.corners) = (format, corners) }
  }

  /// The certificate of the signer.
  public struct Signer: Sendable, Equatable {
    /// The certificate itself.
    public let certificate: Report.Certificate
    /// Dotted.
    public let purposes: [String]
    /// The document codes that it may sign; nil without a list, which permits all.
    public let documentTypes: [String]?
  }

  /// The kind of the barcode.
  public let kind: SealKind
  /// What kind of document the seal is for: `visa`; empty if it is not known.
  public let documentName: String
  /// The issuing country or organization, as in a machine readable zone; empty if it was not read.
  public let issuer: String
  /// The verdict.
  public let outcome: Outcome
  /// nil for `genuine`.
  public let outcomeReason: SealReason?
  /// Whether the seal was compared with the document, and the result.
  public let comparison: SealComparison
  /// Whether the seal names the passport that was given; nil without one, and for a seal that names none.
  public let namesPassport: Bool?
  /// The header of the seal, in its order.
  public let header: [SealField]
  /// What the seal says, in its order. Personal data.
  public let fields: [SealField]
  /// nil if no certificate is known that the seal names.
  public let signer: Signer?
  /// The country signers from the signer's issuer on.
  public let chain: [Report.Certificate]
  /// All checks, in the order of `SealCheck.ID`.
  public let checks: [SealCheck]
  /// What was noticed beside the checks.
  public private(set) var findings: [SealFinding]
  /// As Doc 9303-13 states it.
  public let status: SealStatus
  /// The name of the trust material, if it is not what the user imported.
  public let authority: String?
  /// The time for which validity was checked.
  public let verifiedAt: Date
  /// nil if the seal was not read from a picture.
  public var symbol: Symbol?

  /// Judges a seal.
  ///
  /// - Parameters:
  ///   - evidence: what the seal says, and its signature.
  ///   - content: what was understood of it.
  ///   - printed: the zone on the document; nil if it was not read.
  ///   - passport: the zone of the holder's passport; nil if it was not given.
  ///   - trust: what is known of countries.
  ///   - date: the time of the inspection.
  package init(
    _ evidence: SealEvidence, _ content: SealContent, printed: PrintedZone? = nil,
    passport: MachineReadableZone? = nil, trust: TrustMaterial, at date: Date
  ) {
    let judge = SealJudge(evidence, content, printed: printed, passport: passport, trust: trust, at: date)
    self.init(kind: evidence.kind, issuer: evidence.issuer, content, judge, trust, date)
  }

  /// The report on what looks like a seal and cannot be read as one.
  ///
  /// - Parameter problem: a sentence without any content of the seal.
  package init(malformed problem: String, kind: SealKind, trust: TrustMaterial, at date: Date) {
    self.init(kind: kind, issuer: "", SealContent(), SealJudge(malformed: problem), trust, date)
  }

  init(
    kind: SealKind, issuer: String, _ content: SealContent, _ judge: SealJudge, _ trust: TrustMaterial, _ date: Date
  ) {
    self.kind = kind
    self.issuer = issuer
    documentName = content.documentName
    (outcome, outcomeReason) = (judge.outcome, judge.reason)
    (comparison, namesPassport) = (judge.comparison, judge.namesPassport)
    (header, fields) = (content.header, content.fields)
    (checks, findings, status) = (judge.checks, judge.findings, judge.status)
    signer = judge.signer.map { Signer($0, source: judge.signerSource, trust) }
    chain = judge.path.map { entry in
      var role = Report.Certificate.Role.countrySigner
      if case .linked = entry.status { role = .link }
      return Report.Certificate(entry.certificate, role, source: entry.sources.first?.name ?? "", keys: trust.keys)
    }
    authority = trust.name
    verifiedAt = date
  }

  /// The check with this identifier.
  public subscript(id: SealCheck.ID) -> SealCheck? { checks.first { $0.id == id } }

  /// Adds what was noticed around the seal.
  ///
  /// - Parameter detail: one sentence.
  package mutating func note(_ id: SealFinding.ID, _ detail: String) { findings.append(SealFinding(id, detail)) }

  /// Whether no check failed.
  public var isSound: Bool { !checks.contains { $0.status == .failed } }
}

extension SealReport.Signer {
  fileprivate init(_ certificate: Certificate, source: String, _ trust: TrustMaterial) {
    self.certificate = Report.Certificate(certificate, .documentSigner, source: source, keys: trust.keys)
    purposes = certificate.extendedKeyUsage ?? []
    switch certificate.documentTypes {
    case .all: documentTypes = nil
    case .some(let types): documentTypes = types
    case .malformed: documentTypes = []
    }
  }
}

extension SealReport {
  /// Reads and judges a visible digital seal. What is no whole seal is not established.
  ///
  /// - Parameters:
  ///   - bytes: of the barcode, exactly as they are in it.
  ///   - printed: the zone on the document; nil if it was not read.
  ///   - passport: the zone of the holder's passport, from its chip or its data page: a visa and a travel authorization
  ///     name its number. nil if it was not given.
  ///   - trust: what is known of countries.
  ///   - date: the time of the inspection.
  /// - Throws: `VDSError.notASeal`.
  public init(
    visibleDigitalSeal bytes: [UInt8], printed: PrintedZone? = nil, passport: MachineReadableZone? = nil,
    trust: TrustMaterial, at date: Date = .now
  ) throws(VDSError) {
    let readings: [VisibleDigitalSeal]
    do {
      readings = try VisibleDigitalSeal.readings(of: bytes)
    } catch .notASeal {
      throw .notASeal
    } catch {
      self.init(malformed: error.failure.cause, kind: .vds, trust: trust, at: date)
      return
    }
    let judged = readings.map { seal in
      (seal, SealJudge(seal.evidence, seal.content, printed: printed, passport: passport, trust: trust, at: date))
    }
    // The signature decides how the seal is to be read; without a right one, its version does. A seal that no standard
    // permits has no signature that could be wrong in it, so nothing is proven by that.
    let best =
      judged.first { $0.1.isSignatureVerified } ?? judged.first { $0.0.deviation == nil }
      ?? judged.first { $0.1.outcome != .notGenuine }
    guard let (seal, judge) = best else {
      self.init(
        malformed: "The seal is not built as its version demands, and the signature does not tell how to read it.",
        kind: .vds, trust: trust, at: date)
      return
    }
    self.init(kind: .vds, issuer: seal.header.country, seal.content, judge, trust, date)
  }
}

extension SealReport {
  /// The result in one line. Whether the seal was compared with a document is always part of it.
  public var headline: String {
    let failures = checks.filter { $0.status == .failed && $0.id != .documentExpiry }.map(\.id.rawValue)
    let undecided = checks.filter { $0.status == .unsupported }.map(\.id.rawValue)
    let reservations = [
      failures.isEmpty ? nil : "CHECK FAILED: \(failures.joined(separator: ", "))",
      undecided.isEmpty ? nil : "NOT VERIFIED: \(undecided.joined(separator: ", "))",
    ].compactMap(\.self)
    let clause = outcomeReason?.clause ?? ""
    let expired =
      self[.documentExpiry]?.status == .failed
      ? ["\(documentName.isEmpty ? "document" : documentName) not valid any more"] : []
    let parts: [String]
    switch outcome {
    case .genuine:
      let revocation = self[.revocation]?.status == .skipped ? ["revocation not checked"] : []
      parts =
        ["Genuine seal, by \(authority ?? "the certificates of \(countryName)")", comparisonClause] + expired
        + revocation
    case .notGenuine: parts = ["NOT GENUINE: \(clause)"] + reservations
    case .notEstablished:
      let beginning = reservations.isEmpty ? ["Seal read"] : reservations
      parts = beginning + ["authenticity of the seal is not established, since \(clause)"]
    }
    return parts.joined(separator: "; ") + "."
  }

  /// What the result says and what it does not say, in a sentence or two.
  public var meaning: String {
    switch outcome {
    case .genuine:
      let copy = "A copy of a seal is as good as the original: compare"
      return switch comparison {
      case .notCompared, .differs:
        "The country signed these data. \(copy) them with the document, and the document with its holder."
      case .equalsZone:
        "The country signed these data, and the printed zone is the same. \(copy) the document with its holder."
      case .namesPassport:
        "The country signed these data, and they name the given passport. \(copy) the passport with its holder."
      }
    case .notGenuine: return "There is a proof against the seal, whatever else is right."
    case .notEstablished:
      return "This proves neither that the country signed these data nor that it did not. Do not rely on them."
    }
  }

  private var comparisonClause: String {
    switch comparison {
    case .notCompared: "NOT COMPARED with a document"
    case .equalsZone where namesPassport == true: "it equals the printed MRZ and names the passport that was given"
    case .equalsZone: "it equals the printed MRZ"
    case .namesPassport: "it names the passport that was given"
    case .differs: "IT DIFFERS from the document"
    }
  }

  private var countryName: String { chain.last.map { $0.country.isEmpty ? $0.subject : $0.country } ?? "the country" }
}

extension SealReport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Without what the seal says. `lines` and `json` have all of it.
  public var description: String { "\(kind.rawValue), \(outcome.rawValue), <redacted>" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
