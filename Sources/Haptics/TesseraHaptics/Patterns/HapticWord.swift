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
