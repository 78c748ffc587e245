import RampKitFlow
import TesseraBridge

/// What the content security policy of a flow stops.
@MainActor
enum PagePolicy {
  static func run(_ arguments: [String]) async throws {
    let page = try await ShownPage(
      html: "<button id=b onclick=\"window.isClicked = typeof window.webkit.messageHandlers.rampkit\">x</button>",
      js: """
        window.stopped = [];
        document.addEventListener("securitypolicyviolation", (event) => { stopped.push(event.effectiveDirective) });
        """)
    try await page.click("#b")
    observe("handler", try await page.value("window.isClicked"))
    /// Waits until the policy has stopped something for this reason. Reports of earlier attempts may come in between.
    func stopped(_ directive: String, by script: String, count: Int = 1) async throws -> JSONValue {
      try await page.value("stopped.length = 0; \(script); null")
      let found = "stopped.filter((one) => one === '\(directive)')"
      try await page.wait("\(found).length >= \(count)")
      return try await page.value(found)
    }
    observe(
      "frames",
      try await stopped(
        "frame-src",
        by: """
          for (const source of ["https://a.example/", "tessera-content://flow/index.html"]) {
            const frame = document.createElement("iframe");
            frame.src = source;
            document.body.append(frame);
          }
          """, count: 2))
    func add(_ element: String, _ member: String, then: String = "") -> String {
      """
      {
        const one = document.createElement("\(element)");
        one.\(member) = "https://a.example/a";
        document.body.append(one);
        \(then)
      }
      """
    }
    observe("script", try await stopped("script-src-elem", by: add("script", "src")))
    observe(
      "eval",
      try await page.value("(() => { try { return String(eval('1')); } catch (error) { return error.name; } })()"))
    observe("base", try await stopped("base-uri", by: add("base", "href")))
    observe("form", try await stopped("form-action", by: add("form", "action", then: "one.submit();")))
    // A frame with a text of the page has no handler, whether it is loaded or not.
    try await page.value(
      """
      {
        const frame = document.createElement("iframe");
        frame.srcdoc = "<script>window.webkit?.messageHandlers?.rampkit?.postMessage('from the frame')</scr" + "ipt>";
        frame.onload = () => { window.isFrameLoaded = true; };
        document.body.append(frame);
      }
      null
      """)
    try await page.wait("window.isFrameLoaded || stopped.includes('frame-src')")
    try await page.settle()
    observe("frame posts", .array(page.messages))
    page.close()
  }
}
