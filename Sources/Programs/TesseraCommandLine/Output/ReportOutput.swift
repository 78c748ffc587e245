import FoundationEssentials
package import Tessera

/// A report as text: the verdict and what it proves, the data page with the portrait next to it, the checks, the
/// transport.
package struct ReportOutput {
  private let report: Report
  private let portrait: FacialImage?
  /// Where the date for which validity was checked comes from; nil for a read, when it is the present.
  private let time: TimeSource?

  package init(report: Report, portrait: FacialImage?, time: TimeSource? = nil) {
    self.report = report
    self.portrait = portrait
    self.time = time
  }

  package enum TimeSource {
    /// The dump, or the present if the dump does not state a time.
    case dump
    case caller
  }

  package func show(asJSON: Bool) throws {
    try StandardOutput.write(asJSON ? report.json() : text(colour: Terminal.colour))
  }

  package func text(colour: Terminal.Colour) -> String {
    ([headline, Terminal.printable(report.meaning), ""] + dataPage(colour) + [""] + checks + timeLine + [""] + files
      + findings + transport)
      .joined(separator: "\n")
  }

  private var headline: String {
    let style: Terminal.Style =
      switch report.outcome {
      case .genuine: .green
      case .notEstablished where report.isSound: .yellow
      case .notEstablished, .notGenuine: .red
      }
    return Terminal.styled(Terminal.printable(report.headline), style)
  }

  private func dataPage(_ colour: Terminal.Colour) -> [String] {
    let document = report.document
    let zone = [
      (
        "Document",
        document.format.isEmpty
          ? "" : "\(document.type) \(document.issuingState) \(document.documentNumber) (\(document.format))"
      ),
      ("Surname", document.primaryIdentifier),
      ("Given names", document.secondaryIdentifier),
      ("Nationality", document.nationality),
      ("Date of birth", Self.date(document.dateOfBirth, .birth)),
      ("Sex", document.sex == "<" ? "unspecified" : document.sex),
      ("Expires", document.hasNoEnd ? "no end" : Self.date(document.dateOfExpiry, .expiry)),
      ("Optional data", document.optionalData),
      ("Access control", report.statesTransport ? access : ""),
    ].filter { !$0.1.isEmpty }
    let rows = zone + ContentRows(content: report.content).rows
    var lines = rows.map { name, value in
      Terminal.styled(name.padded(to: 15), .dim) + Terminal.printable(value)
    }
    lines += [""] + document.mrz.split(separator: "\n").map { Terminal.printable(String($0)) }

    guard colour != .none, let portrait else { return lines }
    let face: Picture
    do {
      face = try Picture(decoding: portrait.data)
    } catch {
      return lines + ["", "No portrait. \(error.failure.cause)"]
    }
    if face.isDamaged { lines += ["", "The data of the portrait are damaged."] }
    guard let picture = TerminalPicture(face, height: 18, colour: colour) else { return lines }
    let padding = Array(repeating: "", count: max(0, picture.lines.count - lines.count))
    return zip(picture.lines, lines + padding).map { "\($0)  \($1)" }
      + lines.dropFirst(picture.lines.count).map { String(repeating: " ", count: picture.width + 2) + $0 }
  }

  /// `PACE (GM, AES-128)`.
  private var access: String {
    let access = report.accessControl
    guard let mapping = access.mapping, let cipher = access.cipher else {
      return access.protocol == "none" ? "no access control" : access.protocol
    }
    return "\(access.protocol) (\(mapping), \(cipher))"
  }

  private var checks: [String] {
    report.checks.map { check in
      let (mark, style): (String, Terminal.Style) =
        switch check.status {
        case .passed: ("passed", .green)
        case .failed: ("FAILED", .red)
        case .skipped: ("skipped", .dim)
        case .unsupported: ("unsupported", .yellow)
        }
      let status = Terminal.styled(mark.padded(to: 13), style)
      let name = check.id.rawValue.padded(to: 25)
      return status + name + Terminal.printable(check.detail)
    }
      + report.findings.map { finding in
        let style: Terminal.Style = finding.speaksAgainstDocument ? .red : .yellow
        return Terminal.styled("FOUND        ", style) + Terminal.printable(finding.detail)
      }
  }

  private var timeLine: [String] {
    let origin: String
    switch time {
    case nil: return []
    case .caller?: origin = ""
    case .dump?: origin = report.readAt == nil ? " (now: the dump does not state its time)" : " (time of the read)"
    }
    return ["Verified as of \(Self.day(report.verifiedAt))\(origin)."]
  }

  /// `YYYY-MM-DD` in UTC.
  package static func day(_ date: Date) -> String { String(Timestamp(date).text.prefix(10)) }

  private var files: [String] {
    let names = report.files.map { "\($0.name) (\($0.bytes) bytes)" }.joined(separator: ", ")
    return ["Read \(names)."] + report.omissions.map { "Not read: \($0.name). \(Terminal.printable($0.reason))" }
  }

  private var findings: [String] { ContentRows(content: report.content).findings.map(Terminal.printable) }

  /// Empty for a dump that does not state how it was read.
  private var transport: [String] {
    let transport = report.transport
    guard report.statesTransport else { return [] }
    let text =
      "\(transport.exchanges) exchanges, \(transport.bytesSent) bytes sent, \(transport.bytesReceived) received, "
      + "\(transport.milliseconds) ms, on \(Terminal.printable(transport.reader))."
    return [text]
  }

  /// The date with its century; the unchanged text if a part of it is unknown.
  private static func date(_ text: String, _ meaning: MRZDate.Meaning) -> String {
    MRZDate(text, meaning, today: .now)?.description ?? text
  }
}
