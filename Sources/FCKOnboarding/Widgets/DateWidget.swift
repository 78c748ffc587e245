#if canImport(CTesseraWebKitGTK)
  import CTesseraWebKitGTK
  import FCKOnboardingFlow
  import TesseraWebContent

  /// A date, a time or both: a `GtkMenuButton` that opens a `GtkCalendar` and two spin buttons. Going to another month
  /// chooses nothing.
  @MainActor
  final class DateWidget: FieldWidget {
    private let mode: FlowDatePicker.Mode
    private let text = gtk_label_new(nil)!
    private let calendar: UnsafeMutablePointer<GtkWidget>?
    private let time: (hour: UnsafeMutablePointer<GtkWidget>, minute: UnsafeMutablePointer<GtkWidget>)?
    private let clear: UnsafeMutablePointer<GtkWidget>
    private let choose: UnsafeMutablePointer<GtkWidget>
    private let signals = Signals()
    private var days: CalendarDays?

    init(_ node: RenderNode, _ mode: FlowDatePicker.Mode, _ context: WidgetContext) {
      self.mode = mode
      let button = gtk_menu_button_new()!
      gtk_label_set_xalign(OpaquePointer(text), 0)
      gtk_widget_set_hexpand(text, 1)
      gtk_widget_set_halign(text, GTK_ALIGN_FILL)
      gtk_menu_button_set_child(OpaquePointer(button), text)
      calendar = mode == .time ? nil : gtk_calendar_new()
      time = mode == .date ? nil : (Self.spin(23, context.words.hour), Self.spin(59, context.words.minute))
      clear = gtk_button_new_with_label(context.words.clear)
      choose = gtk_button_new_with_label(context.words.choose)
      let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8)!
      if let calendar { gtk_box_append(object(box), calendar) }
      if let time {
        let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)!
        gtk_widget_set_halign(row, GTK_ALIGN_CENTER)
        for part in [time.hour, gtk_label_new(":")!, time.minute] { gtk_box_append(object(row), part) }
        gtk_box_append(object(box), row)
      }
      let buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8)!
      gtk_box_set_homogeneous(object(buttons), 1)
      gtk_widget_add_css_class(choose, "suggested-action")
      for button in [clear, choose] {
        gtk_widget_set_hexpand(button, 1)
        gtk_box_append(object(buttons), button)
      }
      gtk_box_append(object(box), buttons)
      let popover = gtk_popover_new()!
      gtk_popover_set_child(object(popover), box)
      gtk_menu_button_set_popover(OpaquePointer(button), popover)
      super.init(node, row: button, control: button, context)
      if let calendar { days = CalendarDays(calendar) { [weak self] in self?.chosen() } }
      if let time {
        for part in [time.hour, time.minute] {
          actions.on(part, "value-changed") { [weak self] in self?.timeChanged() }
          showTwoDigits(part)
        }
      }
      actions.on(clear, "clicked") { [weak self] in self?.cleared() }
      actions.on(choose, "clicked") { [weak self] in
        self?.chosen()
        self?.close()
      }
      actions.on(popover, "map") { [weak self] in self?.opened() }
    }

    isolated deinit { signals.disconnectAll() }

    private func showTwoDigits(_ spin: UnsafeMutablePointer<GtkWidget>) {
      signals.connect(
        gpointer(spin), "output", to: self,
        { spin, _ in
          guard let spin else { return 0 }
          return MainActor.assumeIsolated {
            let value = gtk_spin_button_get_value_as_int(OpaquePointer(spin))
            EditableText.set(value < 10 ? "0\(value)" : "\(value)", spin.assumingMemoryBound(to: GtkWidget.self))
            return 1
          }
        } as @convention(c) (gpointer?, gpointer?) -> gboolean)
      gtk_spin_button_update(OpaquePointer(spin))
    }

    private static func spin(_ largest: Double, _ name: String) -> UnsafeMutablePointer<GtkWidget> {
      let spin = gtk_spin_button_new_with_range(0, largest, 1)!
      gtk_spin_button_set_wrap(OpaquePointer(spin), 1)
      gtk_spin_button_set_numeric(OpaquePointer(spin), 1)
      gtk_orientable_set_orientation(OpaquePointer(spin), GTK_ORIENTATION_VERTICAL)
      gtk_editable_set_width_chars(OpaquePointer(spin), 2)
      Accessible.setLabel(name, spin)
      return spin
    }

    private var content: RenderDatePicker? { if case .datePicker(let picker) = node.content { picker } else { nil } }

    override var words: Words {
      guard let content else { return super.words }
      return Words(
        label: content.label, labelColor: content.labelColor, isRequired: content.isRequired, problem: content.problem)
    }

    /// It looks like the other fields.
    override var css: String {
      let field = "min-height:36px;padding:0 8px;background-image:none;box-shadow:none;font-weight:normal;"
      return super.css + "&>menubutton>button{\(field)background-color:@theme_base_color;color:@theme_text_color;}"
        + FocusStyle.css("&>menubutton>button")
    }

    /// A menu button has no value of its own for assistive technology.
    override var value: String? {
      guard let content else { return nil }
      if let value = content.value { return value.text(mode).replacing("T", with: " ") }
      return content.unreadableText.isEmpty ? nil : content.unreadableText
    }

    override func redraw() {
      super.redraw()
      guard let content else { return }
      Accessible.setRequired(content.isRequired, control)
      let prompt = mode == .time ? context.words.chooseTime : context.words.chooseDate
      TextLabel.set(value ?? prompt, text)
      if value == nil {
        gtk_widget_add_css_class(text, "dim-label")
      } else {
        gtk_widget_remove_css_class(text, "dim-label")
      }
      gtk_widget_set_sensitive(clear, (value != nil).gboolean)
      if let value = content.value { show(value) }
    }

    /// A month that the person only looked at is not shown again.
    private func opened() {
      guard let value = content?.value else { return }
      context.draw { show(value) }
    }

    private func show(_ value: FlowDateTime) {
      if let calendar, chosenDay != [value.year, value.month, value.day] {
        let date = g_date_time_new_utc(gint(value.year), gint(value.month), gint(value.day), 0, 0, 0)
        if let date {
          gtk_calendar_select_day(OpaquePointer(calendar), date)
          g_date_time_unref(date)
        }
      }
      if let time {
        gtk_spin_button_set_value(OpaquePointer(time.hour), Double(value.hour))
        gtk_spin_button_set_value(OpaquePointer(time.minute), Double(value.minute))
      }
    }

    /// Year, month and day in the calendar.
    private var chosenDay: [Int] {
      guard let calendar, let date = gtk_calendar_get_date(OpaquePointer(calendar)) else { return [1970, 1, 1] }
      defer { g_date_time_unref(date) }
      return [
        Int(g_date_time_get_year(date)), Int(g_date_time_get_month(date)), Int(g_date_time_get_day_of_month(date)),
      ]
    }

    /// The person chose the day and the time that the popover shows.
    private func chosen() {
      // What is typed counts when the focus leaves it, or now.
      if let time {
        context.draw { for part in [time.hour, time.minute] { gtk_spin_button_update(OpaquePointer(part)) } }
      }
      let day = chosenDay
      send(year: day[0], month: day[1], day: day[2])
    }

    /// A time changes the day that was chosen. Until there is one, the time is a part of a value.
    private func timeChanged() {
      if mode == .time { return chosen() }
      if let value = content?.value { return send(year: value.year, month: value.month, day: value.day) }
      guard let part = FlowDateTime(hour: chosenTime.hour, minute: chosenTime.minute) else { return }
      context.send(.unreadableDate(node.id, part.timeText))
    }

    private var chosenTime: (hour: Int, minute: Int) {
      guard let time else { return (0, 0) }
      func number(_ spin: UnsafeMutablePointer<GtkWidget>) -> Int {
        Int(gtk_spin_button_get_value_as_int(OpaquePointer(spin)))
      }
      return (number(time.hour), number(time.minute))
    }

    private func send(year: Int, month: Int, day: Int) {
      let (hour, minute) = chosenTime
      guard let value = FlowDateTime(year: year, month: month, day: day, hour: hour, minute: minute) else { return }
      context.send(.date(node.id, value))
    }

    private func cleared() {
      context.send(.date(node.id, nil))
      close()
    }

    private func close() {
      gtk_menu_button_popdown(OpaquePointer(control))
      gtk_widget_grab_focus(control)
    }

    override func end() {
      super.end()
      signals.disconnectAll()
      days?.end()
    }
  }
#endif
