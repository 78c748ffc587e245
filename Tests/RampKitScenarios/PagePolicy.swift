#if canImport(CTesseraWebKitGTK)
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
      func stopped(_ script: String, _ count: Int) async throws -> JSONValue {
        try await page.value("stopped.length = 0; \(script); null")
        try await page.wait("stopped.length >= \(count)")
        return try await page.value("stopped")
      }
      observe(
        "frames",
        try await stopped(
          """
          for (const source of ["https://a.example/", "tessera-content://flow/index.html"]) {
            const frame = document.createElement("iframe");
            frame.src = source;
            document.body.append(frame);
          }
          """, 2))
      observe(
        "script",
        try await stopped(
          "{const one = document.createElement('script'); one.src = 'https://a.example/a.js'; document.body.append(one)}",
          1
        ).first)
      observe(
        "eval",
        try await page.value("(() => { try { return String(eval('1')); } catch (error) { return error.name; } })()"))
      observe(
        "base",
        try await stopped(
          "{const one = document.createElement('base'); one.href = 'https://a.example/'; document.head.append(one)}", 1
        ).first)
      observe(
        "form",
        try await stopped(
          "{const one = document.createElement('form'); one.action = 'https://a.example/'; document.body.append(one); one.submit()}",
          1
        ).first)
      // A frame with a text of the page is a frame, too: it has no handler.
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
      try await page.wait("window.isFrameLoaded || stopped.length > 1")
      try await page.settle()
      observe("frame posts", .array(page.messages))
      page.close()
    }
  }

  extension JSONValue {
    /// The first element of an array.
    fileprivate var first: JSONValue { if case .array(let elements) = self { elements.first ?? .null } else { .null } }
  }
#endif
