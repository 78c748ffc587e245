import TesseraReaders
import TesseraSmartCard
import TesseraThreads
import TesseraVirtualChip

/// The commands of a read, as they reached the chip, and its responses.
struct RecordedExchange: Sendable {
  var command: [UInt8]
  var response: [UInt8]

  /// Whether this is a command of Chip Authentication: GENERAL AUTHENTICATE under secure messaging.
  var isChipAuthentication: Bool { command.starts(with: [0x0C, 0x86]) }

  /// Whether this is INTERNAL AUTHENTICATE.
  var isActiveAuthentication: Bool { command.count > 1 && command[1] == 0x88 }
}

/// A channel of a desk that lies: it may send another command, ask another chip, or make up the response.
struct LyingChannel: CardChannel {
  /// Called for each command with its number, counted from 0.
  typealias Lie = @Sendable (_ chip: any CardChannel, _ command: [UInt8], _ number: Int) async throws -> [UInt8]

  let base: any CardChannel
  let exchanges: Locked<[RecordedExchange]>
  let lie: Lie

  func transmit(_ command: [UInt8]) async throws -> [UInt8] {
    let response = try await lie(base, command, exchanges.withLock { $0.count })
    exchanges.withLock { $0.append(RecordedExchange(command: command, response: response)) }
    return response
  }

  func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
}

/// What a desk says of its reader.
struct ClaimedLimits: Sendable {
  var extended: Int?
  var command: Int?
}

/// A chip on the reader of a desk that lies about it, for one read.
struct LyingSource: Sendable {
  let profile: ChipProfile
  let files: ChipFiles
  /// The limits in place of the true ones.
  var limits: ClaimedLimits?
  var lie: LyingChannel.Lie = { chip, command, _ in try await chip.transmit(command) }
  /// What passed the channel.
  let exchanges = Locked<[RecordedExchange]>([])

  init(_ profile: ChipProfile, _ files: ChipFiles) {
    self.profile = profile
    self.files = files
  }

  /// A fresh chip each time.
  var source: CardSource {
    CardSource { _ in
      let card = VirtualCard.card(try Chip(profile: profile, files: files))
      let channel = LyingChannel(base: card.channel, exchanges: exchanges, lie: lie)
      guard let limits else { return card.replacing(channel: channel) }
      return Card(
        channel: channel, readerName: card.readerName, answerToReset: card.answerToReset,
        extendedLengthLimit: limits.extended, commandLengthLimit: limits.command)
    }
  }

  /// The channel to a fresh chip.
  static func channel(_ profile: ChipProfile, _ files: ChipFiles) throws -> any CardChannel {
    VirtualCard.card(try Chip(profile: profile, files: files)).channel
  }
}
