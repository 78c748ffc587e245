// Shows a page of this program in a window, and prints what the page reports.
//
//   swift run ExampleWindow
import Foundation
import TesseraWindow

let page = """
  <!DOCTYPE html><meta charset="utf-8"><title>A guest</title><script type="module" src="page.js"></script>
  <form><label>Room <input name="room" autofocus></label> <button>Done</button></form>
  """

// `nfc.scan` of the same client reads a passport.
let script = """
  import {request} from "./tessera.js";
  document.querySelector("form").addEventListener("submit", (event) => {
    event.preventDefault();
    request("lifecycle", "setResult", {success: true, claims: {room: event.target.room.value}});
  });
  """

/// Shows the page until it reports a result, and returns the exit status.
@MainActor
func show() async -> Int32 {
  let content = BundledContent(
    name: "guest",
    files: [
      "index.html": BundledContent.File(mediaType: "text/html", bytes: Array(page.utf8)),
      "page.js": BundledContent.File(mediaType: "text/javascript", bytes: Array(script.utf8)),
      "tessera.js": BundledContent.File(mediaType: "text/javascript", bytes: WebClient.module),
    ],
    securityPolicy: "default-src 'none'; script-src 'self'; form-action 'none'")
  var configuration = LaunchConfiguration(content: .bundled(content))
  configuration.title = "A guest"
  do {
    let result = try await SelfSdk.configure(configuration).launch(nil)
    print("Room \(result.claims?["room"]?.stringValue ?? "unknown")")
    return 0
  } catch {
    guard case .failed(let problem) = error else {
      print("The window was closed.")
      return 1
    }
    print(problem.message)
    return 1
  }
}

// A plain main, without `await`: the main thread belongs to GTK.
exit(MainLoop.run { await show() } ?? 1)
