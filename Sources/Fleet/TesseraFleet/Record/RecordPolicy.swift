internal import Glibc
public import TesseraCore
package import TesseraCryptography
internal import TesseraDurableFiles

/// What the fleet's record has of holders and documents. By default nothing: no field of the machine readable zone, no
/// image, no digest, no file.
///
/// A policy is a JSON file. Its members are all optional but `version`:
/// ```json
/// {
///   "version": 1,
///   "fields": { "issuingState": "keep", "documentNumber": "hash", "portrait": "encrypt" },
///   "hashKeyFile": "record.key",
///   "recipientFiles": ["auditor.pem"]
/// }
/// ```
/// The names of `fields` are those of `RecordField`, their values those of `RecordTreatment`. The key file has 32 to
/// 4096 random bytes; all inspectors of a fleet need the same one. The recipients are X.509 certificates in PEM with
/// RSA keys of at least 2048 bits or keys on curves of at least 256. Paths are relative to the folder of the policy.
public struct RecordPolicy: Sendable {
  package internal(set) var treatments: [RecordField: RecordTreatment] = [:]
  /// nil if no field is hashed.
  package internal(set) var hashKey: SecretBytes?
  /// Empty if no field is encrypted.
  package internal(set) var recipients: [EnvelopeRecipient] = []

  /// Nothing personal.
  public init() {}

  /// - Throws: `RecordPolicyError` if a treatment does not suit its field, or lacks its key or recipients.
  package init(
    _ treatments: [RecordField: RecordTreatment], hashKey: SecretBytes? = nil, recipients: [EnvelopeRecipient] = []
  ) throws(RecordPolicyError) {
    self.treatments = treatments
    self.hashKey = hashKey
    self.recipients = recipients
    try validate(file: nil)
  }

  func validate(file: String?) throws(RecordPolicyError) {
    func failed(_ member: String, _ problem: RecordPolicyError.Problem) -> RecordPolicyError {
      RecordPolicyError(file: file, member: member, problem)
    }
    for field in RecordField.allCases {
      let member = "fields.\(field.rawValue)"
      switch treatments[field] {
      case nil, .keep: break
      case .hash:
        // They have the time of the read, so no two have the same hash.
        guard ![.report, .dump].contains(field) else { throw failed(member, .hashUseless) }
        guard hashKey != nil else { throw failed(member, .hashKeyMissing) }
      case .encrypt:
        guard !recipients.isEmpty else { throw failed(member, .recipientsMissing) }
      }
    }
    guard recipients.count <= Self.maximumRecipients else { throw failed("recipientFiles", .tooManyRecipients) }
    if let hashKey, !Self.keyLengths.contains(hashKey.count) { throw failed("hashKeyFile", .hashKeyLength) }
  }

  /// Each adds some 600 bytes to a record.
  static let maximumRecipients = 16
  /// In bytes.
  static let keyLengths = 32...4096
}

/// Why a policy cannot be used, with the place.
public struct RecordPolicyError: Error, Sendable, Equatable {
  public enum Problem: Sendable, Equatable {
    /// The file cannot be read: the `errno`.
    case unreadable(code: Int32)
    /// The file has more bytes than a file of its kind.
    case fileTooLarge(limit: Int)
    case notJSON
    case versionMissing
    case unknownVersion
    case unknownMember
    case unknownField
    case unknownTreatment
    case notText
    case notObject
    case notArray
    /// A field is hashed whose values are never equal.
    case hashUseless
    /// A field is hashed, and there is no key.
    case hashKeyMissing
    case hashKeyLength
    /// A field is encrypted, and there are no recipients.
    case recipientsMissing
    case tooManyRecipients
    /// The text is the cause.
    case certificateUnusable(String)
  }

  /// The path of the policy; nil for one that is not from a file.
  public let file: String?
  /// The place in the JSON text, for example `fields.portrait`; nil for the whole.
  public let member: String?
  public let problem: Problem

  init(file: String?, member: String? = nil, _ problem: Problem) {
    self.file = file
    self.member = member
    self.problem = problem
  }
}

extension RecordPolicyError: LocalizedFailure {
  public var failure: Failure {
    let (cause, remedy) = sentences
    var details: [String: String] = [:]
    details["path"] = file
    details["member"] = member
    return Failure(.usage, cause, remedy: remedy, details: details)
  }

  /// Where the problem is: “fields.portrait in the record policy /etc/…”.
  private var place: String {
    [member.map { "\($0) in" }, "the record policy", file].compactMap { $0 }.joined(separator: " ")
  }

  private var sentences: (cause: String, remedy: String) {
    switch problem {
    case .unreadable(let code):
      if member == nil, let file {
        let failure = Failure.unreadable(file, code)
        return (failure.cause, failure.remedy ?? "")
      }
      let reason = String(cString: strerror(code)).lowercased()
      return ("The file of \(place) cannot be read: \(reason).", "Check its path and its permissions.")
    case .fileTooLarge(let limit):
      return ("The file of \(place) is larger than \(limit) bytes.", "Check that it is the right file.")
    case .notJSON: return ("The content of \(place) is not a JSON object.", "Correct the file.")
    case .versionMissing: return ("The member is missing: \(place).", "Add \"version\": 1.")
    case .unknownVersion:
      return ("This version is not known: \(place).", "Use 1, or the version of Tessera that it was written for.")
    case .unknownMember:
      return (
        "This member is not known: \(place).", "Remove it. Known are version, fields, hashKeyFile and recipientFiles."
      )
    case .unknownField:
      let names = RecordField.allCases.map(\.rawValue).joined(separator: ", ")
      return ("This field is not known: \(place).", "Use one of \(names).")
    case .unknownTreatment:
      return ("This treatment is not known: \(place).", "Use keep, hash or encrypt, or remove the field.")
    case .notText: return ("This is not a text: \(place).", "Name a file.")
    case .notObject: return ("This is not an object: \(place).", "Name fields with their treatments.")
    case .notArray: return ("This is not an array: \(place).", "Name files in brackets.")
    case .hashUseless:
      return ("This field is different in every read: \(place).", "Use keep or encrypt, or remove the field.")
    case .hashKeyMissing:
      return (
        "This field is to be hashed, and there is no key: \(place).",
        "Make one with “openssl rand -out record.key 32”, and name it as hashKeyFile."
      )
    case .hashKeyLength:
      return (
        "The key of \(place) does not have \(RecordPolicy.keyLengths.lowerBound) bytes or more.",
        "Make one with “openssl rand -out record.key 32”."
      )
    case .recipientsMissing:
      return (
        "This field is to be encrypted, and there is nobody to decrypt it: \(place).",
        "Name files of certificates as recipientFiles."
      )
    case .tooManyRecipients:
      return (
        "There are more than \(RecordPolicy.maximumRecipients) recipients: \(place).", "Name fewer certificates."
      )
    case .certificateUnusable(let cause):
      return (
        "The certificate of \(place) cannot be used: \(cause)", "Name a PEM file of X.509 certificates for encryption."
      )
    }
  }
}
