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
  private let time: TimeSpins?
  private let clear: UnsafeMutablePointer<GtkWidget>
  private let choose: UnsafeMutablePointer<GtkWidget>
  private var days: CalendarDays?

  init(_ node: RenderNode, _ mode: FlowDatePicker.Mode, _ context: WidgetContext) {
    self.mode = mode
    let button = gtk_menu_button_new()!
    gtk_label_set_xalign(OpaquePointer(text), 0)
    gtk_widget_set_hexpand(text, 1)
    gtk_widget_set_halign(text, GTK_ALIGN_FILL)
    gtk_menu_button_set_child(OpaquePointer(button), text)
    calendar = mode == .time ? nil : gtk_calendar_new()
    time = mode == .date ? nil : TimeSpins(context.words)
    clear = gtk_button_new_with_label(context.words.clear)
    choose = gtk_button_new_with_label(context.words.choose)
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8)!
    if let calendar { gtk_box_append(object(box), calendar) }
    if let time { gtk_box_append(object(box), time.widget) }
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
    time?.onChange = { [weak self] in self?.timeChanged() }
    actions.on(clear, "clicked") { [weak self] in self?.cleared() }
    actions.on(choose, "clicked") { [weak self] in
      self?.chosen()
      self?.close()
    }
    actions.on(popover, "map") { [weak self] in self?.opened() }
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
    showContent()
  }

  /// A month that the user only looked at is not shown again.
  private func opened() {
    context.draw { showContent() }
  }

  /// The day and the time of the value, or those parts of one that stand in the field.
  private func showContent() {
    if let calendar, let day, chosenDay != [day.year, day.month, day.day] {
      let date = g_date_time_new_utc(gint(day.year), gint(day.month), gint(day.day), 0, 0, 0)
      if let date {
        gtk_calendar_select_day(OpaquePointer(calendar), date)
        g_date_time_unref(date)
      }
    }
    let text = content?.value?.timeText ?? content?.unreadableText.split(separator: " ").last.map(String.init)
    time?.show(text ?? "")
  }

  /// The day in the field, also where its time cannot be read.
  private var day: FlowDateTime? {
    content.flatMap { $0.value ?? FlowDateTime(String($0.unreadableText.prefix(10)), mode: .date) }
  }

  /// Year, month and day in the calendar.
  private var chosenDay: [Int] {
    guard let calendar, let date = gtk_calendar_get_date(OpaquePointer(calendar)) else { return [1970, 1, 1] }
    defer { g_date_time_unref(date) }
    return [
      Int(g_date_time_get_year(date)), Int(g_date_time_get_month(date)), Int(g_date_time_get_day_of_month(date)),
    ]
  }

  /// The user chose the day and the time that the popover shows.
  private func chosen() {
    context.draw { time?.read() }
    let day = chosenDay
    send(FlowDateTime(year: day[0], month: day[1], day: day[2]))
  }

  /// A time changes the day that was chosen. Until there is one, the time is a part of a value.
  private func timeChanged() { mode == .time ? send(FlowDateTime()) : send(day) }

  /// - Parameter day: nil if none was chosen.
  private func send(_ day: FlowDateTime?) {
    guard let time else { return context.send(.date(node.id, day)) }
    guard let part = time.time else {
      // It is told when the user leaves the button, as in a page.
      let text = mode == .time ? [time.text] : [day?.dayText, time.text].compactMap(\.self)
      context.send(.unreadableDate(node.id, text.joined(separator: " ")))
      return context.send(.commit(node.id))
    }
    guard let day else { return context.send(.unreadableDate(node.id, part.timeText)) }
    let value = FlowDateTime(
      year: day.year, month: day.month, day: day.day, hour: part.hour, minute: part.minute)
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
    time?.end()
    days?.end()
  }
}
