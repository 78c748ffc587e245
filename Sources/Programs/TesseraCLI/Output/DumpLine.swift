import FoundationEssentials
import Tessera
import TesseraCommandLine

/// The line that `passport verify` prints for one of several dumps.
struct DumpLine: Sendable {
  let text: String
  /// The exit status that this dump alone would have.
  let status: Int32

  init(_ path: String, _ result: Result<Report, any Error>, _ required: RequireOption, asJSON: Bool) {
    switch result {
    case .success(let report):
      let isGood = report.isSound && required.isMet(by: report.outcome)
      status = isGood ? 0 : FailureKind.checkFailed.exitStatus
      text = asJSON ? Self.json(path, report) : Self.text(path, report)
    case .failure(let error):
      status = ErrorOutput.status(of: Failure(error).kind)
      text =
        asJSON
        ? (["dump": .string(path), "error": ErrorOutput.object(error)] as JSONValue).text
        : Self.text("!!", .red, path, "error", ErrorOutput.message(error))
    }
  }

  private struct Object: Encodable {
    let dump: String
    let report: Report

    private enum CodingKeys: CodingKey { case dump }

    func encode(to encoder: any Encoder) throws {
      try report.encodeWithSentences(to: encoder)
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(dump, forKey: .dump)
    }
  }

  private static func json(_ path: String, _ report: Report) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    // All values of a report are texts, whole numbers and dates, which always have a JSON form.
    let text = (try? encoder.encode(Object(dump: path, report: report))).map { String(decoding: $0, as: UTF8.self) }
    return PrintableText.escaped(json: text ?? "")
  }

  private static func text(_ path: String, _ report: Report) -> String {
    let reason = report.problems.first?.detail ?? report.headline
    let day = ReportOutput.day(report.verifiedAt)
    let genuine = report.credential == nil ? "genuine" : "genuine copy"
    return switch report.outcome {
    case .genuine where report.isSound: text("ok", .green, path, "\(genuine) as of \(day)", reason)
    case .genuine: text("!!", .yellow, path, "\(genuine) as of \(day)", reason)
    case .notGenuine: text("!!", .red, path, "not genuine as of \(day)", reason)
    case .notEstablished where report.isSound: text("--", .yellow, path, "not established as of \(day)", reason)
    case .notEstablished: text("!!", .red, path, "not established as of \(day)", reason)
    }
  }

  private static func text(
    _ mark: String, _ style: Terminal.Style, _ path: String, _ outcome: String, _ reason: String
  ) -> String {
    Terminal.styled(mark, style) + "  \(Terminal.printable(path))  \(outcome)  \(Terminal.printable(reason))"
  }
}

/// The number of verified dumps and the exit status of all.
struct DumpSummary {
  private(set) var count = 0
  private var firstError: Int32 = 0
  private var hasFailedCheck = false

  mutating func add(_ line: DumpLine) {
    count += 1
    if line.status == FailureKind.checkFailed.exitStatus { hasFailedCheck = true }
    if firstError == 0 { firstError = line.status }
  }

  /// A failed check takes precedence over an unreadable dump.
  var exitStatus: Int32 { hasFailedCheck ? FailureKind.checkFailed.exitStatus : firstError }
}
