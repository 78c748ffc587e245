import TesseraSmartCard
import Testing

@testable import TesseraFleet

@Suite("Batches of commands")
struct CommandBatchTests {
  /// Answers each command with the next response, and notes the commands.
  private actor Script: CardChannel {
    private var responses: [Result<[UInt8], CardError>]
    private(set) var commands: [[UInt8]] = []

    init(_ responses: [Result<[UInt8], CardError>]) { self.responses = responses }

    func transmit(_ command: [UInt8]) throws -> [UInt8] {
      commands.append(command)
      return try responses.removeFirst().get()
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

  // MARK: - One by one

  @Test("are sent one by one, until a response stops them")
  func oneByOne() async throws {
    let channel = Script([.success(Self.success), .success([1, 0x90, 0x00]), .success([0x6A, 0x82])])
    let result = try await channel.transmitOneByOne(Self.batch(5))
    #expect(result.responses == [Self.success, [1, 0x90, 0x00], [0x6A, 0x82]] && result.error == nil)
    #expect(await channel.commands == Self.batch(5).entries.prefix(3).map(\.command))
    let complete = try await FaultFree().transmitOneByOne(Self.batch(3))
    #expect(complete.responses.count == 3 && complete.error == nil)
    #expect(try await FaultFree().transmitOneByOne(CommandBatch([])).responses.isEmpty)
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
}
