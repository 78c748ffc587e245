import Synchronization
import TestSupport
import Testing

@testable import TesseraSmartCard

@Suite("Batches of commands")
struct CommandBatchTests {
  /// Answers each command with the next response, and notes the commands.
  private actor Script: CardChannel {
    private var responses: [Result<[UInt8], CardError>]
    private(set) var commands: [[UInt8]] = []
    /// The sizes of the batches; empty if commands came one by one.
    private(set) var batches: [Int] = []
    nonisolated let prefersBatches: Bool

    init(_ responses: [Result<[UInt8], CardError>], prefersBatches: Bool = false) {
      self.responses = responses
      self.prefersBatches = prefersBatches
    }

    func transmit(_ command: [UInt8]) throws -> [UInt8] {
      commands.append(command)
      return try responses.removeFirst().get()
    }

    func transmit(_ batch: CommandBatch) async throws -> BatchResponses {
      batches.append(batch.entries.count)
      return try await transmitOneByOne(batch)
    }
  }

  private static let success: [UInt8] = [0x90, 0x00]

  private static func batch(_ count: Int, length: Int = 5) -> CommandBatch {
    CommandBatch(
      (0..<count).map { .init(command: [0, 0xB0, 0, UInt8($0)] + [UInt8](repeating: 9, count: length - 4)) })
  }

  // MARK: - The rule

  @Test(
    "continue after 9000, and after the warnings that the command allows",
    arguments: [
      ([0x90, 0x00], [], true), ([0x62, 0x82], [], false), ([0x62, 0x82], .endOfFile, true),
      ([0x62, 0x82], .triesLeft, false), ([0x62, 0x81], .endOfFile, false), ([0x63, 0xC3], [], false),
      ([0x63, 0xC2], .triesLeft, true), ([0x63, 0xC2], .endOfFile, false), ([0x63, 0xC1], .triesLeft, false),
      ([0x63, 0xC0], .triesLeft, false), ([0x63, 0x00], [.triesLeft, .endOfFile], false),
      ([0x61, 0x10], [.triesLeft, .endOfFile], false), ([0x6C, 0x10], [], false), ([0x6A, 0x82], [], false),
    ] as [([UInt8], CommandBatch.Warnings, Bool)])
  func status(_ status: [UInt8], _ warnings: CommandBatch.Warnings, _ continues: Bool) {
    let entry = CommandBatch.Entry(command: [0, 0xB0, 0, 0], leastResponse: 4, warnings: warnings)
    let batch = CommandBatch([entry, entry])
    #expect(batch.continues(after: [1, 2] + status, at: 0) == continues)
    // Shorter than the next command relies on.
    #expect(!batch.continues(after: [1] + status, at: 0))
    // Nothing follows the last command.
    #expect(!batch.continues(after: [1, 2] + status, at: 1))
  }

  @Test(
    "end at a response without a status word, and at an index that they do not have", arguments: [-1, 1, 2, Int.max])
  func bounds(_ index: Int) {
    let entry = CommandBatch.Entry(command: [0, 0xB0, 0, 0], leastResponse: 0)
    #expect(CommandBatch([entry, entry]).continues(after: Self.success, at: 0))
    #expect(!CommandBatch([entry, entry]).continues(after: Self.success, at: index))
    #expect(!CommandBatch([entry, entry]).continues(after: [0x90], at: 0))
    #expect(!CommandBatch([entry, entry]).continues(after: [], at: 0))
    #expect(!CommandBatch([]).continues(after: Self.success, at: 0))
  }

  // MARK: - The default

  @Test("are sent one by one by a channel that does not say otherwise, until a response stops them")
  func oneByOne() async throws {
    let channel = Script([.success(Self.success), .success([1, 0x90, 0x00]), .success([0x6A, 0x82])])
    let result = try await channel.transmitOneByOne(Self.batch(5))
    #expect(result.responses == [Self.success, [1, 0x90, 0x00], [0x6A, 0x82]] && result.error == nil)
    #expect(await channel.commands == Self.batch(5).entries.prefix(3).map(\.command))
    #expect(!FaultFree().prefersBatches)
    let complete = try await FaultFree().transmit(Self.batch(3))
    #expect(complete.responses.count == 3 && complete.error == nil)
    #expect(try await FaultFree().transmit(CommandBatch([])).responses.isEmpty)
  }

  private struct FaultFree: CardChannel {
    func transmit(_ command: [UInt8]) -> [UInt8] { CommandBatchTests.success }
  }

  @Test("report an error of a later command with the responses before it, and throw one of the first")
  func errors() async throws {
    let lost = Script([.success(Self.success), .success(Self.success), .failure(.cardRemoved)])
    let result = try await lost.transmitOneByOne(Self.batch(5))
    #expect(result.responses.count == 2 && result.error as? CardError == .cardRemoved)
    #expect(await lost.commands.count == 3)
    let mute = Script([.failure(.mute)])
    await #expect(throws: CardError.mute) { _ = try await mute.transmitOneByOne(Self.batch(5)) }
  }

  // MARK: - Channels around channels

  private static func traced(
    _ base: any CardChannel, _ count: Int
  ) async -> (result: Result<BatchResponses, any Error>, lines: [String]) {
    let lines = Mutex<[String]>([])
    let channel = TracingChannel(base, plain: true) { line in lines.withLock { $0.append(line) } }
    #expect(channel.prefersBatches == base.prefersBatches)
    do {
      return (.success(try await channel.transmit(batch(count))), lines.withLock { $0 })
    } catch {
      return (.failure(error), lines.withLock { $0 })
    }
  }

  @Test("are passed on and traced exchange by exchange", arguments: [true, false])
  func tracing(_ prefersBatches: Bool) async throws {
    let whole = Script([.success([7, 0x90, 0x00]), .success([0x6A, 0x82])], prefersBatches: prefersBatches)
    let (result, lines) = await Self.traced(whole, 3)
    #expect(try result.get().responses.count == 2)
    #expect(await whole.batches == [3])
    #expect(lines == ["> 00B00000 09", "< 07 9000", "> 00B00001 09", "< 6A82"])
  }

  @Test("are traced with the command that failed")
  func tracingFailures() async throws {
    let (result, lines) = await Self.traced(Script([.success(Self.success), .failure(.cardRemoved)]), 3)
    #expect(try result.get().error as? CardError == .cardRemoved)
    #expect(lines == ["> 00B00000 09", "< 9000", "> 00B00001 09", "! CardError"])
    let (failure, first) = await Self.traced(Script([.failure(.cardRemoved)]), 3)
    #expect(throws: CardError.cardRemoved) { try failure.get() }
    #expect(first == ["> 00B00000 09", "! CardError"])
  }

  @Test("pass a chaining channel as they are only if the reader can send every command", arguments: [true, false])
  func chaining(_ fits: Bool) async throws {
    // An extended APDU of 300 bytes, which takes two parts.
    let long: [UInt8] = [0, 0x86, 0, 0, 0, 1, 44] + [UInt8](repeating: 5, count: 300)
    let last = fits ? [0, 0xB0, 0, 0, 9] : long
    let base = Script(Array(repeating: .success(Self.success), count: 3), prefersBatches: true)
    let channel = ChainingChannel(base, commandLengthLimit: 261)
    #expect(channel.prefersBatches)
    let result = try await channel.transmit(CommandBatch([.init(command: [0, 0xB0, 0, 0, 9]), .init(command: last)]))
    #expect(result.responses == [Self.success, Self.success])
    #expect(await base.batches == (fits ? [2] : []))
    #expect(await base.commands.count == (fits ? 2 : 3))
  }
}
