internal import TesseraThreads

extension GuestBook {
  /// The figures of this moment; not a number if the folder of the results cannot be read.
  package func gauges() async -> [(name: String, value: Double)] {
    var gauges: [(name: String, value: Double)] = []
    if settings.destination != nil { gauges.append(("tessera_results_not_stored", Double(open.withLock(\.count)))) }
    if let outbox {
      let counts = try? await BlockingWork(name: "kiosk-outbox").run { try outbox.counts() }
      gauges.append(("tessera_results_waiting", counts.map { Double($0.own) } ?? .nan))
      gauges.append(("tessera_results_for_other_addresses", counts.map { Double($0.others) } ?? .nan))
    }
    if let clock = settings.clock { gauges.append(("tessera_clock_right", clock.isRight() ? 1 : 0)) }
    return gauges
  }
}
