public import TesseraCore
import TesseraWebClient

extension BundledContent {
  /// The page that reads and verifies a travel document. It uses the bridge as any other page does, loads nothing from
  /// elsewhere, and stores nothing.
  public static let verificationPage = BundledContent(
    name: "verification",
    files: [
      "index.html": file("text/html", PackageResources.index_html),
      "page.css": file("text/css", PackageResources.page_css),
      "attendant.js": file("text/javascript", PackageResources.attendant_js),
      "bridge.js": file("text/javascript", PackageResources.bridge_js),
      "tessera.js": file("text/javascript", WebClient.module),
      "entry.js": file("text/javascript", PackageResources.entry_js),
      "launch.js": file("text/javascript", PackageResources.launch_js),
      "main.js": file("text/javascript", PackageResources.main_js),
      "mrz.js": file("text/javascript", PackageResources.mrz_js),
      "result.js": file("text/javascript", PackageResources.result_js),
      "seal.js": file("text/javascript", PackageResources.seal_js),
      "words.js": file("text/javascript", PackageResources.words_js),
    ],
    // Only its own files; the portrait comes as data.
    securityPolicy: """
      default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; \
      form-action 'none'; frame-ancestors 'none'
      """)

  private static func file(_ mediaType: String, _ bytes: [UInt8]) -> File {
    File(mediaType: mediaType, bytes: bytes)
  }
}
