import TesseraCryptography
import TesseraPassport

extension IDBBarcode {
  /// What the judge verifies.
  package var evidence: SealEvidence {
    SealEvidence(
      kind: .idb, issuer: country, signer: signer, signedBytes: Array(payload.prefix(signedCount)),
      signature: signature, hash: hash)
  }

  /// nil for an algorithm that is not known, and without a signature.
  private var hash: HashAlgorithm? {
    switch header?.algorithm {
    case 1?: .sha256
    case 2?: .sha384
    case 3?: .sha512
    default: nil
    }
  }

  private var signer: SealSigner {
    guard let header else { return .unresolvable("The barcode is not signed.") }
    guard hash != nil else {
      return .unresolvable("The barcode names the signature algorithm \(header.algorithm), which is not known.")
    }
    return .fingerprintEnd(header.reference, certificate: certificate)
  }

  /// What the judge needs to know of the barcode, and what a report shows.
  package var content: SealContent {
    var content = SealContent()
    content.header = [SealField("identifier", identifier), SealField("country", country)]
    if let header { add(header, to: &content) }
    var decoded = DecodedMessages()
    for message in messages { decoded.add(message, IDBMessageKind(message.tag, country: country)) }
    decoded.finish(messages)
    content.documentName = decoded.documentName
    content.fields = decoded.fields
    content.zone = decoded.zone
    content.documentType = decoded.zone?.zone.documentCode
    content.passportNumber = decoded.passportNumber
    (content.validFrom, content.validUntil) = (decoded.validFrom, decoded.validUntil)
    content.problems += decoded.problems
    content.findings += Set(decoded.unknownTags).sorted().prefix(16).map {
      SealFinding(.unknownFeature, "The message \([$0].hexadecimal) is not known. It is signed with the others.")
    }
    return content
  }

  private func add(_ header: Header, to content: inout SealContent) {
    let date = MaskedDate(header.date)
    let algorithm = hash.map { "ECDSA with \($0.rawValue)" } ?? "\(header.algorithm)"
    content.header += [
      SealField("algorithm", algorithm), SealField("reference", header.reference.hexadecimal),
      SealField("signatureDate", date?.description ?? ""),
    ]
    content.signedOn = date?.day
    if date == nil { content.problems.append("The date of the signature is no day that exists.") }
    if let certificate, !isNamed(certificate) {
      content.findings.append(
        SealFinding(.layout, "The certificate in the barcode is not the one that the barcode names."))
    }
  }

  /// Whether the signed header names the certificate, which is not signed itself.
  private func isNamed(_ certificate: [UInt8]) -> Bool {
    guard let header, let digest = try? HashAlgorithm.sha1.digest(of: certificate) else { return false }
    return digest.suffix(header.reference.count).elementsEqual(header.reference)
  }
}

/// The messages of a barcode, decoded. One that cannot be decoded takes nothing from the others.
private struct DecodedMessages {
  var documentName = ""
  var fields: [SealField] = []
  var zone: SealZone?
  var passportNumber: String?
  var validFrom: SealDate?
  var validUntil: SealDate?
  /// Sentences, without content.
  var problems: [String] = []
  var unknownTags: [UInt8] = []
  private var zoneCount = 0

  mutating func add(_ message: VDSFeature, _ kind: IDBMessageKind?) {
    guard let kind else {
      unknownTags.append(message.tag)
      fields.append(SealField("unknown", "", tag: message.tag, raw: message.value))
      return
    }
    if documentName.isEmpty { documentName = kind.documentName }
    guard kind.lengths.contains(message.value.count) else { return addMalformed(message, kind.name) }
    switch kind.content {
    case .elements(let profile): addElements(message, kind.name, profile)
    case .travelAuthorization: addAuthorization(message, kind.name)
    case .value, .date, .germanDocument: addValue(message, kind.name, kind.content)
    }
  }

  /// What the messages together must be.
  mutating func finish(_ messages: [VDSFeature]) {
    if messages.isEmpty { problems.append("The barcode has no messages.") }
    if Set(messages.map(\.tag)).count != messages.count { problems.append("A message of the barcode occurs twice.") }
    if zoneCount > 1 { problems.append("The barcode has two machine readable zones.") }
  }

  private mutating func addMalformed(_ message: VDSFeature, _ name: String) {
    problems.append("The message \([message.tag].hexadecimal) is malformed.")
    fields.append(SealField(name, "", tag: message.tag, raw: message.value))
  }

