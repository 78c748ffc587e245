/// The HTML document around a screen.
enum FlowPageDocument {
  static func html(_ content: String, title: String, nonce: String) -> String {
    var html = FlowHTML()
    html.raw("<!doctype html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\"")
    html.attribute("content", policy(nonce))
    html.raw(">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>")
    html.text(title)
    html.raw("</title>\n<style")
    html.attribute("nonce", nonce)
    html.raw(">\n")
    html.own(PackageResources.fck_css)
    html.raw("</style>\n</head>\n<body>\n<main id=\"fck\" tabindex=\"-1\">")
    html.own(Array(content.utf8))
    html.raw("</main>\n<script")
    html.attribute("nonce", nonce)
    html.raw(">\n")
    html.own(PackageResources.fck_js)
    html.raw("</script>\n</body>\n</html>\n")
    return html.string
  }

  /// Our own script and style sheet, pictures with https, and nothing else (W3C CSP Level 3). The attributes `style` are
  /// ours, too: no markup of the flow gets into the page.
  static func policy(_ nonce: String) -> String {
    "default-src 'none'; script-src 'nonce-\(nonce)'; style-src-elem 'nonce-\(nonce)'; style-src-attr 'unsafe-inline'; "
      + "img-src https:; base-uri 'none'; form-action 'none'"
  }

  /// 128 bits of the system's generator, in hexadecimal.
  static func nonce() -> String {
    var generator = SystemRandomNumberGenerator()
    return [generator.next() as UInt64, generator.next()].map { word in
      let digits = String(word, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
