internal import TesseraJSON

/// Messages of pages, popups and the bottom sheet (Passage.md, rules 16 to 18).
extension PassageSession {
  /// Reads a message. The top frame of the automation view has the result channel, and that of the UI view's own page
  /// everything else; other pages and frames have nothing.
  mutating func received(_ text: String, from view: PassageView, origin: String, isFromTopFrame: Bool) {
    guard isFromTopFrame, let sender = WebAddress(origin)?.origin else { return }
    switch view {
    case .automation:
      guard consent?.contains(sender) == true, let message = PageMessage(text: text) else { return }
      guard message.isOfResultChannel else {
        return log("A page of the automation view asks for what only the UI page may.")
      }
      received(result: message)
    case .ui:
      guard sender == servers.ui.origin else { return }
      guard let message = PageMessage(text: text) else { return log("The UI page sent a malformed message.") }
      // Commands do not run there.
      if !message.isOfResultChannel { received(message) }
    }
  }

  private mutating func received(result message: PageMessage) {
    switch message {
    case .result(let result): received(result)
    case .clientNavigation(let change): navigated(change)
    case .report(let report):
      let line = report.line.map { " at line \($0)" } ?? ""
      log("The page reports \(report.kind.rawValue)\(line).")
    // The owner of the views collects it by a script of its own.
    default: break
    }
  }

  private mutating func received(_ message: PageMessage) {
    switch message {
    case .connectionSuccess(let success):
      complete(success)
      close(.success)
    case .connectionError(let error):
      if !hasReportedFailure { report(error) }
      close(.error)
    case .closeModal: close(.programmaticClose)
    case .navigate(let address):
      guard let address = WebAddress(address) else { return log("The UI page names no web page to load.") }
      load(inVisibleView: address)
    case .close, .closeConfirmed: close(.userAction)
    case .closeCancelled: cancelledClosing()
    case .setTitle(let title): effects.append(.setTitle(title))
    case .switchWebview(let view): show(view ?? (visible == .ui ? .automation : .ui))
    case .showBottomSheet(let sheet):
      effects.append(hasBottomSheet ? .updateBottomSheet(sheet) : .showBottomSheet(sheet))
      hasBottomSheet = true
    case .showWebsite(let address):
      guard let address = website(address) else { return }
      hasWebsite = true
      lastStrayWindow = number()
      effects.append(.showWebsite(address))
    case .preloadWebsite(let address):
      if let address = website(address) { effects.append(.preloadWebsite(address)) }
    case .captureScreenshot: takeScreenshot()
    case .send(let request): send(request)
    case .changeUserAgent(let userAgent):
      effects += [.setUserAgent(userAgent), .reload(.automation)]
    case .openLink(let address): openExternally(address)
    case .setKeyboard(let isEnabled): effects.append(.setKeyboard(isEnabled: isEnabled))
    case .setRedirectOnDone(let isEnabled): redirectsOnDone = isEnabled
    case .other: log("The UI page sent a message of an unknown type.")
    case .result, .clientNavigation, .pageData, .report: break
    }
  }

  /// An address for a sheet: a page of a secure server.
  private mutating func website(_ text: String) -> String? {
    guard let address = WebAddress(text), address.isSecure else {
      log("The UI page names no secure web page for a sheet.")
      return nil
    }
    return address.text
  }

  mutating func load(inVisibleView address: WebAddress) {
    effects.append(.load(PageLoad(visible, address.text)))
  }

  private mutating func openExternally(_ address: String) {
    guard externalAddresses.mayOpen(address) else {
      return log("A page wants to open an address that is not on the list of allowed ones.")
    }
    guard externalLimit.permits(at: time) else { return log("A page opens too many addresses.") }
    effects.append(.openExternally(address))
  }

  // MARK: - Popups

  mutating func popup(_ text: String, from view: PassageView) {
    switch PopupDecision.decision(
      for: text, openPopups: popups, signIn: signInPages, external: externalAddresses)
    {
    case .popup:
      popups += 1
      lastStrayWindow = number()
      effects.append(.openPopup)
    // A page of a third party never takes the place of the UI page.
    case .visibleView where view == .ui: if let address = WebAddress(text) { load(inVisibleView: address) }
    case .visibleView, .sameView:
      if let address = WebAddress(text) { effects.append(.load(PageLoad(view, address.text))) }
    case .externally: openExternally(text)
    case .refused: log("A page's window is refused.")
    }
  }

  // MARK: - The bottom sheet

  mutating func submittedBottomSheet(_ text: String?) {
    guard hasBottomSheet else { return }
    guard let text else { return closeBottomSheet() }
    guard let address = WebAddress(text) else { return log("The user entered no address of http or https.") }
    closeBottomSheet()
    loadEntered(address)
  }

  private mutating func closeBottomSheet() {
    hasBottomSheet = false
    effects.append(.hideBottomSheet)
  }
}
