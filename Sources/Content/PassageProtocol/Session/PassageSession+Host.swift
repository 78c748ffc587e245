internal import TesseraJSON

/// What the program asks (Passage.md, rule 19).
extension PassageSession {
  mutating func received(_ request: HostRequest) {
    switch request.call {
    case .close, .navigate, .goBack, .goForward, .completeRecording, .captureRecordingData:
      if phase == .idle {
        log("The program asks something of Passage before it is open.")
      } else {
        follow(request.call)
      }
    case .cookies, .setCookie, .clearCookies, .clearCookiesOfDomains, .clearAllCookies, .clearWebViewState,
      .clearWebViewData, .resetWebViewURLs, .releaseResources, .injectJavaScript:
      if request.call.resetsViews { forgetPage() }
      effects.append(.perform(request))
    }
  }

  private mutating func follow(_ call: HostRequest.Call) {
    switch call {
    case .close: close(.programmaticClose)
    case .navigate(let address):
      guard let address = WebAddress(address) else { return log("The program names no web page to load.") }
      load(inVisibleView: address)
    case .goBack: if visible == .automation { goBack() } else { effects.append(.goBack(.ui)) }
    case .goForward: effects.append(.goForward(visible))
    case .completeRecording(let data): completeRecording(data)
    case .captureRecordingData(let data): captureRecordingData(data)
    default: break
    }
  }
}
