internal import TesseraJSON

extension PageMessage {
  /// Reads a message: JSON of an object, or one of the older texts. Objects of a page arrive as JSON, too.
  ///
  /// - Returns: nil if the message is unknown or malformed; it is then ignored.
  package init?(text: String) {
    // Most of the older texts are no JSON. What parses as another JSON value than an object is an unknown text.
    if text.utf8.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") {
      guard case .object(let members)? = try? JSONValue(text: text), let type = members["type"]?.stringValue else {
        return nil
      }
      self.init(type: type, members)
    } else {
      self.init(olderText: text)
    }
  }

  private init?(type: String, _ members: JSONObject) {
    func text(_ name: String) -> String? { members[name]?.stringValue }
    let animation = NavigationAnimation(name: text("animation"))
    switch type {
    case "rampkit:continue", "continue": self = .continue(animation)
    case "rampkit:navigate": self = .navigate(target: text("targetScreenId"), animation)
    case "rampkit:goBack": self = .goBack(animation)
    case "rampkit:close": self = .close
    case "rampkit:haptic":
      self = .haptic(
        HapticWord(type: text("hapticType"), impact: text("impactStyle"), notification: text("notificationType")))
    // The published examples of the SDK have some types without their prefix.
    case "rampkit:request-review", "rampkit:review", "request-review": self = .requestReview
    case "rampkit:request-notification-permission", "request-notification-permission":
      self = .requestNotificationPermission(NotificationPermissionOptions(members))
    case "rampkit:onboarding-finished": self = .onboardingFinished(payload: members["payload"])
    case "rampkit:show-paywall": self = .showPaywall(payload: members["payload"])
    case "rampkit:variables":
      guard case .object(let variables)? = members["vars"] else { return nil }
      self = .variables(variables)
    case "rampkit:request-vars": self = .requestVariables
    case "rampkit:input-blur":
      guard let name = text("variableName") else { return nil }
      self = .inputBlur(variable: name)
    case "rampkit:event":
      guard let name = text("eventName"), !name.isEmpty else { return nil }
      var properties = JSONObject()
      if case .object(let members)? = members["properties"] { properties = members }
      self = .event(name: name, properties: properties)
    case "rampkit:option-selected":
      guard let id = text("optionId") else { return nil }
      self = .optionSelected(id: id, value: members["optionValue"], question: text("questionId"))
    case "rampkit:cta-tap": self = .ctaTap(button: text("buttonId"), text: text("buttonText"))
    case "rampkit:open-url":
      guard let address = text("url") else { return nil }
      self = .openURL(address)
    case "rampkit:debug": self = .debug(text("message") ?? "")
    default: return nil
    }
  }

  private init?(olderText text: String) {
    switch text {
    case "rampkit:tap", "next", "continue", "rampkit:continue": self = .continue(.fade, isTap: false)
    case "rampkit:goBack": self = .goBack(.fade, isTap: false)
    case "rampkit:close": self = .close
    // The published examples of the SDK have some types without their prefix.
    case "rampkit:request-review", "rampkit:review", "request-review": self = .requestReview
    case "rampkit:request-notification-permission", "request-notification-permission":
      self = .requestNotificationPermission(NotificationPermissionOptions())
    case "rampkit:onboarding-finished": self = .onboardingFinished(payload: nil)
    case "rampkit:show-paywall": self = .showPaywall(payload: nil)
    case _ where text.hasPrefix("haptic:"): self = .haptic(.impact(.medium))
    case _ where text.hasPrefix("rampkit:navigate:"):
      self = .navigate(target: String(text.dropFirst("rampkit:navigate:".count)), .fade, isTap: false)
    default: return nil
    }
  }
}

extension NotificationPermissionOptions {
  fileprivate init(_ members: JSONObject) {
    func flag(_ group: String, _ name: String, _ older: String? = nil) -> Bool {
      for value in [members[group]?[name], older.flatMap { members["options"]?[$0] }] {
        if case .bool(let flag)? = value { return flag }
      }
      return true
    }
    allowsAlert = flag("ios", "allowAlert", "alert")
    allowsBadge = flag("ios", "allowBadge", "badge")
    allowsSound = flag("ios", "allowSound", "sound")
    channelName = members["android"]?["name"]?.stringValue
    showsBanner = flag("behavior", "shouldShowBanner")
    playsSound = flag("behavior", "shouldPlaySound")
  }
}
