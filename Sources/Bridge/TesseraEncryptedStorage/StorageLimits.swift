/// The quotas of an encrypted store.
public struct StorageLimits: Sendable, Equatable {
  /// The maximum size of a value, in bytes.
  public var entry: Int
  /// The maximum number of entries of one owner, in all collections.
  public var entriesPerOwner: Int
  /// The maximum total size of the files of one owner, in bytes.
  public var bytesPerOwner: Int
  /// The maximum wait for a process that changes entries of the same owner.
  public var lockTimeout: Duration

  public init(
    entry: Int = 16 << 20, entriesPerOwner: Int = 10_000, bytesPerOwner: Int = 256 << 20,
    lockTimeout: Duration = .seconds(10)
  ) {
    self.entry = entry
    self.entriesPerOwner = entriesPerOwner
    self.bytesPerOwner = bytesPerOwner
    self.lockTimeout = lockTimeout
  }
}
