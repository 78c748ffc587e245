/// The result of importing one file.
public struct TrustImportSummary: Sendable {
  /// A certificate, a revocation list or a list that was not accepted.
  public struct Refusal: Sendable, Equatable {
    public let subject: String
    public let reason: String
  }

  /// The name of the file, or its address.
  public let source: String
  /// The subject of the certificate that signed the list; nil for a file that nobody signed.
  public internal(set) var signer: String?
  /// The number of certificates of country signers in the file.
  public internal(set) var certificates = 0
  /// How many of them are signed with their own key.
  public internal(set) var selfSigned = 0
  /// How many are verified by another certificate.
  public internal(set) var linked = 0
  /// How many are accepted although their issuer is not known.
  public internal(set) var endorsed = 0
  /// How many are not accepted.
  public internal(set) var refused = 0
  /// Everything that was not accepted, of all kinds.
  public internal(set) var refusals: [Refusal] = []
  public internal(set) var documentSigners = 0
  public internal(set) var revocationLists = 0
  /// How many were not imported, since a newer one of the same issuer is.
  public internal(set) var outdatedRevocationLists = 0
  public internal(set) var deviationLists = 0
  /// The country signers that were not stored before, and those that the file replaces.
  public internal(set) var added: [CountrySigner] = []
  public internal(set) var removed: [CountrySigner] = []
  var countryNames: Set<String> = []
  /// The certificates that their stated issuers, which became known, did not sign.
  var displaced: [CountrySigner] = []
  /// The lists that were accepted.
  var lists: [CertificateSource] = []
  /// The reason why the first list was not accepted.
  var firstError: (any Error)?

  init(source: String) { self.source = source }

  /// The number of countries of the accepted country signers.
  public var countries: Int { countryNames.count }

  /// The number of everything that was accepted.
  var accepted: Int {
    selfSigned + linked + endorsed + documentSigners + revocationLists + outdatedRevocationLists + deviationLists
  }

  mutating func refuse(_ subject: String, _ reason: String) {
    refusals.append(Refusal(subject: subject, reason: reason))
    firstError = firstError ?? TrustError.refused(subject: subject, reason: reason)
  }

  /// Notes a certificate of a country signer that was not accepted.
  mutating func refuseSigner(_ subject: String, _ reason: String) {
    refused += 1
    refuse(subject, reason)
  }

  /// Notes a list that was not accepted.
  mutating func note(_ error: any Error, of subject: String) {
    refusals.append(Refusal(subject: subject, reason: (error as? TrustError)?.reason ?? "It is malformed."))
    firstError = firstError ?? error
  }

  /// Notes what this file added, and what it replaced.
  mutating func compare(_ before: TrustMaterial, _ after: TrustMaterial) {
    added = after.countrySigners.filter { signer in
      before.countrySigner(fingerprint: signer.fingerprint) == nil && signer.sources.contains { $0.name == source }
    }
    removed = before.countrySigners.filter { entry in
      after.countrySigner(fingerprint: entry.fingerprint) == nil
        && (displaced.contains(entry)
          || entry.sources.contains { source in lists.contains { $0.isOfSameSigner(as: source) } })
    }
  }
}
