import Foundation
import Synchronization
import Tessera
import TesseraThreads
import TestSupport
import Testing

@testable import TesseraBridge

extension RealPrograms.AsRoot {
  /// All tests with a real pcscd, a new one for every test. Serialized, since each test uses both cores.
  @Suite(
    "tessera with a real pcscd and a virtual reader", .serialized,
    .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"))
  struct SmartCardLabTests {
    static let zone = "P<UTOSPECIMEN<<TESSA<MARIA<<<<<<<<<<<<<<<<<<\nTS02647183UTO9002144F3506307<<<<<<<<<<<<<<<0"
    static let read = ["passport", "read", "--mrz", zone]
    static let parameters = #"{"passportNumber":"TS0264718","dateOfBirth":"900214","dateOfExpiry":"350630"}"#

    @Test("lists reader and card, reads the document, serves a bridge request, rejects a wrong key")
    func wholePath() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip()
      let list = try await lab.tessera(["readers"])
      #expect(list.output.contains("Tessera Lab 00 00: contactless card, ATR 3B85800180738021"))
      let listed = try json(try await lab.tessera(["readers", "--json"]).output)
      guard case .array(let readers)? = listed["readers"] else {
        Issue.record("no readers")
        return
      }
      #expect(readers.count == 2 && readers.first?["card"]?["contactless"] == true)

      let folder = try TemporaryFolder()
      let read = try await lab.tessera(Self.read + ["--json", "--portrait", folder.file("p.jpg")])
      #expect(read.status == 0 && read.errors.isEmpty, "no progress without a terminal")
      let report = try json(read.output)
      #expect(report["transport"]?["reader"] == "Tessera Lab 00 00")
      #expect(report["document"]?["documentNumber"] == "TS0264718")
      #expect(folder.bytes("p.jpg") == SpecimenDocument.portrait)

      let call = try await lab.tessera(["call", "nfc.scan", Self.parameters, "--events"])
      #expect(call.status == 0)
      #expect(try json(call.output)["surname"] == "SPECIMEN")
      #expect(call.errors.contains(#""step":"reading_dg1""#))
      #expect(try await lab.tessera(["call", "nfc.isSupported"]).output == "true\n")

      let wrong = try await lab.tessera([
        "passport", "read", "--document-number", "TS0264719", "--date-of-birth", "900214", "--date-of-expiry", "350630",
      ])
      #expect(wrong.status == 4)
      #expect(wrong.errors.contains("The chip refused the key derived from this MRZ"))
      // The card remains usable after a refused read.
      #expect(try await lab.tessera(Self.read).status == 0)
      try await lab.remove(chip)
    }

    @Test("shows progress on a terminal")
    func progress() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip(["--latency", "2"])
      let command = "\(ProgramRun.tessera.path) passport read --document-number TS0264718 --date-of-birth 900214 "
      let run = try await RunningProgram(
        URL(fileURLWithPath: "/usr/bin/script"), ["-qec", command + "--date-of-expiry 350630", "/dev/null"],
        environment: lab.environment.merging(["TERM": "xterm-256color"]) { _, new in new }
      ).finish()
      #expect(run.status == 0)
      #expect(run.output.contains("Requesting access with BAC") && run.output.contains("Reading DG2  [############"))
      try await lab.remove(chip)
    }

