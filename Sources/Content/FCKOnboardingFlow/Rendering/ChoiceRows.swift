import TesseraJSON

/// The rows of a choice.
enum ChoiceRows {
  static func axis(_ layout: String?) -> FlowStack.Axis {
    switch layout {
    case "horizontal", "row", "inline", "grid": .horizontal
    default: .vertical
    }
  }

  static func options(_ choice: FlowChoice, selected: [String], on background: FlowColor?) -> [RenderOption] {
    let selected = Set(selected.map(UTF8Text.init))
    return choice.options.map { option in
      let isSelected = selected.contains(UTF8Text(option.id))
      let fill = isSelected ? choice.selectedBackgroundColor : choice.backgroundColor
      let textColor = isSelected ? choice.selectedTextColor : choice.textColor
      return RenderOption(
        id: option.id, label: option.label, icon: icon(option.icon), isSelected: isSelected, background: fill,
        border: RenderBorder(
          radius: FlowLayout.limited(choice.borderRadius), width: choice.style == .options ? 0 : isSelected ? 2 : 1,
          color: isSelected ? choice.selectedBorderColor : choice.borderColor),
        textColor: RenderInk.text(textColor, on: RenderInk.background(fill, on: background)))
    }
  }

  /// An emoji or another symbol. The names of the mobile platform's symbols mean nothing here, and are not drawn.
  private static func icon(_ icon: String?) -> String? {
    guard let icon, 1...32 ~= icon.utf8.count, icon.count <= 2, icon.unicodeScalars.contains(where: { !$0.isASCII })
    else { return nil }
    return icon
  }
}

/// The flag before a field for a phone number.
enum CountryFlag {
  /// Two characters of Unicode that are drawn as one flag: that of the US for a country that is not known
  /// (NativeScreens.md, rule 5).
  ///
  /// - Returns: nil if there is no country, as for an `input`.
  static func text(_ countryCode: String) -> String? {
    guard !countryCode.isEmpty else { return nil }
    let code = FlowDocumentWords.countries.contains(countryCode) ? countryCode : "US"
    return String(String.UnicodeScalarView(code.unicodeScalars.compactMap { Unicode.Scalar(0x1F1E6 + $0.value - 65) }))
  }
}
