package import TesseraFleet
internal import TesseraVerification

/// Compares what the desks were told with what the stream has, and with the right results.
package struct LoadCheck: Sendable {
  /// A record of the stream.
  package struct Record: Sendable {
    package let desk: String
    package let read: FleetReadID
    package let result: LoadResult

    package init(desk: String, read: FleetReadID, result: LoadResult) {
      self.desk = desk
      self.read = read
      self.result = result
    }
  }

  /// What is wrong, one line each.
  package private(set) var problems: [String] = []
  /// Reads with a verdict.
  package private(set) var verdicts = 0
  /// Reads of documents that cannot be read, with the right error.
  package private(set) var unreadable = 0
  /// Reads that ended with an error of the fleet, by its code.
  package private(set) var reported: [String: Int] = [:]
  /// Reads that were begun more than once: by their desk, or by its next process.
  package private(set) var repeated = 0
  /// Verdicts whose record was still in a spool.
  package private(set) var spooled = 0

  /// - Parameters:
  ///   - entries: of all desks.
  ///   - records: all of the stream.
  ///   - results: the right results of each profile, by its name.
  ///   - limit: the longest time of a read.
  ///   - allowsErrors: whether a read may end with an error of the fleet, as it may while something is broken.
  package init(
    _ entries: [LoadEntry], _ records: [Record], results: [String: [FleetReadingMode: LoadResult]], limit: Duration,
    allowsErrors: Bool
  ) {
    let recordsByRead = Dictionary(grouping: records, by: \.read)
    for (read, all) in recordsByRead where all.count > 1 { problems.append("\(read) has \(all.count) records") }
    var begun: [FleetReadID: LoadEntry] = [:]
    var begins: [FleetReadID: Int] = [:]
    for entry in entries where entry.event == .began {
      begun[entry.read] = entry
      begins[entry.read, default: 0] += 1
    }
    for record in records {
      guard let entry = begun[record.read] else {
        problems.append("\(record.read): the stream has a record of a read that no desk began")
        continue
      }
      if record.result != results[entry.profile]?[entry.mode] {
        problems.append("\(entry.title): the record says \(record.result)")
      }
    }
    var ended: Set<FleetReadID> = []
    for entry in entries where entry.event != .began {
      if !ended.insert(entry.read).inserted { problems.append("\(entry.read) ended twice") }
      check(entry, recordsByRead[entry.read] ?? [], results[entry.profile]?[entry.mode], limit, allowsErrors)
      if (entry.attempts ?? 1) > 1 || begins[entry.read, default: 0] > 1 { repeated += 1 }
    }
    for (read, entry) in begun where !ended.contains(read) {
      problems.append("\(entry.title): neither repeated nor reported")
    }
  }

  private mutating func check(
    _ entry: LoadEntry, _ records: [Record], _ right: LoadResult?, _ limit: Duration, _ allowsErrors: Bool
  ) {
    let name = entry.title
    if let milliseconds = entry.milliseconds, milliseconds > limit / .milliseconds(1) {
      problems.append("\(name): took \(Int(milliseconds)) ms")
    }
    if entry.event == .read {
      verdicts += 1
      if entry.isRecorded == false { spooled += 1 }
      if entry.result != right {
        problems.append("\(name): the desk was told \(entry.result?.description ?? "nothing")")
      }
      if records.map(\.desk) != [entry.desk] || records.map(\.result) != [entry.result] {
        problems.append("\(name): acknowledged, but the stream has \(records.map(\.result.description))")
      }
    } else if entry.result == right {
      unreadable += 1
      if !records.isEmpty { problems.append("\(name): a document that cannot be read has a record") }
    } else if let code = entry.result?.code, code != .readFailed, allowsErrors {
      reported[code.rawValue, default: 0] += 1
      if code == .readIDUsed, records.isEmpty { problems.append("\(name): said to be recorded, but is not") }
    } else {
      problems.append("\(name): \(entry.result?.description ?? "no result")")
    }
  }
}

extension LoadEntry {
  fileprivate var title: String { "\(read) \(profile) \(mode.rawValue)" }
}

extension LoadResult {
  /// The code of an error; nil for a verdict.
  var code: FleetError.Code? {
    guard let text = description.split(separator: ":").dropFirst().first, outcome == nil else { return nil }
    return FleetError.Code(rawValue: text.filter { $0 != " " })
  }
}

extension LoadCheck {
  /// The longest time until a desk has a verdict or an error: the time for all attempts, the time in which the last one
  /// ends, and a reserve for computing.
  package static var longestRead: Duration {
    let limits = FleetLimits()
    return limits.overall + limits.ending + .seconds(3)
  }

  /// What was checked, in one line.
  package func text(_ name: String) -> String {
    let errors = reported.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return "reads \(name): \(verdicts) verdicts, \(unreadable) unreadable documents, "
      + "\(errors.isEmpty ? "no errors of the fleet" : errors.joined(separator: ", ")); \(repeated) repeated, "
      + "\(spooled) acknowledged from a spool; \(problems.count) wrong"
  }
}
