import CTesseraWebKitGTK
import FCKOnboardingFlow
import TesseraWebContent

/// The hour and the minute of a time: two spin buttons. A text that is no hour or no minute stays in its button, which
/// GTK would make the nearest one, or 0.
@MainActor
final class TimeSpins {
  @MainActor
  private final class Part {
    let spin: UnsafeMutablePointer<GtkWidget>
    let largest: Int
    /// The number of the last text that was written here, and not by the user.
    var written = -1
    /// Whether the owner knows that the text is no number.
    var isUnreadable = false

    init(_ largest: Int, _ name: String) {
      spin = gtk_spin_button_new_with_range(0, Double(largest), 1)!
      self.largest = largest
      gtk_spin_button_set_wrap(OpaquePointer(spin), 1)
      gtk_spin_button_set_numeric(OpaquePointer(spin), 1)
      gtk_orientable_set_orientation(OpaquePointer(spin), GTK_ORIENTATION_VERTICAL)
      gtk_editable_set_width_chars(OpaquePointer(spin), 2)
      Accessible.setLabel(name, spin)
    }
  }

  let widget = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)!
  /// Called when another time, or no time, stands in the buttons.
  var onChange: (@MainActor () -> Void)?
  private let hour: Part
  private let minute: Part
  private let signals = Signals()
  private let actions = WidgetActions()

  init(_ words: FlowWords) {
    hour = Part(23, words.hour)
    minute = Part(59, words.minute)
    gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
    for part in [hour.spin, gtk_label_new(":")!, minute.spin] { gtk_box_append(object(widget), part) }
    for part in [hour, minute] {
      connect(part)
      actions.on(part.spin, "value-changed") { [weak self] in self?.onChange?() }
      gtk_spin_button_update(OpaquePointer(part.spin))
    }
  }

  isolated deinit { signals.disconnectAll() }

  func end() {
    signals.disconnectAll()
    actions.end()
  }

  // MARK: - What stands in them

  /// nil if one of the texts is no number, or too large.
  var time: FlowDateTime? {
    guard let hour = Self.number(hour), let minute = Self.number(minute) else { return nil }
    return FlowDateTime(hour: hour, minute: minute)
  }

  /// As typed, for example `25:30` or `:30`.
  var text: String { "\(EditableText.of(hour.spin)):\(EditableText.of(minute.spin))" }

  /// Reads what is typed, which otherwise counts when the focus leaves a button.
  func read() { for part in [hour, minute] { gtk_spin_button_update(OpaquePointer(part.spin)) } }

  /// - Parameter text: what `text` was. Without a time in it, what cannot be read is replaced.
  func show(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (part, index) in [(hour, 0), (minute, 1)] {
      if parts.count == 2 { EditableText.set(String(parts[index]), part.spin) }
      let number = Self.number(part)
      if parts.count != 2 || number != nil { write(number ?? Self.value(part), part) }
      part.isUnreadable = Self.number(part) == nil
    }
  }

  private func write(_ number: Int, _ part: Part) {
    part.written = number
    EditableText.set(number < 10 ? "0\(number)" : "\(number)", part.spin)
    gtk_spin_button_set_value(OpaquePointer(part.spin), Double(number))
  }

  private static func number(_ part: Part) -> Int? {
    let text = EditableText.of(part.spin)
    guard 1...2 ~= text.utf8.count, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
      let number = Int(text), number <= part.largest
    else { return nil }
    return number
  }

  private static func value(_ part: Part) -> Int {
    Int(gtk_spin_button_get_value_as_int(OpaquePointer(part.spin)))
  }

  // MARK: - Signals

  private func connect(_ part: Part) {
    signals.answer(gpointer(part.spin), "input", self, UnsafeMutablePointer<Double>?.self) { spins, value in
      value?.pointee = spins.input(part)
      return true
    }
    signals.answer(gpointer(part.spin), "output", self) { spins in
      spins.output(part)
      return true
    }
  }

  /// - Returns: the number of the text; the last one if there is none.
  private func input(_ part: Part) -> Double {
    let number = Self.number(part)
    // GTK says it of another number only.
    if part.isUnreadable != (number == nil) || number == nil {
      part.isUnreadable = number == nil
      onChange?()
    }
    return Double(number ?? Self.value(part))
  }

  private func output(_ part: Part) {
    let value = Self.value(part)
    // What cannot be read stays until a step leads to another number.
    guard value != part.written || Self.number(part) != nil else { return }
    part.isUnreadable = false
    part.written = value
    EditableText.set(value < 10 ? "0\(value)" : "\(value)", part.spin)
  }
}
