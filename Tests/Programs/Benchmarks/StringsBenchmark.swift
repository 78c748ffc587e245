import Foundation
import ReRune
import Tessera
import TesseraHTTPClient
import TesseraLocales
import TesseraThreads

/// Lookups beside those in a dictionary behind a lock, the start without a network beside `JSONDecoder` with the same
/// texts, and what a check costs when nothing has changed.
enum StringsBenchmark {
  static func run(_ folder: String) async throws -> [Measurement] {
    try await lookups(folder) + starts(folder) + checks(folder)
  }

  /// A server without a network, whose texts the benchmark sets.
  private final class Server: HTTPTransport {
    private struct State {
      var body: [UInt8] = []
      var tag = 0
      var requests = 0
    }
    private let state = Locked(State())

    init(_ body: [UInt8]) { publish(body) }

    var requests: Int { state.withLock { $0.requests } }

    func publish(_ body: [UInt8]) {
      state.withLock { state in
        state.body = body
        state.tag += 1
      }
    }

    func response(to request: HTTPRequest) async throws -> HTTPResponse {
      let state = state.withLock { state in
        state.requests += 1
        return state
      }
      let isManifest = request.address.text.contains("manifest")
      let tag = isManifest ? "\"m\"" : "\"\(state.tag)\""
      guard request.entityTag != tag else { return HTTPResponse(status: 304, entityTag: tag) }
      let manifest = Array(#"{"revision": 1, "locales": ["de"]}"#.utf8)
      return HTTPResponse(status: 200, body: isManifest ? manifest : state.body, entityTag: tag)
    }
  }

  private static func configuration(_ folder: String, _ server: Server) throws -> StringsConfiguration {
    StringsConfiguration(
      id: try PublishId("benchmark"), chain: LocaleChain("de"), cacheFolder: folder, transport: server)
  }

  private static func update(_ strings: OverTheAirStrings, expecting status: ReRuneUpdateStatus) async throws {
    let result = await strings.checkForUpdates()
    guard result.status == status else { throw Failure(.internalError, "The check gave \(result), not \(status).") }
  }

  // MARK: - Lookups

  private static let keyCount = 2_000
  private static let keys = (0..<keyCount).map { "screen.section.title_\($0)" }

  private static func payload(_ generation: Int) -> [UInt8] {
    let texts = keys.map { "\"\($0)\":\"A text of usual length, \(generation % 10)\"" }
    return Array("{\(texts.joined(separator: ","))}".utf8)
  }

  private static func lookups(_ folder: String) async throws -> [Measurement] {
    let server = Server(payload(0))
    let strings = OverTheAirStrings()
    strings.setup(try configuration("\(folder)/lookups", server))
    try await update(strings, expecting: .updated)
    let dictionary = Locked(try JSONDecoder().decode([String: String].self, from: Data(payload(0))))
    let lookup: @Sendable (String) -> Int = { strings.text($0).text.utf8.count }
    let locked: @Sendable (String) -> Int = { key in dictionary.withLock { $0[key] }?.utf8.count ?? 0 }
    let count = 5_000_000
    let single = await rate(threads: 1, count, lookup)
    let singleLocked = await rate(threads: 1, count, locked)
    let many = await rate(threads: 4, count, lookup)
    let manyLocked = await rate(threads: 4, count / 10, locked)
    // Updates follow each other without a pause: parsing, two durable files and a new table each.
    let ends = Locked(false)
    let updating = Task {
      var updates = 0
      while !ends.withLock({ $0 }) {
        updates += 1
        server.publish(payload(updates))
        try await update(strings, expecting: .updated)
      }
      return updates
    }
    let during = await rate(threads: 4, count, lookup)
    ends.withLock { $0 = true }
    let updates = try await updating.value
    let floor = "a dictionary with a lock"
    return [
      Measurement(
        "text lookups, one thread, elapsed", single, .perSecond, floor: singleLocked, of: floor, goal: 5_000_000),
      Measurement("text lookups, four threads, elapsed", many, .perSecond, floor: manyLocked, of: floor),
      Measurement(
        "text lookups, four threads, during \(updates) updates, elapsed", during, .perSecond, floor: many,
        of: "without updates", goal: 5_000_000),
    ]
  }

