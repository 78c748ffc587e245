import Tessera
import TesseraCommandLine
import TesseraJSON
import TesseraSeals

/// The report on a seal, as text or JSON.
struct SealOutput {
  private let report: SealReport
  /// The name of the file, if there are several.
  private let file: String?

  init(_ report: SealReport, file: String?) { (self.report, self.file) = (report, file) }

  func text(asJSON: Bool) -> String {
    guard asJSON else {
      return ((file.map { [Terminal.printable($0) + ":"] } ?? []) + report.lines.map(Self.line)).joined(separator: "\n")
    }
    guard let file, case .object(var members) = report.json else { return report.json.text }
    members["file"] = .string(file)
    return JSONValue.object(members).text
  }

  private static func line(_ line: SealReport.Line) -> String {
    guard let style = style(line) else { return line.whole }
    guard !line.label.isEmpty else { return Terminal.styled(line.text, style) }
    return Terminal.styled(line.label, style) + line.whole.dropFirst(line.label.count)
  }

  private static func style(_ line: SealReport.Line) -> Terminal.Style? {
    switch line.style {
    case .plain: line.label.isEmpty ? nil : .dim
    case .genuine, .passed: .green
    case .open, .unsupported: .yellow
    case .notGenuine, .failed, .found: .red
    case .skipped: .dim
    }
  }
}
