import Foundation
import TesseraBridge
import TesseraThreads
import Testing

@testable import ReRune

@Suite struct ConcurrencyTests {
  @Test func oneHundredChecksAreOneRequest() async throws {
    let lab = try StringsLab()
    let gate = Gate()
    lab.server.answer(StubServer.manifestPath) { _ in
      await gate.wait()
      return .init(status: 200, body: Array(#"{"revision": 3, "locales": []}"#.utf8))
    }
    let strings = try lab.strings()
    let waiting = Counter()
    let checks = (0..<100).map { _ in
      Task {
        waiting.next()
        return await strings.checkForUpdates()
      }
    }
    await gate.arrival()
    while waiting.value < 100 { await Task.yield() }
    // Each task has begun; give those that have not joined the check yet their turn.
    try await Task.sleep(for: .milliseconds(100))
    gate.open()
    for check in checks { #expect(await check.value == ReRuneUpdateResult(status: .noChange)) }
    #expect(lab.server.asked.count == 1)
  }

  @Test func aCancelledCheckFails() async throws {
    let lab = try StringsLab()
    lab.server.answer(StubServer.manifestPath) { _ in
      try await Task.sleep(for: .seconds(3_600))
      return .init(status: 500)
    }
    let strings = try lab.strings()
    let check = Task { await strings.checkForUpdates() }
    while lab.server.asked.isEmpty { await Task.yield() }
    check.cancel()
    #expect(await check.value.status == .failed)
  }

  /// Threads look up while the table is replaced many times. Each text must be a whole one of some update, and the last
  /// one must be found at the end. ThreadSanitizer sees each access.
  @Test func lookupsDuringUpdatesAreWhole() async throws {
    let keys = (0..<200).map { "key.\($0)" }
    func table(_ generation: Int) throws -> StringTable {
      let text = String(repeating: "\(generation % 10)", count: 40)
      let body = "{" + keys.map { "\"\($0)\":\"\(text)\"" }.joined(separator: ",") + "}"
      return try TranslationPayload(Array(body.utf8)).table()
    }
    let current = CurrentTable(try table(0))
    let (stops, torn, lookups) = (Locked(false), Counter(), Counter())
    let threads = 4
    let ended = AsyncStream<Void>.makeStream()
    for number in 0..<threads {
      DetachedThread.start(name: "lookup") {
        var index = number
        while !stops.withLock({ $0 }) {
          for _ in 0..<100 {
            index = (index + 7) % keys.count
            let text = current.text(keys[index], fallback: { "" })?.text ?? ""
            if text.utf8.count != 40 || Set(text.utf8).count != 1 { torn.next() }
          }
          lookups.next()
        }
        ended.continuation.yield()
      }
    }
    for generation in 1...300 { current.replace(with: try table(generation)) }
    while lookups.value < threads * 10 { try await Task.sleep(for: .milliseconds(1)) }
    stops.withLock { $0 = true }
    var iterator = ended.stream.makeAsyncIterator()
    for _ in 0..<threads { await iterator.next() }
    #expect(torn.value == 0)
    #expect(current.text("key.0", fallback: { "" })?.text == String(repeating: "0", count: 40))
  }

  /// A table is released when no lookup can use it, and not before.
  @Test func replacedTablesAreReleased() throws {
    let current = CurrentTable()
    weak var first: StringTable?
    do {
      let table = try TranslationPayload(Array(#"{"a":"b"}"#.utf8)).table()
      first = table
      current.replace(with: table)
    }
    #expect(first != nil)
    #expect(current.text("a", fallback: { "" })?.text == "b")
    current.replace(with: .empty())
    #expect(first == nil)
    #expect(current.replace(with: .empty()) { false } == nil)
  }

  @Test @MainActor func subscribersGetTheCurrentValueAndChangesOnTheMainActor() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 7, "locales": ["de-AT"]}"#)
    lab.server.publishTexts("de-AT", #"{"a": "1"}"#, etag: "\"a\"")
    let strings = try lab.strings()
    var received: [[Int]] = [[], []]
    let arrived = AsyncStream<Void>.makeStream()
    var iterator = arrived.stream.makeAsyncIterator()
    let subscribers = (0..<2).map { number in
      Task { @MainActor in
        for await revision in strings.revisions() {
          MainActor.assertIsolated()
          received[number].append(revision)
          arrived.continuation.yield()
        }
      }
    }
    for _ in 0..<2 { await iterator.next() }
    #expect(received == [[0], [0]])
    _ = await strings.checkForUpdates()
    for _ in 0..<2 { await iterator.next() }
    #expect(received == [[0, 7], [0, 7]])
    lab.server.publishTexts("de-AT", #"{"a": "2"}"#, etag: "\"b\"")
    _ = await strings.checkForUpdates()
    for _ in 0..<2 { await iterator.next() }
    #expect(received == [[0, 7, 7], [0, 7, 7]])
    // One who comes later gets the current one only.
    var late = strings.revisions().makeAsyncIterator()
    #expect(await late.next() == 7)
    for subscriber in subscribers { subscriber.cancel() }
  }

  /// A slow subscriber gets the last revision, and no queue grows.
  @Test func aSlowSubscriberGetsTheLastRevision() async throws {
    let lab = try StringsLab()
    let strings = try lab.strings()
    let stream = strings.revisions()
    for revision in 1...3 {
      lab.server.publishManifest(#"{"revision": \#(revision), "locales": ["de-AT"]}"#, etag: nil)
      lab.server.publishTexts("de-AT", #"{"a": "\#(revision)"}"#, etag: nil)
      #expect(await strings.checkForUpdates().status == .updated)
    }
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == 3)
  }
}
