import Bridge
import Cryptography
import Foundation
import Passport
import SmartCard

/// The flat result of the Android SDK (dossier, 4.6 shape A) of one read, with DG1 and all that the report finds beside
/// it: what `tessera passport read` calls a failed check is one here too.
struct FlatScanResult {
  let json: JSONValue

  /// - Throws: `PassportError.fileMissing` or `.fileMalformed` where DG1 or EF.SOD is unusable: without them a client
  ///   has no document to keep.
  init(_ dump: DocumentDump) throws {
    let zone = try dump.zone()
    let sod = try dump.securityObject()
    guard let signer = sod.signedData.signers.first, let certificate = sod.signedData.certificate(of: signer) else {
      throw PassportError.fileMalformed(.sod, "it carries no certificate of its signer")
    }
    let com = try? dump.content.commonData?.get()
    let report = try Report(dump)

    var fields: JSONObject = [
      "mrz": .string(zone.text + "\n"),
      "documentType": .string(zone.documentCode),
      "issuingState": .string(zone.issuingState),
      "surname": .string(zone.primaryIdentifier),
      "givenNames": .string(zone.secondaryIdentifier),
      "documentNumber": .string(zone.documentNumber),
      "nationality": .string(zone.nationality),
      "personalNumber": .string(zone.optionalData),
      "dateOfBirth": .string(zone.dateOfBirth),
      "dateOfExpiry": .string(zone.dateOfExpiry),
      "gender": .string(["M": "MALE", "F": "FEMALE"][zone.sex] ?? "UNSPECIFIED"),
      "documentSigningCertificate": .string(certificate.pem(columns: 76)),
      "signatureAlgorithm": .string(certificate.signatureAlgorithmName),
      "digestAlgorithm": .string(sod.securityObject.hashAlgorithm.rawValue),
      "signerInfoDigestAlgorithm": .string(signer.digestAlgorithm.rawValue),
      "digestEncryptionAlgorithm": .string(signer.signatureAlgorithm.javaName),
      "LDSVersion": (sod.securityObject.ldsVersion ?? com?.ldsVersion).map(JSONValue.string) ?? .null,
      "unicodeVersion": (sod.securityObject.unicodeVersion ?? com?.unicodeVersion).map(JSONValue.string) ?? .null,
      // The Android library's names: `eContent` holds the signed attributes.
      "eContent": Self.base64(signer.signedAttributes ?? sod.signedData.content),
      "encryptedDigest": Self.base64(signer.signature),
      "encapContent": Self.base64(sod.signedData.content),
      "dataGroupHashes": .object(
        JSONObject(
          Dictionary(
            uniqueKeysWithValues: sod.securityObject.digests.map {
              (String($0.key), .string(Self.hexadecimal($0.value)))
            }))),
      "paceSucceeded": .bool(dump.accessProtocol == .pace),
      "chipAuthSucceeded": .bool(
        [.chipAuthentication, .paceChipAuthentication].contains { report[$0]?.status == .passed }),
      "dg1": Self.base64(dump[.dg1] ?? []),
      "checks": .object(JSONObject(Self.checks(report))),
      "findings": .array(
        report.findings.map { ["id": .string($0.id.rawValue), "detail": .string($0.detail)] }),
      "accessControl": [
        "protocol": .string(report.accessControl.protocol),
        "reason": report.accessControl.reason.map(JSONValue.string) ?? .null,
      ],
    ]
    switch certificate.publicKey.kind {
    case .rsa(_, let modulus): fields["modulus"] = .string(modulus)
    case .ellipticCurve(_, _, let x, let y): fields["publicKeyQ"] = .string("(\(x),\(y))")
    case .other: break
    }
    json = .object(fields)
  }

  /// The statuses by identifier. A finding, of which there is no fixed list, is a check that failed.
  private static func checks(_ report: Report) -> [String: JSONValue] {
    var checks: [String: JSONValue] = [:]
    for check in report.checks { checks[check.id.rawValue] = .string(check.status.rawValue) }
    for finding in report.findings { checks[finding.id.rawValue] = .string(Check.Status.failed.rawValue) }
    return checks
  }

  private static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }

  private static func hexadecimal(_ bytes: [UInt8]) -> String { bytes.hexadecimal.lowercased() }
}
