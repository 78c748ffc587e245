import TesseraCryptography
import TesseraPassport

/// What the country of a document lists as wrong with it (Doc 9303-3, 7). No check passes because of it: the list only
/// explains why one failed, or warns of a key.
struct DeviationFindings {
  let findings: [Report.Finding]

  /// A finding is read by the user; a hostile list could name a thousand deviations.
  private static let maximumSentences = 8

  init(_ dump: DocumentDump, _ zone: MachineReadableZone?, _ checks: [Check], _ trust: TrustMaterial) {
    guard let zone, !trust.deviationLists.isEmpty, let signer = Self.signer(dump, trust),
      let country = signer.issuerName.country ?? signer.country,
      let list = trust.deviationLists.first(where: { $0.list.country == country })?.list
    else {
      findings = []
      return
    }
    let day = Self.dayOfIssue(dump)
    let descriptions = list.deviations
      .filter { $0.documents.contain(zone, signer: signer, issued: day) }
      .flatMap(\.descriptions)
    let isDecisive = Self.dependsOnActiveAuthentication(dump, checks)
    let warnings = descriptions.filter { isDecisive && $0.type == .activeAuthenticationKeyCompromised }
    let explanations = descriptions.filter { !warnings.contains($0) }
    findings = [(Report.Finding.ID.deviationListed, explanations), (.deviationKeyCompromised, warnings)]
      .filter { !$0.1.isEmpty }
      .map { Report.Finding(id: $0, detail: "\(country) lists known deviations of this document. \(Self.text($1))") }
  }

  /// The document signer that EF.SOD names, whether its signature is valid or not: that may be the deviation.
  private static func signer(_ dump: DocumentDump, _ trust: TrustMaterial) -> Certificate? {
    guard let signedData = (try? dump.securityObject())?.signedData, let info = signedData.signers.first else {
      return nil
    }
    let published = signedData.hasCertificates ? [] : trust.documentSigners.map(\.certificate)
    // The certificate that verifies the signature: whoever changes a document may put others before it.
    if let signer = try? signedData.verify(info, among: published, key: trust.keys.key).get() { return signer }
    return signedData.certificates(of: info, among: published).first ?? signedData.certificates.first
  }

  /// The date of issue in DG12, `YYYYMMDD`; nil if the document does not state it completely.
  private static func dayOfIssue(_ dump: DocumentDump) -> String? {
    guard let date = (try? dump.content.dataGroup12?.get())?.dateOfIssue, date.isDate else { return nil }
    let day = String(date.text.prefix(8))
    return day.utf8.allSatisfy { (0x30...0x39).contains($0) } ? day : nil
  }

  /// Whether the chip has a key of Active Authentication, and proved by no other that it is the original.
  private static func dependsOnActiveAuthentication(_ dump: DocumentDump, _ checks: [Check]) -> Bool {
    let others: [Check.ID] = [.chipAuthentication, .paceChipAuthentication]
    return dump.credential == nil && (dump.content.statedDataGroups.contains(15) || dump.dataGroups[15] != nil)
      && !checks.contains { others.contains($0.id) && $0.status == .passed }
  }

  private static func text(_ descriptions: [Deviation.Description]) -> String {
    var sentences: [String] = []
    for description in descriptions where sentences.count < maximumSentences {
      let sentence = description.sentence
      if !sentences.contains(sentence) { sentences.append(sentence) }
    }
    return sentences.joined(separator: " ")
  }
}

extension Deviation.Description {
  /// For example `EF.SOD has the wrong digest of a data group (DG2: "Batch of May").`
  fileprivate var sentence: String {
    let details = [file, text.map { "\"\($0)\"" }].compactMap { $0 }.joined(separator: ": ")
    return details.isEmpty ? type.sentence : "\(type.sentence.dropLast()) (\(details))."
  }
}
