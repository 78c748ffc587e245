/// What a record can have of the holder and the document. The raw value is the name in a policy file and in a record.
public enum RecordField: String, Sendable, CaseIterable {
  // MARK: - The machine readable zone, as a report states it

  case type
  case issuingState
  case documentNumber
  case primaryIdentifier
  case secondaryIdentifier
  case nationality
  case dateOfBirth
  case sex
  case dateOfExpiry
  case optionalData
  /// All lines, separated by a line feed.
  case mrz

  // MARK: - More

  /// The SHA-256 digests of the files. That of DG1 leads to the holder: its few unknown characters are found by trying.
  case digests
  /// The image of DG2, base64.
  case portrait
  /// The whole report, JSON text: names, dates, and what the checks say of them.
  case report
  /// All files that were read and what proves the chip, as one file that `tessera passport verify` takes. Never in the
  /// record itself: see `RecordDump`.
  case dump
}

/// What becomes of a field. A field without a treatment is left out.
public enum RecordTreatment: String, Sendable, CaseIterable {
  case keep
  /// HMAC-SHA-256 with the key of the policy: equal values are recognised, and only who has the key can try values. A
  /// hash without a key would hide nothing: a document number, a date or a name is found by trying all of them.
  case hash
  /// CMS for the recipients of the policy.
  case encrypt
}
