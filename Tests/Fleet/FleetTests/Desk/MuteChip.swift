import FleetLab
import TesseraReaders
import TesseraSmartCard
import TesseraThreads
import TesseraVirtualChip

/// A chip whose reader answers one command, counted from 0, only after `release()`, even if the read is cancelled.
final class MuteChip: Sendable {
  private struct State {
    var commands = 0
    var sessions = 0
  }

  private let state = Locked(State())
  private let document: LabDocument
  private let index: Int
  /// Settled once the chip falls silent.
  let silence = FirstResult<Void>()
  private let answer = FirstResult<Void>()

  init(_ document: LabDocument, before index: Int) {
    self.document = document
    self.index = index
  }

  /// How often the session of the chip was ended by its desk.
  var endedSessions: Int { state.withLock { $0.sessions } }

  func release() { answer.settle(.success(())) }

  var source: CardSource {
    CardSource { [self] _ in
      let card = VirtualCard.card(try Chip(profile: document.profile, files: document.document.files))
      return Card(
        channel: Channel(base: card.channel, chip: self), readerName: card.readerName,
        answerToReset: card.answerToReset, finish: { [self] in state.withLock { $0.sessions += 1 } })
    }
  }

  private struct Channel: CardChannel {
    let base: any CardChannel
    let chip: MuteChip

    func transmit(_ command: [UInt8]) async throws -> [UInt8] {
      let isMute = chip.state.withLock { state in
        defer { state.commands += 1 }
        return state.commands == chip.index
      }
      if isMute {
        chip.silence.settle(.success(()))
        try await chip.answer.value
      }
      return try await base.transmit(command)
    }

    func awaitReturn(within time: Duration) async throws { try await base.awaitReturn(within: time) }
  }
}
