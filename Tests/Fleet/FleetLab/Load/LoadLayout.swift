internal import FoundationEssentials
package import TesseraFleet
package import TesseraNATS

/// The files in the folder of a run.
package struct LoadLayout: Sendable {
  package let folder: String

  package init(folder: String) { self.folder = folder }

  /// The name of a desk, counted from 1.
  package static func desk(_ number: Int) -> String { "d\(number)" }

  package func journal(_ process: String) -> String { "\(folder)/\(process).jsonl" }

  /// The documents that all processes read: one that starts again has those that it had.
  package var documents: String { "\(folder)/documents" }

  private var addressFile: String { "\(folder)/addresses" }

  /// Tells the processes with desks where the servers are.
  package func write(addresses: [String]) throws {
    try Data(addresses.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: addressFile))
  }

  package func addresses() throws -> [String] {
    let content = try Data(contentsOf: URL(fileURLWithPath: addressFile))
    return String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  package func connect(_ desk: DeskName, _ addresses: [String]) async throws -> NATSConnection {
    let seeds = FleetServerFolder(path: LoadServers.fleetFolder(in: folder))
    return try await LoadServers.connect(desk.text, seed: seeds.deskSeed(desk.text), at: addresses)
  }
}
