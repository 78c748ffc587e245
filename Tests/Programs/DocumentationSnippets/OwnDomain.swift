import TesseraWindow

extension BridgeDomain {
  /// The scales of the counter.
  static let scales = BridgeDomain("scales", methods: ["weigh"], wish: "wants to use the scales.")
}

/// Weighs for pages.
struct ScalesHandler: BridgeHandler {
  let domain = BridgeDomain.scales
  /// Waits until something lies on the scales, and returns grams.
  let weigh: @Sendable () async throws -> Int

  func handle(
    _ request: BridgeRequest, emit: @escaping @Sendable (String, JSONValue) -> Void
  ) async throws -> JSONValue {
    guard request.method == "weigh" else { throw BridgeError("METHOD_NOT_FOUND", "This domain has no such method.") }
    emit("waiting", [:])
    return ["grams": .integer(Int64(try await weigh()))]
  }
}

/// The script of the page.
let weighing = """
  import {request, listen} from "./tessera.js";
  listen("scales", "waiting", () => { document.body.textContent = "Put the parcel on the scales."; });
  try {
    const {grams} = await request("scales", "weigh", {}, {timeout: 60_000});
    await request("lifecycle", "setResult", {success: true, claims: {grams}});
  } catch ({code, message}) {
    await request("lifecycle", "setResult", {success: false, error: {code, message}});
  }
  """

/// Shows a page that weighs, and returns its result: grams.
@MainActor
func parcelWeight(_ weigh: @escaping @Sendable () async throws -> Int) async throws -> String? {
  let page =
    #"<!DOCTYPE html><meta charset="utf-8"><title>A parcel</title><body><script type="module" src="page.js"></script>"#
  let content = BundledContent(
    name: "parcel",
    files: [
      "index.html": BundledContent.File(mediaType: "text/html", bytes: Array(page.utf8)),
      "page.js": BundledContent.File(mediaType: "text/javascript", bytes: Array(weighing.utf8)),
      "tessera.js": BundledContent.File(mediaType: "text/javascript", bytes: WebClient.module),
    ],
    securityPolicy: "default-src 'none'; script-src 'self'")
  let sdk = SelfSdk.configure(
    LaunchConfiguration(content: .bundled(content)), handlers: [ScalesHandler(weigh: weigh)])
  return try await sdk.launch(nil).claims?["grams"]?.text
}
