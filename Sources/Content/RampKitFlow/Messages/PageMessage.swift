package import TesseraJSON

/// A message of a page to its host (Flows.md, rule 9).
package enum PageMessage: Sendable, Equatable {
  /// `rampkit:continue`; `isTap` is false for the form without JSON, which is not counted as a tap of a button.
  case `continue`(NavigationAnimation, isTap: Bool = true)
  case navigate(target: String?, NavigationAnimation, isTap: Bool = true)
  case goBack(NavigationAnimation, isTap: Bool = true)
  case close
  case haptic(HapticWord)
  case requestReview
  case requestNotificationPermission(NotificationPermissionOptions)
  case onboardingFinished(payload: JSONValue?)
  case showPaywall(payload: JSONValue?)
  case variables(JSONObject)
  case requestVariables
  case inputBlur(variable: String)
  case event(name: String, properties: JSONObject)
  case optionSelected(id: String, value: JSONValue?, question: String?)
  case ctaTap(button: String?, text: String?)
  /// An address to open outside of the flow. This is an addition of ours: a page of a flow opens no window.
  case openURL(String)
  case debug(String)
}

/// How one page gives way to another.
package enum NavigationAnimation: String, Sendable, CaseIterable {
  case fade
  case slide
  case slideFade

  /// The animation of this name in any case; an unknown one is `fade`.
  package init(name: String?) {
    let name = name?.lowercased() ?? ""
    self = Self.allCases.first { $0.rawValue.lowercased() == name } ?? .fade
  }
}

extension HapticWord {
  /// What a page wants the user to feel. The names are accepted in any case. Without a type it is an impact.
  init(type: String?, impact: String?, notification: String?) {
    switch type?.lowercased() {
    case "notification": self = .notification(notification.flatMap { .init(rawValue: $0.lowercased()) } ?? .success)
    case "selection": self = .selection
    default: self = .impact(impact.flatMap { .init(rawValue: $0.lowercased()) } ?? .medium)
    }
  }
}

/// What a page says about the notifications that it asks permission for. Linux has one permission for all of them.
package struct NotificationPermissionOptions: Sendable, Equatable {
  package var allowsAlert = true
  package var allowsBadge = true
  package var allowsSound = true
  /// Of Android's channel.
  package var channelName: String?
  package var showsBanner = true
  package var playsSound = true

  package init() {}
}
