import NIOHTTP1
import TesseraBridge
import TesseraCore

/// What a browser shows in the window of a page that asked for the result of the service's page and gets none. It says to the
/// developer of a page of this machine what is wrong, and the page gets an error, so that it does not wait.
struct OpenerRefusal {
  private let problem: String
  /// The page that opened the window; nil if the address names none.
  private let opener: WebOrigin?

  /// - Parameter opener: what the parameter `targetOrigin` names; nil if it is no origin.
  /// - Returns: nil for a page of another machine, which learns nothing.
  init?(_ opener: WebOrigin?, _ grants: ConnectionGrants) {
    self.opener = opener
    guard let opener else {
      problem = "targetOrigin must be an origin, without a slash at the end, for example http://localhost:5173."
      return
    }
    guard opener.isLoopback else { return nil }
    let grant = Grant(.web(origin: opener.canonical), [Grant.Permission(.nfc, "scan")])
    switch grants.current.decision(grant.caller, .nfc, "scan") {
    case .undecided: problem = "\(opener.canonical) has no grant: \(grant.command)"
    case .denied, .granted: problem = "\(opener.canonical) may not scan: a line of the grants file denies it."
    }
  }

  var headers: HTTPHeaders {
    [
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy":
        "default-src 'none'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "Referrer-Policy": "no-referrer",
    ]
  }

  /// The page. An origin in the form that browsers send has no character with a meaning in HTML.
  var html: [UInt8] {
    Array(
      """
      <!doctype html><meta charset="utf-8"><title>403 Forbidden</title>
      <h1>403 Forbidden</h1>
      <p>\(problem.replacing("&", with: "&amp;").replacing("<", with: "&lt;"))</p>
      \(opener.map { "<script>\(script(for: $0))</script>\n" } ?? "")
      """.utf8)
  }

  /// The browser delivers the message to that origin only.
  private func script(for opener: WebOrigin) -> String {
    """
    const query = new URLSearchParams(location.search);
    if (opener) {
      opener.postMessage({type: "self:result", version: 1, payload: {
        success: false, userId: query.get("userId") ?? undefined,
        verificationId: query.get("verificationId") ?? undefined,
        error: {code: "NOT_ALLOWED", message: \(ScriptLiteral.quote(problem.replacing("<", with: "")))},
      }}, \(ScriptLiteral.quote(opener.canonical)));
    }
    """
  }
}
