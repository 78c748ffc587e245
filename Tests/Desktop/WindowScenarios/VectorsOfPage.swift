import BridgeVectors
import TesseraBridge
import TesseraWebClient
import TesseraWindow

/// The vectors of the bridge, sent with `tessera.js` by a page that is part of a program.
@MainActor
enum VectorsOfPage {
  static func run(_ arguments: [String]) async throws {
    let page = VectorPage()
    var files = try VectorPage.files(client: "./tessera.js").mapValues { bytes in
      BundledContent.File(mediaType: "text/javascript", bytes: bytes)
    }
    files["index.html"]?.mediaType = "text/html"
    files["tessera.js"] = BundledContent.File(mediaType: "text/javascript", bytes: WebClient.module)
    let channel = BridgeReceiver.channel(
      router: page.router, permissions: try Permissions(granted: [], file: "/proc/nonexistent/grants", ask: nil)
    ) { _ in .local }
    let view = ContentView(session: ContentSession(), rules: EveryPage(), channels: [channel])
    let window = ContentWindow(title: "vectors")
    window.add(view)
    window.present()
    view.load(
      BundledContent(
        name: "vectors", files: files, securityPolicy: "default-src 'none'; script-src 'self' 'unsafe-inline'"))
    await page.isDone.wait()
    let matrix = await page.matrix
    observe("failure", await page.failure.map(JSONValue.string) ?? .null)
    observe("failures", .array(matrix.failures.map(JSONValue.string)))
    observe("missing", .array(matrix.missing.map(JSONValue.string)))
    for way in VectorPage.Way.allCases.map(\.rawValue) {
      observe(way, .object(JSONObject(matrix.counts(way).mapValues { .integer(Int64($0)) })))
    }
    view.close()
    window.close()
  }
}
