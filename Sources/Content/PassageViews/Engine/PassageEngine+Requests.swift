internal import PassageProtocol
internal import TesseraCore
internal import TesseraJSON
internal import TesseraWebContent

extension PassageEngine {
  /// Does what the program asked for, and answers. Also while Passage is not shown.
  func perform(_ request: HostRequest) {
    // The session may load a page next, which must stay.
    if request.call.resetsViews {
      for page in pages.values { page.load(PageLoad(page.kind, PageRules.empty, clearsHistory: true)) }
      return hooks.answer(request.id, .success(.null))
    }
    tasks.keep { [weak self] in
      guard let self else { return nil }
      do { hooks.answer(request.id, .success(try await result(of: request.call))) } catch {
        hooks.answer(request.id, .failure(Self.failure(error)))
      }
      return nil
    }
  }

  private func result(of call: HostRequest.Call) async throws -> JSONValue {
    switch call {
    case .cookies(let address):
      let domains = try Self.domains(of: address)
      let cookies = try await profile.cookies().filter { domains($0.domain) }
      return .array(cookies.map { PassageCookie($0).hostJSON })
    case .setCookie(let cookie, let address):
      guard let host = WebOrigin(url: address)?.host else { throw Self.badAddress }
      var content = cookie.content
      if content.domain.isEmpty { content.domain = host }
      guard try Self.domains(of: address)(content.domain) else {
        throw Failure(
          .usage, "The cookie's domain is not that of the address.", remedy: "Leave the domain empty, or correct it.")
      }
      try await profile.set(content)
    case .clearCookies(let address):
      let domains = try Self.domains(of: address)
      _ = try await profile.removeCookies { domains($0.domain) }
    case .clearCookiesOfDomains(let texts):
      let domains = CookieDomains(texts)
      _ = try await profile.removeCookies { domains.contains(cookieDomain: $0.domain) }
    case .clearAllCookies: try await profile.clear(.cookies)
    case .clearWebViewData: try await profile.clear(.all)
    case .injectJavaScript(let script, let view): return try await inject(script, view)
    // A session that is open ends as it does for `close`, and releases its views then.
    case .releaseResources: if isOpen { handle(.host(HostRequest(id: 0, .close))) } else { release() }
    case .close, .clearWebViewState, .resetWebViewURLs: break
    case .navigate, .goBack, .goForward, .completeRecording, .captureRecordingData:
      throw PassageSession.notOpen
    }
    return .null
  }

  private func inject(_ script: String, _ view: PassageView) async throws -> JSONValue {
    guard let page = pages[view], let mark = markSession() else { throw PassageSession.notOpen }
    let outcome = await page.run(script, mode: .value)
    // Another page may have come meanwhile, or another session.
    guard pages[view] === page, let session else { throw PassageSession.notOpen }
    if let refusal = session.refusal(of: .injectJavaScript(script, view), since: mark) { throw refusal }
    switch outcome {
    case .value(let value): return value
    case .nothing: return .null
    case .error(let message): throw Failure(.usage, "The script failed: \(PrintableText.of(message)).", remedy: nil)
    }
  }

  /// Whether a cookie of a domain is sent to the host of this address.
  private static func domains(of address: String) throws -> (String) -> Bool {
    guard let host = WebOrigin(url: address)?.host else { throw badAddress }
    return { domain in
      domain.hasPrefix(".") ? host == domain.dropFirst() || host.hasSuffix(domain) : host == domain
    }
  }

  private static var badAddress: Failure {
    Failure(.usage, "The address is not one of https or http.", remedy: "Write it as https://HOST/PATH.")
  }

  private static func failure(_ error: any Error) -> Failure {
    error as? Failure
      ?? Failure(.serviceUnavailable, "The web profile did not do what was asked.", remedy: "Try again.")
  }
}
