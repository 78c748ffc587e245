public import TesseraJSON
import TesseraVerification

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension SealReport {
  /// The report as JSON. Absent values are null, so that the members are always the same. What it contains of the seal is
  /// personal data.
  public var json: JSONValue {
    [
      "kind": .string(kind.rawValue),
      "document": .string(documentName),
      "outcome": .string(outcome.rawValue),
      "outcomeReason": Self.text(outcomeReason?.rawValue),
      "headline": .string(headline),
      "meaning": .string(meaning),
      "comparison": .string(comparison.rawValue),
      "namesPassport": namesPassport.map(JSONValue.bool) ?? .null,
      "issuer": .string(issuer),
      "symbol": symbol.map(Self.object) ?? .null,
      "header": Self.header(header),
      "fields": .array(fields.map(Self.object)),
      "signer": signer.map(Self.object) ?? .null,
      "chain": .array(chain.map(Self.object)),
      "checks": .array(
        checks.map {
          ["id": .string($0.id.rawValue), "status": .string($0.status.rawValue), "detail": .string($0.detail)]
        }),
      "findings": .array(findings.map { ["id": .string($0.id.rawValue), "detail": .string($0.detail)] }),
      "icao": ["status": .string(status.text), "sub": .array(status.indications.map { .string($0.rawValue) })],
      "authority": Self.text(authority),
      "verifiedAt": .string(verifiedAt.ISO8601Format()),
    ]
  }

  private static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  private static func header(_ fields: [SealField]) -> JSONValue {
    var members = JSONObject()
    for field in fields { members[field.name] = .string(field.value) }
    return .object(members)
  }

  private static func object(_ field: SealField) -> JSONValue {
    [
      "name": .string(field.name), "label": .string(field.label), "value": .string(field.value),
      "tag": text(field.tag), "hex": text(field.hexadecimal),
    ]
  }

  private static func object(_ symbol: Symbol) -> JSONValue {
    [
      "format": .string(symbol.format),
      "corners": .array(symbol.corners.map { .array($0.map { .integer(Int64($0)) }) }),
    ]
  }

  private static func object(_ signer: Signer) -> JSONValue {
    guard case .object(var members) = object(signer.certificate) else { return .null }
    members["purposes"] = .array(signer.purposes.map(JSONValue.string))
    members["documentTypes"] = signer.documentTypes.map { .array($0.map(JSONValue.string)) } ?? .null
    return .object(members)
  }

  private static func object(_ certificate: Report.Certificate) -> JSONValue {
    [
      "role": .string(certificate.role == .documentSigner ? "sealSigner" : certificate.role.rawValue),
      "country": .string(certificate.country), "subject": .string(certificate.subject),
      "issuer": .string(certificate.issuer), "serialNumber": .string(certificate.serialNumber),
      "sha256": .string(certificate.sha256), "notBefore": .string(certificate.notBefore.ISO8601Format()),
      "notAfter": .string(certificate.notAfter.ISO8601Format()), "key": .string(certificate.key),
      "signatureAlgorithm": .string(certificate.signatureAlgorithm), "source": .string(certificate.source),
    ]
  }
}
