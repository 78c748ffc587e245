import Foundation
import TesseraJSON
import TesseraLocales
import TesseraThreads
import TestSupport
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
    let checks = (0..<100).map { _ in Task { await strings.checkForUpdates() } }
    await gate.arrival()
    try await eventually { strings.waitingCount >= 100 }
    gate.open()
    for check in checks { #expect(await check.value == ReRuneUpdateResult(status: .noChange)) }
    #expect(lab.server.asked.count == 1)
  }

  @Test func aCancelledCheckFails() async throws {
    let lab = try StringsLab()
    let asked = AsyncStream<Void>.makeStream()
    lab.server.answer(StubServer.manifestPath) { _ in
      asked.continuation.yield()
      try await untilCancelled()
      return .init(status: 200, body: Array(#"{"locales": []}"#.utf8))
    }
    let strings = try lab.strings()
    let check = Task { await strings.checkForUpdates() }
    var iterator = asked.stream.makeAsyncIterator()
    await iterator.next()
    check.cancel()
    let result = await check.value
    #expect(result.status == .failed)
    #expect(result.errorMessage?.contains("cancelled") == true)
  }

  /// A check that ignores its cancellation is still one: the next one waits for it, and then asks for itself.
  @Test func checksDoNotOverlapAfterACancellation() async throws {
    let lab = try StringsLab()
    let gate = Gate()
    let (active, most) = (Locked(0), Locked(0))
    lab.server.answer(StubServer.manifestPath) { _ in
      let now = active.withLock { count in
        count += 1
        return count
      }
      most.withLock { $0 = max($0, now) }
      // `Gate.wait` would end with the task.
      await Task { await gate.wait() }.value
      active.withLock { $0 -= 1 }
      return .init(status: 200, body: Array(#"{"locales": []}"#.utf8))
    }
    let strings = try lab.strings()
    let first = Task { await strings.checkForUpdates() }
    await gate.arrival()
    first.cancel()
    let second = Task { await strings.checkForUpdates() }
    // With an overlap, the second one would have a request of its own.
    try await eventually("The wait of the second check for the first one") { strings.waitingCount == 2 }
    gate.open()
    #expect(await first.value.status == .failed)
    #expect(await second.value == ReRuneUpdateResult(status: .noChange))
    #expect(most.withLock { $0 } == 1)
    #expect(lab.server.asked.count == 2)
  }

  /// The texts are in use, so the caller must not hear that the check failed.
  @Test func aCheckThatIsCancelledTooLateIsDone() async throws {
    let lab = try StringsLab()
    try lab.blockFile("locale-de-AT.json")
    lab.server.publishManifest(#"{"revision": 3, "locales": ["de-AT"]}"#)
    lab.server.publishTexts("de-AT", #"{"a": "1"}"#, etag: nil)
    let strings = try lab.strings()
    let (storing, cancelled) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    lab.log.onLine { line in
      guard line.contains("cannot be stored") else { return }
      storing.continuation.yield()
      cancelled.wait()
    }
    let check = Task { await strings.checkForUpdates() }
    var iterator = storing.stream.makeAsyncIterator()
    await iterator.next()
    check.cancel()
    cancelled.signal()
    #expect(await check.value.status == .updated)
    #expect(strings.text("a").text == "1")
  }

  @Test func atMostFourLocalesAreRequestedAtOnce() async throws {
    let lab = try StringsLab()
    let chain = LocaleChain("a-b-c-d-e-f-g-h").tags.map(\.text)
    #expect(chain.count == 8)
    lab.server.publishManifest("{\"locales\": [\(chain.map { "\"\($0)\"" }.joined(separator: ","))]}")
    let (active, most, opens) = (Locked(0), Locked(0), Locked(false))
    for tag in chain {
      lab.server.answer(StubServer.textsPath(tag)) { _ in
        let now = active.withLock { count in
          count += 1
          return count
        }
        most.withLock { $0 = max($0, now) }
        try await eventually { opens.withLock({ $0 }) }
        active.withLock { $0 -= 1 }
        return .init(status: 200, body: Array(#"{"a": "b"}"#.utf8))
      }
    }
    let strings = try lab.strings("a-b-c-d-e-f-g-h")
    let check = Task { await strings.checkForUpdates() }
    try await eventually { active.withLock({ $0 }) >= 4 }
    // A fifth one would begin in this time.
    try await Task.sleep(for: .milliseconds(300))
    opens.withLock { $0 = true }
    #expect(await check.value.updatedLocales == Set(chain))
    #expect(most.withLock { $0 } == 4)
  }

  /// All of the way: a thread looks up while checks receive, store and use new texts, and ids change.
  @Test func lookupsDuringChecks() async throws {
    let lab = try StringsLab()
    lab.server.publishManifest(#"{"revision": 1, "locales": ["de-AT"]}"#)
    let strings = try lab.strings()
    let (stops, torn, found) = (Locked(false), Counter(), Counter())
    let ended = AsyncStream<Void>.makeStream()
    for _ in 0..<2 {
      DetachedThread.start(name: "lookup") {
        while !stops.withLock({ $0 }) {
          for key in ["a", "count %d"] {
            let text = strings.text(key, value: "%d none")
            if text.source == .update { found.next() }
            if !["%d none", "1 %d", "2 %d"].contains(text.text) { torn.next() }
          }
          _ = strings.revision
          _ = strings.bundledText("a", table: "Other", folder: nil)
        }
        ended.continuation.yield()
      }
    }
    for round in 0..<20 {
      let text = "\(round % 2 + 1) %d"
      lab.server.publishTexts("de-AT", "{\"a\": \"\(text)\", \"count %d\": \"\(text)\"}", etag: nil)
      #expect(await strings.checkForUpdates().status == .updated)
      if round == 10 { strings.setup(try lab.configuration(id: "other")) }
    }
    try await eventually { found.value != 0 }
    stops.withLock { $0 = true }
    var iterator = ended.stream.makeAsyncIterator()
    for _ in 0..<2 { await iterator.next() }
    #expect(torn.value == 0)
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
    try await eventually { lookups.value >= threads * 10 }
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
