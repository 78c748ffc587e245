import TesseraFlowDocument
import TesseraJSON

/// The elements that hold an answer.
extension FlowConfigDecoder {
  // MARK: - Fields

  mutating func entry(_ type: String, _ object: FlowObject) -> FlowEntry {
    var entry =
      switch type {
      case "email": FlowEntry(kind: .email, placeholder: "email@example.com")
      case "phone": FlowEntry(kind: .phone(countryCode: country(object) ?? "US"), placeholder: "Phone number")
      case "number": FlowEntry(kind: .number(numberRange(object)), placeholder: "0")
      default: FlowEntry(kind: inputKind(object))
      }
    entry.placeholder = content("placeholder", in: object) ?? entry.placeholder
    entry.label = content("label", in: object)
    entry.isRequired = flag("required", in: object) ?? false
    entry.variableKey = name("variableKey", in: object)
    entry.backgroundColor = color("backgroundColor", in: object)
    entry.border = border(object)
    entry.tapBehaviors = tapBehaviors(object)
    return entry
  }

  /// The kind of an `input`. Its limits, its steps and its flag are those that it says, and no others.
  private mutating func inputKind(_ object: FlowObject) -> FlowEntry.Kind {
    switch word("inputType", in: object, FlowDocumentWords.entries) ?? .text {
    case .text: return .text
    case .email: return .email
    case .phone: return .phone(countryCode: country(object) ?? "")
    case .number:
      var range = numberRange(object)
      range.stepRange = nil
      return .number(range)
    }
  }

  private mutating func country(_ object: FlowObject) -> String? {
    guard let code = name("countryCode", in: object) else { return nil }
    if FlowDocumentWords.countries.contains(code) { return code }
    warning("There is no flag for this country, so that of the US is shown.", object.path("countryCode"))
    return "US"
  }

  private mutating func numberRange(_ object: FlowObject) -> FlowNumberRange {
    var range = FlowNumberRange()
    range.minimum = number("min", in: object, FlowConfigLimits.number)
    range.maximum = number("max", in: object, FlowConfigLimits.number)
    if let minimum = range.minimum, let maximum = range.maximum, minimum > maximum {
      warning("“min” is greater than “max”, so they are exchanged.", object.path("min"))
      (range.minimum, range.maximum) = (maximum, minimum)
    }
    if let step = number("step", in: object, FlowConfigLimits.number) {
      if step > 0 {
        range.step = step
      } else {
        warning("The step is not positive, so it is 1.", object.path("step"))
      }
    }
    range.showsStepper = flag("showStepper", in: object) ?? range.showsStepper
    return range
  }

  // MARK: - Switches and dates

  mutating func toggle(_ object: FlowObject) -> FlowToggle {
    var toggle = FlowToggle()
    toggle.label = content("label", in: object) ?? toggle.label
    toggle.labelPosition = word("labelPosition", in: object, ["left": .left, "right": .right]) ?? toggle.labelPosition
    let standard = flag("defaultValue", in: object)
    toggle.initialValue = flag("value", in: object) ?? standard ?? false
    toggle.onColor = color("onColor", in: object) ?? toggle.onColor
    toggle.offColor = color("offColor", in: object)
    toggle.thumbColor = color("thumbColor", in: object)
    toggle.variableKey = name("variableKey", in: object)
    return toggle
  }

  mutating func datePicker(_ object: FlowObject) -> FlowDatePicker {
    var picker = FlowDatePicker()
    picker.label = content("label", in: object)
    picker.mode = word("mode", in: object, FlowDatePicker.Mode.self) ?? picker.mode
    picker.isRequired = flag("required", in: object) ?? false
    picker.variableKey = name("variableKey", in: object)
    return picker
  }

  // MARK: - Choices

  mutating func choice(_ style: FlowChoice.Style, _ object: FlowObject) -> FlowChoice {
    var choice = FlowChoice(style: style)
    switch style {
    case .choice:
      choice.allowsMultiple = word("selectionMode", in: object, ["single": false, "multiple": true]) ?? false
      choice.textColor = color("textColor", in: object) ?? choice.textColor
      choice.backgroundColor = color("optionBackgroundColor", in: object) ?? choice.backgroundColor
    case .options:
      choice.allowsMultiple = flag("multiple", in: object) ?? false
      choice.textColor = color("optionTextColor", in: object) ?? choice.textColor
      choice.backgroundColor = color("optionBackgroundColor", in: object) ?? choice.backgroundColor
    }
    choice.label = content("label", in: object)
    choice.isRequired = flag("required", in: object) ?? false
    choice.layout = name("layout", in: object)
    choice.checkboxPosition =
      word("checkboxPosition", in: object, FlowChoice.CheckboxPosition.self) ?? choice.checkboxPosition
    choice.borderColor = color("optionBorderColor", in: object) ?? choice.borderColor
    choice.borderRadius = length("optionBorderRadius", in: object) ?? choice.borderRadius
    choice.selectedBackgroundColor = color("selectedBackgroundColor", in: object) ?? choice.selectedBackgroundColor
    choice.selectedBorderColor =
      color("selectedBorderColor", in: object)
      ?? (style == .choice ? choice.selectedBorderColor : choice.selectedBackgroundColor)
    choice.selectedTextColor = color("selectedTextColor", in: object) ?? choice.selectedTextColor
    choice.variableKey = name("variableKey", in: object)
    choice.options = options(style, object)
    choice.initialSelection = initialSelection(choice, object)
    return choice
  }

  private mutating func options(_ style: FlowChoice.Style, _ object: FlowObject) -> [FlowChoice.Option] {
    let values = array("options", in: object)
    guard countOptions(values.count, object.path("options")) else { return [] }
    var options: [FlowChoice.Option] = []
    var paths: [[FlowProblem.Step]] = []
    for (index, value) in values.enumerated() {
      let path = object.path("options") + [.element(index)]
      guard let object = entry(value, path, "option") else { continue }
      guard let label = content("label", in: object) else {
        error("The option has no “label”, so it is left out.", path)
        continue
      }
      let value = content("value", in: object)
      guard style == .choice || value != nil else {
        error("The option has no “value”, which those of “options” need, so it is left out.", path)
        continue
      }
      options.append(
        FlowChoice.Option(
          id: name("id", in: object) ?? "", label: label, value: value, icon: content("icon", in: object)))
      paths.append(path)
    }
    let ids = uniqueNames(options.map(\.id), generated: "option", paths)
    for index in options.indices { options[index].id = ids[index] }
    return options
  }

  /// `defaultValue` has ids of options, one or several.
  private mutating func initialSelection(_ choice: FlowChoice, _ object: FlowObject) -> [String] {
    var wanted: Set<UTF8Text> = []
    switch object["defaultValue"] {
    case nil: return []
    case .array(let values)?:
      for (index, value) in values.enumerated() {
        if let id = text(value, object.path("defaultValue") + [.element(index)]) { wanted.insert(UTF8Text(id)) }
      }
    case let value?:
      guard let id = text(value, object.path("defaultValue")) else { return [] }
      // An empty text is what the builder writes for “none”.
      guard !id.isEmpty else { return [] }
      wanted.insert(UTF8Text(id))
    }
    let ids = choice.options.map(\.id).filter { wanted.contains(UTF8Text($0)) }
    if ids.count < wanted.count {
      warning("No option has this “id”, so it is not chosen.", object.path("defaultValue"))
    }
    guard !choice.allowsMultiple, ids.count > 1 else { return ids }
    warning("Only one option can be chosen, so the others are not.", object.path("defaultValue"))
    return [ids[0]]
  }
}