    @Test("serves the BSI reference document of 2008 from its folder and reads it")
    func referenceDocument() async throws {
      let lab = try await SmartCardLab()
      let folder = try TemporaryFolder()
      let chip = try await lab.insertChip(["--files", Fixtures.specimen("bsi2008").path])
      let mrz = folder.file("mrz.txt")
      try "P<D<<MUSTERMANN<<ERIKA\nC11T002JM4D<<9608122F1310317<<<<<<<<<<<<<<<6\n".write(
        toFile: mrz, atomically: true, encoding: .utf8)
      let run = try await lab.tessera([
        "passport", "read", "--mrz", mrz, "--json", "--out", folder.file("dump"), "--portrait", folder.file("p.jp2"),
      ])
      #expect(run.status == 5)
      let report = try json(run.output)
      #expect(report["document"]?["surname"] == "MUSTERMANN")
      guard case .array(let checks)? = report["checks"] else {
        Issue.record("no checks")
        return
      }
      let byID = Dictionary(checks.map { ($0["id"]?.stringValue ?? "", $0) }) { first, _ in first }
      #expect(byID["passive.signature"]?["status"] == "passed")
      #expect(byID["passive.hashes"]?["detail"]?.stringValue?.contains("DG1, DG2, DG14: the digest matches") == true)
      #expect(byID["passive.hashes"]?["detail"]?.stringValue?.contains("DG15: not covered by EF.SOD") == true)
      let group = Fixtures.specimen("bsi2008", file: "Datagroup2.bin")
      #expect(folder.bytes("dump/DG2.bin") == group)
      #expect(folder.bytes("p.jp2").count == 14_999 && folder.bytes("p.jp2")[...] == group.suffix(14_999))
      try await lab.remove(chip)
    }

    @Test("a card removed during the read ends it with status 6, before any time limit")
    func removal() async throws {
      let lab = try await SmartCardLab()
      _ = try await lab.insertLeavingChip()
      let folder = try TemporaryFolder()
      let run = try await lab.tessera(Self.read + ["--trace", folder.file("trace"), "--wait", "5"], timeout: 120)
      #expect(run.status == 6)
      #expect(folder.bytes("trace").count { $0 == UInt8(ascii: ">") } == 60, "It left during the read.")
      #expect(run.errors.contains("The card was removed before"))
      #expect(try await lab.tessera(["readers"]).status == 0)
    }

    @Test("detects a card during the wait; without one the wait ends with status 3")
    func waiting() async throws {
      let lab = try await SmartCardLab()
      let none = try await lab.tessera(Self.read + ["--wait", "3"])
      #expect(none.status == 3)
      #expect(none.errors.contains("within 3 seconds"))
      let read = try await lab.startWaiting(Self.read + ["--wait", "600"])
      #expect(read.isRunning)
      let chip = try await lab.insertChip()
      #expect(await read.finish().status == 0)
      try await lab.remove(chip)
    }

    @Test("Ctrl-C during the wait ends it immediately and leaves the reader usable", arguments: [SIGINT, SIGTERM])
    func interruption(_ signal: Int32) async throws {
      let lab = try await SmartCardLab()
      let read = try await lab.startWaiting(Self.read + ["--wait", "600"])
      #expect(read.isRunning)
      read.send(signal: signal)
      let run = await read.finish(within: 120)
      #expect(run.status == 128 + signal, "\(run.status) \(run.errors)")
      let chip = try await lab.insertChip()
      #expect(try await lab.tessera(Self.read).status == 0)
      try await lab.remove(chip)
    }

    @Test("reports a missing reader with the remedy")
    func noReader() async throws {
      let lab = try await SmartCardLab(drivers: 0)
      for arguments in [["readers"], Self.read] {
        let run = try await lab.tessera(arguments)
        #expect(run.status == 3)
        #expect(run.errors.contains("No card reader is connected. Plug in"))
      }
      let call = try await lab.tessera(["call", "nfc.scan", Self.parameters])
      #expect(call.status == 3 && call.errors.contains("NFC_NOT_SUPPORTED"))
      #expect(try await lab.tessera(["call", "nfc.isSupported"]).output == "false\n")
    }

    @Test("two cards are ambiguous until --reader selects one")
    func twoCards() async throws {
      let lab = try await SmartCardLab()
      let first = try await lab.insertChip()
      let second = try await lab.insertChip(slot: 1)
      let run = try await lab.tessera(Self.read)
      #expect(run.status == 2)
      #expect(run.errors.contains("Tessera Lab 00 00") && run.errors.contains("Tessera Lab 00 01"))
      let named = try await lab.tessera(Self.read + ["--reader", "00 01", "--json"])
      #expect(try json(named.output)["transport"]?["reader"] == "Tessera Lab 00 01")
      for chip in [first, second] { chip.send(signal: SIGKILL) }
    }

