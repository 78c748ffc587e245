internal import PassageProtocol
internal import TesseraJSON
internal import TesseraWebContent

extension PassageEngine {
  /// What needs the answer of a page or of the user.
  func performInPages(_ effect: PassageEffect) {
    switch effect {
    case .checkPage(let check):
      answer { page in .pageChecked(check: check, isReady: await page?.checkObject() ?? false) }
    case .run(let script):
      answer { page in
        .scriptFinished(
          run: script.run, await page?.run(script.script, mode: script.mode) ?? .error("There is no page."))
      }
    case .collect(let collection): collect(collection)
    case .takeScreenshot(let kind, let optimization):
      tasks.run { [weak self] in .screenshot(await self?.screenshot(kind, optimization)) }
    case .askConsent(let request):
      if let question = window?.question, question.isOfClosing { question.refuse() }
      ask(.init(request)) { [weak self] in self?.handle(.consent(isGiven: $0)) }
    case .askCloseConfirmation: askCloseConfirmation()
    default: performInPanels(effect)
    }
  }

  /// Asks the automation page, and passes the answer to the session.
  private func answer(_ work: @escaping @MainActor (PassagePage?) async -> PassageInput) {
    let page = pages[.automation]
    tasks.run { await work(page) }
  }

  private func collect(_ collection: PageCollection) {
    let page = pages[.automation]
    tasks.run { [weak self] in
      guard let self else { return nil }
      var picture: String?
      if let kind = collection.screenshot { picture = await screenshot(kind, collection.optimization) }
      guard let page else { return .pageData(collection: collection.collection, PageData()) }
      let data = await PageCollector(page: page, session: profile).collect(collection, screenshot: picture)
      return .pageData(collection: collection.collection, data)
    }
  }

  /// A picture as a data URI. The window shows that it is taken.
  private func screenshot(_ kind: ScreenshotKind, _ optimization: ImageOptimization) async -> String? {
    guard let window, let page = pages[.automation] else { return nil }
    window.showSign()
    let options = ContentPicture.Options(
      format: .jpeg(quality: optimization.quality), maximumWidth: optimization.maxWidth,
      maximumHeight: optimization.maxHeight)
    switch kind {
    // A hidden view is drawn, too.
    case .automation: return try? await page.view.picture(options).dataAddress
    case .modal: return try? await ContentPicture.picture(of: window.window.contentWidget, options).dataAddress
    }
  }

  /// As if the UI page had said it.
  private var closingCancelled: PassageInput {
    let message: JSONValue = ["type": "CLOSE_CANCELLED"]
    return .message(.ui, origin: servers.ui.origin.canonical, isFromTopFrame: true, text: message.text)
  }

  /// The UI page asks the user. If it does not answer, the program asks itself.
  private func askCloseConfirmation() {
    let page = pages[.ui]
    tasks.run { [weak self] in
      let asked = await page?.askCloseConfirmation() ?? .noAnswer
      guard let self, page === pages[.ui] else { return nil }
      switch asked {
      case .called, .posted: return nil
      case .threw: return .closeConfirmationFailed
      // The user answers one question after the other.
      case .noAnswer where window?.question != nil: return closingCancelled
      case .noAnswer:
        ask(.close) { [weak self] isClosing in
          guard let self else { return }
          handle(isClosing ? .closeConfirmationFailed : closingCancelled)
        }
        return nil
      }
    }
  }
}
