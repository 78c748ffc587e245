package import TesseraCryptography

/// What the fleet's record has of persons and documents. By default nothing: no field of the machine readable zone, no
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
