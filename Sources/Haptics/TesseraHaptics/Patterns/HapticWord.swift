/// A predefined haptic effect, as in the bridge protocol and in the mobile platforms.
public enum HapticWord: Sendable, Hashable {
  /// A collision of two objects.
  public enum Impact: String, Sendable, CaseIterable {
    case light, medium, heavy, rigid, soft
  }

  /// The result of an action.
  public enum Notification: String, Sendable, CaseIterable {
    case success, warning, error
  }

  case impact(Impact)
  case notification(Notification)
  /// A selection changed.
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
