import FoundationEssentials
import TesseraCommandLine
import TesseraCore
import TesseraFleet
import TesseraJSON
import TesseraVerification

/// What `fleet read` prints: the inspector's report, or after remote reading its verdict alone.
struct FleetReadOutput {
  private let reading: FleetReading
  /// nil if the desk may not see it.
  private let report: Report?

  /// - Throws: `Failure` of the kind `protocolViolation` if the report cannot be decoded.
  init(_ reading: FleetReading) throws {
    self.reading = reading
    report = try reading.report()
  }

  /// Whether no check failed; without a report, whether the verdict does not speak against the document.
  var isSound: Bool { report?.isSound ?? (reading.outcome != .notGenuine) }

  func show(asJSON: Bool) throws {
    if asJSON { return try StandardOutput.write(try json().text) }
    if let report {
      try ReportOutput(report: report, portrait: reading.dump?.portrait).show(asJSON: false)
    } else {
      let style: Terminal.Style =
        switch reading.outcome {
        case .genuine: .green
        case .notEstablished: .yellow
        case .notGenuine: .red
        }
      try StandardOutput.write(Terminal.styled(Terminal.printable(reading.headline), style))
    }
    try StandardOutput.write(fleetLine)
  }

  private var fleetLine: String {
    let trust = reading.trustVersion.map { "certificates of version \($0)" } ?? "certificates of its own"
    let requests = reading.roundTrips == 1 ? "1 round trip" : "\(reading.roundTrips) round trips"
    return "Judged by an inspector with \(trust), in \(requests). "
      + (reading.recorded
        ? "Recorded as \(reading.readID)." : "Its record, \(reading.readID), waits at the inspector for the servers.")
  }

  /// The report's object with the member `fleet`; without a report the outcome and the headline.
  private func json() throws -> JSONValue {
    var object: JSONObject = ["outcome": .string(reading.outcome.rawValue), "headline": .string(reading.headline)]
    // By the names of this version, whatever that of the inspector is.
    if case .object(let members)? = try report?.value() { object = members }
    object["fleet"] = [
      "read": .string(reading.readID.text), "mode": .string(reading.mode.rawValue), "recorded": .bool(reading.recorded),
      "trustVersion": reading.trustVersion.flatMap(Int64.init(exactly:)).map(JSONValue.integer) ?? .null,
      "roundTrips": .integer(Int64(reading.roundTrips)), "attempts": .integer(Int64(reading.attempts)),
    ]
    return .object(object)
  }
}

extension FleetReading {
  /// The inspector's report; nil if the desk may not see it.
  ///
  /// - Throws: `Failure` of the kind `protocolViolation` if it cannot be decoded.
  func report() throws -> Report? {
    guard let reportJSON else { return nil }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let report = try? decoder.decode(Report.self, from: Data(reportJSON.utf8)), report.outcome == outcome else {
      throw Failure(
        .protocolViolation, "The inspector's report is malformed.",
        remedy: "Install the same version of Tessera on the desk and on the inspectors.")
    }
    return report
  }
}
