import TesseraJSON

extension FlowElement {
  /// The `type` of the document. An `input` for an address, a phone number or a number has the element of that kind.
  public var type: String {
    switch content {
    case .stack: "stack"
    case .text: "text"
    case .image: "image"
    case .button: "button"
    case .entry(let entry): entry.type
    case .toggle: "toggle"
    case .datePicker: "datepicker"
    case .choice(let choice): choice.style == .choice ? "choice" : "options"
    case .progressBar: "progressbar"
    case .unknown(let type): type
    }
  }

  /// The element with all values written out.
  var json: JSONValue {
    var list = MemberList()
    if hasOwnId { list.add("id", id) }
    list.add("type", type)
    list.add("padding", padding?.json)
    list.add("margin", margin?.json)
    list.add("width", width?.json)
    list.add("height", height?.json)
    switch content {
    case .stack(let stack): stack.add(to: &list)
    case .text(let text): text.add(to: &list)
    case .image(let image): image.add(to: &list)
    case .button(let button): button.add(to: &list)
    case .entry(let entry): entry.add(to: &list)
    case .toggle(let toggle): toggle.add(to: &list)
    case .datePicker(let picker): picker.add(to: &list)
    case .choice(let choice): choice.add(to: &list)
    case .progressBar(let bar): bar.add(to: &list)
    case .unknown: break
    }
    return list.json
  }
}

extension FlowStack {
  fileprivate func add(to list: inout MemberList) {
    list.add("axis", axis.rawValue)
    list.add("spacing", spacing)
    list.add("distribution", Self.word(distribution))
    list.add("alignItems", Self.word(alignItems))
    list.add("backgroundColor", backgroundColor)
    border.add(to: &list)
    list.add("useGlassEffect", glass != nil)
    list.add("glassEffectStyle", glass?.rawValue)
    list.add("tapBehaviors", tapBehaviors, \.json)
    list.add("children", children, \.json)
  }

  private static func word(_ distribution: Distribution) -> String {
    switch distribution {
    case .start: "start"
    case .center: "center"
    case .end: "end"
    case .spaceBetween: "space-between"
    case .spaceAround: "space-around"
    case .spaceEvenly: "space-evenly"
    }
  }

  private static func word(_ alignment: Alignment) -> String {
    switch alignment {
    case .start: "start"
    case .center: "center"
    case .end: "end"
    }
  }
}

extension FlowBorder {
  fileprivate func add(to list: inout MemberList) {
    list.add("borderRadius", radius)
    list.add("borderColor", color)
    list.add("borderWidth", width)
  }
}

extension FlowText {
  fileprivate func add(to list: inout MemberList) {
    let alignment =
      switch alignment {
      case .left: "left"
      case .center: "center"
      case .right: "right"
      }
    list.add("content", content)
    list.add("fontSize", fontSize)
    list.add("color", color)
    list.add("alignment", alignment)
    list.add("fontWeight", weight.rawValue)
    list.add("tapBehaviors", tapBehaviors, \.json)
  }
}

extension FlowImage {
  fileprivate func add(to list: inout MemberList) {
    list.add("url", url)
    list.add("alt", alt)
    list.add("objectFit", fit == .cover ? "cover" : "contain")
    list.add("borderRadius", borderRadius)
    list.add("tapBehaviors", tapBehaviors, \.json)
  }
}

extension FlowButton {
  fileprivate func add(to list: inout MemberList) {
    list.add("text", text)
    list.add("action", action?.rawValue)
    list.add("style", style == .outline ? "outline" : "filled")
    list.add("backgroundColor", backgroundColor)
    list.add("textColor", textColor)
    list.add("borderRadius", borderRadius)
    list.add("tapBehaviors", tapBehaviors, \.json)
    list.add("children", children, \.json)
  }
}

extension FlowProgressBar {
  fileprivate func add(to list: inout MemberList) {
    list.add("progress", progress)
    list.add("barColor", barColor)
    list.add("trackColor", trackColor)
  }
}

extension TapBehavior {
  fileprivate var json: JSONValue {
    var list = MemberList()
    switch kind {
    case .navigate(let screenId):
      list.add("type", "navigate")
      list.add("targetScreenId", screenId)
    case .back: list.add("type", "back")
    case .complete: list.add("type", "complete")
    case .haptics(let intensity):
      list.add("type", "haptics")
      list.add("intensity", intensity.rawValue)
    case .bump(let scale):
      list.add("type", "bump")
      list.add("scale", scale)
    case .opacity(let opacity):
      list.add("type", "opacity")
      list.add("targetOpacity", opacity)
    }
    list.add("delay", delay)
    list.add("duration", duration)
    return list.json
  }
}

extension FlowEntry {
  fileprivate var type: String {
    switch kind {
    case .text: "input"
    // Without a flag it is an `input`; the element of the kind has always one.
    case .phone(let code): code.isEmpty ? "input" : "phone"
    case .email: "email"
    case .number(let range): range.stepRange == nil ? "input" : "number"
    }
  }

  fileprivate func add(to list: inout MemberList) {
    switch kind {
    case .text, .email: break
    case .phone(let code) where code.isEmpty: list.add("inputType", "phone")
    case .phone(let code): list.add("countryCode", code)
    case .number(let range):
      if range.stepRange == nil { list.add("inputType", "number") }
      list.add("min", range.minimum)
      list.add("max", range.maximum)
      list.add("step", range.step)
      list.add("showStepper", range.showsStepper)
    }
    list.add("placeholder", placeholder)
    list.add("label", label)
    list.add("required", isRequired)
    list.add("variableKey", variableKey)
    list.add("backgroundColor", backgroundColor)
    border.add(to: &list)
    list.add("tapBehaviors", tapBehaviors, \.json)
  }
}

extension FlowToggle {
  fileprivate func add(to list: inout MemberList) {
    list.add("label", label)
    list.add("labelPosition", labelPosition == .right ? "right" : "left")
    list.add("value", initialValue)
    list.add("onColor", onColor)
    list.add("offColor", offColor)
    list.add("thumbColor", thumbColor)
    list.add("variableKey", variableKey)
  }
}

extension FlowDatePicker {
  fileprivate func add(to list: inout MemberList) {
    list.add("label", label)
    list.add("mode", mode.rawValue)
    list.add("required", isRequired)
    list.add("variableKey", variableKey)
  }
}

extension FlowChoice {
  fileprivate func add(to list: inout MemberList) {
    switch style {
    case .choice:
      list.add("selectionMode", allowsMultiple ? "multiple" : "single")
      list.add("textColor", textColor)
    case .options:
      list.add("multiple", allowsMultiple)
      list.add("optionTextColor", textColor)
    }
    list.add("label", label)
    list.add("required", isRequired)
    list.add("options", options, \.json)
    list.add("defaultValue", initialSelection, JSONValue.string)
    list.add("layout", layout)
    list.add("checkboxPosition", checkboxPosition.rawValue)
    list.add("optionBackgroundColor", backgroundColor)
    list.add("optionBorderColor", borderColor)
    list.add("optionBorderRadius", borderRadius)
    list.add("selectedBackgroundColor", selectedBackgroundColor)
    list.add("selectedBorderColor", selectedBorderColor)
    list.add("selectedTextColor", selectedTextColor)
    list.add("variableKey", variableKey)
  }
}

extension FlowChoice.Option {
  fileprivate var json: JSONValue {
    var list = MemberList()
    list.add("id", id)
    list.add("label", label)
    list.add("value", value)
    list.add("icon", icon)
    return list.json
  }
}
