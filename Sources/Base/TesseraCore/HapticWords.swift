/// The style of an impact.
public enum HapticImpactStyle: String, Sendable, CaseIterable {
  case light, medium, heavy, rigid, soft
}

/// The type of a notification.
public enum HapticNotificationType: String, Sendable, CaseIterable {
  case success, warning, error
}

/// A predefined haptic effect, as in the bridge protocol and in the mobile platforms.
public enum HapticWord: Sendable, Hashable {
  public typealias Impact = HapticImpactStyle
  public typealias Notification = HapticNotificationType

  /// A collision of two objects.
  case impact(Impact)
  /// The result of an action.
  case notification(Notification)
  /// A selection changed.
  case selection
}
