/// The style of an impact.
public enum HapticImpactStyle: String, Sendable, CaseIterable {
  case light, medium, heavy, rigid, soft
}

/// The type of a notification.
public enum HapticNotificationType: String, Sendable, CaseIterable {
  case success, warning, error
}
