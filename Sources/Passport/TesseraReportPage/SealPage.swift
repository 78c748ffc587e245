public import TesseraSeals
import TesseraVerification

/// The report on seals as one HTML page, with the parts of `ReportPage` that a seal has. It has no script and loads nothing.
///
/// Every text of a seal is escaped, cleaned of control characters, cut to a bounded length, and isolated in its writing
/// direction. What a seal says is personal data.
public struct SealPage: Sendable {
  private let reports: [SealReport]
  private let software: String

  /// More seals than any picture of a document shows are left out.
  private static let maximumSeals = 16

  /// - Parameters:
  ///   - reports: one for each seal of a picture or a file.
  ///   - software: name and version of the program, for the foot of the page.
  public init(_ reports: [SealReport], software: String) {
    (self.reports, self.software) = (Array(reports.prefix(Self.maximumSeals)), software)
  }

  /// The page: an HTML document, to be stored as UTF-8. Each seal has a sheet of its own.
  public func html() -> String {
    let titles = reports.prefix(3).map { report in
      "\(report.outcome.title): " + [report.name, report.issuer].filter { !$0.isEmpty }.joined(separator: ", ")
    }
    return PageFrame(title: titles.joined(separator: "; "), sheets: reports.map(sheet)).text
  }

  private func sheet(_ report: SealReport) -> HTML {
    .element(
      "main", [],
      [
        PageHeader(title: "Report on a seal", parts: [report.kind.name, report.documentName, report.issuer]).html,
        VerdictBanner(report: report).html,
        SealData(report: report).html,
        CheckList(report: report).html,
        FindingList(report: report).html,
        CertificateChain(report: report).html,
        SealFacts(report: report).html,
        PageFooter(times: [("Verified as of", PageDate.time(report.verifiedAt))], software: software).html,
      ])
  }
}

extension SealReport {
  fileprivate var name: String { documentName.isEmpty ? kind.name : documentName }
}
