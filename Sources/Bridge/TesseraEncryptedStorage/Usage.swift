/// The storage usage of one owner.
struct Usage: Equatable, Sendable {
  var entries = 0
  /// The total size of the files.
  var bytes = 0

  /// The usage after a file of `old` bytes (nil: none) was replaced by one of `new` bytes (nil: none).
  func changed(from old: Int?, to new: Int?) -> Usage {
    Usage(
      entries: entries + (new == nil ? 0 : 1) - (old == nil ? 0 : 1), bytes: bytes + (new ?? 0) - (old ?? 0))
  }

  func fits(_ limits: StorageLimits) -> Bool {
    entries <= limits.entriesPerOwner && bytes <= limits.bytesPerOwner
  }

  /// Whether neither number exceeds that of the other usage.
  func isWithin(_ other: Usage) -> Bool { entries <= other.entries && bytes <= other.bytes }
}
