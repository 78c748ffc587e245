/// The proof in hand for which a document is not genuine. Nothing else accuses a document: what was not read, not found, not
/// understood or is unusual leaves the question open.
public struct Proof: Sendable, Equatable, Codable {
  public enum Kind: String, Sendable, Codable {
    /// A file of a saved dump differs from what was saved.
    case dumpModified
    /// A data group that was read whole contradicts its digest in EF.SOD.
    case dataGroupDiffers
    /// The document has a data group that the signed list in EF.SOD lacks.
    case dataGroupNotSigned
    /// The content of EF.SOD contradicts the digest that its signer signed.
    case contentDiffers
    /// The signature of EF.SOD is wrong, in every encoding that RFC 5652 permits.
    case signatureWrong
    /// The certificate of the document signer names a known key of its country, and neither that key nor another known one
    /// of the country signed it.
    case issuerDidNotSign
    /// The certificate of the document signer is for another country or another type of document than DG1 states.
    case signerOfOtherDocuments
    /// The chip answered a proof that it is the original, and the answer is wrong.
    case chipAnswerWrong
  }

  public let kind: Kind
  /// The numbers of the groups of `dataGroupDiffers` and `dataGroupNotSigned`; nil for other kinds.
  public let dataGroups: [Int]?
  /// The check of `chipAnswerWrong`; nil for other kinds.
  public let check: Check.ID?

  init(_ kind: Kind, dataGroups: [Int]? = nil, check: Check.ID? = nil) {
    self.kind = kind
    self.dataGroups = dataGroups
    self.check = check
  }

  /// The reason that the first line of a report gives.
  var reason: OutcomeReason {
    switch kind {
    case .dumpModified: .dumpModified
    case .dataGroupDiffers, .dataGroupNotSigned, .contentDiffers, .signatureWrong: .data
    case .issuerDidNotSign, .signerOfOtherDocuments: .documentSigner
    case .chipAnswerWrong: .chip
    }
  }
}

extension Proof: CustomStringConvertible {
  /// The kind, and in parentheses the data groups or the check.
  public var description: String {
    let places = (dataGroups ?? []).map { "DG\($0)" } + (check.map { [$0.rawValue] } ?? [])
    return places.isEmpty ? kind.rawValue : "\(kind.rawValue) (\(places.joined(separator: ", ")))"
  }
}
