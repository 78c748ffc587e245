import TesseraCore
import TesseraPassport
import TesseraPictures
public import TesseraVerification

/// The report on one read as one HTML page that is complete in itself: it has no script and loads nothing. The page
/// follows the colour scheme of the reader, prints on one sheet of A4, and can be read without colours.
///
/// Every text of the chip is escaped, cleaned of control characters, cut to a bounded length, and isolated in its writing
/// direction. The page contains personal data: the portrait, the signature, and the texts of DG1, DG11 and DG12.
public struct ReportPage: Sendable {
  @Indirect private var report: Report
  @Indirect private var dump: DocumentDump
  let software: String

  /// - Parameters:
  ///   - report: the result of the verification of `dump`.
  ///   - dump: the source of the pictures.
  ///   - software: name and version of the program, for the foot of the page.
  public init(_ report: Report, _ dump: DocumentDump, software: String) {
    _report = Indirect(wrappedValue: report)
    _dump = Indirect(wrappedValue: dump)
    self.software = software
  }

  /// The page: an HTML document, to be stored as UTF-8.
  public func html() -> String {
    let document = report.document
    let title = "\(report.outcome.title): \(document.issuingState) \(document.documentNumber)"
    return PageFrame(title: title, sheets: [sheet]).text
  }

  /// A picture of a document as a `data:` address (RFC 2397) that browsers show; nil if it cannot be decoded.
  package static func pictureAddress(_ data: [UInt8]) -> String? {
    guard case .shown(let address, _, _) = EmbeddedPicture(data) else { return nil }
    return address.text
  }

  /// Whether the document has so many files that its print needs smaller letters to fit on one sheet. Most documents
  /// have less than ten.
  private var isCrowded: Bool {
    report.files.count + report.omissions.count + report.findings.count + report.content.findings.count > 10
  }

  private var sheet: HTML {
    .element(
      "main", isCrowded ? [.class("crowded")] : [],
      [
        PageHeader(report: report).html,
        VerdictBanner(report: report).html,
        DataPage(report: report, dump: dump).html,
        FurtherDetails(report: report).html,
        CheckList(report: report).html,
        FindingList(report: report).html,
        CertificateChain(report: report).html,
        .element(
          "div", [.class("columns technical")],
          [FileTable(report: report).html, TechnicalData(report: report, dump: dump).html]),
        PageFooter(
          times: [
            ("Read at", report.readAt.map(PageDate.time) ?? "not recorded"),
            ("Verified as of", PageDate.time(report.verifiedAt)),
          ], software: software
        ).html,
      ])
  }
}

/// A picture of the document, in a form that browsers show.
enum EmbeddedPicture {
  case shown(DataURL, ImageSize, isDamaged: Bool)
  /// The picture cannot be shown; the reason is a sentence.
  case unusable(reason: String)

  /// A portrait has fewer; a page with a larger PNG is slow to open.
  private static let maximumPixels = 2_000_000

  /// A JPEG that every browser shows as it is remains one, without EXIF, so that no browser turns it. Others, which
  /// browsers do not show or show in several ways, become a PNG. Each is upright.
  init(_ data: [UInt8]) {
    do {
      let jpeg = Picture.upright(jpeg: data)
      if jpeg == nil, let size = (try? ImageHeader(data))?.size, size.width * size.height > Self.maximumPixels {
        throw PictureError.tooLarge(size)
      }
      let picture = try Picture(decoding: data)
      let address = if let jpeg { DataURL(.jpeg, jpeg) } else { DataURL(.png, try picture.png()) }
      self = .shown(address, picture.size, isDamaged: picture.isDamaged)
    } catch {
      self = .unusable(reason: Failure(error).cause)
    }
  }
}

/// What is around every report: one HTML document with the style sheet, which has no script and loads nothing.
struct PageFrame {
  let title: String
  /// Each is an element `main`.
  let sheets: [HTML]

  /// To be stored as UTF-8.
  var text: String { "<!DOCTYPE html>\n" + document.markup + "\n" }

  private var document: HTML { .element("html", [.lang("en")], [head, .element("body", [], sheets)]) }

  private var head: HTML {
    .element(
      "head", [],
      [
        .element("meta", [.fixed("charset", "utf-8")]),
        .element(
          "meta",
          [
            .fixed("http-equiv", "Content-Security-Policy"),
            .fixed("content", "default-src 'none'; style-src 'unsafe-inline'; img-src data:"),
          ]),
        .element(
          "meta", [.fixed("name", "viewport"), .fixed("content", "width=device-width, initial-scale=1")]),
        .element("meta", [.fixed("name", "color-scheme"), .fixed("content", "light dark")]),
        .element("title", [], title),
        .style(Stylesheet.text),
      ])
  }
}

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Dates as the page writes them.
enum PageDate {
  /// `YYYY-MM-DDThh:mm:ssZ` (ISO 8601, UTC).
  static func time(_ date: Date) -> String { date.formatted(.iso8601) }

  /// `YYYY-MM-DD`, in UTC.
  static func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }

  /// `YYYY-MM-DD` with the century; the unchanged text if a part is unknown.
  static func zone(_ text: String, _ meaning: MRZDate.Meaning, asOf date: Date) -> String {
    MRZDate(text, meaning, today: date)?.description ?? text
  }
}
