/// What one more desk and one more inspector cost, from the differences between phases.
enum AddedCost {
  static func lines(_ rows: [PhaseRow]) -> [String] {
    let steady = rows.filter { $0.name == "steady" }
    guard let fewest = steady.min(by: { ($0.desks, -$0.inspectors) < ($1.desks, -$1.inspectors) }),
      let most = steady.max(by: { $0.desks < $1.desks }), most.desks > fewest.desks
    else { return [] }
    let added = most.desks - fewest.desks
    let (process, servers) = (
      most.idleMemory.desks - fewest.idleMemory.desks, most.idleMemory.servers - fewest.idleMemory.servers
    )
    var lines = [
      "an added desk: \(process / added) KB in its process of \(LoadLab.desksPerProcess) desks, "
        + "\(servers / added) KB in the servers together"
    ]
    let scale = steady.filter { $0.desks == fewest.desks }.sorted { $0.inspectors < $1.inspectors }
    lines.append(
      "inspectors and reads a second with \(fewest.desks) desks: "
        + scale.map { "\($0.inspectors): \(Decimal.text($0.rate))" }.joined(separator: ", "))
    return lines
  }
}
