package import TesseraCore
internal import TesseraJSON
internal import TesseraVerificationPage
internal import TesseraWebClient

/// The content that a kiosk shows.
package enum KioskPage {
  /// Tessera's page, which learns by `globalThis.tesseraKiosk` that it is in a kiosk: it asks guests to ask for help
  /// instead of naming a command, and shows the state of the reader.
  ///
  /// - Parameters:
  ///   - theme: the look of the page; nil for Tessera's own.
  ///   - keepsResults: whether the operator receives results, which the page then says. It offers no seals then, of which
  ///     no result is kept.
  package static func verification(_ theme: KioskTheme? = nil, keepsResults: Bool) -> BundledContent {
    let page = BundledContent.verificationPage
    var files = page.files
    var about = theme?.about ?? JSONObject()
    about["results"] = .bool(keepsResults)
    about["seals"] = .bool(!keepsResults)
    // The page loads it before its own scripts. The window provides the bridge itself, so it is otherwise empty.
    // Nothing is painted before the page has its words: what it says of privacy without them may be wrong here.
    let script = """
      globalThis.tesseraKiosk = \(JSONValue.object(about).text);
      document.documentElement.dataset.begins = "";
      setTimeout(() => { delete document.documentElement.dataset.begins; }, 10000);

      """
    files["bridge.js"] = BundledContent.File(mediaType: "text/javascript", bytes: Array(script.utf8))
    if let theme {
      files["page.css"]?.bytes += theme.styles.utf8
      if let logo = theme.logo { files[logo.name] = logo.file }
    }
    return BundledContent(
      name: page.name, files: files,
      securityPolicy: page.securityPolicy.replacing("img-src data:", with: "img-src 'self' data:"))
  }

  /// A page of the operator from a folder, which must have `index.html`. As a part of the program it needs no grant. It
  /// loads nothing from elsewhere. `tessera.js` in its top folder is the client of the bridge, unless the folder has one.
  ///
  /// - Throws: `Failure` of the kind `usage`.
  package static func folder(_ path: String) throws(Failure) -> BundledContent {
    var files = try FileFolder(path: path).files()
    guard files["index.html"] != nil else {
      throw Failure(
        .usage, "The folder \(PrintableText.of(path)) has no index.html.", remedy: "Name the folder of the page.")
    }
    if files["tessera.js"] == nil {
      files["tessera.js"] = BundledContent.File(mediaType: "text/javascript", bytes: WebClient.module)
    }
    return BundledContent(
      name: "kiosk", files: files,
      securityPolicy: """
        default-src 'self'; img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; \
        style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """)
  }
}
