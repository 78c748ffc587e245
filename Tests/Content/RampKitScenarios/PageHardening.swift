import RampKitFlow
import TesseraBridge

/// What the hardening prevents, and that fields can be filled.
@MainActor
enum PageHardening {
  private static let html = """
    <p id=text>some text</p><img id=img><input id=input><textarea id=area></textarea><select id=select></select>
    <div id=edit contenteditable><b id=inner>edit</b></div><div id=off contenteditable=false>x</div>
    """

  static func run(_ arguments: [String]) async throws {
    try await hardened()
    try await rest()
    try await caret()
    try await afterLoad()
    try await plain()
  }

  /// For each element the events whose default was prevented.
  private static let prevented = """
    Object.fromEntries(["text", "img", "input", "area", "inner", "off"].map((id) => [id,
      ["copy", "cut", "paste", "contextmenu", "selectstart", "dragstart", "dblclick", "gesturestart", "gesturechange",
       "gestureend"].filter((name) =>
         !document.getElementById(id).dispatchEvent(new Event(name, {bubbles: true, cancelable: true})))]))
    """

  private static let styles = """
    Object.fromEntries(["text", "img", "input", "area", "edit", "inner", "off"].map((id) => {
      const style = getComputedStyle(document.getElementById(id));
      return [id, [style.webkitUserSelect, style.webkitUserDrag]];
    }))
    """

  /// Writes into a field as a user does, by the editor of WebKit.
  private static func typed(_ id: String, in page: ShownPage) async throws -> JSONValue {
    try await page.value(
      """
      (() => {
        const field = document.getElementById("\(id)");
        field.focus();
        const isDone = document.execCommand("insertText", false, "typed");
        return [isDone, (field.value ?? field.textContent).includes("typed")];
      })()
      """)
  }

  private static func hardened() async throws {
    let page = try await ShownPage(
      html: html, scripts: [PageScripts.documentStart, PageScripts.hardening(PageOptions())])
    observe("prevented", try await page.value(prevented))
    observe("styles", try await page.value(styles))
    observe(
      "wheel",
      try await page.value(
        """
        [true, false].map((ctrlKey) =>
          text.dispatchEvent(new WheelEvent("wheel", {ctrlKey, bubbles: true, cancelable: true})))
        """))
    observe(
      "touch",
      try await page.value(
        """
        [2, 1, undefined].map((scale) => {
          const event = new Event("touchmove", {bubbles: true, cancelable: true});
          if (scale !== undefined) { event.scale = scale; }
          return text.dispatchEvent(event);
        })
        """))
    for id in ["input", "area", "edit"] { observe("typed \(id)", try await typed(id, in: page)) }
    observe("caret", try await page.value("getComputedStyle(input).caretColor === 'rgba(0, 0, 0, 0)'"))
    observe("viewport", try await page.value("document.querySelector('meta[name=viewport]').content"))
    // A script selects a text: the selection goes. In a field it stays.
    try await page.value("document.activeElement.blur(), getSelection().selectAllChildren(text)")
    try await page.wait("getSelection().isCollapsed")
    try await page.value("input.value = 'abc', input.focus(), input.select(), getSelection().isCollapsed")
    try await page.value("setTimeout(() => { window.isLater = true }, 250), null")
    try await page.wait("window.isLater")
    observe("selected", try await page.value("[input.selectionStart, input.selectionEnd]"))
    // What a page removes comes back, and new elements are as the others.
    try await page.value(
      """
      document.querySelectorAll("head style, meta[name=viewport]").forEach((one) => one.remove()),
      document.designMode = "on",
      document.body.insertAdjacentHTML("beforeend", "<p id=added>x</p>")
      """)
    try await page.wait("document.querySelector('meta[name=viewport]')")
    observe("added", try await page.value("getComputedStyle(added).webkitUserSelect"))
    observe("design mode", try await page.value("document.designMode"))
    page.close()
  }

  /// A page at rest has no timers.
  private static func rest() async throws {
    let count = """
      window.timers = [];
      for (const name of ["setInterval", "setTimeout", "requestAnimationFrame", "requestIdleCallback"]) {
        const own = window[name];
        window[name] = function (...all) { timers.push(name); return own?.apply(window, all); };
      }
      """
    let page = try await ShownPage(
      html: html + "<b data-tap-dynamic='{}'>x</b><p data-on-open-actions='[]'>${name}</p>",
      scripts: [count, PageScripts.documentStart, PageScripts.hardening(PageOptions())])
    page.send(["name": "Ada"])
    try await page.wait("document.body.textContent.includes('Ada')")
    observe("timers at rest", try await page.value("timers"))
    try await page.value("setTimeout(() => {}, 0), null")
    observe("timers of the page", try await page.value("timers"))
    page.close()
  }

  private static func caret() async throws {
    var options = PageOptions()
    options.hidesCaret = true
    let page = try await ShownPage(
      html: html, scripts: [PageScripts.documentStart, PageScripts.hardening(options)])
    observe("hidden caret", try await page.value("getComputedStyle(input).caretColor"))
    observe("typed without caret", try await typed("input", in: page))
    page.close()
  }

  private static func afterLoad() async throws {
    let page = try await ShownPage(html: html)
    for _ in 0..<2 { _ = try await page.view.evaluate(PageScripts.afterLoad) }
    observe("no-select styles", try await page.value("document.querySelectorAll('#rk-no-select-style').length"))
    observe("no-select flag", try await page.value("__rkNoSelectApplied"))
    observe("no-select prevented", try await page.value(prevented))
    observe("no-select", try await page.value(styles))
    page.close()
  }

  /// Without any of it: the observations above are not those of every page.
  private static func plain() async throws {
    let page = try await ShownPage(html: html)
    observe("plain prevented", try await page.value(prevented))
    observe("plain", try await page.value(styles))
    page.close()
  }
}
