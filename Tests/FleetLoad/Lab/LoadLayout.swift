import FleetLab
import FoundationEssentials
import TesseraCore
import TesseraFleet
import TesseraNATS

/// The files in the folder of a run.
struct LoadLayout {
  let folder: String

  /// The name of a desk, counted from 1.
  static func desk(_ number: Int) -> String { "d\(number)" }

  func journal(_ process: String) -> String { "\(folder)/\(process).jsonl" }

  /// The documents that all processes read: one that starts again has those that it had.
  var documents: String { "\(folder)/documents" }

  private var addressFile: String { "\(folder)/addresses" }

  /// Tells the processes with desks where the servers are.
  func write(addresses: [String]) throws {
    try Data(addresses.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: addressFile))
  }

  func addresses() throws -> [String] {
    let content = try Data(contentsOf: URL(fileURLWithPath: addressFile))
    return String(decoding: content, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func connect(_ desk: DeskName, _ addresses: [String]) async throws -> NATSConnection {
    let seeds = FleetServerFolder(path: LoadServers.fleetFolder(in: folder))
    return try await LoadServers.connect(desk.text, seed: seeds.deskSeed(desk.text), at: addresses)
  }
}
