import SmartCard
import VirtualChip

/// Where a card comes from.
public enum CardSource: Sendable {
  /// The reader of either stack that has a card first. A PC/SC reader that holds one goes before libnfc.
  case any(CardSelection)
  /// A PC/SC reader.
  case pcsc(CardSelection)
  /// A device of libnfc's.
  ///
  /// - Parameter timeout: how long to wait for a card; nil waits for ever.
  case libnfc(LibNFCConnstring, timeout: Duration?)
  /// A software chip in this process.
  case virtual(ChipProfile, ChipFiles)

  /// Lends a card, waited for where that makes sense, and gives it back whatever happens.
  ///
  /// - Parameter onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`, `ChipFilesError`, `CancellationError`, and what `body` throws.
  public func withCard<Result>(
    onWaiting: @escaping @Sendable () -> Void = {}, _ body: (Card) async throws -> Result
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

  private func card(onWaiting: @escaping @Sendable () -> Void) async throws -> Card {
    switch self {
    case .any(let selection): return try await AnyReader.card(selection, onWaiting: onWaiting)
    case .libnfc(let connstring, let timeout):
      return try await LibNFCDevice(connstring).card(timeout: timeout, onWaiting: onWaiting)
    case .pcsc(let selection): return try await PCSCContext().card(selection, onWaiting: onWaiting)
    case .virtual(let profile, let files): return VirtualCard.card(try Chip(profile: profile, files: files))
    }
  }

  /// Whether a card could come from here at all: a reader is plugged in, or none is needed.
  public func isAvailable() async -> Bool {
    switch self {
    case .virtual: return true
    case .libnfc(let connstring, _): return connstring.isPluggedIn
    case .any(let selection):
      if LibNFCReader.all().contains(where: { $0.holder == nil }) { return true }
      return await CardSource.pcsc(selection).isAvailable()
    case .pcsc(let selection):
      guard let readers = try? await PCSCContext.look().get() else { return false }
      return readers.contains(where: selection.allows)
    }
  }
}
