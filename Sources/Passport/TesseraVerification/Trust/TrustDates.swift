import TesseraCore
import TesseraCryptography

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The dates of what is known of countries: how old it is, and which clock cannot be right.
package struct TrustDates: Sendable, Equatable {
  /// The number of certificates of country signers.
  package private(set) var countrySigners = 0
  /// When the newest list of certificates was signed, or the newest file that nobody signed was imported; nil without
  /// certificates.
  package private(set) var newestCertificates: Date?
  package private(set) var revocationLists = 0
  /// `thisUpdate` of the oldest revocation list; nil without any.
  package private(set) var oldestRevocationList: Date?
  /// When the next list of each revocation list is due, of those that say so.
  package private(set) var nextUpdates: [Date] = []
  /// What was signed last of all lists, as their signers state; nil if none does.
  package private(set) var newestSignature: PassedTime?

  init() {}

  package init(_ material: TrustMaterial) {
    for signer in material.countrySigners { addCountrySigner(signer.sources) }
    for entry in material.revocationLists { add(entry.list, entry.sources) }
    for entry in material.deviationLists { addDeviationList(entry.sources) }
  }

  /// How many revocation lists are stale: their next list was due.
  package func overdueRevocationLists(at now: Date) -> Int { nextUpdates.count { $0 < now } }

  mutating func addCountrySigner(_ sources: [CertificateSource]) {
    countrySigners += 1
    for source in sources {
      let time = source.signedAt ?? source.importedAt
      newestCertificates = newestCertificates.map { max($0, time) } ?? time
      if let signedAt = source.signedAt, source.signer != nil {
        learn(signedAt, source) { "a list of certificates, \(source.name)," }
      }
    }
  }

  mutating func add(_ list: RevocationList, _ sources: [CertificateSource] = []) {
    revocationLists += 1
    oldestRevocationList = oldestRevocationList.map { min($0, list.thisUpdate) } ?? list.thisUpdate
    if let next = list.nextUpdate { nextUpdates.append(next) }
    learn(list.thisUpdate, sources.first) { "the revocation list of \(list.issuer)" }
  }

  mutating func addDeviationList(_ sources: [CertificateSource]) {
    for source in sources {
      if let signedAt = source.signedAt { learn(signedAt, source) { "a deviation list, \(source.name)," } }
    }
  }

  private mutating func learn(_ time: Date, _ source: CertificateSource?, _ thing: () -> String) {
    let begin = time.addingTimeInterval(-PassedTime.tolerance)
    guard newestSignature.map({ $0.date < begin }) ?? true else { return }
    newestSignature = PassedTime(date: begin, thing: PrintableText.of(thing()), time: time, source: source?.name)
  }
}

extension TrustStore {
  /// The dates of everything that is stored. Does not decode the certificates, of which there may be very many.
  ///
  /// - Throws: as `load`.
  package func dates() throws -> TrustDates { try read(TrustFile.dates) ?? TrustDates() }
}
