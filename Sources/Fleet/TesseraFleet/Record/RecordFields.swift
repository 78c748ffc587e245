internal import TesseraCryptography
internal import TesseraJSON
internal import TesseraPassport
internal import TesseraVerification

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The fields of a record that tell of the holder and the document, each treated as the policy says.
struct RecordFields {
  private let policy: RecordPolicy
  private var kept = JSONObject()
  private var hashed = JSONObject()
  private var encrypted = JSONObject()
  private var leftOut = JSONObject()

  /// The largest field in bytes: a record stays below the server's limit of 1 MB, even if two such fields are
  /// encrypted.
  static let maximumSize = 192 << 10

  init(_ policy: RecordPolicy) { self.policy = policy }

  /// - Throws: `CryptographyError`; the errors of encoding the report.
  mutating func add(_ read: FinishedRead) throws {
    for field in RecordField.allCases where field != .dump {
      guard let treatment = policy.treatments[field], let value = try Self.value(field, of: read) else { continue }
      try add(field, value, treatment)
    }
  }

  private mutating func add(_ field: RecordField, _ value: JSONValue, _ treatment: RecordTreatment) throws {
    let text = value.stringValue ?? value.text
    guard text.utf8.count <= Self.maximumSize || treatment == .hash else {
      leftOut[field.rawValue] = .integer(Int64(text.utf8.count))
      return
    }
    switch treatment {
    case .keep: kept[field.rawValue] = value
    case .hash:
      // A policy without a key is refused before. Nothing is hashed without one.
      guard let key = policy.hashKey else { return }
      hashed[field.rawValue] = .string(try Self.hash(field, text, key))
    case .encrypt: encrypted[field.rawValue] = value
    }
  }

  /// The name of the field is part of the message, so that equal values of two fields have different hashes.
  private static func hash(_ field: RecordField, _ text: String, _ key: SecretBytes) throws -> String {
    try HMAC.code(of: Array(field.rawValue.utf8) + [0] + Array(text.utf8), key: key).hexadecimal.lowercased()
  }

  /// - Throws: `CryptographyError`.
  func write(to members: inout JSONObject) throws {
    if !kept.isEmpty { members["document"] = .object(kept) }
    if !hashed.isEmpty { members["hashed"] = .object(hashed) }
    if !encrypted.isEmpty {
      let content = Array(JSONValue.object(encrypted).text.utf8)
      let envelope = try EnvelopedData.encrypt(content, for: policy.recipients)
      members["encrypted"] = .string(Data(envelope).base64EncodedString())
    }
    if !leftOut.isEmpty { members["leftOut"] = .object(leftOut) }
  }

  /// nil if the read has no such field.
  private static func value(_ field: RecordField, of read: FinishedRead) throws -> JSONValue? {
    let document = read.report.document
    return switch field {
    case .type: .string(document.type)
    case .issuingState: .string(document.issuingState)
    case .documentNumber: .string(document.documentNumber)
    case .primaryIdentifier: .string(document.primaryIdentifier)
    case .secondaryIdentifier: .string(document.secondaryIdentifier)
    case .nationality: .string(document.nationality)
    case .dateOfBirth: .string(document.dateOfBirth)
    case .sex: .string(document.sex)
    case .dateOfExpiry: .string(document.dateOfExpiry)
    case .optionalData: .string(document.optionalData)
    case .mrz: .string(document.mrz)
    case .digests:
      .object(
        read.report.files.reduce(into: JSONObject()) { digests, file in digests[file.name] = .string(file.sha256) })
    case .portrait: read.dump.portrait.map { .string(Data($0.data).base64EncodedString()) }
    case .report: .string(try read.report.json())
    case .dump: nil
    }
  }
}
