import Foundation
import LabDevices
import TesseraThreads
import TesseraVirtualChip
import TestSupport
import Testing

@testable import TesseraReaders

extension RealPrograms {
  /// The real libnfc, connected by a pseudo terminal to an emulated PN532.
  @Suite("libnfc and an emulated PN532", .serialized, .timeLimit(.minutes(15)))
  struct LibNFCTests {
    static func chip() throws -> Chip { try Chip(profile: .bac, files: SpecimenDocument().files) }

    /// SELECT of the travel document application.
    static let select: [UInt8] = [0x00, 0xA4, 0x04, 0x0C, 0x07, 0xA0, 0x00, 0x00, 0x02, 0x47, 0x10, 0x01]
    static let challenge: [UInt8] = [0x00, 0x84, 0x00, 0x00, 0x08]

    /// Waits until the process has free descriptors that libnfc can use: it calls select(2), which supports descriptors
    /// up to 1023, and other suites open hundreds of connections at times.
    static func device(
      _ reader: PN532, bitRate: BitRate = .kbit424, answer: Duration = .seconds(20), longestCommand: Int? = nil
    ) async throws -> LibNFCDevice {
      try await eventually { nextDescriptor() <= 900 }
      return LibNFCDevice(
        try LibNFCConnstring(reader.connstring), answerTimeout: answer, maximumBitRate: bitRate,
        longestCommand: longestCommand)
    }

    /// A card on a device that answers. libnfc waits 350 ms for an answer of the device, which takes longer on a busy machine.
    private static func card(
      _ reader: PN532, bitRate: BitRate = .kbit424, answer: Duration = .seconds(20), longestCommand: Int? = nil
    ) async throws -> Card {
      for _ in 0..<9 {
        let found = try await device(reader, bitRate: bitRate, answer: answer, longestCommand: longestCommand)
        if let card = try? await found.card(timeout: .seconds(60)) { return card }
      }
      return try await device(reader, bitRate: bitRate, answer: answer, longestCommand: longestCommand)
        .card(timeout: .seconds(60))
    }

    private static func nextDescriptor() -> Int32 {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      if descriptor >= 0 { close(descriptor) }
      return descriptor
    }

    /// The `CardError` that `body` throws.
    static func error(_ body: () async throws -> some Any) async -> CardError? {
      do {
        _ = try await body()
        return nil
      } catch {
        return error as? CardError
      }
    }

    /// Waits until the chip polls for a card endlessly, which is its second poll.
    static func untilPolling(_ reader: PN532) async throws {
      try await eventually { reader.commands.count { $0 == 0x60 } >= 2 }
      try await Task.sleep(for: .milliseconds(50))
    }

    @Test("connects to a card of type A, exchanges APDUs and deselects it")
    func typeA() async throws {
      let reader = try PN532(.passport(try Self.chip()))
      // This is the suite's first test, and runs while other suites start.
      var found: Card?
      try await eventually(every: .milliseconds(200)) {
        do {
          found = try await Self.device(reader).card(timeout: .seconds(60))
        } catch CardError.tooManyOpenFiles {}
        return found != nil
      }
      let card = try #require(found)
      #expect(card.readerName == reader.connstring)
      #expect(card.commandLengthLimit == 262 && card.extendedLengthLimit == nil)
      // The same answer to reset that a PC/SC reader composes for this chip.
      #expect(card.answerToReset == (try Self.chip().answerToReset))
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      #expect(try await card.channel.transmit(Self.challenge).count == 10)
      await card.disconnect()
      #expect(reader.field.exchanges == 2)
      // InDeselect, InRelease, RFConfiguration, PowerDown.
      #expect(reader.commands.suffix(4) == [0x44, 0x52, 0x32, 0x16])
      #expect(await Self.error { try await card.channel.transmit(Self.select) } == .cardRemoved)
      let again = try await Self.card(reader)
      #expect(try await again.channel.transmit(Self.select) == [0x90, 0x00])
      await again.disconnect()
    }

