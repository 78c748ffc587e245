/// Children beside or below each other.
package struct RenderStack: Sendable, Equatable {
  package var axis = FlowStack.Axis.vertical
  /// Between two children, in pixels.
  package var spacing = 0.0
  package var distribution = FlowStack.Distribution.start
  package var alignment = FlowStack.Alignment.center
}

/// A text that wraps.
package struct RenderText: Sendable, Equatable {
  package var content: String
  /// In pixels.
  package var size = 16.0
  package var weight = FlowText.Weight.regular
  package var color = RenderColor.theme
  package var alignment = FlowText.Alignment.left
}

extension FlowText.Weight {
  /// The weight of CSS, OpenType and Pango.
  package var number: Int {
    switch self {
    case .thin: 100
    case .light: 300
    case .regular: 400
    case .medium: 500
    case .semibold: 600
    case .bold: 700
    case .black: 900
    }
  }
}

/// A picture from the network. A grey place holder is drawn instead of one that is refused or fails.
package struct RenderPicture: Sendable, Equatable {
  /// An `https` address; nil if the document gives another kind, which is refused.
  package var address: String?
  package var fit = FlowImage.Fit.contain
}

package struct RenderButton: Sendable, Equatable {
  /// What is drawn in the button; nil if its children are drawn.
  package var text: String?
  package var textColor = RenderColor.theme
}

/// A field for a line of text or a number, below its label.
package struct RenderEntry: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case text
    case email
    /// The flag stands before the field: two characters of Unicode that are drawn as one. nil is no flag.
    case phone(flag: String?)
    /// The field has buttons for one step up and down if the range says so.
    case number(FlowNumberRange)
  }

  package var kind: Kind
  /// nil draws no label.
  package var label: String?
  package var labelColor = RenderColor.theme
  package var placeholder: String
  /// What is in the field.
  package var text: String
  package var isRequired: Bool
  /// Of the text in the field.
  package var textColor = RenderColor.theme
  /// Behind the field; nil is the theme's.
  package var fieldBackground: FlowColor?
  /// Around the field; nil is the theme's.
  package var fieldBorder: RenderBorder?
  package var problem: RenderProblem?
}

package struct RenderToggle: Sendable, Equatable {
  package var label: String
  package var labelColor = RenderColor.theme
  package var labelPosition = FlowToggle.LabelPosition.left
  package var isOn: Bool
  package var onColor: FlowColor
  /// nil is the theme's.
  package var offColor: FlowColor?
  /// nil is the theme's.
  package var thumbColor: FlowColor?
}

/// A field for a date, a time or both, below its label.
package struct RenderDatePicker: Sendable, Equatable {
  package var label: String?
  package var labelColor = RenderColor.theme
  package var mode: FlowDatePicker.Mode
  /// nil until the user chooses.
  package var value: FlowDateTime?
  /// What stands in the field instead of a value: a part of one, or no date; empty if there is no such thing.
  package var unreadableText = ""
  package var isRequired: Bool
  package var problem: RenderProblem?
}

/// Options, below their label.
package struct RenderChoice: Sendable, Equatable {
  package var label: String?
  package var labelColor = RenderColor.theme
  package var allowsMultiple: Bool
  /// `options` look like buttons that stay pressed.
  package var style: FlowChoice.Style
  /// Options beside each other wrap.
  package var axis = FlowStack.Axis.vertical
  /// Where the check mark of an option stands.
  package var checkMark: FlowChoice.CheckboxPosition
  package var isRequired: Bool
  package var options: [RenderOption]
  package var problem: RenderProblem?
}

/// One option of a choice.
package struct RenderOption: Sendable, Equatable {
  /// Unique in the choice.
  package var id: String
  package var label: String
  /// One character that stands before the label, such as an emoji.
  package var icon: String?
  package var isSelected: Bool
  package var background: FlowColor
  package var border: RenderBorder
  package var textColor: RenderColor
}

package struct RenderProgressBar: Sendable, Equatable {
  /// In pixels.
  package static let height = 8.0

  /// 0 to 1.
  package var fraction: Double
  package var barColor: FlowColor
  package var trackColor: FlowColor
}

/// Why the user cannot go on. It is drawn below the field.
package struct RenderProblem: Sendable, Equatable {
  /// A sentence for the user.
  package var message: String
}

/// The addresses from which pictures are loaded.
enum PictureAddress {
  /// The address if it is `https` with a host and without anything that a parser could read differently.
  static func accepted(_ address: String) -> String? {
    let scheme = "https://"
    guard address.utf8.count <= FlowConfigLimits.addressLength, address.prefix(scheme.count).lowercased() == scheme
    else { return nil }
    let rest = address.dropFirst(scheme.count).utf8
    guard let first = rest.first, !"/?#:@".utf8.contains(first) else { return nil }
    // Spaces, controls, quotes, angle brackets, backslashes, and a name with a password.
    let isPlain = rest.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    let host = rest.prefix { !"/?#".utf8.contains($0) }
    return isPlain && !host.contains(UInt8(ascii: "@")) ? address : nil
  }
}
