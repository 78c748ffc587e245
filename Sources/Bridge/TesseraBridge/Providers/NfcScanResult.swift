/// The result of one passport scan. The provider fills it, and the bridge encodes it once as the JSON of the protocol
/// (the bridge protocol, section nfc).
public struct NfcScanResult: Sendable, Equatable {
  /// The machine readable zone of DG1, without fillers in the fields.
  public struct MachineReadableZone: Sendable, Equatable {
    /// The values that the protocol uses for the sex of the holder.
    public enum Sex: String, Sendable {
      case male = "MALE"
      case female = "FEMALE"
      case unspecified = "UNSPECIFIED"

      /// The letter of the zone: the member `sex`, which stands beside `gender` of the seed's protocol.
      package var letter: String {
        switch self {
        case .male: "M"
        case .female: "F"
        case .unspecified: "<"
        }
      }
    }

    /// The lines of the zone, separated by line feeds.
    public var text: String
    public var documentType: String
    public var issuingState: String
    public var surname: String
    public var givenNames: String
    public var documentNumber: String
    public var nationality: String
    /// The optional data of the zone; empty if there is none.
    public var personalNumber: String
    /// `YYMMDD`.
    public var dateOfBirth: String
    /// `YYMMDD`.
    public var dateOfExpiry: String
    public var sex: Sex

    public init(
      text: String, documentType: String, issuingState: String, surname: String, givenNames: String,
      documentNumber: String, nationality: String, personalNumber: String, dateOfBirth: String, dateOfExpiry: String,
      sex: Sex
    ) {
      self.text = text
      self.documentType = documentType
      self.issuingState = issuingState
      self.surname = surname
      self.givenNames = givenNames
      self.documentNumber = documentNumber
      self.nationality = nationality
      self.personalNumber = personalNumber
      self.dateOfBirth = dateOfBirth
      self.dateOfExpiry = dateOfExpiry
      self.sex = sex
    }
  }

  /// The certificate of the document signer.
  public struct SignerCertificate: Sendable, Equatable {
    public enum PublicKey: Sendable, Equatable {
      /// The modulus as decimal text.
      case rsa(modulus: String)
      /// The coordinates of the point as text.
      case ellipticCurve(x: String, y: String)
      case other
    }

    /// PEM with lines of 76 characters.
    public var pem: String
    /// The algorithm that signed the certificate, for example `SHA256withRSA`.
    public var signatureAlgorithm: String
    public var publicKey: PublicKey

    public init(pem: String, signatureAlgorithm: String, publicKey: PublicKey) {
      self.pem = pem
      self.signatureAlgorithm = signatureAlgorithm
      self.publicKey = publicKey
    }
  }

  /// The content of EF.SOD.
  public struct SecurityObject: Sendable, Equatable {
    public var certificate: SignerCertificate
    /// The digest algorithm of the data group hashes, for example `SHA-256`.
    public var digestAlgorithm: String
    /// The digest algorithm of the signer, for example `SHA-256`.
    public var signerDigestAlgorithm: String
    /// For example `SHA256withRSA`.
    public var signatureAlgorithm: String
    public var ldsVersion: String?
    public var unicodeVersion: String?
    /// The DER encoding that was signed: the signed attributes, or `content` if there are none.
    public var signedAttributes: [UInt8]
    public var signature: [UInt8]
    /// The LDS security object in DER.
    public var content: [UInt8]
    /// The hashes by the numbers of the data groups.
    public var dataGroupHashes: [Int: [UInt8]]

    public init(
      certificate: SignerCertificate, digestAlgorithm: String, signerDigestAlgorithm: String,
      signatureAlgorithm: String, ldsVersion: String? = nil, unicodeVersion: String? = nil,
      signedAttributes: [UInt8], signature: [UInt8], content: [UInt8], dataGroupHashes: [Int: [UInt8]]
    ) {
      self.certificate = certificate
      self.digestAlgorithm = digestAlgorithm
      self.signerDigestAlgorithm = signerDigestAlgorithm
      self.signatureAlgorithm = signatureAlgorithm
      self.ldsVersion = ldsVersion
      self.unicodeVersion = unicodeVersion
      self.signedAttributes = signedAttributes
      self.signature = signature
      self.content = content
      self.dataGroupHashes = dataGroupHashes
    }
  }

