internal import CTesseraWebKitGTK
internal import PassageProtocol
internal import TesseraCore
internal import TesseraJSON
internal import TesseraWebContent

extension PassageEngine {
  func performInViews(_ effect: PassageEffect) {
    switch effect {
    case .present: present()
    case .dismiss:
      closePanels()
      window?.hide()
    case .load(let load): pages[load.view]?.load(load)
    case .stopLoading(let view): pages[view]?.stopLoading()
    case .reload(let view): pages[view]?.view.reload()
    case .goBack(let view): pages[view]?.goBack()
    case .goForward(let view): _ = pages[view]?.view.goForward()
    case .askHistory: handle(.history(canGoBack: pages[.automation]?.canGoBack ?? false))
    case .show(let view):
      showPopups(of: view)
      window?.show(view) { [weak self] in self?.handle(.shown(view)) }
    case .setBackButton(let isVisible): window?.setBackButton(isVisible: isVisible)
    case .recreate(let view): makePage(view)
    case .detectUserAgent: handle(.userAgent(pages[.automation]?.view.userAgent ?? ""))
    case .setUserAgent(let text):
      automation.userAgent = text
      pages[.automation]?.view.userAgent = text
    case .setGlobalScript(let script):
      guard script != automation.globalScript else { return }
      automation.globalScript = script
      // Scripts belong to a view from its beginning.
      makePage(.automation)
    case .clearCookies(let domains):
      queue.performBeforeOthers { [profile, hooks] in
        do {
          _ = try await profile.removeCookies { domains?.contains(cookieDomain: $0.domain) ?? true }
          return true
        } catch {
          hooks.log("Cookies that were to be removed are still there, so no page is loaded.")
          return false
        }
      }
    case .openExternally(let address): openExternally(address)
    case .setTitle(let title): window?.title = WidgetHelp.clean(String(title.prefix(200)))
    // The desktop's soft keyboard follows the focus; programs do not suppress it.
    case .setKeyboard: break
    default: performInPages(effect)
    }
  }

  private func present() {
    var hooks = PassageWindow.Hooks()
    hooks.back = { [weak self] in self?.handle(.backPressed) }
    hooks.close = { [weak self] in self?.handle(.closePressed) }
    hooks.windowClosed = { [weak self] in self?.handle(.windowClosed) }
    hooks.appState = { [weak self] in self?.handle(.appState($0)) }
    guard gdk_display_get_default() != nil else {
      return handle(.presentationFailed(reason: "There is no display to open a window on."))
    }
    window = PassageWindow(title: options.title, fillsScreen: options.fillsScreen, hooks: hooks)
    for view in [PassageView.automation, .ui] { makePage(view) }
    window?.present()
  }

  /// Makes a view, in place of the one that was there.
  private func makePage(_ kind: PassageView) {
    guard let window else { return }
    var hooks = PassagePage.Hooks()
    hooks.navigated = { [weak self] in self?.handle(.navigation(kind, $0)) }
    hooks.message = { [weak self] message in
      self?.handle(
        .message(kind, origin: message.origin, isFromTopFrame: message.isFromTopFrame, text: message.text))
    }
    hooks.processEnded = { [weak self] in
      self?.closePopups(of: kind)
      self?.handle(.processEnded(kind))
    }
    hooks.history = { [weak self] in if kind == .automation { self?.handle(.history(canGoBack: $0)) } }
    hooks.popup = { [weak self] in self?.popup(from: kind, $0, $1) ?? .refuse }
    hooks.refusedLink = { [weak self] in self?.refusedLink(kind, $0) }
    closePopups(of: kind)
    let page = PassagePage(
      kind, session: profile, servers: servers,
      options: kind == .automation ? automation : PassagePage.Options(), hooks: hooks)
    let old = pages.updateValue(page, forKey: kind)
    window.set(page.view, as: kind)
    old?.close()
  }

  /// A link to something that the views do not show may be for another program; the session knows.
  private func refusedLink(_ kind: PassageView, _ address: String) {
    guard WebOrigin(url: address) == nil else { return }
    perform(effects(of: .popup(kind, address: address)).filter { $0 != .openPopup })
  }

  private func openExternally(_ address: String) {
    if let open = hooks.openExternally { return open(address) }
    gtk_show_uri(window?.window.window, address, guint32(GDK_CURRENT_TIME))
  }
}