    @Test("the common name of the slots of one reader selects the slot with the passport")
    func commonName() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip(slot: 1)
      let run = try await lab.tessera(Self.read + ["--reader", "tessera lab", "--json"])
      #expect(try json(run.output)["transport"]?["reader"] == "Tessera Lab 00 01", "\(run.errors)")
      try await lab.remove(chip)
    }

    @Test("a reader whose name is not UTF-8 does not hide the others, and is used")
    func latinName() async throws {
      let lab = try await SmartCardLab(name: Array("Tessera Leseger".utf8) + [0xE4, 0x74])
      let chip = try await lab.insertChip()
      let list = try await lab.tessera(["readers"])
      #expect(list.output.contains("Tessera Leseger\u{E4}t 00 00: contactless card"), "\(list.errors)")
      let run = try await lab.tessera(Self.read + ["--reader", "Leseger\u{E4}t"])
      #expect(run.status == 0, "\(run.errors)")
      try await lab.remove(chip)
    }

    @Test("--watch reports inserted and removed cards")
    func watch() async throws {
      let lab = try await SmartCardLab()
      let watch = try lab.start(["readers", "--watch", "--json"])
      #expect(await watch.wait { $0.output.count { $0 == "\n" } >= 2 })
      for round in 1...3 {
        let chip = try await lab.insertChip()
        #expect(await watch.wait { $0.output.ranges(of: "cardInserted").count >= round })
        try await lab.remove(chip)
        #expect(await watch.wait { $0.output.ranges(of: "cardRemoved").count >= round })
      }
      watch.send(signal: SIGINT)
      #expect(await watch.finish(within: 120).status == 130)
    }

    @Test("uses extended length with a chip that announces it, although the reader states no limit")
    func extendedChip() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip(["--profile", "bac-extended"])
      let folder = try TemporaryFolder()
      let run = try await lab.tessera(Self.read + ["--json", "--trace", folder.file("trace"), "--trace-plain"])
      #expect(run.status == 0)
      let commands = String(decoding: folder.bytes("trace"), as: UTF8.self).split(separator: "\n")
        .filter { $0.hasPrefix("> ") }
      #expect(commands.count == 9)
      try await lab.remove(chip)
    }

    /// All of them in the long run.
    private static let deviating = Sweep.rows(ChipProfile.deviating) { profile in
      [
        "past-end-6b00-plain", "long-read-6988-plain", "short-identifier-6a86-plain", "session-end-20",
        "pace-selection", "unreadable-com-6f00",
      ].contains { profile.name == "fault-" + $0 }
    }

    @Test("reads chips that deviate from the standards, or says what it could not read", arguments: deviating)
    func deviatingChip(_ profile: ChipProfile) async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip(["--profile", profile.name])
      let run = try await lab.tessera(Self.read + ["--json"])
      let report = try? json(run.output)
      print("chip: \(profile.name): status \(run.status), \(report?["transport"]?["exchanges"] ?? "no") exchanges")
      switch profile.name {
      case "fault-pace-selection":
        #expect(run.status == 4 && run.errors.contains("--skip-pace"), "\(run.errors)")
        #expect(try await lab.tessera(Self.read + ["--skip-pace"]).status == 0)
      case _ where profile.name.hasPrefix("fault-unreadable-com"):
        #expect(run.status == 0 && report?["omissions"] != [], "\(run.errors)")
      case _ where profile.name.hasPrefix("fault-unreadable-sod"):
        // No check failed, and nothing is established.
        #expect(run.status == 0 && report?["outcome"] == "notEstablished", "\(run.errors)")
      case "fault-chip-authentication", "fault-signature-hash",
        _ where profile.name.hasPrefix("fault-unreadable"):
        #expect(run.status == 5 && report?["outcome"] != nil, "\(run.errors)")
      default: #expect(run.status == 0, "\(run.errors)")
      }
      try await lab.remove(chip)
    }

    @Test("resumes the read after the document was removed and replaced")
    func returningChip() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertChip(["--profile", "fault-lost"])
      let folder = try TemporaryFolder()
      let run = try await lab.tessera(
        Self.read + ["--groups", "1,2", "--max-read", "128", "--trace", folder.file("trace")])
      #expect(run.status == 0, "\(run.errors)")
      let trace = String(decoding: folder.bytes("trace"), as: UTF8.self)
      #expect(trace.ranges(of: "powered again").count == 1)
      try await lab.remove(chip)
    }

    @Test("a document that is not replaced in time ends the read with status 6")
    func leavingChip() async throws {
      let lab = try await SmartCardLab()
      let chip = try await lab.insertLeavingChip()
      let run = try await lab.tessera(Self.read + ["--groups", "1,2", "--max-read", "128", "--wait", "0"])
      #expect(run.status == 6)
      #expect(run.errors.contains("The card was removed before"))
      try await lab.remove(chip)
    }
  }
}

