#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The result of a scan in every shape that a client may look for (dossier, 4.6): the provider's flat one, the
/// TypeScript client's `passportData`, and the aliases of the common model.
enum NfcScanResult {
  static func complete(_ flat: JSONObject) -> JSONObject {
    var result = flat
    result["passportData"] = .object(passportData(flat))
    for (alias, key) in [
      ("sodSignature", "encryptedDigest"), ("sodSignedAttributes", "eContent"),
      ("sodEncapsulatedContent", "encapContent"),
    ] where result[alias] == nil {
      result[alias] = flat[key]
    }
    return result
  }

  private static func passportData(_ flat: JSONObject) -> JSONObject {
    let hashes: JSONObject
    if case .object(let members)? = flat["dataGroupHashes"] { hashes = members } else { hashes = [:] }
    let type = flat["documentType"]?.stringValue ?? ""
    let category: JSONValue = type.isEmpty || type.hasPrefix("P") ? "passport" : "id_card"
    var data: JSONObject = [
      "dgPresents": .array(hashes.names.compactMap { Int64($0) }.sorted().map(JSONValue.integer)),
      "documentType": category,
      "documentCategory": category,
      "parsed": false,
      "mock": false,
    ]
    data["mrz"] = flat["mrz"]?.stringValue.map { .string($0.replacing("\n", with: "")) }
    data["dsc"] = flat["documentSigningCertificate"]
    data["dg1Hash"] = unsigned(hashes["1"])
    data["dg2Hash"] = unsigned(hashes["2"])
    data["eContent"] = signed(flat["encapContent"])
    data["signedAttr"] = signed(flat["eContent"])
    data["encryptedDigest"] = signed(flat["encryptedDigest"])
    return data
  }

  /// The bytes of hexadecimal text as numbers 0 to 255.
  private static func unsigned(_ hexadecimal: JSONValue?) -> JSONValue? {
    guard let digits = hexadecimal?.stringValue.map({ Array($0) }), digits.count.isMultiple(of: 2) else { return nil }
    let bytes = stride(from: 0, to: digits.count, by: 2).map { Int64(String(digits[$0...$0 + 1]), radix: 16) }
    guard !bytes.contains(nil) else { return nil }
    return .array(bytes.compactMap { $0 }.map(JSONValue.integer))
  }

  /// The bytes of base64 text as numbers -128 to 127.
  private static func signed(_ base64: JSONValue?) -> JSONValue? {
    guard let data = base64?.stringValue.flatMap({ Data(base64Encoded: $0) }) else { return nil }
    return .array(data.map { .integer(Int64(Int8(bitPattern: $0))) })
  }
}
