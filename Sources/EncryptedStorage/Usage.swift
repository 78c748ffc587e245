/// What an owner's files come to.
struct Usage: Equatable, Sendable {
  var entries = 0
  /// Of the files, in bytes.
  var bytes = 0

  /// The usage once a file of `old` bytes (nil: none) is one of `new` bytes (nil: none).
  func changed(from old: Int?, to new: Int?) -> Usage {
    Usage(
      entries: entries + (new == nil ? 0 : 1) - (old == nil ? 0 : 1), bytes: bytes + (new ?? 0) - (old ?? 0))
  }

  func fits(_ limits: StorageLimits) -> Bool {
    entries <= limits.entriesPerOwner && bytes <= limits.bytesPerOwner
  }

  /// Whether it is in no respect more than the other.
  func isWithin(_ other: Usage) -> Bool { entries <= other.entries && bytes <= other.bytes }
}
