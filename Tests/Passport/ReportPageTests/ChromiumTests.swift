import Foundation
import TesseraReportPage
import Testing

extension RealPrograms {
  @Suite(
    "Pages of reports in Chromium", .serialized,
    .enabled(if: Chromium.isEnabled, "Chromium is missing: apt-get install chromium"))
  struct ChromiumTests {
    @Test("prints on one sheet of A4", arguments: PageDocument.drawn)
    func print(_ document: PageDocument) async throws {
      let browser = try Chromium(page: try await document.page().html())
      #expect(try await browser.printedPages() == 1)
    }

    @Test(
      "a window of 1024 pixels shows the page without horizontal scrolling, light and dark, with a readable verdict",
      arguments: PageDocument.drawn)
    func screen(_ document: PageDocument) async throws {
      let browser = try Chromium(page: try await document.page().html())
      let light = try await browser.screenshot(.light)
      let dark = try await browser.screenshot(.dark)
      for picture in [light, dark] {
        #expect(picture.width == 1024)
        // The last column belongs to the margin of the page: nothing continues beyond it.
        #expect(picture.colours(picture.width - 12..<picture.width, 0..<picture.height).count == 1)
        // Neither blank nor without the portrait.
        #expect(picture.hasMoreColours(than: 500))
        try Self.checkVerdict(picture)
      }
      #expect(Contrast.luminance(light[2, 2]) > 0.7)
      #expect(Contrast.luminance(dark[2, 2]) < 0.05)
    }

    /// The background of the banner is its most frequent colour. The texts on it have at least two more colours that are
    /// not the mixed ones of the edges of letters: that of the outcome and that of the sentence.
    private static func checkVerdict(_ picture: Screenshot) throws {
      let colours = picture.colours(180..<950, 100..<160)
      let background = try #require(colours.first)
      let text = try #require(colours.dropFirst().first)
      #expect(background.count > 20_000)
      #expect(text.count > 200)
      #expect(Contrast.ratio(background.colour, text.colour) >= 4.5)
    }

    @Test("a narrow window shows the page without horizontal scrolling")
    func narrow() async throws {
      let browser = try Chromium(page: try await PageDocument.genuine.page().html())
      let picture = try await browser.screenshot(.light, width: 520, height: 3000)
      #expect(picture.colours(picture.width - 8..<picture.width, 0..<picture.height).count == 1)
    }
  }
}
