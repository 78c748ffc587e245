import SmartCard
import VirtualChip

/// Where a card comes from.
public enum CardSource: Sendable {
  /// A PC/SC reader.
  case pcsc(CardSelection)
  /// A software chip in this process.
  case virtual(ChipProfile, ChipFiles)

  /// The card, waited for where that makes sense.
  ///
  /// - Parameter onWaiting: is called once when no card is there yet.
  /// - Throws: `CardError`, `ChipFilesError`, `CancellationError`.
  public func card(onWaiting: @Sendable () -> Void = {}) async throws -> Card {
    switch self {
    case .pcsc(let selection): return try await PCSCContext().card(selection, onWaiting: onWaiting)
    case .virtual(let profile, let files): return VirtualCard.card(try Chip(profile: profile, files: files))
    }
  }

  /// Whether a card could come from here at all: a reader is plugged in, or none is needed.
  public func isAvailable() async -> Bool {
    guard case .pcsc(let selection) = self else { return true }
    guard let readers = try? await PCSCContext().readers() else { return false }
    guard let name = selection.readerName else { return !readers.isEmpty }
    return readers.contains { $0.name.lowercased().contains(name.lowercased()) }
  }
}