    @Test("connects to a card of type B, whose answer to reset contains ATQB")
    func typeB() async throws {
      let reader = try PN532(.passportOfTypeB(try Self.chip()))
      let card = try await Self.card(reader)
      #expect(card.answerToReset?.historicalBytes == [0xE1, 0, 0, 0, 0x00, 0x81, 0x93, 0x10])
      #expect(card.answerToReset?.isContactless == true)
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    @Test(
      "uses the fastest bit rate that the card and the limit allow",
      arguments: [
        (0x77, BitRate.kbit424, 2), (0x77, .kbit212, 1), (0x77, .kbit106, 0), (0x00, .kbit424, 0), (0x11, .kbit424, 1),
        (0x91, .kbit424, 1), (0x13, .kbit424, 1), (0x30, .kbit424, 0), (0x7F, .kbit424, 0),
      ] as [(UInt8, BitRate, UInt8)])
    func bitRates(_ offered: UInt8, _ limit: BitRate, _ used: UInt8) async throws {
      let reader = try PN532(.passport(try Self.chip(), bitRates: offered))
      let card = try await Self.card(reader, bitRate: limit)
      #expect(reader.commands.contains(0x4E) == (used > 0))
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      // The bit rate changes after the response to the command; it is visible after a later one.
      #expect(reader.bitRate == used)
      await card.disconnect()
    }

    @Test("uses 106 kbit/s if the card refuses the bit rate that it offered")
    func refusedBitRate() async throws {
      let reader = try PN532(.passport(try Self.chip(), bitRates: 0x77))
      reader.disturb { command, frame in command == 0x4E ? PN53xFrame.answer([0x4F, 0x01]) : frame }
      let card = try await Self.card(reader)
      #expect(reader.bitRate == 0)
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    @Test("gives up after two seconds if the chip does not answer the change of the bit rate")
    func silentBitRate() async throws {
      let reader = try PN532(.passport(try Self.chip(), bitRates: 0x77))
      reader.disturb { command, frame in command == 0x4E ? nil : frame }
      let device = try await Self.device(reader)
      let found = Task { try await device.card(timeout: .seconds(60)) }
      let error = await Self.error { try await found.value }
      #expect(error == .readerFailed(reader: reader.connstring))
    }

    @Test("distinguishes a storage card from a smart card")
    func storageCard() async throws {
      let reader = try PN532(.storageCard)
      #expect(await Self.error { try await Self.device(reader).card(timeout: .seconds(60)) } == .notSmartCard)
      let present = try await Self.device(reader).presentCard()
      #expect(present?.isStorageCard == true)
      #expect(
        present?.bytes == [
          0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03, 0x00, 0x01, 0, 0, 0, 0, 0x6A,
        ])
    }

    @Test("reports that no card was detected in time, and detects a card that is placed during the wait")
    func waiting() async throws {
      var reader = try PN532()
      for seconds in [5, 60, 600] {
        reader = try PN532()
        let device = try await Self.device(reader)
        #expect(await Self.error { try await device.card(timeout: .seconds(seconds)) } == .noCard(seconds: seconds))
        // On a slow machine the time may be over before the endless poll, which is the second one.
        if reader.commands.count(where: { $0 == 0x60 }) >= 2 { break }
      }
      #expect(reader.abortions == 1)
      #expect(try await Self.device(reader).presentCard() == nil)
      let announcements = Locked(0)
      let later = try PN532()
      let device = try await Self.device(later)
      let found = Task { try await device.card(timeout: .seconds(60)) { announcements.withLock { $0 += 1 } } }
      try await Self.untilPolling(later)
      later.field.place(.passport(try Self.chip()))
      let card = try await found.value
      #expect(announcements.withLock { $0 } == 1)
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    @Test("distinguishes a removed card from an unplugged reader")
    func loss() async throws {
      let reader = try PN532(.passport(try Self.chip()))
      let card = try await Self.card(reader)
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      reader.field.removeCard()
      #expect(await Self.error { try await card.channel.transmit(Self.challenge) } == .cardRemoved)
      #expect(await Self.error { try await card.channel.transmit(Self.challenge) } == .cardRemoved)
      await card.disconnect()

      reader.field.place(.passport(try Self.chip()))
      let second = try await Self.card(reader)
      #expect(try await second.channel.transmit(Self.select) == [0x90, 0x00])
      reader.unplug()
      let lost = await Self.error { try await second.channel.transmit(Self.challenge) }
      #expect(lost == .readerRemoved(reader: reader.connstring))
      await second.disconnect()
      let missing = await Self.error { try await Self.device(reader).card(timeout: .seconds(1)) }
      #expect(missing == .deviceNotFound(reader: reader.connstring))
    }

    @Test("detects a card again that missed its deselection", arguments: [false, true])
    func missedDeselection(_ isOfTypeB: Bool) async throws {
      let reader = try PN532(isOfTypeB ? .passportOfTypeB(try Self.chip()) : .passport(try Self.chip()))
      let card = try await Self.card(reader)
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      reader.field.hidesDeselections = true
      try await card.channel.awaitReturn(within: .seconds(30))
      // It has lost its power, and with that its application.
      #expect(try await card.channel.transmit(Self.challenge) == [0x6D, 0x00])
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    @Test("ends the wait for a card when the reader is unplugged")
    func unplugWhileWaiting() async throws {
      let reader = try PN532()
      let device = try await Self.device(reader)
      let wait = Task { try await device.card(timeout: nil) }
      try await Self.untilPolling(reader)
      reader.unplug()
      #expect(await Self.error { try await wait.value } == .readerRemoved(reader: reader.connstring))
    }

    @Test("reports a checksum error as a transmission error, after which the next exchange succeeds")
    func disturbance() async throws {
      let reader = try PN532(.passport(try Self.chip()))
      let card = try await Self.card(reader)
      let count = Locked(0)
      reader.disturb { command, frame in
        guard command == 0x40,
          count.withLock({
            $0 += 1
            return $0
          }) == 1
        else { return frame }
        return PN53xFrame.answer([0x41, 0x02])  // a checksum error of the card's answer
      }
      #expect(await Self.error { try await card.channel.transmit(Self.select) } == .transmission(code: 0xFFFF_FFEC))
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    @Test("reports a card that does not answer in time as mute")
    func mute() async throws {
      let reader = try PN532(.passport(try Self.chip()))
      let card = try await Self.card(reader, answer: .milliseconds(500))
      reader.disturb { command, frame in command == 0x40 ? nil : frame }
      #expect(await Self.error { try await card.channel.transmit(Self.challenge) } == .mute)
      await card.disconnect()
    }

    @Test(
      "sends commands up to the limit of the driver, and none beyond a limit",
      arguments: [(262, nil), (100, 100), (101, 100), (262, 100)] as [(Int, Int?)])
    func commandLength(_ length: Int, _ limit: Int?) async throws {
      let received = Locked<[Int]>([])
      let echo = ContactlessCard(.a(identifier: [1, 2, 3, 4], selectAcknowledge: 0x20, answerToSelect: [0x01])) {
        command in
        received.withLock { $0.append(command.count) }
        return [0x90, 0x00]
      }
      let reader = try PN532(echo)
      let card = try await Self.card(reader, longestCommand: limit)
      let error = await Self.error { try await card.channel.transmit([UInt8](repeating: 0x5A, count: length)) }
      let isTooLong = limit.map { length > $0 } ?? false
      #expect(error == (isTooLong ? .commandTooLongForReader(length: length, limit: limit ?? 0) : nil))
      #expect(received.withLock { $0 } == (isTooLong ? [] : [length]))
      // The card still works.
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    @Test("sends a long command as a chain of short ones through a chaining channel")
    func chaining() async throws {
      let received = Locked<[[UInt8]]>([])
      let echo = ContactlessCard(.a(identifier: [1, 2, 3, 4], selectAcknowledge: 0x20, answerToSelect: [0x01])) {
        command in
        received.withLock { $0.append(command) }
        return [0x90, 0x00]
      }
      let reader = try PN532(echo)
      let card = try await Self.card(reader)
      let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
      let long = try CommandAPDU(ins: 0x2A, p1: 0, p2: 0xBE, data: data, expectedLength: 65_536).encoded()
      let chained = ChainingChannel(card.channel, commandLengthLimit: try #require(card.commandLengthLimit))
      #expect(try await chained.transmit(long) == [0x90, 0x00])
      let parts = received.withLock { $0 }
      #expect(
        parts.map { Array($0.prefix(5)) } == [
          [0x10, 0x2A, 0x00, 0xBE, 0xFF], [0x10, 0x2A, 0x00, 0xBE, 0xFF], [0x00, 0x2A, 0x00, 0xBE, 0x5A],
        ])
      let sent: [UInt8] = parts.flatMap { part in part.dropFirst(5).prefix(Int(part[4])) }
      #expect(sent == data)
      #expect(parts.map(\.count) == [260, 260, 96] && parts.last?.last == 0x00)
      await card.disconnect()
    }

    @Test(
      "receives answers in one or several pieces up to libnfc's limit, and reports longer ones as an error",
      arguments: [(2, 262), (258, 262), (258, 100), (258, 1), (262, 262), (263, 262), (264, 262), (700, 262)])
    func answers(_ length: Int, _ piece: Int) async throws {
      let answer = (0..<length).map { UInt8(truncatingIfNeeded: $0 ^ 0x35) }
      let card = ContactlessCard(.a(identifier: [1, 2, 3, 4], selectAcknowledge: 0x20, answerToSelect: [0x01])) {
        command in
        command.count > 5 ? [0x90, 0x00] : answer
      }
      let reader = try PN532(card, largestExchange: piece)
      let connected = try await Self.card(reader)
      if length <= 263 {
        #expect(try await connected.channel.transmit(Self.challenge) == answer)
      } else {
        let error = await Self.error { try await connected.channel.transmit(Self.challenge) }
        #expect(error == .transmission(code: UInt32(bitPattern: -90)))
      }
      await connected.disconnect()
      let again = try await Self.card(reader)
      #expect(try await again.channel.transmit(Self.select) == [0x90, 0x00])
      await again.disconnect()
    }

    @Test("uses several devices at once, and reports one that is in use")
    func severalDevices() async throws {
      let readers = try (0..<4).map { _ in try PN532(.passport(try Self.chip())) }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for reader in readers {
          group.addTask {
            let card = try await Self.card(reader)
            var answers = 0
            #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
            for _ in 0..<50 where try await card.channel.transmit(Self.challenge).count == 10 { answers += 1 }
            await card.disconnect()
            return answers
          }
        }
        var all: [Int] = []
        for try await answers in group { all.append(answers) }
        #expect(all == [50, 50, 50, 50])
      }
      let card = try await Self.card(readers[0])
      let taken = await Self.error { try await Self.device(readers[0]).card(timeout: .seconds(1)) }
      #expect(taken == .deviceInUse(reader: readers[0].connstring))
      await card.disconnect()
    }

    @Test(
      "ends the wait and frees the device at each of a hundred cancellations, from the start of the wait on")
    func cancellations() async throws {
      let reader = try PN532()
      let before = try Self.descriptors(of: reader)
      var longest = Duration.zero
      for round in 0..<100 {
        let device = try await Self.device(reader)
        let wait = Task { try await device.card(timeout: nil) }
        // From before the device is open to well within the wait.
        try await Task.sleep(for: .microseconds(round * 1_500))
        let start = ContinuousClock.now
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        longest = max(longest, start.duration(to: .now))
        // On a busy machine the call may be detached, and the device is closed a while later.
        try await eventually { Self.isFree(reader) }
      }
      let after = try Self.descriptors(of: reader)
      print("libnfc: 100 cancellations, the slowest took \(longest); \(after - before) more descriptors are open")
      #expect(after == before)
      reader.field.place(.passport(try Self.chip()))
      let card = try await Self.card(reader)
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    /// Whether nobody has the lock on the reader's line.
    private static func isFree(_ reader: PN532) -> Bool {
      let line = open(reader.path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
      defer { close(line) }
      return line >= 0 && flock(line, LOCK_EX | LOCK_NB) == 0
    }

    /// How many of this process's descriptors are the reader's line.
    private static func descriptors(of reader: PN532) throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == reader.path
      }
    }

    @Test("cancels the wait while a child process runs that was started during the wait")
    func childProcess() async throws {
      let reader = try PN532()
      let device = try await Self.device(reader)
      let wait = Task { try await device.card(timeout: nil) }
      try await Self.untilPolling(reader)
      let child = try RunningProgram(URL(fileURLWithPath: "/bin/sleep"), ["300"])
      wait.cancel()
      await #expect(throws: CancellationError.self) { try await wait.value }
      // The call was aborted, not detached.
      #expect(reader.abortions == 1 && child.isRunning)
      child.send(signal: SIGKILL)
      #expect(try await Self.device(reader).presentCard() == nil)
    }

    @Test("ends the exchange and frees the device when cancelled while the card processes a command")
    func cancelledExchange() async throws {
      let reader = try PN532(.passport(try Self.chip()))
      let card = try await Self.card(reader)
      let isUnderWay = Locked(false)
      reader.disturb { command, frame in
        guard command == 0x40 else { return frame }
        isUnderWay.withLock { $0 = true }
        return nil
      }
      let exchange = Task { try await card.channel.transmit(Self.challenge) }
      try await eventually { isUnderWay.withLock { $0 } }
      exchange.cancel()
      await #expect(throws: CancellationError.self) { try await exchange.value }
      await card.disconnect()
      reader.disturb(nil)
      let again = try await Self.card(reader)
      #expect(try await again.channel.transmit(Self.select) == [0x90, 0x00])
      await again.disconnect()
    }

    /// Modifications of the frame of an answer.
    static let hostileFrames: [(name: String, change: @Sendable ([UInt8]) -> [UInt8]?)] = [
      ("nothing", { _ in nil }),
      ("one byte", { Array($0.prefix(1)) }),
      ("noise", { frame in frame.map { $0 ^ 0xA5 } }),
      ("a wrong checksum", { frame in frame.enumerated().map { $0 == frame.count - 2 ? $1 ^ 1 : $1 } }),
      ("a wrong length checksum", { frame in frame.enumerated().map { $0 == 4 ? $1 ^ 1 : $1 } }),
      ("no direction", { frame in frame.enumerated().map { $0 == 5 ? 0xD4 : $1 } }),
      ("length 0", { _ in [0x00, 0x00, 0xFF, 0x00, 0x00, 0x00] }),
      ("length 1", { _ in [0x00, 0x00, 0xFF, 0x01, 0xFF, 0xD5, 0x2B, 0x00] }),
      ("extended length 0", { _ in [0x00, 0x00, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0xD5] }),
      ("extended length 1", { _ in [0x00, 0x00, 0xFF, 0xFF, 0xFF, 0x00, 0x01, 0xFF, 0xD5] }),
      (
        "extended length 65535",
        { _ in [0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02] + [UInt8](repeating: 0xD5, count: 3000) }
      ),
      ("an error frame", { _ in PN53xFrame.syntaxError }),
      ("an acknowledgement", { _ in PN53xFrame.acknowledgement }),
      ("another command's answer", { _ in PN53xFrame.answer([0x99, 0x00]) }),
      (
        "300 bytes too many",
        { PN53xFrame.answer(Array($0.dropFirst(6).dropLast(2)) + [UInt8](repeating: 0x11, count: 300)) }
      ),
      ("4000 bytes too many", { $0 + [UInt8](repeating: 0x00, count: 4000) }),
    ]

    @Test("reports hostile answers to an exchange as errors and does not crash", arguments: hostileFrames.indices)
    func hostileExchange(_ index: Int) async throws {
      let (name, change) = Self.hostileFrames[index]
      let reader = try PN532(.passport(try Self.chip()))
      let card = try await Self.card(reader, answer: .milliseconds(400))
      reader.disturb { command, frame in command == 0x40 ? change(frame) : frame }
      let error = await Self.error { try await card.channel.transmit(Self.challenge) }
      // Bytes after a whole frame are skipped, unless they arrive so late that they count as the next frame.
      #expect(error != nil || name == "4000 bytes too many", "\(name)")
      await card.disconnect()
      reader.disturb(nil)
      let again = try await Self.card(reader)
      #expect(try await again.channel.transmit(Self.select) == [0x90, 0x00])
      await again.disconnect()
    }

    @Test("reports hostile answers to polling as errors and does not crash", arguments: hostileFrames.indices)
    func hostilePoll(_ index: Int) async throws {
      let (name, change) = Self.hostileFrames[index]
      let reader = try PN532(.passport(try Self.chip()))
      reader.disturb { command, frame in command == 0x60 ? change(frame) : frame }
      let error = await Self.error {
        let card = try await Self.device(reader).card(timeout: .seconds(1))
        await card.disconnect()
      }
      #expect(error != nil || name == "4000 bytes too many", "\(name)")
      reader.disturb(nil)
      let card = try await Self.card(reader)
      #expect(try await card.channel.transmit(Self.select) == [0x90, 0x00])
      await card.disconnect()
    }

    @Test(
      "reports hostile answers during the opening of a device as errors and does not crash",
      arguments: hostileFrames.indices)
    func hostileOpening(_ index: Int) async throws {
      let (name, change) = Self.hostileFrames[index]
      let reader = try PN532(.passport(try Self.chip()))
      reader.disturb { command, frame in command == 0x00 ? change(frame) : frame }
      let error = await Self.error {
        let card = try await Self.device(reader).card(timeout: .seconds(1))
        await card.disconnect()
      }
      // The bytes after the frame may count as the next answer or as noise; the test is that the process does not crash.
      let isFine = name == "4000 bytes too many"
      #expect(isFine || error == .readerFailed(reader: reader.connstring), "\(name)")
    }

    /// Answers whose status the guard refuses. libnfc itself survives them, and reports another error (-90).
    static let unknownStatuses: [@Sendable (_ command: UInt8) -> [UInt8]] = [
      { [$0 + 1, 0x3F] }, { [$0 + 1, 0x2F, 0x90, 0x00] }, { [$0 + 1, 0x70, 0x00] },
    ]

    /// What the guard reports, NFC_EIO.
    private static let refusedByGuard = CardError.transmission(code: UInt32(bitPattern: -1))

    @Test("the guard refuses an unknown status", arguments: unknownStatuses.indices)
    func unknownStatus(_ index: Int) async throws {
      let reader = try PN532(.passport(try Self.chip()))
      let card = try await Self.card(reader)
      reader.disturb { $0 == 0x40 ? PN53xFrame.answer(Self.unknownStatuses[index]($0)) : $1 }
      #expect(await Self.error { try await card.channel.transmit(Self.challenge) } == Self.refusedByGuard)
      reader.disturb(nil)
      await card.disconnect()
    }

    /// InDataExchange, InPSL and PowerDown.
    @Test(
      "reports an unknown status as an error and does not crash", arguments: [0x40, 0x4E, 0x16] as [UInt8],
      unknownStatuses.indices)
    func unknownStatus(_ command: UInt8, _ index: Int) async throws {
      let reader = try PN532(.passport(try Self.chip(), bitRates: 0x77))
      reader.disturb { $0 == command ? PN53xFrame.answer(Self.unknownStatuses[index]($0)) : $1 }
      let error = await Self.error {
        // Without an error, a busy machine must have the time to find the card.
        let card = try await Self.device(reader).card(timeout: .seconds(command == 0x16 ? 60 : 1))
        do {
          _ = try await card.channel.transmit(Self.select)
        } catch {
          await card.disconnect()
          throw error
        }
        await card.disconnect()
      }
      #expect((error == nil) == (command == 0x16))
      reader.disturb(nil)
      let again = try await Self.card(reader)
      #expect(try await again.channel.transmit(Self.select) == [0x90, 0x00])
      await again.disconnect()
    }

    @Test("reports an unknown status within a chained answer as an error")
    func unknownStatusWithin() async throws {
      for hostile in Self.unknownStatuses {
        let reader = try PN532(.passport(try Self.chip()))
        let card = try await Self.card(reader)
        let pieces = Locked(0)
        reader.disturb { command, frame in
          guard command == 0x40 else { return frame }
          let isFirst = pieces.withLock { pieces in
            pieces += 1
            return pieces == 1
          }
          return PN53xFrame.answer(isFirst ? [0x41, 0x40, 0x01, 0x02] : hostile(command))
        }
        #expect(await Self.error { try await card.channel.transmit(Self.challenge) } != nil)
        #expect(pieces.withLock { $0 } == 2)
        await card.disconnect()
      }
    }

    @Test("does not poll in a busy loop if the chip ends endless polling without a card")
    func endlessPollingEnds() async throws {
      let reader = try PN532()
      reader.disturb { command, frame in command == 0x60 ? PN53xFrame.answer([0x61, 0x00]) : frame }
      let device = try await Self.device(reader)
      // The first poll is answered with no card; the endless one gets this answer when a card is placed.
      let wait = Task { try await device.card(timeout: .seconds(60)) }
      try await Self.untilPolling(reader)
      reader.field.place(.passport(try Self.chip()))
      #expect(await Self.error { try await wait.value } == .readerFailed(reader: reader.connstring))
      #expect(reader.commands.count { $0 == 0x60 } == 2)
    }

    @Test(
      "rejects malformed connection strings",
      arguments: [
        "", ":", ":x", "pn532 uart", "pn532_uart:\n", "pn532_uart:/dev/\u{e9}", String(repeating: "a", count: 1024),
      ])
    func malformedConnstring(_ text: String) {
      #expect(throws: CardError.malformedConnstring) { try LibNFCConnstring(text) }
    }

    @Test(
      "reports unknown drivers and addresses",
      arguments: ["nonsense", "pn532_uart", "pn53x_usb:a:b", "pn532_uart:%n%s"])
    func unknownConnstring(_ text: String) async throws {
      let device = LibNFCDevice(try LibNFCConnstring(text))
      #expect(await Self.error { try await device.card(timeout: .seconds(1)) } == .readerFailed(reader: text))
    }

    @Test("reports a missing device and a node that is not a serial line")
    func wrongPlaces() async throws {
      let missing = LibNFCDevice(try LibNFCConnstring("pn532_uart:/dev/ttyNOT0"))
      let missingError = await Self.error { try await missing.card(timeout: .seconds(1)) }
      #expect(missingError == .deviceNotFound(reader: "pn532_uart:/dev/ttyNOT0"))
      let null = LibNFCDevice(try LibNFCConnstring("pn532_uart:/dev/null"))
      #expect(
        await Self.error { try await null.card(timeout: .seconds(1)) } == .readerFailed(reader: "pn532_uart:/dev/null"))
      let usb = LibNFCDevice(try LibNFCConnstring("pn53x_usb:099:123"))
      #expect(
        await Self.error { try await usb.card(timeout: .seconds(1)) } == .deviceNotFound(reader: "pn53x_usb:099:123"))
    }

    @Test("a libnfc device of the list of readers is the source of its own cards only")
    func source() async throws {
      let text = "pn532_uart:/dev/ttyNOT0"
      let source = CardReader(name: "A reader", connstring: try LibNFCConnstring(text)).source(timeout: .seconds(1))
      #expect(await !source.isAvailable())
      #expect(await Self.error { try await source.withCard { _ in } } == .deviceNotFound(reader: text))
    }

    @Test("composes answers to reset from any activation data")
    func hostileActivations() async throws {
      for length in [1, 2, 5, 16, 17, 40, 200] {
        for format in [0x00, 0x70, 0x78, 0xFF] as [UInt8] {
          var ats = [UInt8](repeating: format, count: length)
          ats[0] = UInt8(length)
          let card = ContactlessCard(.a(identifier: [1, 2, 3, 4], selectAcknowledge: 0x20, answerToSelect: ats)) { _ in
            [0x90, 0]
          }
          let reader = try PN532(card)
          let found = try await Self.card(reader)
          let historical = max(0, length - 2 - (format & 0x70).nonzeroBitCount)
          #expect(found.answerToReset?.historicalBytes.count == min(15, historical))
          await found.disconnect()
        }
      }
    }
  }
}
