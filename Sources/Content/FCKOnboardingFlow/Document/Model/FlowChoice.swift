/// `choice`, whose options carry a check mark, and `options`, whose options are buttons.
public struct FlowChoice: Sendable, Equatable {
  public enum Style: Sendable { case choice, options }
  public enum CheckboxPosition: String, Sendable, CaseIterable { case left, right, hidden }

  public struct Option: Sendable, Equatable {
    /// Unique in the choice.
    public var id: String
    public var label: String
    public var value: String?
    public var icon: String?

    public init(id: String, label: String, value: String? = nil, icon: String? = nil) {
      self.id = id
      self.label = label
      self.value = value
      self.icon = icon
    }

    /// What is stored if the option is chosen.
    public var storedValue: String { value ?? label }
  }

  public var style: Style
  public var allowsMultiple = false
  public var label: String?
  public var isRequired = false
  public var options: [Option] = []
  /// The ids of the options that are chosen at first.
  public var initialSelection: [String] = []
  /// As the document says it. `horizontal`, `row`, `inline` and `grid` place the options beside each other, with as many
  /// in a row as there is room for; every other word places them below each other.
  public var layout: String?
  public var checkboxPosition = CheckboxPosition.left
  public var textColor = FlowColor(red: 0, green: 0, blue: 0)
  public var backgroundColor = FlowColor(red: 0xF5, green: 0xF5, blue: 0xF5)
  public var borderColor = FlowColor(red: 0xE5, green: 0xE5, blue: 0xE5)
  public var borderRadius = 12.0
  public var selectedBackgroundColor: FlowColor
  public var selectedBorderColor: FlowColor
  public var selectedTextColor: FlowColor
  public var variableKey: String?

  /// The colours of the mobile SDK.
  public init(style: Style) {
    self.style = style
    switch style {
    case .choice:
      selectedBackgroundColor = FlowColor(alpha: 0x33, red: 0x00, green: 0xFF, blue: 0x41)
      selectedBorderColor = FlowColor(red: 0x00, green: 0xFF, blue: 0x41)
      selectedTextColor = FlowColor(red: 0, green: 0, blue: 0)
    case .options:
      selectedBackgroundColor = FlowColor(red: 0x4C, green: 0xAF, blue: 0x50)
      selectedBorderColor = selectedBackgroundColor
      selectedTextColor = FlowColor(red: 0xFF, green: 0xFF, blue: 0xFF)
    }
  }
}
