import Foundation
import TesseraCore
import TesseraThreads
import TestSupport
import Testing

@testable import ReRune

extension RealPrograms {
  @Suite struct SetupTests {
    @Test(arguments: ["", " ", "\n\t ", "\u{A0}"])
    func aBlankIdIsRefused(id: String) {
      let error = #expect(throws: Failure.self) { try PublishId(id) }
      #expect(error?.cause.contains("publish id") == true)
      #expect(error?.cause.contains("blank") == true)
    }

    @Test func aBlankIdEndsTheProcess() async throws {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        ReRune.setup(otaPublishId: "  ")
      }
      let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
      #expect(errors.contains("ReRune.setup needs the publish id of your texts: it is blank."))
    }

    @Test func theSameIdAgainDoesNothing() async throws {
      let lab = try StringsLab()
      lab.server.publishManifest(#"{"revision": 1, "locales": ["de"]}"#)
      lab.server.publishTexts("de", #"{"a": "b"}"#, etag: nil)
      let strings = try lab.strings("de")
      _ = await strings.checkForUpdates()
      strings.setup(try lab.configuration("de", policy: .init(checkOnStart: true)))
      #expect(strings.text("a").text == "b")
      // A setup that did something says so before it returns.
      #expect(lab.log.all.filter { $0.hasPrefix("info: The texts are those of") }.count == 1)
    }

    @Test func anotherIdReplacesTheTexts() async throws {
      let lab = try StringsLab()
      lab.server.publishManifest(#"{"revision": 5, "locales": ["de"]}"#)
      lab.server.publishTexts("de", #"{"a": "b"}"#, etag: nil)
      let strings = try lab.strings("de")
      _ = await strings.checkForUpdates()
      var revisions = strings.revisions().makeAsyncIterator()
      #expect(await revisions.next() == 5)
      strings.setup(try lab.configuration("de", id: "other"))
      #expect(strings.text("a").source == .key)
      #expect(await revisions.next() == 0)
      #expect(await strings.checkForUpdates().status == .updated)
      #expect(lab.server.asked.last?.id == "other")
      #expect(strings.text("a").text == "b")
      // Back: the cache of the first id is still there.
      strings.setup(try lab.configuration("de"))
      #expect(strings.text("a").text == "b")
      #expect(strings.revision == 5)
    }

    /// A check of the first id that ends after the second setup changes nothing that is looked up.
    @Test func aLateCheckOfAnotherIdIsNotUsed() async throws {
      let lab = try StringsLab()
      let gate = Gate()
      lab.server.publishManifest(#"{"revision": 5, "locales": ["de"]}"#)
      lab.server.answer(StubServer.textsPath("de")) { request in
        if request.headers.contains(where: { $0.value == StringsLab.id }) { await gate.wait() }
        return .init(status: 200, body: Array(#"{"a": "late"}"#.utf8))
      }
      let strings = try lab.strings("de")
      let check = Task { await strings.checkForUpdates() }
      await gate.arrival()
      strings.setup(try lab.configuration("de", id: "other"))
      gate.open()
      _ = await check.value
      #expect(strings.text("a").source == .key)
      #expect(strings.revision == 0)
    }

    @Test func checksAtTheStartAndPeriodically() async throws {
      let lab = try StringsLab()
      lab.server.publishManifest(#"{"locales": []}"#)
      let clock = ManualClock()
      let strings = try lab.strings(policy: .init(checkOnStart: true, periodicInterval: .seconds(3_600)), clock: clock)
      // The clock waits after each check.
      try await clock.waits(1)
      #expect(lab.server.asked.count == 1)
      #expect(clock.advance(by: .seconds(3_599)) == 0)
      clock.advance(by: .seconds(1))
      try await clock.waits(2)
      #expect(lab.server.asked.count == 2)
      // Ten hours of sleep are one check.
      clock.advance(by: .seconds(36_000))
      try await clock.waits(3)
      #expect(lab.server.asked.count == 3)
      // Another id ends the schedule of this one.
      strings.setup(try lab.configuration(id: "other"))
      try await clock.ends(3)
      #expect(clock.isIdle)
      #expect(await strings.checkForUpdates().status == .noChange)
      #expect(lab.server.asked.filter { $0.id == StringsLab.id }.count == 3)
    }

    @Test func withoutACheckAtTheStartTheFirstOneIsAfterTheInterval() async throws {
      let lab = try StringsLab()
      lab.server.publishManifest(#"{"locales": []}"#)
      let clock = ManualClock()
      let strings = try lab.strings(
        policy: .init(checkOnStart: false, periodicIntervalInHours: 1, periodicIntervalInDays: 1), clock: clock)
      try await clock.waits(1)
      #expect(lab.server.asked.isEmpty)
      #expect(clock.advance(by: .seconds(25 * 3_600 - 1)) == 0)
      clock.advance(by: .seconds(1))
      try await clock.waits(2)
      #expect(lab.server.asked.count == 1)
      withExtendedLifetime(strings) {}
    }

    @Test func hoursAndDaysAreSummed() {
      #expect(
        ReRuneUpdatePolicy(periodicIntervalInHours: 2, periodicIntervalInDays: 3).periodicInterval == .seconds(266_400))
      #expect(ReRuneUpdatePolicy(periodicIntervalInHours: .max, periodicIntervalInDays: .max).periodicInterval != nil)
      #expect(ReRuneUpdatePolicy(periodicIntervalInHours: .min).periodicInterval == .zero)
    }

    @Test func theScheduleEndsWithItsOwner() async throws {
      let lab = try StringsLab()
      let clock = ManualClock()
      var strings: OverTheAirStrings? = try lab.strings(
        policy: .init(checkOnStart: false, periodicInterval: .seconds(1)), clock: clock)
      try await clock.waits(1)
      weak let owner = strings
      withExtendedLifetime(strings) {}
      strings = nil
      #expect(owner == nil)
      try await clock.ends(1)
      #expect(lab.server.asked.isEmpty)
    }

    @Test(
      arguments: [
        (.zero, nil), (.seconds(-1), nil), (.nanoseconds(1), .seconds(60)), (.seconds(61), .seconds(61)),
      ] as [(Duration, Duration?)])
    func anIntervalIsNoneOrAtLeastAMinute(interval: Duration, wait: Duration?) {
      #expect(ReRuneUpdatePolicy(periodicInterval: interval).waitBetweenChecks == wait)
    }

    @Test func checksAreAtLeastAMinuteApart() async throws {
      let lab = try StringsLab()
      let clock = ManualClock()
      let strings = try lab.strings(policy: .init(checkOnStart: false, periodicInterval: .seconds(1)), clock: clock)
      try await clock.waits(1)
      #expect(clock.advance(by: .seconds(59)) == 0)
      #expect(clock.advance(by: .seconds(1)) == 1)
      try await clock.waits(2)
      withExtendedLifetime(strings) {}
    }

    /// The second setup comes after the texts are in use, and before the check says its revision.
    @Test func aSetupDuringACheckKeepsItsOwnRevision() async throws {
      let lab = try StringsLab()
      try lab.blockFile("manifest.json")
      lab.server.publishManifest(#"{"revision": 5, "locales": ["de"]}"#)
      lab.server.publishTexts("de", #"{"a": "late"}"#, etag: nil)
      let strings = try lab.strings("de")
      let other = try lab.configuration("de", id: "other")
      lab.log.onLine { if $0.contains("cannot be stored") { strings.setup(other) } }
      let result = await strings.checkForUpdates()
      #expect(result.status == .failed)
      #expect(result.errorMessage?.contains("Another publish id") == true)
      #expect(strings.revision == 0)
      #expect(strings.text("a").source == .key)
      var revisions = strings.revisions().makeAsyncIterator()
      #expect(await revisions.next() == 0)
    }

    @Test(
      arguments: [
        (nil, "app", "app"), ("mine", "app", "mine"), ("", "app", "app"), (".", "app", "app"), ("..", "app", "app"),
        ("a/b", "app", "app"), ("a\0b", "app", "app"), ("...", "app", "..."), (nil, "app (deleted)", "app"),
      ] as [(String?, String, String)])
    func theFolderIsAPlainName(name: String?, program: String, expected: String) {
      #expect(StringsConfiguration.application(name, program: program) == expected)
    }

    @Test func noDescriptionHasTheWholeId() throws {
      let id = try PublishId(StringsLab.id)
      var dumped = ""
      dump(id, to: &dumped)
      let configuration = try StringsLab().configuration()
      for text in ["\(id)", String(reflecting: id), dumped, "\(configuration)", String(reflecting: configuration)] {
        #expect(text.contains("pub_…"))
        #expect(!text.contains("pub_3"))
      }
    }
  }
}
