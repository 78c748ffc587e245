import FleetLab
import TesseraFleet

/// The same reads without a fleet, one after another in this process.
enum LocalFloor {
  /// Prints what a read costs here, and returns the right result of each profile.
  static func measure(_ collection: LoadCollection) async throws -> [String: [FleetReadingMode: LoadResult]] {
    let results = try await collection.localResults()
    let quick = Set(LoadProfiles.quick.profiles.map(\.name))
    var times: [Double] = []
    for document in collection.documents where quick.contains(document.profile.name) {
      let begin = ContinuousClock.now
      _ = try await collection.localResults(of: document)
      times.append((.now - begin) / .milliseconds(1))
    }
    let mean = times.reduce(0, +) / Double(max(1, times.count))
    Console.say(
      "floor: \(times.count) profiles read locally, one after another: \(Decimal.text(mean)) ms each, "
        + "p50/p90/p99/max \(Latencies(times).text) ms")
    let counts = Dictionary(grouping: results.values.compactMap { $0[.witnessed] }) {
      $0.outcome?.rawValue ?? "unreadable"
    }.mapValues(\.count)
    Console.say(
      "right results of witnessed reads: "
        + counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    return results
  }
}
