import FoundationEssentials

/// The label of an object during a change, and after a crash in between.
struct ReservedLabel {
  private static let unfinishedPrefix = "tessera-unfinished "
  private static let replacingPrefix = "tessera-replacing "

  /// When the change began, in seconds since 1970.
  private let time: Int
  /// For the public object of a new key: `CKA_ID` of the key that it replaces, in hexadecimal digits.
  let replaced: String?

  private init(time: Int, replaced: String?) {
    self.time = time
    self.replaced = replaced
  }

  static var unfinished: ReservedLabel { ReservedLabel(replacing: nil) }

  init(replacing old: TokenObjects.PrivateKey?) {
    self.init(time: Int(Date.now.timeIntervalSince1970), replaced: old.map { $0.identifier.hexadecimal.lowercased() })
  }

  /// nil for any other label.
  init?(_ label: [UInt8]) {
    guard Self.isReserved(label) else { return nil }
    let words = String(decoding: label, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    let isReplacing = label.starts(with: Self.replacingPrefix.utf8)
    // Without a time it is old.
    self.init(time: Int(words[1]) ?? 0, replaced: isReplacing ? words.count > 2 ? String(words[2]) : "" : nil)
  }

  var bytes: [UInt8] {
    Array((replaced.map { "\(Self.replacingPrefix)\(time) \($0)" } ?? "\(Self.unfinishedPrefix)\(time)").utf8)
  }

  /// Whether no running process can be in the middle of this change.
  var isOld: Bool { Date.now.timeIntervalSince1970 - Double(time) > 600 }

  static func isReserved(_ label: [UInt8]) -> Bool {
    label.starts(with: unfinishedPrefix.utf8) || label.starts(with: replacingPrefix.utf8)
  }
}