  private mutating func addElements(_ message: VDSFeature, _ name: String, _ profile: VDSProfile) {
    guard let features = list(message) else { return addMalformed(message, name) }
    let content = VDSContent(features, profile)
    fields += content.fields
    if let zone = content.zone { add(zone) }
    passportNumber = passportNumber ?? content.passportNumber
    problems += content.problems
    unknownTags += content.unknownTags
  }

  private mutating func addAuthorization(_ message: VDSFeature, _ name: String) {
    guard let features = list(message) else { return addMalformed(message, name) }
    for feature in features {
      guard let element = IDBMessageKind.authorizationElements[feature.tag] else {
        unknownTags.append(feature.tag)
        fields.append(SealField("unknown", "", tag: feature.tag, raw: feature.value))
        continue
      }
      guard element.lengths.contains(feature.value.count) else {
        addMalformed(feature, element.name)
        continue
      }
      addValue(feature, element.name, element.content)
    }
    if Set(features.map(\.tag)).count != features.count { problems.append("An element of the barcode occurs twice.") }
  }

  /// nil if they do not fit, or are more than any document has.
  private func list(_ message: VDSFeature) -> [VDSFeature]? {
    guard let features = try? VDSFeature.list(message.value, .der), features.count <= 100 else { return nil }
    return features
  }

  private mutating func addValue(_ message: VDSFeature, _ name: String, _ content: IDBMessageKind.Content) {
    func field(_ text: String) -> SealField { SealField(name, text, tag: message.tag) }
    switch content {
    case .value(let value):
      switch value.decode(message.value) {
      case nil: addMalformed(message, name)
      case .raw?: fields.append(SealField(name, "", tag: message.tag, raw: message.value))
      case .text(let text)?: fields.append(field(text))
      case .zone(let zone)?:
        fields.append(field(zone.lines.joined(separator: "\n")))
        add(zone)
      }
    case .date:
      guard let date = MaskedDate(message.value) else { return addMalformed(message, name) }
      fields.append(field(date.description))
      if name == "validFrom" { validFrom = validFrom ?? date.day }
      if name == "validUntil" { validUntil = validUntil ?? date.day }
    case .germanDocument:
      let number = message.value.first ?? 0
      let known = IDBMessageKind.germanDocuments[number]
      fields.append(field(known.map { "\(number) (\($0))" } ?? "\(number)"))
      if let known { documentName = known }
    case .elements, .travelAuthorization: addMalformed(message, name)
    }
  }

  private mutating func add(_ zone: SealZone) {
    zoneCount += 1
    self.zone = self.zone ?? zone
  }
}

/// A day of which digits may be unknown (ICAO's datastructure for barcodes): a byte with a bit for each digit of MMDDYYYY, the
/// most significant one for the first digit, 1 for an unknown digit; then the big-endian number with the decimal digits, in
/// three bytes. An unknown digit is 0 there.
struct MaskedDate: Sendable, Equatable, CustomStringConvertible {
  /// `YYYY-MM-DD`, with `x` for each unknown digit.
  let description: String
  /// nil if a digit is unknown.
  let day: SealDate?

  /// - Parameter bytes: four bytes, or three of a date without a mask.
  /// - Returns: nil for any other number of bytes, and if the day does not exist. Of a day with unknown digits, only the
  ///   known ones must be those of a number of eight digits.
  init?(_ bytes: some Collection<UInt8>) {
    let hasMask = bytes.count == 4
    guard hasMask || bytes.count == 3 else { return nil }
    let mask = hasMask ? bytes.first ?? 0 : 0
    let number = bytes.suffix(3).reduce(0) { $0 << 8 | Int($1) }
    guard mask != 0 else {
      guard let day = SealDate(bytes: bytes.suffix(3)) else { return nil }
      (self.day, description) = (day, day.description)
      return
    }
    var digits: [Character] = []
    var rest = number
    for position in 0..<8 {
      let isUnknown = mask >> UInt8(position) & 1 == 1
      digits.insert(isUnknown ? "x" : Character(String(rest % 10)), at: 0)
      rest /= 10
    }
    day = nil
    description = String(digits[4...]) + "-" + String(digits[0..<2]) + "-" + String(digits[2..<4])
  }
}
