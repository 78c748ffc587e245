import TesseraCryptography
import TesseraJSON

/// A visible digital seal for non-constrained environments (ICAO TR VDS-NC): a JSON text with the data, their signature
/// and the certificate of the signer.
///
///     {"data": {"hdr": {"t": "icao.vacc", "v": 1, "is": "UTO"}, "msg": {…}},
///      "sig": {"alg": "ES256", "cer": "…", "sigvl": "…"}}
///
/// Signed is the canonical form (RFC 8785) of the member `data` as it was received, not of what is understood of it:
/// members that nobody knows are signed, too.
package struct VDSNC: Sendable {
  package let content: SealContent
  package let evidence: SealEvidence

  /// The only version that is published.
  private static let knownVersion = 1

  /// - Parameter text: UTF-8. A byte order mark and white space around the JSON text are ignored: files have them.
  /// - Throws: `VDSNCError`.
  package init(_ text: [UInt8]) throws(VDSNCError) {
    let json: StrictJSON
    do { json = try StrictJSON(Array(Self.withoutMark(text))) } catch { throw .text(error) }
    let (seal, isWrapped) = try Self.seal(json.value)
    guard let data = seal["data"], let part = seal["sig"] else { throw .noSeal }
    // Before anything else: of two members with one name, this reader knows one.
    if let defect = json.defect { throw .ambiguous(defect) }
    guard let signature = part.objectValue else { throw .noSeal }
    let header = data["hdr"]?.objectValue
    guard header != nil || Self.hasOtherParts(data, signature) else { throw .noSeal }
    guard let header else { throw .member(.header) }
    guard let message = data["msg"]?.objectValue else { throw .member(.message) }
    guard let issuer = header["is"]?.stringValue.flatMap(Self.issuer) else { throw .member(.issuer) }
    guard let algorithm = signature["alg"]?.stringValue else { throw .member(.algorithm) }
    evidence = try Self.evidence(issuer: issuer, data: data, signature, algorithm)
    content = Self.content(data, header, message, algorithm: algorithm, layout: Self.layout(seal, signature, isWrapped))
  }

  /// Whether what has no header is a seal all the same, and not any other JSON text with members of these names.
  private static func hasOtherParts(_ data: JSONValue, _ signature: JSONObject) -> Bool {
    data["msg"]?.objectValue != nil && ["alg", "cer", "sigvl"].contains { signature[$0] != nil }
  }

  /// Files of text can begin with the mark; JSON does not have it (RFC 8259, 8.1).
  private static func withoutMark(_ text: [UInt8]) -> ArraySlice<UInt8> {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return text.dropFirst(text.starts(with: mark) ? mark.count : 0)
  }

  /// The seal of a text. Some issuers put an array around it, which the standard does not know.
  private static func seal(_ value: JSONValue) throws(VDSNCError) -> (seal: JSONObject, isWrapped: Bool) {
    switch value {
    case .object(let seal): return (seal, false)
    case .array(let elements):
      let seals = elements.compactMap { $0.objectValue }.filter { $0["data"] != nil && $0["sig"] != nil }
      guard let seal = seals.first else { throw .noSeal }
      guard elements.count == 1 else { throw .severalSeals }
      return (seal, true)
    default: throw .noSeal
    }
  }

  /// The code of a country or an organisation as in a machine readable zone (Doc 9303-3, 5), without fillers.
  private static func issuer(_ code: String) -> String? {
    let letters = code.utf8.prefix { $0 != UInt8(ascii: "<") }
    let fillers = code.utf8.dropFirst(letters.count)
    let isCode =
      code.utf8.count <= 3 && !letters.isEmpty && fillers.allSatisfy { $0 == UInt8(ascii: "<") }
      && letters.allSatisfy { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    return isCode ? String(Substring(letters)) : nil
  }

  // MARK: - Content

  /// What is around the signed data and not as the standard has it.
  private static func layout(_ seal: JSONObject, _ signature: JSONObject, _ isWrapped: Bool) -> [SealFinding] {
    let isExtended = seal.count > 2 || signature.count > ["alg", "cer", "sigvl"].count { signature[$0] != nil }
    return [
      isWrapped ? SealFinding(.layout, "An array is around the seal.") : nil,
      isExtended
        ? SealFinding(.layout, "The seal has members that are neither signed nor defined. They are not shown.") : nil,
    ].compactMap { $0 }
  }

  private static func content(
    _ data: JSONValue, _ header: JSONObject, _ message: JSONObject, algorithm: String, layout: [SealFinding]
  ) -> SealContent {
    let type = header["t"]?.stringValue
    let version = header["v"].flatMap(Self.version)
    let kind = VDSNCMessage(message, type: type ?? "")
    var reader = VDSNCReader()
    reader.read(message, kind?.members ?? [])
    // They are signed, so they are shown.
    reader.readOthers(header, known: ["t", "v", "is"])
    reader.readOthers(data.objectValue ?? [:], known: ["hdr", "msg"])
    var content = SealContent()
    content.documentName = kind?.documentName ?? ""
    content.header = [
      type.map { SealField("type", $0) }, version.map { SealField("version", "\($0)") },
      SealField("algorithm", algorithm),
    ].compactMap { $0 }
    content.fields = reader.fields
    content.documentType = "NV"
    content.passportNumber = kind?.passportNumber(reader.fields)
    if kind == .travelAuthorization {
      (content.validFrom, content.validUntil) = (day("validFrom", reader.fields), day("validUntil", reader.fields))
    }
    content.problems =
      [
        type == nil ? "The header does not state the type of the seal." : nil,
        version == nil ? "The header does not state the version of the seal." : nil,
        VDSNCAlgorithm(algorithm) == nil ? unknownAlgorithm : nil,
      ].compactMap { $0 } + reader.problems
    content.findings = layout + Self.finding(version: version) + (kind == nil ? [] : reader.findings)
    return content
  }

  /// nil if it is no whole number.
  private static func version(_ value: JSONValue) -> Int? {
    guard case .number(let number) = value, let double = Double(number.text) else { return nil }
    return Int(exactly: double)
  }

  private static func finding(version: Int?) -> [SealFinding] {
    guard let version, version != knownVersion else { return [] }
    return [SealFinding(.layout, "The version of the seal is not known, so its content may mean something else.")]
  }

  private static func day(_ name: String, _ fields: [SealField]) -> SealDate? {
    fields.first { $0.name == name }.flatMap { SealDate(text: $0.value) }
  }

  // MARK: - Signature

  private static let unknownAlgorithm = "The seal names a signature algorithm that a VDS-NC does not have."

  private static func evidence(
    issuer: String, data: JSONValue, _ signature: JSONObject, _ name: String
  ) throws(VDSNCError) -> SealEvidence {
    let signed: [UInt8]
    do { signed = try CanonicalJSON.form(of: data) } catch { throw .ambiguous(error) }
    guard let value = signature["sigvl"].flatMap(Self.bytes) else { throw .member(.signature) }
    let certificate = try certificate(signature)
    let algorithm = VDSNCAlgorithm(name)
    let signer: SealSigner =
      switch (algorithm, certificate) {
      case (nil, _): .unresolvable(unknownAlgorithm)
      case (_, nil): .unresolvable("The seal does not contain the certificate of its signer, and names none.")
      case (_, let certificate?): .certificate(certificate)
      }
    return SealEvidence(
      kind: .vdsNC, issuer: issuer, signer: signer, signedBytes: signed, signature: value, hash: algorithm?.hash,
      fieldBits: algorithm?.fieldBits)
  }

  /// nil if the seal has no member for it.
  private static func certificate(_ signature: JSONObject) throws(VDSNCError) -> [UInt8]? {
    guard let member = signature["cer"] else { return nil }
    guard let certificate = bytes(member), !certificate.isEmpty else { throw .member(.certificate) }
    return certificate
  }

  /// Bytes in base64url. The standard has no padding, and the seals of some countries have it. Nothing else is
  /// tolerated: two texts may not mean one signature.
  private static func bytes(_ value: JSONValue) -> [UInt8]? {
    guard let text = value.stringValue else { return nil }
    let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
    let padding = text.utf8.dropFirst(digits.count)
    guard
      padding.isEmpty
        || text.utf8.count.isMultiple(of: 4) && padding.count <= 2
          && padding.allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    return Base64URL.decode(digits)
  }
}

extension JSONValue {
  var objectValue: JSONObject? {
    guard case .object(let members) = self else { return nil }
    return members
  }
}

/// The signature algorithms of a VDS-NC (RFC 7518, 3.4): ECDSA with the signature as r || s.
package enum VDSNCAlgorithm: String, Sendable, CaseIterable {
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"

  /// nil for a name that a VDS-NC does not have.
  init?(_ name: String) {
    guard let algorithm = Self.allCases.first(where: { $0.rawValue.hasBytes(of: name) }) else { return nil }
    self = algorithm
  }

  package var hash: HashAlgorithm {
    switch self {
    case .es256: .sha256
    case .es384: .sha384
    case .es512: .sha512
    }
  }

  /// The size of the field of the only curve that the algorithm permits: P-256, P-384 or P-521.
  package var fieldBits: Int {
    switch self {
    case .es256: 256
    case .es384: 384
    case .es512: 521
    }
  }
}
