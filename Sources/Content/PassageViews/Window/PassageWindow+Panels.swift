internal import CTesseraWebKitGTK
internal import TesseraWebContent

extension PassageWindow {
  /// Puts a panel above everything that is there, except a question.
  func add(_ panel: UnsafeMutablePointer<GtkWidget>) {
    gtk_overlay_add_overlay(OpaquePointer(window.contentWidget), panel)
    keepOrder()
  }

  func remove(_ panel: UnsafeMutablePointer<GtkWidget>) {
    guard gtk_widget_get_parent(panel) == window.contentWidget else { return }
    gtk_overlay_remove_overlay(OpaquePointer(window.contentWidget), panel)
    if let question { question.focus() } else { focusPage() }
  }

  /// Asks a question above everything. Nothing else in the window gets clicks or keys until it is removed.
  func add(_ question: QuestionPanel) {
    closeMenus()
    self.question = question
    gtk_overlay_add_overlay(OpaquePointer(window.contentWidget), question.widget)
    keepOrder()
    question.begin { [weak self] in self?.updateTitle() }
  }

  func remove(_ question: QuestionPanel) {
    guard self.question === question else { return }
    self.question = nil
    question.close()
    forEachPart { gtk_widget_set_sensitive($0, 1) }
    remove(question.widget)
    updateTitle()
  }

  /// Pages open and remove parts of the window. They must neither cover a question, nor take what the user types
  /// for it, nor cover the sign of a picture.
  func keepOrder() {
    if let question {
      gtk_widget_insert_before(question.widget, window.contentWidget, nil)
      forEachPart { gtk_widget_set_sensitive($0, ($0 == question.widget || $0 == sign).gboolean) }
    }
    gtk_widget_insert_before(sign, window.contentWidget, nil)
  }

  private func forEachPart(_ body: (UnsafeMutablePointer<GtkWidget>) -> Void) {
    var part = gtk_widget_get_first_child(window.contentWidget)
    while let current = part {
      part = gtk_widget_get_next_sibling(current)
      body(current)
    }
  }

  /// The window's title is that of a question that can be answered; it calls the user, who may be in another
  /// window.
  private func updateTitle() {
    window.title = question.flatMap(\.answerableTitle) ?? title
  }
}
