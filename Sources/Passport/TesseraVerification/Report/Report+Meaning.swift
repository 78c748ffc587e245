extension Report {
  /// What the result proves and what it does not, in one or two sentences. The page, the text and the JSON have it
  /// beside `headline`.
  public var meaning: String {
    let clause = outcomeReason?.clause ?? ""
    switch outcome {
    case .genuine:
      let signer = chain.last.map(\.country) ?? ""
      let country = authority ?? (signer.isEmpty ? "the issuing country" : "the country signer of \(signer)")
      let data = "The data are complete, unchanged and signed by \(country)"
      return isOriginal
        ? "\(data), and the chip is the original."
        : "\(data). The document offers no proof that its chip is the original."
    case .notGenuine: return "A proof of authenticity failed: \(clause)."
    case .notEstablished:
      return isSound
        ? "Nothing speaks against the document, but it is not proved to be genuine, since \(clause)."
        : "The document is not proved to be genuine, since \(clause)."
    }
  }

  private var isOriginal: Bool {
    [.chipAuthentication, .activeAuthentication, .paceChipAuthentication].contains { self[$0]?.status == .passed }
  }

  private enum SentenceKeys: CodingKey { case headline, meaning }

  /// Encodes the report with its sentences, which a decoder derives from the rest again.
  package func encodeWithSentences(to encoder: any Encoder) throws {
    try encode(to: encoder)
    var values = encoder.container(keyedBy: SentenceKeys.self)
    try values.encode(headline, forKey: .headline)
    try values.encode(meaning, forKey: .meaning)
  }

  /// The form of `encodeWithSentences`.
  struct WithSentences: Encodable {
    let report: Report

    func encode(to encoder: any Encoder) throws { try report.encodeWithSentences(to: encoder) }
  }
}
