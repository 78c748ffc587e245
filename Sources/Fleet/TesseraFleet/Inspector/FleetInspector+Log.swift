internal import Logging

extension FleetInspector {
  /// Writes one line for a read with a verdict. It has nothing of the document.
  ///
  /// - Parameter roundTrips: the requests of the inspector to the desk, and the one that began the read; nil after a
  ///   witnessed read, whose requests are the desk's.
  func logEnd(of read: InspectedRead, _ mode: FleetReadingMode, _ verdict: VerdictMessage, roundTrips: Int? = nil) {
    var facts: Logger.Metadata = [
      "desk": "\(read.desk)", "read": "\(read.readID)", "mode": "\(mode.rawValue)",
      "outcome": "\(verdict.outcome.rawValue)", "recorded": "\(verdict.recorded)",
      "ms": "\(Int64((ContinuousClock.now - read.begin) / .milliseconds(1)))",
    ]
    if let roundTrips { facts["roundTrips"] = "\(roundTrips)" }
    logger.info("A read has ended.", metadata: facts)
  }
}