/// Starts one lab per suite and stops it after the last test: libpcsclite supports only one daemon per
/// process.
struct LabInThisProcess: SuiteTrait, TestScoping {
  @TaskLocal static var lab: SmartCardLab?

  @concurrent func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let lab = try await SmartCardLab(isForThisProcess: true)
    defer { lab.stop() }
    try await Self.$lab.withValue(lab) { try await function() }
  }
}

extension RealPrograms.AsRoot {
  /// The channel in this process, without the program.
  @Suite(
    "The PC/SC channel", .serialized, .enabled(if: SmartCardLab.isEnabled, "\(SmartCardLab.unavailableReason ?? "")"),
    LabInThisProcess())
  struct PCSCContextTests {
    @Test("each of many cancellations ends the wait, even right after its start")
    func cancellations() async throws {
      let context = PCSCContext()
      let readers = try await context.readers()
      #expect(readers.count == 2)
      for round in 0..<300 {
        let wait = Task { try await context.change(from: readers, until: nil) }
        // From before the start of the wait until well after it.
        if round % 3 != 0 { try await Task.sleep(for: .microseconds(round * 5)) }
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
      }
      // The context is still usable.
      #expect(try await context.readers() == readers)
    }

    @Test("many waits do not block other work")
    func pool() async throws {
      // More than the test process has threads for tasks.
      let waits = (0..<max(40, 2 * ProcessInfo.processInfo.activeProcessorCount)).map { _ in
        Task {
          let context = PCSCContext()
          return try await context.change(from: try await context.readers(), until: nil)
        }
      }
      // If the waits blocked the shared pool's threads, this task would not continue before the waits end.
      let isOver = DispatchSemaphore(value: 0)
      let wasRescued = Locked(false)
      Thread.detachNewThread {
        let result = isOver.wait(timeout: .now() + 120)
        wasRescued.withLock { $0 = result == .timedOut }
        for wait in waits { wait.cancel() }
      }
      try await Task.sleep(for: .seconds(1))
      isOver.signal()
      for wait in waits { await #expect(throws: CancellationError.self) { try await wait.value } }
      #expect(!wasRescued.withLock { $0 })
    }

    @Test("uses and releases a card, and reports its removal as such")
    func removal() async throws {
      let lab = try #require(LabInThisProcess.lab)
      let chip = try await lab.insertChip()
      let context = PCSCContext()
      let card = try await context.card(CardSelection(timeout: .seconds(60)))
      #expect(
        try await card.channel.transmit([0x00, 0xA4, 0x04, 0x0C, 0x07] + ElementaryFile.application) == [0x90, 0])
      await card.disconnect()

      let held = try await context.card(CardSelection(timeout: .seconds(60)))
      chip.send(signal: SIGKILL)
      await #expect(throws: CardError.cardRemoved) {
        try await eventually(within: .seconds(60), every: .milliseconds(20)) {
          _ = try await held.channel.transmit([0x00, 0x84, 0x00, 0x00, 0x08])
          return false
        }
      }
      await held.disconnect()
    }

