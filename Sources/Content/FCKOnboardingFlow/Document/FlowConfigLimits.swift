/// The limits of a flow of native screens. A flow beyond `documentSize`, `screens`, `elements`, `options` or
/// `depth` is refused: what a part of it would show is not what its author meant.
public enum FlowConfigLimits {
  /// The bytes of the document.
  public static let documentSize = 2 << 20
  /// The nesting of the JSON. An element of the deepest kind needs about 75 levels.
  static let nesting = 96
  public static let screens = 100
  /// The elements of all screens together, whether they are known, unknown or wrong.
  public static let elements = 2_000
  /// The options of all choices together.
  public static let options = 2_000
  /// How deep elements are nested, the root of the screen included.
  public static let depth = 32
  /// The behaviours of one element. Further ones are left out.
  public static let behaviors = 16
  /// The declared variables, those of the theme, and the routes of a screen. A longer list is left out.
  public static let listLength = 1_000
  /// The Unicode scalars of one text. A longer one is cut.
  public static let textLength = 10_000
  /// The bytes of the address of a picture.
  public static let addressLength = 2_048

  /// Pixels of a width, a height, a side of a spacing, a radius.
  static let length = 0.0...10_000
  /// Of a parent or a window, in per cent.
  static let share = 0.0...1_000
  static let fontSize = 1.0...500
  /// The pixels of a text in one line, or with one character a line, about. Pango and GTK compute with two million. A
  /// longer text is drawn smaller; the longest one still has the size 16.
  static let textExtent = 160_000.0
  /// Of a press animation: the size at the press.
  static let scale = 0.1...2
  /// Seconds before a navigation. A flow that waits longer looks like one that does not answer.
  static let delay = 0.0...10
  /// Seconds of a press animation.
  static let duration = 0.0...5
  /// What a number may be: integers of this size have all their digits.
  static let number = -1e15...1e15
}
