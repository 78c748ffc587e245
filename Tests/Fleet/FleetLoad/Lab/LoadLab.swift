import FleetLab
import FoundationEssentials
import TesseraCore
import TesseraFleet
import TesseraNATS
import TesseraThreads
import TestSupport

/// A fleet on this machine: three servers, inspectors, and processes with desks.
final class LoadLab: Sendable {
  static let desksPerProcess = 50

  let layout: LoadLayout
  let servers: LoadServers
  let inspectors: [LoadProcess]
  let island: NetworkIsland
  let collection: LoadCollection
  let samples: ProcessSamples
  private let deskProcesses: Locked<[LoadProcess]>

  /// Prepares everything and starts the servers and the first inspector.
  static func start(_ layout: LoadLayout, desks: Int, inspectors: Int) async throws -> LoadLab {
    let island = try await NetworkIsland()
    let lab: LoadLab
    do {
      lab = try LoadLab(layout, island, desks: desks, inspectors: inspectors)
    } catch {
      await island.stop()
      throw error
    }
    do {
      try await lab.prepare()
    } catch {
      await lab.stop()
      throw error
    }
    return lab
  }

  private init(_ layout: LoadLayout, _ island: NetworkIsland, desks: Int, inspectors: Int) throws {
    self.layout = layout
    self.island = island
    let inspectorNames = (1...inspectors).map { "i\($0)" }
    let servers = try LoadServers(
      folder: layout.folder, host: NetworkIsland.serverAddress, ports: [4222, 6222, 4223, 6223, 4224, 6224],
      desks: (1...desks).map(LoadLayout.desk), inspectors: inspectorNames)
    self.servers = servers
    // The last inspector is on the island.
    let processes = inspectorNames.map {
      LoadInspectors.process(
        $0, servers, folder: layout.folder, wrap: $0 == inspectorNames.last ? island.command : { $0 })
    }
    self.inspectors = processes
    collection = try LoadCollection()
    let deskProcesses = Locked<[LoadProcess]>([])
    self.deskProcesses = deskProcesses
    samples = ProcessSamples { servers.processes + processes + deskProcesses.withLock { $0 } }
  }

  private func prepare() async throws {
    try layout.write(addresses: servers.addresses)
    for document in collection.documents { try document.save(in: layout.documents) }
    try await servers.start()
    try await LoadInspectors.prepare(servers, collection.trust, replicas: servers.processes.count)
  }

  /// Ends every process, by its identifier.
  func stop() async {
    for process in deskProcesses.withLock({ $0 }) + inspectors { await process.kill() }
    await servers.stop()
    await island.stop()
  }

  // MARK: - Desks

  /// Starts processes with desks and waits until all are connected.
  ///
  /// - Parameter onIsland: the number of processes, the last ones, on the island.
  func startDesks(
    _ phase: String, desks: Int, reads: Int, remotePercent: Int, profiles: LoadProfiles, onIsland: Int = 0
  ) async throws -> [LoadProcess] {
    let count = max(1, desks / Self.desksPerProcess)
    let processes = (0..<count).map { number in
      let (name, first) = ("p\(number + 1)", number * Self.desksPerProcess + 1)
      return LoadDesks(
        layout, numbers: first..<(first + desks / count), remotePercent: remotePercent, profiles: profiles
      ).process(
        name, journal: "\(phase)-\(name)", reads: reads / count,
        wrap: number >= count - onIsland ? island.command : { $0 })
    }
    deskProcesses.withLock { $0 = processes }
    try await withThrowingTaskGroup { group in
      for process in processes { group.addTask { try await process.start() } }
      try await group.waitForAll()
    }
    return processes
  }

  /// The journals of a phase.
  func journals(_ phase: String, _ processes: [LoadProcess]) -> [String] {
    processes.map { layout.journal("\(phase)-\($0.name)") }
  }

  func entries(_ phase: String, _ processes: [LoadProcess]) throws -> [LoadEntry] {
    try journals(phase, processes).flatMap(LoadJournal.entries)
  }
}
