import FoundationEssentials
package import Tessera
internal import TesseraThreads

/// The dates of the user's store, read again after each change.
package final class ImportedDates: Sendable {
  private struct State {
    var identity: TrustStore.Identity?
    var dates: TrustDates?
  }
  private let store = TrustStore()
  private let state = Locked(State())
  private let work = BlockingWork(name: "certificates")

  package init() {}

  /// - Returns: nil if the store cannot be read, which the next scan says.
  package func current() async -> TrustDates? {
    try? await work.run { [self] in
      // Before the content: a change that comes between both is found at the next call.
      let identity = try store.identity()
      if let known = state.withLock({ $0.identity == identity ? $0.dates : nil }) { return known }
      let dates = try store.dates()
      state.withLock { $0 = State(identity: identity, dates: dates) }
      return dates
    }
  }
}

extension TrustDates {
  /// The figures of what is known of countries, as an operator's alarms need them. Ages are in seconds.
  ///
  /// - Parameter dates: nil if they are not known.
  package static func gauges(_ dates: TrustDates?) -> [(name: String, value: Double)] {
    let now = Date()
    func age(_ time: Date?) -> Double { time.map { now.timeIntervalSince($0).rounded(.down) } ?? .nan }
    func count(_ number: Int?) -> Double { number.map { Double($0) } ?? .nan }
    return [
      ("tessera_country_certificates", count(dates?.countrySigners)),
      ("tessera_country_certificates_age_seconds", age(dates?.newestCertificates)),
      ("tessera_revocation_lists", count(dates?.revocationLists)),
      ("tessera_revocation_lists_age_seconds", age(dates?.oldestRevocationList)),
      ("tessera_revocation_lists_overdue", count(dates?.overdueRevocationLists(at: now))),
    ]
  }
}
