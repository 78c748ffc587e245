import SmartCard
import VirtualChip

/// Where a card comes from.
public enum CardSource: Sendable {
  /// A PC/SC reader.
  case pcsc(CardSelection)
  /// A software chip in this process.
  case virtual(ChipProfile, ChipFiles)

  /// Lends a card, waited for where that makes sense, and gives it back whatever happens.
  ///
  /// - Parameter onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`, `ChipFilesError`, `CancellationError`, and what `body` throws.
  public func withCard<Result>(
    onWaiting: @Sendable () -> Void = {}, _ body: (Card) async throws -> Result
  ) async throws -> Result {
    let card = try await card(onWaiting: onWaiting)
    do {
      let result = try await body(card)
      await card.disconnect()
      return result
    } catch {
      await card.disconnect()
      throw error
    }
  }

  private func card(onWaiting: @Sendable () -> Void = {}) async throws -> Card {
    switch self {
    case .pcsc(let selection): return try await PCSCContext().card(selection, onWaiting: onWaiting)
    case .virtual(let profile, let files): return VirtualCard.card(try Chip(profile: profile, files: files))
    }
  }

  /// Whether a card could come from here at all: a reader is plugged in, or none is needed.
  public func isAvailable() async -> Bool {
    guard case .pcsc(let selection) = self else { return true }
    guard let readers = try? await PCSCContext().readers() else { return false }
    return readers.contains(where: selection.allows)
  }
}
