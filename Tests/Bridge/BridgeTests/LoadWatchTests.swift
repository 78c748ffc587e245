import TestSupport
import Testing

@testable import TesseraBridge

@MainActor
@Suite("The stages of a load")
struct LoadWatchTests {
  private let clock = ManualClock()
  private let seen = Seen()

  @MainActor
  private final class Seen {
    var progress: [LoadProgress] = []
    var stages: [String] { progress.map(\.stage.rawValue) }
  }

  private func watch(_ source: LoadProblem.Source = .remote) -> LoadWatch {
    LoadWatch(source, clock: clock) { [seen] in seen.progress.append($0) }
  }

  private static func mismatch(_ version: JSONValue?) throws -> VersionMismatch {
    var message: JSONObject = ["type": "request", "id": "a", "domain": "lifecycle"]
    message["version"] = version
    return try #require(VersionMismatch(.object(message)))
  }

  private static let refused: JSONObject = ["phase": "load", "code": "LOAD_FAILED"]
  private static let crashed: JSONObject = ["phase": "process", "didCrash": true]

  @Test(
    "is slow after three seconds and has failed after ten; ready has no effect then, until the page is loaded again")
  func timeout() async throws {
    let watch = watch(.devServer)
    watch.begin()
    try await clock.advance(whenAwaited: LoadWatch.slowAfter)
    try await clock.advance(whenAwaited: .seconds(7))
    try await eventually { seen.stages.count == 3 }
    #expect(seen.stages == ["loading", "slow", "failed"])
    #expect(seen.progress.last?.problem == LoadProblem(.timeout, .devServer))
    watch.ready()
    watch.failed(Self.refused, isEndOfProcess: false)
    watch.failed(Self.crashed, isEndOfProcess: true)
    watch.mismatched(try Self.mismatch(2))
    #expect(seen.stages.count == 3)
    watch.begin()
    watch.ready()
    #expect(seen.stages.suffix(2) == ["loading", "ready"])
    #expect(LoadWatch.slowAfter == .seconds(3) && LoadWatch.failedAfter == .seconds(10))
  }

  @Test("a page that is ready stays so: the timers stop, and only the end of its process counts")
  func ready() async throws {
    let watch = watch()
    watch.begin()
    try await clock.waits(1)
    watch.ready()
    watch.ready()
    try await eventually { clock.isIdle }
    clock.advance(by: .seconds(60))
    watch.failed(Self.refused, isEndOfProcess: false)
    watch.mismatched(try Self.mismatch(nil))
    #expect(seen.stages == ["loading", "ready"] && seen.progress.allSatisfy { $0.problem == nil })
    watch.failed(Self.crashed, isEndOfProcess: true)
    #expect(seen.stages == ["loading", "ready", "failed"])
    #expect(seen.progress.last?.problem == LoadProblem(.loadError, .remote, detail: Self.crashed))
  }

  @Test("a load error fails at once, and the first error counts")
  func error() async throws {
    let watch = watch(.bundle)
    watch.begin()
    try await clock.waits(1)
    watch.failed(Self.refused, isEndOfProcess: false)
    watch.failed(Self.crashed, isEndOfProcess: true)
    try await eventually { clock.isIdle }
    #expect(seen.stages == ["loading", "failed"])
    #expect(seen.progress.last?.problem == LoadProblem(.loadError, .bundle, detail: Self.refused))
  }

  @Test(
    "another version ends the load; only without a number it can be tried again",
    arguments: [(nil, nil, true), ("1", "text", true), (2, "2", false)] as [(JSONValue?, JSONValue?, Bool)])
  func version(_ version: JSONValue?, _ received: JSONValue?, _ isRecoverable: Bool) throws {
    let watch = watch()
    watch.begin()
    watch.mismatched(try Self.mismatch(version))
    watch.ready()
    #expect(seen.stages == ["loading", "version_mismatch"])
    let detail = try #require(seen.progress.last?.problem?.detail)
    #expect(
      detail == ["received": received ?? .null, "expected": 1, "recoverable": .bool(isRecoverable)] as JSONObject)
    #expect(seen.progress.last?.problem?.kind.rawValue == "version_mismatch")
  }

  @Test("a page that has arrived is told as shown, until it fails or is loaded again, and needs no note")
  func shown() async throws {
    let watch = watch()
    watch.begin()
    watch.arrived()
    try await clock.advance(whenAwaited: LoadWatch.slowAfter)
    try await clock.advance(whenAwaited: .seconds(7))
    try await eventually { seen.stages.count == 3 }
    #expect(seen.stages == ["loading", "slow", "failed"])
    #expect(seen.progress.map(\.isPageShown) == [false, true, true])
    #expect(seen.progress.allSatisfy { $0.note == nil })
    watch.begin()
    watch.arrived()
    watch.mismatched(try Self.mismatch(nil))
    watch.begin()
    watch.arrived()
    watch.failed(Self.refused, isEndOfProcess: false)
    #expect(seen.progress.dropFirst(3).map(\.isPageShown) == [false, false, false, false])
    #expect(seen.progress.dropFirst(3).compactMap(\.note).count == 2)
  }

  @Test("the user of a terminal reads what is wrong and what can be done")
  func notes() throws {
    #expect("\(LoadProgress(.slow))" == "slow")
    let refused = LoadProgress(.failed, LoadProblem(.loadError, .remote, detail: Self.refused))
    #expect("\(refused)" == "failed: load_error, remote (phase load, code LOAD_FAILED)")
    let problems: [(LoadProgress, String?)] = [
      (LoadProgress(.loading), nil), (LoadProgress(.resolving), nil), (LoadProgress(.ready), nil),
      (LoadProgress(.slow), "slow"), (LoadProgress(.failed, LoadProblem(.timeout, .remote)), "Try again"),
      (LoadProgress(.failed, LoadProblem(.loadError, .remote, detail: ["statusCode": 500])), "statusCode 500"),
      (LoadProgress(.versionMismatch, LoadProblem(try Self.mismatch(3), .remote)), "received 3, expected 1"),
      (LoadProgress(.versionMismatch, LoadProblem(try Self.mismatch(nil), .remote)), "Try again"),
      (LoadProgress(.failed, LoadProblem(.expired)), nil),
    ]
    for (progress, words) in problems {
      if let words {
        #expect(progress.note?.contains(words) == true, "\(progress)")
      } else {
        #expect(progress.note == nil)
      }
    }
  }
}
