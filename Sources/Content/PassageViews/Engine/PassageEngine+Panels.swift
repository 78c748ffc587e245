internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraWebContent

extension PassageEngine {
  /// No page opens more.
  private static let mostPopups = 8

  func performInPanels(_ effect: PassageEffect) {
    switch effect {
    case .showBottomSheet(let content), .updateBottomSheet(let content): showBottomSheet(content)
    case .hideBottomSheet: hideBottomSheet()
    case .showWebsite(let address): showWebsite(address)
    case .preloadWebsite(let address):
      // One that was shown is gone then.
      if website?.address != address { hideWebsite() }
      _ = preloadWebsite(address)
    default: break
    }
  }

  func closePanels() {
    for popup in popups { close(popup, isTold: false) }
    hideBottomSheet()
    removeWebsite()
    closeQuestion()
  }

  // MARK: - Questions

  /// Asks the user; a new question takes the place of one that is not answered.
  func ask(_ text: QuestionPanel.Text, answer: @escaping @MainActor (Bool) -> Void) {
    closeQuestion()
    guard let window else { return answer(false) }
    let panel = QuestionPanel(text) { [weak self] isAccepted in
      self?.closeQuestion()
      answer(isAccepted)
    }
    window.add(panel)
  }

  private func closeQuestion() {
    if let window, let question = window.question { window.remove(question) }
  }

  // MARK: - Popups

  func popup(from kind: PassageView, _ address: String, _ opener: ContentView) -> ContentPopup.Decision {
    let effects = effects(of: .popup(kind, address: address))
    let opens = effects.contains(.openPopup)
    perform(effects.filter { $0 != .openPopup })
    guard opens, let window, popups.count < Self.mostPopups else {
      if opens { handle(.popupClosed) }
      return .refuse
    }
    var behavior = ContentBehavior()
    behavior.showsErrorPages = true
    // A related view has neither the channel nor the settings of its opener: it gets no channel, on purpose.
    let view = ContentView(
      session: profile, rules: PageRules(rights: .none, servers: servers), behavior: behavior,
      sharingProcessOf: opener)
    view.refuseMenusWhileInsensitive()
    if kind == .automation, !automation.userAgent.isEmpty { view.userAgent = automation.userAgent }
    let panel = PopupPanel(view, of: kind) { [weak self, weak view] in
      guard let self, let panel = popups.first(where: { $0.view === view }) else { return }
      close(panel)
    }
    view.onClose = { [weak self, weak panel] in
      // Not inside the signal of the view that ends.
      Task { @MainActor in if let panel { self?.close(panel) } }
    }
    view.onPopup = { [weak self, weak view] popup in
      guard let self, let view else { return .refuse }
      return self.popup(from: kind, popup.address, view)
    }
    popups.append(panel)
    window.add(panel.widget)
    showPopups(of: window.visible)
    return .open(view)
  }

  /// The popups of a hidden page are hidden, too.
  func showPopups(of kind: PassageView) {
    for popup in popups {
      gtk_widget_set_visible(popup.widget, (popup.kind == kind).gboolean)
      popup.view.setDialogs(areSeen: popup.kind == kind)
    }
  }

  func closePopups(of kind: PassageView) {
    for popup in popups where popup.kind == kind { close(popup) }
  }

  private func close(_ popup: PopupPanel, isTold: Bool = true) {
    guard let index = popups.firstIndex(where: { $0 === popup }) else { return }
    popups.remove(at: index)
    window?.remove(popup.widget)
    popup.close()
    if isTold { handle(.popupClosed) }
  }

  // MARK: - Sheets

  private func showBottomSheet(_ content: BottomSheet) {
    guard let window else { return }
    if let bottomSheet { return bottomSheet.show(content) }
    let panel = BottomSheetPanel { [weak self] in
      self?.handle(.bottomSheetSubmitted($0))
    } onClose: { [weak self] in
      self?.hideBottomSheet()
      self?.handle(.bottomSheetClosed)
    }
    bottomSheet = panel
    window.add(panel.sheet.widget)
    panel.show(content)
  }

  func hideBottomSheet() {
    guard let bottomSheet else { return }
    self.bottomSheet = nil
    window?.remove(bottomSheet.sheet.widget)
    bottomSheet.end()
  }

  private func preloadWebsite(_ address: String) -> WebsitePanel {
    if let website, website.address == address { return website }
    removeWebsite()
    let panel = WebsitePanel(address, session: profile, servers: servers) { [weak self] in self?.hideWebsite() }
    website = panel
    return panel
  }

  private func showWebsite(_ address: String) {
    guard let window else { return }
    let panel = preloadWebsite(address)
    window.add(panel.sheet.widget)
    panel.show()
  }

  private func hideWebsite() {
    guard website != nil else { return }
    removeWebsite()
    handle(.websiteClosed)
  }

  private func removeWebsite() {
    guard let website else { return }
    self.website = nil
    window?.remove(website.sheet.widget)
    website.end()
  }
}