  /// Lookups per second of all threads together.
  private static func rate(threads: Int, _ count: Int, _ body: @escaping @Sendable (String) -> Int) async -> Double {
    let keys = Self.keys
    let ended = AsyncStream<Int>.makeStream()
    let start = ContinuousClock.now
    for number in 0..<threads {
      DetachedThread.start(name: "lookups") {
        var sum = 0
        var index = number * 17 % keys.count
        for _ in 0..<count {
          sum &+= body(keys[index])
          index += 1
          if index == keys.count { index = 0 }
        }
        ended.continuation.yield(sum)
      }
    }
    var iterator = ended.stream.makeAsyncIterator()
    var sums: [Int] = []
    while sums.count < threads, let sum = await iterator.next() { sums.append(sum) }
    guard Set(sums).count == 1, sums.first ?? 0 > count * 20 else { return 0 }
    return Double(threads * count) / (start.duration(to: .now) / .seconds(1))
  }

  // MARK: - Starts

  private static func starts(_ folder: String) async throws -> [Measurement] {
    let count = 200_000
    // 3.9 of the 4 MiB that a payload may have.
    let texts = (0..<count).map { "\"k\($0)\":\"T\($0)\"" }
    let payload = Array("{\(texts.joined(separator: ","))}".utf8)
    let configuration = try configuration("\(folder)/starts", Server(payload))
    let first = OverTheAirStrings()
    first.setup(configuration)
    try await update(first, expecting: .updated)
    let plain = URL(fileURLWithPath: "\(folder)/texts.json")
    try Data(payload).write(to: plain)
    var best = (ours: Double.infinity, decoder: Double.infinity)
    for _ in 0..<7 {
      best.ours = min(
        best.ours,
        try milliseconds {
          let strings = OverTheAirStrings()
          strings.setup(configuration)
          return strings.text("k199999").text
        })
      best.decoder = min(
        best.decoder,
        try milliseconds {
          try JSONDecoder().decode([String: String].self, from: Data(contentsOf: plain))["k199999"]
        })
    }
    return [
      Measurement(
        "offline start to the first text, \(count) keys, elapsed", best.ours, .milliseconds, floor: best.decoder,
        of: "JSONDecoder", goal: best.decoder / 5)
    ]
  }

  private static func milliseconds(_ body: () throws -> String?) throws -> Double {
    let start = ContinuousClock.now
    guard try body() == "T199999" else { throw Failure(.internalError, "The first text is wrong.") }
    return start.duration(to: .now) / .milliseconds(1)
  }

  // MARK: - Checks

  private static func checks(_ folder: String) async throws -> [Measurement] {
    let server = Server(payload(0))
    let strings = OverTheAirStrings()
    strings.setup(try configuration("\(folder)/checks", server))
    try await update(strings, expecting: .updated)
    let (requests, files) = (server.requests, try inodes("\(folder)/checks"))
    try await update(strings, expecting: .noChange)
    // Each write makes a new file.
    let writes = try inodes("\(folder)/checks").subtracting(files).count
    return [
      Measurement(
        "requests of a check that changes nothing", Double(server.requests - requests), .exchanges, floor: 2,
        of: "manifest and locale", goal: 2),
      Measurement("files that this check writes", Double(writes), .exchanges, floor: 0, of: "none", goal: 0),
    ]
  }

  private static func inodes(_ folder: String) throws -> Set<UInt64> {
    Set(
      try FileManager.default.subpathsOfDirectory(atPath: folder).map { name in
        var status = stat()
        guard stat("\(folder)/\(name)", &status) == 0 else { throw CocoaError(.fileReadUnknown) }
        return UInt64(status.st_ino)
      })
  }
}
