/// How much a store takes.
public struct StorageLimits: Sendable, Equatable {
  /// Of one entry's value, in bytes.
  public var entry: Int
  /// How many entries one owner has, in all collections.
  public var entriesPerOwner: Int
  /// Of one owner's files together, in bytes.
  public var bytesPerOwner: Int
  /// How long a writer waits for another process that changes the same owner's entries.
  public var patience: Duration

  public init(
    entry: Int = 16 << 20, entriesPerOwner: Int = 10_000, bytesPerOwner: Int = 256 << 20,
    patience: Duration = .seconds(10)
  ) {
    self.entry = entry
    self.entriesPerOwner = entriesPerOwner
    self.bytesPerOwner = bytesPerOwner
    self.patience = patience
  }
}