    @Test("the wait for a card in use by another program is limited, and the card is released")
    func returnToAnotherProgram() async throws {
      let lab = try #require(LabInThisProcess.lab)
      let first = try await lab.insertChip()
      let context = PCSCContext()
      let card = try await context.card(CardSelection(timeout: .seconds(60)))
      try await lab.remove(first)
      await #expect(throws: CardError.cardRemoved) { try await card.channel.awaitReturn(within: .zero) }

      let second = try await lab.insertChip()
      let rival = try await PCSCContext().card(CardSelection(timeout: .seconds(60)))
      // Without a limit, the wait would last as long as the rival's transaction.
      let rescue = Task {
        try await Task.sleep(for: .seconds(120))
        await rival.disconnect()
      }
      await #expect(throws: CardError.readerBlocked(reader: rival.readerName)) {
        try await card.channel.awaitReturn(within: .seconds(3))
      }
      rescue.cancel()
      await #expect(throws: CardError.mute) { try await card.channel.transmit([0x00, 0x84, 0x00, 0x00, 0x08]) }
      await card.disconnect()
      await rival.disconnect()
      // The context's thread is free once the cancelled request has obtained the card. It must release the card, or the
      // third request would wait indefinitely.
      _ = try await context.readers()
      let third = try await PCSCContext().card(CardSelection(timeout: .seconds(60)))
      let select: [UInt8] = [0x00, 0xA4, 0x04, 0x0C, 0x07] + ElementaryFile.application
      #expect(try await third.channel.transmit(select) == [0x90, 0x00])
      await third.disconnect()
      try await lab.remove(second)
    }

    @Test("a scan right after a cancelled one gets the card")
    func cancelledScan() async throws {
      let lab = try #require(LabInThisProcess.lab)
      let chip = try await lab.insertChip()
      // No limit ends a scan on a slow machine.
      let cards = CardSource {
        try await PCSCContext(answerTimeout: .seconds(600)).card(CardSelection(timeout: .seconds(600)), onWaiting: $0)
      }
      let registry = SdkProviderRegistry()
      let router = MessageRouter.withSystemProviders(registry: registry, cards: cards).serving(
        NfcBridgeHandler(
          registry: registry, timeLimit: nil, coordinator: ScanCoordinator(gracePeriod: .seconds(600))))
      let request = BridgeRequest(
        id: "1", domain: .nfc, method: "scan",
        parameters: BridgeParameters([
          "passportNumber": "TS0264718", "dateOfBirth": "900214", "dateOfExpiry": "350630",
        ]))
      let cancel = BridgeRequest(id: "2", domain: .nfc, method: "cancelScan", parameters: BridgeParameters())
      for _ in 0..<3 {
        let (stops, continuation) = AsyncStream.makeStream(of: Void.self)
        let scan = Task {
          await router.route(request) { message in
            let json = message.json
            if json["data"]?["step"] == "reading_dg1" {
              // The next exchange begins after this call: the scan cannot end before it is cancelled.
              chip.suspend()
              continuation.yield()
            }
            if case .response = message {
              #expect(json["error"]?["code"] == "SCAN_ABORTED")
              continuation.finish()
            }
          }
        }
        for await _ in stops { await router.route(cancel) { _ in } }
        await scan.value
        chip.resume()
      }
      let answers = Mutex<[JSONValue]>([])
      await router.route(request) { message in
        if case .response = message { answers.withLock { $0.append(message.json) } }
      }
      #expect(answers.withLock { $0.map { $0["success"] } } == [true])
      try await lab.remove(chip)
    }

    @Test("a card that stops responding ends the exchange, and its release does not hang")
    func muteCard() async throws {
      let lab = try #require(LabInThisProcess.lab)
      let chip = try await lab.insertChip()
      let card = try await PCSCContext(answerTimeout: .milliseconds(100)).card(CardSelection(timeout: .seconds(60)))
      chip.suspend()
      for _ in 0..<2 {
        await #expect(throws: CardError.mute) { try await card.channel.transmit([0x00, 0x84, 0x00, 0x00, 0x08]) }
      }
      await card.disconnect()
      try await lab.remove(chip)
    }

    @Test("a wait ends at its deadline with the last state")
    func deadline() async throws {
      let context = PCSCContext()
      let readers = try await context.readers()
      #expect(try await context.change(from: readers, until: .now + .milliseconds(50)) == readers)
      await #expect(throws: CardError.noCard(seconds: 0)) { try await context.card(CardSelection(timeout: .zero)) }
    }
  }
}
