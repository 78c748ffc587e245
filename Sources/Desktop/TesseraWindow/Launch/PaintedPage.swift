import TesseraWebContent

extension ContentView {
  /// Waits until the page has drawn something, or is whole and draws nothing; a page that hangs, for some seconds.
  func painted() async {
    _ = try? await callAsync(Self.untilPainted, in: .named("tesseraPainting"), within: .seconds(3))
  }

  /// Tessera's page in a kiosk is there before its words, invisible (`KioskPage.verification`).
  private static let untilPainted = """
    const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    const isWhole = () => document.readyState === "complete" && !("begins" in document.documentElement.dataset);
    while (performance.getEntriesByType("paint").length === 0 && !isWhole()) { await frame(); }
    await frame();
    await frame();
    """
}