  /// The checks that were made of the document.
  public struct Verification: Sendable, Equatable {
    /// An inconsistency in the document.
    public struct Finding: Sendable, Equatable {
      public var id: String
      public var detail: String

      public init(id: String, detail: String) {
        self.id = id
        self.detail = detail
      }
    }

    /// The status (`passed`, `failed`, `skipped`, …) of each check, by its identifier.
    public var checks: [String: String]
    public var findings: [Finding]
    /// The access control protocol that opened the chip, for example `PACE`.
    public var accessProtocol: String
    /// The reason for this protocol, if it was not the strongest one.
    public var accessProtocolReason: String?
    /// `genuine`, `notGenuine` or `notEstablished`; nil if the provider does not decide.
    public var outcome: String?
    /// The result in one line.
    public var headline: String?
    /// The data groups that EF.SOD lists and that were not read, for example `DG2`: nothing is said of them. nil if the
    /// provider does not know.
    public var notRead: [String]?
    /// Whether the certificate of the document signer leads to a trusted country signer.
    public var isSignerTrusted: Bool
    /// Whether the document signer signed EF.SOD.
    public var isSignatureValid: Bool
    /// Whether the data groups that were read are those that were signed.
    public var isDataUnchanged: Bool
    public var offersPACE: Bool
    public var offersChipAuthentication: Bool

    public init(
      checks: [String: String], findings: [Finding], accessProtocol: String, accessProtocolReason: String? = nil,
      outcome: String? = nil, headline: String? = nil, isSignerTrusted: Bool = false, isSignatureValid: Bool = false,
      isDataUnchanged: Bool = false, offersPACE: Bool = false, offersChipAuthentication: Bool = false,
      notRead: [String]? = nil
    ) {
      self.checks = checks
      self.findings = findings
      self.accessProtocol = accessProtocol
      self.accessProtocolReason = accessProtocolReason
      self.outcome = outcome
      self.headline = headline
      self.isSignerTrusted = isSignerTrusted
      self.isSignatureValid = isSignatureValid
      self.isDataUnchanged = isDataUnchanged
      self.offersPACE = offersPACE
      self.offersChipAuthentication = offersChipAuthentication
      self.notRead = notRead
    }
  }

  /// Everything that was read and verified, for `NfcScanRequest.wantsReport`.
  public struct DocumentReport: Sendable, Equatable {
    /// The object that `tessera passport read --json` prints.
    public var json: JSONValue
    /// The portrait as a `data:` address (RFC 2397) of a JPEG or PNG; nil if there is none that can be shown.
    public var portrait: String?
    /// The report as one HTML page.
    public var page: String

    public init(json: JSONValue, portrait: String?, page: String) {
      self.json = json
      self.portrait = portrait
      self.page = page
    }
  }

  public var zone: MachineReadableZone
  public var securityObject: SecurityObject
  public var paceSucceeded: Bool
  public var chipAuthenticationSucceeded: Bool
  /// The file DG1, if the provider passes it on.
  public var dataGroup1: [UInt8]?
  /// nil if the provider checks nothing.
  public var verification: Verification?
  /// nil unless it was requested and the provider makes one.
  public var report: DocumentReport?

  public init(
    zone: MachineReadableZone, securityObject: SecurityObject, paceSucceeded: Bool, chipAuthenticationSucceeded: Bool,
    dataGroup1: [UInt8]? = nil, verification: Verification? = nil, report: DocumentReport? = nil
  ) {
    self.zone = zone
    self.securityObject = securityObject
    self.paceSucceeded = paceSucceeded
    self.chipAuthenticationSucceeded = chipAuthenticationSucceeded
    self.dataGroup1 = dataGroup1
    self.verification = verification
    self.report = report
  }
}

extension NfcScanResult: Redacted {}
extension NfcScanResult.DocumentReport: Redacted {}
extension NfcScanResult.MachineReadableZone: Redacted {}
extension NfcScanResult.SecurityObject: Redacted {}
