internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraWebContent

/// A question over everything in the window, in the program's own words: what is asked, and two buttons. Pages are
/// below it and cannot imitate its place.
@MainActor
final class QuestionPanel {
  struct Text {
    var title: String
    var sentences: [String]
    /// The harmless answer, which has the focus.
    var refuse: String
    var accept: String
    /// Whether it asks about the end of the session.
    var isOfClosing = false
  }

  let widget: UnsafeMutablePointer<GtkWidget>
  private let buttons: [UnsafeMutablePointer<GtkWidget>]
  private let signals = Signals()
  private var actions: [ButtonAction] = []
  private let answer: QuestionAnswer
  private let title: String
  let isOfClosing: Bool

  init(_ text: Text, answer: @escaping @MainActor (Bool) -> Void) {
    let signals = signals
    self.answer = QuestionAnswer { isAccepted in
      signals.disconnectAll()
      answer(isAccepted)
    }
    title = text.title
    isOfClosing = text.isOfClosing
    let refuse: UnsafeMutablePointer<GtkWidget> = gtk_button_new_with_label(text.refuse)
    let accept: UnsafeMutablePointer<GtkWidget> = gtk_button_new_with_label(text.accept)
    buttons = [refuse, accept]
    let box: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_VERTICAL, 14)
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(box, GTK_ALIGN_CENTER)
    WidgetHelp.margins(box, 32)
    gtk_box_append(object(box), WidgetHelp.text(text.title, style: "title-2"))
    for sentence in text.sentences { gtk_box_append(object(box), WidgetHelp.text(sentence, characters: 64)) }
    let row: UnsafeMutablePointer<GtkWidget> = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12)
    gtk_box_set_homogeneous(object(row), 1)
    gtk_widget_set_margin_top(row, 12)
    for button in buttons {
      gtk_widget_set_sensitive(button, 0)
      gtk_widget_set_hexpand(button, 1)
      gtk_box_append(object(row), button)
    }
    gtk_box_append(object(box), row)
    widget = gtk_scrolled_window_new()
    gtk_scrolled_window_set_child(OpaquePointer(widget), box)
    gtk_widget_add_css_class(widget, "background")
    actions = [false, true].map { isAccepted in ButtonAction { [answer = self.answer] in answer.answer(isAccepted) } }
    for (button, action) in zip(buttons, actions) { WidgetHelp.onClick(button, signals, action) }
    WidgetHelp.onEscape(widget, signals, actions[0])
  }

  /// The title, once the buttons can be pressed.
  var answerableTitle: String? { answer.isPossible ? WidgetHelp.clean(title) : nil }

  /// Lets the user answer after a moment, and tells when that is.
  func begin(then answerable: @escaping @MainActor () -> Void) {
    focus()
    answer.begin { [weak self] in
      guard let self else { return }
      for button in buttons { gtk_widget_set_sensitive(button, 1) }
      focus()
      answerable()
    }
  }

  /// Takes the keys.
  func focus() { gtk_widget_grab_focus(answer.isPossible ? buttons[0] : widget) }

  /// Answers for the user, who is asked something else now.
  func refuse() { answer.refuse() }

  func close() {
    answer.end()
    signals.disconnectAll()
  }
}

extension QuestionPanel.Text {
  /// Before anything of a third party's page leaves the machine.
  init(_ request: ConsentRequest) {
    self.init(
      title: request.title, sentences: request.sentences, refuse: "Do not allow", accept: "Allow")
  }

  /// When the UI page does not ask itself whether to close.
  static let close = Self(
    title: "Close this window?", sentences: ["What was begun here is not finished."], refuse: "Stay", accept: "Close",
    isOfClosing: true)
}
