import FleetLab
import TesseraFleet
import TesseraNATS
import TestSupport
import Testing

/// Three servers, three inspectors, desks of this process, and two processes with desks: one that is killed, and one on an
/// island, that is, behind lines that can be cut. The last inspector is there, too.
final class ChaosLab: Sendable {
  /// The numbers of the desks of this process.
  static let mainland = 1..<7
  private static let mortals = 7..<9
  static let islanders = 9..<11
  private static let inspectorNames = ["i1", "i2", "i3"]
  private static let remotePercent = 25

  private let collection: LoadCollection
  private let folder: TemporaryFolder
  private let ports: [ReservedPort]
  let servers: LoadServers
  /// The lines to the island, one for each server.
  let proxies: [DelayingProxy]
  let inspectors: [LoadProcess]
  /// The process with desks that is killed.
  let mortal: LoadProcess
  /// The process with desks on the island.
  let island: LoadProcess
  /// In front of the chips of the desks of this process.
  let gate = ReadGate()
  private let layout: LoadLayout
  private let progress: LoadProgress

  init(_ collection: LoadCollection) throws {
    self.collection = collection
    folder = try TemporaryFolder()
    let layout = LoadLayout(folder: folder.url.path)
    ports = try (0..<6).map { _ in try ReservedPort() }
    let numbers = ports.map { UInt16(clamping: $0.number) }
    let servers = try LoadServers(
      folder: layout.folder, ports: numbers, desks: (1..<Self.islanders.upperBound).map(LoadLayout.desk),
      inspectors: Self.inspectorNames)
    proxies = try stride(from: 0, to: numbers.count, by: 2).map { try DelayingProxy(to: numbers[$0], delay: .zero) }
    let lines = proxies.map { "nats://127.0.0.1:\($0.port)" }
    inspectors = Self.inspectorNames.map { name in
      LoadInspectors.process(name, servers, folder: layout.folder) { command in
        var command = command
        if name == Self.inspectorNames.last {
          command.arguments = command.arguments.map {
            $0 == servers.addresses.joined(separator: ",") ? lines.joined(separator: ",") : $0
          }
        }
        return command
      }
    }
    func desks(_ name: String, _ numbers: Range<Int>, _ addresses: [String]) -> LoadProcess {
      LoadDesks(
        layout, numbers: numbers, remotePercent: Self.remotePercent,
        profiles: LoadProfiles(collection.documents.map(\.profile))
      ).process(name, journal: name, reads: 0, at: addresses)
    }
    mortal = desks("mortal", Self.mortals, servers.addresses)
    island = desks("island", Self.islanders, lines)
    progress = LoadProgress(["mainland", mortal.name, island.name].map(layout.journal))
    self.layout = layout
    self.servers = servers
  }

  /// Starts everything; no desk reads yet.
  func start() async throws {
    for document in collection.documents { try document.save(in: layout.documents) }
    try await servers.start()
    try await LoadInspectors.prepare(servers, collection.trust, replicas: servers.processes.count)
    for process in inspectors + [mortal, island] { try await process.start() }
  }

  func stop() async {
    for process in [mortal, island] + inspectors { await process.kill() }
    await servers.stop()
    for proxy in proxies { proxy.stop() }
  }

  // MARK: - Reads

  /// Lets all desks read during `body`, and then end the reads that they have begun.
  func reading(_ body: () async throws -> Void) async throws {
    let plan = LoadPlan(collection.documents, remotePercent: Self.remotePercent)
    let journal = try LoadJournal(path: layout.journal("mainland"))
    var connections: [NATSConnection] = []
    var desks: [LoadDesk] = []
    for number in Self.mainland {
      let name = try #require(DeskName(LoadLayout.desk(number)))
      let connection = try await servers.connectDesk(name.text)
      connections.append(connection)
      desks.append(LoadDesk(FleetDesk(connection: connection, name: name), plan, journal) { self.gate.source(of: $0) })
    }
    try await withThrowingTaskGroup { group in
      for desk in desks { group.addTask { try await desk.run() } }
      for process in [mortal, island] { try process.begin(endless: true) }
      try await body()
      plan.end(after: 0)
      for process in [mortal, island] {
        try process.end()
        let run = try #require(await process.running?.finish(within: 900))
        #expect(run.status == 0, "\(process.name): \(run.errors)")
      }
      try await group.waitForAll()
    }
    for connection in connections { await connection.close() }
  }

  /// What all desks wrote down so far.
  func entries() throws -> [LoadEntry] {
    try ["mainland", mortal.name, island.name].flatMap { try LoadJournal.entries(path: layout.journal($0)) }
  }

  /// What the desks of this process wrote down so far.
  func entriesOfMainland() throws -> [LoadEntry] { try LoadJournal.entries(path: layout.journal("mainland")) }

  /// What the desks of a process wrote down so far.
  func entries(of process: LoadProcess) throws -> [LoadEntry] {
    try LoadJournal.entries(path: layout.journal(process.name))
  }

  // MARK: - Signs

  /// Waits until so many reads have ended.
  func awaitReads(_ count: Int) async throws { try await eventually { progress.ended >= count } }

  func awaitFurtherReads(_ count: Int) async throws { try await awaitReads(progress.ended + count) }

  func eventually(_ condition: () async throws -> Bool) async throws {
    try await TestSupport.eventually(within: .seconds(900), every: .milliseconds(50), condition)
  }
}
