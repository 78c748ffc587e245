internal import TesseraCore
internal import TesseraWebContent

/// The scripts of the two views. Each file is the body of a function.
enum PageScripts {
  /// The script world of the program in the automation view. Pages do not see what is in it.
  static let world = "passage"
  /// The name of the message handler (section 4).
  static let handler = "passageWebView"
  /// The longest HTML and the longest storage that are collected, in UTF-16 code units.
  private static let (maximumHTML, maximumStorage) = (4 << 20, 1 << 20)

  /// The page object of the UI page.
  static let service = function(PackageResources.service_js)
  /// Before the configuration's global script.
  static let tolerance = function(PackageResources.global_js)

  /// The page object for scripts of the server.
  ///
  /// - Parameter event: a secret name.
  static func site(historyEvent event: String) -> String {
    function(PackageResources.site_js, "const historyEvent = \(ScriptLiteral.quote(event));")
  }

  /// Reports calls of the page's history, in the world of the page.
  static func history(historyEvent event: String) -> String {
    function(PackageResources.history_js, "const historyEvent = \(ScriptLiteral.quote(event));")
  }

  /// The body of an asynchronous function that returns what a page is and stores, as JSON.
  static let collect =
    "\"use strict\";\nconst maximumHTML = \(maximumHTML), maximumStorage = \(maximumStorage);\n"
    + String(decoding: PackageResources.collect_js, as: UTF8.self)

  /// The body of an asynchronous function that runs a script of a server as an expression, and returns its value as JSON
  /// in a member `value`, or what it threw in `error`. A script that is no expression is not run at all: the engine
  /// refuses it with a syntax error.
  static func expression(_ script: String) -> String {
    var text = Substring(script)
    while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
    return """
      let value;
      try { value = await (\(text)
      ); } catch (error) { return JSON.stringify({error: String(error)}); }
      try { return JSON.stringify({value}); } catch { return "{}"; }
      """
  }

  private static func function(_ bytes: [UInt8], _ constants: String = "") -> String {
    "(() => {\n\"use strict\";\n\(constants)\n\(String(decoding: bytes, as: UTF8.self))})();"
  }
}
