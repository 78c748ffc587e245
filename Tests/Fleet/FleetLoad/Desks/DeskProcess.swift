import FleetLab
import FoundationEssentials
import Glibc
import TesseraCore
import TesseraFleet
import TesseraNATS
import TesseraThreads

/// A process with several desks, each with the connection and the key of its own account.
///
/// It says `ready` once all desks are connected, begins with the next line of its standard input, ends after its number
/// of reads and a further line, and says `done` with the processor time of its reads in milliseconds.
struct DeskProcess {
  private let layout: LoadLayout
  private let process: String
  private let desks: Range<Int>
  private let reads: Int
  private let remotePercent: Int
  private let profiles: LoadProfiles
  private let addresses: [String]

  init(_ arguments: LoadArguments) throws {
    layout = LoadLayout(folder: try arguments.text(0, "FOLDER"))
    process = try arguments.text(1, "PROCESS")
    let first = try arguments.number(2, "FIRST")
    desks = first..<(first + (try arguments.number(3, "COUNT")))
    reads = try arguments.number(4, "READS")
    remotePercent = try arguments.number(5, "REMOTE-PERCENT")
    guard let profiles = LoadProfiles(argument: try arguments.text(6, "PROFILES")) else {
      throw Failure(.usage, "PROFILES must be all, quick, or names of profiles.")
    }
    self.profiles = profiles
    let addresses = arguments.texts(from: 7)
    self.addresses = addresses.isEmpty ? try layout.addresses() : addresses
  }

  func run() async throws {
    let documents = try profiles.profiles.map { try LoadDocument($0, in: layout.documents) }
    let path = layout.journal(process)
    let plan = LoadPlan(
      documents, offset: desks.lowerBound, remotePercent: remotePercent,
      after: try LoadJournal.entries(path: path))
    let journal = try LoadJournal(path: path)
    var loads: [LoadDesk] = []
    var connections: [NATSConnection] = []
    for number in desks {
      guard let name = DeskName(LoadLayout.desk(number)) else { throw Failure(.usage, "FIRST is too large.") }
      let connection = try await layout.connect(name, addresses)
      connections.append(connection)
      loads.append(LoadDesk(FleetDesk(connection: connection, name: name), plan, journal))
    }
    Console.say("ready")
    guard readLine() != nil else { return }
    DetachedThread.start(name: "end") { [reads] in
      guard readLine() != nil else { exit(1) }
      plan.end(after: reads)
    }
    let begin = Self.processorTime
    try await withThrowingTaskGroup { group in
      for load in loads { group.addTask { try await load.run() } }
      try await group.waitForAll()
    }
    Console.say("done \(Self.processorTime - begin)")
    for connection in connections { await connection.close() }
  }

  /// Of this process so far, in milliseconds.
  private static var processorTime: Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
