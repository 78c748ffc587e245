import BenchmarkPage
import Foundation

/// The rows of the article Benchmarks: which measurement each shows, and what other programs needed.
///
/// The figures of the peers are those of the project's comparison, as they were recorded. A run does not repeat them.
enum PageTables {
  private struct Entry {
    let work: String
    /// The name of the measurement.
    let measurement: String
    let unit: BenchmarkUnit
    let peers: [PeerFigure]

    init(_ work: String, _ measurement: String, _ unit: BenchmarkUnit, _ peers: [(name: String, figure: String)] = []) {
      self.work = work
      self.measurement = measurement
      self.unit = unit
      self.peers = peers.map { PeerFigure($0.name, $0.figure) }
    }
  }

  private static let originOfPeers = """
    The peers' figures were recorded in November 2026 or before, on one machine with 2 cores, with a document of \
    20,835 bytes and independent software chips. This run did not repeat them.
    """

  static func report(_ measurements: [Measurement]) -> BenchmarkReport {
    BenchmarkReport(
      day: Date().formatted(.iso8601.year().month().day()), machine: .current, originOfPeers: originOfPeers,
      tables: [
        table("Exchanges", exchanges, measurements), table("Processor time of the host", computing, measurements),
        table("The whole process", process, measurements), table("Bridge and service", service, measurements),
      ])
  }

  /// The names of the measurements that rows show and that were not made.
  static func missing(in measurements: [Measurement]) -> [String] {
    let made = Set(measurements.map(\.name))
    return (exchanges + computing + process + service).map(\.measurement).filter { !made.contains($0) }
  }

  private static func table(_ title: String, _ entries: [Entry], _ measurements: [Measurement]) -> BenchmarkTable {
    BenchmarkTable(
      title,
      entries.map { entry in
        let measured = measurements.first { $0.name == entry.measurement }
        return BenchmarkRow(
          entry.work, measured?.unit ?? entry.unit, peers: entry.peers, floor: measured?.floor,
          floorName: measured?.floorName, ours: measured?.value)
      })
  }

  // MARK: - Rows

  /// For EF.COM, EF.SOD, DG1 and DG2.
  private static let exchanges = [
    Entry("BAC, short APDUs", "exchanges, BAC, short APDUs", .exchanges, [("JMRTD", "106")]),
    Entry("PACE, short APDUs", "exchanges, PACE, short APDUs", .exchanges, [("JMRTD", "112")]),
    Entry(
      "PACE, extended, chip answers at most 4 KB", "exchanges, PACE, extended, chip answers at most 4 KB", .exchanges,
      [("JMRTD with short file identifiers", "21")]),
    Entry(
      "PACE, extended, chip answers whole files", "exchanges, PACE, extended, chip answers whole files", .exchanges),
  ]

  private static let computing = [
    Entry(
      "BAC and read of 20.8 KB", "BAC and read, computing", .milliseconds,
      [("gmrtd", "4.1 to 7.1"), ("JMRTD warm", "7.1 to 18")]),
    Entry(
      "PACE P-256 and read", "PACE secp256r1 and read, computing", .milliseconds,
      [("gmrtd", "3.5 to 4.6"), ("JMRTD warm", "9.9 to 39")]),
    Entry(
      "PACE brainpoolP256r1 and read", "PACE brainpoolP256r1 and read, computing", .milliseconds,
      [("gmrtd", "9.5 to 11.7"), ("JMRTD warm", "19.6 to 39")]),
    Entry(
      "secure messaging, 20 KB in blocks of 223 bytes, 3DES", "secure messaging, 20 KB in blocks of 223 bytes, 3DES",
      .milliseconds, [("gmrtd", "1.43"), ("JMRTD warm", "2.38")]),
    Entry(
      "the same, AES-128", "secure messaging, 20 KB in blocks of 223 bytes, AES-128", .milliseconds,
      [("gmrtd", "0.50"), ("JMRTD warm", "0.75")]),
    Entry(
      "passive authentication, ECDSA", "passive authentication, ECDSA", .milliseconds,
      [("gmrtd", "0.61"), ("JMRTD warm", "0.53")]),
    Entry("passive authentication, RSA", "passive authentication, RSA", .milliseconds, [("gmrtd", "0.28")]),
    Entry(
      "German master list, 588 certificates: parse and list signature", "master list: parse and list signature",
      .milliseconds, [("gmrtd", "14.5")]),
    Entry(
      "every certificate of it against its issuer", "master list: every certificate against its issuer, computing",
      .milliseconds, [("gmrtd", "530, 477 accepted")]),
  ]

  /// The measurements of the script `program`.
  private static let process = [
    Entry(
      "processor time of a BAC read over PC/SC", "read over PC/SC by BAC, short commands, processor time",
      .milliseconds, [("gmrtd bare", "18 to 20"), ("its program", "51 to 76")]),
    Entry(
      "the same, PACE, extended, whole files", "read over PC/SC by PACE, whole files, processor time", .milliseconds,
      [("gmrtd bare", "7.3")]),
    Entry(
      // The peers' access protocol was not recorded.
      "peak resident memory of a read, Tessera by BAC", "read over PC/SC by BAC, short commands, peak memory",
      .mebibytes, [("gmrtd bare", "10.7 MB"), ("its program", "20 MB")]),
    Entry("--help, elapsed", "--help, elapsed", .milliseconds, [("gmrtd", "3.3")]),
    Entry("stripped program", "stripped program", .mebibytes),
    Entry("idle service, resident memory", "idle service, resident memory", .mebibytes),
  ]

  private static let service = [
    entryOfService(clients: 1, inFlight: 1), entryOfService(clients: 100, inFlight: 1),
    entryOfService(clients: 20, inFlight: 16),
    Entry(
      "20 clients with 16 requests under way, 99 % of the waits are shorter",
      "service, 20 clients with 16 requests under way, elapsed, 99 %", .milliseconds),
    Entry("sign, file store", "sign, file store", .perSecond),
    Entry("sign, bridge's provider over it", "sign, bridge's provider over it", .perSecond),
  ]

  private static func entryOfService(clients: Int, inFlight: Int) -> Entry {
    let name = ServiceThroughput.name(clients: clients, inFlight: inFlight)
    return Entry("requests over the Unix socket, \(name)", "service, \(name)", .perSecond)
  }
}
