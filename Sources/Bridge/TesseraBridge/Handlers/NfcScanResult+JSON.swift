#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension NfcScanResult {
  /// The result in every form that a client reads (the bridge protocol, section nfc): the flat members of the Android
  /// SDK, `passportData` of the TypeScript client, and the aliases of the common model.
  var json: JSONObject {
    var result = flat
    result["passportData"] = .object(passportData)
    for (alias, key) in [
      ("sodSignature", "encryptedDigest"), ("sodSignedAttributes", "eContent"),
      ("sodEncapsulatedContent", "encapContent"),
    ] {
      result[alias] = result[key]
    }
    if let report {
      result["report"] = report.json
      result["portrait"] = report.portrait.map(JSONValue.string) ?? .null
      result["reportPage"] = .string(report.page)
    }
    return result
  }

  private var flat: JSONObject {
    var fields: JSONObject = [
      "mrz": .string(zone.text + "\n"),
      "documentType": .string(zone.documentType),
      "issuingState": .string(zone.issuingState),
      "surname": .string(zone.surname),
      "givenNames": .string(zone.givenNames),
      "documentNumber": .string(zone.documentNumber),
      "nationality": .string(zone.nationality),
      "personalNumber": .string(zone.personalNumber),
      "dateOfBirth": .string(zone.dateOfBirth),
      "dateOfExpiry": .string(zone.dateOfExpiry),
      "gender": .string(zone.sex.rawValue),
      "sex": .string(zone.sex.letter),
      "documentSigningCertificate": .string(securityObject.certificate.pem),
      "signatureAlgorithm": .string(securityObject.certificate.signatureAlgorithm),
      "digestAlgorithm": .string(securityObject.digestAlgorithm),
      "signerInfoDigestAlgorithm": .string(securityObject.signerDigestAlgorithm),
      "digestEncryptionAlgorithm": .string(securityObject.signatureAlgorithm),
      "LDSVersion": securityObject.ldsVersion.map(JSONValue.string) ?? .null,
      "unicodeVersion": securityObject.unicodeVersion.map(JSONValue.string) ?? .null,
      // The Android SDK calls the signed attributes `eContent`.
      "eContent": Self.base64(securityObject.signedAttributes),
      "encryptedDigest": Self.base64(securityObject.signature),
      "encapContent": Self.base64(securityObject.content),
      "dataGroupHashes": .object(dataGroupHashes),
      "paceSucceeded": .bool(paceSucceeded),
      "chipAuthSucceeded": .bool(chipAuthenticationSucceeded),
    ]
    fields["dg1"] = dataGroup1.map(Self.base64)
    if let verification {
      fields["checks"] = .object(JSONObject(verification.checks.mapValues(JSONValue.string)))
      fields["findings"] = .array(
        verification.findings.map { ["id": .string($0.id), "detail": .string($0.detail)] })
      fields["accessControl"] = [
        "protocol": .string(verification.accessProtocol),
        "reason": verification.accessProtocolReason.map(JSONValue.string) ?? .null,
      ]
      // The members of the iOS SDK (the bridge protocol, section nfc, shape C).
      fields["passportCorrectlySigned"] = .bool(verification.isSignerTrusted)
      fields["documentSigningCertificateVerified"] = .bool(verification.isSignatureValid)
      fields["passportDataNotTampered"] = .bool(verification.isDataUnchanged)
      fields["isPACESupported"] = .bool(verification.offersPACE)
      fields["isChipAuthenticationSupported"] = .bool(verification.offersChipAuthentication)
      fields["outcome"] = verification.outcome.map(JSONValue.string)
      fields["verdict"] = verification.headline.map(JSONValue.string)
      fields["notRead"] = verification.notRead.map { .array($0.map(JSONValue.string)) }
    }
    switch securityObject.certificate.publicKey {
    case .rsa(let modulus): fields["modulus"] = .string(modulus)
    case .ellipticCurve(let x, let y): fields["publicKeyQ"] = .string("(\(x),\(y))")
    case .other: break
    }
    return fields
  }

  private var dataGroupHashes: JSONObject {
    let members = securityObject.dataGroupHashes.map { number, hash in
      (String(number), JSONValue.string(hash.hexadecimal.lowercased()))
    }
    return JSONObject(Dictionary(members) { first, _ in first })
  }

  private var passportData: JSONObject {
    let hashes = securityObject.dataGroupHashes
    let category: JSONValue = zone.documentType.isEmpty || zone.documentType.hasPrefix("P") ? "passport" : "id_card"
    var data: JSONObject = [
      "dgPresents": .array(hashes.keys.sorted().map { .integer(Int64($0)) }),
      "documentType": category,
      "documentCategory": category,
      "parsed": false,
      "mock": false,
      "mrz": .string(zone.text.replacing("\n", with: "")),
      "dsc": .string(securityObject.certificate.pem),
    ]
    data["dg1Hash"] = hashes[1].map(Self.unsigned)
    data["dg2Hash"] = hashes[2].map(Self.unsigned)
    data["eContent"] = Self.signed(securityObject.content)
    data["signedAttr"] = Self.signed(securityObject.signedAttributes)
    data["encryptedDigest"] = Self.signed(securityObject.signature)
    return data
  }

  /// The bytes as numbers from 0 to 255.
  private static func unsigned(_ bytes: [UInt8]) -> JSONValue { .array(bytes.map { .integer(Int64($0)) }) }

  /// The bytes as numbers from -128 to 127.
  private static func signed(_ bytes: [UInt8]) -> JSONValue {
    .array(bytes.map { .integer(Int64(Int8(bitPattern: $0))) })
  }

  private static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Data(bytes).base64EncodedString()) }
}
