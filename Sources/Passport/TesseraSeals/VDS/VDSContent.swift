import TesseraPassport

/// The decoded elements of a seal, and what is wrong with them.
///
/// An element that cannot be decoded takes nothing from the others: a wrong signature, or another printed zone, is stated
/// all the same.
package struct VDSContent: Sendable, Equatable {
  package private(set) var fields: [SealField] = []
  package private(set) var zone: SealZone?
  package private(set) var passportNumber: String?
  /// Sentences, without content.
  package private(set) var problems: [String] = []
  package private(set) var unknownTags: [UInt8] = []

  /// - Parameter profile: nil for a kind of document that is not known. Then all elements are fields of bytes.
  package init(_ features: [VDSFeature], _ profile: VDSProfile?) {
    var seen: Set<UInt8> = []
    var repeated: Set<UInt8> = []
    for feature in features {
      if !seen.insert(feature.tag).inserted { repeated.insert(feature.tag) }
      add(feature, profile)
    }
    problems += repeated.sorted().map { "The element \([$0].hexadecimal) occurs twice." }
    guard let profile else { return }
    for feature in profile.features where feature.isMandatory && !seen.contains(feature.tag) {
      problems.append("The mandatory element \([feature.tag].hexadecimal) is missing.")
    }
    let zones = profile.features.filter { if case .zone = $0.value { true } else { false } }
    if profile.needsZone, !zones.contains(where: { seen.contains($0.tag) }) {
      problems.append("The seal has no machine readable zone.")
    }
    if zones.count(where: { seen.contains($0.tag) }) > 1 {
      problems.append("The seal has two machine readable zones.")
    }
  }

  private mutating func add(_ feature: VDSFeature, _ profile: VDSProfile?) {
    guard let known = profile?[feature.tag] else { return addUnknown(feature, profile) }
    guard known.lengths.contains(feature.value.count), let decoded = known.value.decode(feature.value) else {
      problems.append("The element \([feature.tag].hexadecimal) is malformed.")
      fields.append(SealField(known.name, "", tag: feature.tag, raw: feature.value))
      return
    }
    switch decoded {
    case .raw: fields.append(SealField(known.name, "", tag: feature.tag, raw: feature.value))
    case .text(let text):
      if known.value == .passportNumber { passportNumber = passportNumber ?? text }
      fields.append(SealField(known.name, text, tag: feature.tag))
    case .zone(let zone):
      self.zone = self.zone ?? zone
      fields.append(SealField(known.name, zone.lines.joined(separator: "\n"), tag: feature.tag))
    }
  }

  private mutating func addUnknown(_ feature: VDSFeature, _ profile: VDSProfile?) {
    guard let profile, profile.isOpen else {
      if profile != nil { unknownTags.append(feature.tag) }
      fields.append(SealField("unknown", "", tag: feature.tag, raw: feature.value))
      return
    }
    let text = String(validating: feature.value, as: UTF8.self)
    fields.append(SealField("content", text ?? "", tag: feature.tag, raw: text == nil ? feature.value : nil))
  }
}

extension VisibleDigitalSeal {
  /// nil if the kind of document is not known.
  package var profile: VDSProfile? { VDSProfile(definition: header.definition, category: header.category) }

  /// What the judge needs to know of the seal, and what a report shows.
  package var content: SealContent {
    let profile = profile
    let elements = VDSContent(features, profile)
    var content = SealContent()
    content.documentName = profile?.name ?? ""
    content.header = header.fields
    content.fields = elements.fields
    content.zone = elements.zone
    content.documentType = elements.zone?.zone.documentCode
    content.passportNumber = elements.passportNumber
    content.signedOn = header.signatureDate
    content.problems = header.problems + elements.problems
    content.findings =
      (deviation.map { [SealFinding(.layout, $0)] } ?? [])
      + Set(elements.unknownTags).sorted().prefix(16).map {
        SealFinding(.unknownFeature, "The element \([$0].hexadecimal) is not known. It is signed with the others.")
      }
    // National signers may have a purpose of their country: that of the German arrival attestation (BSI TR-03137-1).
    if header.category.isMultiple(of: 2), header.country == "D" {
      content.nationalPurposes = ["0.4.0.127.0.7.3.5.1.1"]
    }
    return content
  }
}

extension VisibleDigitalSeal.Header {
  fileprivate var fields: [SealField] {
    [
      SealField("version", "\(version)"), SealField("country", country),
      SealField("signer", signerCountry + signerName), SealField("reference", reference),
      SealField("issueDate", issueDate?.description ?? ""),
      SealField("signatureDate", signatureDate?.description ?? ""),
      SealField("definition", [definition].hexadecimal), SealField("category", [category].hexadecimal),
    ]
  }

  fileprivate var problems: [String] {
    (Self.isCountry(country) ? [] : ["The issuing country is no code of one to three letters."])
      + (issueDate == nil ? ["The date of issue is no day that exists."] : [])
      + (signatureDate == nil ? ["The date of the signature is no day that exists."] : [])
  }

  private static func isCountry(_ code: String) -> Bool {
    (1...3).contains(code.utf8.count) && code.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
