import FleetLab
import TesseraCore
import TesseraFleet
import TesseraPassport
import TesseraVerification
import TesseraVirtualChip

/// Reads over a line between desk and inspector on which a round trip takes 50 ms: in batches, with one command in each
/// round trip, and locally. All use short commands.
struct DelayMeasurement {
  private static let delay = Duration.milliseconds(50)
  private static let repetitions = 5

  private let folder: String

  init(_ arguments: LoadArguments) throws { folder = try arguments.text(0, "FOLDER") }

  /// - Returns: whether the reads in batches are as fast as they must be.
  func run() async throws -> Bool {
    let port: UInt16 = 4300
    let servers = try LoadServers(folder: folder, ports: [port, port + 1], desks: ["d1"], inspectors: ["i1", "i2"])
    let proxy = try DelayingProxy(to: port, delay: Self.delay / 2)
    do {
      try await servers.start()
      let passed = try await run(servers, proxy)
      proxy.stop()
      await servers.stop()
      return passed
    } catch {
      proxy.stop()
      await servers.stop()
      throw error
    }
  }

  private func run(_ servers: LoadServers, _ proxy: DelayingProxy) async throws -> Bool {
    guard let name = DeskName("d1") else { return false }
    let connection = try await servers.connectDesk(name.text, at: ["nats://127.0.0.1:\(proxy.port)"])
    let desk = FleetDesk(connection: connection, name: name)
    var passed = true
    for scope in Scope.allCases {
      for (title, latency) in [("a chip that responds at once", 0), ("a chip that takes 15 ms", 15)] {
        var profile = scope.profile
        profile.latency = .milliseconds(latency)
        let document = try LabDocument(profile)
        let local = try await Self.median { _ = try await document.localReport(try scope.request()) }
        let batches = try await remote(document, scope, desk, servers, batchCount: FleetLimits().batchCount)
        let single = try await remote(document, scope, desk, servers, batchCount: 1)
        let goal = local * 1.3 + Self.delay * 10
        Console.say("\(scope.rawValue), over a line of 50 ms, \(title): local \(Self.text(local))")
        Console.say("  in batches \(Self.text(batches.time)) with \(batches.roundTrips) round trips")
        Console.say("  one command at a time \(Self.text(single.time)) with \(single.roundTrips) round trips")
        guard scope.hasGoal else { continue }
        Console.say("  goal \(Self.text(goal)) with 10 round trips")
        let isFast = batches.time <= goal && batches.roundTrips <= 10
        if !isFast { Console.say("WRONG: the reads in batches are too slow") }
        passed = passed && isFast
      }
    }
    await connection.close()
    return passed
  }

  private func remote(
    _ document: LabDocument, _ scope: Scope, _ desk: FleetDesk, _ servers: LoadServers, batchCount: Int
  ) async throws -> (time: Duration, roundTrips: Int) {
    var configuration = scope.configuration
    configuration.limits.batchCount = batchCount
    let inspector = try await LabInspector(
      servers.connectInspector("i1"), trust: LabTrust(document.trust), recorder: LabRecorder(), configuration)
    var roundTrips = 0
    do {
      let time = try await Self.median {
        let reading = try await desk.read(document.source, try scope.request(), mode: .remote)
        guard reading.outcome == .genuine, reading.attempts == 1 else {
          throw Failure(.checkFailed, "A read over the slow line: \(reading.headline)")
        }
        roundTrips = max(roundTrips, reading.roundTrips)
      }
      await inspector.stop()
      return (time, roundTrips)
    } catch {
      await inspector.stop()
      throw error
    }
  }

  /// How much of a document is read.
  private enum Scope: String, CaseIterable {
    case portrait = "EF.COM, EF.SOD, DG1 and DG2"
    /// As an inspector without options does it.
    case everything = "everything, with the proofs of the chip by DG14 and DG15"

    var profile: ChipProfile { self == .portrait ? .bac : .mechanisms }

    /// Whether a time is promised.
    var hasGoal: Bool { self == .portrait }

    var configuration: InspectorConfiguration {
      var configuration = InspectorConfiguration()
      if self == .portrait {
        configuration.dataGroups = [1, 2]
        configuration.chipAuthentication = .never
      }
      return configuration
    }

    func request() throws -> InspectionRequest {
      var request = try LabDocument.request(dataGroups: configuration.dataGroups)
      if self == .portrait { request.chipAuthentication = .never }
      request.maximumReadLength = 223
      return request
    }
  }

  private static func median(_ body: () async throws -> Void) async throws -> Duration {
    var times: [Duration] = []
    for _ in 0..<repetitions {
      let begin = ContinuousClock.now
      try await body()
      times.append(.now - begin)
    }
    return times.sorted()[times.count / 2]
  }

  private static func text(_ duration: Duration) -> String { Decimal.text(duration / .milliseconds(1)) + " ms" }
}
