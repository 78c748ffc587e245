/// The words in which content asks for haptics: those of the bridge and of the phones' systems.
public enum HapticWord: Sendable, Hashable {
  /// Something touched something.
  public enum Impact: String, Sendable, CaseIterable {
    case light, medium, heavy, rigid, soft
  }

  /// How something ended.
  public enum Notification: String, Sendable, CaseIterable {
    case success, warning, error
  }

  case impact(Impact)
  case notification(Notification)
  /// A choice moved on by one.
  case selection
}

extension HapticWord: CaseIterable {
  public static let allCases =
    Impact.allCases.map(HapticWord.impact) + Notification.allCases.map(HapticWord.notification) + [.selection]
}

extension HapticWord: CustomStringConvertible {
  public var description: String {
    switch self {
    case .impact(let style): "impact \(style.rawValue)"
    case .notification(let type): "notification \(type.rawValue)"
    case .selection: "selection"
    }
  }
}
