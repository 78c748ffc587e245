import Foundation
import TesseraBridge
import TesseraCore
import TesseraHTTPClient
import TesseraKiosk
import TestSupport
import Testing

@testable import KioskGuests

@Suite("The guest book of a kiosk")
struct GuestBookTests {
  let place: TemporaryFolder

  init() throws { place = try TemporaryFolder() }

  private func settings(_ destination: GuestBook.Destination) throws -> GuestBook.Settings {
    var settings = GuestBook.Settings(kiosk: "kiosk 1")
    settings.destination = (destination, try ResultSigner.test(keys: place.file("keys")))
    return settings
  }

  @Test("records a read before the page has it, also if the page is gone meanwhile")
  func recording() async throws {
    let folder = ResultFolder(path: place.file("results"))
    let book = try GuestBook(try settings(.folder(folder.path)), log: { _ in })
    await book.record(.guest(1))
    #expect(try folder.names().count == 1)
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await book.record(.guest(2))
    }
    await cancelled.value
    try await eventually { try folder.names().count == 2 }
    #expect(book.status.waiting == 0)
  }

  @Test("delivers to a server, and says what it could not keep without a word of a document")
  func delivering() async throws {
    let lines = Events<String>()
    let outbox = place.file("outbox")
    let log = place.file("server.log")
    let book = try GuestBook(
      try settings(.server(try HTTPSAddress("https://desk.example/results"), outbox: outbox)),
      transport: RecordingServer(log: log) { _ in .answers(201) }, log: { lines.add($0) })
    let running = Task { await book.run() }
    await book.record(.guest(1))
    await book.record(.guest(2))
    try await eventually { RecordingServer.keys(log).count == 2 }
    try await eventually { try ResultFolder(path: outbox).names().isEmpty }
    running.cancel()
    await running.value
    #expect(FileManager.default.createFile(atPath: place.file("full"), contents: nil))
    let other = try GuestBook(try settings(.folder(place.file("full/results"))), log: { lines.add($0) })
    await other.record(.guest(3))
    #expect(other.status.waiting == 1)
    #expect(lines.all.contains { $0.hasPrefix("A result is not stored") })
    unlink(place.file("full"))
    try await eventually { other.status.waiting == 0 }
    #expect(!lines.all.contains { $0.contains("GUEST") || $0.contains("L898902C3") })
  }

  @Test("writes and delivers at once, and nobody else uses its folder meanwhile")
  func alone() async throws {
    let outbox = place.file("outbox")
    let log = place.file("server.log")
    let settings = try settings(.server(try HTTPSAddress("https://desk.example/results"), outbox: outbox))
    _ = try await settings.destination?.1.prepare()
    let book = try GuestBook(
      settings, transport: RecordingServer(log: log) { $0 == 5 ? .isCutOff : .answers(200) }, log: { _ in })
    let refusal = #expect(throws: Failure.self) { try GuestBook(settings, log: { _ in }) }
    #expect(refusal?.kind == .serviceUnavailable && refusal?.cause.contains(outbox) == true)
    let running = Task { await book.run() }
    await withTaskGroup { group in
      for number in 0..<50 { group.addTask { await book.record(.guest(number)) } }
    }
    try await eventually { Set(RecordingServer.keys(log)).count == 50 }
    try await eventually { try FileManager.default.contentsOfDirectory(atPath: outbox).isEmpty }
    running.cancel()
    await running.value
  }

  @Test("removes what a killed process left, before it writes")
  func leftovers() async throws {
    let folder = ResultFolder(path: place.file("results"))
    let lost = GuestResult.test(1)
    try folder.write(lost, signature: [1])
    unlink(place.file("results/\(lost.name).json"))
    let book = try GuestBook(try settings(.folder(folder.path)), log: { _ in })
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    await book.record(.guest(2))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 2)
  }

  @Test("writes what is in memory before the end")
  func finish() async throws {
    let lines = Events<String>()
    #expect(FileManager.default.createFile(atPath: place.file("full"), contents: nil))
    let book = try GuestBook(try settings(.folder(place.file("full/results"))), log: { lines.add($0) })
    #expect(lines.all.contains { $0.hasPrefix("Results cannot be stored now") })
    await book.record(.guest(1))
    unlink(place.file("full"))
    await book.finish()
    #expect(try ResultFolder(path: place.file("full/results")).names().count == 1)
    #expect(!lines.all.contains { $0.contains("lost") })
  }

  @Test("says once that the server is away, and not at each try")
  func away() async throws {
    let lines = Events<String>()
    let requests = Events<Int>()
    let book = try GuestBook(
      try settings(.server(try HTTPSAddress("https://desk.example/results"), outbox: place.file("outbox"))),
      transport: RecordingServer(log: place.file("server.log")) {
        requests.add($0)
        return .isAway
      }, log: { lines.add($0) })
    let said = { lines.all.filter { $0.contains("delivery, which is tried again") } }
    let running = Task { await book.run() }
    for number in 1...3 {
      await book.record(.guest(number))
      try await eventually { requests.all.count >= number && !said().isEmpty }
    }
    running.cancel()
    await running.value
    #expect(said().count == 1)
    #expect(said().first?.hasPrefix("1 result waits for its delivery") == true)
  }

  @Test("says once that the server refuses, and again after a delivery")
  func refused() async throws {
    let lines = Events<String>()
    let requests = Events<Int>()
    // Three times it refuses; the next request delivers.
    let book = try GuestBook(
      try settings(.server(try HTTPSAddress("https://desk.example/results"), outbox: place.file("outbox"))),
      transport: RecordingServer(log: place.file("server.log")) {
        requests.add($0)
        return .answers($0 == 4 ? 204 : 422)
      }, log: { lines.add($0) })
    let said = { (word: String) in lines.all.count { $0.contains(word) } }
    let running = Task { await book.run() }
    for number in 1...6 {
      await book.record(.guest(number))
      try await eventually { requests.all.count >= number }
      if number == 3 { #expect(said("with the status 422") == 1) }
      if number == 4 { try await eventually { said("is delivered") == 1 } }
    }
    try await eventually { said("with the status 422") == 2 }
    running.cancel()
    await running.value
    #expect(said("with the status 422") == 2)
  }

  @Test("names the folder of a kiosk with other options that has results, and leaves them there")
  func otherOptions() async throws {
    let lines = Events<String>()
    let (own, other) = (place.file("state/kiosk-waiting-1"), place.file("state/kiosk-waiting-2"))
    let left = GuestResult.test(1)
    #expect(ResultSpool(folders: [other]).park(left, everywhere: true) == other)
    var settings = try settings(.folder(place.file("results")))
    settings.spool = [own]
    let book = try GuestBook(settings, log: { lines.add($0) })
    let running = Task { await book.run() }
    try await eventually { !lines.all.isEmpty }
    running.cancel()
    await running.value
    #expect(lines.all.count { $0.hasPrefix("1 result of a kiosk with other options") && $0.contains(other) } == 1)
    // The same result in memory and on the disk is one.
    let disk = place.file("disk/kiosk-waiting-2")
    #expect(ResultSpool(folders: [disk]).park(left, everywhere: true) == disk)
    let spool = ResultSpool(folders: [own, place.file("disk/kiosk-waiting-1")])
    let others = spool.elsewhere()
    #expect(others.map(\.folders) == [[disk, other]] && others.map(\.count) == [1])
    #expect(try ResultFolder(path: other).names() == [left.name])
    #expect(try ResultFolder(path: place.file("results")).names().isEmpty)
  }

  @Test("sends what waits for an address to no other one, says so, and sends it when that address is back")
  func otherAddress() async throws {
    let outbox = place.file("outbox")
    /// One start: records a read, and waits until the result is delivered or has been tried.
    func start(_ address: String, _ guests: [Int], isAway: Bool = false) async throws -> (log: [String], keys: [String])
    {
      let lines = Events<String>()
      let requests = Events<Int>()
      let log = place.file("\(UUID().uuidString).log")
      // The start before may still be on its way out.
      try await eventually { (try? FolderOwner(ResultFolder(path: outbox)).take()) != nil }
      let book = try GuestBook(
        try self.settings(.server(try HTTPSAddress(address), outbox: outbox)),
        transport: RecordingServer(log: log) {
          requests.add($0)
          return isAway ? .isAway : .answers(200)
        }, log: { lines.add($0) })
      let running = Task { await book.run() }
      for number in guests { await book.record(.guest(number)) }
      if isAway {
        try await eventually { !requests.all.isEmpty }
      } else {
        try await eventually { try ResultFolder(path: outbox).names().isEmpty }
        try await eventually { lines.all.count { $0.hasSuffix("is delivered.") } == RecordingServer.keys(log).count }
      }
      running.cancel()
      await running.value
      return (lines.all, RecordingServer.keys(log))
    }
    _ = try await start("https://a.example/results", [1, 2], isAway: true)
    let first = Set(try ResultFolder(path: outbox).names().map { String($0.suffix(36)) })
    #expect(first.count == 2)
    // A check says the same, and changes nothing.
    let settings = try self.settings(.server(try HTTPSAddress("https://b.example/results"), outbox: outbox))
    let said = settings.resultsOfOthers()
    #expect(
      said.count == 1 && said[0].hasPrefix("2 results wait for https://a.example/results, and are not"), "\(said)")
    #expect(try ResultFolder(path: outbox).names().count == 2)
    /// The results for the address and for others, as the metrics count them.
    func counts(_ address: String) throws -> [Int] {
      let counts = try ResultFolder(path: outbox, address: "https://\(address).example/results").counts()
      return [counts.own, counts.others]
    }
    #expect(try counts("a") == [2, 0])
    #expect(try counts("b") == [0, 2])

    let second = try await start("https://b.example/results", [3])
    #expect(second.keys.count == 1 && first.isDisjoint(with: second.keys))
    #expect(second.log.count { $0 == said[0] } == 1, "\(second.log)")
    let apart = try FileManager.default.contentsOfDirectory(atPath: outbox)
    #expect(apart.count == 1 && apart[0].hasPrefix("for-") && said[0].contains("\(outbox)/\(apart[0]) keeps them"))
    // Each with its signature and its address.
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(outbox)/\(apart[0])").count == 6)
    #expect(settings.resultsOfOthers() == said)
    #expect(try counts("a") == [2, 0])
    #expect(try counts("b") == [0, 2])

    let third = try await start("https://b.example/results", [4])
    #expect(third.keys.count == 1 && third.log.contains(said[0]))

    let fourth = try await start("https://a.example/results", [5])
    #expect(fourth.keys.count == 3 && first.isSubset(of: fourth.keys))
    #expect(!fourth.log.contains { $0.contains("not sent to the address") })
    #expect(try FileManager.default.contentsOfDirectory(atPath: outbox).isEmpty)
  }

  @Test("sends what waits without an address, which an earlier version left or the operator moved")
  func noAddress() async throws {
    let outbox = ResultFolder(path: place.file("outbox"))
    let log = place.file("server.log")
    let settings = try self.settings(.server(try HTTPSAddress("https://desk.example/results"), outbox: outbox.path))
    let signer = try #require(settings.destination?.1)
    _ = try await signer.prepare()
    let result = GuestResult.test(1)
    try outbox.write(result, signature: try await signer.signature(of: result.json))
    #expect(settings.resultsOfOthers().isEmpty)
    let book = try GuestBook(settings, transport: RecordingServer(log: log) { _ in .answers(200) }, log: { _ in })
    let running = Task { await book.run() }
    try await eventually { try outbox.names().isEmpty }
    running.cancel()
    await running.value
    #expect(RecordingServer.keys(log) == [result.identifier])
  }

  @Test("says when the kiosk has a reader and when it has none, with what to do, once for each change")
  func reader() async {
    let states = AsyncStream<NfcReaderState> { stream in
      for (readers, documents) in [(0, 0), (0, 0), (1, 0), (1, 1), (2, 1), (0, 0)] {
        stream.yield(NfcReaderState(readers: readers, documents: documents))
      }
      stream.finish()
    }
    let lines = Events<String>()
    await ReaderWatch.follow(states, advice: { "Plug one in." }, log: { lines.add($0) })
    #expect(
      lines.all == [
        "The kiosk has no reader. Plug one in.", "The kiosk has 1 reader.", "The kiosk has 2 readers.",
        "The kiosk has no reader. Plug one in.",
      ])
  }

  @Test("says that a document was virtual")
  func virtual() throws {
    let result = GuestResult(.guest(1), kiosk: "kiosk 1", isVirtual: true)
    #expect(String(decoding: result.json, as: UTF8.self).contains(#""virtual":true"#))
    #expect(!String(decoding: GuestResult.test(1).json, as: UTF8.self).contains("virtual"))
  }
}
